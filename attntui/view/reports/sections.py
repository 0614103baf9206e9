"""Sections of a report: a titled table each, or rows of it, for any renderer of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from attntui.safe import Safe, safe
from attntui.view.tables.model import Column, Table, ordered_rows

Cells = Mapping[str, Safe]
"""Cells by the key of their column; what is not there stays blank."""


@dataclass(frozen=True, eq=False)
class Section:
    """Some columns and rows of a table, in an order.

    `below(row)` gives lines that stand under a row, `footer` those under the table. Of the
    columns `gives_way` is cut where the screen is narrow (names), `wraps` goes on below.
    """

    title: Safe
    table: Table
    keys: Sequence[str]
    rows: Sequence[int]
    below: Callable[[int], Sequence[Cells]] = lambda _row: ()
    footer: Sequence[Cells] = ()
    gives_way: frozenset[str] = frozenset({"label"})
    wraps: frozenset[str] = frozenset()

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(self.table.column(key) for key in self.keys)

    def lines(self) -> Iterator[tuple[Safe, ...]]:
        """The cells of each line, from the first to the footer."""
        columns = self.columns
        for row in self.rows:
            yield tuple(column.text(row) for column in columns)
            yield from (self._cells(line) for line in self.below(row))
        yield from (self._cells(line) for line in self.footer)

    def _cells(self, line: Cells) -> tuple[Safe, ...]:
        return tuple(line.get(key, Safe("")) for key in self.keys)


def ranked(title: str, table: Table, keys: Sequence[str], top: int) -> Section:
    """The first `top` rows of a table as it is first ordered; the title says how many of how
    many.
    """
    rows = ordered_rows(table, top)
    return Section(of_how_many(title, len(rows), len(table)), table, keys, rows)


def of_how_many(title: str, shown: int, whole: int) -> Safe:
    """A title with how many rows are shown, of how many where some are not."""
    return safe(f"{title}: {shown:,} of {whole:,}" if shown < whole else f"{title}: {whole:,}")


def whole(title: Safe, table: Table, keys: Sequence[str]) -> Section:
    """All rows of a table, as they stand."""
    return Section(title, table, keys, range(len(table)))
