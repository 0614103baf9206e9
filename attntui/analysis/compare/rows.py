"""The rows of a comparison: what answers to what, with the GPU time of both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from attntui.analysis.attention.model import ROLES, AttentionCall, Role
from attntui.analysis.compare.alignment import align
from attntui.analysis.compare.pieces import Piece, Shapes, shapes_of, sizes_of
from attntui.analysis.compare.side import Side
from attntui.trace.model import ABSENT, I64

Match = Literal["both", "only_a", "only_b"]

_ONE_KERNEL = frozenset(ROLES) - {Role.MEMSET, Role.OTHER}
"""Roles whose work one fused kernel does. A memset or an unknown helper is not its work."""


@dataclass(frozen=True, slots=True, eq=False)
class RoleOps:
    """The GPU operations of one side of a row that play one role."""

    role: Role
    rows: I64
    gpu_ns: int

    @property
    def gpu_ops(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """One side of a row: GPU operations by start, and their summed durations.

    `op` is the CPU op that launched them (an attention call's first), ABSENT where there is
    none, and `shapes` are the recorded ones of that op. Of an attention call `call` is set
    instead of `shapes`, and `parts` split the share by role.
    """

    rows: I64
    gpu_ns: int
    op: int
    shapes: Shapes | None
    call: AttentionCall | None = None
    parts: tuple[RoleOps, ...] = ()

    @property
    def gpu_ops(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One thing in both sides, or in one alone.

    `key` is unique in a comparison. `name` is the op's (both, where they differ) or
    `attention forward`; `role` an attention role, `memset`, or None for an op. In an
    attention call that one kernel does on one side, the row `fused` holds all that answers
    to it; `parts` of both shares then tell the roles.
    """

    key: str
    name: str
    role: Role | None
    a: Share | None
    b: Share | None

    @property
    def ends(self) -> tuple[Share | None, Share | None]:
        """What A and B have of it."""
        return self.a, self.b

    @property
    def match(self) -> Match:
        if self.b is None:
            return "only_a"
        return "only_b" if self.a is None else "both"

    @property
    def a_gpu_ns(self) -> int:
        return self.a.gpu_ns if self.a else 0

    @property
    def b_gpu_ns(self) -> int:
        return self.b.gpu_ns if self.b else 0

    @property
    def a_ops(self) -> int:
        return self.a.gpu_ops if self.a else 0

    @property
    def b_ops(self) -> int:
        return self.b.gpu_ops if self.b else 0

    @property
    def delta_gpu_ns(self) -> int:
        return self.b_gpu_ns - self.a_gpu_ns


@dataclass(frozen=True)
class RowGroup:
    """Rows with one name, role, match and shapes: one op in every layer, say."""

    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        return self.rows[0].name

    @property
    def role(self) -> Role | None:
        return self.rows[0].role

    @property
    def match(self) -> Match:
        return self.rows[0].match

    @cached_property
    def a_ops(self) -> int:
        return sum(row.a_ops for row in self.rows)

    @cached_property
    def b_ops(self) -> int:
        return sum(row.b_ops for row in self.rows)

    @cached_property
    def a_gpu_ns(self) -> int:
        return sum(row.a_gpu_ns for row in self.rows)

    @cached_property
    def b_gpu_ns(self) -> int:
        return sum(row.b_gpu_ns for row in self.rows)

    @property
    def delta_gpu_ns(self) -> int:
        return self.b_gpu_ns - self.a_gpu_ns


def grouped(rows: Sequence[Row]) -> tuple[RowGroup, ...]:
    """Rows that differ only in where they stand, as one group each; in order of the first."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        shapes = tuple(_shapes(share) for share in (row.a, row.b))
        groups.setdefault((row.name, row.role, row.match, shapes), []).append(row)
    return tuple(RowGroup(tuple(members)) for members in groups.values())


def _shapes(share: Share | None) -> object:
    if share is None or share.call is None:
        return None if share is None else share.shapes
    return sizes_of(share.call)


def build_rows(a: Side, b: Side) -> tuple[Row, ...]:
    """The rows of two units, in their joint order."""
    rows: list[Row] = []
    numbers: Counter[str] = Counter()
    for i, j in align(a.pieces, b.pieces):
        in_a = None if i is None else a.pieces[i]
        in_b = None if j is None else b.pieces[j]
        sides = [(s, piece) for s, piece in ((a, in_a), (b, in_b)) if piece is not None]
        # Sorted, so that B against A has the same keys.
        name = " / ".join(sorted({_name(*side) for side in sides}))
        piece = sides[0][1]
        base = f"{name} memset" if piece.memset else name
        numbers[base] += 1
        key = f"{base} #{numbers[base]}"
        if piece.call is not None:
            rows += _call_rows(key, name, (a, in_a), (b, in_b))
        else:
            role = Role.MEMSET if piece.memset else None
            rows.append(Row(key, name, role, _op_share(a, in_a), _op_share(b, in_b)))
    return tuple(rows)


def _name(side: Side, piece: Piece) -> str:
    if piece.call is not None:
        return f"attention {piece.call.direction}"
    return side.slice.trace.name_of(int(piece.rows[0]) if piece.op == ABSENT else piece.op)


def _op_share(side: Side, piece: Piece | None) -> Share | None:
    if piece is None:
        return None
    trace = side.slice.trace
    shapes = None if piece.op == ABSENT else shapes_of(trace.inputs_of(piece.op))
    return Share(piece.rows, int(trace.dur[piece.rows].sum()), piece.op, shapes)


def _call_rows(
    key: str,
    name: str,
    a: tuple[Side, Piece | None],
    b: tuple[Side, Piece | None],
) -> list[Row]:
    """The rows of an attention call: a role each, or many roles against one kernel."""
    in_a, in_b = _parts(*a), _parts(*b)
    return [
        Row(f"{key} {role}", name, role, _call_share(a[1], in_a, a_roles),
            _call_share(b[1], in_b, b_roles))
        for role, a_roles, b_roles in _match_roles(list(in_a), list(in_b))
    ]  # fmt: skip


def _parts(side: Side, piece: Piece | None) -> dict[Role, RoleOps]:
    """The roles of a call's operations in the unit, in the order of `ROLES`."""
    if piece is None:
        return {}
    role_of = side.analysed.role_of[piece.rows]
    found = {}
    for index in np.unique(role_of).tolist():
        rows = piece.rows[role_of == index]
        role = ROLES[index] if index != ABSENT else Role.OTHER
        found[role] = RoleOps(role, rows, int(side.slice.trace.dur[rows].sum()))
    return {role: found[role] for role in ROLES if role in found}


def _match_roles(
    a: Sequence[Role], b: Sequence[Role]
) -> list[tuple[Role, tuple[Role, ...], tuple[Role, ...]]]:
    """Which roles of A answer to which of B; every role of either side is in one entry.

    A role answers to the same role. Where a kernel is fused on either side, it answers to
    all that is left of the work one kernel does, many to one.
    """
    same = {role for role in a if role in b and role is not Role.FUSED}
    rest_a, rest_b = (
        tuple(r for r in side if r in _ONE_KERNEL and r not in same) for side in (a, b)
    )
    many = Role.FUSED in (*a, *b) and bool(rest_a) and bool(rest_b)
    found: list[tuple[Role, tuple[Role, ...], tuple[Role, ...]]] = []
    for role in ROLES:
        in_a, in_b = role in a, role in b
        if role in same:
            found.append((role, (role,), (role,)))
        elif many and role in _ONE_KERNEL:
            if role is Role.FUSED:
                found.append((role, rest_a, rest_b))
        elif in_a or in_b:
            found.append((role, (role,) if in_a else (), (role,) if in_b else ()))
    return found


def _call_share(
    piece: Piece | None, parts: dict[Role, RoleOps], roles: Sequence[Role]
) -> Share | None:
    if piece is None or piece.call is None or not roles:
        return None
    call = piece.call
    chosen = tuple(parts[role] for role in roles)
    return Share(
        rows=np.sort(np.concatenate([part.rows for part in chosen])),
        gpu_ns=sum(part.gpu_ns for part in chosen),
        op=ABSENT if call.op is None else call.op,
        shapes=None,
        call=call,
        parts=chosen,
    )
