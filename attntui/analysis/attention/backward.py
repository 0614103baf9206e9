"""Backward calls: by the sequence numbers of their forward's ops, or by their own ops.

Autograd numbers the ops of a thread that a gradient flows through; the node that it later
evaluates, often on another thread, bears the number and the thread of its forward op.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attntui.analysis.attention.claims import claims_of
from attntui.analysis.attention.fused import find_fused
from attntui.analysis.attention.measure import Roles
from attntui.analysis.attention.model import ROLES, Found, ThreadSpan
from attntui.analysis.attention.naive import Search
from attntui.analysis.attention.optree import Launches, OpTree
from attntui.analysis.attention.unnamed_ops import find_unnamed
from attntui.analysis.attention.vocabulary import (
    NODE_PREFIX,
    is_attention_node,
    is_node,
    is_softmax_backward,
)
from attntui.analysis.attention_ops import Backend, Direction
from attntui.analysis.launches import process_of_lanes
from attntui.analysis.named import is_named, names_passing
from attntui.trace.model import ABSENT, I64, Bool, Trace


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Autograd nodes evaluated, by row, and the row of the forward op of each (else ABSENT)."""

    rows: I64
    forward: I64


def find_backward(
    trace: Trace, tree: OpTree, where: Launches, forward: Sequence[Found], used: Bool
) -> list[Found]:
    """Backward calls; `forward` in them is an index into the forward calls given."""
    nodes = _nodes(trace, tree)
    found = _by_nodes(trace, tree, nodes, forward, used)
    own = find_fused(trace, tree, where, used, Direction.BACKWARD)
    own += find_unnamed(trace, tree, where, used, Direction.BACKWARD)
    found += _by_ops(trace, tree, nodes, forward, found, own, used)
    found += _compiled_naive(trace, tree, nodes, forward, found, used)
    return found


def _nodes(trace: Trace, tree: OpTree) -> Nodes:
    """Every node, matched to the last op of its forward thread with its sequence number:
    ops that no gradient flows through bear the number that the next one takes.
    """
    sequence, thread = trace.columns.sequence, trace.columns.forward_thread
    ops = tree.ops[sequence[tree.ops] >= 0]
    node = is_named(trace, ops, is_node)
    rows = ops[node]
    # A forward op's forward thread is 0, the node's is the number of the thread it ran on.
    numbered = ops[~node & (thread[ops] <= 0)]
    found = np.full(len(rows), ABSENT, np.int64)
    lanes = np.unique(trace.lane[numbered]).tolist()
    by_lane = {
        lane: _last_by_sequence(trace, numbered[trace.lane[numbered] == lane]) for lane in lanes
    }
    processes = process_of_lanes(trace)
    groups = np.stack((thread[rows], processes[trace.lane[rows]]), axis=1)
    for group in np.unique(groups, axis=0):
        own = np.flatnonzero((groups == group).all(axis=1))
        best, score = None, (0, 0)
        for lane in lanes:
            if processes[lane] != group[1]:
                continue
            matched = _match(trace, rows[own], by_lane[lane])
            reached = _score(trace, rows[own], matched)
            if reached > score:
                best, score = matched, reached
        if best is not None:
            found[own] = best
    return Nodes(rows, found)


def _last_by_sequence(trace: Trace, rows: I64) -> tuple[I64, I64]:
    """Sequence numbers of one lane, ascending, and the last op that bears each."""
    sequence = trace.columns.sequence[rows]
    order = np.lexsort((rows, sequence))
    last = np.append(np.diff(sequence[order]) != 0, True)[: len(rows)]
    return sequence[order][last], rows[order][last]


def _match(trace: Trace, nodes: I64, ops: tuple[I64, I64]) -> I64:
    """For each node the op with its sequence number that began before it, else ABSENT."""
    numbers, rows = ops
    at = np.minimum(np.searchsorted(numbers, trace.columns.sequence[nodes]), len(numbers) - 1)
    op = rows[at]
    fits = (numbers[at] == trace.columns.sequence[nodes]) & (trace.start[op] < trace.start[nodes])
    return np.where(fits, op, ABSENT)


def _score(trace: Trace, nodes: I64, ops: I64) -> tuple[int, int]:
    """How well a lane's ops fit the nodes of one forward thread: names alike, then numbers.

    A file names threads in two ways that it does not relate, so the names decide.
    """
    known = ops != ABSENT
    pairs = np.stack((trace.name[nodes[known]], trace.name[ops[known]]))
    (node_names, op_names), counts = np.unique(pairs, axis=1, return_counts=True)
    alike = sum(
        count
        for node, op, count in zip(
            node_names.tolist(), op_names.tolist(), counts.tolist(), strict=True
        )
        if _stem(trace.names[node]) == _stem(trace.names[op])
    )
    return alike, int(known.sum())


def _stem(name: str) -> str:
    """`MulBackward0` and `aten::mul_` alike: `mul`."""
    text = name.removeprefix(NODE_PREFIX).rpartition("::")[2]
    return re.sub(r"Backward\d*$", "", text).replace("_", "").lower()


def _by_nodes(
    trace: Trace, tree: OpTree, nodes: Nodes, forward: Sequence[Found], used: Bool
) -> list[Found]:
    """One backward call for each forward call whose ops' nodes were evaluated, and one more
    for each time that they were evaluated again.
    """
    claims = claims_of(trace, forward)
    matched = np.flatnonzero(nodes.forward != ABSENT)
    claim = claims.holding(nodes.forward[matched])
    matched, claim = matched[claim != ABSENT], claim[claim != ABSENT]
    if not len(matched):
        return []
    rows, ops = nodes.rows[matched], nodes.forward[matched]
    call = claims.call[claim]
    code = Roles(trace, tree, forward, claims, used).of(claim, ops)
    order = np.lexsort((rows, trace.columns.sequence[rows], call))
    rows, ops, call, code = rows[order], ops[order], call[order], code[order]
    again = _occurrence(call, ops)
    order = np.lexsort((rows, trace.lane[rows], again, call))
    groups = np.stack((call, again, trace.lane[rows].astype(np.int64)), axis=1)[order]
    cuts = np.flatnonzero((np.diff(groups, axis=0) != 0).any(axis=1)) + 1
    found = []
    for part in np.split(order, cuts):
        of = int(call[part[0]])
        seen = forward[of]
        spans = tuple(
            ThreadSpan(row, int(trace.end[row]), ROLES[role] if seen.backend.separate else None)
            for row, role in zip(rows[part].tolist(), code[part].tolist(), strict=True)
        )
        how = (
            f"{len(spans)} autograd nodes of the forward's ops"
            if len(spans) > 1
            else f"{trace.name_of(spans[0].first).removeprefix(NODE_PREFIX)} of the forward's op"
        )
        found.append(
            replace(
                seen,
                direction=Direction.BACKWARD,
                lane=int(trace.lane[spans[0].first]),
                op=spans[0].first,
                spans=spans,
                evidence=f"{how}, by sequence number",
                qk=ABSENT,
                av=ABSENT,
                forward=of,
            )
        )
    return found


def _occurrence(call: I64, ops: I64) -> I64:
    """How often each (call, op) came before, in the order given (equal pairs adjacent)."""
    new = np.ones(len(call), np.bool_)
    new[1:] = (call[1:] != call[:-1]) | (ops[1:] != ops[:-1])
    index = np.arange(len(call))
    return index - np.maximum.accumulate(np.where(new, index, 0))


def _outside(trace: Trace, found: Sequence[Found], rows: Iterable[int]) -> list[bool]:
    """Which rows no call found so far holds."""
    at = np.array(list(rows), np.int64)
    return (claims_of(trace, found).holding(at) == ABSENT).tolist() if len(at) else []


def _by_ops(
    trace: Trace,
    tree: OpTree,
    nodes: Nodes,
    forward: Sequence[Found],
    found: Sequence[Found],
    own: Sequence[Found],
    used: Bool,
) -> list[Found]:
    """Backward ops that no forward's sequence number led to: the forward lies outside the
    trace, or inside a compiled region whose backward is one node.
    """
    free = [
        call
        for call, outside in zip(
            own, _outside(trace, found, [c.spans[0].first for c in own]), strict=True
        )
        if outside
    ]
    rows = np.array([call.spans[0].first for call in free], np.int64)
    attention = tree.names_like(names_passing(trace, is_attention_node, used))
    node = tree.inside(rows, attention) if len(rows) else rows
    widened = [
        call
        if top == ABSENT
        else replace(call, op=top, spans=(ThreadSpan(top, int(trace.end[top])),))
        for call, top in zip(free, node.tolist(), strict=True)
    ]
    pairs = _in_regions(
        trace, nodes, forward, [call.spans[0].first for call in widened], naive=False
    )
    return [_paired(call, pairs.get(index), forward) for index, call in enumerate(widened)]


def _paired(call: Found, of: int | None, forward: Sequence[Found]) -> Found:
    """A backward call with what its forward tells, where it has one."""
    if of is None:
        return call
    seen = forward[of]
    sizes = call.geometry if call.geometry.q_len is not None else seen.geometry
    return replace(call, forward=of, geometry=sizes, causal=seen.causal)


def _in_regions(
    trace: Trace, nodes: Nodes, forward: Sequence[Found], rows: Sequence[int], *, naive: bool
) -> dict[int, int]:
    """Pairs of (index into `rows`, forward call) where both lie in one compiled region.

    A region's backward takes its calls in reverse; where the counts differ none is paired.
    Only naive forward calls are looked at, or only the others.
    """
    at = np.array(rows, np.int64)
    wanted = [i for i, call in enumerate(forward) if (call.backend is Backend.NAIVE) is naive]
    firsts = np.array([forward[index].spans[0].first for index in wanted], np.int64)
    pairs: dict[int, int] = {}
    if not len(at) or not len(firsts):
        return pairs
    region = f"{NODE_PREFIX}CompiledFunction"
    regions = is_named(trace, nodes.rows, lambda name: name.startswith(region))
    regions &= nodes.forward != ABSENT
    for node, op in zip(nodes.rows[regions].tolist(), nodes.forward[regions].tolist(), strict=True):
        inside = np.flatnonzero(_within(trace, at, node))
        calls = np.flatnonzero(_within(trace, firsts, op))
        if len(inside) == len(calls):
            reverse = [wanted[index] for index in calls.tolist()[::-1]]
            pairs.update(zip(inside.tolist(), reverse, strict=True))
    return pairs


def _within(trace: Trace, rows: I64, outer: int) -> Bool:
    """Which rows lie in the span of a row on its thread."""
    inside = (rows >= outer) & (trace.lane[rows] == trace.lane[outer])
    return np.asarray(inside & (trace.end[rows] <= trace.end[outer]), np.bool_)


def _compiled_naive(
    trace: Trace,
    tree: OpTree,
    nodes: Nodes,
    forward: Sequence[Found],
    found: Sequence[Found],
    used: Bool,
) -> list[Found]:
    """The backward of a compiled naive call: products round a fused softmax backward."""
    mask = tree.names_like(names_passing(trace, is_softmax_backward, used))
    rows = np.flatnonzero(mask)
    rows = rows[np.array(_outside(trace, [*forward, *found], rows.tolist()), np.bool_)]
    pairs = _in_regions(trace, nodes, forward, rows.tolist(), naive=True)
    if not pairs:
        return []
    search = Search(trace, tree)
    result = []
    for index, of in pairs.items():
        seen = forward[of]
        window = search.round(int(rows[index]), seen.geometry)
        if window is None:
            continue
        first, last = window
        result.append(
            replace(
                seen,
                direction=Direction.BACKWARD,
                lane=int(trace.lane[first]),
                op=first,
                spans=(ThreadSpan(first, int(trace.end[last]), whole=False),),
                evidence=f"products round {trace.name_of(int(rows[index]))} in a compiled backward",
                qk=ABSENT,
                av=ABSENT,
                forward=of,
            )
        )
    return result
