"""The finding about k and v that are copied to every query head before attention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.attention import AttentionCall
from attntui.analysis.findings.columns import by_inputs, bytes_of_all, of_kinds
from attntui.analysis.findings.gains import shorter
from attntui.analysis.findings.ledger import Ledger
from attntui.analysis.findings.model import Finding, costliest, finding
from attntui.analysis.names.words import OperationKind
from attntui.analysis.work.model import Arguments
from attntui.trace.model import ABSENT, I64, OpInputs

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


def expanded_heads(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Copies that write k or v out for every query head, for the attention call that follows
    on the thread: a copy that writes at least twice what it reads, as many elements as the
    call's k or v with all its heads.
    """
    trace = seen.trace
    copies, launch, elements, times = _expanding(seen)
    calls = [c for c in seen.attention if c.start is not None and _size(c) is not None]
    if not len(copies) or not calls:
        return
    calls = sorted(calls, key=lambda call: call.start or 0)
    chosen = np.zeros(len(copies), np.bool_)
    for lane in {call.lane for call in calls}:
        own = [call for call in calls if call.lane == lane]
        ends = np.array([call.end for call in own], np.int64)
        here = np.flatnonzero(trace.lane[launch] == lane)
        following = np.searchsorted(ends, trace.start[launch[here]], side="right")
        for at, call in zip(here.tolist(), following.tolist(), strict=True):
            chosen[at] = (
                call < len(own)
                and int(elements[at]) == _size(own[call])
                # Of one element for all, as a gradient of a sum, no head is left.
                and int(times[at]) <= (own[call].heads or 0)
            )
    rows = copies[chosen]
    if not len(rows):
        return
    share, under = time.of_work(rows)
    figures = {"copies": len(rows), "copying_ns": int(trace.dur[rows].sum())}
    title = (
        "k and v are written out for every query head before attention: {copies:copy/copies}, "
        "{copying_ns}"
    )
    moved = bytes_of_all(seen, rows)
    if moved is not None:
        figures["moved_bytes"] = moved
        title += ", {moved_bytes} moved"
    found = finding(
        seen,
        "expanded-heads",
        cost=share.ns,
        gain=shorter(seen, factor=share.factor()),
        title=title,
        assumes="the copies fall away; that attention reads less is not counted",
        figures=figures,
        evidence=costliest(rows, trace.dur[rows]),
        advice="Pass k and v with their own heads: scaled_dot_product_attention(..., "
        "enable_gqa=True), flash-attn and FlexAttention take fewer k and v heads than q heads.",
        work=share.busy_ns,
        under=under,
    )
    yield from time.charged(found, share)


def _expanding(seen: Slice) -> tuple[I64, I64, I64, I64]:
    """GPU operations that copy an expanded tensor, so that each element is written at least
    twice; their launches, how many elements they write, and how many times each.
    """
    trace = seen.trace
    copies = of_kinds(seen, (OperationKind.COPY,))
    at = np.flatnonzero(copies & (trace.launch[seen.gpu_ops] != ABSENT))
    expanded = by_inputs(trace, seen.inputs[at], _expanded, columns=2)
    written, times = expanded.T
    some = written > 0
    rows = seen.gpu_ops[at[some]]
    return rows, trace.launch[rows].astype(np.int64), written[some], times[some]


def _expanded(inputs: OpInputs) -> tuple[int, int]:
    """Elements of the largest tensor among a copy's that has each of its own twice at least,
    by its strides, and how many times; zeros without one.
    """
    args = Arguments(inputs)
    tensors = [tensor for i in range(2) if (tensor := args.tensor(i)) is not None]
    return max(
        ((t.numel, t.numel // t.distinct) for t in tensors if 2 * t.distinct <= t.numel > 0),
        default=(0, 0),
    )


def _size(call: AttentionCall) -> int | None:
    """Elements of a call's k or v with as many heads as q; None where a size is not known."""
    if call.batch is None or call.heads is None or call.kv_len is None or call.head_dim is None:
        return None
    return call.batch * call.heads * call.kv_len * call.head_dim
