"""Traces to choose from: the bundled samples and what lies under a directory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = (".json", ".json.gz", ".json.zst", ".json.tmp", ".trace", ".trace.gz")
MAX_DEPTH = 4
MAX_DIRECTORIES = 2_000
SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__"})


@dataclass(frozen=True, slots=True)
class TraceFile:
    """One file: where it is, its size in bytes, when it changed (seconds since the epoch)."""

    path: Path
    size: int
    changed: float
    sample: bool


def samples_directory() -> Path | None:
    """Where the bundled samples lie: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for place in (package / "sample_traces", package.parent / "sample_traces"):
        if place.is_dir():
            return place
    return None


def find_traces(directory: Path) -> list[TraceFile]:
    """Trace files under a directory, newest first, then the bundled samples by name."""
    samples = samples_directory()
    bundled = _walk(samples, True) if samples is not None else []
    own = {f.path.resolve() for f in bundled}
    here = [f for f in _walk(directory, False) if f.path.resolve() not in own]
    here.sort(key=lambda f: (-f.changed, str(f.path)))
    return here + sorted(bundled, key=lambda f: f.path.name)


def _walk(directory: Path, sample: bool) -> list[TraceFile]:
    found: list[TraceFile] = []
    visited = 0
    for root, names, files in os.walk(directory):
        visited += 1
        depth = len(Path(root).relative_to(directory).parts)
        names[:] = [n for n in sorted(names) if not n.startswith(".") and n not in SKIPPED]
        if depth >= MAX_DEPTH or visited >= MAX_DIRECTORIES:
            names.clear()
        for name in files:
            if not name.endswith(SUFFIXES):
                continue
            path = Path(root) / name
            try:
                stat = path.stat()
            except OSError:
                continue
            found.append(TraceFile(path, stat.st_size, stat.st_mtime, sample))
    return found
