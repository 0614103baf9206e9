"""From columns to facts: pure functions over a Trace."""
