"""Everything about an open trace that does not change with what is on screen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attntui.analysis.attention import AttentionCall, find_attention, within
from attntui.analysis.cpu_time import CpuTime, OpTable, cpu_time, op_table
from attntui.analysis.gap_causes import Cause, CauseFinder, GapCauses, Trigger, cause_finder
from attntui.analysis.idle import DeviceIdle, Gaps, device_idle
from attntui.analysis.kernel_names import decode
from attntui.analysis.kernels import KernelTable, kernel_table
from attntui.analysis.scope import WHOLE, Range, Scope, ScopeRows, scope_rows
from attntui.analysis.steps import Steps, find_steps
from attntui.trace.model import I64, Category, Trace
from attntui.view.attention import attention_track
from attntui.view.curve import Curve
from attntui.view.paint import CATEGORY_PAINT, Paint, kernel_paint
from attntui.view.raster import RowIndex
from attntui.view.safe import safe
from attntui.view.tracks import Track, TrackKind, build_tracks, idle_track

NAME_LIMIT = 200
"""Cells of a name kept for bars and tables; the detail pane shows all of it."""


@dataclass(frozen=True, eq=False)
class GapList:
    """Gaps of all devices by start, with their causes; `device` is the number of each."""

    causes: GapCauses
    device: I64

    @classmethod
    def of(cls, idle: tuple[DeviceIdle, ...], finder: CauseFinder) -> GapList:
        parts = [d.gaps for d in idle]
        none = [np.zeros(0, np.int64)]
        gaps = Gaps(
            np.concatenate([g.start for g in parts] or none),
            np.concatenate([g.length for g in parts] or none),
            np.concatenate([g.before for g in parts] or none),
            np.concatenate([g.after for g in parts] or none),
        )
        device = np.repeat([d.device for d in idle], [len(g) for g in parts]).astype(np.int64)
        order = np.argsort(gaps.start, kind="stable")
        return cls(finder.causes(gaps.take(order)), device[order])

    def __len__(self) -> int:
        return len(self.device)

    @property
    def start(self) -> I64:
        return self.causes.gaps.start

    @property
    def length(self) -> I64:
        return self.causes.gaps.length

    @property
    def before(self) -> I64:
        """Rows of the operations that ended last before each gap."""
        return self.causes.gaps.before

    @property
    def after(self) -> I64:
        """Rows of the operations that end each gap."""
        return self.causes.gaps.after

    @cached_property
    def end(self) -> I64:
        return self.causes.gaps.end

    @cached_property
    def main(self) -> I64:
        """The main `Cause` of each."""
        return self.causes.main

    def over(self, threshold: int) -> I64:
        """Numbers of the gaps of at least `threshold` ns, by start."""
        return np.flatnonzero(self.length >= threshold)

    def label(self, number: int) -> str:
        """A gap's cause in words, with what drained the queue where that is told."""
        cause = Cause(int(self.main[number])).name.lower().replace("_", " ")
        trigger = Trigger(int(self.causes.trigger[number]))
        if trigger is Trigger.NONE or trigger.name.lower() == cause:
            return cause
        return f"{cause} after {trigger.name.lower().replace('_', ' ')}"


@dataclass(frozen=True, eq=False)
class ScopeFacts:
    """What the tables show: the facts of one scope."""

    scope: Scope
    rows: ScopeRows
    kernels: KernelTable
    idle: tuple[DeviceIdle, ...]
    gaps: GapList
    ops: OpTable
    attention: tuple[AttentionCall, ...]

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


@dataclass(frozen=True, eq=False)
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
    finder: CauseFinder
    cpu: CpuTime
    attention: tuple[AttentionCall, ...]
    whole: ScopeFacts

    @classmethod
    def build(cls, trace: Trace) -> Document:
        steps = find_steps(trace)
        finder = cause_finder(trace)
        cpu = cpu_time(trace, finder.host)
        attention = find_attention(trace)
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
            _tracks(trace, attention),
            tuple(short),
            tuple(paints),
            finder,
            cpu,
            attention,
            _scope_facts(trace, WHOLE, steps, finder, cpu, attention),
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

    @cached_property
    def calls_by_event(self) -> dict[int, AttentionCall]:
        """The attention call that an op stands for or a GPU operation belongs to."""
        found: dict[int, AttentionCall] = {}
        for call in self.attention:
            found.update(dict.fromkeys(call.gpu_rows.tolist(), call))
            if call.op is not None:
                found[call.op] = call
        return found

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
        if scope == WHOLE:
            return self.whole
        return _scope_facts(self.trace, scope, self.steps, self.finder, self.cpu, self.attention)

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


def _scope_facts(
    trace: Trace,
    scope: Scope,
    steps: Steps,
    finder: CauseFinder,
    cpu: CpuTime,
    attention: tuple[AttentionCall, ...],
) -> ScopeFacts:
    """Computes the facts of a scope: a few passes over its events."""
    rows = scope_rows(trace, scope, steps)
    idle = device_idle(trace, rows.gpu)
    return ScopeFacts(
        scope,
        rows,
        kernel_table(trace, rows.gpu),
        idle,
        GapList.of(idle, finder),
        op_table(cpu, None if scope == WHOLE else rows.cpu),
        attention if scope == WHOLE else within(attention, rows.gpu),
    )


def _tracks(trace: Trace, attention: tuple[AttentionCall, ...]) -> tuple[Track, ...]:
    """All tracks: the attention calls stand under the GPU streams, memory comes last."""
    found = list(build_tracks(trace))
    calls = attention_track(trace, attention)
    if calls is not None:
        streams = [i for i, track in enumerate(found) if track.kind is TrackKind.GPU]
        found.insert(streams[-1] + 1 if streams else 0, calls)
    return (*found, *_memory_tracks(trace))


def _memory_tracks(trace: Trace) -> tuple[Track, ...]:
    """One strip a device for allocated bytes and one for reserved, where recorded."""
    memory = trace.memory
    none = np.zeros(0, np.int64)
    found: list[Track] = []
    for device in np.unique(memory.device).tolist():
        where = "host" if device < 0 else f"GPU {device}"
        for word, values in (("alloc", memory.allocated), ("reserved", memory.reserved)):
            told = (memory.device == device) & (values >= 0)
            curve = Curve(memory.time[told], values[told])
            if curve.peak:
                label = f"{where} {word}"
                found.append(
                    Track(TrackKind.MEMORY, label, (), none, none, max(device, 0), curve=curve)
                )
    return tuple(found)
