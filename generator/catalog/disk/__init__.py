"""The disk: which files may be read, how authored files are written, and which folders may be replaced."""
