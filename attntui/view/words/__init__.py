"""Figures and facts in words, as people read them."""
