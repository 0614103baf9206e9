"""Files that may be kept."""

from __future__ import annotations

import os
from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def aged(path: Path, seconds: int = 100) -> Path:
    """A file that was changed so long ago."""
    when = path.stat().st_mtime_ns - seconds * 10**9
    os.utime(path, ns=(when, when))
    return path
