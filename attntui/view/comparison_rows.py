"""The rows of a comparison as tables show them: in an order, named, with their parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attntui.analysis.attention.model import ROLES
from attntui.analysis.compare.metrics import Unit
from attntui.analysis.compare.rows import Match, Row, RowGroup, Share, grouped
from attntui.analysis.kernel_names import decode
from attntui.view.attention import shape_text
from attntui.view.comparison_words import difference
from attntui.view.formats import count, duration
from attntui.view.safe import safe
from attntui.view.tables import Column, Table, name_keys

MATCH_WORDS: Mapping[Match, str] = {"both": "both", "only_a": "only A", "only_b": "only B"}

NAME_CELLS = 120

_ORDERS: Mapping[str, Callable[[RowGroup], tuple[int | str, ...]]] = {
    "delta": lambda group: (-abs(group.delta_gpu_ns),),
    "a": lambda group: (-group.a_gpu_ns,),
    "b": lambda group: (-group.b_gpu_ns,),
    "name": lambda group: (group.name, group.role or ""),
    "order": lambda group: (),
}
SORTS = tuple(_ORDERS)
"""What rows can be sorted by; `order` is the joint order of both traces."""


def sorted_groups(rows: Sequence[Row], sort: str = "delta") -> list[RowGroup]:
    """The groups of `rows`, the largest first; equal ones in the joint order."""
    return sorted(grouped(rows), key=_ORDERS[sort])


def title(row: Row) -> str:
    """What a row is about, as safe text: `softmax of attention forward 8x16x1024x64`. The
    shapes are those of A, then those of B where they differ.
    """
    of_call = any(share is not None and share.call is not None for share in (row.a, row.b))
    name = row.name if of_call or "::" in row.name else decode(row.name).short
    if row.role is not None:
        name = f"{row.role} of {name}"
    shapes = dict.fromkeys(_shape_words(share) for share in (row.a, row.b) if share is not None)
    return safe(f"{name} {' / '.join(filter(None, shapes))}".rstrip(), NAME_CELLS)


def _shape_words(share: Share) -> str:
    if share.call is not None:
        return shape_text(share.call)
    return " ".join(str(list(shape)) for shape in share.shapes or ())


@dataclass(frozen=True, slots=True)
class RoleLine:
    """What one role adds to a row that holds several: operations and time of each side."""

    role: str
    a_ops: int
    a_gpu_ns: int
    b_ops: int
    b_gpu_ns: int


def role_lines(rows: Sequence[Row]) -> tuple[RoleLine, ...]:
    """The roles inside rows that match many to one; empty where each has its own row."""
    found: dict[str, list[int]] = {}
    for row in rows:
        for at, share in ((0, row.a), (2, row.b)):
            for part in share.parts if share else ():
                sums = found.setdefault(part.role, [0, 0, 0, 0])
                sums[at] += part.gpu_ops
                sums[at + 1] += part.gpu_ns
    if len(found) < 2:
        return ()
    return tuple(RoleLine(role, *found[role]) for role in ROLES if role in found)


def rows_table(rows: Sequence[Row]) -> Table:
    """The rows, one each, as a table for the screen; table row `i` is `rows[i]`.

    It has no target: a row lies in two traces, and its shares say where.
    """
    titles = [title(row) for row in rows]
    words = sorted(set(titles))
    place = {word: i for i, word in enumerate(words)}
    word_of = np.array([place[text] for text in titles], np.int64)

    def column(heading: str, values: list[int], unit: Unit, width: int, priority: int) -> Column:
        write = duration if unit is Unit.TIME else count
        return Column(
            heading,
            lambda row: write(values[row]),
            np.array(values, np.int64),
            width,
            priority=priority,
        )

    deltas = [row.delta_gpu_ns for row in rows]
    matches = [MATCH_WORDS[row.match] for row in rows]
    return Table(
        columns=(
            Column(
                "difference",
                lambda row: difference(deltas[row], Unit.TIME),
                np.abs(np.array(deltas, np.int64)),
                11,
            ),
            column("A ops", [row.a_ops for row in rows], Unit.COUNT, 5, 3),
            column("A time", [row.a_gpu_ns for row in rows], Unit.TIME, 9, 1),
            column("B ops", [row.b_ops for row in rows], Unit.COUNT, 5, 3),
            column("B time", [row.b_gpu_ns for row in rows], Unit.TIME, 9, 1),
            Column(
                "match",
                lambda row: matches[row],
                np.array([list(MATCH_WORDS.values()).index(m) for m in matches], np.int64),
                6,
                right=False,
                priority=2,
            ),
            Column(
                "role or op",
                lambda row: titles[row],
                name_keys(words, word_of),
                None,
                right=False,
            ),
        ),
        words=words,
        word_of=word_of,
        target=lambda _row: None,
        empty="no GPU operation in either unit",
    )
