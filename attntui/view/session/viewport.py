"""The stretch of time on screen, as a value: panning and zooming make a new one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attntui.trace.model import I64

MIN_SPAN_NS = 500
"""On any terminal a cell is then at least a nanosecond, the trace's own resolution."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """Shows [t0, t1), always inside the trace's [low, high). All in ns."""

    t0: int
    t1: int
    low: int
    high: int

    @classmethod
    def whole(cls, low: int, high: int) -> Viewport:
        """All of a trace; a trace shorter than `MIN_SPAN_NS` is shown as that long."""
        high = max(high, low + MIN_SPAN_NS)
        return cls(low, high, low, high)

    @property
    def span(self) -> int:
        return self.t1 - self.t0

    def spanning(self, t0: int, span: int) -> Viewport:
        """`span` ns from `t0` on, as far as the bounds allow."""
        span = min(max(span, MIN_SPAN_NS), self.high - self.low)
        t0 = min(max(t0, self.low), self.high - span)
        return replace(self, t0=t0, t1=t0 + span)

    def zoomed(self, factor: float, at: int) -> Viewport:
        """Scaled by `factor` (below 1 zooms in); `at` keeps its place on screen."""
        span = max(round(self.span * factor), MIN_SPAN_NS)
        return self.spanning(at - (at - self.t0) * span // self.span, span)

    def panned(self, delta: int) -> Viewport:
        """Moved by `delta` ns, stopping at the trace's edges."""
        return self.spanning(self.t0 + delta, self.span)

    def fitted(self) -> Viewport:
        """The whole trace."""
        return replace(self, t0=self.low, t1=self.high)

    def showing(self, start: int, end: int, margin: float = 0.15) -> Viewport:
        """Zoomed so that [start, end) fills the screen but for `margin` on each side."""
        pad = round(max(end - start, MIN_SPAN_NS) * margin)
        return self.spanning(start - pad, end - start + 2 * pad)

    def reaching(self, start: int, end: int) -> Viewport:
        """The least change that brings [start, end) on screen: none, a pan, or a zoom."""
        if self.t0 <= start and end <= self.t1:
            return self
        if end - start <= self.span * 0.8:
            return self.spanning((start + end - self.span) // 2, self.span)
        return self.showing(start, end)

    def following(self, at: int) -> Viewport:
        """Scrolled as little as needed so that `at` is on screen."""
        if at < self.t0:
            return self.spanning(at, self.span)
        if at >= self.t1:
            return self.spanning(at + 1 - self.span, self.span)
        return self

    def holding(self, start: int, end: int) -> Viewport:
        """Moved as little as needed so that all of [start, end), which fits, is on screen."""
        return self.spanning(min(max(self.t0, end - self.span), start), self.span)

    def shows(self, start: int, end: int) -> bool:
        """Whether some of [start, end), or the instant that it is, lies on screen."""
        return start < self.t1 and max(end, start + 1) > self.t0

    def edges(self, width: int) -> I64:
        """The `width + 1` times that bound the cells of a line of `width` cells."""
        return self.t0 + (np.arange(width + 1, dtype=np.int64) * self.span) // width

    def cell(self, at: int, width: int) -> int:
        """The cell that holds time `at`; outside [0, width) when it is off screen."""
        return ((at - self.t0 + 1) * width - 1) // self.span

    def time(self, cell: int, width: int) -> int:
        """The time at the middle of a cell; cells off screen count on in both directions."""
        return self.t0 + (cell * self.span // width + (cell + 1) * self.span // width) // 2
