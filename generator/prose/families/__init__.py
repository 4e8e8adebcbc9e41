"""The words in which records give models to attention families and kernel classes."""
