"""Events of other phases than complete: pairs, instants, names and the allocator's."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from attntui.trace.batch import Batch
from attntui.trace.devices import MOST_DEVICES
from attntui.trace.event_json import Args, Event, LooseEvent
from attntui.trace.interned import Interner
from attntui.trace.lanes import LaneTable
from attntui.trace.model import ABSENT, I32, I64, Bool, MemoryEvents
from attntui.trace.notices import Notices
from attntui.trace.pack import integers
from attntui.trace.times import NO_TIME

MEMORY_EVENT = "[memory]"
_HOST_DEVICE_TYPE = 0
"""`Device Type` of host memory (c10::DeviceType::CPU)."""

_MOST_MEMORY = 2**50
"""Bytes that no machine has."""

_INSTANT, _MEMORY = 4, 7
"""Integers of an instant (time, offset, lane, name) and of a memory event (time, offset, lane
and what the allocator says).
"""

_HALF_BYTES = 900
"""About what the half of a pair takes until the other is met."""

AnyEvent: TypeAlias = Event | LooseEvent

_FLOWS = frozenset("stf")
_INSTANTS = frozenset(("i", "I", "R", "n"))
_HALVES = {
    "B": (True, False),
    "E": (False, False),
    "b": (True, True),
    "e": (False, True),
    "S": (True, True),
    "F": (False, True),
}
"""Phases of halves: whether an event begins, and whether it is asynchronous: such overlap."""

_NAMES = {
    "process_name": "label",
    "thread_name": "label",
    "process_sort_index": "sort_index",
    "thread_sort_index": "sort_index",
}


@dataclass(frozen=True, slots=True)
class Half:
    """The begin or the end of an event, at `time` ns of the file; `ids` of an asynchronous one."""

    begins: bool
    ids: tuple[bytes, bytes] | None
    time: int
    event: AnyEvent
    lane: int
    offset: int
    length: int

    @property
    def asynchronous(self) -> bool:
        return self.ids is not None

    @property
    def among(self) -> Hashable:
        """What begins and ends are matched within: a thread, or an asynchronous id."""
        return self.lane, self.ids


@dataclass(frozen=True, slots=True)
class PackedPhases:
    """What `Phases` took, its tables as arrays [rows, `_INSTANT`] and [rows, `_MEMORY`]."""

    halves: list[Half]
    instants: I64
    memory: I64


@dataclass(frozen=True, slots=True)
class Pair:
    """An event put together from its begin, and its end unless that is missing."""

    begin: Half
    end: int | None


class _OpenBegins:
    """The begins of one thread that have no end yet."""

    def __init__(self) -> None:
        self._begins: list[Half | None] = []
        self._by_name: dict[str, list[int]] = defaultdict(list)

    def push(self, begin: Half) -> None:
        self._by_name[begin.event.name].append(len(self._begins))
        self._begins.append(begin)

    def pop(self, name: str) -> Half | None:
        """The innermost begin of that name, or of any where the end has none."""
        self._drop_closed()
        if not name:
            return self._begins.pop() if self._begins else None
        places = self._by_name[name]
        while places:
            at = places.pop()
            if at < len(self._begins):
                begin = self._begins[at]
                if begin is not None and begin.event.name == name:
                    self._begins[at] = None
                    return begin
        return None

    def rest(self) -> list[Half]:
        return [begin for begin in self._begins if begin is not None]

    def _drop_closed(self) -> None:
        while self._begins and self._begins[-1] is None:
            self._begins.pop()


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

    def add(self, batch: Batch, phase: str, at: npt.NDArray[np.intp]) -> None:
        """Takes the events of one phase, at these positions in the batch."""
        if phase in _FLOWS:
            return
        events = [batch.decoded.events[index] for index in at.tolist()]
        if phase == "M":
            self._take_names(events)
        elif phase in _INSTANTS:
            self._take_instants(events, batch.decoded.times(at), batch.offsets[at])
        elif phase in _HALVES:
            places = zip(batch.offsets[at].tolist(), batch.lengths[at].tolist(), strict=True)
            self._take_halves(events, batch.decoded.times(at), places)
        elif odd := [n for n, event in enumerate(events) if phase or event.name]:
            example = f"phase {phase!r}: {events[odd[0]].name}"
            where = int(batch.offsets[at[odd[0]]])
            self._notices.add("not_shown", example, len(odd), at=where)

    def _take_names(self, events: Sequence[AnyEvent]) -> None:
        for event in events:
            field = _NAMES.get(event.name)
            if field is not None and isinstance(event.args, Args):
                self._lanes.name(event.name, event.pid, event.tid, getattr(event.args, field))

    def _take_instants(self, events: Sequence[AnyEvent], times: I64, offsets: I64) -> None:
        self._notices.add_events("no_time", events, times == NO_TIME, offsets)
        placed = [
            (event, time, offset)
            for event, time, offset in zip(events, times.tolist(), offsets.tolist(), strict=True)
            if time != NO_TIME
        ]
        memory: list[tuple[Args, int, int, int]] = []
        for event, time, offset in placed:
            lane = self._lanes.of_thread(event.pid, event.tid)
            if event.name == MEMORY_EVENT and isinstance(event.args, Args):
                memory.append((event.args, time, offset, lane))
            else:
                self._instants += struct.pack(
                    f"{_INSTANT}q", time, offset, lane, self._names[event.name]
                )
        if memory:
            self._take_memory(*zip(*memory, strict=True))

    def _take_memory(
        self,
        args: Sequence[Args],
        times: Sequence[int],
        offsets: Sequence[int],
        lanes: Sequence[int],
    ) -> None:
        on_host = integers([a.device_type for a in args]) == _HOST_DEVICE_TYPE
        rows = np.empty((len(args), _MEMORY), dtype=np.int64)
        rows[:, 0] = times
        rows[:, 1] = offsets
        rows[:, 2] = lanes
        change = integers([a.memory_change for a in args])
        rows[:, 3] = np.where(np.abs(change) < _MOST_MEMORY, change, ABSENT)
        rows[:, 4] = integers([a.memory_allocated for a in args], below=_MOST_MEMORY)
        rows[:, 5] = integers([a.memory_reserved for a in args], below=_MOST_MEMORY)
        rows[:, 6] = np.where(
            on_host, ABSENT, integers([a.device_id for a in args], below=MOST_DEVICES)
        )
        self._memory += rows.tobytes()

    def _take_halves(
        self, events: Sequence[AnyEvent], times: I64, places: Iterable[tuple[int, int]]
    ) -> None:
        for event, time, place in zip(events, times.tolist(), places, strict=True):
            if time == NO_TIME:
                self._notices.add("no_time", event.name, at=place[0])
                continue
            begins, asynchronous = _HALVES[event.ph]
            if asynchronous:
                lane = self._lanes.of_asynchronous(event.pid, event.cat)
                ids = bytes(event.id), bytes(event.id2)
            else:
                lane, ids = self._lanes.of_thread(event.pid, event.tid), None
            self._halves.append(Half(begins, ids, time, event, lane, *place))

    def pairs(self) -> Iterator[Pair]:
        """Pairs begins and ends of one thread, or one asynchronous id, in order of time.

        An end closes the innermost begin of its name, or the innermost where it has no
        name. A begin without an end is yielded last, with none.
        """
        halves, self._halves = self._halves, []
        halves.sort(key=lambda half: (half.time, half.offset))
        open_begins: dict[Hashable, _OpenBegins] = defaultdict(_OpenBegins)
        for half in halves:
            begins = open_begins[half.among]
            if half.begins:
                begins.push(half)
                continue
            begin = begins.pop(half.event.name)
            if begin is None:
                self._notices.add("unmatched_end", half.event.name, at=half.offset)
            else:
                yield Pair(begin, half.time)
        for begins in open_begins.values():
            for begin in begins.rest():
                self._notices.add("unmatched_begin", begin.event.name, at=begin.offset)
                yield Pair(begin, None)

    def leave_out(self, stray: Callable[[I64], Bool]) -> int:
        """Forgets the marks and memory events at `stray` times: how many they were."""
        left_out = 0
        for rows, width in ((self._instants, _INSTANT), (self._memory, _MEMORY)):
            table = _table(rows, width)
            lost = stray(table[:, 0])
            if lost.any():
                kept = table[~lost].tobytes()
                del table
                rows[:] = kept
                left_out += int(lost.sum())
        return left_out

    def instants(self) -> tuple[I64, I32, I32]:
        """Times, name ids and lane ids of the instants, in order of time."""
        rows = _in_order(_table(self._instants, _INSTANT))
        return rows[:, 0], rows[:, 3].astype(np.int32), rows[:, 2].astype(np.int32)

    def memory_events(self) -> tuple[MemoryEvents, I32]:
        """The allocator's events, in the file's own time and devices, and their lane ids."""
        rows = _in_order(_table(self._memory, _MEMORY))
        events = MemoryEvents(
            time=rows[:, 0].copy(),
            change=rows[:, 3].copy(),
            allocated=rows[:, 4].copy(),
            reserved=rows[:, 5].copy(),
            device=rows[:, 6].astype(np.int32),
        )
        return events, rows[:, 2].astype(np.int32)

    def packed(self) -> PackedPhases:
        """All that was taken, to be taken by others (`absorb`)."""
        return PackedPhases(
            self._halves, _table(self._instants, _INSTANT), _table(self._memory, _MEMORY)
        )

    def absorb(self, packed: PackedPhases, names: I32, lanes: I32) -> None:
        """Takes what others took: `names` and `lanes` have the numbers here of their numbers."""
        self._halves += [replace(half, lane=int(lanes[half.lane])) for half in packed.halves]
        instants, memory = packed.instants.copy(), packed.memory.copy()
        instants[:, 2], instants[:, 3] = lanes[instants[:, 2]], names[instants[:, 3]]
        memory[:, 2] = lanes[memory[:, 2]]
        self._instants += instants.tobytes()
        self._memory += memory.tobytes()


def _table(rows: bytearray, width: int) -> I64:
    return np.frombuffer(rows, dtype=np.int64).reshape(-1, width)


def _in_order(table: I64) -> I64:
    """By time, then by place in the text."""
    return table[np.lexsort((table[:, 1], table[:, 0]))]
