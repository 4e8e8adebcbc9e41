"""DRF: what has changed since it was read."""
