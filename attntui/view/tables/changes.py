"""What changed between two units, row by row: rows alike as one, or each on its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from attntui.analysis.attention.model import ROLES
from attntui.analysis.compare import Comparison, Row, RowGroup, Share, grouped
from attntui.analysis.compare.rows import Match
from attntui.analysis.quantity import Quantity
from attntui.safe import Safe, safe
from attntui.trace.model import I64
from attntui.view.tables.model import Column, Place, Table, data
from attntui.view.words.comparison import difference, row_title
from attntui.view.words.formats import count, duration

MATCH_WORDS: Mapping[Match, Safe] = {
    "both": Safe("both"),
    "only_a": Safe("only A"),
    "only_b": Safe("only B"),
}

REPORTED = (
    *("delta_gpu_ns", "a_ops", "a_gpu_ns", "b_ops", "b_gpu_ns"),
    *("match", "label"),
)

_ORDERS: Mapping[str, Callable[[RowGroup], tuple[int | str, ...]]] = {
    "delta": lambda group: (-abs(group.delta_gpu_ns),),
    "a": lambda group: (-group.a_gpu_ns,),
    "b": lambda group: (-group.b_gpu_ns,),
    "name": lambda group: (group.name, group.role or ""),
    "order": lambda group: (),
}
SORTS = tuple(_ORDERS)
"""What rows can be sorted by; `order` is the joint order of both traces."""

Ends = tuple[int | None, int | None]
"""The events of A and B that stand for a line, None on a side that has none."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A group of rows, or one role in it (then `role` is set and `match` is not)."""

    group: int
    label: Safe
    a_ops: int
    a_gpu_ns: int
    b_ops: int
    b_gpu_ns: int
    match: Match | None
    ends: Ends
    rows: tuple[I64, I64]
    role: str | None = None


@dataclass(frozen=True, eq=False)
class Changes:
    """The lines of what changed as a table; `groups` in its order, `group_of` each line's. A
    group's first line is the group, further ones are roles in it.
    """

    table: Table
    groups: tuple[RowGroup, ...]
    group_of: I64
    ends: tuple[Ends, ...]
    rows: tuple[tuple[I64, I64], ...]

    @cached_property
    def _holders(self) -> tuple[tuple[I64, I64], tuple[I64, I64]]:
        """Of each side the GPU operations in order, and the line of each; of a role in a group
        both lines, the role's after the group's.
        """
        return self._held(0), self._held(1)

    def _held(self, side: int) -> tuple[I64, I64]:
        ops = np.concatenate([own[side] for own in self.rows] or [np.zeros(0, np.int64)])
        lines = np.repeat(np.arange(len(self.rows)), [len(own[side]) for own in self.rows])
        order = np.argsort(ops, kind="stable")
        return ops[order], lines[order]

    def line_of(self, ends: Ends) -> int | None:
        """The line that holds what is selected in A, else in B: the role, where it has one."""
        for side, event in enumerate(ends):
            if event is not None:
                ops, lines = self._holders[side]
                at = int(np.searchsorted(ops, event, "right")) - 1
                return int(lines[at]) if at >= 0 and ops[at] == event else None
        return None

    def holds(self, line: int, ends: Ends) -> bool:
        """Whether what is selected on both sides is of a line."""
        group = self.rows[int(np.searchsorted(self.group_of, self.group_of[line]))]
        told = [
            event in (own if len(own) else all_of)
            for own, all_of, event in zip(self.rows[line], group, ends, strict=True)
            if event is not None
        ]
        return bool(told) and all(told)

    def lines_of(self, groups: Sequence[int]) -> list[int]:
        """The lines of some groups, in the order of the groups."""
        lines: list[int] = []
        for group in groups:
            lines += np.flatnonzero(self.group_of == group).tolist()
        return lines


def changes_table(comparison: Comparison, single: bool = False, sort: str = "order") -> Changes:
    """Rows that are alike as one line each (one op in every layer), or each row `single`;
    under a line the roles that it holds many to one. Groups stand in one of `SORTS`.
    """
    rows = comparison.rows
    groups = tuple(RowGroup((row,)) for row in rows) if single else grouped(rows)
    groups = tuple(sorted(groups, key=_ORDERS[sort]))
    titles = [row_title(comparison, group.rows[0]) for group in groups]
    lines = [line for n, group in enumerate(groups) for line in _lines(n, group, titles[n])]
    group_of = np.array([line.group for line in lines], np.int64)
    words = sorted(set(titles))
    place = {word: number for number, word in enumerate(words)}
    word_of = np.array([place[titles[line.group]] for line in lines], np.int64)
    columns = (
        *_columns(lines, groups, group_of, word_of),
        data("key", [groups[line.group].rows[0].key for line in lines]),
        data("name", [groups[line.group].name for line in lines]),
        data("role", [line.role or groups[line.group].role for line in lines]),
        *_parts(lines, groups),
    )
    table = Table(
        columns,
        words,
        word_of,
        sort="delta_gpu_ns",
        empty=Safe("no GPU operation in either unit"),
    )
    return Changes(
        table,
        groups,
        group_of,
        ends=tuple(line.ends for line in lines),
        rows=tuple(line.rows for line in lines),
    )


def _lines(number: int, group: RowGroup, title: Safe) -> list[_Line]:
    times = len(group.rows)
    label = title if times == 1 else safe(f"{title}, {count(times)} times")
    sums = group.a_ops, group.a_gpu_ns, group.b_ops, group.b_gpu_ns
    whole = _rows(group, 0), _rows(group, 1)
    ends = _first(whole[0]), _first(whole[1])
    found = [_Line(number, label, *sums, group.match, ends, whole)]
    for role, sums in _role_sums(group.rows).items():
        own = _rows(group, 0, role), _rows(group, 1, role)
        # What has not this role answers with all that it has.
        a, b = (rows if len(rows) else all_of for rows, all_of in zip(own, whole, strict=True))
        ends = _first(a), _first(b)
        found.append(_Line(number, safe(f"  of which {role}"), *sums, None, ends, own, role))
    return found


def _role_sums(rows: Sequence[Row]) -> dict[str, tuple[int, int, int, int]]:
    """Operations and time of A, then of B, by role inside rows that match many to one; empty
    where each role has its own row.
    """
    found: dict[str, list[int]] = {}
    for row in rows:
        for at, share in ((0, row.a), (2, row.b)):
            for part in share.parts if share else ():
                sums = found.setdefault(part.role, [0, 0, 0, 0])
                sums[at] += part.gpu_ops
                sums[at + 1] += part.gpu_ns
    if len(found) < 2:
        return {}
    return {role: (a, b, c, d) for role in ROLES if role in found for a, b, c, d in [found[role]]}


def _rows(group: RowGroup, side: int, role: str | None = None) -> I64:
    """The GPU operations of one side of a group, or of one role in it."""
    shares = [share for share in (row.ends[side] for row in group.rows) if share is not None]
    if role is None:
        found = [share.rows for share in shares]
    else:
        found = [part.rows for share in shares for part in share.parts if part.role == role]
    return np.concatenate(found or [np.zeros(0, np.int64)])


def _first(rows: I64) -> int | None:
    return int(rows[0]) if len(rows) else None


def _columns(
    lines: Sequence[_Line], groups: Sequence[RowGroup], group_of: I64, word_of: I64
) -> tuple[Column, ...]:
    """What people see. A role's line has its group's sort keys, and so stays under it."""

    def keys(values: Sequence[int]) -> I64:
        return np.array(values, np.int64)[group_of] if len(group_of) else group_of

    def delta_text(at: int) -> Safe:
        line = lines[at]
        return difference(line.b_gpu_ns - line.a_gpu_ns, Quantity.TIME) if line.match else Safe("")

    def match_text(at: int) -> Safe:
        match = lines[at].match
        return Safe("") if match is None else MATCH_WORDS[match]

    def side(letter: str, of: Callable[[Any], tuple[int, int]]) -> tuple[Column, ...]:
        """Operations and time of one side; blank where it has no operation."""
        small = letter.lower()
        return (
            Column(
                f"{small}_ops",
                Safe(f"{letter} ops"),
                lambda at: of(lines[at])[0],
                lambda at: count(of(lines[at])[0]) if of(lines[at])[0] else Safe(""),
                keys([of(group)[0] for group in groups]),
                place=Place(6, priority=3),
            ),
            Column(
                f"{small}_gpu_ns",
                Safe(f"{letter} time"),
                lambda at: of(lines[at])[1],
                lambda at: duration(of(lines[at])[1]) if of(lines[at])[0] else Safe(""),
                keys([of(group)[1] for group in groups]),
                place=Place(9, priority=1),
            ),
        )

    return (
        Column(
            "delta_gpu_ns",
            Safe("difference"),
            lambda at: lines[at].b_gpu_ns - lines[at].a_gpu_ns,
            delta_text,
            keys([abs(group.delta_gpu_ns) for group in groups]),
            place=Place(11),
        ),
        *side("A", lambda of: (of.a_ops, of.a_gpu_ns)),
        *side("B", lambda of: (of.b_ops, of.b_gpu_ns)),
        Column(
            "match",
            Safe("match"),
            lambda at: lines[at].match,
            match_text,
            keys([list(MATCH_WORDS).index(group.match) for group in groups]),
            left=True,
            place=Place(6, priority=2),
        ),
        Column(
            "label",
            Safe("role or op"),
            lambda at: lines[at].label,
            lambda at: lines[at].label,
            word_of,
            left=True,
            place=Place(None),
        ),
    )


def _parts(lines: Sequence[_Line], groups: Sequence[RowGroup]) -> tuple[Column, ...]:
    """The roles that a row holds many to one, for programs; None where it holds one."""

    def told(line: _Line) -> tuple[list[dict[str, Any]] | None, ...]:
        row = groups[line.group].rows[0]
        if not any(share is not None and len(share.parts) > 1 for share in (row.a, row.b)):
            return None, None
        return _share_parts(row.a), _share_parts(row.b)

    found = [told(line) for line in lines]
    return data("a_parts", [a for a, _ in found]), data("b_parts", [b for _, b in found])


def _share_parts(share: Share | None) -> list[dict[str, Any]]:
    return [
        {"role": part.role, "ops": part.gpu_ops, "gpu_ns": part.gpu_ns}
        for part in (share.parts if share else ())
    ]
