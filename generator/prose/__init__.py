"""What the prose of records says, and what it computes."""
