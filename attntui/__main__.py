"""`python -m attntui`."""

from __future__ import annotations

import sys

from attntui.cli import main

sys.exit(main())
