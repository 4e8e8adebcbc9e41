"""Everything that was written and everything that follows, frozen; and the questions that are asked of it."""
