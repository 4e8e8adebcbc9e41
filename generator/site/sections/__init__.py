"""Parts of a page that several pages have."""
