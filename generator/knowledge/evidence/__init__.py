"""Which source a value rests on, whether it is the right one, and what falls with it."""
