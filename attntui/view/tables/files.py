"""Trace files to choose from: what each is of, how busy it is, how old, and where it lies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.cells import cell_len

from attntui.safe import Safe, safe
from attntui.view.files import FileFacts, TraceFile, short_names
from attntui.view.tables.model import (
    Column,
    Place,
    Table,
    drawn,
    every_row,
    figures,
    numbers,
    shares,
    sizes,
    texts,
)
from attntui.view.words.formats import age

_BESIDE_MODEL = re.compile(
    r"\b(NVIDIA|AMD|Instinct|Tesla|GeForce) |[ -](SXM\d?|PCIe|\d+ ?GB|HBM\w*)\b"
    r"|-PG\d+-\d+\b|, name not recorded",
    re.IGNORECASE,
)

MARK = Safe("●")
DEVICE_CELLS = 12
FOLDER_CELLS = 24
SMALL_CELLS = 76
"""Cells for columns on a screen of 80."""
BESIDE_CELLS = 1 + 6 + 7 + 6 + 5
"""Cells of the mark, steps, busy share, age and the blanks between: with the device all that
a long name leaves room for on such a screen.
"""


def files_table(
    found: Sequence[TraceFile],
    directory: Path,
    now: float,
    facts: Mapping[TraceFile, FileFacts] | None = None,
    marked: Sequence[Path] = (),
) -> Table:
    """One row a file, in the order given: the newest first, then the samples. `facts` are
    those read so far, `now` is in seconds since the epoch.
    """
    known = [(facts or {}).get(file) for file in found]
    names = [safe(name) for name in short_names(found, directory)]
    devices = [None if fact is None else _device(fact.device) for fact in known]
    folders = [_folder(file, directory) for file in found]
    device_cells = _widest(devices, 7, DEVICE_CELLS)
    name_cells = _widest(names, 20, SMALL_CELLS - BESIDE_CELLS - device_cells)
    return Table(
        (
            drawn(
                "",
                lambda row: MARK if found[row].path in marked else Safe(""),
                numbers([int(file.path in marked) for file in found]),
                Place(1, sortable=bool(marked)),
            ),
            texts("trace", "trace", names, Place(None, least=name_cells, cut_inside=True)),
            texts(
                "device",
                "device",
                devices,
                Place(device_cells, priority=2),
            ),
            figures("steps", "steps", [f.steps if f else None for f in known], Place(6)),
            shares(
                "busy_share", "busy", [None if f is None else f.busy_share for f in known], Place(7)
            ),
            Column(
                "changed",
                safe("age"),
                lambda row: found[row].changed,
                lambda row: age(now - found[row].changed),
                every_row(names),
                place=Place(6),
            ),
            sizes("size", "size", [f.size for f in found], Place(8, priority=3)),
            texts("from", "from", folders, Place(FOLDER_CELLS, priority=4)),
        ),
        [f"{name} {folder}" for name, folder in zip(names, folders, strict=True)],
        every_row(names),
        sort="changed",
        descending=False,
        empty=safe(
            "no trace here: record one with `attntui capture run naive flash`, or start "
            "attntui where your traces lie"
        ),
    )


def _widest(shown: Sequence[Safe | None], least: int, most: int) -> int:
    """Cells that hold texts in full, within limits."""
    return min(max([least, *(cell_len(text) for text in shown if text)]), most)


def _device(device: Safe) -> Safe:
    """A device's model, without its vendor, socket and memory."""
    return safe(_BESIDE_MODEL.sub("", device), DEVICE_CELLS)


def _folder(file: TraceFile, directory: Path) -> Safe:
    """Where a file lies, seen from the directory; its end where that is long."""
    if file.sample:
        return Safe("samples")
    text = safe(str(file.path.parent.relative_to(directory)))
    return text if cell_len(text) <= FOLDER_CELLS else safe(f"…{text[1 - FOLDER_CELLS :]}")
