"""Trace files to choose from: size, when they changed, and whether they are samples."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from attntui.safe import Safe, safe
from attntui.view.files import TraceFile
from attntui.view.tables.model import Column, Place, Table, every_row, sizes, texts


def files_table(found: Sequence[TraceFile], directory: Path) -> Table:
    """One row a file, in the order given: the newest first, then the samples."""
    names = [_shown(f, directory) for f in found]
    return Table(
        (
            sizes("size", "size", [f.size for f in found], Place(9)),
            Column(
                "changed",
                safe("changed"),
                lambda row: found[row].changed,
                lambda row: safe(
                    time.strftime("%Y-%m-%d %H:%M", time.localtime(found[row].changed))
                ),
                every_row(names)[::-1],
                place=Place(16, priority=1),
            ),
            texts(
                "from",
                "from",
                [safe("sample" if f.sample else "here") for f in found],
                Place(6, priority=2),
            ),
            texts("trace", "trace", names, Place(None)),
        ),
        names,
        every_row(names),
        sort="changed",
        empty=safe("no trace files here: see README.md"),
    )


def _shown(found: TraceFile, directory: Path) -> Safe:
    """A sample by its name, another file by its path from the directory."""
    if found.sample:
        return safe(found.path.name)
    try:
        return safe(str(found.path.relative_to(directory)))
    except ValueError:
        return safe(str(found.path))
