"""Two traces side by side: one unit of each, with scoreboard, rows and cautions.

Times of the two are never compared as they stand: only durations, and times from the
start of each side's own unit.
"""

from __future__ import annotations

from dataclasses import dataclass

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare.cautions import Caution, find_cautions
from attntui.analysis.compare.metrics import Metric, scoreboard
from attntui.analysis.compare.rows import Row, build_rows
from attntui.analysis.compare.side import Side, take
from attntui.analysis.compare.units import UnitChoice, available


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


def compare(a: AnalysedTrace, b: AnalysedTrace, choice: UnitChoice | None = None) -> Comparison:
    """The representative unit of A against that of B; see `Units.representative`.

    `choice` is one of `available((a, b))`, by default its first.
    Raises ValueError where a side has no such unit.
    """
    choice = available((a, b))[0] if choice is None else choice
    return against(take(a, choice), take(b, choice))


def compare_units(
    a: AnalysedTrace, i: int, b: AnalysedTrace, j: int, choice: UnitChoice
) -> Comparison:
    """Unit `i` of A against unit `j` of B. Raises ValueError where a side has no such unit."""
    return against(take(a, choice, i), take(b, choice, j))


def against(a: Side, b: Side) -> Comparison:
    """One side against another that was taken by the same choice."""
    rows = build_rows(a, b)
    return Comparison(
        choice=a.units.choice,
        a=a,
        b=b,
        metrics=scoreboard(a.figures, b.figures),
        rows=rows,
        cautions=find_cautions(a, b, rows),
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
