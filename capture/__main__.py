"""`python -m capture`, also installed as `attntui-capture`."""

from __future__ import annotations

from capture.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    raise SystemExit(main())
