"""The tables of the compare screen: the scoreboard, and what changed row by row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attntui.analysis.compare import Comparison, Row, RowGroup, Share, Unit, grouped
from attntui.trace.model import I64
from attntui.view.reports.diff import backend_words
from attntui.view.tables.change_rows import MATCH_WORDS, group_title, role_lines, title
from attntui.view.words.comparison import METRIC_WORDS, difference, figure, verdict
from attntui.view.words.formats import count, duration
from attntui.view.tables.order import Column, Table


def scoreboard_table(comparison: Comparison) -> Table:
    """One row a metric, in the scoreboard's order: A, B, difference, ratio in words."""
    backends = [backend_words(side) for side in (comparison.a, comparison.b)]
    same = "same" if backends[0] == backends[1] else ""
    lines = [("attention", *backends, "", same, math.nan)]
    for metric in comparison.metrics:
        values = (figure(value, metric.unit) for value in (metric.a, metric.b))
        gap = difference(metric.delta, metric.unit)
        factor = abs(math.log(metric.ratio)) if metric.ratio else math.nan
        lines.append((METRIC_WORDS[metric.name], *values, gap, verdict(metric), factor))
    rows = np.arange(len(lines), dtype=np.int64)

    def column(title: str, at: int, width: int | None, **more: Any) -> Column:
        return Column(title, lambda row: str(lines[row][at]), rows, width, **more)

    factors = np.array([line[-1] for line in lines], np.float64)
    columns = (
        column("figure", 0, None, right=False, least=22),
        column("A", 1, 11, sortable=False),
        column("B", 2, 11, sortable=False),
        column("difference", 3, 13, priority=2, sortable=False),
        replace(column("B is", 4, 14, right=False, priority=1), keys=factors),
    )
    return Table(columns, [str(line[0]) for line in lines], rows, lambda _row: None)


@dataclass(frozen=True, slots=True)
class Change:
    """One line of what changed: rows of the comparison that are alike, or a role in them.

    `group` is the number of the group among those given; `ends` are the events of A and B
    that stand for it, None on a side that has none.
    """

    group: int
    title: str
    a_ops: int
    a_gpu_ns: int
    b_ops: int
    b_gpu_ns: int
    match: str
    ends: tuple[int | None, int | None]

    @property
    def delta(self) -> int:
        return self.b_gpu_ns - self.a_gpu_ns


def groups_of(rows: Sequence[Row], single: bool) -> tuple[RowGroup, ...]:
    """Rows that are alike as one group each (one op in every layer), or each on its own."""
    return tuple(RowGroup((row,)) for row in rows) if single else grouped(rows)


def changes(groups: Sequence[RowGroup]) -> tuple[Change, ...]:
    """A line a group, each followed by the roles that it holds many to one."""
    found: list[Change] = []
    for number, group in enumerate(groups):
        sides = (group.a_ops, group.a_gpu_ns, group.b_ops, group.b_gpu_ns)
        name, first = group_title(group), group.rows[0]
        ends = _event(first.a), _event(first.b)
        found.append(Change(number, name, *sides, MATCH_WORDS[group.match], ends))
        for line in role_lines(group.rows):
            sides = (line.a_ops, line.a_gpu_ns, line.b_ops, line.b_gpu_ns)
            ends = _event(first.a, line.role), _event(first.b, line.role)
            found.append(Change(number, f"  of which {line.role}", *sides, "", ends))
    return tuple(found)


def _event(share: Share | None, role: str | None = None) -> int | None:
    """The first GPU operation of one side of a row, or of one role in it."""
    if share is None:
        return None
    rows = next((part.rows for part in share.parts if part.role == role), share.rows[:0])
    rows = share.rows if role is None else rows
    return int(rows[0]) if len(rows) else None


def changes_table(lines: Sequence[Change], groups: Sequence[RowGroup]) -> Table:
    """What changed as a table; a role's line has its group's sort keys, and so stays under it."""
    titles = [title(group.rows[0]) for group in groups]
    words = sorted(set(titles))
    place = {word: number for number, word in enumerate(words)}
    word_of = [place[text] for text in titles]
    group_of = np.array([line.group for line in lines], np.int64)

    def keys(values: list[int]) -> I64:
        return np.array(values, np.int64)[group_of] if len(group_of) else group_of

    def side(letter: str, of: Callable[[Change | RowGroup], tuple[int, int]]) -> tuple[Column, ...]:
        """Operations and time of one side; blank where it has no operation."""

        def ops(at: int) -> str:
            number, _ = of(lines[at])
            return count(number) if number else ""

        def time(at: int) -> str:
            number, ns = of(lines[at])
            return duration(ns) if number else ""

        numbers, times = [of(group)[0] for group in groups], [of(group)[1] for group in groups]
        return (
            Column(f"{letter} ops", ops, keys(numbers), 6, priority=3),
            Column(f"{letter} time", time, keys(times), 9, priority=1),
        )

    columns = (
        Column(
            "difference",
            lambda at: difference(lines[at].delta, Unit.TIME) if lines[at].match else "",
            keys([abs(group.delta_gpu_ns) for group in groups]),
            11,
        ),
        *side("A", lambda of: (of.a_ops, of.a_gpu_ns)),
        *side("B", lambda of: (of.b_ops, of.b_gpu_ns)),
        Column(
            "match",
            lambda at: lines[at].match,
            keys([list(MATCH_WORDS).index(group.match) for group in groups]),
            6,
            right=False,
            priority=2,
        ),
        Column(
            "role or op",
            lambda at: lines[at].title,
            keys(word_of),
            None,
            right=False,
        ),
    )
    return Table(
        columns,
        words,
        keys(word_of),
        lambda _at: None,
        empty="no GPU operation in either unit",
    )
