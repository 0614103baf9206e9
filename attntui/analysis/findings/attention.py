"""Findings about attention: what one fused kernel would not do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.attention import AttentionCall
from attntui.analysis.attention.model import Role
from attntui.analysis.attention_ops import Backend
from attntui.analysis.findings.columns import bytes_of_all
from attntui.analysis.findings.gains import Gain, HostWork, shorter
from attntui.analysis.findings.launch_bound import given_out
from attntui.analysis.findings.ledger import Ledger, Share, both
from attntui.analysis.findings.model import Evidence, Finding, costliest, finding
from attntui.analysis.findings.thresholds import EVIDENCE_MOST, FUSED_SHARE, LOW_SHARE
from attntui.analysis.launches import nearest
from attntui.analysis.named import holding, ops_named, rows_named
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I64, Bool, Category

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_PRODUCTS = (Role.QK, Role.AV)
_FUSED_TAKES = (
    "one fused kernel a call takes {fused_ns} in all, at a third of the nearer roof where it is "
    "known, else as long as the products alone; the host gives out one operation a call"
)


def naive_attention(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Naive calls, forward and backward. They own all their GPU operations."""
    calls = _calls(seen, Backend.NAIVE)
    if not calls:
        return
    share, gain, fused = _fused(seen, time, calls)
    figures = {
        "calls": len(calls),
        "gpu_time_ns": sum(call.gpu_ns for call in calls),
        "outside_products_ns": sum(_outside_products(call) for call in calls),
        "fused_ns": fused,
    }
    title = (
        "Naive attention takes {gpu_time_ns} in {calls:call/calls}, {outside_products_ns} of it "
    )
    title += "outside the products" + _idle_told(seen, share, figures) + _bytes_told(calls, figures)
    found = finding(
        seen,
        "naive-attention",
        cost=share.ns,
        gain=gain,
        title=title,
        assumes=_FUSED_TAKES,
        figures=figures,
        evidence=call_evidence(calls),
        work=share.busy_ns,
        advice="torch.nn.functional.scaled_dot_product_attention does scale, mask, softmax and "
        "both products in one kernel and never writes the scores; is_causal=True spares the "
        "mask and half the work. FlexAttention takes other masks.",
    )
    yield from time.charged(found, share)


def sdpa_on_math(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """SDPA calls that the math backend took: the products too run apart, in the precision that
    math chooses.
    """
    calls = _calls(seen, Backend.MATH)
    if not calls:
        return
    share, gain, fused = _fused(seen, time, calls)
    longest = max(calls, key=lambda call: call.gpu_ns)
    figures = {
        "calls": len(calls),
        "gpu_time_ns": sum(call.gpu_ns for call in calls),
        "operations_in_longest": longest.gpu_ops,
        "fused_ns": fused,
    }
    title = (
        "SDPA on its math backend takes {gpu_time_ns} in {calls:call/calls} "
        "({operations_in_longest:GPU operation/GPU operations} in the longest)"
    )
    half = all(call.dtype in ("bf16", "fp16") for call in calls)
    found = finding(
        seen,
        "sdpa-math",
        cost=share.ns,
        gain=gain,
        title=title
        + _idle_told(seen, share, figures)
        + _bytes_told(calls, figures)
        + "; told by {evidence}",
        assumes=_FUSED_TAKES,
        figures=figures,
        evidence=call_evidence(calls),
        names={"evidence": longest.evidence},
        work=share.busy_ns,
        advice="Pin a fused backend with torch.nn.attention.sdpa_kernel: it says why it refuses "
        "(a data type, a mask with its own gradient, a head size)."
        + ("" if half else " Use a 16-bit type."),
    )
    yield from time.charged(found, share)


def _calls(seen: Slice, backend: Backend) -> list[AttentionCall]:
    return [call for call in seen.attention if call.backend is backend and call.gpu_ops]


def _outside_products(call: AttentionCall) -> int:
    return sum(share.gpu_ns for share in call.roles if share.role not in _PRODUCTS)


def _fused(seen: Slice, time: Ledger, calls: Sequence[AttentionCall]) -> tuple[Share, Gain, int]:
    """The calls' time, what fused kernels in their place would gain, and what they would take."""
    work = time.work(np.concatenate([call.gpu_rows for call in calls]))
    share = both(work, given_out(seen, time, _before_all_but_first(seen, calls)))
    fused = [fused_ns(seen, call) for call in calls]
    whole = sum(call.gpu_ns for call in calls)
    factor = share.factor(sum(fused) / max(whole, 1))
    for call, takes in zip(calls, fused, strict=True):
        factor[np.isin(seen.gpu_ops, call.gpu_rows)] = takes / max(call.gpu_ns, 1)
    return share, shorter(seen, factor=factor, spared=_all_but_one_launch(seen, calls)), sum(fused)


def _before_all_but_first(seen: Slice, calls: Sequence[AttentionCall]) -> Bool:
    """Which gaps end with an operation of a call that is not the first that it launched."""
    trace = seen.trace
    later = []
    for call in calls:
        rows = call.gpu_rows[trace.launch[call.gpu_rows] != ABSENT]
        later.append(rows[trace.start[trace.launch[rows]].argsort(kind="stable")[1:]])
    return np.isin(seen.gaps.after, np.concatenate(later))


def fused_ns(seen: Slice, call: AttentionCall) -> int:
    """What one fused kernel in place of a naive or math call takes, in ns, at most what the
    call took: by the roofline model (Williams et al., 2009), the longer of its bytes and both
    products in full, at `FUSED_SHARE`; where a size or a roof is not known, the call's products.
    """
    peaks = seen.analysed.peaks
    products = sum(share.gpu_ns for share in call.roles if share.role in _PRODUCTS)
    takes = float(products)
    peak = None if peaks is None else peaks.flops(call.dtype, True)
    if peaks is not None and peak and call.fused_hbm_bytes is not None and call.flops is not None:
        roof = max(call.fused_hbm_bytes / peaks.hbm, call.flops / peak) * 1e9
        takes = roof / FUSED_SHARE
    return min(round(takes), call.gpu_ns)


def _all_but_one_launch(seen: Slice, calls: Sequence[AttentionCall]) -> HostWork:
    """The host's time from each call's start to its last launch."""
    trace = seen.trace
    lanes, starts, ends = [], [], []
    for call in calls:
        launch = trace.launch[call.gpu_rows]
        if call.lane is None or call.start is None or not (launch != ABSENT).any():
            continue
        last = int(trace.start[launch[launch != ABSENT]].max())
        if last > call.start:
            lanes.append(call.lane)
            starts.append(call.start)
            ends.append(last)
    return HostWork.sorted(np.array(lanes, np.int64), np.array(starts, np.int64), np.array(ends))


def _idle_told(seen: Slice, share: Share, figures: dict[str, int]) -> str:
    """Adds the idle time to `figures` and says it, where it matters."""
    if share.idle_ns < LOW_SHARE * seen.span_ns:
        return ""
    figures["idle_before_ns"] = share.idle_ns
    return "; the GPU stood idle for {idle_before_ns} while the host gave out its operations"


def _bytes_told(calls: Sequence[AttentionCall], figures: dict[str, int]) -> str:
    """Adds the bytes to `figures` and says them, where every call tells them."""
    moved = [call.hbm_bytes for call in calls]
    fused = [call.fused_hbm_bytes for call in calls]
    known = [number for number in (*moved, *fused) if number is not None]
    if len(known) < 2 * len(calls):
        return ""
    figures["moved_bytes"] = sum(number for number in moved if number is not None)
    figures["moved_if_fused_bytes"] = sum(number for number in fused if number is not None)
    return "; it moves {moved_bytes} where fused kernels would move {moved_if_fused_bytes}"


def call_evidence(calls: Sequence[AttentionCall]) -> tuple[Evidence, ...]:
    """The events that stand for the costliest calls: the op, else the first GPU operation."""
    ranked = sorted(calls, key=lambda call: -call.gpu_ns)[:EVIDENCE_MOST]
    return tuple(
        Evidence(int(call.gpu_rows[0]) if call.op is None else call.op, call.gpu_ns)
        for call in ranked
    )


def hidden_copies(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Copies that an out-of-place masked_fill makes before it fills: operations launched
    inside one by its clone. Those of naive attention are its symptom.
    """
    trace = seen.trace
    fills = mask_of(len(trace), ops_named(trace, "aten::masked_fill"))
    if not fills.any():
        return
    launch = trace.launch[seen.gpu_ops].astype(np.int64)
    known = launch != ABSENT
    rows, launch = seen.gpu_ops[known], launch[known]
    inside = nearest(trace, launch, fills) != ABSENT
    clones = mask_of(len(trace), ops_named(trace, "aten::clone"))
    cloned = inside & (nearest(trace, launch, clones) != ABSENT)
    copies, launch = rows[cloned], launch[cloned]
    if not len(copies):
        return
    share, under = time.of_work(copies)
    backward = _in_backward(seen, launch)
    figures = {"copies": len(copies), "copying_ns": int(trace.dur[copies].sum())}
    title = "Out-of-place masked_fill makes {copies:hidden copy/hidden copies}: {copying_ns} in all"
    moved = bytes_of_all(seen, copies)
    if moved is not None:
        figures["moved_bytes"] = moved
        title += "; {moved_bytes} moved"
    if backward.any():
        figures["in_backward"] = int(backward.sum())
        title += "; {in_backward} in the backward pass"
    factor = np.where(np.isin(seen.gpu_ops, copies), 0.0, 1.0)
    found = finding(
        seen,
        "hidden-copy",
        cost=share.ns,
        gain=shorter(seen, factor=factor),
        title=title,
        assumes="the copies fall away, and nothing takes their place",
        figures=figures,
        evidence=costliest(copies, trace.dur[copies]),
        advice=_mask_advice(backward),
        work=share.busy_ns,
        under=under,
    )
    yield from time.charged(found, share)


def _mask_advice(backward: Bool) -> str:
    in_place = (
        "masked_fill copies its input first. Use masked_fill_ on scores that nothing else needs, "
        "or scaled_dot_product_attention, which needs no scores at all."
    )
    autograd = (
        "Autograd fills the gradient's copy itself: no in-place call spares that. A bias added "
        "to the scores has no copy in its backward, nor has scaled_dot_product_attention."
    )
    if backward.all():
        return autograd
    return in_place if not backward.any() else f"{in_place} {autograd}"


def _in_backward(seen: Slice, launch: I64) -> Bool:
    """Which calls were made by a node of autograd's graph."""
    trace = seen.trace
    ops = np.flatnonzero(trace.category == Category.CPU_OP)
    nodes = rows_named(trace, ops, holding("autograd::engine::evaluate_function"))
    return np.asarray(nearest(trace, launch, mask_of(len(trace), nodes)) != ABSENT, np.bool_)
