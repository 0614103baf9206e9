"""What is kept of a trace between two openings, in the user's cache directory.

Nothing here is needed: whatever is missing, odd or damaged counts as not kept.
"""
