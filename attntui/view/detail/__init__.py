"""Everything known of one thing, line by line."""
