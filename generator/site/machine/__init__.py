"""The site for programs: JSON, CSV, Markdown and a feed, made from the same values as the pages."""
