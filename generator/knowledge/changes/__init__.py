"""What a change to the records does to what is published: facts, cells, citations, before and after, each with why."""
