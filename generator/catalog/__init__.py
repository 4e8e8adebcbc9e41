"""What was written: the authored files, read once into a catalog with every author's error in it."""
