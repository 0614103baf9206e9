"""The rows of a comparison as tables show them: in an order, named, with their parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from attntui.analysis.attention.model import ROLES
from attntui.analysis.compare.rows import Match, Row, RowGroup, Share, grouped
from attntui.analysis.kernel_names import decode
from attntui.safe import safe
from attntui.view.tables.attention import shape_text
from attntui.view.words.formats import count

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
    """What a row is about, as safe text: `softmax: attention forward 8x16x1024x64`. The
    role comes first, so that a narrow column keeps it. The shapes are those of A, then
    those of B where they differ.
    """
    of_call = any(share is not None and share.call is not None for share in (row.a, row.b))
    name = row.name if of_call or "::" in row.name else decode(row.name).short
    if row.role is not None:
        name = f"{row.role}: {name}"
    shapes = dict.fromkeys(_shape_words(share) for share in (row.a, row.b) if share is not None)
    return safe(f"{name} {' / '.join(filter(None, shapes))}".rstrip(), NAME_CELLS)


def group_title(group: RowGroup) -> str:
    """A group's title where no column counts its rows: with how often, if more than once."""
    number = len(group.rows)
    return title(group.rows[0]) + (f", {count(number)} times" if number > 1 else "")


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
