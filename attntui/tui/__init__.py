"""The Textual app: screens, widgets, keys, theme."""
