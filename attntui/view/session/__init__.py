"""What the user sees and has chosen, as values: every key is a function to the next."""
