"""CIT: what records cite."""
