"""The tree of CPU ops alone: annotations, Python frames and runtime calls left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis.climbing import furthest, innermost
from attntui.analysis.launches import nearest, parent_ops
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I64, Bool, Category, Trace


@dataclass(frozen=True, slots=True, eq=False)
class OpTree:
    """CPU ops, their parents among CPU ops, and the ops of one level in order.

    `parent` has a row's nearest enclosing CPU op, for CPU ops only (else ABSENT). A level is
    what has one parent op (or none) on one thread. `siblings` are the ops by level, then by
    row, and `keys` the sort keys of that order.
    """

    trace: Trace
    is_op: Bool
    ops: I64
    parent: I64
    siblings: I64
    keys: I64

    def level_of(self, parent: I64, lane: I64) -> I64:
        """The number of the level under each parent op, or of a thread's outermost level."""
        return np.where(parent == ABSENT, -1 - lane, parent)

    def key(self, level: I64, row: I64) -> I64:
        """Where a row stands, or would stand, among the ops of a level."""
        return level * (len(self.trace) + 1) + row

    def children(self, row: int) -> I64:
        """The CPU ops directly under one, in order."""
        width = len(self.trace) + 1
        low, high = np.searchsorted(self.keys, [row * width, (row + 1) * width])
        return self.siblings[low:high]

    def inside(self, rows: I64, mask: Bool) -> I64:
        """For each CPU op the outermost of it and its ancestors in `mask`, else ABSENT."""

        def first(places: I64) -> I64:
            return innermost(self.parent, places, lambda _, at: mask[at])

        return furthest(lambda at: first(self.parent[at]), first(rows))

    def names_like(self, wanted: Bool) -> Bool:
        """Which rows are CPU ops with a name of which `wanted` (a mask over names) is true."""
        return mask_of(len(self.trace), self.ops[wanted[self.trace.name[self.ops]]])


def op_tree(trace: Trace) -> OpTree:
    """The tree of a trace's CPU ops."""
    is_op = trace.category == Category.CPU_OP
    ops = np.flatnonzero(is_op)
    parent = np.full(len(trace), ABSENT, np.int64)
    parent[ops] = nearest(trace, ops, is_op)
    level = np.where(parent[ops] == ABSENT, -1 - trace.lane[ops].astype(np.int64), parent[ops])
    order = np.argsort(level, kind="stable")
    keys = level[order] * (len(trace) + 1) + ops[order]
    return OpTree(trace, is_op, ops, parent, ops[order], keys)


@dataclass(frozen=True, slots=True, eq=False)
class Launches:
    """Where each GPU operation hangs in the op tree; columns of one length with `gpu_ops`.

    `anchor` is the row that says when and on which thread it was launched: its launch call,
    or the op with its external id where the launch has nothing around it. `op` is the
    innermost CPU op around that. Both ABSENT where the trace does not tell.
    """

    gpu_ops: I64
    anchor: I64
    op: I64


def launches(trace: Trace, tree: OpTree) -> Launches:
    """Hang every GPU operation of the trace in its op tree."""
    ops = trace.gpu_ops
    anchor = trace.launch[ops].astype(np.int64)
    op = np.full(len(ops), ABSENT, np.int64)
    known = np.flatnonzero(anchor != ABSENT)
    op[known] = nearest(trace, anchor[known], tree.is_op)
    alone = known[trace.parent[anchor[known]] == ABSENT]
    if len(alone):
        by_id = parent_ops(trace, ops[alone])
        found = by_id != ABSENT
        op[alone[found]] = by_id[found]
        anchor[alone[found]] = by_id[found]
    return Launches(ops, anchor, op)
