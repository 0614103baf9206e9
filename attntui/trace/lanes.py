"""Threads and streams: which lane an event lies in, and what lanes are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from attntui.trace.categories import HOST_CATEGORIES
from attntui.trace.masks import mask_of, places_of
from attntui.trace.model import ABSENT, I8, I32, I64, Category, Lane, LaneKind

_LANE_BYTES = 700
"""About what a lane takes in the tables here."""

_RANKS = {LaneKind.CPU: 0, LaneKind.GPU: 1, LaneKind.GPU_ANNOTATION: 1, LaneKind.OTHER: 2}


class _Placed(Protocol):
    pid: Any
    tid: Any


class LaneKey(NamedTuple):
    """What makes a lane: threads have no device here, streams no tid unless unnumbered."""

    kind: LaneKind
    pid: str
    tid: str
    device: int
    stream: int


class PackedLanes(NamedTuple):
    """What a `LaneTable` holds."""

    keys: list[LaneKey]
    labels: dict[tuple[str, str], str]
    process_labels: dict[str, str]
    orders: dict[tuple[str, str], int]
    process_orders: dict[str, int]


class LaneTable:
    """Numbers lanes in the order in which they are met."""

    def __init__(self) -> None:
        self.keys: list[LaneKey] = []
        self._numbers: dict[LaneKey, int] = {}
        self._threads: dict[tuple[Any, Any], int] = {}
        self._streams: dict[tuple[Any, ...], int] = {}
        self._labels: dict[tuple[str, str], str] = {}
        self._process_labels: dict[str, str] = {}
        self._orders: dict[tuple[str, str], int] = {}
        self._process_orders: dict[str, int] = {}

    @property
    def memory(self) -> int:
        return _LANE_BYTES * max(len(self.keys), len(self._threads) + len(self._streams))

    def of_thread(self, pid: Any, tid: Any) -> int:
        try:
            return self._threads[pid, tid]
        except (KeyError, TypeError):
            key = LaneKey(LaneKind.CPU, id_text(pid), id_text(tid), ABSENT, ABSENT)
        number = self._number(key)
        if isinstance(pid, int | str) and isinstance(tid, int | str):
            self._threads[pid, tid] = number
        return number

    def of_threads(self, events: Iterable[_Placed]) -> I32:
        known = self._threads
        pairs = [(event.pid, event.tid) for event in events]
        try:
            numbers = [known[pair] for pair in pairs]
        except (KeyError, TypeError):
            numbers = [self.of_thread(pid, tid) for pid, tid in pairs]
        return np.array(numbers, dtype=np.int32)

    def of_asynchronous(self, pid: Any, category: str) -> int:
        """The lane of a process's asynchronous events of one category: they may overlap."""
        return self._number(LaneKey(LaneKind.OTHER, id_text(pid), category, ABSENT, ABSENT))

    def of_streams(
        self, events: Sequence[_Placed], device: I64, stream: I64, *, annotations: bool
    ) -> I32:
        """Lanes of device events. One whose stream has no number goes by its tid."""
        known = self._streams
        numbers: list[int] = []
        places = zip(events, device.tolist(), stream.tolist(), strict=True)
        for event, on_device, on_stream in places:
            tid = id_text(event.tid) if on_stream == ABSENT else None
            pid = event.pid if isinstance(event.pid, int | str) else id_text(event.pid)
            place = (annotations, pid, tid, on_device, on_stream)
            number = known.get(place)
            if number is None:
                kind = LaneKind.GPU_ANNOTATION if annotations else LaneKind.GPU
                key = LaneKey(kind, id_text(pid), tid or "", on_device, on_stream)
                number = known[place] = self._number(key)
            numbers.append(number)
        return np.array(numbers, dtype=np.int32)

    def _number(self, key: LaneKey) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.keys)
            self.keys.append(key)
        return number

    def name(self, what: str, pid: Any, tid: Any, value: Any) -> None:
        """Takes a metadata event: a name or a place in the order."""
        process, thread = id_text(pid), id_text(tid)
        if what == "thread_name":
            self._labels[process, thread] = str(value).strip()
        elif what == "process_name":
            self._process_labels[process] = str(value).strip()
        elif isinstance(value, int) and what == "thread_sort_index":
            self._orders[process, thread] = value
        elif isinstance(value, int) and what == "process_sort_index":
            self._process_orders[process] = value

    def packed(self) -> PackedLanes:
        """The lanes and what they are called, to be taken by another table (`absorb`)."""
        return PackedLanes(
            self.keys,
            self._labels,
            self._process_labels,
            self._orders,
            self._process_orders,
        )

    def absorb(self, packed: PackedLanes) -> I32:
        """Takes the lanes of another table, whose names count from now on: the number here of
        each of its numbers.
        """
        self._labels.update(packed.labels)
        self._process_labels.update(packed.process_labels)
        self._orders.update(packed.orders)
        self._process_orders.update(packed.process_orders)
        return np.array([self._number(key) for key in packed.keys], dtype=np.int32)

    def label(self, key: LaneKey) -> str:
        """The recorded name of a lane's thread."""
        return self._labels.get((key.pid, key.tid), "")

    def process_label(self, key: LaneKey) -> str:
        """The recorded name of a lane's process."""
        return self._process_labels.get(key.pid, "")

    def make_stream(self, number: int, device: int, stream: int) -> None:
        """Takes the lane of a thread for one of a device's streams."""
        key = self.keys[number]
        self.keys[number] = LaneKey(LaneKind.GPU, key.pid, key.tid, device, stream)

    def finish(self, lane: I32, category: I8, others: I32) -> tuple[tuple[Lane, ...], I32]:
        """The lanes that hold something, in order, and the new number of each old one.

        `lane` and `category` are columns; `others` are lanes of instant events. A thread
        without host events (a device's of another maker, say) is of kind OTHER.
        """
        count = len(self.keys)
        host = mask_of(count, lane[np.isin(category, HOST_CATEGORIES)])
        sync = mask_of(count, lane[category == Category.SYNC])
        used = mask_of(count, lane) | mask_of(count, others)
        lanes = {
            number: self._lane(key, bool(host[number]), bool(sync[number]))
            for number, key in enumerate(self.keys)
            if used[number]
        }
        ordered = sorted(lanes, key=lambda number: (*self._order(lanes[number]), number))
        renumbered = places_of(count, ordered).astype(np.int32)
        return tuple(lanes[number] for number in ordered), renumbered

    def _lane(self, key: LaneKey, host: bool, sync: bool) -> Lane:
        kind = key.kind
        if kind is LaneKind.CPU:
            label = self.label(key) or self.process_label(key)
            if not host:
                kind = LaneKind.OTHER
            if sync and not host:
                label = f"{label or f'stream {key.tid}'} sync"
            return Lane(kind, key.pid, key.tid, None, None, label, self._sort_index(key))
        if kind is LaneKind.OTHER:
            label = f"{key.tid or 'events'} (asynchronous)"
            return Lane(kind, key.pid, key.tid, None, None, label, 0)
        return Lane(
            kind,
            key.pid,
            key.tid or str(key.stream),
            None if key.device == ABSENT else key.device,
            None if key.stream == ABSENT else key.stream,
            self._labels.get((key.pid, key.tid or str(key.stream)), ""),
            self._sort_index(key),
        )

    def _sort_index(self, key: LaneKey) -> int:
        tid = key.tid or str(key.stream)
        number, text = _natural(tid)
        return self._orders.get((key.pid, tid), 0 if text else number)

    def _order(self, lane: Lane) -> tuple[Any, ...]:
        """Host threads, then devices, then the rest; as the file orders them, or by number."""
        device = ABSENT if lane.device is None else lane.device
        process = self._process_orders.get(lane.pid, 0)
        return (
            _RANKS[lane.kind],
            process,
            _natural(lane.pid),
            device,
            lane.sort_index,
            _natural(lane.tid),
            lane.kind,
        )


def id_text(value: Any) -> str:
    """One text for each way to write a process or thread id: 323, "323" and 323.0."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _natural(text: str) -> tuple[int, str]:
    """Orders numbers by value, before other text."""
    return (int(text), "") if text.lstrip("-").isdecimal() and len(text) < 20 else (2**63, text)
