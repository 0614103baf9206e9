"""attntui: a terminal explorer for PyTorch profiler traces."""

__version__ = "0.1.0"
