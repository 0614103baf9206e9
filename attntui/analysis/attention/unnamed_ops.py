"""Attention calls of ops that no table names: an autograd function or a custom op round a
kernel of one's own. What it launched tells that it is attention, its inputs tell q, k and v.
"""

from __future__ import annotations

import re

import numpy as np

from attntui.analysis.attention.fused import call_of
from attntui.analysis.attention.model import Found
from attntui.analysis.attention.optree import Launches, OpTree
from attntui.analysis.attention.output import grid_fits, grid_of
from attntui.analysis.attention.vocabulary import (
    MAIN_KERNEL,
    is_node,
    is_product,
    is_region,
    whole_op,
)
from attntui.analysis.attention_ops import AttentionOp, Direction
from attntui.analysis.groups import apart
from attntui.analysis.kernel_names import decode
from attntui.analysis.named import is_named, names_of, names_passing
from attntui.analysis.names.triton_by_hand import ambiguous
from attntui.analysis.names.words import Operation
from attntui.analysis.work.attention import first_of_three, sizes_alike
from attntui.analysis.work.model import Arguments
from attntui.trace.model import ABSENT, I64, Bool, Trace

_SAYS_ATTENTION = re.compile(r"attn|attention(?!al)|flash", re.IGNORECASE)


def says_attention(label: str) -> bool:
    """Whether the name of an op or annotation says attention, or its flash form; enough
    evidence for a kernel whose own name leaves open whether it is one.
    """
    return bool(_SAYS_ATTENTION.search(label[:200]))


def find_unnamed(
    trace: Trace, tree: OpTree, where: Launches, used: Bool, direction: Direction
) -> list[Found]:
    """Calls in one direction of ops outside every named attention op that launched the kernel of
    one call themselves, and hold no products; by row. A compiled region is no such op.

    `used` is the mask of names that CPU ops bear.
    """
    index = _of_unknown_ops(trace, tree, where, used, MAIN_KERNEL[direction])
    rows, launched = apart(where.gpu_ops[index], where.op[index])
    found = []
    for row, own in zip(rows.tolist(), launched, strict=True):
        kernels = trace.name[own].tolist()
        # A backward may have a kernel for each gradient; each runs once.
        forward = direction is Direction.FORWARD
        once = len(kernels) == 1 if forward else len(set(kernels)) == len(kernels)
        if not once or any(is_product(trace.name_of(c)) for c in tree.children(row).tolist()):
            continue
        op, evidence = _form(trace, row, int(own[0]), direction)
        ops = [(trace.name_of(row), row, op)]
        found.append(call_of(trace, tree, row, ops, tuple(kernels), direction, evidence))
    return found


def _of_unknown_ops(
    trace: Trace, tree: OpTree, where: Launches, used: Bool, operation: Operation
) -> I64:
    """Which GPU operations (as an index into `where`) are main kernels of attention that an
    op of no table launched.
    """
    ops = np.flatnonzero(where.op != ABSENT)
    launched = names_of(trace, where.gpu_ops[ops])
    sure = names_passing(trace, lambda name: decode(name).operation is operation, launched)
    open_ = names_passing(trace, lambda name: ambiguous(name) is operation, launched)
    if not (sure | open_).any():
        return ops[:0]
    kernel, op = trace.name[where.gpu_ops[ops]], where.op[ops]
    told = is_named(trace, op, says_attention)
    ops = ops[sure[kernel] | (open_[kernel] & told)]
    other = names_passing(trace, lambda name: is_region(name) or is_node(name), used)
    other |= names_passing(trace, lambda name: name.startswith("aten::"), used)
    ops = ops[~other[trace.name[where.op[ops]]]]
    known = tree.names_like(names_passing(trace, whole_op, used))
    outside = np.flatnonzero(tree.inside(where.op[ops], known) == ABSENT)
    return ops[outside]


def _form(trace: Trace, row: int, kernel: int, direction: Direction) -> tuple[AttentionOp, str]:
    """Where an op keeps q, k and v, and what told which axis has the heads."""
    inputs = trace.inputs_of(row)
    unknown = AttentionOp(None, direction, q=None)
    args = Arguments(inputs) if inputs is not None and direction is Direction.FORWARD else None
    at = first_of_three(args) if args is not None else None
    if args is None or at is None:
        return unknown, "its inputs are not q, k and v"
    layouts = [axis for axis in (1, 2) if sizes_alike(args, at, axis)]
    q, k = args.tensors(at, at + 1)
    if q.shape[1] == q.shape[2] and k.shape[1] == k.shape[2]:
        return AttentionOp(None, direction, 1, at), "its inputs tell q, k and v"
    grid = grid_of(trace, kernel)
    fitting = [axis for axis in layouts if grid and grid_fits(q.shape, axis, k.shape[axis], grid)]
    if len(fitting) != 1 or grid is None:
        told = "its inputs tell q, k and v, nothing which axis has the heads"
        return AttentionOp(None, direction, 0, at), told
    shown = "x".join(str(size) for size in grid)
    told = f"its grid {shown} tells the heads' axis of its inputs"
    return AttentionOp(None, direction, fitting[0], at), told
