"""YML and SCH: how records are written."""
