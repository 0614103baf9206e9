"""Traces to choose from: the bundled samples and what lies under a directory."""

from __future__ import annotations

import filecmp
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attntui.analysis.analysed import AnalysedTrace
from attntui.safe import Safe, safe
from attntui.trace import load
from attntui.trace.peek import holds_trace
from attntui.view.words.formats import ratio

SUFFIXES = (".json", ".trace", ".gz", ".zst")
"""One of them stands somewhere in the name of a file that is looked into, or none at all."""

MAX_DEPTH = 4
MAX_DIRECTORIES = 2_000
SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__"})

MOST_READ = 128 * 1024 * 1024
"""Bytes of a file beyond which nothing but its name is told: reading it takes too long."""


@dataclass(frozen=True, slots=True)
class TraceFile:
    """One file: where it is, its size in bytes, when it changed (seconds since the epoch)."""

    path: Path
    size: int
    changed: float
    sample: bool


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is told of a trace beside its name; `busy_share` is None where nothing ran on a GPU."""

    device: Safe
    steps: int
    busy_share: float | None


def working_directory() -> Path:
    """Where the program was started; a path to nothing where that was deleted since."""
    try:
        return Path.cwd()
    except OSError:
        return Path()


def facts_of(path: Path, cancelled: Callable[[], bool]) -> FileFacts:
    """Reads a trace for what the list tells of it. Raises InputError and LoadCancelled."""
    analysed = AnalysedTrace(load(path, cancelled=cancelled))
    whole = analysed.whole
    device = analysed.labels.devices if whole.devices else safe("CPU")
    return FileFacts(device, len(analysed.steps), ratio(whole.busy_ns, whole.span_ns))


def samples_directory() -> Path | None:
    """Where the bundled samples lie: in the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for place in (package / "sample_traces", package.parent / "sample_traces"):
        if place.is_dir():
            return place
    return None


def find_traces(directory: Path) -> list[TraceFile]:
    """Trace files under a directory, newest first, then the bundled samples by name; a copy
    of a sample counts as that sample.
    """
    samples = samples_directory()
    bundled = list(_walk(samples, True)) if samples is not None else []
    here = [found for found in _walk(directory, False) if not _is_one_of(found, bundled)]
    here.sort(key=lambda f: (-f.changed, str(f.path)))
    return here + sorted(bundled, key=lambda f: f.path.name)


def _is_one_of(found: TraceFile, samples: Sequence[TraceFile]) -> bool:
    return any(
        found.size == sample.size and filecmp.cmp(found.path, sample.path, shallow=False)
        for sample in samples
    )


def _walk(directory: Path, sample: bool) -> Iterator[TraceFile]:
    visited = 0
    for root, names, files in os.walk(directory):
        visited += 1
        depth = len(Path(root).relative_to(directory).parts)
        names[:] = [n for n in sorted(names) if not n.startswith(".") and n not in SKIPPED]
        if depth >= MAX_DEPTH or visited >= MAX_DIRECTORIES:
            names.clear()
        for name in files:
            path = Path(root) / name
            if path.suffix and not set(path.suffixes) & set(SUFFIXES):
                continue
            try:
                status = path.stat()
            except OSError:
                continue
            # A pipe would be waited for.
            if stat.S_ISREG(status.st_mode) and holds_trace(str(path)):
                yield TraceFile(path, status.st_size, status.st_mtime, sample)


def short_names(found: Sequence[TraceFile], directory: Path) -> list[str]:
    """What each file is called: its name without the packing, its path from the directory
    where several would be called alike.
    """
    stems = [_stem(file.path.name) for file in found]
    often = Counter(stems)
    return [
        stem if often[stem] == 1 else _from(directory, file)
        for stem, file in zip(stems, found, strict=True)
    ]


def _stem(name: str) -> str:
    for suffix in (".gz", ".zst", ".json"):
        name = name.removesuffix(suffix)
    return name


def _from(directory: Path, file: TraceFile) -> str:
    if file.sample or not file.path.is_relative_to(directory):
        return file.path.name
    return str(file.path.relative_to(directory))
