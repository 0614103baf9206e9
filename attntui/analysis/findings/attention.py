"""Findings about attention: what one fused kernel would not do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.attention import AttentionCall
from attntui.analysis.attention.model import Role
from attntui.analysis.attention_ops import Backend
from attntui.analysis.findings.model import Finding, costliest, severity_of
from attntui.analysis.findings.thresholds import EVIDENCE_MOST
from attntui.analysis.kernel_facts import traffic
from attntui.analysis.launches import nearest
from attntui.analysis.named import ops_named
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_PRODUCTS = (Role.QK, Role.AV)


def naive_attention(seen: Slice) -> Iterator[Finding]:
    """Naive calls, forward and backward. The cost is their time outside the two products:
    what reads and writes the scores, and a fused kernel keeps on the chip.
    """
    calls = [call for call in seen.attention if call.backend is Backend.NAIVE and call.gpu_ops]
    cost = sum(_outside_products(call) for call in calls)
    severity = severity_of(seen, cost)
    if severity is None:
        return
    figures = {
        "calls": len(calls),
        "gpu_time_ns": sum(call.gpu_ns for call in calls),
        "outside_products_ns": cost,
    }
    title = "Naive attention spends {outside_products_ns} of {gpu_time_ns} outside its products, "
    title += "in {calls:call/calls}" + _bytes_told(calls, figures)
    yield Finding(
        id="naive-attention",
        severity=severity,
        cost_ns=cost,
        title=title,
        figures=figures,
        evidence=_events(seen, calls),
        advice="torch.nn.functional.scaled_dot_product_attention does scale, mask, softmax and "
        "both products in one kernel and never writes the scores; is_causal=True spares the "
        "mask and half the work. FlexAttention takes other masks.",
    )


def _outside_products(call: AttentionCall) -> int:
    return sum(share.gpu_ns for share in call.roles if share.role not in _PRODUCTS)


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


def _events(seen: Slice, calls: Sequence[AttentionCall]) -> tuple[int, ...]:
    """The events that stand for the costliest calls: the op, else the first GPU operation."""
    ranked = sorted(calls, key=lambda call: -call.gpu_ns)[:EVIDENCE_MOST]
    return tuple(int(call.gpu_rows[0]) if call.op is None else call.op for call in ranked)


def sdpa_on_math(seen: Slice) -> Iterator[Finding]:
    """SDPA calls that the math backend took. The cost is all their GPU time: the products
    too run apart, in the precision that math chooses.
    """
    calls = [call for call in seen.attention if call.backend is Backend.MATH and call.gpu_ops]
    cost = sum(call.gpu_ns for call in calls)
    severity = severity_of(seen, cost)
    if severity is None:
        return
    longest = max(calls, key=lambda call: call.gpu_ns)
    figures = {
        "calls": len(calls),
        "gpu_time_ns": cost,
        "operations_in_longest": longest.gpu_ops,
    }
    title = (
        "SDPA on its math backend takes {gpu_time_ns} in {calls:call/calls} "
        "({operations_in_longest:GPU operation/GPU operations} in the longest)"
    )
    yield Finding(
        id="sdpa-math",
        severity=severity,
        cost_ns=cost,
        title=title + _bytes_told(calls, figures) + "; told by {evidence}",
        figures=figures,
        evidence=_events(seen, calls),
        advice="Pin a fused backend with torch.nn.attention.sdpa_kernel: it says why it refuses "
        "(a data type, a mask with its own gradient, a head size). Use bf16 or fp16.",
        names={"evidence": longest.evidence},
    )


def hidden_copies(seen: Slice) -> Iterator[Finding]:
    """Copies that an out-of-place masked_fill makes before it fills: operations launched
    inside one by its clone. The cost is their time.
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
    copies = rows[inside & (nearest(trace, launch, clones) != ABSENT)]
    dur = trace.dur[copies]
    cost = int(dur.sum())
    severity = severity_of(seen, cost)
    if severity is None:
        return
    figures = {"copies": len(copies), "copying_ns": cost}
    title = "Out-of-place masked_fill makes {copies:hidden copy/hidden copies}: {copying_ns} in all"
    moved = traffic(seen.analysed.work, copies)
    if moved.moved is not None and moved.known_ns == moved.gpu_ns:
        figures["moved_bytes"] = moved.moved
        title += "; {moved_bytes} moved"
    yield Finding(
        id="hidden-copy",
        severity=severity,
        cost_ns=cost,
        title=title,
        figures=figures,
        evidence=costliest(copies, dur),
        advice="masked_fill copies its input first. Use masked_fill_ on scores that nothing else "
        "needs, or scaled_dot_product_attention, which needs no scores at all.",
    )
