"""Events of other phases than complete: pairs, instants, names and the allocator's."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from attntui.trace.chunks import Batch
from attntui.trace.decode import Args, Event, LooseEvent
from attntui.trace.interned import Interner
from attntui.trace.lanes import LaneTable
from attntui.trace.model import ABSENT, I32, I64, MemoryEvents
from attntui.trace.notices import Notices
from attntui.trace.times import NO_TIME, ns_from_floats, ns_from_text

MEMORY_EVENT = "[memory]"
_HOST_DEVICE_TYPE = 0
"""`Device Type` of host memory (c10::DeviceType::CPU)."""

_HALF_BYTES = 900
"""About what the half of a pair takes until the other is met."""

_FLOWS = frozenset("stf")
_INSTANTS = frozenset(("i", "I", "R", "n"))
_NAMES = {
    "process_name": "label",
    "thread_name": "label",
    "process_sort_index": "sort_index",
    "thread_sort_index": "sort_index",
}


@dataclass(frozen=True, slots=True)
class Half:
    """The begin or the end of an event, at `time` ns of the file."""

    begins: bool
    time: int
    event: Event | LooseEvent
    lane: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Pair:
    """An event put together from its begin, and its end unless that is missing."""

    begin: Half
    end: int | None


class Phases:
    """Takes what is no complete event."""

    def __init__(self, names: Interner[str], lanes: LaneTable, notices: Notices) -> None:
        self._names = names
        self._lanes = lanes
        self._notices = notices
        self._halves: list[Half] = []
        self._instants = bytearray()
        self._memory = bytearray()

    @property
    def memory(self) -> int:
        return len(self._halves) * _HALF_BYTES + len(self._instants) + len(self._memory)

    def add(self, batch: Batch, indices: Iterable[int]) -> None:
        events = batch.decoded.events
        for index in indices:
            event = events[index]
            phase = event.ph
            if phase in _FLOWS:
                continue
            if phase == "M":
                self._name(event)
            elif phase in _INSTANTS:
                self._instant(event)
            elif phase in ("B", "E"):
                self._half(event, int(batch.offsets[index]), int(batch.lengths[index]))
            else:
                self._notices.add("not_shown", f"phase {phase!r}: {event.name}")

    def _name(self, event: Event | LooseEvent) -> None:
        field = _NAMES.get(event.name)
        if field is not None and isinstance(event.args, Args):
            self._lanes.name(event.name, event.pid, event.tid, getattr(event.args, field))

    def _instant(self, event: Event | LooseEvent) -> None:
        time = _time(event)
        if time == NO_TIME:
            self._notices.add("no_time", event.name)
        elif event.name == MEMORY_EVENT and isinstance(event.args, Args):
            args = event.args
            self._memory += struct.pack(
                "5q",
                time,
                _whole(args.memory_change),
                _whole(args.memory_allocated),
                _whole(args.memory_reserved),
                ABSENT if args.device_type == _HOST_DEVICE_TYPE else _whole(args.device_id),
            )
        else:
            lane = self._lanes.of_thread(event.pid, event.tid)
            self._instants += struct.pack("3q", time, self._names[event.name], lane)

    def _half(self, event: Event | LooseEvent, offset: int, length: int) -> None:
        time = _time(event)
        if time == NO_TIME:
            self._notices.add("no_time", event.name)
            return
        lane = self._lanes.of_thread(event.pid, event.tid)
        self._halves.append(Half(event.ph == "B", time, event, lane, offset, length))

    def pairs(self) -> Iterator[Pair]:
        """Pairs begins and ends, thread by thread, in order of time.

        An end closes the innermost begin of its name, or the innermost where it has no
        name. A begin without an end is yielded last, with none.
        """
        halves, self._halves = self._halves, []
        halves.sort(key=lambda half: half.time)
        open_by_lane: dict[int, list[Half]] = defaultdict(list)
        for half in halves:
            stack = open_by_lane[half.lane]
            if half.begins:
                stack.append(half)
                continue
            at = _matching(stack, half.event.name)
            if at is None:
                self._notices.add("unmatched_end", half.event.name)
            else:
                yield Pair(stack.pop(at), half.time)
        for stack in open_by_lane.values():
            for begin in stack:
                self._notices.add("unmatched_begin", begin.event.name)
                yield Pair(begin, None)

    def instants(self) -> tuple[I64, I32, I32]:
        """Times, name ids and lane ids of the instants, in order of time."""
        rows = np.frombuffer(self._instants, dtype=np.int64).reshape(-1, 3)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        return rows[:, 0], rows[:, 1].astype(np.int32), rows[:, 2].astype(np.int32)

    def memory_events(self) -> MemoryEvents:
        """The allocator's events, in the file's own time."""
        rows = np.frombuffer(self._memory, dtype=np.int64).reshape(-1, 5)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        return MemoryEvents(
            time=rows[:, 0].copy(),
            change=rows[:, 1].copy(),
            allocated=rows[:, 2].copy(),
            reserved=rows[:, 3].copy(),
            device=rows[:, 4].astype(np.int32),
        )


def _matching(stack: list[Half], name: str) -> int | None:
    if not stack:
        return None
    if not name:
        return len(stack) - 1
    for at in range(len(stack) - 1, -1, -1):
        if stack[at].event.name == name:
            return at
    return None


def _time(event: Event | LooseEvent) -> int:
    ts: Any = event.ts
    if isinstance(ts, float):
        return NO_TIME if isnan(ts) else int(ns_from_floats(np.array([ts]))[0])
    return ns_from_text(bytes(ts))


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and -(2**63) <= value < 2**63 else ABSENT
