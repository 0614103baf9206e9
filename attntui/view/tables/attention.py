"""Attention calls: each on its own, by kind, and the roles that their GPU time went into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from attntui.analysis.attention import AttentionCall
from attntui.analysis.quantity import Quantity
from attntui.analysis.recorded import host_recorded
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.view.session.selection import CallAt, Selection, call_span, event_of
from attntui.view.tables.model import (
    Place,
    Table,
    computed,
    data,
    every_row,
    figures,
    flags,
    shares,
    sizes,
    texts,
    times,
)
from attntui.view.words.attention import (
    call_text,
    causal_text,
    kind_text,
    ops_text,
)

KINDS = (
    *("calls", "gpu_ns", "gpu_ops", "mean_gpu_ops", "mean_gpu_ns", "mean_cpu_ns", "hbm_bytes"),
    *("fused_hbm_bytes", "casts_ns", "upcast", "label"),
)
"""The columns of the report on kinds of calls."""

_T = TypeVar("_T")

_FACTS = (
    *("backend", "direction", "batch", "heads", "kv_heads", "q_len", "kv_len", "head_dim"),
    *("causal", "flops", "memsets", "evidence"),
)
"""What JSON tells of a call beside the columns that people see, as the call itself names it."""


def attention_table(part: Slice) -> Table:
    """One row a call."""
    calls, analysed = part.attention, part.analysed
    index_of = {id(call.gpu_rows): index for index, call in enumerate(analysed.attention)}
    places = [index_of[id(call.gpu_rows)] for call in calls]
    rates = [
        call.flops / call.gpu_ns * 1e9 if call.flops is not None and call.gpu_ns else None
        for call in calls
    ]

    def row_of(selected: Selection) -> int | None:
        index = selected.index if isinstance(selected, CallAt) else None
        if index is None:
            event = event_of(analysed, selected)
            index = None if event is None else analysed.calls_by_event.get(event)
        return places.index(index) if index in places else None

    columns = (
        times(
            "start_ns",
            "start",
            [call_span(part.trace, call)[0] for call in calls],
            Place(10, priority=3),
            digits=6,
        ),
        texts("label", "call", [call_text(call) for call in calls], Place(None)),
        texts(
            "mask",
            "mask",
            [None if call.causal is None else causal_text(call) for call in calls],
            Place(6, priority=4),
        ),
        texts(
            "dtype",
            "dtype",
            [None if call.dtype is None else safe(call.dtype) for call in calls],
            Place(5, priority=7),
        ),
        times("gpu_ns", "GPU", [c.gpu_ns for c in calls], Place(9)),
        figures(
            "gpu_ops",
            "ops",
            [c.gpu_ops for c in calls],
            Place(6),
            text=lambda row: ops_text(calls[row].gpu_ops, calls[row].memsets),
        ),
        times("cpu_ns", "CPU", [c.cpu_ns for c in calls], Place(9, priority=2)),
        sizes("hbm_bytes", "HBM est.", [c.hbm_bytes for c in calls], Place(8, priority=1)),
        sizes("fused_hbm_bytes", "fused", [c.fused_hbm_bytes for c in calls], Place(8, priority=5)),
        times("casts_ns", "casts", [c.casts_ns for c in calls], Place(9, priority=8)),
        flags("upcast", "upcast", [c.upcast for c in calls], Place(6, priority=9)),
        figures("flops_per_s", "rate", rates, Place(12, priority=6), Quantity.FLOP_RATE),
        *(data(name, [getattr(call, name) for call in calls]) for name in _FACTS),
        computed("roles", lambda row: _roles_of(calls[row])),
    )
    words = [kind_text(call) for call in calls]
    return Table(
        columns,
        words,
        every_row(words),
        sort="start_ns",
        descending=False,
        target=lambda row: CallAt(places[row]),
        row_of=row_of,
        empty=_no_attention(part),
    )


def _no_attention(part: Slice) -> Safe:
    """Why no call is shown, and what would show some."""
    if part.analysed.attention:
        return Safe("no attention in this scope: S widens it")
    if len(part.trace.gpu_ops) or host_recorded(part.trace):
        return Safe("no attention found: record with record_shapes=True, or search with /")
    return Safe("no attention found: no CPU op and no GPU operation was recorded")


def _roles_of(call: AttentionCall) -> list[dict[str, Any]]:
    return [
        {
            "role": share.role,
            "gpu_ops": share.gpu_ops,
            "gpu_ns": share.gpu_ns,
            "hbm_bytes": share.hbm_bytes,
        }
        for share in call.roles
    ]


Kinds = dict[Safe, list[AttentionCall]]


def kinds_of(calls: Sequence[AttentionCall]) -> Kinds:
    """Calls by what is told of them, the most GPU time first."""
    found: Kinds = {}
    for call in calls:
        found.setdefault(kind_text(call), []).append(call)
    return dict(sorted(found.items(), key=lambda item: -sum(call.gpu_ns for call in item[1])))


def kinds_table(kinds: Kinds) -> Table:
    """One row a kind of call; bytes are None where a call's are not known."""
    groups = list(kinds.values())
    gpu_ns = [sum(call.gpu_ns for call in own) for own in groups]
    cpu_ns = [_sum([call.cpu_ns for call in own]) for own in groups]
    calls = [len(own) for own in groups]
    columns = (
        figures("calls", "calls", calls),
        times("gpu_ns", "GPU time", gpu_ns),
        figures("gpu_ops", "GPU ops", [sum(call.gpu_ops for call in own) for own in groups]),
        figures(
            "mean_gpu_ops",
            "a call",
            [sum(call.gpu_ops for call in own) / len(own) for own in groups],
            text=lambda row: _each(groups[row]),
        ),
        times("mean_gpu_ns", "mean", [ns / n for ns, n in zip(gpu_ns, calls, strict=True)]),
        times(
            "mean_cpu_ns",
            "CPU mean",
            [None if ns is None else ns / n for ns, n in zip(cpu_ns, calls, strict=True)],
        ),
        sizes("hbm_bytes", "HBM est.", [_sum([c.hbm_bytes for c in own]) for own in groups]),
        sizes(
            "fused_hbm_bytes",
            "if fused",
            [_sum([c.fused_hbm_bytes for c in own]) for own in groups],
        ),
        times("casts_ns", "casts", [sum(c.casts_ns for c in own) for own in groups]),
        flags("upcast", "upcast", [_one([c.upcast for c in own]) for own in groups]),
        data("memsets", [sum(c.memsets for c in own) for own in groups]),
        texts("label", "call", list(kinds)),
    )
    return Table(columns, list(kinds), every_row(list(kinds)), sort="gpu_ns")


def _each(calls: Sequence[AttentionCall]) -> Safe:
    """The operations of each of some calls, memsets apart; where they differ, of the median."""
    middle = sorted(calls, key=lambda call: call.gpu_ops)[len(calls) // 2]
    return ops_text(middle.gpu_ops, middle.memsets)


def _one(values: Sequence[_T | None]) -> _T | None:
    """The value that all have, None where they differ."""
    return values[0] if len(set(values)) == 1 else None


def roles_table(kinds: Kinds) -> Table:
    """One row a role of each kind of call, in the order of a naive forward."""
    labels: list[Safe] = []
    roles: list[str] = []
    sums: list[tuple[float | None, int, int, int | None]] = []
    for label, calls in kinds.items():
        whole = sum(call.gpu_ns for call in calls)
        found = [share for call in calls for share in call.roles]
        for role in dict.fromkeys(share.role for share in found):
            own = [share for share in found if share.role == role]
            gpu_ns = sum(share.gpu_ns for share in own)
            ops = sum(share.gpu_ops for share in own)
            moved = _sum([share.hbm_bytes for share in own])
            labels.append(label)
            roles.append(role)
            sums.append((gpu_ns / whole if whole else None, gpu_ns, ops, moved))
    share, gpu_ns_of, ops_of, moved_of = zip(*sums, strict=True) if sums else ((), (), (), ())
    columns = (
        texts("role", "role", [safe(role) for role in roles]),
        shares("share", "%", share),
        times("gpu_ns", "GPU time", gpu_ns_of),
        figures("gpu_ops", "GPU ops", ops_of),
        sizes("hbm_bytes", "HBM est.", moved_of),
        texts("label", "call", labels),
    )
    return Table(columns, labels, every_row(labels), sort="gpu_ns")


def _sum(values: Sequence[int | None]) -> int | None:
    """The sum, None where a part is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
