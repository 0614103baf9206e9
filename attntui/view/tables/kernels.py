"""The kernels, gaps and steps panes as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from attntui.analysis.kernel_facts import traffic
from attntui.analysis.launches import launch_delays
from attntui.trace.model import ABSENT as MISSING
from attntui.trace.model import I64
from attntui.view.analyses import GapList, ScopeFacts
from attntui.view.document import Document
from attntui.view.words.formats import ABSENT, count, duration, percent, size
from attntui.view.tables.order import Column, Table, Target, name_keys, share_bar


def event_target(document: Document, row: int) -> Target:
    """An event as the thing a table row stands for."""
    trace = document.trace
    return Target(int(trace.start[row]), int(trace.end[row]), event=row)


BOUNDS = ("", "compute", "latency", "memory")


def _floats(values: Sequence[float | None]) -> npt.NDArray[np.float64]:
    return np.array([np.nan if v is None else v for v in values], np.float64)


def _share(percentage: float | None) -> float | None:
    return None if percentage is None else percentage / 100


def _streams(streams: tuple[int, ...]) -> str:
    shown = ",".join(str(s) for s in streams[:3])
    return shown + ("…" if len(streams) > 3 else "")


def kernels_by_name(document: Document, facts: ScopeFacts) -> Table:
    """GPU operations grouped by name."""
    kernels, told = facts.kernels, facts.observed.facts
    shown = [document.short[i] for i in kernels.name.tolist()]
    words = np.arange(len(kernels), dtype=np.int64)

    def time(values: I64) -> Callable[[int], str]:
        return lambda row: duration(float(values[row]))

    columns = (
        Column(
            "share",
            lambda row: share_bar(float(kernels.share[row]), 8),
            kernels.share,
            8,
            right=False,
            priority=9,
        ),
        Column("%", lambda row: percent(float(kernels.share[row])), kernels.share, 7, priority=1),
        Column("total", time(kernels.total), kernels.total, 9),
        Column("count", lambda row: count(int(kernels.count[row])), kernels.count, 7),
        Column("mean", lambda row: duration(float(kernels.mean[row])), kernels.mean, 9, priority=2),
        Column("min", time(kernels.min), kernels.min, 9, priority=6),
        Column("max", time(kernels.max), kernels.max, 9, priority=7),
        Column(
            "bound",
            lambda row: told[row].bound.kind or ABSENT,
            name_keys(BOUNDS, np.array([BOUNDS.index(f.bound.kind or "") for f in told], np.int64)),
            7,
            right=False,
            priority=3,
        ),
        Column(
            "roof",
            lambda row: percent(told[row].bound.share),
            _floats([f.bound.share for f in told]),
            7,
            priority=4,
        ),
        Column(
            "occ.",
            lambda row: percent(_share(told[row].occupancy_pct)),
            _floats([f.occupancy_pct for f in told]),
            7,
            priority=5,
        ),
        Column(
            "stream",
            lambda row: _streams(kernels.streams[row]),
            np.array([s[0] if s else -1 for s in kernels.streams], np.int64),
            7,
            priority=8,
        ),
        Column(
            "name",
            lambda row: document.short[int(kernels.name[row])],
            name_keys(shown, words),
            None,
            right=False,
        ),
    )
    return Table(
        columns,
        [document.words[i] for i in kernels.name.tolist()],
        words,
        lambda row: event_target(document, int(kernels.longest[row])),
        empty=_no_gpu(document),
    )


def _no_gpu(document: Document) -> str:
    if not len(document.trace.gpu_ops):
        return "this trace recorded no GPU operation: profile with ProfilerActivity.CUDA"
    return "no GPU operation in this scope"


def kernel_instances(document: Document, facts: ScopeFacts) -> Table:
    """Every GPU operation of the scope on its own."""
    trace = document.trace
    rows = facts.rows.gpu
    told = launch_delays(trace, rows)
    delay = np.full(len(rows), np.nan)
    delay[np.searchsorted(rows, told.rows)] = told.delay
    ids = trace.name[rows]

    def delay_text(row: int) -> str:
        if np.isnan(delay[row]):
            return "-"
        return "skew" if delay[row] < 0 else duration(float(delay[row]))

    columns = (
        Column(
            "start", lambda row: duration(int(trace.start[rows[row]]), 7), trace.start[rows], 11
        ),
        Column("time", lambda row: duration(int(trace.dur[rows[row]])), trace.dur[rows], 9),
        Column("delay", delay_text, delay, 9, priority=2),
        Column(
            "stream",
            lambda row: str(int(trace.stream[rows[row]])),
            trace.stream[rows],
            7,
            priority=3,
        ),
        Column(
            "name",
            lambda row: document.short[int(ids[row])],
            name_keys(document.short, ids),
            None,
            right=False,
        ),
    )
    return Table(
        columns,
        document.words,
        ids.astype(np.int64),
        lambda row: event_target(document, int(rows[row])),
        empty=_no_gpu(document),
    )


def gaps_table(document: Document, gaps: GapList, threshold: int) -> Table:
    """The gaps of a scope over the threshold, with what stood on either side.

    A gap of a single stream leads to the operation that ends it.
    """
    trace = document.trace
    chosen = gaps.over(threshold)
    length, start = gaps.length[chosen], gaps.start[chosen]
    before, after = gaps.before[chosen], gaps.after[chosen]
    ops = gaps.launching_ops[chosen]

    def op_text(row: int) -> str:
        return document.short_of(int(ops[row])) if ops[row] >= 0 else "-"

    def target(row: int) -> Target:
        begin = int(start[row])
        end = begin + int(length[row])
        if gaps.stream[chosen[row]] != MISSING:
            return Target(begin, end, event=int(after[row]), stream_gap=int(chosen[row]))
        return document.stretch_target(begin, end, int(gaps.device[chosen[row]]))

    def place(row: int) -> str:
        device, stream = int(gaps.device[chosen[row]]), int(gaps.stream[chosen[row]])
        return str(device) if stream == MISSING else f"{device} s{stream}"

    op_names = np.where(
        ops >= 0, name_keys(document.short, trace.name[np.maximum(ops, 0)]), MISSING
    )
    columns = (
        Column("length", lambda row: duration(int(length[row])), length, 9),
        Column("start", lambda row: duration(int(start[row]), 6), start, 10, priority=1),
        Column(
            "GPU",
            place,
            gaps.device[chosen],
            7,
            priority=6 if (gaps.stream == MISSING).all() else 0,
        ),
        Column(
            "cause",
            lambda row: gaps.label(int(chosen[row])),
            gaps.main[chosen],
            21,
            right=False,
        ),
        Column(
            "before",
            lambda row: document.short_of(int(before[row])),
            name_keys(document.short, trace.name[before]),
            22,
            right=False,
            priority=3,
        ),
        Column(
            "after",
            lambda row: document.short_of(int(after[row])),
            name_keys(document.short, trace.name[after]),
            None,
            right=False,
        ),
        Column("launched by", op_text, op_names, 24, right=False, priority=2),
    )
    return Table(
        columns,
        document.words,
        trace.name[after].astype(np.int64),
        target,
        empty="no gap over the threshold" if len(gaps) else "no gap: nothing ran, or without pause",
    )


def steps_table(document: Document) -> Table:
    """The steps: their time on the host and the GPU, and the bytes that they moved, by shapes."""
    trace, steps = document.trace, document.steps
    owned = [steps.owned(i) for i in range(len(steps))]
    gpu_ns = np.array([int(trace.dur[o].sum()) for o in owned], np.int64)
    ops = np.array([len(o) for o in owned], np.int64)
    moved = [traffic(document.analyses.work, o).moved for o in owned]
    words = np.arange(len(steps), dtype=np.int64)
    names = [trace.name_of(int(row)) for row in steps.rows]
    columns = (
        Column("start", lambda row: duration(int(steps.start[row]), 6), steps.start, 10),
        Column("host", lambda row: duration(int(steps.duration[row])), steps.duration, 9),
        Column("GPU", lambda row: duration(int(gpu_ns[row])), gpu_ns, 9),
        Column("GPU ops", lambda row: count(int(ops[row])), ops, 8, priority=2),
        Column("HBM est.", lambda row: size(moved[row]), _floats(moved), 8, priority=3),
        Column(
            "",
            lambda row: "outlier" if steps.outlier[row] else "",
            steps.outlier.astype(np.int64),
            8,
            right=False,
            priority=1,
        ),
        Column(
            "step",
            lambda row: document.short_of(int(steps.rows[row])),
            name_keys(names, words),
            None,
            right=False,
            least=16,
        ),
    )
    return Table(
        columns,
        names,
        words,
        lambda row: event_target(document, int(steps.rows[row])),
        empty="no steps in this trace",
    )
