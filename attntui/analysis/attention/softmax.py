"""Where a softmax may stand: as an op, as a kernel alone, or written out in ops of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attntui.analysis.attention.optree import Launches, OpTree
from attntui.analysis.attention.vocabulary import (
    forward_op,
    is_softmax,
    is_softmax_kernel,
)
from attntui.analysis.named import is_named, names_passing
from attntui.analysis.work.model import Arguments
from attntui.trace.model import ABSENT, I64, Bool, OpInputs, Trace

Step = tuple[str, OpInputs | None]
"""An op of one level: its name and inputs."""

EXPONENTIALS = frozenset(("aten::exp", "aten::exp_", "aten::exp2", "aten::exp2_"))
"""The step that every softmax has, round which the others are looked for."""
_MAXIMA = frozenset(("aten::amax", "aten::max"))
_DIFFERENCES = frozenset(("aten::sub", "aten::sub_"))
_QUOTIENTS = frozenset(("aten::div", "aten::div_", "aten::true_divide", "aten::divide"))
_PRODUCTS = frozenset(("aten::mul", "aten::mul_"))


@dataclass(frozen=True, slots=True, eq=False)
class Middle:
    """Softmaxes: their level, their row, and their place among the ops of all levels."""

    level: I64
    row: I64
    place: I64


def softmaxes(trace: Trace, tree: OpTree, where: Launches, used: Bool) -> Middle:
    """Softmax ops outside fused calls, outermost ones; exponentials, which may be part of a
    softmax in ops of its own; and Triton's softmax kernels that no op of that name launched:
    where they were launched, and the op that launched them.
    """
    mask = tree.names_like(names_passing(trace, is_softmax, used))
    rows = np.flatnonzero(mask)
    rows = rows[~mask[tree.parent[rows]] | (tree.parent[rows] == ABSENT)]
    steps = tree.names_like(names_passing(trace, lambda name: name in EXPONENTIALS, used))
    bare = np.flatnonzero(where.anchor != ABSENT)
    bare = bare[is_named(trace, where.gpu_ops[bare], is_softmax_kernel)]
    in_op = bare[where.op[bare] != ABSENT]
    named = in_op[tree.inside(where.op[in_op], mask) != ABSENT]
    bare, in_op = np.setdiff1d(bare, named), np.setdiff1d(in_op, named)
    rows = np.concatenate((rows, np.flatnonzero(steps), np.unique(where.op[in_op])))
    parent = np.concatenate((tree.parent[rows], where.op[bare]))
    rows = np.concatenate((rows, where.anchor[bare]))
    level = tree.level_of(parent, trace.lane[rows].astype(np.int64))
    fused = tree.names_like(names_passing(trace, forward_op, used))
    above = parent != ABSENT
    in_fused = np.zeros(len(rows), np.bool_)
    in_fused[above] = tree.inside(parent[above], fused) != ABSENT
    keep = ~in_fused
    key = tree.key(level[keep], rows[keep])
    order = np.argsort(key, kind="stable")
    place = np.searchsorted(tree.keys, key[order])
    return Middle(level[keep][order], rows[keep][order], place)


def softmax_steps(ops: Sequence[Step], at: int) -> tuple[int, ...] | None:
    """Which of some ops in order make a softmax with the exponential at `at`; None for none.

    After it come the sum over the last axis and the quotient (or a product with the
    reciprocal); the maximum and the difference before it may be absent. Or all that is left
    is the difference to a logsumexp.
    """
    difference = _last(ops[:at], _DIFFERENCES)
    before = ops[:difference] if difference is not None else ()
    logarithm = _last(before, frozenset(("aten::logsumexp",)))
    if difference is not None and logarithm is not None and _over_keys(ops[logarithm][1]):
        return logarithm, difference, at
    after = _quotient(ops, at)
    if after is None:
        return None
    maximum = _last(before, _MAXIMA)
    if difference is None or maximum is None:
        return at, *after
    return maximum, difference, at, *after


def _quotient(ops: Sequence[Step], at: int) -> tuple[int, ...] | None:
    """The sum after the exponential at `at`, and what divides by it."""
    total = _next(ops, at, frozenset(("aten::sum",)))
    if total is None or not _over_keys(ops[total][1]):
        return None
    quotient = _next(ops, total, _QUOTIENTS)
    if quotient is not None:
        return total, quotient
    reciprocal = _next(ops, total, frozenset(("aten::reciprocal", "aten::reciprocal_")))
    product = _next(ops, reciprocal, _PRODUCTS) if reciprocal is not None else None
    return None if reciprocal is None or product is None else (total, reciprocal, product)


def _last(ops: Sequence[Step], names: frozenset[str]) -> int | None:
    return next((at for at in range(len(ops) - 1, -1, -1) if ops[at][0] in names), None)


def _next(ops: Sequence[Step], after: int, names: frozenset[str]) -> int | None:
    return next((at for at in range(after + 1, len(ops)) if ops[at][0] in names), None)


def _over_keys(inputs: OpInputs | None) -> bool:
    """Whether a reduction runs over the last axis alone, as far as the trace tells."""
    if inputs is None or not inputs.dims:
        return True
    axes = Arguments(inputs).numbers(1)
    return axes is None or axes in ((-1,), (len(inputs.dims[0]) - 1,))
