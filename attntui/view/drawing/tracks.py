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

from attntui.trace.model import I64, Category, Lane, LaneKind, Trace
from attntui.trace.nesting import nest
from attntui.view.drawing.curve import Curve
from attntui.view.drawing.raster import RowIndex


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


@dataclass(frozen=True, eq=False)
class Track:
    """One heading of the timeline with its display rows.

    `events` are the rows of the trace on it, in time order, and `row_of` the display row
    of each. `device` is set on GPU, idle and memory tracks, `lane` on those of one lane.
    """

    kind: TrackKind
    label: str
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
    def collapsible(self) -> bool:
        return len(self.rows) > 1

    def row_of_event(self, event: int) -> int | None:
        """The display row that holds the event, or None when it is not on this track."""
        at = int(np.searchsorted(self.events, event))
        if at < len(self.events) and self.events[at] == event:
            return int(self.row_of[at])
        return None


_CPU_KINDS = (
    (
        TrackKind.CPU,
        (Category.USER_ANNOTATION, Category.CPU_OP, Category.OVERHEAD, Category.OTHER),
    ),
    (TrackKind.PYTHON, (Category.PYTHON_FUNCTION,)),
    (TrackKind.RUNTIME, (Category.RUNTIME, Category.DRIVER)),
)


def build_tracks(trace: Trace) -> tuple[Track, ...]:
    """All tracks of the trace but the idle strips, in the order of the screen.

    GPU streams stand first, by device and stream, each device's annotations after its
    streams; then the CPU threads, the one with the most launches first; the rest last.
    """
    order = np.argsort(trace.lane, kind="stable")
    bounds = np.searchsorted(trace.lane[order], np.arange(len(trace.lanes) + 1))
    members = [np.sort(order[bounds[i] : bounds[i + 1]]) for i in range(len(trace.lanes))]
    present = [i for i in range(len(trace.lanes)) if len(members[i])]
    launches = _launches_by_lane(trace)

    def rank(i: int) -> tuple[int, int, int, int, int]:
        lane = trace.lanes[i]
        if lane.kind in (LaneKind.GPU, LaneKind.GPU_ANNOTATION):
            return (0, lane.device or 0, int(lane.kind), lane.stream or 0, i)
        return (1 if lane.kind is LaneKind.CPU else 2, -int(launches[i]), lane.sort_index, 0, i)

    tracks: list[Track] = []
    for i in sorted(present, key=rank):
        tracks.extend(_lane_tracks(trace, i, members[i]))
    return tuple(tracks)


def idle_track(trace: Trace, device: int, start: I64, end: I64, numbers: I64) -> Track:
    """The strip of a device's gaps; its events are gap numbers, not rows of the trace."""
    index = RowIndex(start, end, numbers)
    label = device_text(trace, device, "idle")
    return Track(TrackKind.IDLE, label, (index,), numbers, np.zeros_like(numbers), device)


def _launches_by_lane(trace: Trace) -> I64:
    launches = trace.launch[trace.gpu_ops]
    lanes = trace.lane[launches[launches >= 0]]
    return np.bincount(lanes, minlength=len(trace.lanes)).astype(np.int64)


def _lane_tracks(trace: Trace, lane_id: int, members: I64) -> Iterator[Track]:
    lane = trace.lanes[lane_id]
    if lane.kind is LaneKind.CPU:
        category = trace.category[members]
        for kind, categories in _CPU_KINDS:
            chosen = members[np.isin(category, categories)]
            if len(chosen):
                depth, _ = nest(trace.start[chosen], trace.end[chosen])
                yield _track(trace, kind, _cpu_label(kind, lane), chosen, depth, lane_id, lane)
        return
    kind, label = _other_label(trace, lane, members)
    yield _track(trace, kind, label, members, trace.depth[members], lane_id, lane)


def _other_label(trace: Trace, lane: Lane, members: I64) -> tuple[TrackKind, str]:
    """A stream's device and number, else what kind of events the lane holds."""
    if lane.kind is LaneKind.GPU:
        return TrackKind.GPU, f"{device_text(trace, lane.device)} s{lane.stream}"
    if lane.kind is LaneKind.GPU_ANNOTATION:
        text = device_text(trace, lane.device, "ann.")
        return TrackKind.GPU_ANNOTATION, f"{text} s{lane.stream}"
    category = trace.raw_categories[int(trace.columns.raw_category[members[0]])]
    return TrackKind.OTHER, f"{category.removeprefix('cuda_') or lane.pid} {lane.tid}"


def device_text(trace: Trace, device: int | None, word: str = "GPU") -> str:
    """A word with a device as the file numbers it; of several ranks also with its process."""
    if device is None:
        return word
    text = f"{word} {trace.number_of_device(device)}"
    if not trace.renumbered_devices:
        return text
    pids = (lane.pid for lane in trace.lanes if lane.device == device)
    return f"{text} p{next(pids, '?')}"


def _cpu_label(kind: TrackKind, lane: Lane) -> str:
    word = lane.label.rpartition("(")[2].rstrip(") ") if kind is TrackKind.CPU else ""
    return f"{word or kind.value} {lane.tid}"


def _track(
    trace: Trace,
    kind: TrackKind,
    label: str,
    events: I64,
    depth: np.ndarray[tuple[int], np.dtype[np.integer]],
    lane_id: int,
    lane: Lane,
) -> Track:
    by_row = np.argsort(depth, kind="stable")
    ordered = events[by_row]
    bounds = np.searchsorted(depth[by_row], np.arange(int(depth.max()) + 2))
    rows = tuple(
        RowIndex(trace.start[chosen], trace.end[chosen], chosen)
        for chosen in (ordered[a:b] for a, b in pairwise(bounds.tolist()))
    )
    return Track(kind, label, rows, events, depth.astype(np.int64), lane.device, lane_id)
