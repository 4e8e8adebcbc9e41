"""What pages show of a knowledge base, worked out without knowing a page."""
