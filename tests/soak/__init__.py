"""Random keys on odd traces: the app stays alive, draws, and takes no more memory than it should.

`PYTHONPATH=tests:tests/tui python -m soak --help` is the long run.
"""
