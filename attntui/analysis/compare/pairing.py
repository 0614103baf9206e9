"""Which unit of A answers to which of B: by order, among those that work on like shapes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare.pieces import shapes_of, sizes_of
from attntui.analysis.compare.units import UnitKind, Units
from attntui.analysis.groups import apart, sums
from attntui.analysis.kernel_names import decode
from attntui.analysis.owners import span_at
from attntui.trace.model import ABSENT, I64, Category, Shape

_ALIKE = 0.5
"""Units are alike where at least this share of the time of one is work on shapes, or by
kernels, that the other has as well: a fix changes less than that of one side or the other.
"""

_TOLD = 0.5
"""Shapes decide where they are recorded for at least this share of the time of both."""

_MOST_KINDS = 2000
"""Kinds of work that are looked at, those with the most time: all but of serving traces, whose
shapes change with each step."""

_MOST_CLASSES = 1000
"""Classes of units that are matched, the first ones in time."""

Pairs = tuple[tuple[int, int], ...]
Item = Hashable
_Shares = NDArray[np.float64]


class Likeness(Enum):
    """What units were found alike by."""

    SHAPES = "shapes"
    KERNELS = "kernels"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of units (index in A, index in B), ascending in A, and what made them alike.
    Two whole windows are a pair even where nothing does.
    """

    pairs: Pairs
    by: Likeness


def pair(a: tuple[AnalysedTrace, Units], b: tuple[AnalysedTrace, Units]) -> Pairing:
    """The pairs of two sides' units. B's with A's are the same, turned."""
    by, works = Likeness.SHAPES, (_by_shapes(*a), _by_shapes(*b))
    if min(work.told for work in works) < _TOLD and a[1].count.any() and b[1].count.any():
        by, works = Likeness.KERNELS, (_by_kernels(*a), _by_kernels(*b))
    pairs = _paired(*works)
    if not pairs and a[1].choice.kind is UnitKind.WINDOW:
        return Pairing(((0, 0),), Likeness.NOTHING)
    return Pairing(pairs, by)


def turned(pairing: Pairing) -> Pairing:
    """The pairs of B and A."""
    return Pairing(tuple(sorted((j, i) for i, j in pairing.pairs)), pairing.by)


def representative(pairs: Pairs, a: Units, b: Units) -> int:
    """Which pair stands for all: that of the lower median span of both together. The first
    step of a trace, whose turn nothing tells the beginning of, only where there is no other.
    """
    places = np.array(pairs, np.int64)
    span = a.span_ns[places[:, 0]] + b.span_ns[places[:, 1]]
    later = np.flatnonzero((places > 0).all(axis=1))
    if a.choice.kind is not UnitKind.STEP or not len(later):
        later = np.arange(len(pairs), dtype=np.int64)
    return int(later[np.argsort(span[later], kind="stable")[(len(later) - 1) // 2]])


@dataclass(frozen=True, eq=False)
class _Work:
    """What the units of one side do, an entry for each piece of work: which unit, which kind,
    how many ns. `items` is what a kind is known by, empty where that is not told.
    """

    unit: I64
    kind: I64
    ns: I64
    items: Sequence[frozenset[Item]]

    @property
    def told(self) -> float:
        """The share of the time of all units of which `items` are told."""
        known = np.array([bool(found) for found in self.items], np.bool_)[self.kind]
        whole = int(self.ns.sum())
        return int(self.ns[known].sum()) / whole if whole else 0.0

    @cached_property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """Units that do the same kinds of work, each class and all of them by order of time."""
        found: dict[bytes, list[int]] = {}
        units, kinds = apart(self.kind, self.unit)
        for unit, mine in zip(units.tolist(), kinds, strict=True):
            found.setdefault(np.unique(mine).tobytes(), []).append(unit)
        return tuple(map(tuple, found.values()))[:_MOST_CLASSES]

    @cached_property
    def spent(self) -> _Shares:
        """The ns of the first unit of each class by kind, shape [classes, kinds]."""
        firsts = np.array([members[0] for members in self.classes], np.int64)
        at = np.searchsorted(firsts, self.unit)
        here = np.isin(self.unit, firsts)
        shape = len(firsts), len(self.items)
        place = at[here] * shape[1] + self.kind[here]
        spent = np.bincount(place, self.ns[here], minlength=shape[0] * shape[1])
        return spent.astype(np.float64).reshape(shape)

    def has(self, number: dict[Item, int]) -> NDArray[np.float32]:
        """Which items each kind of work has, as [kinds, items] of 0 and 1."""
        found = np.zeros((len(self.items), len(number)), np.float32)
        for kind, items in enumerate(self.items):
            found[kind, [number[item] for item in items]] = 1
        return found


def _work(owner: I64, fact: I64, ns: I64, known_by: Callable[[int], frozenset[Item]]) -> _Work:
    """Work from the unit of each event (ABSENT for none) and a number that `known_by` names."""
    owned = owner != ABSENT
    distinct, of_event = np.unique(fact[owned], return_inverse=True)
    number: dict[frozenset[Item], int] = {}
    kind = [number.setdefault(known_by(fact), len(number)) for fact in distinct.tolist()]
    kinds = np.array(kind, np.int64)[of_event] if kind else of_event.astype(np.int64)
    unit, ns, items = owner[owned], ns[owned].astype(np.int64), [*number]
    if len(items) > _MOST_KINDS:
        most = np.sort(np.argsort(-sums(kinds, ns, len(items)), kind="stable")[:_MOST_KINDS])
        kept = np.isin(kinds, most)
        unit, ns, kinds = unit[kept], ns[kept], np.searchsorted(most, kinds[kept])
        items = [items[at] for at in most.tolist()]
    return _Work(unit, kinds, ns, items)


def _by_shapes(analysed: AnalysedTrace, units: Units) -> _Work:
    """Work by the shapes of the tensors of each op, of an attention call by its sizes. Where
    nothing was launched, of the ops on the host.
    """
    trace = analysed.trace
    if units.count.any():
        rows, owner = units.gpu_ops, units.owner
        call, op = analysed.call_of[rows].astype(np.int64), analysed.op_of[rows]
    else:
        rows = np.flatnonzero(trace.category == Category.CPU_OP)
        owner = span_at(units.start, units.end, trace.start[rows])
        call, op = np.full(len(rows), ABSENT, np.int64), rows
    inputs = np.where(op != ABSENT, trace.columns.inputs[op], ABSENT).astype(np.int64)

    def known_by(fact: int) -> frozenset[Item]:
        # Calls count down from -2, ABSENT is nothing told, inputs count up from 0.
        if fact < ABSENT:
            call = analysed.attention[-2 - fact]
            told = call.q_len is not None and call.kv_len is not None
            return frozenset([("attention", call.direction, *sizes_of(call))] if told else [])
        found: set[Item] = set()
        for shape in shapes_of(None if fact == ABSENT else trace.op_inputs[fact]) or ():
            # Of a list of tensors the shape of each.
            found.update(part for part in (shape, *shape) if _tells(part))
        return frozenset(found)

    return _work(owner, np.where(call != ABSENT, -2 - call, inputs), trace.dur[rows], known_by)


def _tells(part: int | Shape | tuple[Shape, ...]) -> bool:
    """Whether this is a shape that tells units apart: that of one element does not."""
    return isinstance(part, tuple) and {*map(type, part)} == {int} and {*part} != {1}


def _by_kernels(analysed: AnalysedTrace, units: Units) -> _Work:
    """Work by what each kernel is called in short."""
    trace, rows = analysed.trace, units.gpu_ops

    def known_by(name: int) -> frozenset[Item]:
        return frozenset([decode(trace.names[name]).short])

    return _work(units.owner, trace.name[rows].astype(np.int64), trace.dur[rows], known_by)


def _paired(a: _Work, b: _Work) -> Pairs:
    """Units in order, the most alike classes of units first. The same from both sides."""
    alike = _alike(a, b)
    order: list[tuple[float, int, int, int, int]] = []
    for i, j in np.argwhere(alike >= _ALIKE).tolist():
        first_a, first_b = a.classes[i][0], b.classes[j][0]
        near = first_a + first_b, abs(first_a - first_b)
        order.append((-round(float(alike[i, j]), 2), *near, i, j))
    free_a, free_b = list(map(list, a.classes)), list(map(list, b.classes))
    pairs: list[tuple[int, int]] = []
    for *_, i, j in sorted(order):
        number = min(len(free_a[i]), len(free_b[j]))
        pairs += zip(free_a[i][:number], free_b[j][:number], strict=True)
        free_a[i], free_b[j] = free_a[i][number:], free_b[j][number:]
    return tuple(sorted(pairs))


def _alike(a: _Work, b: _Work) -> _Shares:
    """How alike the classes of A are to those of B, 0 to 1, shape [classes of A, of B]."""
    every = dict.fromkeys(item for work in (a, b) for items in work.items for item in items)
    number = {item: n for n, item in enumerate(every)}
    has_a, has_b = a.has(number), b.has(number)
    there = _shared(a.spent, has_a, b.spent, has_b)
    back = _shared(b.spent, has_b, a.spent, has_a)
    either: _Shares = np.maximum(there, back.T)
    return either


def _shared(
    spent: _Shares, has: NDArray[np.float32], other: _Shares, other_has: NDArray[np.float32]
) -> _Shares:
    """For each class the share of its told time in work all of whose items another has."""
    # All is finite; some BLAS raises flags for lanes of its registers that hold no element.
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        lacks = ((other > 0).astype(np.float32) @ other_has) == 0
        missing = has @ lacks.astype(np.float32).T
        told = has.any(axis=1)
        held = spent[:, told] @ (missing[told] == 0)
    whole = spent[:, told].sum(axis=1, keepdims=True)
    share: _Shares = np.divide(held, whole, out=np.zeros_like(held), where=whole > 0)
    return share
