"""Two units laid over each other from their beginnings, and views that go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attntui.analysis.compare import Side
from attntui.view.session.viewport import MIN_SPAN_NS, Viewport

MARGIN = 0.03
"""Blank on both sides of what is fitted, as a share of the longer unit."""

LEAST_SEEN = 0.25
"""How much of a screen the unit of the other side takes at least, as far as it is as long."""


@dataclass(frozen=True, slots=True)
class Unrolled:
    """A unit's time as the common one: its span begins at `start` and is `length` long, in ns
    of its own trace; an ns of the common time, which is 0 at the beginning, takes `scale` of
    them.
    """

    start: int
    length: int
    scale: float = 1.0

    def common(self, at: int) -> int:
        """The common time of a time of the trace."""
        return round((at - self.start) / self.scale)

    def own(self, common: int) -> int:
        """The time of the trace at a common time."""
        return self.start + round(common * self.scale)

    def seen(self, view: Viewport) -> int:
        """How many ns of the unit are on screen."""
        return max(min(view.t1, self.start + self.length) - max(view.t0, self.start), 0)


Both = tuple[Unrolled, Unrolled]


def unrolled(sides: Sequence[Side], full_width: bool) -> Both:
    """Both units at one scale, or each at its own so that both take the same width."""
    spans = [side.span for side in sides]
    lengths = [max(end - start, 1) for start, end in spans]
    longest = max(lengths)
    a, b = (
        Unrolled(start, length, length / longest if full_width else 1.0)
        for (start, _), length in zip(spans, lengths, strict=True)
    )
    return a, b


def first_views(sides: Sequence[Side], both: Both) -> tuple[Viewport, Viewport]:
    """Both units from their beginnings, the longer one filling the screen. The bounds hold all
    that belongs to either unit, so its launches too, and are alike on both sides.
    """
    longest = max(round(unit.length / unit.scale) for unit in both)
    blank = round(longest * MARGIN)
    ends = [(unit.common(side.start), unit.common(side.end)) for unit, side in _pairs(both, sides)]
    low = min(0, *(begin for begin, _ in ends)) - blank
    high = max(longest, *(end for _, end in ends)) + blank
    a, b = (_viewport(unit, (-blank, longest + blank), (low, high)) for unit in both)
    return a, b


def _pairs(both: Both, sides: Sequence[Side]) -> zip[tuple[Unrolled, Side]]:
    return zip(both, sides, strict=True)


def _viewport(unit: Unrolled, shown: tuple[int, int], bounds: tuple[int, int]) -> Viewport:
    t0, t1, low, high = (unit.own(at) for at in (*shown, *bounds))
    t1 = max(t1, t0 + MIN_SPAN_NS)
    return Viewport(t0, t1, min(low, t0), max(high, t1))


def following(there: Viewport, other: Unrolled, here: Viewport, own: Unrolled) -> Viewport:
    """The other side's view beside `here`: the same common time from the same cell on. Where
    the other unit would leave the screen while this one is on it, as much of its end as this
    one shows, a part of the screen at most, stays.
    """
    scale = other.scale / own.scale
    t0 = other.own(own.common(here.t0))
    view = there.spanning(t0, round(here.span * scale))
    wanted = min(round(own.seen(here) * scale), round(view.span * LEAST_SEEN), other.length)
    if other.seen(view) >= wanted:
        return view
    begin, end = other.start, other.start + other.length
    return view.spanning(min(max(view.t0, begin + wanted - view.span), end - wanted), view.span)


def in_step(views: Sequence[Viewport], both: Both) -> bool:
    """Whether both units' beginnings stand in the same place on screen, at the same scale."""
    a, b = ((unit.common(v.t0), v.span / unit.scale) for v, unit in zip(views, both, strict=True))
    # At two scales the common time is rounded to a whole ns of either trace.
    slack = 1 + round(max(both[0].scale, both[1].scale) / min(both[0].scale, both[1].scale))
    return abs(a[0] - b[0]) <= slack and abs(a[1] - b[1]) <= slack


def together(view: Viewport, unit: Unrolled, spans: Sequence[tuple[int, int]]) -> Viewport:
    """The least change of a side's view that brings stretches of common time on screen."""
    start, end = min(start for start, _ in spans), max(end for _, end in spans)
    return view.reaching(unit.own(start), unit.own(end))
