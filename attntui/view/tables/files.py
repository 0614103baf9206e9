from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from attntui.analysis.quantity import Quantity
from attntui.safe import Safe, safe
from attntui.view.files import Found
from attntui.view.tables.model import Column, Place, Table, every_row, figures, texts


def files_table(found: Sequence[Found], directory: Path) -> Table:
    names = [_shown(f, directory) for f in found]
    return Table(
        (
            figures("size", "size", [f.size for f in found], Quantity.BYTES, Place(9)),
            Column(
                "changed",
                safe("changed"),
                lambda r: found[r].changed,
                lambda r: safe(time.strftime("%Y-%m-%d %H:%M", time.localtime(found[r].changed))),
                every_row(names),
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
        descending=False,
        empty=safe("no trace files here: see README.md"),
    )


def _shown(found: Found, directory: Path) -> Safe:
    if found.sample:
        return safe(found.path.name)
    try:
        return safe(str(found.path.relative_to(directory)))
    except ValueError:
        return safe(str(found.path))
