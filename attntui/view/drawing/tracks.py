"""The timeline's tracks: which events are drawn where, made once for a trace.

A track is one heading on the left of the timeline with one display row or more. Its
rows are `RowIndex`es, ready for the raster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.labels import Labels
from attntui.safe import Safe, safe
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I64, Category, Lane, LaneKind, Trace
from attntui.trace.nesting import nest, pack_rows
from attntui.view.drawing.curve import Curve
from attntui.view.drawing.raster import RowIndex
from attntui.view.session.selection import call_event, call_span


class TrackKind(Enum):
    """What a track shows; the value is the word used in its heading."""

    IDLE = "idle"
    GPU = "GPU"
    GPU_ANNOTATION = "GPU ann."
    CPU = "CPU"
    PYTHON = "python"
    RUNTIME = "runtime"
    OTHER = "other"
    MEMORY = "memory"
    ATTENTION = "attention"
    QUEUE = "queue"


MOST_LANES = 1000
"""Lanes with tracks of their own; what more there are share one."""

_PINNED = (TrackKind.QUEUE, TrackKind.IDLE, TrackKind.GPU, TrackKind.ATTENTION)


@dataclass(frozen=True, eq=False)
class Track:
    """One heading of the timeline with its display rows.

    `events` are the numbers of what is on it, in time order, and `row_of` the display row of
    each: rows of the trace, of an idle strip gaps, of the attention strip calls. `device` is
    set on GPU, idle and memory tracks (ABSENT where the file tells none), `lane` on those of
    one lane.
    """

    kind: TrackKind
    label: Safe
    rows: tuple[RowIndex, ...]
    events: I64
    row_of: I64
    device: int | None = None
    lane: int | None = None
    curve: Curve | None = None
    """What a memory or queue strip draws instead of rows."""

    @property
    def height(self) -> int:
        """Display rows when open."""
        return len(self.rows) or 1

    @property
    def names_gaps(self) -> bool:
        """Whether `events` are numbers of gaps, not rows of the trace."""
        return self.kind is TrackKind.IDLE

    @property
    def names_calls(self) -> bool:
        """Whether `events` are indices of attention calls, not rows of the trace."""
        return self.kind is TrackKind.ATTENTION

    @property
    def pinned(self) -> bool:
        """Whether the track stays on screen while others scroll."""
        return self.kind in _PINNED

    @property
    def collapsible(self) -> bool:
        return len(self.rows) > 1

    def row_of_event(self, event: int) -> int | None:
        """The display row that holds a row of the trace, or None when it is not on this track."""
        if self.names_gaps or self.names_calls:
            return None
        at = int(np.searchsorted(self.events, event))
        if at < len(self.events) and self.events[at] == event:
            return int(self.row_of[at])
        return None

    def row_of_call(self, index: int) -> int | None:
        """The display row that holds an attention call, or None when it is not on this track."""
        if not self.names_calls:
            return None
        at = np.flatnonzero(self.events == index)
        return int(self.row_of[at[0]]) if len(at) else None


_CPU_KINDS = (
    (
        TrackKind.CPU,
        (Category.USER_ANNOTATION, Category.CPU_OP, Category.OVERHEAD, Category.OTHER),
    ),
    (TrackKind.PYTHON, (Category.PYTHON_FUNCTION,)),
    (TrackKind.RUNTIME, (Category.RUNTIME, Category.DRIVER)),
)


def lane_tracks(labels: Labels) -> tuple[Track, ...]:
    """The tracks that events are recorded on, in the order of the screen.

    GPU streams stand first, by device and stream, each device's annotations after its
    streams; then the CPU threads, the one with the most launches first; the rest last.
    Beyond `MOST_LANES` of them one track holds all.
    """
    trace = labels.trace
    order = np.argsort(trace.lane, kind="stable")
    bounds = np.searchsorted(trace.lane[order], np.arange(len(trace.lanes) + 1))
    present = np.flatnonzero(np.diff(bounds)).tolist()
    launches = _launches_by_lane(trace)

    def rank(i: int) -> tuple[int, int, int, int, int]:
        lane = trace.lanes[i]
        if lane.kind in (LaneKind.GPU, LaneKind.GPU_ANNOTATION):
            return (0, lane.device or 0, int(lane.kind), lane.stream or 0, i)
        return (1 if lane.kind is LaneKind.CPU else 2, -int(launches[i]), lane.sort_index, 0, i)

    tracks: list[Track] = []
    ranked = sorted(present, key=rank)
    for i in ranked[:MOST_LANES]:
        tracks.extend(_lane_tracks(labels, i, np.sort(order[bounds[i] : bounds[i + 1]])))
    if len(ranked) > MOST_LANES:
        tracks.append(_folded(trace, ranked[MOST_LANES:]))
    return tuple(tracks)


def _folded(trace: Trace, lanes: list[int]) -> Track:
    """One row for all of these lanes: what overlaps is cut where the next begins."""
    events = np.flatnonzero(mask_of(len(trace.lanes), lanes)[trace.lane])
    start = trace.start[events]
    end = np.minimum(trace.end[events], np.append(start[1:], trace.span[1]))
    index = RowIndex(start, np.maximum(start, end), events)
    label = safe(f"{len(lanes):,} more lanes")
    return Track(TrackKind.OTHER, label, (index,), events, np.zeros_like(events))


def idle_track(labels: Labels, device: int, start: I64, end: I64, numbers: I64) -> Track:
    """The strip of a device's gaps; its events are gap numbers, not rows of the trace."""
    index = RowIndex(start, end, numbers)
    label = labels.device(device, "idle")
    return Track(TrackKind.IDLE, label, (index,), numbers, np.zeros_like(numbers), device)


def curve_track(
    kind: TrackKind, label: Safe, device: int, time: I64, value: I64
) -> Iterator[Track]:
    """The strip of a quantity over time; none where it is never above zero."""
    curve = Curve(time, value)
    none = np.zeros(0, np.int64)
    if curve.peak:
        yield Track(kind, label, (), none, none, device, curve=curve)


def attention_track(analysed: AnalysedTrace) -> Iterator[Track]:
    """The attention calls over their GPU time; events are their indices."""
    trace = analysed.trace
    spans = [
        (*call_span(trace, call), index)
        for index, call in enumerate(analysed.attention)
        if call_event(call) is not None
    ]
    if not spans:
        return
    table = np.array(sorted(spans), np.int64)
    start, end, event = table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy()
    row = pack_rows(start, end).astype(np.int64)
    rows = tuple(
        RowIndex(start[row == number], end[row == number], event[row == number])
        for number in range(int(row.max()) + 1)
    )
    yield Track(TrackKind.ATTENTION, Safe("attention"), rows, event, row)


def _launches_by_lane(trace: Trace) -> I64:
    launches = trace.launch[trace.gpu_ops]
    lanes = trace.lane[launches[launches >= 0]]
    return np.bincount(lanes, minlength=len(trace.lanes)).astype(np.int64)


def _lane_tracks(labels: Labels, lane_id: int, members: I64) -> Iterator[Track]:
    trace = labels.trace
    lane = trace.lanes[lane_id]
    if lane.kind is not LaneKind.CPU:
        kind, other = _kind_of(trace, lane, members)
        label = labels.heading(lane, other)
        yield _track(trace, kind, label, members, trace.depth[members], lane_id)
        return
    category = trace.category[members]
    for kind, categories in _CPU_KINDS:
        chosen = members[np.isin(category, categories)]
        if len(chosen):
            depth, _ = nest(trace.start[chosen], trace.end[chosen])
            word = kind.value
            named = kind is TrackKind.CPU
            label = labels.thread(lane, word) if named else labels.heading(lane, word)
            yield _track(trace, kind, label, chosen, depth, lane_id)


def _kind_of(trace: Trace, lane: Lane, members: I64) -> tuple[TrackKind, str]:
    """What a lane beside the CPU threads shows; of no stream also what its events are."""
    if lane.kind is LaneKind.GPU:
        return TrackKind.GPU, ""
    if lane.kind is LaneKind.GPU_ANNOTATION:
        return TrackKind.GPU_ANNOTATION, ""
    category = trace.raw_categories[int(trace.columns.raw_category[members[0]])]
    return TrackKind.OTHER, category.removeprefix("cuda_")


def _track(
    trace: Trace,
    kind: TrackKind,
    label: Safe,
    events: I64,
    depth: np.ndarray[tuple[int], np.dtype[np.integer]],
    lane_id: int,
) -> Track:
    by_row = np.argsort(depth, kind="stable")
    ordered = events[by_row]
    bounds = np.searchsorted(depth[by_row], np.arange(int(depth.max()) + 2))
    rows = tuple(
        RowIndex(trace.start[chosen], trace.end[chosen], chosen)
        for chosen in (ordered[a:b] for a, b in pairwise(bounds.tolist()))
    )
    device = trace.lanes[lane_id].device
    if kind is TrackKind.GPU and device is None:
        device = ABSENT
    return Track(kind, label, rows, events, depth.astype(np.int64), device, lane_id)
