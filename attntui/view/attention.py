"""Attention calls for the screens: the pane's table, the timeline's track, the detail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from attntui.analysis.attention import AttentionCall
from attntui.analysis.attention_ops import Direction
from attntui.trace.model import Trace
from attntui.trace.nesting import pack_rows
from attntui.view.formats import ABSENT, count, duration, percent, rate, ratio, size
from attntui.view.raster import RowIndex
from attntui.view.tables import Column, Table, Target, name_keys
from attntui.view.tracks import Track, TrackKind

DIRECTIONS = {Direction.FORWARD: "fwd", Direction.BACKWARD: "bwd"}


def shape_text(call: AttentionCall) -> str:
    """Batch x heads x length x head dim; `q/kv` where lengths or heads differ."""

    def one(value: int | None) -> str:
        return "?" if value is None else str(value)

    def two(first: int | None, second: int | None) -> str:
        return one(first) if second is None or first == second else f"{one(first)}/{one(second)}"

    heads, length = two(call.heads, call.kv_heads), two(call.q_len, call.kv_len)
    return "x".join((one(call.batch), heads, length, one(call.head_dim)))


def call_text(call: AttentionCall) -> str:
    """A call in a few words: `naive fwd 8x16x1024x64`."""
    return f"{call.backend} {DIRECTIONS[call.direction]} {shape_text(call)}"


def causal_text(call: AttentionCall) -> str:
    """Whether the mask is causal; a trace that does not tell is no `no`."""
    return ABSENT if call.causal is None else ("causal" if call.causal else "full")


def gpu_span(trace: Trace, call: AttentionCall) -> tuple[int, int] | None:
    """From the call's first GPU operation's start to the last one's end, in ns."""
    if not call.gpu_ops:
        return None
    return int(trace.start[call.gpu_rows].min()), int(trace.end[call.gpu_rows].max())


def call_span(trace: Trace, call: AttentionCall) -> tuple[int, int]:
    """Where a call is shown: its time on the GPU, else on the host."""
    host = (call.start or 0, call.end if call.end is not None else call.start or 0)
    return gpu_span(trace, call) or host


def call_event(call: AttentionCall) -> int | None:
    """The row that stands for a call: its op, else its first GPU operation."""
    if call.op is not None:
        return call.op
    return int(call.gpu_rows[0]) if call.gpu_ops else None


def attention_track(trace: Trace, calls: Sequence[AttentionCall]) -> Track | None:
    """The calls over their GPU time; events are the rows that stand for them."""
    spans = [(*call_span(trace, c), event) for c in calls if (event := call_event(c)) is not None]
    if not spans:
        return None
    table = np.array(sorted(spans), np.int64)
    start, end, event = table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy()
    row = pack_rows(start, end).astype(np.int64)
    rows = tuple(
        RowIndex(start[row == number], end[row == number], event[row == number])
        for number in range(int(row.max()) + 1)
    )
    return Track(TrackKind.ATTENTION, "attention", rows, event, row)


def attention_table(trace: Trace, calls: Sequence[AttentionCall]) -> Table:
    """One row a call."""
    words = [f"{call_text(call)} {call.dtype or ''} {causal_text(call)}" for call in calls]
    rows = np.arange(len(calls), dtype=np.int64)

    def told(values: Sequence[float | None]) -> npt.NDArray[np.float64]:
        return np.array([np.nan if v is None else float(v) for v in values], np.float64)

    def per_second(call: AttentionCall) -> float | None:
        return call.flops / call.gpu_ns * 1e9 if call.flops is not None and call.gpu_ns else None

    starts = [call_span(trace, call)[0] for call in calls]
    gpu_ns = np.array([call.gpu_ns for call in calls], np.int64)
    columns = (
        Column(
            "start", lambda r: duration(starts[r], 6), np.array(starts, np.int64), 10, priority=3
        ),
        Column(
            "call",
            lambda r: call_text(calls[r]),
            name_keys(words, rows),
            None,
            right=False,
        ),
        Column(
            "mask", lambda r: causal_text(calls[r]), told([c.causal for c in calls]), 6, priority=4
        ),
        Column(
            "dtype",
            lambda r: calls[r].dtype or ABSENT,
            name_keys([c.dtype or "" for c in calls], rows),
            5,
            right=False,
            priority=7,
        ),
        Column("GPU", lambda r: duration(calls[r].gpu_ns), gpu_ns, 9),
        Column(
            "ops",
            lambda r: count(calls[r].gpu_ops),
            np.array([c.gpu_ops for c in calls], np.int64),
            4,
        ),
        Column(
            "CPU",
            lambda r: duration(calls[r].cpu_ns),
            told([c.cpu_ns for c in calls]),
            9,
            priority=2,
        ),
        Column(
            "HBM est.",
            lambda r: size(calls[r].hbm_bytes),
            told([c.hbm_bytes for c in calls]),
            8,
            priority=1,
        ),
        Column(
            "fused",
            lambda r: size(calls[r].fused_hbm_bytes),
            told([c.fused_hbm_bytes for c in calls]),
            8,
            priority=5,
        ),
        Column(
            "rate",
            lambda r: rate(per_second(calls[r]), "FLOP/s"),
            told([per_second(call) for call in calls]),
            12,
            priority=6,
        ),
    )

    def target(row: int) -> Target:
        low, high = call_span(trace, calls[row])
        return Target(low, high, event=call_event(calls[row]))

    return Table(columns, words, rows, target, empty="no attention found in this scope")


def attention_lines(call: AttentionCall) -> Iterator[tuple[str, str]]:
    """A call as label and text for the detail pane."""
    yield "call", f"{call_text(call)} {call.dtype or ''}".rstrip()
    yield "mask", causal_text(call) if call.causal is not None else "causal or not: not told"
    yield "because", call.evidence
    yield "GPU", f"{duration(call.gpu_ns)} in {call.gpu_ops} operations"
    yield "CPU", duration(call.cpu_ns)
    if call.flops is not None:
        yield "work", f"{rate(call.flops, 'FLOP')}"
    if call.hbm_bytes is not None and call.fused_hbm_bytes is not None:
        factor = ratio(call.hbm_bytes, call.fused_hbm_bytes)
        more = f", {factor:.1f} times" if factor is not None else ""
        yield (
            "HBM est.",
            f"{size(call.hbm_bytes)}; one fused kernel {size(call.fused_hbm_bytes)}{more}",
        )
    for share in call.roles:
        moved = "" if share.hbm_bytes is None else f" {size(share.hbm_bytes)}"
        part = percent(ratio(share.gpu_ns, call.gpu_ns))
        times = f" in {share.gpu_ops}" if share.gpu_ops > 1 else ""
        yield f" {share.role}", f"{duration(share.gpu_ns):>8} {part:>7}{moved}{times}"
