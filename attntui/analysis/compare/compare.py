"""Two traces side by side: one unit of each, with scoreboard, rows and cautions.

Times of the two are never compared as they stand: only durations, and times from the
start of each side's own unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attntui.analysis.compare.cautions import Caution, SideFacts, find_cautions
from attntui.analysis.compare.figures import Figures, measure
from attntui.analysis.compare.metrics import Metric, scoreboard
from attntui.analysis.compare.pieces import Piece, cut
from attntui.analysis.compare.rows import Row, build_rows
from attntui.analysis.compare.subject import Subject
from attntui.analysis.compare.units import UnitChoice, Units, available, find_units
from attntui.trace.model import ABSENT, I64


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One real unit of one trace.

    `index` is its number among `units`. `rows` are its GPU operations by start. `host` is
    its span on the host, None where no CPU side was recorded; [`start`, `end`) holds the
    host span and the GPU operations: what a timeline of the unit shows.
    """

    subject: Subject
    units: Units
    index: int
    rows: I64
    host: tuple[int, int] | None
    start: int
    end: int
    pieces: tuple[Piece, ...]
    figures: Figures

    @property
    def gpu_ns_min(self) -> int:
        """The least GPU time of the units that launched something."""
        return int(self.units.gpu_ns[self.units.working].min())

    @property
    def gpu_ns_max(self) -> int:
        """The most GPU time of any unit."""
        return int(self.units.gpu_ns.max())

    @property
    def left_out(self) -> int:
        """How many GPU operations of the trace are in no unit: launched between units, or,
        as the warm-up's, before the trace began.
        """
        return len(self.subject.trace.gpu_ops) - int(self.units.count.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Unit `a.index` of A against unit `b.index` of B. Sums over `rows` are the scoreboard's."""

    choice: UnitChoice
    a: Side
    b: Side
    metrics: tuple[Metric, ...]
    rows: tuple[Row, ...]
    cautions: tuple[Caution, ...]

    def metric(self, name: str) -> Metric:
        """One metric by name. Raises KeyError where there is none."""
        found = next((metric for metric in self.metrics if metric.name == name), None)
        if found is None:
            raise KeyError(name)
        return found


def compare(a: Subject, b: Subject, choice: UnitChoice | None = None) -> Comparison:
    """The representative unit of A against that of B; see `Units.representative`.

    `choice` is one of `available((a, b))`, by default its first.
    Raises ValueError where a side has no such unit.
    """
    choice = available((a, b))[0] if choice is None else choice
    return against(take(a, choice), take(b, choice))


def compare_units(a: Subject, i: int, b: Subject, j: int, choice: UnitChoice) -> Comparison:
    """Unit `i` of A against unit `j` of B. Raises ValueError where a side has no such unit."""
    return against(take(a, choice, i), take(b, choice, j))


def against(a: Side, b: Side) -> Comparison:
    """One side against another that was taken by the same choice."""
    rows = build_rows(a.subject, a.pieces, b.subject, b.pieces)
    facts = tuple(SideFacts(side.subject, side.rows, side.pieces) for side in (a, b))
    return Comparison(
        choice=a.units.choice,
        a=a,
        b=b,
        metrics=scoreboard(a.figures, b.figures),
        rows=rows,
        cautions=find_cautions(facts[0], facts[1], rows),
    )


def mirrored(comparison: Comparison) -> Comparison:
    """B against A: the same units and rows, nothing aligned again."""
    a, b = comparison.b, comparison.a
    return Comparison(
        choice=comparison.choice,
        a=a,
        b=b,
        metrics=scoreboard(a.figures, b.figures),
        rows=tuple(Row(row.key, row.name, row.role, row.b, row.a) for row in comparison.rows),
        cautions=tuple(Caution(c.what, c.b, c.a) for c in comparison.cautions),
    )


def take(subject: Subject, choice: UnitChoice, index: int | None = None) -> Side:
    """One unit of a trace with its figures, by default the representative one.

    Raises ValueError where the trace has no such unit.
    """
    units = find_units(subject, choice)
    if not len(units):
        raise ValueError(f"no {choice.kind.value} {choice.label!r}")
    index = units.representative() if index is None else index
    if not 0 <= index < len(units):
        raise ValueError(f"unit {index + 1} of {len(units)}")
    rows = units.rows(index)
    begun, ended = int(units.start[index]), int(units.end[index])
    host = None if begun == ABSENT else (begun, ended)
    start, end = _span(subject, rows, host)
    pieces = tuple(cut(subject, rows))
    figures = measure(subject, rows, pieces, host, end)
    return Side(subject, units, index, rows, host, start, end, pieces, figures)


def _span(subject: Subject, rows: I64, host: tuple[int, int] | None) -> tuple[int, int]:
    """From where everything of the unit begins to where everything has ended."""
    trace = subject.trace
    edges: Sequence[int] = () if host is None else host
    if len(rows):
        edges = [*edges, int(trace.start[rows].min()), int(trace.end[rows].max())]
    return (min(edges), max(edges)) if edges else trace.span
