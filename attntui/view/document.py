"""Everything about an open trace that does not change with what is on screen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attntui.analysis.idle import DeviceIdle, device_idle
from attntui.analysis.kernel_names import decode
from attntui.analysis.kernels import KernelTable, kernel_table
from attntui.analysis.scope import WHOLE, Range, Scope, ScopeRows, scope_rows
from attntui.analysis.steps import Steps, find_steps
from attntui.trace.model import I64, Category, Trace
from attntui.view.curve import Curve
from attntui.view.paint import CATEGORY_PAINT, Paint, kernel_paint
from attntui.view.raster import RowIndex
from attntui.view.safe import safe
from attntui.view.tracks import Track, TrackKind, build_tracks, idle_track

NAME_LIMIT = 200
"""Cells of a name kept for bars and tables; the detail pane shows all of it."""


@dataclass(frozen=True)
class GapList:
    """Gaps of all devices by start. `before` and `after` are rows, `device` numbers."""

    start: I64
    length: I64
    before: I64
    after: I64
    device: I64

    @classmethod
    def of(cls, idle: tuple[DeviceIdle, ...]) -> GapList:
        if not idle:
            none = np.zeros(0, np.int64)
            return cls(none, none, none, none, none)
        device = np.concatenate([np.full(len(d.gaps), d.device, np.int64) for d in idle])
        start = np.concatenate([d.gaps.start for d in idle])
        order = np.argsort(start, kind="stable")
        return cls(
            start[order],
            np.concatenate([d.gaps.length for d in idle])[order],
            np.concatenate([d.gaps.before for d in idle])[order],
            np.concatenate([d.gaps.after for d in idle])[order],
            device[order],
        )

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def end(self) -> I64:
        return self.start + self.length

    def over(self, threshold: int) -> I64:
        """Numbers of the gaps of at least `threshold` ns, by start."""
        return np.flatnonzero(self.length >= threshold)


@dataclass(frozen=True)
class ScopeFacts:
    """What the tables show: the facts of one scope."""

    scope: Scope
    rows: ScopeRows
    kernels: KernelTable
    idle: tuple[DeviceIdle, ...]
    gaps: GapList

    @property
    def busy_ns(self) -> int:
        return sum(d.busy_ns for d in self.idle)

    @property
    def idle_ns(self) -> int:
        return sum(d.idle_ns for d in self.idle)

    @property
    def span_ns(self) -> int:
        return sum(d.span_ns for d in self.idle)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a stretch of time holds: busy share by device, and events that overlap it."""

    busy: tuple[tuple[int, float], ...]
    gpu_ops: int
    cpu_events: int


@dataclass(frozen=True)
class Document:
    """A trace with what every screen needs of it, made once after loading.

    `short` gives each name id's text for bars and tables: harmless, and for GPU
    operations the decoded short form.
    """

    trace: Trace
    steps: Steps
    tracks: tuple[Track, ...]
    short: tuple[str, ...]
    paints: tuple[Paint, ...]
    whole: ScopeFacts

    @classmethod
    def build(cls, trace: Trace) -> Document:
        steps = find_steps(trace)
        gpu_names = set(np.unique(trace.name[trace.gpu_ops]).tolist())
        short: list[str] = []
        paints: list[Paint] = []
        for number, name in enumerate(trace.names):
            if number in gpu_names:
                decoded = decode(name)
                short.append(safe(decoded.short, NAME_LIMIT))
                paints.append(kernel_paint(decoded))
            else:
                short.append(safe(name, NAME_LIMIT))
                paints.append(Paint.OTHER)
        return cls(
            trace,
            steps,
            (*build_tracks(trace), *_memory_tracks(trace)),
            tuple(short),
            tuple(paints),
            scope_facts(trace, WHOLE, steps),
        )

    @cached_property
    def overview(self) -> RowIndex:
        """What the minimap shows: the busiest device's union, else the first host lane."""
        if self.whole.idle:
            busy = max(self.whole.idle, key=lambda d: d.busy_ns).busy
            return RowIndex(busy.start, busy.end, np.arange(len(busy), dtype=np.int64))
        rows = next((track.rows for track in self.tracks if track.rows), None)
        none = np.zeros(0, np.int64)
        return rows[0] if rows else RowIndex(none, none, none)

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
        return self.whole if scope == WHOLE else scope_facts(self.trace, scope, self.steps)

    def measure(self, low: int, high: int) -> Measured:
        """Busy share of each device in [low, high) and how many events overlap it."""
        rows = scope_rows(self.trace, Range(low, high), self.steps)
        busy = tuple(
            (d.device, d.busy.covered_between(low, high) / (high - low)) for d in self.whole.idle
        )
        return Measured(busy, len(rows.gpu), len(rows.cpu))

    def lanes_with_idle(self, threshold: int) -> tuple[Track, ...]:
        """All tracks: before each device's streams the strip of its gaps over `threshold`.

        The events of an idle strip are numbers into `whole.gaps`.
        """
        gaps = self.whole.gaps
        chosen = gaps.over(threshold)
        found: list[Track] = []
        seen: set[int] = set()
        for track in self.tracks:
            device = track.device
            if track.kind is TrackKind.GPU and device is not None and device not in seen:
                seen.add(device)
                own = chosen[gaps.device[chosen] == device]
                found.append(idle_track(device, gaps.start[own], gaps.end[own], own))
            found.append(track)
        return tuple(found)


def scope_facts(trace: Trace, scope: Scope, steps: Steps) -> ScopeFacts:
    """Computes the facts of a scope: a few passes over its GPU operations."""
    rows = scope_rows(trace, scope, steps)
    idle = device_idle(trace, rows.gpu)
    return ScopeFacts(scope, rows, kernel_table(trace, rows.gpu), idle, GapList.of(idle))


def _memory_tracks(trace: Trace) -> tuple[Track, ...]:
    """One strip a device for allocated bytes and one for reserved, where recorded."""
    memory = trace.memory
    none = np.zeros(0, np.int64)
    found: list[Track] = []
    for device in np.unique(memory.device).tolist():
        where = "host" if device < 0 else f"GPU {device}"
        for word, values in (("alloc", memory.allocated), ("reserved", memory.reserved)):
            told = (memory.device == device) & (values >= 0)
            if told.any():
                curve = Curve(memory.time[told], values[told])
                label = f"{where} {word}"
                found.append(
                    Track(TrackKind.MEMORY, label, (), none, none, max(device, 0), curve=curve)
                )
    return tuple(found)
