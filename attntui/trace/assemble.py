"""From packed rows to a `Trace`: pairs, order, lanes, nesting, links, notices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from attntui.errors import InputError
from attntui.trace.categories import GPU_CATEGORIES, category_of, is_annotation
from attntui.trace.columns import COMMON, EXTRA, Store
from attntui.trace.devices import devices_apart, devices_launched_on, memory_devices
from attntui.trace.interned import (
    ConfigKey,
    InputsKey,
    OpInputsTable,
    by_first_use,
    parse_config,
)
from attntui.trace.lanes import LaneTable
from attntui.trace.links import Linked, find_launches
from attntui.trace.metadata import read_metadata
from attntui.trace.model import (
    ABSENT,
    I8,
    I16,
    I32,
    I64,
    ArgsReader,
    Category,
    Columns,
    Instants,
    Lane,
    LaneKind,
    MemoryEvents,
    Trace,
)
from attntui.trace.named_streams import find_named_streams
from attntui.trace.nesting import nest, pack_rows, swallowing
from attntui.trace.notices import Notices
from attntui.trace.phases import Pair
from attntui.trace.sifting import Arrays, Pause, rows_of, without_doubles, without_timeless
from attntui.trace.span import beside
from attntui.trace.stretch import Stretch
from attntui.trace.trace_text import TraceText


def assemble(
    path: str,
    store: Store,
    text: TraceText,
    reader: ArgsReader,
    notices: Notices,
    pause: Pause,
) -> Trace:
    """Finishes what was read, with a `pause` between any two steps that take long.

    Raises:
        InputError: there is no event to show.
    """
    begun = _add_pairs(store)
    if store.rows == 0:
        raise InputError(f"{path}: {_nothing(store, text)}")
    pause()
    arrays = _in_order(_collected(store, pause), pause)
    arrays["category"] = _categories(store, arrays)
    find_named_streams(arrays, store.lanes, store.names)
    arrays = without_timeless(arrays, store.names, notices, pause)
    if not len(arrays["start"]):
        raise InputError(f"{path}: {_nothing(store, text)}")
    if len(begun):
        arrays = _ended(arrays, begun, pause)
    arrays = without_doubles(arrays, store.names, notices, pause)
    category = arrays["category"]
    first, last = int(arrays["start"][0]), int((arrays["start"] + arrays["dur"]).max())
    strays = store.phases.leave_out(lambda times: beside(times, first, last))
    notices.add("outlier", "a mark or memory event: far from all events", strays)
    stretch = store.stretch
    if stretch is not None:
        store.phases.leave_out(lambda times: ~stretch.overlaps(times, np.zeros_like(times)))
    memory, memory_lanes = store.phases.memory_events()
    times, instant_names, instant_lanes = store.phases.instants()
    origin = int(np.concatenate((times, memory.time)).min(initial=first))
    origin = origin if stretch is None else stretch.origin
    span = first - origin, last - origin
    arrays["start"] -= origin
    pause()
    lanes, renumbered = store.lanes.finish(arrays["lane"], category, instant_lanes)
    arrays["lane"] = renumbered[arrays["lane"]]
    lanes, arrays["device"], moved = devices_apart(lanes, arrays["lane"], arrays["device"])
    names, raw_categories, configs, inputs, instant_names = _numbered(arrays, store, instant_names)
    columns = Columns(**arrays)
    depth, parent, doubtful = _nested(columns, lanes, pause)
    pause()
    launch, unsure = _launches(columns, lanes)
    pause()
    _note_content(columns, launch, unsure, doubtful, names, notices)
    instants = Instants(times - origin, instant_names, renumbered[instant_lanes])
    pids, process = _processes(store.lanes, memory_lanes)
    if moved or len(pids) > 1:
        launched_on = devices_launched_on(lanes, columns, launch, moved)
        device, moved = memory_devices(pids, process, memory.device, launched_on, moved)
        memory = replace(memory, device=device)
    memory = replace(memory, time=memory.time - origin)
    pause()
    for array in (*_arrays(columns), *_arrays(instants), *_arrays(memory), depth, parent, launch):
        array.flags.writeable = False
    return Trace(
        path=path,
        events=store.events + text.left_out,
        category_counts=dict(sorted(store.category_counts.items())),
        columns=columns,
        parent=parent,
        depth=depth,
        launch=launch,
        names=names,
        raw_categories=raw_categories,
        lanes=lanes,
        launch_configs=tuple(map(parse_config, configs)),
        op_inputs=OpInputsTable(inputs),
        instants=instants,
        memory=memory,
        span=span,
        metadata=read_metadata(text.fields, origin),
        renumbered_devices=moved,
        notices=notices.freeze(),
        reader=reader,
    )


def _arrays(columns: Columns | Instants | MemoryEvents) -> Iterator[npt.NDArray[Any]]:
    return (getattr(columns, field.name) for field in fields(columns))


def _nothing(store: Store, text: TraceText) -> str:
    if text.cut_short:
        return "is cut off before its first whole event; nothing of it can be shown"
    if store.stretch is not None and store.any_phase:
        return "holds no event in that part of it"
    if store.events == 0 and text.left_out == 0:
        return "holds no events: nothing was recorded, or the profiler was stopped too early"
    if store.events == 0 or not store.any_phase:
        entries = store.events + text.left_out
        return (
            f"is JSON, but none of its {entries:,} entries is a trace event (with a phase `ph`); "
            "not a profiler trace (export_chrome_trace writes one)"
        )
    return (
        f"holds {store.events:,} entries, but none with a time and a duration "
        "(only names, marks or flows): nothing was recorded"
    )


def _add_pairs(store: Store) -> I64:
    """Packs begin and end pairs as rows: the offsets of the begins that have no end."""
    pairs = [pair for pair in store.phases.pairs() if _is_asked(pair, store.stretch)]
    by_category: dict[tuple[str, bool], list[Pair]] = {}
    for pair in pairs:
        kind = pair.begin.event.cat, pair.begin.asynchronous
        by_category.setdefault(kind, []).append(pair)
    for (category, asynchronous), group in by_category.items():
        # It runs on no thread or stream of its own, whatever its category says.
        raw_category = f"{category} (asynchronous)".strip() if asynchronous else category
        start = np.array([pair.begin.time for pair in group], dtype=np.int64)
        end = np.array([p.begin.time if p.end is None else p.end for p in group], dtype=np.int64)
        store.add_rows(
            [pair.begin.event for pair in group],
            raw_category,
            start,
            end - start,
            np.array([pair.begin.offset for pair in group], dtype=np.int64),
            np.array([pair.begin.length for pair in group], dtype=np.int64),
            unfinished=np.array([pair.end is None for pair in group], dtype=np.bool_),
            lane=np.array([p.begin.lane for p in group], np.int32) if asynchronous else None,
        )
    return np.array([p.begin.offset for p in pairs if p.end is None], dtype=np.int64)


def _is_asked(pair: Pair, stretch: Stretch | None) -> bool:
    if stretch is None:
        return True
    ended_before = pair.end is not None and pair.end <= stretch.low
    return pair.begin.time < stretch.high and not ended_before


def _ended(arrays: Arrays, begun: I64, pause: Pause) -> Arrays:
    """What began, at these offsets, and has no end lasts to the last time seen."""
    open_ended = np.isin(arrays["offset"], begun)
    last = (arrays["start"] + arrays["dur"]).max()
    arrays["dur"][open_ended] = last - arrays["start"][open_ended]
    return _in_order(arrays, pause)


def _collected(store: Store, pause: Pause) -> Arrays:
    """Each column of all tables, one after another."""
    tables = list(store.tables.values())
    arrays: Arrays = {}
    for field, kind in (*COMMON.items(), *EXTRA.items()):
        pause()
        parts = [
            table.take(field) if field in table.types else np.full(table.rows, ABSENT, kind)
            for table in tables
        ]
        arrays[field] = np.concatenate(parts)
    return arrays


def _in_order(arrays: Arrays, pause: Pause) -> Arrays:
    """Sorts rows by start, then longer first, then place in the file."""
    start = arrays["start"]
    # Files are nearly in order of time already: a sort by one key that knows it takes no time.
    order = np.argsort(start, kind="stable")
    again = np.diff(start[order]) == 0
    tied = np.flatnonzero(np.append(again, False) | np.append(False, again))
    rows = order[tied]
    order[tied] = rows[np.lexsort((arrays["offset"][rows], -arrays["dur"][rows], start[rows]))]
    return rows_of(arrays, order, pause)


def _numbered(
    arrays: Arrays, store: Store, instant_names: I32
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[ConfigKey, ...], tuple[InputsKey, ...], I32]:
    """Numbers names, categories, launch configurations and inputs in order of their first use:
    what they are, and the names of the instants.
    """
    table, names = by_first_use(arrays["name"], store.names.values_seen, instant_names)
    arrays["name"], instant_names = table[arrays["name"]], table[instant_names]
    table, raw_categories = by_first_use(arrays["raw_category"], store.raw_categories.values_seen)
    arrays["raw_category"] = table.astype(np.int16)[arrays["raw_category"]]
    table, configs = by_first_use(arrays["launch_config"], store.configs.values_seen)
    arrays["launch_config"] = table[arrays["launch_config"]]
    table, inputs = by_first_use(arrays["inputs"], store.inputs.values_seen)
    arrays["inputs"] = table[arrays["inputs"]]
    return names, raw_categories, configs, inputs, instant_names


def _categories(store: Store, arrays: Arrays) -> I8:
    """The category of every row: by the file's word, and by name where a word means two."""
    of_word = np.array([category_of(text) for text in store.raw_categories.values_seen], np.int8)
    category: I8 = of_word[arrays["raw_category"]]
    ops = np.flatnonzero(category == Category.CPU_OP)
    names, which = np.unique(arrays["name"][ops], return_inverse=True)
    named = [is_annotation(store.names.values_seen[name]) for name in names.tolist()]
    category[ops[np.array(named, np.bool_)[which]]] = Category.USER_ANNOTATION
    return category


def _nested(columns: Columns, lanes: tuple[Lane, ...], pause: Pause) -> tuple[I16, I32, I64]:
    """Depth and parent of every row, lane by lane, and the rows of doubtful length."""
    end = columns.start + columns.dur
    depth = np.zeros(len(end), dtype=np.int16)
    parent = np.full(len(end), ABSENT, dtype=np.int32)
    doubtful = []
    by_lane = np.argsort(columns.lane, kind="stable")
    bounds = np.searchsorted(columns.lane[by_lane], np.arange(len(lanes) + 1))
    for number in np.flatnonzero(np.diff(bounds) > 1).tolist():
        pause()
        kind, rows = lanes[number].kind, by_lane[bounds[number] : bounds[number + 1]]
        if kind is LaneKind.CPU:
            depth[rows], inner = nest(columns.start[rows], end[rows])
            has_parent = inner != ABSENT
            parent[rows[has_parent]] = rows[inner[has_parent]]
        else:
            depth[rows] = pack_rows(columns.start[rows], end[rows])
        if kind is LaneKind.GPU:
            doubtful.append(rows[swallowing(end[rows])])
    return depth, parent, np.concatenate([*doubtful, np.empty(0, dtype=np.int64)])


def _processes(table: LaneTable, lane: I32) -> tuple[tuple[str, ...], I32]:
    """The distinct pids of these lanes, numbered as the table does, and the one of each."""
    used, at = np.unique(lane, return_inverse=True)
    pids = [table.keys[number].pid for number in used.tolist()]
    numbers = {pid: number for number, pid in enumerate(dict.fromkeys(pids))}
    return tuple(numbers), np.array([numbers[pid] for pid in pids], dtype=np.int32)[at]


def _launches(columns: Columns, lanes: tuple[Lane, ...]) -> tuple[I32, I64]:
    pids = {pid: number for number, pid in enumerate(dict.fromkeys(lane.pid for lane in lanes))}
    process = np.array([pids[lane.pid] for lane in lanes], dtype=np.int32)[columns.lane]
    # A device of one rank is told from that of another by the process it is shown under.
    device = columns.device.astype(np.int64) * len(pids) + process
    category = columns.category
    return find_launches(
        np.flatnonzero(np.isin(category, GPU_CATEGORIES)),
        np.flatnonzero((category == Category.RUNTIME) | (category == Category.DRIVER)),
        Linked(
            start=columns.start,
            category=category,
            correlation=columns.correlation,
            external_id=columns.external_id,
            device=device,
            offset=columns.offset,
            process=process,
        ),
    )


def _note_content(
    columns: Columns,
    launch: I32,
    unsure: I64,
    doubtful: I64,
    names: tuple[str, ...],
    notices: Notices,
) -> None:
    """Says what was not recorded, and what cannot be as it is written."""

    def note(kind: str, rows: I64, why: str) -> None:
        if len(rows):
            first = int(rows[0])
            name = names[int(columns.name[first])]
            notices.add(kind, f"{name}: {why}", len(rows), at=int(columns.offset[first]))

    note("unfinished", np.flatnonzero(columns.unfinished), "still ran when the profiler stopped")
    ops = np.flatnonzero(np.isin(columns.category, GPU_CATEGORIES))
    if not len(ops):
        notices.add("no_gpu_ops", "no kernel, copy or set was recorded")
        return
    host = (Category.CPU_OP, Category.USER_ANNOTATION, Category.PYTHON_FUNCTION)
    if not np.isin(columns.category, host).any():
        notices.add("no_cpu_ops", "no CPU op was recorded")
    why = "several calls have its correlation id; which launched it is not told"
    note("ambiguous_launch", unsure, why)
    launched = launch[ops] != ABSENT
    alone = np.setdiff1d(ops[~launched], unsure)
    note("no_launch", alone, "its launch is not in the trace")
    delays = columns.start[ops[launched]] - columns.start[launch[ops[launched]]]
    note("doubtful_duration", doubtful, "lasts over several later operations of its stream")
    note("clock_skew", ops[launched][delays < 0], "starts before its launch")
