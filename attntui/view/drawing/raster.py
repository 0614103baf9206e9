"""Intervals to cells: what one lane row looks like at a zoom, by two binary searches.

No function here walks events. A row's events do not overlap, so their starts and their
ends are both in order; prefix sums give the busy time of any stretch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from rich.cells import set_cell_size

from attntui.analysis.intervals import Intervals, of_disjoint
from attntui.safe import Safe
from attntui.trace.model import I64

LEFT_BLOCKS = " ▏▎▍▌▋▊▉█"
LOWER_BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_RAMP = " .:-=+*#@"


@dataclass(frozen=True, eq=False)
class RowIndex:
    """Events of one display row, in time order and without overlap.

    `start`, `end` in ns; `rows` are the events' rows in the trace (or gap numbers).
    """

    start: I64
    end: I64
    rows: I64

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def _busy(self) -> Intervals:
        return of_disjoint(self.start, self.end)

    @cached_property
    def drawn_end(self) -> I64:
        """Ends for drawing: an event of no length still takes its nanosecond."""
        return np.maximum(self.end, self.start + 1)

    def busy_until(self, times: I64) -> I64:
        """Busy ns from the beginning up to each of `times`."""
        return self._busy.covered_before(times)

    def cells(self, edges: I64) -> tuple[I64, I64, I64]:
        """Per cell between `edges`: first event touching it, how many do, busy ns."""
        first = np.searchsorted(self.drawn_end, edges[:-1], "right")
        count = np.searchsorted(self.start, edges[1:], "left") - first
        return first, np.maximum(count, 0), np.diff(self.busy_until(edges))

    def at(self, time: int) -> int | None:
        """Position of the event that covers `time`, or None."""
        at = int(np.searchsorted(self.start, time, "right")) - 1
        return at if at >= 0 and time < self.drawn_end[at] else None

    def nearest(self, low: int, high: int) -> int | None:
        """Position of the longest event that touches [low, high), or None."""
        first = int(np.searchsorted(self.drawn_end, low, "right"))
        stop = int(np.searchsorted(self.start, high, "left"))
        if stop <= first:
            return None
        return first + int(np.argmax(self.end[first:stop] - self.start[first:stop]))


class Shape(IntEnum):
    """How a span of cells is painted."""

    BLANK = 0
    BAR = 1
    """Text on the event's colour."""
    HEAD = 2
    """First cell, partly covered: the uncovered left part is drawn over the colour."""
    TAIL = 3
    """Last cell, or a small event: a block in the event's colour."""
    DENSE = 4
    """Several events a cell: height is the busy share."""


@dataclass(frozen=True, slots=True)
class CellSpan:
    """Cells side by side that are painted alike. `event` is -1 for blanks.

    `odd` tells neighbours apart: it alternates from event to event.
    """

    text: Safe
    shape: Shape
    event: int
    odd: bool = False


Label = Callable[[int, int], Safe]
"""Gives the text for an event's bar: (event row, cells free) -> at most that many cells."""


def draw_row(
    index: RowIndex, edges: I64, label: Label, *, ascii_only: bool = False
) -> list[CellSpan]:
    """The spans of one row, together exactly `len(edges) - 1` cells wide.

    `label` must return text of at most the width asked for, in terminal cells.
    """
    width = len(edges) - 1
    first, count, busy = index.cells(edges)
    kind = np.minimum(count, 2)
    key = np.where(kind == 1, first, np.where(kind == 2, -2, -1))
    bounds = np.flatnonzero(np.diff(key)) + 1
    starts = [0, *bounds.tolist()]
    stops = [*bounds.tolist(), width]
    # Events of no length still happened: they show as the lowest step.
    dense = density(np.maximum(busy, 1), edges, ascii_only=ascii_only) if (kind == 2).any() else ""
    borders = edges.tolist()
    spans: list[CellSpan] = []
    for low, high, what, at in zip(
        starts, stops, kind[starts].tolist(), first[starts].tolist(), strict=True
    ):
        if what == 0:
            spans.append(CellSpan(Safe(" " * (high - low)), Shape.BLANK, -1))
        elif what == 2:
            spans.append(CellSpan(Safe(dense[low:high]), Shape.DENSE, int(index.rows[at])))
        else:
            spans.extend(_bar(index, borders, at, low, high, label, ascii_only))
    return spans


def density(busy: I64, edges: I64, *, ascii_only: bool = False) -> Safe:
    """One character a cell whose height is the busy share; any work shows at least a trace."""
    ramp = ASCII_RAMP if ascii_only else LOWER_BLOCKS
    levels = np.ceil(8 * busy / np.maximum(np.diff(edges), 1)).astype(np.int64)
    return Safe("".join(ramp[level] for level in np.clip(levels, 0, 8).tolist()))


def _bar(
    index: RowIndex, edges: list[int], at: int, low: int, high: int, label: Label, ascii_only: bool
) -> list[CellSpan]:
    row, odd = int(index.rows[at]), bool(at & 1)
    start, end = int(index.start[at]), int(index.drawn_end[at])
    if ascii_only:
        return [CellSpan(_ascii_bar(row, high - low, label), Shape.BAR, row, odd)]
    head = _eighths(edges[low], edges[low + 1], start, end)
    if high - low == 1:
        if head < 8:
            return [CellSpan(_block(max(head, 1)), Shape.TAIL, row, odd)]
        return [CellSpan(Safe(label(row, 1).ljust(1)), Shape.BAR, row, odd)]
    spans: list[CellSpan] = []
    body_low, body_high = low, high
    if start > edges[low] and head < 8:
        spans.append(CellSpan(_block(8 - max(head, 1)), Shape.HEAD, row, odd))
        body_low += 1
    tail = _eighths(edges[high - 1], edges[high], start, end)
    if end < edges[high] and tail < 8:
        body_high -= 1
    if body_high > body_low:
        room = body_high - body_low
        spans.append(CellSpan(_body(index, at, edges, low, room, label), Shape.BAR, row, odd))
    if body_high < high:
        spans.append(CellSpan(_block(max(tail, 1)), Shape.TAIL, row, odd))
    return spans


def _body(index: RowIndex, at: int, edges: list[int], low: int, room: int, label: Label) -> Safe:
    """A bar's text; one that touches the bar before begins with a line, for few colours."""
    touches = at > 0 and edges[low] - index.drawn_end[at - 1] < edges[low + 1] - edges[low]
    edge = "▏" if touches and room > 1 else ""
    inner = label(int(index.rows[at]), room - len(edge))
    return Safe(edge + set_cell_size(inner, room - len(edge)))


def _block(eighths: int) -> Safe:
    return Safe(LEFT_BLOCKS[eighths])


def _eighths(low: int, high: int, start: int, end: int) -> int:
    covered = min(high, end) - max(low, start)
    return round(8 * covered / max(high - low, 1))


def _ascii_bar(row: int, room: int, label: Label) -> Safe:
    if room == 1:
        return Safe("|")
    inner = label(row, room - 2) if room > 3 else ""
    return Safe("[" + set_cell_size(inner, room - 2).replace(" ", "=") + "]")
