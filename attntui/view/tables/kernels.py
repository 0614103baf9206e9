"""GPU operations by name, and each on its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.launches import launch_delays
from attntui.analysis.quantity import Quantity
from attntui.analysis.recorded import NoGpu, why_no_gpu
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.view.session.selection import EventAt, Selection, event_of
from attntui.view.tables.model import (
    Column,
    Place,
    Table,
    data,
    drawn,
    every_row,
    figures,
    first_row,
    flags,
    names,
    shares,
    sizes,
    texts,
    times,
)
from attntui.view.tables.order import share_bar
from attntui.view.words.formats import ABSENT, duration, figure
from attntui.view.words.roofline import NOT_MEASURED, bound_text

TOTALS = ("share", "total_ns", "count", "mean_ns", "min_ns", "max_ns", "streams", "label")
BOUNDS = ("share", "bound", "tflops", "gbps", "roof_share", "coverage", "label")
OCCUPANCIES = (
    *("share", "occupancy_pct", "profiler_occupancy_pct", "tensor_cores", "library"),
    *("limited_by", "label"),
)
"""The columns of the reports on kernels: their time, what bounds them, how they fill the SMs."""


def kernels_table(part: Slice) -> Table:
    """One row a name; `coverage` is the share of its time whose work is known."""
    kernels, facts, labels = part.kernels, part.kernel_facts, part.analysed.labels
    ids = kernels.name.tolist()

    def row_of(selected: Selection) -> int | None:
        event = event_of(part.analysed, selected)
        return None if event is None else first_row(kernels.name == part.trace.name[event])

    columns = (
        drawn(
            "share",
            lambda row: share_bar(float(kernels.share[row]), 8),
            kernels.share,
            Place(8, priority=9),
        ),
        shares("share", "%", kernels.share, Place(7, priority=1)),
        times("total_ns", "total", kernels.total, Place(9)),
        figures("count", "count", kernels.count, Place(7)),
        times("mean_ns", "mean", kernels.mean, Place(9, priority=2)),
        times("min_ns", "min", kernels.min, Place(9, priority=6)),
        times("max_ns", "max", kernels.max, Place(9, priority=7)),
        *_fact_columns(facts),
        _streams(kernels.streams),
        texts("label", "name", [labels.names[i] for i in ids], Place(None)),
        data("name", [part.trace.names[i] for i in ids]),
    )
    return Table(
        columns,
        [labels.words[i] for i in ids],
        every_row(ids),
        sort="total_ns",
        target=lambda row: EventAt(int(kernels.longest[row])),
        row_of=row_of,
        empty=no_gpu(part),
    )


def _fact_columns(facts: tuple[KernelFact, ...]) -> tuple[Column, ...]:
    """What the work by shapes, the launch configuration and the name tell."""
    limits = [" and ".join(fact.limited_by) for fact in facts]
    return (
        texts(
            "bound",
            "bound",
            [bound_text(f) for f in facts],
            Place(12, priority=3),
            values=[f.bound.kind for f in facts],
        ),
        shares("roof_share", "roof", [f.bound.share for f in facts], Place(7, priority=4)),
        figures(
            "occupancy_pct",
            "occ.",
            [f.occupancy_pct for f in facts],
            Place(7, priority=5),
            Quantity.PERCENT,
        ),
        figures(
            "tflops",
            "rate",
            [f.bound.tflops for f in facts],
            quantity=Quantity.FLOP_RATE,
            scale=1e12,
        ),
        figures(
            "gbps", "traffic", [f.bound.gbps for f in facts], quantity=Quantity.BYTE_RATE, scale=1e9
        ),
        shares("coverage", "known", [f.coverage for f in facts]),
        data("beyond_roof_ns", [f.beyond_ns for f in facts]),
        data("intensity", [f.bound.intensity for f in facts]),
        figures("flops", "work", [f.flops for f in facts], quantity=Quantity.FLOPS),
        sizes("hbm_bytes", "HBM est.", [f.moved for f in facts]),
        figures(
            "profiler_occupancy_pct",
            "profiler's",
            [f.profiler_occupancy_pct for f in facts],
            quantity=Quantity.PERCENT,
            text=lambda row: _estimate(facts[row]),
        ),
        data("far_from_roof", [f.bound.far for f in facts]),
        data("far_reasons", [list(f.far_reasons) for f in facts]),
        flags("tensor_cores", "tensor", [f.decoded.tensor_cores for f in facts]),
        texts("library", "library", [_said(f.decoded.library) for f in facts]),
        texts("limited_by", "limited by", [_said(limit) for limit in limits]),
    )


def _estimate(fact: KernelFact) -> Safe:
    """The profiler's occupancy; its 0 % is no figure."""
    if fact.unmeasured:
        return NOT_MEASURED
    return figure(fact.profiler_occupancy_pct, Quantity.PERCENT)


def _said(text: str | None) -> Safe | None:
    return None if not text else safe(text, 60)


def _streams(streams: tuple[tuple[int, ...], ...]) -> Column:
    def text(row: int) -> Safe:
        shown = ",".join(str(s) for s in streams[row][:3])
        return safe(shown + ("…" if len(streams[row]) > 3 else ""))

    order = np.array([s[0] if s else -1 for s in streams], np.int64)
    return Column(
        "streams",
        Safe("stream"),
        lambda row: list(streams[row]),
        text,
        order,
        place=Place(7, priority=8),
    )


NO_GPU = {
    NoGpu.FOREIGN: Safe("no GPU operation: not of PyTorch's profiler, shown in lanes alone"),
    NoGpu.OTHER_ACCELERATOR: Safe("no GPU operation: another accelerator, shown in lanes alone"),
    NoGpu.RANGES: Safe("no GPU operation: a range profile, with counters of the device by range"),
    NoGpu.LOST: Safe("no GPU operation, though calls launched some: the GPU's records are lost"),
    NoGpu.CPU_ALONE: Safe("no GPU operation: the CPU alone; profile with ProfilerActivity.CUDA"),
}
"""Why a trace has no GPU operation, in words."""


def no_gpu(part: Slice) -> Safe:
    """Why a table of GPU operations is empty."""
    why = why_no_gpu(part.trace)
    return Safe("no GPU operation in this scope: S widens it") if why is None else NO_GPU[why]


def instances_table(part: Slice) -> Table:
    """Every GPU operation of the slice on its own, by start."""
    trace, rows, labels = part.trace, part.gpu_ops, part.analysed.labels
    told = launch_delays(trace, rows)
    delay = np.full(len(rows), np.nan)
    delay[np.searchsorted(rows, told.rows)] = told.delay
    ids = trace.name[rows]

    def delay_text(row: int) -> Safe:
        if np.isnan(delay[row]):
            return ABSENT
        return Safe("skew") if delay[row] < 0 else duration(float(delay[row]))

    def row_of(selected: Selection) -> int | None:
        event = event_of(part.analysed, selected)
        return None if event is None else first_row(rows == event)

    columns = (
        times("start_ns", "start", trace.start[rows], Place(11), digits=7),
        times("duration_ns", "time", trace.dur[rows], Place(9)),
        replace(
            times("delay_ns", "delay", delay, Place(9, priority=2), text=delay_text),
            value=lambda row: None if np.isnan(delay[row]) else int(delay[row]),
        ),
        figures("stream", "stream", trace.stream[rows], Place(7, priority=3)),
        names("label", "name", labels.names, ids, Place(None)),
    )
    return Table(
        columns,
        labels.words,
        ids.astype(np.int64),
        sort="start_ns",
        descending=False,
        target=lambda row: EventAt(int(rows[row])),
        row_of=row_of,
        empty=no_gpu(part),
    )
