"""Findings about pointwise kernels that one kernel could do together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.busy_time import Rank, ranks
from attntui.analysis.findings.columns import by_inputs, of_kinds
from attntui.analysis.findings.gains import shorter
from attntui.analysis.findings.launch_bound import GIVING_OUT, given_out
from attntui.analysis.findings.ledger import Ledger, both
from attntui.analysis.findings.model import Finding, costliest, finding
from attntui.analysis.findings.thresholds import (
    CHAIN_LEAST,
    KERNEL_FLOOR_NS,
    LAUNCH_CALL_NS,
    LOOP_LEAST,
    LOOP_REPEATS,
    POINTWISE_KEPT,
)
from attntui.analysis.groups import apart, distinct, sums
from attntui.analysis.launches import nearest
from attntui.analysis.named import holding, rows_named
from attntui.analysis.names.words import OperationKind
from attntui.analysis.work.model import Arguments
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I32, I64, Bool, Category, OpInputs

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

OPTIMIZER_LOOP = "optimizer-loop"

_FUSABLE = (OperationKind.POINTWISE, OperationKind.COPY, OperationKind.FILL)
_TOGETHER = ("multi_tensor", "foreach", "fused_adam", "FusedAdam", "fused_sgd", "triton_")


@dataclass(frozen=True, slots=True)
class _Chains:
    """Pointwise kernels in a row on tensors of one size: rows, and the chain of each.

    `moved` are the bytes of each kernel, `fused` those that it still costs inside one kernel
    for the whole chain: what it reads besides the result of the one before.
    """

    rows: I64
    chain: I64
    moved: I64
    fused: I64


def unfused_pointwise(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Chains of memory-bound pointwise kernels, with the bytes that one kernel would move."""
    chains = _chains(seen, time)
    if not len(chains.rows):
        return
    share = time.work(chains.rows)
    at = np.searchsorted(seen.gpu_ops, chains.rows)
    number = int(chains.chain.max()) + 1
    moved = sums(chains.chain, chains.moved, number)
    fused = sums(chains.chain, chains.fused, number)
    whole = max(int(moved.sum()), 1)
    factor = share.factor(int(fused.sum()) / whole)
    factor[at] = (fused / np.maximum(moved, 1))[chains.chain]
    factor = np.maximum(factor, POINTWISE_KEPT)
    found = finding(
        seen,
        "unfused-pointwise",
        cost=share.ns,
        gain=shorter(seen, factor=factor),
        title="{kernels} pointwise kernels in {chains:chain/chains} take {gpu_time_ns} and move "
        "{moved_bytes}, where one kernel a chain would move {fused_bytes}",
        assumes="one kernel a chain, which moves its bytes as fast as these, and of their time no "
        "less than {kept_share} for arithmetic",
        figures={
            "kernels": len(chains.rows),
            "chains": number,
            "gpu_time_ns": int(share.busy[at].sum()),
            "moved_bytes": int(moved.sum()),
            "fused_bytes": int(fused.sum()),
            "kept_share": POINTWISE_KEPT,
        },
        evidence=costliest(chains.rows, share.busy[at]),
        advice="Let torch.compile fuse them, or write them as one Triton kernel."
        if not seen.in_use.compiled
        else "Put them into one compiled region (look for graph breaks between them), or write "
        "them as one Triton kernel.",
        work=share.busy_ns,
        in_use=seen.in_use.words("compiled"),
    )
    yield from time.charged(found, share)


def _chains(seen: Slice, time: Ledger) -> _Chains:
    trace, work = seen.trace, seen.analysed.work
    # In order of launch on each stream: what a stream runs one after another.
    order = np.lexsort((seen.gpu_ops, trace.stream[seen.gpu_ops], trace.device[seen.gpu_ops]))
    rows = seen.gpu_ops[order]
    at = np.searchsorted(trace.gpu_ops, rows)
    left = time.busy[order] > 0
    kernel = trace.category[rows] == Category.KERNEL
    pointwise = of_kinds(seen, _FUSABLE)[order] & kernel & left
    # What came from a cache is a chain too.
    pointwise &= work.told[at] | work.beyond[at]
    inputs = np.where(pointwise, seen.inputs[order], ABSENT)
    elements, full = by_inputs(trace, inputs, _sizes, columns=2).T
    size = np.where(pointwise, elements, 0)
    stream = distinct(trace.device[rows], trace.stream[rows])[1] if len(rows) else rows
    head = np.zeros(len(rows), np.bool_)
    head[:1] = True
    step = seen.analysed.steps.owner[at]
    for key in (size, stream, step):
        head[1:] |= key[1:] != key[:-1]
    head[size == 0] = True
    head = _at_repeats(head, trace.name[rows])
    chain = np.cumsum(head) - 1
    count = np.bincount(chain, minlength=1)
    chosen = (size > 0) & (count[chain] >= CHAIN_LEAST)
    if not chosen.any():
        none = rows[:0]
        return _Chains(none, none, none, none)
    moved = np.array([kind.work.bytes or 0 for kind in work.kinds], np.int64)[work.kind[at]]
    # Each tensor of full size is one pass over memory: the one before's result is spared, and
    # of the results only the last is written.
    passes = full + 1
    first, last = head, np.append(head[1:], True)
    spared = (~first).astype(np.int64) + (~last).astype(np.int64)
    fused = moved * np.maximum(passes - spared, 0) // np.maximum(passes, 1)
    number = np.unique(chain[chosen], return_inverse=True)[1]
    return _Chains(rows[chosen], number, moved[chosen], fused[chosen])


def _at_repeats(head: Bool, name: I64 | I32) -> Bool:
    """`head` with the beginnings of what repeats in each run of kernels: the same kernels over
    and over act on other tensors each time, as far as the names tell.
    """
    first = np.flatnonzero(head)
    length = np.diff(first, append=len(head))
    long = length >= CHAIN_LEAST
    periods: dict[bytes, int] = {}
    found: Bool = head.copy()
    for begin, number in zip(first[long].tolist(), length[long].tolist(), strict=True):
        run = name[begin : begin + number]
        key = run.tobytes()
        if key not in periods:
            periods[key] = _period(run)
        found[begin : begin + number : periods[key]] = True
    return found


def _period(run: I64 | I32) -> int:
    """The length of the shortest part that a run is repetitions of (the last may be cut)."""
    for length in range(1, len(run) // 2 + 1):
        if (run[length:] == run[:-length]).all():
            return length
    return len(run)


def _sizes(inputs: OpInputs) -> tuple[int, int]:
    """Elements of the largest tensor among the inputs, and how many inputs have as many."""
    args = Arguments(inputs)
    tensors = [args.tensor(i) for i in range(len(inputs.types))]
    sizes = [tensor.numel for tensor in tensors if tensor is not None]
    most = max(sizes, default=0)
    return most, sizes.count(most)


def optimizer_loop(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Optimiser steps that launch kernels tensor by tensor, and the idle time before them."""
    trace = seen.trace
    labels = np.flatnonzero(np.isin(trace.category, (Category.USER_ANNOTATION, Category.CPU_OP)))
    steps = rows_named(trace, labels, lambda name: name.startswith("Optimizer.step"))
    ops = seen.gpu_ops[trace.launch[seen.gpu_ops] != ABSENT]
    if not len(steps) or not len(ops):
        return
    around = nearest(trace, trace.launch[ops].astype(np.int64), mask_of(len(trace), steps))
    kernel = (ranks(trace, ops) == Rank.COMPUTE) & (around != ABSENT)
    rows, around = ops[kernel], around[kernel]
    together = rows_named(trace, rows, holding(*_TOGETHER))
    alone = ~np.isin(rows, together)
    rows, around = rows[alone], around[alone]
    if not len(rows):
        return
    _, groups = apart(rows, around)
    loops = [g for g in groups if len(g) >= LOOP_LEAST and _most_of_a_name(seen, g) >= LOOP_REPEATS]
    if not loops:
        return
    rows = np.sort(np.concatenate(loops))
    before = np.isin(seen.gaps.after, rows)
    share = both(time.work(rows), given_out(seen, time, before))
    # A fused step still looks at each tensor on the host.
    tensors = sum(_most_of_a_name(seen, loop) for loop in loops)
    host_ns = int(share.idle[:, list(GIVING_OUT)].sum())
    spared = max(0, host_ns - tensors * LAUNCH_CALL_NS)
    own = np.minimum(share.busy, KERNEL_FLOOR_NS)
    factor = share.factor_of_ns(own)
    found = finding(
        seen,
        OPTIMIZER_LOOP,
        cost=share.ns,
        gain=shorter(seen, factor=factor) + spared,
        title="The optimiser launches its kernels tensor by tensor: {kernels} in {steps:step/steps}"
        ", {gpu_time_ns} on the GPU, which stood idle for {idle_ns} before them",
        assumes="some kernels a step for all tensors: none waits for its launch but for "
        "{host_kept_ns} a tensor on the host, and {kernel_floor_ns} a kernel are spared",
        figures={
            "kernels": len(rows),
            "steps": len(loops),
            "gpu_time_ns": int(share.busy[np.searchsorted(seen.gpu_ops, rows)].sum()),
            "idle_ns": share.idle_ns,
            "kernel_floor_ns": KERNEL_FLOOR_NS,
            "host_kept_ns": LAUNCH_CALL_NS,
        },
        evidence=costliest(rows, share.busy[np.searchsorted(seen.gpu_ops, rows)]),
        advice="Pass fused=True (or foreach=True) to the optimiser: a few kernels then update all "
        "tensors.",
        work=share.busy_ns,
    )
    yield from time.charged(found, share)


def _most_of_a_name(seen: Slice, rows: I64) -> int:
    return int(np.unique(seen.trace.name[rows], return_counts=True)[1].max())
