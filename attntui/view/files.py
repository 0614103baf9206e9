"""Traces to choose from: the bundled samples and what lies under a directory."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from attntui.errors import InputError
from attntui.trace.source import open_source

SUFFIXES = (".json", ".gz", ".zst", ".tmp", ".trace")
"""What a trace's name ends in, and much else: what is in the file decides."""

_OF_TRACES = (b'"traceEvents"', b'"ph"')
"""Text that stands in the first block of a trace, and of hardly any other JSON."""

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


def find_traces(directory: Path, cancelled: Callable[[], bool] = lambda: False) -> list[TraceFile]:
    """Traces under a directory, newest first, then the bundled samples by name. A copy of a
    sample (another checkout's) is a sample too.
    """
    samples = samples_directory()
    bundled = _walk(samples, True) if samples is not None else []
    own = {(f.path.name, f.size) for f in bundled}
    here = [f for f in _walk(directory, False) if (f.path.name, f.size) not in own]
    here.sort(key=lambda f: (-f.changed, str(f.path)))
    found = [*here, *sorted(bundled, key=lambda f: f.path.name)]
    return [f for f in found if not cancelled() and is_trace(f.path)]


def is_trace(path: Path) -> bool:
    """Whether a file's beginning is a trace's; no more of it is read."""
    try:
        head = open_source(str(path), lambda _: None).read()
    except (InputError, OSError):
        return False
    return any(word in head for word in _OF_TRACES)


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
            if not path.is_file():
                continue
            found.append(TraceFile(path, stat.st_size, stat.st_mtime, sample))
    return found
