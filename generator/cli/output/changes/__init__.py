"""What a change does to what is published, as text, JSON and Markdown."""
