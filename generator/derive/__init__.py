"""What follows from a model's config: its cache, its parameters, and its figures in each layout on record."""
