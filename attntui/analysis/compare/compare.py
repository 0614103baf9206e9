"""Two traces side by side: one unit of each, with scoreboard, rows and cautions.

Times of the two are never compared as they stand: only durations, and times from the
start of each side's own unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare.cautions import Caution, find_cautions
from attntui.analysis.compare.metrics import COVERED, Metric, scoreboard
from attntui.analysis.compare.pairing import Likeness, Pairing, pair, representative, turned
from attntui.analysis.compare.rows import Row, build_rows
from attntui.analysis.compare.side import Side, take
from attntui.analysis.compare.units import (
    WINDOW_UNIT,
    UnitChoice,
    UnitKind,
    Units,
    available,
    find_units,
)
from attntui.analysis.intervals import Intervals, union
from attntui.trace.model import I64

_FOR_ALL = 0.5
"""Attention calls stand for a whole trace where those that answer to calls of the other one
hold at least this share of its GPU time.
"""
_SAME_FLOPS = 0.02
"""FLOPs are the same up to this share: a bias is added here and fused there."""
_NO_ROWS = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A kind of unit that both traces have, but not alike enough to be compared by: how many
    of it each has, and how many pairs were alike.
    """

    choice: UnitChoice
    a_count: int
    b_count: int
    pairs: int


@dataclass(frozen=True, slots=True, eq=False)
class Answered:
    """When the GPU did work of one unit that is in the other unit too, and work that is not."""

    both: Intervals
    alone: Intervals


@dataclass(frozen=True, eq=False)
class Comparison:
    """Unit `a.index` of A against unit `b.index` of B. Sums over `rows` are the scoreboard's.

    `passed_over` is what would have been compared, had it been alike.
    """

    choice: UnitChoice
    a: Side
    b: Side
    pairing: Pairing
    metrics: tuple[Metric, ...]
    rows: tuple[Row, ...]
    cautions: tuple[Caution, ...]
    passed_over: PassedOver | None = None

    @property
    def number(self) -> int | None:
        """Which of the pairs this is; None where the two units are none."""
        here = (self.a.index, self.b.index)
        return self.pairing.pairs.index(here) if here in self.pairing.pairs else None

    @property
    def is_alike(self) -> bool:
        """Whether the units did like work, so that one can be called faster: they work on
        like shapes, or, as one batched call and many single ones, do the same FLOPs.
        """
        if self.number is not None and self.pairing.by is not Likeness.NOTHING:
            return True
        sides = [(side.figures.flops, side.figures.gpu_ns) for side in (self.a, self.b)]
        if any((flops.share(gpu_ns) or 0) < COVERED for flops, gpu_ns in sides):
            return False
        a, b = (flops.total or 0 for flops, _ in sides)
        return abs(a - b) <= _SAME_FLOPS * max(a, b)

    @cached_property
    def answered(self) -> tuple[Answered, Answered]:
        """What of A and of B has its like on the other side."""
        return self._answered(0), self._answered(1)

    def _answered(self, side: int) -> Answered:
        trace = (self.a, self.b)[side].slice.trace
        spans = []
        for matched in (True, False):
            ops = [row.ends[side] for row in self.rows if (row.match == "both") is matched]
            found = np.concatenate([share.rows for share in ops if share] or [_NO_ROWS])
            order = found[np.argsort(trace.start[found], kind="stable")]
            spans.append(union(trace.start[order], trace.end[order]))
        return Answered(*spans)

    @cached_property
    def _holders(self) -> tuple[tuple[I64, I64], tuple[I64, I64]]:
        """Of each side the GPU operations in order, and the number of the row that has each."""
        return self._held(0), self._held(1)

    def _held(self, side: int) -> tuple[I64, I64]:
        shares = [(number, row.ends[side]) for number, row in enumerate(self.rows)]
        ops = np.concatenate([share.rows for _, share in shares if share] or [_NO_ROWS])
        own = [np.full(len(share.rows), number) for number, share in shares if share]
        order = np.argsort(ops, kind="stable")
        return ops[order], np.concatenate(own or [_NO_ROWS])[order]

    def row_of(self, side: int, event: int) -> Row | None:
        """The row that holds a GPU operation of A (0) or B (1); None where it is in none."""
        ops, rows = self._holders[side]
        at = int(np.searchsorted(ops, event))
        return self.rows[rows[at]] if at < len(ops) and ops[at] == event else None

    def metric(self, name: str) -> Metric:
        """One metric by name. Raises KeyError where there is none."""
        found = next((metric for metric in self.metrics if metric.name == name), None)
        if found is None:
            raise KeyError(name)
        return found


def compare(a: AnalysedTrace, b: AnalysedTrace, choice: UnitChoice | None = None) -> Comparison:
    """The representative pair of units, or of each side its representative unit where none
    are alike.

    `choice` is one of `available((a, b))`; by default its first, and the whole windows where
    no units of that kind are alike. Raises ValueError where a side has no such unit.
    """
    passed_over = None
    if choice is None:
        choice, passed_over = chosen((a, b))
    units = find_units(a, choice), find_units(b, choice)
    pairing = pair((a, units[0]), (b, units[1]))
    i, j = (None, None)
    if pairing.pairs:
        i, j = pairing.pairs[representative(pairing.pairs, *units)]
    found = against(take(a, choice, i), take(b, choice, j), pairing)
    return replace(found, passed_over=passed_over)


def compare_all(
    traces: Sequence[AnalysedTrace], choice: UnitChoice | None = None
) -> list[Comparison]:
    """All traces against the first, that one against itself, by a choice as in `compare`: its
    representative unit, and of each other trace the unit that answers to it, where one does.
    """
    passed_over = None
    if choice is None:
        choice, passed_over = chosen(traces)
    units = [find_units(analysed, choice) for analysed in traces]
    pairings = [pair((traces[0], units[0]), (traces[n], units[n])) for n in range(len(traces))]
    own = pairings[0].pairs
    here = own[representative(own, units[0], units[0])][0] if own else None
    base = take(traces[0], choice, here)
    found = []
    for analysed, pairing in zip(traces, pairings, strict=True):
        there = dict(pairing.pairs).get(base.index)
        side = base if analysed is traces[0] else take(analysed, choice, there)
        found.append(replace(against(base, side, pairing), passed_over=passed_over))
    return found


def chosen(traces: Sequence[AnalysedTrace]) -> tuple[UnitChoice, PassedOver | None]:
    """What traces are compared by: the first of `available` if each has units like the
    first trace's; else the whole windows, and what was passed over for them.
    """
    choice = available(traces)[0]
    first, units = traces[0], find_units(traces[0], choice)
    for other in traces[1:]:
        theirs = find_units(other, choice)
        pairs = pair((first, units), (other, theirs)).pairs
        sides = ((first, units, 0), (other, theirs, 1))
        if not pairs or not all(
            _stand_for_all(side, own, [found[at] for found in pairs]) for side, own, at in sides
        ):
            return WINDOW_UNIT, PassedOver(choice, len(units), len(theirs), len(pairs))
    return choice, None


def _stand_for_all(analysed: AnalysedTrace, units: Units, paired: list[int]) -> bool:
    if units.choice.kind is not UnitKind.ATTENTION:
        return True
    whole = int(analysed.trace.dur[analysed.launchable].sum())
    return int(units.gpu_ns[paired].sum()) >= _FOR_ALL * whole


def compare_units(
    a: AnalysedTrace, i: int, b: AnalysedTrace, j: int, choice: UnitChoice
) -> Comparison:
    """Unit `i` of A against unit `j` of B. Raises ValueError where a side has no such unit."""
    return against(take(a, choice, i), take(b, choice, j))


def against(a: Side, b: Side, pairing: Pairing | None = None) -> Comparison:
    """One side against another that was taken by the same choice; `pairing` is that of their
    units, where it is known already.
    """
    rows = build_rows(a, b)
    return Comparison(
        choice=a.units.choice,
        a=a,
        b=b,
        pairing=pairing or pair((a.analysed, a.units), (b.analysed, b.units)),
        metrics=scoreboard(a.figures, b.figures),
        rows=rows,
        cautions=find_cautions(a, b, rows),
    )


def mirrored(comparison: Comparison) -> Comparison:
    """B against A: the same units and rows, nothing aligned again."""
    a, b, over = comparison.b, comparison.a, comparison.passed_over
    return Comparison(
        choice=comparison.choice,
        a=a,
        b=b,
        pairing=turned(comparison.pairing),
        metrics=scoreboard(a.figures, b.figures),
        rows=tuple(Row(row.key, row.name, row.role, row.b, row.a) for row in comparison.rows),
        cautions=tuple(Caution(c.what, c.b, c.a) for c in comparison.cautions),
        passed_over=over and replace(over, a_count=over.b_count, b_count=over.a_count),
    )
