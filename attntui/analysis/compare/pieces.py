"""A unit cut into pieces: attention calls, CPU ops with their GPU operations, memsets.

Every GPU operation of a unit is in exactly one piece, so that sums over pieces are sums
over the unit. A piece has names for the alignment, from strict to loose.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention.model import AttentionCall
from attntui.analysis.climbing import furthest
from attntui.analysis.kernel_names import decode
from attntui.analysis.launches import nearest
from attntui.analysis.named import rows_named
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I64, Bool, Category, OpInputs, Shape, Trace

LEVELS = 3
"""Strict: op and shapes, or kernel name. Then the op's name, or the decoded short name.
Last the outermost aten op around and what the kernel does: `linear` may run `addmm` in
one and `mm` in the other.
"""

Token = tuple[Hashable, ...]
Shapes = tuple[Shape | tuple[Shape, ...], ...]
"""Shapes of an op's tensors; of a list of tensors a tuple of theirs."""


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """GPU operations of a unit that are compared as one.

    `rows` are GPU operations by start. Of an attention call `call` is set; of a CPU op
    `op` is its row (else ABSENT: the operation was launched outside any op); memsets are
    pieces apart from the op that set the memory.
    """

    rows: I64
    call: AttentionCall | None
    op: int
    memset: bool
    tokens: tuple[Token | None, ...]


def cut(analysed: AnalysedTrace, rows: I64) -> list[Piece]:
    """The pieces of a unit's GPU operations `rows`, in order of their first launch."""
    if not len(rows):
        return []
    trace, width = analysed.trace, len(analysed.trace)
    call, op = analysed.call_of[rows].astype(np.int64), analysed.op_of[rows]
    memset = trace.category[rows] == Category.MEMSET
    # One number for what belongs together: an op, its memsets, a lone operation, a call.
    together = np.where(op != ABSENT, 2 * op + memset, 2 * width + rows)
    together = np.where(call != ABSENT, 3 * width + call, together)
    launched = np.where(trace.launch[rows] != ABSENT, trace.launch[rows], rows)
    order = np.lexsort((rows, launched, together))
    _, first = np.unique(together[order], return_index=True)
    groups = np.split(rows[order], first[1:])
    heads = order[first]
    tokens = _tokens(analysed, rows[heads], call[heads], op[heads], memset[heads])
    found = [
        Piece(
            rows=np.sort(group),
            call=None if index == ABSENT else analysed.attention[index],
            op=parent if index == ABSENT else ABSENT,
            memset=bool(is_memset) and index == ABSENT,
            tokens=names,
        )
        for group, index, parent, is_memset, names in zip(
            groups,
            call[heads].tolist(),
            op[heads].tolist(),
            memset[heads].tolist(),
            tokens,
            strict=True,
        )
    ]
    return [found[i] for i in np.argsort(launched[heads], kind="stable").tolist()]


def _tokens(
    analysed: AnalysedTrace, rows: I64, call: I64, op: I64, memset: Bool
) -> list[tuple[Token | None, ...]]:
    """The names of each piece, given its first row; made once a distinct combination."""
    trace = analysed.trace
    told = op != ABSENT
    outer = np.full(len(op), ABSENT, np.int64)
    outer[told] = _outermost_aten(trace, op[told])
    facts = np.stack(
        [
            call,
            np.where(told, trace.name[op], ABSENT),
            np.where(told, trace.columns.inputs[op], ABSENT),
            np.where(outer != ABSENT, trace.name[outer], ABSENT),
            trace.name[rows],
            memset.astype(np.int64),
        ],
        axis=1,
    )
    distinct, which = np.unique(facts, axis=0, return_inverse=True)
    made = [_names(analysed, *values) for values in distinct.tolist()]
    return [made[i] for i in which.reshape(-1).tolist()]


def _names(
    analysed: AnalysedTrace, call: int, op: int, inputs: int, outer: int, kernel: int, memset: int
) -> tuple[Token | None, ...]:
    trace = analysed.trace
    if call != ABSENT:
        known = analysed.attention[call]
        loose = ("attention", known.direction)
        return ((*loose, *sizes_of(known)), loose, None)
    text = trace.names[kernel]
    decoded = decode(text)
    kind = "memset" if memset else "op"
    if op == ABSENT:
        return (("kernel", text), ("kernel", decoded.short), None)
    name = trace.names[op]
    shapes = shapes_of(None if inputs == ABSENT else trace.op_inputs[inputs])
    around = None
    if outer != ABSENT and decoded.operation:
        around = ("around", trace.names[outer], decoded.operation)
    return ((kind, name, shapes), (kind, name), around)


def sizes_of(call: AttentionCall) -> tuple[int | None, ...]:
    """Batch, heads, lengths of queries and keys, head dim: those that every backend tells."""
    return call.batch, call.heads, call.q_len, call.kv_len, call.head_dim


def shapes_of(inputs: OpInputs | None) -> Shapes | None:
    """The recorded shapes of an op's tensors, None where none was recorded."""
    if inputs is None or not any(inputs.dims):
        return None
    return tuple(dims for dims in inputs.dims if dims)


def _outermost_aten(trace: Trace, ops: I64) -> I64:
    """For each op the outermost of the aten ops directly around one another that hold it
    (itself, if it is one), else ABSENT: `linear` of an `addmm`.
    """
    is_cpu_op = trace.category == Category.CPU_OP
    aten_ops = rows_named(trace, np.flatnonzero(is_cpu_op), lambda name: name.startswith("aten::"))
    aten = mask_of(len(trace), aten_ops)

    def if_aten(places: I64) -> I64:
        return np.where((places != ABSENT) & aten[places], places, ABSENT)

    return furthest(lambda at: if_aten(nearest(trace, at, is_cpu_op)), if_aten(ops))
