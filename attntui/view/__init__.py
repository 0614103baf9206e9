"""From facts to what a screen or a report shows. No Textual."""
