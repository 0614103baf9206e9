"""Tables as text, Markdown, JSON and CSV."""
