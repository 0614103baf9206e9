"""Attention calls known by the names of their kernels alone: no op of the trace tells them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attntui.analysis.attention.fused import (
    backend_of_kernel,
    is_attention,
    kernel_in_attention,
    role_in_fused,
)
from attntui.analysis.attention.model import Found, Geometry, Role
from attntui.analysis.attention.optree import Launches
from attntui.analysis.attention.output import made_before, sizes_of_output
from attntui.analysis.attention.unnamed_ops import says_attention
from attntui.analysis.attention.vocabulary import MAIN_KERNEL
from attntui.analysis.attention_ops import Backend, Direction
from attntui.analysis.groups import apart
from attntui.analysis.kernel_names import KernelName
from attntui.analysis.launches import parent_ops
from attntui.analysis.named import is_named
from attntui.analysis.names.triton_by_hand import ambiguous
from attntui.analysis.names.words import Operation
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I64, Bool, Category, Trace

_PRODUCTS = (Operation.GEMM, Operation.GEMV)
# What may stand between a product and a softmax on one stream, and after it.
_BETWEEN: dict[str, Role] = {
    Operation.MUL: Role.SCALE,
    Operation.DIV: Role.SCALE,
    Operation.ADD: Role.MASK,
    Operation.MASKED_FILL: Role.MASK,
    Operation.WHERE: Role.MASK,
    Operation.TRIU_TRIL: Role.MASK,
    Operation.FILL: Role.MASK,
    Operation.COMPARE: Role.MASK,
    Operation.COPY: Role.COPY,
    Operation.MEMCPY: Role.COPY,
    Operation.DROPOUT: Role.DROPOUT,
    Operation.MEMSET: Role.MEMSET,
    Operation.SPLIT_K_REDUCE: Role.QK,
}
_MOST_BETWEEN = 10
_OF_FORWARD = (
    Operation.ATTENTION_QUANTIZE,
    Operation.ATTENTION_FORWARD,
    Operation.ATTENTION_COMBINE,
)
# What a call in each direction begins with, if it has such a kernel.
_BEFORE = (Operation.ATTENTION_QUANTIZE, Operation.ATTENTION_PREPROCESS)


def find_by_kernels(trace: Trace, where: Launches, free: I64) -> list[Found]:
    """Calls among GPU operations that belong to no call yet (`free` indexes `where`).

    Each kernel that does a whole attention is a call; its helpers (combine, preprocess,
    convert) join it. Products round a softmax on one stream are a naive call, if no CPU op
    launched them: without an op there is no shape to check.
    """
    names = np.unique(trace.name[where.gpu_ops[free]]).tolist()
    decoded = {name: kernel_in_attention(trace.names[name]) for name in names}
    ids = [name for name, kernel in decoded.items() if is_attention(kernel)]
    attention = mask_of(len(trace.names), ids)
    mine = free[attention[trace.name[where.gpu_ops[free]]]]
    mine = mine[_told(trace, where, mine)]
    made = dict(
        zip(
            where.gpu_ops[mine].tolist(),
            made_before(trace, where.gpu_ops[mine]).tolist(),
            strict=True,
        )
    )
    found = [
        _fused(trace, rows, decoded, made)
        for stream in _by_stream(trace, where.gpu_ops[mine])
        for rows in _grouped(trace, stream, decoded)
    ]
    bare = where.gpu_ops[free[where.op[free] == ABSENT]]
    for stream in _by_stream(trace, bare):
        found.extend(_naive_on(trace, stream, decoded))
    return found


def _told(trace: Trace, where: Launches, index: I64) -> Bool:
    """Which attention kernels are told: by their names, or, where those leave it open, by the
    innermost op or annotation round the launch.
    """
    open_ = np.flatnonzero(is_named(trace, where.gpu_ops[index], ambiguous))
    told = np.ones(len(index), np.bool_)
    told[open_] = False
    open_ = open_[where.anchor[index[open_]] != ABSENT]
    if len(open_):
        label = parent_ops(trace, where.gpu_ops[index[open_]])
        open_, label = open_[label != ABSENT], label[label != ABSENT]
        told[open_] = is_named(trace, label, says_attention)
    return told


def _by_stream(trace: Trace, rows: I64) -> list[I64]:
    """Rows of each GPU lane apart, by start."""
    return apart(rows, trace.lane[rows])[1]


def _direction(kernel: KernelName) -> Direction:
    """Which way an attention kernel goes; all parts but these are a backward's."""
    return Direction.FORWARD if kernel.operation in _OF_FORWARD else Direction.BACKWARD


def _grouped(trace: Trace, rows: I64, decoded: dict[int, KernelName]) -> Iterator[list[int]]:
    """Attention kernels of one stream, those of one call together."""
    group: list[int] = []
    for row in rows.tolist():
        kernel = decoded[int(trace.name[row])]
        if group and not _joins(trace, group, row, kernel, decoded):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _joins(
    trace: Trace, group: list[int], row: int, kernel: KernelName, decoded: dict[int, KernelName]
) -> bool:
    """Whether a kernel belongs to the call that the ones before it make."""
    operations = [decoded[int(trace.name[r])].operation for r in group]
    if _direction(kernel) != _direction(decoded[int(trace.name[group[0]])]):
        return False
    if kernel.operation is Operation.ATTENTION_FORWARD:
        return set(operations) == {Operation.ATTENTION_QUANTIZE}
    if kernel.operation in _BEFORE:
        return set(operations) == {kernel.operation}
    if kernel.operation is Operation.ATTENTION_BACKWARD:
        # The gradients of q and of k and v may be kernels of their own, each once.
        return Operation.ATTENTION_CONVERT not in operations and all(
            trace.name[r] != trace.name[row] for r in group
        )
    return kernel.operation not in operations


def _fused(
    trace: Trace, rows: list[int], decoded: dict[int, KernelName], made: dict[int, int]
) -> Found:
    kernels = [decoded[int(trace.name[row])] for row in rows]
    direction = _direction(kernels[0])
    main = next((k for k in kernels if k.operation is MAIN_KERNEL[direction]), kernels[0])
    causal = next((k.causal for k in kernels if k.causal is not None), None)
    sizes = None
    if direction is Direction.FORWARD and made[rows[0]] != ABSENT:
        sizes = sizes_of_output(trace, made[rows[0]], rows[0])
    told = "no op that tells shapes"
    if sizes is not None:
        told = f"{trace.name_of(made[rows[0]])} before it and its grid tell q"
    return Found(
        backend=backend_of_kernel(main),
        direction=direction,
        lane=None,
        op=None,
        spans=(),
        geometry=sizes or Geometry(dtype=main.dtypes[0] if len(main.dtypes) == 1 else None),
        causal=causal,
        evidence=f"kernel name {main.short}; {told}",
        rows=tuple(rows),
        row_roles=tuple(role_in_fused(kernel) for kernel in kernels),
    )


def _naive_on(trace: Trace, rows: I64, decoded: dict[int, KernelName]) -> Iterator[Found]:
    """Naive calls on one stream: product, steps, softmax, steps, product."""
    operations = [decoded[int(name)].operation or "" for name in np.unique(trace.name[rows])]
    of_name = dict(zip(np.unique(trace.name[rows]).tolist(), operations, strict=True))
    softmax_names = [name for name, operation in of_name.items() if operation is Operation.SOFTMAX]
    taken = -1
    for at in np.flatnonzero(np.isin(trace.name[rows], softmax_names)).tolist():
        first = _product_at(trace, rows, at, -1, of_name)
        last = _product_at(trace, rows, at, 1, of_name)
        if first is None or last is None or first <= taken:
            continue
        taken = last
        chosen = rows[first : last + 1].tolist()
        roles = [_BETWEEN.get(of_name[int(trace.name[row])], Role.SOFTMAX) for row in chosen]
        roles[0], roles[-1] = Role.QK, Role.AV
        yield Found(
            backend=Backend.NAIVE,
            direction=Direction.FORWARD,
            lane=None,
            op=None,
            spans=(),
            geometry=Geometry(),
            causal=None,
            evidence="kernels in the order product, softmax, product on one stream; no shapes",
            rows=tuple(chosen),
            row_roles=tuple(roles),
        )


def _product_at(trace: Trace, rows: I64, at: int, step: int, of_name: dict[int, str]) -> int | None:
    """The place of the nearest product before or after a softmax, with only steps between."""
    for place in range(at + step, at + step * (_MOST_BETWEEN + 1), step):
        if not 0 <= place < len(rows):
            return None
        row = int(rows[place])
        operation = of_name[int(trace.name[row])]
        if operation in _PRODUCTS:
            return place
        crossing = trace.category[row] == Category.MEMCPY and "DtoD" not in trace.name_of(row)
        if crossing or operation not in _BETWEEN:
            return None
    return None
