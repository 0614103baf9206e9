"""`python -m soak`: see `long_run`."""

from __future__ import annotations

import sys

from .long_run import main

# Worker processes import this module too.
if __name__ == "__main__":
    sys.exit(main())
