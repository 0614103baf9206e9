"""Findings about matrix products: off the tensor cores, or of lengths that force slow kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.columns import by_inputs
from attntui.analysis.findings.gains import shorter
from attntui.analysis.findings.ledger import Ledger, Share
from attntui.analysis.findings.model import Finding, costliest, costliest_names, finding
from attntui.analysis.findings.thresholds import PRODUCT_SHARE, UNALIGNED_ELEMENTS
from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.names.words import CONVOLUTIONS, Operation
from attntui.trace.model import ABSENT, F64, I64, Bool, OpInputs

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_NARROW = re.compile(r"_align([124])(?![0-9])")
_HALF = ("bf16", "fp16")
_NOT_KNOWN = "nothing: the roofs of this device or the shapes are not known"


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
    takes = _on_tensor_cores(seen, share, dtype)
    at = np.flatnonzero(share.busy)
    evidence = costliest_names(seen.trace, seen.gpu_ops[at], share.busy[at])
    most = evidence[0].place
    assert isinstance(most, int)
    found = finding(
        seen,
        "fp32-products",
        cost=share.ns,
        gain=None if takes is None else shorter(seen, factor=_factor(share, takes)),
        title="fp32 products off the tensor cores take {gpu_time_ns} in {kernels:kernel/kernels}, "
        "{of_busy_share} of the time that the GPU is busy; the most in {kernel}",
        assumes="on the tensor cores they take {on_tensor_cores_ns}, at two thirds of the roof"
        if takes is not None
        else _NOT_KNOWN,
        figures={
            "kernels": share.ops,
            "gpu_time_ns": share.ns,
            "of_busy_share": share.ns / max(seen.busy_ns, 1),
        }
        | ({} if takes is None else {"on_tensor_cores_ns": round(float(takes.sum()))}),
        evidence=evidence,
        advice=_fp32_advice(seen),
        names={"kernel": seen.analysed.labels.event(most)},
        work=share.busy_ns,
        under=under,
        in_use=seen.in_use.words("autocast"),
    )
    yield from time.charged(found, share)


def _fp32_advice(seen: Slice) -> str:
    """What the device can follow: bf16 and TF32 came with sm_80."""
    abilities = seen.analysed.abilities
    if abilities.bf16 is False:
        return "Compute in fp16 (torch.autocast(dtype=torch.float16), with a gradient scaler)."
    tf32 = "let fp32 products use TF32: torch.set_float32_matmul_precision('high')."
    if abilities.tf32 is False:
        return "Compute in bf16 or fp16 (torch.autocast)."
    if seen.in_use.autocast:
        return f"These run outside autocast, or are of ops that it keeps in fp32; {tf32}"
    return f"Compute in bf16 or fp16 (torch.autocast), or {tf32}"


def _is_slow_product(fact: KernelFact) -> bool:
    operation = fact.decoded.operation
    product = operation is Operation.GEMM or operation in CONVOLUTIONS
    slow = fact.decoded.tensor_cores is False and fact.dtype == "fp32"
    return product and slow and fact.bound.kind not in ("memory", "latency")


def unaligned_shapes(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Products of 16-bit types whose lengths are no multiple of 16 bytes, or whose kernel's
    name says that it loads less than that at once.
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
    takes = _on_tensor_cores(seen, share, "bf16" if halves <= set(_HALF) else "tf32")
    at = np.flatnonzero(share.busy)
    worst = int(seen.gpu_ops[at[np.argmax(share.busy[at])]])
    found = finding(
        seen,
        "unaligned-shapes",
        cost=share.ns,
        gain=None if takes is None else shorter(seen, factor=_factor(share, takes)),
        title="Products of lengths that force narrow loads take {gpu_time_ns} in "
        "{kernels:kernel/kernels}; the longest is {kernel}, shapes {shapes}",
        assumes="padded, they take {aligned_ns}, at two thirds of the roof"
        if takes is not None
        else _NOT_KNOWN,
        figures={"kernels": share.ops, "gpu_time_ns": share.ns}
        | ({} if takes is None else {"aligned_ns": round(float(takes.sum()))}),
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
    """Which of the slice's operations are 16-bit products with a contiguous length that is no
    multiple of 8: then no row but the first begins on 16 bytes.
    """
    products = [
        i
        for i, fact in enumerate(seen.kernel_facts)
        if fact.decoded.operation is Operation.GEMM and fact.dtype in _HALF
    ]
    of_name = np.isin(seen.gpu_ops, _rows_of(seen, products))
    inputs = np.where(of_name, seen.inputs, ABSENT)
    return np.asarray(by_inputs(seen.trace, inputs, _has_odd_row) > 0, np.bool_)


def _has_odd_row(inputs: OpInputs) -> bool:
    """Whether a matrix among the inputs has rows (or columns, where those are contiguous) that
    do not begin on 16 bytes.
    """
    for dims, kind, strides in zip(
        inputs.dims, inputs.types, inputs.strides or inputs.dims, strict=False
    ):
        if "Half" not in kind and "BFloat16" not in kind:
            continue
        if len(dims) < 2 or not all(isinstance(n, int) and n > 1 for n in dims[-2:]):
            continue
        last = dims[-1]
        if strides and len(strides) == len(dims) and strides[-1] != 1 and strides is not dims:
            last = dims[-2] if strides[-2] == 1 else last
        if isinstance(last, int) and last % UNALIGNED_ELEMENTS:
            return True
    return False


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
