"""Tables as index arrays: sorting and filtering never touch the rows' text.

A `Table` holds columns (sort keys and a function that writes one cell); a `TableView`
is a table seen in an order and through a filter. Both are values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from rich.cells import cell_len, set_cell_size

from attntui.trace.model import I64

Keys = npt.NDArray[np.int64] | npt.NDArray[np.float64] | npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Column:
    """One column: `text(row)` writes a cell, `keys` (one a row) give its order.

    `width` in cells; None takes what is left, and one column of a table has it.
    `priority` says which columns go first when the screen is narrow: the lowest stay.
    """

    title: str
    text: Callable[[int], str]
    keys: Keys
    width: int | None
    right: bool = True
    priority: int = 0
    sortable: bool = True
    """Whether an order by this column means anything."""
    least: int = 26
    """Cells under which a column of no fixed width says too little: lesser ones go instead."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a table row stands for: an event, a gap, or just a time span on the timeline.

    `gap` is a number among the gaps of devices, `stream_gap` among those of streams in the
    scope, `remark` a row of the overview.
    """

    start: int
    end: int
    event: int | None = None
    gap: int | None = None
    stream_gap: int | None = None
    remark: int | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one length, with the text a filter reads: `words[word_of[row]]`."""

    columns: tuple[Column, ...]
    words: Sequence[str]
    word_of: I64
    target: Callable[[int], Target | None]
    empty: str = "nothing here"
    """What to say when there are no rows at all."""

    def __len__(self) -> int:
        return len(self.word_of)


def name_keys(names: Sequence[str], ids: npt.NDArray[np.integer]) -> I64:
    """Sort keys that put rows in the alphabetical order of `names[ids]`."""
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    return rank[ids] if len(ids) else np.empty(0, np.int64)


class BadPattern(ValueError):
    """The text typed is no regular expression; `str(error)` says why."""


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """A regular expression, case ignored unless it holds a capital. Raises BadPattern."""
    flags = 0 if any(c.isupper() for c in pattern) else re.IGNORECASE
    try:
        return re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadPattern(f"not a regular expression: {error}") from error


@dataclass(frozen=True, eq=False)
class TableView:
    """A table in an order. `order[position]` is the row shown at a position."""

    table: Table
    sort: int
    descending: bool
    pattern: str = ""
    order: I64 = field(default_factory=lambda: np.empty(0, np.int64))

    @classmethod
    def of(cls, table: Table, sort: int, descending: bool, pattern: str = "") -> TableView:
        """The view sorted by column `sort`; equal keys keep the table's order."""
        rows = np.arange(len(table), dtype=np.int64)
        if pattern:
            found = compile_pattern(pattern)
            hits = np.fromiter((bool(found.search(w)) for w in table.words), np.bool_)
            rows = rows[hits[table.word_of]] if len(hits) else rows
        keys = table.columns[sort].keys[rows]
        absent = np.isnan(keys) if keys.dtype.kind == "f" else np.zeros(len(keys), np.bool_)
        ordered = np.argsort(-keys if descending else keys, kind="stable")
        # Absent figures stand last whichever way the table is sorted.
        ordered = ordered[np.argsort(absent[ordered], kind="stable")]
        return cls(table, sort, descending, pattern, rows[ordered])

    def __len__(self) -> int:
        return len(self.order)

    def sorted_by(self, sort: int) -> TableView:
        """By a column; figures start largest first, words from the beginning."""
        return TableView.of(self.table, sort, self.table.columns[sort].right, self.pattern)

    def sorted_beside(self, step: int) -> TableView:
        """By the next sortable column to the right (1) or left (-1), round the ends."""
        columns = self.table.columns
        places = [(self.sort + step * n) % len(columns) for n in range(1, len(columns) + 1)]
        return self.sorted_by(next(i for i in places if columns[i].sortable))

    def inverted(self) -> TableView:
        return TableView.of(self.table, self.sort, not self.descending, self.pattern)

    def filtered(self, pattern: str) -> TableView:
        """Only rows whose word matches. Raises BadPattern."""
        return TableView.of(self.table, self.sort, self.descending, pattern)

    def over(self, table: Table) -> TableView:
        """The same order and filter over another table of the same columns."""
        return TableView.of(table, self.sort, self.descending, self.pattern)

    def position_of(self, row: int) -> int | None:
        """Where a row of the table stands now, or None when the filter hides it."""
        found = np.flatnonzero(self.order == row)
        return int(found[0]) if len(found) else None


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns fit a width, and how wide each is."""

    columns: tuple[int, ...]
    widths: tuple[int, ...]


def layout(columns: Sequence[Column], width: int) -> Layout:
    """Fits columns into `width` cells, one blank between them, dropping by priority."""
    chosen = list(range(len(columns)))
    while _least(columns, chosen) > width:
        lesser = [i for i in chosen if columns[i].width is not None]
        if not lesser:
            break
        chosen.remove(max(lesser, key=lambda i: (columns[i].priority, i)))
    fixed = sum(columns[i].width or 0 for i in chosen) + len(chosen) - 1
    left = max(width - fixed, 0)
    widths = tuple(left if columns[i].width is None else columns[i].width or 0 for i in chosen)
    return Layout(tuple(chosen), widths)


def _least(columns: Sequence[Column], chosen: Sequence[int]) -> int:
    return sum(columns[i].width or columns[i].least for i in chosen) + len(chosen) - 1


def fit(text: str, width: int, right: bool) -> str:
    """`text` in exactly `width` cells; what does not fit is cut at its end."""
    if cell_len(text) > width:
        return set_cell_size(text, max(width - 1, 0)) + "…" if width > 0 else ""
    return " " * (width - cell_len(text)) + text if right else set_cell_size(text, width)


def header(view: TableView, plan: Layout) -> str:
    """The line of titles, the sorted column marked."""
    mark = "▼" if view.descending else "▲"
    cells = []
    for index, width in zip(plan.columns, plan.widths, strict=True):
        column = view.table.columns[index]
        title = column.title + (mark if index == view.sort else "")
        cells.append(fit(title, width, column.right))
    return " ".join(cells)


def line(view: TableView, position: int, plan: Layout) -> str:
    """One row of text. `position` counts in the view's order."""
    row = int(view.order[position])
    cells = []
    for index, width in zip(plan.columns, plan.widths, strict=True):
        column = view.table.columns[index]
        cells.append(fit(column.text(row), width, column.right))
    return " ".join(cells)


def share_bar(share: float, width: int) -> str:
    """A bar of `width` cells for a share of one, in eighths of a cell."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    full, rest = divmod(eighths, 8)
    return ("█" * full + ("▏▎▍▌▋▊▉"[rest - 1] if rest else "")).ljust(width)
