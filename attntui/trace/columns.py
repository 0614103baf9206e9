"""Packs decoded events into columns, a chunk at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attntui.trace.batch import Batch
from attntui.trace.categories import GPU_CATEGORIES, category_of
from attntui.trace.devices import MOST_DEVICES
from attntui.trace.event_json import NO_ARGS, Args, Event, LooseEvent
from attntui.trace.interned import BETWEEN, NO_CONFIG, NO_INPUTS, ConfigKey, InputsKey, Interner
from attntui.trace.lanes import LaneTable, PackedLanes
from attntui.trace.model import ABSENT, I32, I64, Bool, Category
from attntui.trace.notices import Notices
from attntui.trace.pack import integers, packed
from attntui.trace.phases import PackedPhases, Phases
from attntui.trace.stretch import OUTSIDE, Stretch
from attntui.trace.times import NO_TIME, durations_from_floats, durations_from_texts

AnyEvents = Sequence[Event | LooseEvent]

COMMON: Mapping[str, type] = {
    "start": np.int64,
    "dur": np.int64,
    "name": np.int32,
    "raw_category": np.int16,
    "lane": np.int32,
    "offset": np.int64,
    "length": np.int32,
    "unfinished": np.bool_,
}
"""The columns of every event, and of which type."""

EXTRA: Mapping[str, type] = {
    "correlation": np.int64,
    "external_id": np.int64,
    "device": np.int32,
    "stream": np.int64,
    "python_id": np.int64,
    "python_parent": np.int64,
    "sequence": np.int64,
    "forward_thread": np.int64,
    "launch_config": np.int32,
    "inputs": np.int32,
    "copied_bytes": np.int64,
}
"""The columns that only some kinds of event fill."""

_PYTHON = ("python_id", "python_parent")
_OPS = ("external_id", "sequence", "forward_thread", "inputs")
_CALLS = ("correlation", "external_id")
_DEVICE = ("correlation", "external_id", "device", "stream", "launch_config", "copied_bytes")

FIELDS: Mapping[Category, tuple[str, ...]] = {
    Category.PYTHON_FUNCTION: _PYTHON,
    Category.CPU_OP: _OPS,
    Category.USER_ANNOTATION: _OPS,
    Category.RUNTIME: _CALLS,
    Category.DRIVER: _CALLS,
}
"""The extra columns of each category; the rest have those of `_DEVICE`."""

_MOST_CATEGORIES = int(np.iinfo(np.int16).max)
_MORE = "(more categories)"
_LARGEST_COPY = 2**44
"""Bytes that no copy moves, above all memory of a device."""

_FALSE_WORDS = frozenset({"false", "0", "no"})


class ColumnTable:
    """Rows of one kind: the common columns and its own, as growing bytes."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.types = {**COMMON, **{field: EXTRA[field] for field in fields}}
        self.data = {field: bytearray() for field in self.types}
        self.rows = 0

    def append(self, columns: Mapping[str, npt.NDArray[Any]], rows: int) -> None:
        for field, kind in self.types.items():
            self.data[field] += columns[field].astype(kind, copy=False).tobytes()
        self.rows += rows

    def take(self, field: str) -> npt.NDArray[Any]:
        """The finished column; it is kept no longer."""
        return np.frombuffer(self.data.pop(field), dtype=self.types[field])

    def packed(self) -> dict[str, npt.NDArray[Any]]:
        """The columns so far."""
        return {
            field: np.frombuffer(data, dtype=self.types[field]) for field, data in self.data.items()
        }

    @property
    def memory(self) -> int:
        return sum(map(len, self.data.values()))


@dataclass(frozen=True, slots=True)
class PackedStore:
    """What a `Store` holds: a table's columns by field, and what their numbers stand for."""

    events: int
    names: list[str]
    phases_seen: list[str]
    raw_categories: list[str]
    inputs: list[InputsKey]
    configs: list[ConfigKey]
    lanes: PackedLanes
    category_counts: dict[str, int]
    tables: dict[tuple[str, ...], dict[str, npt.NDArray[Any]]]
    phases: PackedPhases


class Store:
    """All that is kept of the events read so far: of those that reach into `stretch`, if any."""

    def __init__(self, notices: Notices, stretch: Stretch | None = None) -> None:
        self.events = 0
        self.stretch = stretch
        self.names: Interner[str] = Interner()
        self._all_categories: Interner[str] = Interner()
        self._all_phases: Interner[str] = Interner()
        self.raw_categories: Interner[str] = Interner()
        self.inputs: Interner[InputsKey] = Interner(NO_INPUTS)
        self.configs: Interner[ConfigKey] = Interner(NO_CONFIG)
        self.lanes = LaneTable()
        self.category_counts: dict[str, int] = defaultdict(int)
        self.tables: dict[tuple[str, ...], ColumnTable] = {}
        self.phases = Phases(self.names, self.lanes, notices)
        self._notices = notices

    @property
    def memory(self) -> int:
        """About the bytes held."""
        interners = (
            self.names,
            self._all_categories,
            self._all_phases,
            self.inputs,
            self.configs,
        )
        return (
            sum(table.memory for table in self.tables.values())
            + sum(interner.memory for interner in interners)
            + self.phases.memory
            + self.lanes.memory
        )

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables.values())

    @property
    def any_phase(self) -> bool:
        """Whether any entry was an event at all."""
        return self.rows > 0 or any(self._all_phases)

    def packed(self) -> PackedStore:
        """All that is kept, to be taken by another store (`absorb`)."""
        return PackedStore(
            events=self.events,
            names=self.names.values_seen,
            phases_seen=self._all_phases.values_seen,
            raw_categories=self.raw_categories.values_seen,
            inputs=self.inputs.values_seen,
            configs=self.configs.values_seen,
            lanes=self.lanes.packed(),
            category_counts=dict(self.category_counts),
            tables={fields: table.packed() for fields, table in self.tables.items()},
            phases=self.phases.packed(),
        )

    def absorb(self, packed: PackedStore) -> None:
        """Takes what another store kept of the text that follows."""
        self.events += packed.events
        for phase in packed.phases_seen:
            self._all_phases[phase]
        for category, count in packed.category_counts.items():
            self.category_counts[category] += count
        lanes = self.lanes.absorb(packed.lanes)
        names = self.names.numbers(packed.names)
        # One after another: each counts among those that the next finds.
        folded = (self._folded(category) for category in packed.raw_categories)
        numbers = {
            "lane": lanes,
            "name": names,
            "raw_category": self.raw_categories.numbers(folded),
            "inputs": self.inputs.numbers(packed.inputs),
            "launch_config": self.configs.numbers(packed.configs),
        }
        self.phases.absorb(packed.phases, names, lanes)
        for fields, columns in packed.tables.items():
            numbered = {
                field: numbers[field][column] if field in numbers else column
                for field, column in columns.items()
            }
            self._table(fields).append(numbered, len(columns["start"]))

    def _table(self, fields: tuple[str, ...]) -> ColumnTable:
        table = self.tables.get(fields)
        if table is None:
            table = self.tables[fields] = ColumnTable(fields)
        return table

    def add(self, batch: Batch) -> None:
        """Sorts a batch by phase and category, and packs each kind."""
        events = batch.decoded.events
        self.events += len(events)
        categories, phases = self._all_categories, self._all_phases
        kinds = np.array(
            [categories[e.cat] if e.ph == "X" else ~phases[e.ph] for e in events], dtype=np.intp
        )
        by_kind = np.argsort(kinds, kind="stable")
        heads = np.flatnonzero(np.diff(kinds[by_kind])) + 1
        for at in np.split(by_kind, heads):
            kind = int(kinds[at[0]])
            if kind < 0:
                self.phases.add(batch, phases.values_seen[~kind], at)
            else:
                raw_category = categories.values_seen[kind]
                self.category_counts[raw_category] += len(at)
                self._add_complete(batch, raw_category, at)

    def _add_complete(self, batch: Batch, raw_category: str, at: npt.NDArray[np.intp]) -> None:
        all_events = batch.decoded.events
        events = [all_events[index] for index in at.tolist()]
        start = batch.decoded.times(at)
        placed = start != NO_TIME
        self._notices.add_events("no_time", events, ~placed, batch.offsets[at])
        if not placed.all():
            keep = np.flatnonzero(placed)
            at, start = at[keep], start[keep]
            events = [events[index] for index in keep.tolist()]
        if events:
            offset = batch.offsets[at]
            dur = self._durations(events, offset, exact=batch.decoded.microseconds is None)
            length = batch.lengths[at]
            if self.stretch is not None:
                inside = self.stretch.overlaps(start, dur)
                self._notices.add_events(OUTSIDE, events, ~inside, offset)
                keep = np.flatnonzero(inside)
                events = [events[index] for index in keep.tolist()]
                start, dur, offset, length = start[keep], dur[keep], offset[keep], length[keep]
            if events:
                self.add_rows(events, raw_category, start, dur, offset, length)

    def _durations(self, events: AnyEvents, offset: I64, *, exact: bool) -> I64:
        if exact:
            dur = durations_from_texts([event.dur for event in events])
        else:
            dur = durations_from_floats(np.array([e.dur for e in events], dtype=np.float64))
        if (dur < 0).any():
            missing = dur == NO_TIME
            self._notices.add_events("missing_duration", events, missing, offset)
            self._notices.add_events("negative_duration", events, (dur < 0) & ~missing, offset)
            dur = np.maximum(dur, 0)
        return dur

    def add_rows(
        self,
        events: AnyEvents,
        raw_category: str,
        start: I64,
        dur: I64,
        offset: I64,
        length: I64,
        unfinished: Bool | None = None,
        lane: I32 | None = None,
    ) -> None:
        """Packs events of one category whose times are known; of their threads' lanes
        unless `lane` says which.
        """
        raw_category = self._folded(raw_category)
        category = category_of(raw_category)
        fields = FIELDS.get(category, _DEVICE)
        table = self._table(fields)
        args: list[Any] = [event.args or NO_ARGS for event in events]
        columns: dict[str, npt.NDArray[Any]] = {
            "start": start,
            "dur": dur,
            "name": packed([self.names[event.name] for event in events], "i"),
            "raw_category": np.full(len(events), self.raw_categories[raw_category]),
            "offset": offset,
            "length": length,
            "unfinished": _unfinished(args),
        }
        if unfinished is not None:
            columns["unfinished"] |= unfinished
        if fields is _PYTHON:
            columns["python_id"] = integers([a.python_id for a in args])
            columns["python_parent"] = integers([a.python_parent for a in args])
        else:
            columns["external_id"] = _external_ids(args)
        if fields is _OPS:
            columns["sequence"] = integers([a.sequence for a in args])
            columns["forward_thread"] = integers([a.forward_thread for a in args])
            columns["inputs"] = self._inputs(args)
        elif fields is not _PYTHON:
            columns["correlation"] = _ids(integers([a.correlation for a in args]))
        if fields is _DEVICE:
            self._add_device_columns(columns, events, args, category)
        else:
            columns["lane"] = self.lanes.of_threads(events)
        if lane is not None:
            columns["lane"] = lane
        table.append(columns, len(events))

    def _folded(self, raw_category: str) -> str:
        """The category, or one for all when there are more than the column can number."""
        known = self.raw_categories
        return raw_category if len(known) < _MOST_CATEGORIES or raw_category in known else _MORE

    def _add_device_columns(
        self,
        columns: dict[str, npt.NDArray[Any]],
        events: AnyEvents,
        args: Sequence[Args],
        category: Category,
    ) -> None:
        count = len(events)
        device = integers([a.device for a in args], below=MOST_DEVICES)
        stream = integers([a.stream for a in args])
        if category in GPU_CATEGORIES or category == Category.GPU_USER_ANNOTATION:
            if (device == ABSENT).any():
                pid = integers([event.pid for event in events], below=MOST_DEVICES)
                device = np.where(device == ABSENT, pid, device)
            if (stream == ABSENT).any():
                stream = np.where(stream == ABSENT, integers([e.tid for e in events]), stream)
            annotations = category == Category.GPU_USER_ANNOTATION
            columns["lane"] = self.lanes.of_streams(events, device, stream, annotations=annotations)
        else:
            columns["lane"] = self.lanes.of_threads(events)
        columns["device"] = device
        columns["stream"] = stream
        copies = category in (Category.MEMCPY, Category.MEMSET)
        columns["copied_bytes"] = (
            integers([a.bytes for a in args], below=_LARGEST_COPY)
            if copies
            else np.full(count, ABSENT)
        )
        columns["launch_config"] = (
            self._configs(args) if category == Category.KERNEL else np.full(count, ABSENT)
        )

    def _inputs(self, args: Sequence[Args]) -> I32:
        ids, key = self.inputs, BETWEEN.join
        return packed([ids[key((a.dims, a.types, a.strides, a.concrete))] for a in args], "i")

    def _configs(self, args: Sequence[Args]) -> I32:
        ids, key = self.configs, BETWEEN.join
        return packed(
            [ids[key((a.grid, a.block, a.registers, a.shared_memory, a.occupancy))] for a in args],
            "i",
        )


def _ids(array: I64) -> I64:
    """Correlation ids; 0 and less say nothing."""
    return np.where(array > 0, array, ABSENT) if (array <= 0).any() else array


def _external_ids(args: Sequence[Args]) -> I64:
    ids = integers([a.external_id for a in args])
    if (ids == ABSENT).any():
        ids = np.where(ids == ABSENT, integers([a.external_id_old for a in args]), ids)
    return ids


def _unfinished(args: Sequence[Args]) -> Bool:
    flags = [a.finished is not True for a in args]
    if True in flags:
        flags = [str(a.finished).lower() in _FALSE_WORDS for a in args]
    return np.array(flags, dtype=np.bool_)
