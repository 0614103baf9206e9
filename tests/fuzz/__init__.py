"""Damages traces by chance and looks for whatever is not a line for the user: an exception, a
hang, figures that make no sense.

`PYTHONPATH=tests python -m fuzz --help` is the long run, `fuzz.guided` the one led by coverage.
"""
