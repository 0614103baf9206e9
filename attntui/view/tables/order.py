"""A table seen in an order and through a filter, and how its columns fit the screen.

Sorting and filtering are index arrays: they never touch the rows' text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from rich.cells import cell_len, set_cell_size

from attntui.safe import Safe, safe
from attntui.trace.model import I64
from attntui.view.patterns import compile_pattern
from attntui.view.tables.model import Column, Place, Table


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How a table is seen, whatever it holds: the column it is sorted by (its key, of one that
    is only drawn its title), which way, and the filter.
    """

    column: str
    descending: bool
    pattern: str = ""

    @classmethod
    def asked(cls, column: str | None, pattern: str) -> Arrangement:
        """As a command line has it: `-` before a column that is sorted downwards, None for the
        first order.
        """
        name = column or ""
        return cls(name.removeprefix("-"), name.startswith("-"), pattern)


def first_arrangement(table: Table) -> Arrangement:
    """How a table is seen at first."""
    return Arrangement(_named(drawn_columns(table)[_first_sort(table)]), table.descending)


def _first_sort(table: Table) -> int:
    columns = drawn_columns(table)
    return next(i for i, column in enumerate(columns) if column.key == table.sort)


@dataclass(frozen=True, eq=False)
class TableView:
    """A table in an order. `order[position]` is the row shown at a position; `sort` is the
    number of the sorted column among those drawn.
    """

    table: Table
    sort: int
    descending: bool
    pattern: str = ""
    order: I64 = field(default_factory=lambda: np.empty(0, np.int64))

    @classmethod
    def of(cls, table: Table) -> TableView:
        """All rows in the table's first order."""
        return cls._ordered(table, _first_sort(table), table.descending, "")

    @classmethod
    def _ordered(cls, table: Table, sort: int, descending: bool, pattern: str) -> TableView:
        """Sorted by column `sort` of those drawn; equal keys keep the table's order."""
        rows = np.arange(len(table), dtype=np.int64)
        if pattern:
            found = compile_pattern(pattern)
            hits = np.fromiter((bool(found.search(w)) for w in table.words), np.bool_)
            rows = rows[hits[table.word_of]] if len(hits) else rows
        keys = drawn_columns(table)[sort].order[rows]
        # Absent figures are NaN, which stands last whichever way the rest is sorted.
        ordered = rows[np.argsort(-keys if descending else keys, kind="stable")]
        if table.paths:
            ordered = _as_tree(table.paths, ordered)
        return cls(table, sort, descending, pattern, ordered)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that can be on the screen; `sort` counts among them."""
        return drawn_columns(self.table)

    def __len__(self) -> int:
        return len(self.order)

    def sorted_by(self, sort: int) -> TableView:
        """By a column; figures and ranks start largest first, words from the beginning."""
        column = self.columns[sort]
        descending = _place(column).ranks or not column.left
        return self._ordered(self.table, sort, descending, self.pattern)

    def turned_by(self, sort: int) -> TableView:
        """By a column, and the other way round where it is sorted by that one already; as it
        was where an order by it means nothing.
        """
        if not _place(self.columns[sort]).sortable:
            return self
        return self.inverted() if sort == self.sort else self.sorted_by(sort)

    def sorted_beside(self, step: int) -> TableView:
        """By the next sortable column to the right (1) or left (-1), round the ends."""
        columns = self.columns
        places = [(self.sort + step * n) % len(columns) for n in range(1, len(columns) + 1)]
        return self.sorted_by(next(i for i in places if _place(columns[i]).sortable))

    @property
    def arrangement(self) -> Arrangement:
        """How the table is seen."""
        return Arrangement(_named(self.columns[self.sort]), self.descending, self.pattern)

    @classmethod
    def arranged(cls, table: Table, wanted: Arrangement) -> TableView:
        """A table seen as another one was; in its first order where it has no such column.
        Raises BadPattern.
        """
        places = [i for i, c in enumerate(drawn_columns(table)) if _named(c) == wanted.column]
        if not places:
            return cls.of(table).filtered(wanted.pattern)
        return cls._ordered(table, places[0], wanted.descending, wanted.pattern)

    def inverted(self) -> TableView:
        return self._ordered(self.table, self.sort, not self.descending, self.pattern)

    def filtered(self, pattern: str) -> TableView:
        """Only rows whose word matches. Raises BadPattern."""
        return self._ordered(self.table, self.sort, self.descending, pattern)

    def over(self, table: Table) -> TableView:
        """The same order and filter over another table of the same columns."""
        return self._ordered(table, self.sort, self.descending, self.pattern)

    def position_of(self, row: int) -> int | None:
        """Where a row of the table stands now, or None when the filter hides it."""
        found = np.flatnonzero(self.order == row)
        return int(found[0]) if len(found) else None


def _as_tree(paths: Sequence[tuple[int, ...]], order: I64) -> I64:
    """An order in which each row is followed by those below it, they among themselves as before."""
    below: dict[tuple[int, ...], list[int]] = {}
    for row in order.tolist():
        below.setdefault(paths[row][:-1], []).append(row)
    found: list[int] = []
    todo = below.get((), [])[::-1]
    while todo:
        found.append(todo.pop())
        todo += below.get(paths[found[-1]], [])[::-1]
    return np.array(found, np.int64)


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns fit a width, and how wide each is."""

    columns: tuple[int, ...]
    widths: tuple[int, ...]

    def column_at(self, cell: int) -> int | None:
        """The column that a cell belongs to, with the blank behind it; None beside them all."""
        edge = 0
        for column, width in zip(self.columns, self.widths, strict=True):
            if 0 <= cell - edge <= width:
                return column
            edge += width + 1
        return None


def drawn_columns(table: Table) -> tuple[Column, ...]:
    """The columns of a table that have a place on the screen."""
    return tuple(column for column in table.columns if column.place is not None)


def _named(column: Column) -> str:
    return column.key or column.title


def _place(column: Column) -> Place:
    assert column.place is not None
    return column.place


def layout(columns: Sequence[Column], width: int) -> Layout:
    """Fits columns into `width` cells, one blank between them, dropping by priority."""
    places = [_place(column) for column in columns]
    chosen = list(range(len(columns)))
    while _least(places, chosen) > width:
        lesser = [i for i in chosen if places[i].width is not None]
        if not lesser:
            break
        chosen.remove(max(lesser, key=lambda i: (places[i].priority, i)))
    fixed = sum(places[i].width or 0 for i in chosen) + len(chosen) - 1
    left = max(width - fixed, 0)
    widths = tuple(left if places[i].width is None else places[i].width or 0 for i in chosen)
    return Layout(tuple(chosen), widths)


def _least(places: Sequence[Place], chosen: Sequence[int]) -> int:
    return sum(places[i].width or places[i].least for i in chosen) + len(chosen) - 1


def fit(text: Safe, width: int, right: bool) -> Safe:
    """`text` in exactly `width` cells; what does not fit is cut at its end."""
    if cell_len(text) > width:
        return Safe(set_cell_size(text, max(width - 1, 0)) + "…" if width > 0 else "")
    return Safe(" " * (width - cell_len(text)) + text if right else set_cell_size(text, width))


def _fit_ends(text: Safe, width: int) -> Safe:
    """`text` in exactly `width` cells, to the left; what does not fit is cut in its middle."""
    if cell_len(text) <= width:
        return fit(text, width, right=False)
    behind = max(width // 2 - 1, 0)
    start = len(text)
    while start and cell_len(text[start - 1 :]) <= behind:
        start -= 1
    return safe(fit(text, width - cell_len(text[start:]), right=False) + text[start:])


def header(view: TableView, plan: Layout) -> Safe:
    """The line of titles, the sorted column marked."""
    mark = "▼" if view.descending else "▲"
    cells = []
    for index, width in zip(plan.columns, plan.widths, strict=True):
        column = view.columns[index]
        title = safe(column.title + (mark if index == view.sort else ""))
        cells.append(fit(title, width, not column.left))
    return Safe(" ".join(cells))


def line(view: TableView, position: int, plan: Layout) -> Safe:
    """One row of text. `position` counts in the view's order."""
    row = int(view.order[position])
    cells = []
    for index, width in zip(plan.columns, plan.widths, strict=True):
        column = view.columns[index]
        text = column.text(row)
        inside = _place(column).cut_inside
        cells.append(_fit_ends(text, width) if inside else fit(text, width, not column.left))
    return Safe(" ".join(cells))


def share_bar(share: float, width: int) -> Safe:
    """A bar of `width` cells for a share of one, in eighths of a cell."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    full, rest = divmod(eighths, 8)
    return Safe(("█" * full + ("▏▎▍▌▋▊▉"[rest - 1] if rest else "")).ljust(width))
