"""The ground of all reading: tokens, quantities, sentences, and whether they assert."""
