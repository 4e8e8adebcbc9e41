"""YAML text to values with their places."""
