"""What a table is: columns with values for programs, texts for people, and an order.

Each table is defined once, in a file of its own name. The screen, plain text, Markdown, JSON
and CSV are renderers of that definition: a `Column` with a `key` is in the data, one with a
`place` is on the screen, and reports name the columns that they show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attntui.analysis.quantity import Quantity
from attntui.safe import Safe, safe
from attntui.trace.model import I64
from attntui.view.session.selection import NOTHING, Selection
from attntui.view.words.formats import ABSENT, figure

Keys = npt.NDArray[np.int64] | npt.NDArray[np.float64] | npt.NDArray[np.int32]

Figures = npt.NDArray[np.number] | npt.NDArray[np.bool_] | Sequence[float | None]
"""Figures, one a row; None or NaN where one is not known."""


_EMPTY = Safe("nothing here")


@dataclass(frozen=True, slots=True)
class Place:
    """How a column stands on the screen.

    `width` in cells; None takes what is left, and one column of a table has it. `priority`
    says which columns go first when the screen is narrow: the lowest stay.
    """

    width: int | None
    priority: int = 0
    sortable: bool = True
    """Whether an order by this column means anything."""
    ranks: bool = False
    """Whether words stand for a rank, the highest first, and not for themselves."""
    least: int = 26
    """Cells under which a column of no fixed width says too little: lesser ones go instead."""
    cut_inside: bool = False
    """Whether a text that does not fit loses its middle: both ends tell it from others."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column. `value(row)` is for programs (None where absent), `text(row)` for people.

    `key` is its name in JSON and CSV, empty where it is only drawn. `order` gives the sort
    keys, one a row, NaN for what stands last; `left` sets text to the left.
    """

    key: str
    title: Safe
    value: Callable[[int], Any]
    text: Callable[[int], Safe]
    order: Keys
    left: bool = False
    place: Place | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of one length, with the text a filter reads: `words[word_of[row]]`.

    `target` is what a row stands for; `row_of` the row that stands for a selection, None
    where there is none. `sort` is the key of the column that it is first ordered by.
    """

    columns: tuple[Column, ...]
    words: Sequence[str]
    word_of: I64
    sort: str
    descending: bool = True
    target: Callable[[int], Selection] = lambda _row: NOTHING
    row_of: Callable[[Selection], int | None] = lambda _selected: None
    empty: Safe = _EMPTY
    """What to say when there are no rows at all."""
    paths: Sequence[tuple[int, ...]] = ()
    """Of a table whose rows stand in a tree, what leads to each, itself last: a row stands
    below that of its path less the last, whatever the order."""

    def __len__(self) -> int:
        return len(self.word_of)

    def column(self, key: str) -> Column:
        """The column of a key. Raises KeyError where there is none."""
        found = next((column for column in self.columns if column.key == key), None)
        if found is None:
            raise KeyError(key)
        return found


def every_row(words: Sequence[str]) -> I64:
    """`word_of` of a table whose rows have a word each."""
    return np.arange(len(words), dtype=np.int64)


def first_row(hits: npt.NDArray[np.bool_]) -> int | None:
    """The first row of which a mask is true, None without one."""
    found = np.flatnonzero(hits)
    return int(found[0]) if len(found) else None


def numbers(values: Figures) -> Keys:
    """Figures as sort keys: what is not known is NaN."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "f":
            return values.astype(np.float64, copy=False)
        return values.astype(np.int64, copy=False)
    if all(isinstance(value, int) for value in values):
        return np.array(values, np.int64)
    return np.array([math.nan if value is None else value for value in values], np.float64)


def figures(
    key: str,
    title: str,
    values: Figures,
    place: Place | None = None,
    quantity: Quantity = Quantity.COUNT,
    *,
    digits: int | None = None,
    scale: float = 1,
    text: Callable[[int], Safe] | None = None,
) -> Column:
    """A column of figures. Times and bytes are written with `digits`; `scale` brings a value
    to the quantity's unit; `text` writes the cells instead.
    """
    order = numbers(values)

    def value(row: int) -> int | float | None:
        # The figure as given: among sort keys with absent ones a whole number is a float.
        given = values[row]
        found = given.item() if isinstance(given, np.generic) else given
        return None if isinstance(found, float) and math.isnan(found) else found

    def written(row: int) -> Safe:
        found = value(row)
        return figure(None if found is None else found * scale, quantity, digits)

    return Column(key, safe(title), value, text or written, order, place=place)


def times(key: str, title: str, values: Figures, place: Place | None = None, **more: Any) -> Column:
    """A column of times in ns; `more` as for `figures`."""
    return figures(key, title, values, place, Quantity.TIME, **more)


def sizes(key: str, title: str, values: Figures, place: Place | None = None, **more: Any) -> Column:
    """A column of bytes; `more` as for `figures`."""
    return figures(key, title, values, place, Quantity.BYTES, **more)


def shares(key: str, title: str, values: Figures, place: Place | None = None) -> Column:
    """A column of shares of one, written as percent."""
    return figures(key, title, values, place, Quantity.SHARE)


def flags(key: str, title: str, told: Sequence[bool | None], place: Place | None = None) -> Column:
    """A column of yes and no; None where it is not told."""
    order = np.array([math.nan if flag is None else float(flag) for flag in told], np.float64)

    def text(row: int) -> Safe:
        flag = told[row]
        return ABSENT if flag is None else Safe("yes" if flag else "no")

    return Column(key, safe(title), lambda row: told[row], text, order, left=True, place=place)


def texts(
    key: str,
    title: str,
    shown: Sequence[Safe | None],
    place: Place | None = None,
    *,
    values: Sequence[str | None] | None = None,
    absent: Safe = ABSENT,
) -> Column:
    """A column of texts, one a row; `values` are what programs get instead."""
    data = shown if values is None else values
    return Column(
        key,
        safe(title),
        lambda row: data[row] or None,
        lambda row: shown[row] or absent,
        _ranked(shown),
        left=True,
        place=place,
    )


def names(
    key: str, title: str, of: Sequence[Safe], ids: npt.NDArray[np.integer], place: Place | None
) -> Column:
    """A column of texts `of[ids[row]]`; absent where the id is negative."""
    ranks = _ranked(of)
    order: Keys = ranks[ids] if (ids >= 0).all() else np.where(ids >= 0, ranks[ids], math.nan)

    def value(row: int) -> Safe | None:
        return of[ids[row]] if ids[row] >= 0 else None

    return Column(
        key, safe(title), value, lambda row: value(row) or ABSENT, order, left=True, place=place
    )


def data(key: str, values: Sequence[Any]) -> Column:
    """A column for programs alone: lists, dicts, full names."""
    return computed(key, lambda row: values[row])


def computed(key: str, value: Callable[[int], Any]) -> Column:
    """A column for programs alone, its values made when they are asked for."""
    return Column(key, Safe(""), value, lambda row: ABSENT, np.zeros(0, np.int64))


def drawn(
    title: str, text: Callable[[int], Safe], order: Keys, place: Place, *, left: bool = True
) -> Column:
    """A column for people alone: a bar, a mark."""
    return Column("", safe(title), lambda _row: None, text, order, left=left, place=place)


def _ranked(texts: Sequence[str | None]) -> Keys:
    """By place of a text its rank in alphabetical order; equal texts have one rank, and what
    is absent has none.
    """
    rank = {text: number for number, text in enumerate(sorted({text for text in texts if text}))}
    return numbers([rank[text] if text else None for text in texts])


def records(table: Table, rows: Sequence[int] | None = None) -> list[dict[str, Any]]:
    """Rows (all, in the table's own order) as dicts of the columns that have a key."""
    columns = [(column.key, column.value) for column in table.columns if column.key]
    chosen = range(len(table)) if rows is None else rows
    return [{key: value(row) for key, value in columns} for row in chosen]


def ordered_rows(table: Table, top: int | None = None) -> list[int]:
    """The (first `top`) rows as the table is first ordered."""
    keys = table.column(table.sort).order
    order = np.argsort(-keys if table.descending else keys, kind="stable")
    found: list[int] = order[:top].tolist()
    return found
