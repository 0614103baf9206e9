"""Each table once: its columns with values, units and texts."""
