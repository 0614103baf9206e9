"""Finds the attention calls of a trace: the way in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attntui.analysis.attention.backward import find_backward
from attntui.analysis.attention.claims import claimed, claims_of
from attntui.analysis.attention.fused import find_fused
from attntui.analysis.attention.kernels_only import find_by_kernels
from attntui.analysis.attention.measure import Roles, measure
from attntui.analysis.attention.model import AttentionCall, Found
from attntui.analysis.attention.naive import find_naive
from attntui.analysis.attention.optree import launches, op_tree
from attntui.analysis.attention.ran import that_ran
from attntui.analysis.attention.unnamed_ops import find_unnamed
from attntui.analysis.attention_ops import Direction
from attntui.analysis.named import names_of
from attntui.trace.model import ABSENT, I64, Trace


def find_attention(trace: Trace, rows: I64 | None = None) -> tuple[AttentionCall, ...]:
    """Every attention call of a trace, in order of start; with `rows` those that `within` keeps.

    Calls are found in the tree of CPU ops: an op that does attention (of nested ones the
    outermost), by its name or by the kernel that it launched, or the naive sequence of
    products round a softmax on one level of one thread. Backward calls are found by the
    sequence numbers of their forward's ops, or by their own ops. What no op tells is found by
    the names of kernels. What was only captured into a graph ran nothing and is no call; the
    graph's replays are.
    """
    tree = op_tree(trace)
    where = launches(trace, tree)
    used = names_of(trace, tree.ops)
    found: list[Found] = find_fused(trace, tree, where, used, Direction.FORWARD)
    found += find_unnamed(trace, tree, where, used, Direction.FORWARD)
    found += find_naive(trace, tree, where, used)
    found += find_backward(trace, tree, where, found, used)
    claims = claims_of(trace, found)
    held = claimed(where, claims)
    free = held == ABSENT
    launched = where.anchor != ABSENT
    if len(tree.ops) or launched.any():
        # Beside ops or launches, kernels with no launch are left over from before the recording.
        free &= launched
    found += find_by_kernels(trace, where, np.flatnonzero(free))
    calls = measure(trace, where, found, Roles(trace, tree, found, claims, used), held)
    ordered = _in_order(trace, _renumbered(calls, that_ran(trace, calls)))
    return ordered if rows is None else within(ordered, rows)


def within(calls: Sequence[AttentionCall], rows: I64) -> tuple[AttentionCall, ...]:
    """The calls of which at least one GPU operation is among `rows`; a scope's, say.

    `forward` is the index in what is returned, None where the forward call is not kept.
    """
    kept = [index for index, call in enumerate(calls) if np.isin(call.gpu_rows, rows).any()]
    return _renumbered(calls, kept)


def _in_order(trace: Trace, calls: Sequence[AttentionCall]) -> tuple[AttentionCall, ...]:
    """By start on the host; a call known by its kernels alone by its first kernel's start."""

    def start(index: int) -> int:
        call = calls[index]
        if call.start is not None:
            return call.start
        return int(trace.start[call.gpu_rows[0]]) if call.gpu_ops else 0

    return _renumbered(calls, sorted(range(len(calls)), key=start))


def _renumbered(calls: Sequence[AttentionCall], kept: list[int]) -> tuple[AttentionCall, ...]:
    """Some calls in a given order, each backward one pointing at its forward's new place."""
    place = {index: number for number, index in enumerate(kept)}
    return tuple(
        calls[index]
        if calls[index].forward is None
        else replace(calls[index], forward=place.get(calls[index].forward or 0))
        for index in kept
    )
