"""One unit of one trace, as a comparison takes it: its slice, its pieces, its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare.figures import Figures, measure
from attntui.analysis.compare.pieces import Piece, cut
from attntui.analysis.compare.units import UnitChoice, Units, find_units
from attntui.analysis.scope import ScopeRows, Unit
from attntui.analysis.slice import Slice
from attntui.trace.model import ABSENT, I64


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One real unit of one trace.

    `index` is its number among `units`. `slice` has its GPU operations; [`start`, `end`)
    holds these and the host span. `host` is its span on the host, None where no CPU side was
    recorded, `device` that on the device (see `Units`), None where it launched nothing.
    """

    slice: Slice
    units: Units
    index: int
    host: tuple[int, int] | None
    device: tuple[int, int] | None
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
        return len(self.slice.trace.gpu_ops) - int(self.units.count.sum())

    @property
    def analysed(self) -> AnalysedTrace:
        return self.slice.analysed

    @property
    def rows(self) -> I64:
        """The unit's GPU operations, by start."""
        return self.slice.gpu_ops

    @property
    def span(self) -> tuple[int, int]:
        """The stretch [start, end) whose length is the unit's span: on the device, or on the
        host where it launched nothing. Units are laid over each other by its start.
        """
        return self.device or self.host or (self.start, self.end)

    @property
    def start(self) -> int:
        return self.slice.rows.start

    @property
    def end(self) -> int:
        return self.slice.rows.end


def take(analysed: AnalysedTrace, choice: UnitChoice, index: int | None = None) -> Side:
    """One unit of a trace with its figures, by default the representative one.

    Raises ValueError where the trace has no such unit.
    """
    units = find_units(analysed, choice)
    if not len(units):
        raise ValueError(f"no {choice.kind.value} {choice.label!r}")
    index = units.representative() if index is None else index
    if not 0 <= index < len(units):
        raise ValueError(f"unit {index + 1} of {len(units)}")
    rows = units.rows(index)
    begun, ended = int(units.start[index]), int(units.end[index])
    host = None if begun == ABSENT else (begun, ended)
    device = (int(units.begun[index]), int(units.ended[index])) if len(rows) else None
    start, end = _span(analysed, rows, host)
    held = ScopeRows(rows, np.zeros(0, np.int64), start, end)
    unit = Slice(analysed, Unit(choice.label, index), held)
    pieces = tuple(cut(analysed, rows))
    return Side(unit, units, index, host, device, pieces, measure(unit, pieces, host, device))


def _span(analysed: AnalysedTrace, rows: I64, host: tuple[int, int] | None) -> tuple[int, int]:
    """From where everything of the unit begins to where everything has ended."""
    trace = analysed.trace
    edges: Sequence[int] = () if host is None else host
    if len(rows):
        edges = [*edges, int(trace.start[rows].min()), int(trace.end[rows].max())]
    return (min(edges), max(edges)) if edges else trace.span
