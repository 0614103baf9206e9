"""From what the finders saw to attention calls: GPU operations, roles, times, bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod

import numpy as np

from attntui.analysis.attention.claims import Claims
from attntui.analysis.attention.model import (
    ROLES,
    AttentionCall,
    Found,
    Geometry,
    Role,
    RoleShare,
)
from attntui.analysis.attention.optree import Launches, OpTree
from attntui.analysis.attention.precision import Precision, precisions
from attntui.analysis.attention.roles import Place, role_of
from attntui.analysis.attention.vocabulary import WHOLE_COPIES, does_attention
from attntui.analysis.attention_ops import Direction
from attntui.analysis.climbing import innermost
from attntui.analysis.groups import distinct
from attntui.analysis.kernel_names import decode
from attntui.analysis.named import names_passing
from attntui.analysis.work.model import Arguments
from attntui.analysis.work.of_kernels import kernel_work
from attntui.trace.model import ABSENT, I32, I64, Bool, Category, OpInputs, Trace

_ROLE_CODES = {role: code for code, role in enumerate(ROLES)}
_UNKNOWN = -1


class Roles:
    """Roles of GPU operations, or of CPU ops, that calls hold."""

    def __init__(
        self, trace: Trace, tree: OpTree, found: Sequence[Found], claims: Claims, used: Bool
    ) -> None:
        self.trace = trace
        self.tree = tree
        self.found = found
        self.claims = claims
        self._attention = names_passing(trace, does_attention, used)
        self._copies = names_passing(trace, lambda name: name in WHOLE_COPIES, used)
        self._separate = np.array([call.backend.separate for call in found], np.bool_)
        self._qk = np.array([call.qk for call in found], np.int64)
        self._av = np.array([call.av for call in found], np.int64)
        shapes: dict[Geometry, int] = {}
        self._shape = np.array(
            [shapes.setdefault(call.geometry, len(shapes)) for call in found], np.int64
        )
        self._shapes = tuple(shapes)

    def of(self, claim: I64, inner: I64, gpu: I64 | None = None) -> I64:
        """Role codes of what the ops `inner` (ABSENT for none) launched in some claims; with
        `gpu`, the rows of the GPU operations themselves.
        """
        trace, claims = self.trace, self.claims
        call = claims.call[claim]
        outer, copied = self._climb(inner, claims.floor[claim])
        # Launched in the stretch, but by no op of it.
        within = (inner != ABSENT) & (inner >= claims.first[claim])
        outer = np.where(within, outer, ABSENT)
        product = np.where(outer == self._qk[call], 1, np.where(outer == self._av[call], 2, 0))
        product[outer == ABSENT] = 0
        told = np.array([ABSENT if r is None else _ROLE_CODES[r] for r in claims.role], np.int64)[
            claim
        ]
        outer_name = _named(trace.name, outer)
        outer_inputs = _named(trace.columns.inputs, outer)
        inner = np.where(within, inner, ABSENT)
        none = np.full(len(inner), ABSENT, np.int64)
        kernel = none if gpu is None else trace.name[gpu].astype(np.int64)
        category = none if gpu is None else trace.category[gpu].astype(np.int64)
        separate, shape = self._separate[call].astype(np.int64), self._shape[call]
        columns = (
            separate,
            told,
            product,
            outer_name,
            outer_inputs,
            _named(trace.name, inner),
            _named(trace.columns.inputs, inner),
            copied.astype(np.int64),
            kernel,
            category,
            shape,
        )
        first, number = distinct(*columns)
        codes = []
        for values in zip(*(column[first].tolist() for column in columns), strict=True):
            a, b, c, d, e, f, n, g, h, i, j = values
            place = Place(
                separate=bool(a),
                told=ROLES[b] if b != ABSENT else None,
                product=c,
                outer=self._name(d),
                outer_inputs=trace.op_inputs[e] if e != ABSENT else None,
                inner=self._name(f),
                elements=_elements(trace.op_inputs[n]) if n != ABSENT else None,
                copied=bool(g),
                kernel=self._name(h),
                category=Category(i) if i != ABSENT else None,
                geometry=self._shapes[j],
            )
            codes.append(_ROLE_CODES[role_of(place)])
        return np.array(codes, np.int64)[number]

    def _name(self, index: int) -> str | None:
        return self.trace.names[index] if index != ABSENT else None

    def _climb(self, inner: I64, floor: I64) -> tuple[I64, Bool]:
        """From each op up to the step of its call that it belongs to, and whether a copy was
        passed on the way.
        """
        trace, tree = self.trace, self.tree

        def is_step(which: I64, at: I64) -> Bool:
            up = tree.parent[at]
            top = (up == ABSENT) | (up < floor[which]) | self._attention[trace.name[up]]
            return np.asarray(top, np.bool_)

        outer = innermost(tree.parent, inner, is_step)
        copy_or_step = innermost(
            tree.parent,
            inner,
            lambda which, at: self._copies[trace.name[at]] | (at == outer[which]),
        )
        return outer, np.asarray(copy_or_step != outer, np.bool_)


def _elements(inputs: OpInputs) -> int | None:
    """The elements of an op's first input, None where it is no tensor of known shape."""
    tensor = Arguments(inputs).tensor(0)
    return None if tensor is None else prod(tensor.shape)


def _named(column: I32, rows: I64) -> I64:
    """A column's values at rows, ABSENT where the row is."""
    return np.where(rows == ABSENT, ABSENT, column[rows]).astype(np.int64)


def measure(
    trace: Trace, where: Launches, found: Sequence[Found], roles: Roles, held: I64
) -> list[AttentionCall]:
    """The calls found, in the same order. `held` has each GPU operation's claim."""
    index = np.flatnonzero(held != ABSENT)
    rows = where.gpu_ops[index]
    claim = held[index]
    code = roles.of(claim, where.op[index], rows) if len(index) else index
    call = roles.claims.call[claim]
    given = [
        (number, row, role)
        for number, f in enumerate(found)
        for row, role in zip(f.rows, f.row_roles, strict=True)
    ]
    call = np.concatenate((call, np.array([number for number, _, _ in given], np.int64)))
    rows = np.concatenate((rows, np.array([row for _, row, _ in given], np.int64)))
    code = np.concatenate((code, np.array([_ROLE_CODES[r] for *_, r in given], np.int64)))
    inner = np.concatenate((where.op[index], np.full(len(given), ABSENT, np.int64)))
    moved = _bytes(trace, rows, inner)
    precise = precisions(trace, found, call, rows, code, inner)
    order = np.lexsort((rows, code, call))
    call, rows, code, moved = call[order], rows[order], code[order], moved[order]
    return _calls(trace, where, found, precise, call, rows, code, moved)


def _bytes(trace: Trace, rows: I64, inner: I64) -> I64:
    """Estimated bytes of each operation, _UNKNOWN where its shapes do not tell. Of several
    kernels that one op launched, the work of the op stands on the first that does it.
    """
    inputs = _named(trace.columns.inputs, inner)
    columns = (
        trace.name[rows].astype(np.int64),
        _named(trace.name, inner),
        inputs,
        trace.columns.copied_bytes[rows],
    )
    first, number = distinct(*columns)
    values = []
    for kernel, op, args, copied in zip(
        *(column[first].tolist() for column in columns), strict=True
    ):
        work = kernel_work(
            decode(trace.names[kernel]),
            trace.names[op] if op != ABSENT else None,
            trace.op_inputs[args] if args != ABSENT else None,
            copied if copied != ABSENT else None,
        )
        values.append(_UNKNOWN if work.bytes is None else work.bytes)
    moved = np.array(values, np.int64)[number]
    kernels = (trace.category[rows] == Category.KERNEL) & (inner != ABSENT)
    known = np.flatnonzero(kernels & (moved != _UNKNOWN))
    worked, once = np.unique(inner[known], return_index=True)
    moved[kernels & np.isin(inner, worked)] = 0
    moved[known[once]] = np.array(values, np.int64)[number[known[once]]]
    return moved


def _calls(
    trace: Trace,
    where: Launches,
    found: Sequence[Found],
    precise: Sequence[Precision],
    call: I64,
    rows: I64,
    code: I64,
    moved: I64,
) -> list[AttentionCall]:
    """Build the calls from their operations, sorted by call and role."""
    groups = call * len(ROLES) + code
    cuts = [0, *(np.flatnonzero(np.diff(groups)) + 1).tolist(), len(rows)] if len(rows) else [0]
    dur = np.concatenate(([0], np.cumsum(trace.dur[rows])))
    total = np.concatenate(([0], np.cumsum(np.maximum(moved, 0))))
    unknown = np.concatenate(([0], np.cumsum(moved == _UNKNOWN)))
    shares: dict[int, list[RoleShare]] = {}
    for low, high in pairwise(cuts):
        share = RoleShare(
            ROLES[int(code[low])],
            rows[low:high],
            int(dur[high] - dur[low]),
            None if unknown[high] > unknown[low] else int(total[high] - total[low]),
        )
        shares.setdefault(int(call[low]), []).append(share)
    starts, ends = (
        np.searchsorted(call, np.arange(len(found))),
        np.searchsorted(call, np.arange(len(found)), side="right"),
    )
    return [
        _call(trace, where, seen, precision, rows[low:high], shares.get(number, []))
        for number, (seen, precision, low, high) in enumerate(
            zip(found, precise, starts.tolist(), ends.tolist(), strict=True)
        )
    ]


def _call(
    trace: Trace,
    where: Launches,
    seen: Found,
    precision: Precision,
    rows: I64,
    shares: list[RoleShare],
) -> AttentionCall:
    sizes, backward = seen.geometry, seen.direction is Direction.BACKWARD
    fused_bytes = sizes.fused_bytes(backward=backward)
    if seen.backend.separate and not backward:
        shares = [_weighed(share, sizes) for share in shares]
    elif not seen.backend.separate:
        shares = [_estimated(share, fused_bytes) for share in shares]
    told = [share.hbm_bytes for share in shares]
    known = [value for value in told if value is not None]
    op, lane = seen.op, seen.lane
    start, end = _host_span(trace, seen)
    if op is None and start is not None:
        at = int(np.searchsorted(where.gpu_ops, seen.rows[0]))
        lane = int(trace.lane[where.anchor[at]])
        op = int(where.op[at]) if where.op[at] != ABSENT else None
    return AttentionCall(
        backend=seen.backend,
        direction=seen.direction,
        batch=sizes.batch,
        heads=sizes.heads,
        kv_heads=sizes.kv_heads,
        q_len=sizes.q_len,
        kv_len=sizes.kv_len,
        head_dim=sizes.head_dim,
        dtype=sizes.dtype,
        causal=seen.causal,
        op=op,
        lane=lane,
        start=start,
        end=end,
        gpu_rows=np.sort(rows),
        gpu_ns=sum(share.gpu_ns for share in shares),
        roles=tuple(shares),
        flops=sizes.flops(
            causal=bool(seen.causal) and not seen.backend.separate,
            backward=backward,
            fused=not seen.backend.separate,
        ),
        hbm_bytes=sum(known) if told and len(known) == len(told) else None,
        fused_hbm_bytes=fused_bytes,
        casts_ns=precision.casts_ns,
        upcast=precision.upcast,
        evidence=seen.evidence,
        forward=seen.forward,
    )


def _estimated(share: RoleShare, fused_bytes: int | None) -> RoleShare:
    """A fused kernel whose op has no rule of its own moves what any fused kernel must."""
    if share.role is not Role.FUSED or share.hbm_bytes is not None:
        return share
    return replace(share, hbm_bytes=fused_bytes)


def _weighed(share: RoleShare, sizes: Geometry) -> RoleShare:
    """A lone softmax kernel whose op tells no shapes reads and writes the scores once."""
    scores = sizes.scores_bytes()
    if share.role is not Role.SOFTMAX or share.gpu_ops != 1 or share.hbm_bytes is not None:
        return share
    return replace(share, hbm_bytes=None if scores is None else 2 * scores)


def _host_span(trace: Trace, seen: Found) -> tuple[int | None, int | None]:
    """First op's start and last op's end; of a call known by its kernels alone, those of its
    launches, where they launched nothing else (a graph's launch tells no call).
    """
    if seen.spans:
        return int(trace.start[seen.spans[0].first]), max(span.end for span in seen.spans)
    launch = trace.launch[np.array(seen.rows, np.int64)]
    if (launch == ABSENT).any():
        return None, None
    calls = np.unique(launch).tolist()
    if sum(len(trace.launched_by(call)) for call in calls) > len(seen.rows):
        return None, None
    return int(trace.start[calls].min()), int(trace.end[calls].max())
