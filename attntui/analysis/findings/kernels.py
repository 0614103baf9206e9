"""Findings about kernels by name: off the tensor cores, too short, at low occupancy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.model import Finding, Severity, costliest, severity_of
from attntui.analysis.findings.thresholds import (
    LOW_OCCUPANCY_PCT,
    NEAR_ROOF,
    SEEN_SHARE,
    TINY_LEAST,
    TINY_LEAST_SHARE,
    TINY_NS,
)
from attntui.analysis.gap_causes import Cause
from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.names.words import CONVOLUTIONS, Operation
from attntui.trace.model import I64, Category

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


def fp32_products(seen: Slice) -> Iterator[Finding]:
    """Products and convolutions in fp32 off the tensor cores, unless memory or latency
    bounds them. The cost is their time.
    """
    chosen = [i for i, fact in enumerate(seen.kernel_facts) if _is_slow_product(fact)]
    cost = sum(seen.kernel_facts[i].gpu_ns for i in chosen)
    severity = severity_of(seen, cost)
    if severity is None:
        return
    yield Finding(
        id="fp32-products",
        severity=severity,
        cost_ns=cost,
        title="fp32 products off the tensor cores take {gpu_time_ns} in {kernels:kernel/kernels}, "
        "{of_gpu_time_share} of the GPU time; the most in {kernel}",
        figures={
            "kernels": int(seen.kernels.count[chosen].sum()),
            "gpu_time_ns": cost,
            "of_gpu_time_share": cost / seen.gpu_ns,
        },
        evidence=costliest(seen.kernels.longest[chosen], seen.kernels.total[chosen]),
        advice="Compute in bf16 or fp16 (torch.autocast), or let fp32 products use TF32: "
        "torch.set_float32_matmul_precision('high').",
        names={"kernel": _name(seen, chosen[0])},
    )


def _name(seen: Slice, index: int) -> str:
    """The label of an entry of the kernels by name."""
    return seen.analysed.labels.names[int(seen.kernels.name[index])]


def _is_slow_product(fact: KernelFact) -> bool:
    operation = fact.decoded.operation
    product = operation is Operation.GEMM or operation in CONVOLUTIONS
    slow = fact.decoded.tensor_cores is False and fact.dtype == "fp32"
    return product and slow and fact.bound.kind not in ("memory", "latency")


def tiny_kernels(seen: Slice) -> Iterator[Finding]:
    """Kernels of which most are shorter than their launch. The cost is their time and what
    launching adds before each: the launch call's and the queue's part of the gaps.
    """
    trace = seen.trace
    kernels = seen.gpu_ops[trace.category[seen.gpu_ops] == Category.KERNEL]
    tiny = kernels[trace.dur[kernels] < TINY_NS]
    if len(tiny) < max(TINY_LEAST, TINY_LEAST_SHARE * len(kernels)):
        return
    overhead = 0
    for causes in seen.causes:
        before = np.isin(causes.gaps.after, tiny)
        overhead += int(causes.split[before][:, [Cause.LAUNCH_CALL, Cause.QUEUED]].sum())
    dur = trace.dur[tiny]
    cost = int(dur.sum()) + overhead
    severity = severity_of(seen, cost)
    if severity is None:
        return
    yield Finding(
        id="tiny-kernels",
        severity=severity,
        cost_ns=cost,
        title="{tiny_kernels} of {all_kernels} kernels are shorter than {tiny_below_ns}: they run "
        "for {running_ns}, and launching them adds {launching_ns}",
        figures={
            "tiny_kernels": len(tiny),
            "all_kernels": len(kernels),
            "tiny_below_ns": TINY_NS,
            "running_ns": int(dur.sum()),
            "launching_ns": overhead,
        },
        evidence=_commonest(seen, tiny),
        advice="Fuse them (torch.compile, fused optimisers, foreach ops), or replay a CUDA "
        "graph, which launches all of them at once.",
    )


def _commonest(seen: Slice, rows: I64) -> tuple[int, ...]:
    """The first row of each name among `rows`, the name with most rows first."""
    _, first, count = np.unique(seen.trace.name[rows], return_index=True, return_counts=True)
    return costliest(rows[first], count)


def fine_low_occupancy(seen: Slice) -> Iterator[Finding]:
    """A note: kernels at low occupancy that do well all the same."""
    chosen = [
        i
        for i, fact in enumerate(seen.kernel_facts)
        if fact.occupancy_pct is not None
        and fact.occupancy_pct < LOW_OCCUPANCY_PCT
        and fact.gpu_ns >= SEEN_SHARE * seen.gpu_ns > 0
        and (fact.decoded.tensor_cores or (fact.bound.share or 0) >= NEAR_ROOF)
    ]
    if not chosen:
        return
    most = seen.kernel_facts[chosen[0]]
    assert most.occupancy_pct is not None
    yield Finding(
        id="low-occupancy-fine",
        severity=Severity.INFO,
        cost_ns=None,
        title="Low occupancy that is fine: {kernel} at {occupancy_pct}, limited by {limit} "
        "({kernel_names:kernel name/kernel names} in all)",
        figures={"kernel_names": len(chosen), "occupancy_pct": most.occupancy_pct},
        evidence=costliest(seen.kernels.longest[chosen], seen.kernels.total[chosen]),
        advice="Kernels that keep their tiles in registers and shared memory need few warps to "
        "stay busy. Judge them by their share of the roof.",
        names={"kernel": _name(seen, chosen[0]), "limit": " and ".join(most.limited_by)},
    )
