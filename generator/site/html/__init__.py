"""From text to HTML: templates, links, pages."""
