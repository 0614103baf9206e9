"""Attention calls that one op does: SDPA whatever it dispatched to, packages, serving."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attntui.analysis.attention import geometry
from attntui.analysis.attention.model import Found, Geometry, Role, ThreadSpan
from attntui.analysis.attention.optree import Launches, OpTree
from attntui.analysis.attention.vocabulary import MAIN_KERNEL, fused_op, is_product
from attntui.analysis.attention_ops import AttentionOp, Backend, Direction
from attntui.analysis.groups import apart
from attntui.analysis.kernel_names import KernelName, decode
from attntui.analysis.named import names_passing
from attntui.analysis.names.triton_by_hand import ambiguous
from attntui.analysis.names.words import ATTENTION, Library, Operation, OperationKind
from attntui.analysis.work.attention import causal_of
from attntui.analysis.work.model import Arguments
from attntui.trace.model import ABSENT, Bool, Trace


def is_attention(kernel: KernelName) -> bool:
    """Whether a kernel does attention, or a part of it that only attention has."""
    return kernel.operation in ATTENTION


def kernel_in_attention(name: str) -> KernelName:
    """A kernel's name as it reads inside an attention: one that elsewhere leaves open whether
    it does attention tells it here.
    """
    kernel, operation = decode(name), ambiguous(name)
    if operation is None:
        return kernel
    return replace(
        kernel,
        library=Library.TRITON,
        operation=operation,
        kind=OperationKind.ATTENTION,
        backend=Backend.TRITON,
    )


def role_in_fused(kernel: KernelName) -> Role:
    """The role of an attention kernel in a fused call: what quantises for it is beside it."""
    return Role.OTHER if kernel.operation is Operation.ATTENTION_QUANTIZE else Role.FUSED


def backend_of_kernel(kernel: KernelName) -> Backend:
    """The backend that an attention kernel's name tells."""
    return kernel.backend or Backend.OTHER


def find_fused(
    trace: Trace, tree: OpTree, where: Launches, used: Bool, direction: Direction
) -> list[Found]:
    """Calls in one direction of attention ops, the outermost of nested ones; by row.

    `used` is the mask of names that CPU ops bear.
    """
    mask = tree.names_like(names_passing(trace, lambda name: fused_op(name, direction), used))
    rows = np.flatnonzero(mask)
    if not len(rows):
        return []
    outermost = tree.inside(rows, mask)
    kernels = _attention_kernels(trace, tree, where, mask)
    tops, chains = apart(rows, outermost)
    found = []
    for top, chain in zip(tops.tolist(), chains, strict=True):
        ops = [
            (trace.name_of(row), row, op)
            for row in chain.tolist()
            if (op := fused_op(trace.name_of(row), direction)) is not None
        ]
        found.append(call_of(trace, tree, top, ops, kernels.get(top, ()), direction))
    return found


def _attention_kernels(
    trace: Trace, tree: OpTree, where: Launches, mask: Bool
) -> dict[int, tuple[int, ...]]:
    """For each outermost attention op the distinct names of attention kernels in it."""
    inside = np.flatnonzero(where.op != ABSENT)
    top = tree.inside(where.op[inside], mask)
    inside, top = inside[top != ABSENT], top[top != ABSENT]
    names = trace.name[where.gpu_ops[inside]].astype(np.int64)
    width = len(trace.names) + 1
    found: dict[int, tuple[int, ...]] = {}
    for pair in np.unique(top * width + names).tolist():
        row, name = divmod(pair, width)
        if is_attention(kernel_in_attention(trace.names[name])):
            found[row] = (*found.get(row, ()), name)
    return found


def call_of(
    trace: Trace,
    tree: OpTree,
    top: int,
    ops: list[tuple[str, int, AttentionOp]],
    kernel_names: tuple[int, ...],
    direction: Direction,
    more: str = "",
) -> Found:
    """The call of the attention op `top`: `ops` are it and those that it dispatched to, with
    what their names tell, `kernel_names` those of its attention kernels. `more` is evidence.
    """
    kernels = [kernel_in_attention(trace.names[name]) for name in kernel_names]
    main = next((k for k in kernels if k.operation is MAIN_KERNEL[direction]), None)
    told = next(((name, row, op) for name, row, op in ops if op.backend), None)
    qk = av = ABSENT
    evidence = ops[0][0]
    if told is None:
        backend = backend_of_kernel(main) if main else Backend.OTHER
        evidence += f", kernel {main.short}" if main else ", its kernel is not known"
        if ops[0][2].tokens:
            evidence += "; tensors of [tokens, heads, dim]: no batch, no context lengths"
        evidence += f"; {more}" if more else ""
    else:
        backend = told[2].backend or Backend.OTHER
        # A package's op may come down to Triton; which kernels SDPA's backends have is theirs.
        if main and main.library is Library.TRITON and not told[0].startswith("aten::"):
            backend = backend_of_kernel(main)
        if told[0] != evidence:
            evidence += f" dispatched to {told[0]}"
    holder = top if told is None else told[1]
    products = _products(trace, tree, holder)
    if products and not kernels:
        # No attention kernel but products of their own: what SDPA's math backend does.
        backend = Backend.MATH if backend is Backend.OTHER else backend
    if backend is Backend.MATH and products:
        qk, av = products[0], products[-1]
        evidence += "; separate products and softmax inside"
    sizes, causal = _told(trace, ops)
    if sizes.dtype is None and main and len(main.dtypes) == 1:
        sizes = replace(sizes, dtype=main.dtypes[0])
    if causal is None and not _masked(trace, ops):
        causal = next((k.causal for k in kernels if k.causal is not None), None)
    if backend is not Backend.MATH and sizes.products is not None and causal is not False:
        counted = "causal: FLOPs counted as half" if causal else "causal not told: FLOPs in full"
        evidence += f"; {counted}"
    return Found(
        backend=backend,
        direction=direction,
        lane=int(trace.lane[top]),
        op=top,
        spans=(ThreadSpan(top, int(trace.end[top])),),
        geometry=sizes,
        causal=causal,
        evidence=evidence,
        qk=qk,
        av=av,
    )


def _products(trace: Trace, tree: OpTree, row: int) -> list[int]:
    """The matrix products directly under an op."""
    return [child for child in tree.children(row).tolist() if is_product(trace.name_of(child))]


def _told(trace: Trace, ops: list[tuple[str, int, AttentionOp]]) -> tuple[Geometry, bool | None]:
    """Sizes and causality from the first of nested ops that tells them. A mask that was
    passed leaves open what it masks.
    """
    sizes, causal = None, None
    for _, row, op in ops:
        inputs = trace.inputs_of(row)
        if inputs is None:
            continue
        sizes = sizes or geometry.of_fused(inputs, op)
        causal = causal_of(Arguments(inputs), op) if causal is None else causal
    return sizes or Geometry(), None if not causal and _masked(trace, ops) else causal


def _masked(trace: Trace, ops: list[tuple[str, int, AttentionOp]]) -> bool:
    """Whether a mask was passed to any of nested ops."""
    return any(
        op.mask is not None and geometry.is_tensor(inputs, op.mask)
        for _, row, op in ops
        if (inputs := trace.inputs_of(row)) is not None
    )
