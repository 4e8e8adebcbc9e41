"""Facts got from packages by reading their code with ``ast``; nothing of a package is ever imported or run."""
