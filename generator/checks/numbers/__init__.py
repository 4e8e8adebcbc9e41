"""NUM: figures and statements in prose."""
