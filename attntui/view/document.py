"""Everything about an open trace that does not change with what is on screen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attntui.analysis.attention import AttentionCall
from attntui.analysis.compiled_regions import FusionCheck
from attntui.analysis.gap_causes import CauseFinder
from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.kernel_names import decode
from attntui.analysis.queue_depth import queue_depth
from attntui.analysis.scope import WHOLE, Range, Scope, scope_rows
from attntui.analysis.steps import Steps, profiled_window
from attntui.safe import safe
from attntui.trace.model import Category, Trace
from attntui.view.analyses import Analyses, ScopeFacts
from attntui.view.drawing.curve import Curve
from attntui.view.drawing.paint import CATEGORY_PAINT, Paint, kernel_paint
from attntui.view.drawing.raster import RowIndex
from attntui.view.drawing.tracks import Track, TrackKind, build_tracks, device_text, idle_track
from attntui.view.options import Options
from attntui.view.tables.attention import attention_track
from attntui.view.tables.order import Target

NAME_LIMIT = 200
"""Cells of a name kept for bars and tables; the detail pane shows all of it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a stretch of time holds: busy share by device, and events that overlap it."""

    busy: tuple[tuple[int, float], ...]
    gpu_ops: int
    cpu_events: int


@dataclass(frozen=True, eq=False)
class Document:
    """A trace with what every screen needs of it, made once after loading.

    `short` gives each name id's text for bars and tables: harmless, and for GPU
    operations the decoded short form.
    """

    trace: Trace
    analyses: Analyses
    tracks: tuple[Track, ...]
    short: tuple[str, ...]
    paints: tuple[Paint, ...]
    whole: ScopeFacts

    @classmethod
    def build(cls, trace: Trace, options: Options | None = None) -> Document:
        """Analyses a loaded trace; `options` may name the device's roofs."""
        analyses = Analyses.of(trace, options or Options())
        short = [safe(name, NAME_LIMIT) for name in trace.names]
        paints = [Paint.OTHER] * len(short)
        alike: dict[str, list[int]] = {}
        for number in np.unique(trace.name[trace.gpu_ops]).tolist():
            decoded = decode(trace.names[number])
            short[number] = safe(decoded.short, NAME_LIMIT)
            paints[number] = kernel_paint(decoded)
            alike.setdefault(short[number], []).append(number)
        for text, numbers in alike.items():
            # Two kernels must not read as one: the detail tells their full names.
            for place, number in enumerate(numbers, 1):
                short[number] = f"{text} #{place}" if len(numbers) > 1 else text
        tracks = _tracks(trace, analyses.attention)
        whole = analyses.facts(trace, WHOLE)
        return cls(trace, analyses, tracks, tuple(short), tuple(paints), whole)

    @property
    def steps(self) -> Steps:
        return self.analyses.steps

    @property
    def finder(self) -> CauseFinder:
        return self.analyses.finder

    @property
    def fusion(self) -> tuple[FusionCheck, ...]:
        return self.analyses.fusion

    @property
    def attention(self) -> tuple[AttentionCall, ...]:
        return self.analyses.attention

    @cached_property
    def words(self) -> tuple[str, ...]:
        """What search and filters read of each name id: as it is shown, and in full."""
        return tuple(
            short if short == name else f"{short} {name}"
            for short, name in zip(self.short, self.trace.names, strict=True)
        )

    @cached_property
    def _lanes(self) -> dict[int, tuple[Track, ...]]:
        """The tracks by gap threshold, as far as they were asked for."""
        return {}

    @cached_property
    def overview(self) -> RowIndex:
        """What the minimap shows: the busiest device's union, else the first host lane."""
        if self.whole.idle:
            busy = max(self.whole.idle, key=lambda d: d.busy_ns).busy
            return RowIndex(busy.start, busy.end, np.arange(len(busy), dtype=np.int64))
        rows = next((track.rows for track in self.tracks if track.rows), None)
        none = np.zeros(0, np.int64)
        return rows[0] if rows else RowIndex(none, none, none)

    @cached_property
    def calls_by_event(self) -> dict[int, AttentionCall]:
        """The attention call that an op stands for or a GPU operation belongs to."""
        found: dict[int, AttentionCall] = {}
        for call in self.attention:
            found.update(dict.fromkeys(call.gpu_rows.tolist(), call))
            if call.op is not None:
                found[call.op] = call
        return found

    @cached_property
    def edges(self) -> tuple[int, int]:
        """Time of the profiled window before the first GPU operation and after the last, ns,
        of the device that began first and of the one that ended last.
        """
        window = profiled_window(self.trace, self.steps)
        found = [device.edges(window) for device in self.whole.idle]
        return min((b for b, _ in found), default=0), min((a for _, a in found), default=0)

    @cached_property
    def facts_by_name(self) -> dict[int, KernelFact]:
        """What is told of each GPU operation's name id over the whole trace."""
        names = self.whole.kernels.name.tolist()
        return dict(zip(names, self.whole.observed.facts, strict=True))

    def short_of(self, row: int) -> str:
        """An event's name for a bar or a table cell."""
        return self.short[int(self.trace.name[row])]

    def paint_of(self, row: int) -> Paint:
        """An event's class of colour."""
        category = self.trace.category_of(row)
        if category is Category.KERNEL:
            return self.paints[int(self.trace.name[row])]
        return CATEGORY_PAINT.get(category, Paint.OTHER)

    def facts(self, scope: Scope) -> ScopeFacts:
        """The facts of a scope."""
        return self.whole if scope == WHOLE else self.analyses.facts(self.trace, scope)

    def stretch_target(
        self, start: int, end: int, device: int | None = None, remark: int | None = None
    ) -> Target:
        """A stretch of time as the thing a row stands for; a gap (of a device) if it is one."""
        gaps = self.whole.gaps
        low, high = np.searchsorted(gaps.start, [start, start + 1]).tolist()
        same = gaps.end[low:high] == end
        if device is not None:
            same &= gaps.device[low:high] == device
        found = np.flatnonzero(same)
        return Target(start, end, gap=low + int(found[0]) if len(found) else None, remark=remark)

    def measure(self, low: int, high: int) -> Measured:
        """Busy share of each device in [low, high) and how many events overlap it."""
        rows = scope_rows(self.trace, Range(low, high), self.steps)
        busy = tuple(
            (d.device, d.busy.covered_between(low, high) / (high - low)) for d in self.whole.idle
        )
        return Measured(busy, len(rows.gpu), len(rows.cpu))

    def lanes_with_idle(self, threshold: int) -> tuple[Track, ...]:
        """The tracks of the timeline at a gap threshold, made once for each."""
        if threshold not in self._lanes:
            self._lanes[threshold] = self._make_lanes(threshold)
        return self._lanes[threshold]

    def _make_lanes(self, threshold: int) -> tuple[Track, ...]:
        """All tracks: before each device's streams its queue, and its gaps over `threshold`.

        The events of an idle strip are numbers into `whole.gaps`.
        """
        gaps = self.whole.gaps
        chosen = gaps.over(threshold)
        found: list[Track] = []
        seen: set[int] = set()
        queues = {t.device: t for t in self.tracks if t.kind is TrackKind.QUEUE}
        for track in self.tracks:
            device = track.device
            if track.kind is TrackKind.QUEUE:
                continue
            if track.kind is TrackKind.GPU and device is not None and device not in seen:
                seen.add(device)
                if device in queues:
                    found.append(queues[device])
                own = chosen[gaps.device[chosen] == device]
                found.append(idle_track(self.trace, device, gaps.start[own], gaps.end[own], own))
            found.append(track)
        return tuple(found)


def _tracks(trace: Trace, attention: tuple[AttentionCall, ...]) -> tuple[Track, ...]:
    """All tracks: the attention calls stand under the GPU streams, memory comes last."""
    found = list(build_tracks(trace))
    calls = attention_track(trace, attention)
    if calls is not None:
        streams = [i for i, track in enumerate(found) if track.kind is TrackKind.GPU]
        found.insert(streams[-1] + 1 if streams else 0, calls)
    return (*found, *_queue_tracks(trace), *_memory_tracks(trace))


def _queue_tracks(trace: Trace) -> tuple[Track, ...]:
    """One strip a device: how many operations were launched and had not begun."""
    none = np.zeros(0, np.int64)
    found: list[Track] = []
    devices = trace.device[trace.gpu_ops]
    for device in np.unique(devices).tolist():
        queue = queue_depth(trace, trace.gpu_ops[devices == device])
        curve = Curve(queue.time, queue.depth)
        if curve.peak:
            found.append(
                Track(
                    TrackKind.QUEUE,
                    device_text(trace, device, "queue"),
                    (),
                    none,
                    none,
                    device,
                    curve=curve,
                )
            )
    return tuple(found)


def _memory_tracks(trace: Trace) -> tuple[Track, ...]:
    """One strip a device for allocated bytes and one for reserved, where recorded."""
    memory = trace.memory
    none = np.zeros(0, np.int64)
    found: list[Track] = []
    for device in np.unique(memory.device).tolist():
        where = "host" if device < 0 else device_text(trace, device)
        for word, values in (("alloc", memory.allocated), ("reserved", memory.reserved)):
            told = (memory.device == device) & (values >= 0)
            curve = Curve(memory.time[told], values[told])
            if curve.peak:
                label = f"{where} {word}"
                found.append(
                    Track(TrackKind.MEMORY, label, (), none, none, max(device, 0), curve=curve)
                )
    return tuple(found)
