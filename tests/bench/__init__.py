"""Measures what loading, summaries, reopening and keys cost, as ratios in one run."""
