"""Findings about matrix products: off the tensor cores, or of lengths that force slow kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.gains import Gain, shorter
from attntui.analysis.findings.ledger import Ledger, Share
from attntui.analysis.findings.model import Finding, costliest, costliest_names, finding
from attntui.analysis.findings.thresholds import PRODUCT_SHARE, UNALIGNED_ELEMENTS
from attntui.analysis.groups import distinct
from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.names.words import CONVOLUTIONS, Operation
from attntui.analysis.work.gemm import row_lengths
from attntui.analysis.work.model import Arguments
from attntui.trace.model import ABSENT, F64, I64, Bool

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_NARROW = re.compile(r"_align([124])(?![0-9])")
_HALF = ("bf16", "fp16")


def fp32_products(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Products and convolutions in fp32 off the tensor cores, unless memory or latency bounds
    them.
    """
    chosen = [i for i, fact in enumerate(seen.kernel_facts) if _is_slow_product(fact)]
    share, under = time.of_work(_rows_of(seen, chosen))
    if not share.ns:
        return
    abilities = seen.analysed.abilities
    dtype = "tf32" if abilities.tf32 else "fp16"
    faster = _faster(seen, share, dtype, "on the tensor cores", "on_tensor_cores_ns")
    at = np.flatnonzero(share.busy)
    evidence = costliest_names(seen.trace, seen.gpu_ops[at], share.busy[at])
    most = evidence[0].place
    assert isinstance(most, int)
    found = finding(
        seen,
        "fp32-products",
        cost=share.ns,
        gain=faster.gain,
        title="fp32 products off the tensor cores take {gpu_time_ns} in {kernels:kernel/kernels}, "
        "{of_busy_share} of the time that the GPU is busy; the most in {kernel}",
        assumes=faster.assumes,
        figures={
            "kernels": share.ops,
            "gpu_time_ns": share.ns,
            "of_busy_share": share.ns / max(seen.busy_ns, 1),
        }
        | faster.figures,
        evidence=evidence,
        advice=_fp32_advice(seen),
        names={"kernel": seen.analysed.labels.event(most)},
        work=share.busy_ns,
        under=under,
        in_use=seen.in_use.words("autocast", "tf32"),
    )
    yield from time.charged(found, share)


def _fp32_advice(seen: Slice) -> str:
    """What the device can follow (bf16 and TF32 came with sm_80), and is not followed yet."""
    abilities, used = seen.analysed.abilities, seen.in_use
    if used.autocast:
        advice = "These run outside autocast, or are of ops that it keeps in fp32"
        otherwise = ": give them 16-bit inputs."
    elif abilities.bf16 is False:
        advice = "Compute in fp16 (torch.autocast(dtype=torch.float16), with a gradient scaler)"
        otherwise = "."
    else:
        advice, otherwise = "Compute in bf16 or fp16 (torch.autocast)", "."
    if abilities.tf32 is False or used.tf32:
        return advice + otherwise
    return f"{advice}, or let fp32 products use TF32: torch.set_float32_matmul_precision('high')."


def _is_slow_product(fact: KernelFact) -> bool:
    operation = fact.decoded.operation
    product = operation is Operation.GEMM or operation in CONVOLUTIONS
    slow = fact.decoded.tensor_cores is False and fact.dtype == "fp32"
    return product and slow and fact.bound.kind not in ("memory", "latency")


def unaligned_shapes(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Products of 16-bit types in which the rows of an operand or of the result do not all begin
    on 16 bytes, and those whose kernel's name says that it loads less than that at once.
    """
    names = [seen.trace.names[i] for i in seen.kernels.name.tolist()]
    narrow = [
        i
        for i, (name, fact) in enumerate(zip(names, seen.kernel_facts, strict=True))
        if _is_narrow(name, fact)
    ]
    by_name = np.isin(seen.gpu_ops, _rows_of(seen, narrow))
    odd = _odd_lengths(seen)
    share, under = time.of_work(seen.gpu_ops[by_name | odd])
    if not share.ns:
        return
    halves = {seen.kernel_facts[i].dtype for i in narrow}
    dtype = "bf16" if halves <= set(_HALF) else "tf32"
    faster = _faster(seen, share, dtype, "padded,", "aligned_ns")
    at = np.flatnonzero(share.busy)
    worst = int(seen.gpu_ops[at[np.argmax(share.busy[at])]])
    found = finding(
        seen,
        "unaligned-shapes",
        cost=share.ns,
        gain=faster.gain,
        title="Products of lengths that force narrow loads or stores take {gpu_time_ns} in "
        "{kernels:kernel/kernels}; the longest is {kernel}, shapes {shapes}",
        assumes=faster.assumes,
        figures={"kernels": share.ops, "gpu_time_ns": share.ns} | faster.figures,
        evidence=costliest(seen.gpu_ops[at], share.busy[at]),
        names={
            "kernel": seen.analysed.labels.names[int(seen.trace.name[worst])],
            "shapes": _shapes(seen, worst),
        },
        advice="Pad the lengths (vocabulary, hidden size, batch x sequence) to a multiple of 8 "
        "for 16-bit types and of 4 for TF32, better of 64: then each thread loads 16 bytes.",
        work=share.busy_ns,
        under=under,
    )
    yield from time.charged(found, share)


def _is_narrow(name: str, fact: KernelFact) -> bool:
    """Whether a product's name tells loads of fewer bytes than 16 at once, on tensor cores."""
    found = _NARROW.search(name)
    if fact.decoded.operation is not Operation.GEMM or found is None:
        return False
    size = 2 if fact.dtype in _HALF else 4
    return fact.decoded.tensor_cores is not False and int(found.group(1)) * size < 16


def _odd_lengths(seen: Slice) -> Bool:
    """Which of the slice's operations are 16-bit products with a length that is no multiple of 8:
    then not all rows of an operand or of the result begin on 16 bytes.
    """
    products = [
        i
        for i, fact in enumerate(seen.kernel_facts)
        if fact.decoded.operation is Operation.GEMM and fact.dtype in _HALF
    ]
    of_name = np.isin(seen.gpu_ops, _rows_of(seen, products))
    at = np.flatnonzero(of_name & (seen.inputs != ABSENT))
    op, inputs = seen.trace.name[seen.launcher[at]], seen.inputs[at]
    first, which = distinct(op, inputs)
    told = [
        _has_odd_row(seen.trace.names[name], Arguments(seen.trace.op_inputs[number]))
        for name, number in zip(op[first].tolist(), inputs[first].tolist(), strict=True)
    ]
    odd = np.zeros(len(seen.gpu_ops), np.bool_)
    odd[at] = np.array(told, np.bool_)[which]
    return odd


def _has_odd_row(op: str, args: Arguments) -> bool:
    """Whether rows of a product's matrices do not all begin on 16 bytes."""
    return any(length % UNALIGNED_ELEMENTS for length in row_lengths(op, args))


def _shapes(seen: Slice, row: int) -> str:
    """The shapes of the op that launched an operation, as text; `not recorded` without."""
    number = int(seen.inputs[np.searchsorted(seen.gpu_ops, row)])
    dims = () if number == ABSENT else seen.trace.op_inputs[number].dims
    known = ["x".join(map(str, shape)) for shape in dims if shape]
    return ", ".join(known) or "not recorded"


def _rows_of(seen: Slice, chosen: list[int]) -> I64:
    """The slice's operations with the names of some entries of its kernels by name."""
    names = seen.kernels.name[chosen]
    rows: I64 = seen.gpu_ops[np.isin(seen.trace.name[seen.gpu_ops], names)]
    return rows


@dataclass(frozen=True, slots=True)
class _Faster:
    """What products gain where they run well on the tensor cores, and in whose figures."""

    gain: Gain | None
    assumes: str
    figures: dict[str, int]


def _faster(seen: Slice, share: Share, dtype: str, how: str, key: str) -> _Faster:
    """The gain of a share's products in `dtype` on tensor cores; `how` leads the sentence about
    the time that they still take, `key` is that figure's.
    """
    takes = _on_tensor_cores(seen, share, dtype)
    if takes is None:
        nothing = "nothing: the roofs of this device or the shapes are not known"
        return _Faster(None, nothing, {})
    return _Faster(
        shorter(seen, factor=_factor(share, takes)),
        f"{how} they take {{{key}}}, at two thirds of the roof",
        {key: round(float(takes.sum()))},
    )


def _on_tensor_cores(seen: Slice, share: Share, dtype: str) -> I64 | None:
    """What each operation of a share takes at `PRODUCT_SHARE` of the tensor cores' roof, or of
    the memory's, in ns, at most its own time: the roofline model. None without roofs or work.
    """
    peaks, work = seen.analysed.peaks, seen.analysed.work
    peak = None if peaks is None else peaks.matrix(dtype)
    if peaks is None or not peak:
        return None
    at = np.searchsorted(seen.trace.gpu_ops, seen.gpu_ops)
    takes = np.full(len(work.kinds) + 1, np.inf)
    for number, kind in enumerate(work.kinds):
        flops, moved = kind.work.flops, kind.work.bytes
        if flops is not None and moved is not None:
            takes[number] = max(flops / peak, moved / peaks.hbm) * 1e9 / PRODUCT_SHARE
    takes = np.where(work.told[at], takes[work.kind[at]], np.inf)
    known = np.isfinite(takes) & (share.busy > 0)
    before = int(share.busy[known].sum())
    if not before:
        return None
    known_takes = np.minimum(takes[known], share.busy[known])
    # Of those whose work is not told the same part stays.
    found = share.busy * (float(known_takes.sum()) / before)
    found[known] = known_takes
    return np.asarray(np.rint(found), np.int64)


def _factor(share: Share, takes: I64) -> F64:
    """What part of its own time each operation still takes."""
    return share.factor(takes / np.maximum(share.busy, 1))
