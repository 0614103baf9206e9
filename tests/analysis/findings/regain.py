"""Gains of findings counted again: what the run with the fix made is shorter by.

By the table of docs/architecture.md, with the run of `replayed.py`. Shares no code with the
finders; `recount.Counted` says what a finding owns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import recount
from recount import Books, Counted
from replayed import span

from attntui.analysis.attention import AttentionCall
from attntui.analysis.findings import thresholds
from attntui.analysis.host_activity import Activity
from attntui.analysis.runtime_calls import CallKind
from attntui.trace import Trace
from attntui.trace.model import ABSENT

HostStretch = tuple[int, int, int]
"""Thread (lane), start, end."""


@dataclass(frozen=True)
class Gained:
    """By how much the devices' spans are shorter, and their work, in ns."""

    span: int
    work: int = 0


def shorter(
    books: Books,
    takes: Mapping[int, float] | None = None,
    spared: Iterable[HostStretch] = (),
    without: Callable[[int], bool] = lambda call: False,
    beside: Mapping[int, int] | None = None,
) -> Gained:
    """How much shorter the devices' spans and their work are where some operations take another
    part of their own time, the host is spared some work, some calls wait no more, and `beside`
    (ns by row) runs beside the rest.
    """
    seen, takes, gained, work = books.seen, takes or {}, 0, 0
    spared = list(spared)
    for device, r in zip(seen.devices, seen.replays, strict=True):
        rows = device.rows.tolist()
        own = [round(books.own[row] * takes.get(row, 1.0)) for row in rows]
        lanes = set(r.lanes.tolist())
        kept = [i for i, call in enumerate(r.calls.tolist()) if not without(call)]
        took = span(r, own, [(low, high) for lane, low, high in spared if lane in lanes], kept)
        least = sum(beside.get(row, 0) for row in rows) if beside is not None else 0
        gained += device.end - device.start - max(took, least)
        work += sum(books.own[row] for row in rows) - max(sum(own), least)
    return Gained(max(0, gained), max(0, work))


def outermost(trace: Trace, rows: Iterable[int], kept_ns: int = 0) -> list[HostStretch]:
    """The stretches of host events inside none of the others, without the first ns of each."""
    chosen = set(rows)
    return [
        (int(trace.lane[row]), int(trace.start[row]) + kept_ns, int(trace.end[row]))
        for row in chosen
        if not any(at in chosen for at, _ in recount.names_around(trace, row))
    ]


def rows_where(values: Iterable[int], wanted: int) -> list[int]:
    return [row for row, value in enumerate(values) if value == wanted]


def whole(books: Books, counted: Counted) -> Gained:
    return Gained(counted.cost)


def half(books: Books, counted: Counted) -> Gained:
    return Gained(counted.cost // 2)


def gone(books: Books, counted: Counted) -> Gained:
    """The operations fall away."""
    return shorter(books, {row: 0.0 for row, ns in counted.busy.items() if ns})


def data_loading(books: Books, counted: Counted) -> Gained:
    trace, rank = books.seen.trace, books.seen.analysed.finder.host.rank.tolist()
    loads = rows_where(rank, Activity.DATA_LOADING)
    return shorter(books, spared=outermost(trace, loads, thresholds.READY_BATCH_NS))


def allocation(goes_on: bool) -> Callable[[Books, Counted], Gained]:
    def count(books: Books, counted: Counted) -> Gained:
        trace, since = books.seen.trace, recount.allocating_since(books.seen)
        calls = rows_where(books.seen.analysed.finder.host.kinds.tolist(), CallKind.MEMORY)
        own = [call for call in calls if (trace.start[call] >= since) == goes_on]
        return shorter(books, spared=outermost(trace, own))

    return count


def fused(backend: str) -> Callable[[Books, Counted], Gained]:
    def count(books: Books, counted: Counted) -> Gained:
        trace = books.seen.trace
        calls = recount.calls_of(books.seen, backend)
        ran = [int(trace.dur[call.gpu_rows].sum()) for call in calls]
        less = [recount.fused_ns(books.seen, call) for call in calls]
        takes = {row: sum(less) / max(sum(ran), 1) for row, ns in counted.busy.items() if ns}
        for call, before, after in zip(calls, ran, less, strict=True):
            takes |= dict.fromkeys(call.gpu_rows.tolist(), after / max(before, 1))
        return shorter(books, takes, spared=[s for c in calls for s in to_last_launch(trace, c)])

    return count


def to_last_launch(trace: Trace, call: AttentionCall) -> list[HostStretch]:
    """The host's time in a call but for one launch."""
    launches = [int(trace.start[at]) for at in trace.launch[call.gpu_rows].tolist() if at != ABSENT]
    if call.lane is None or call.start is None or not launches or max(launches) <= call.start:
        return []
    return [(call.lane, call.start, max(launches))]


def upcast(books: Books, counted: Counted) -> Gained:
    left = 1 - counted.figures["casting_ns"] / max(counted.figures["gpu_time_ns"], 1)
    return shorter(books, {row: left for row, ns in counted.busy.items() if ns})


def hidden(books: Books, counted: Counted) -> Gained:
    return shorter(books, dict.fromkeys(recount.hidden_rows(books.seen), 0.0))


def optimizer(books: Books, counted: Counted) -> Gained:
    loops = recount.optimizer_loops(books.seen)
    names = books.seen.trace.name
    tensors = 0
    for loop in loops:
        of_loop = names[loop].tolist()
        tensors += max(of_loop.count(name) for name in of_loop)
    host = sum(ns for (_, cause), ns in counted.idle.items() if cause in recount.GIVING_OUT)
    idle = max(0, host - 10_000 * tensors)
    on_gpu = shorter(
        books, {row: 1 - min(ns, 2_000) / ns for row, ns in counted.busy.items() if ns}
    )
    return Gained(idle + on_gpu.span, on_gpu.work)


def pageable(books: Books, counted: Counted) -> Gained:
    seen, trace = books.seen, books.seen.trace
    rows = recount.pageable_rows(seen)
    calls = {int(trace.launch[row]) for row in rows} - {ABSENT}
    ops = {recount.op_around(trace, call) for call in calls} - {ABSENT}
    size, rate = trace.columns.copied_bytes, recount.pinned_rate(seen)
    return shorter(
        books,
        {row: min(1.0, int(size[row]) / rate / max(int(trace.dur[row]), 1)) for row in rows},
        outermost(trace, calls, thresholds.LAUNCH_CALL_NS),
        lambda call: call in calls or recount.op_around(trace, call) in ops,
    )


def alone(books: Books, counted: Counted) -> Gained:
    """The operations run beside the rest."""
    mine = [row for row, ns in counted.busy.items() if ns]
    dur = books.seen.trace.dur
    return shorter(books, dict.fromkeys(mine, 0.0), beside={row: int(dur[row]) for row in mine})


def collectives(books: Books, counted: Counted) -> Gained:
    mine = [row for row, ns in counted.busy.items() if ns]
    rows, dur = recount.collective_rows(books.seen), books.seen.trace.dur
    return shorter(books, dict.fromkeys(mine, 0.0), beside={row: int(dur[row]) for row in rows})


def products(books: Books, counted: Counted) -> Gained:
    if counted.takes is None:
        # Not known: nothing, but all of it is judged.
        return Gained(0, counted.work)
    return shorter(books, {row: counted.takes[row] / ns for row, ns in counted.busy.items() if ns})


def pointwise(books: Books, counted: Counted) -> Gained:
    moved, kept = counted.figures["moved_bytes"], counted.figures["fused_bytes"]
    takes = {row: kept / max(moved, 1) for row, ns in counted.busy.items() if ns}
    for chain, before, after in recount.chain_bytes(books):
        takes |= dict.fromkeys(chain, after / max(before, 1))
    return shorter(books, {row: max(part, 0.2) for row, part in takes.items()})


def blocking_copies(books: Books, counted: Counted) -> Gained:
    kinds = books.seen.analysed.finder.host.kinds
    return shorter(books, without=lambda call: kinds[call] == CallKind.COPY)


def tiny(books: Books, counted: Counted) -> Gained:
    left = {row: books.busy[row] for row in counted.busy}
    return shorter(books, {row: 1 - min(ns, 2_000) / 2 / ns for row, ns in left.items() if ns})


def small_grid(books: Books, counted: Counted) -> Gained:
    blocks = recount.small_grids(books)
    takes = {}
    for row, ns in counted.busy.items():
        if ns:
            number, sms = blocks.get(row, (1, 1))
            takes[row] = 1 - max(ns - 2_000, 0) * (1 - number / sms) / ns
    return shorter(books, takes)


GAIN: dict[str, Callable[[Books, Counted], Gained]] = {
    "idle-data-loading": data_loading,
    "first-use-load": whole,
    "steady-allocation": allocation(goes_on=True),
    "first-allocation": allocation(goes_on=False),
    "naive-attention": fused("naive"),
    "sdpa-math": fused("math"),
    "upcast": upcast,
    "hidden-copy": hidden,
    "expanded-heads": gone,
    "optimizer-loop": optimizer,
    "pageable-copies": pageable,
    "exposed-copies": alone,
    "exposed-communication": collectives,
    "unaligned-shapes": products,
    "fp32-products": products,
    "unfused-pointwise": pointwise,
    "opaque-cpu": whole,
    "idle-python": whole,
    "idle-unrecorded": whole,
    "idle-dispatch": whole,
    "idle-runtime": whole,
    "idle-launch-call": whole,
    "launch-bound": whole,
    "tiny-kernels": tiny,
    "small-grid": small_grid,
    "idle-copy": blocking_copies,
    "idle-unexplained": whole,
    "idle-wait-event": whole,
    "idle-unknown": whole,
    "graph-gaps": half,
    "kernel-starts": half,
}

OF_PRODUCTS = [name for name, count in GAIN.items() if count is products]


def gain(books: Books, name: str, counted: Counted) -> Gained:
    """A finding's gain, before it takes its time: at most what it costs, and of work at most
    what is in that.
    """
    found = GAIN[name](books, counted) if counted.gain is None else Gained(counted.gain)
    return Gained(max(0, min(found.span, counted.cost)), min(found.work, counted.work))
