"""Naive attention: product, scale or mask, softmax, product, as ops of their own.

The ops stand on one level of one thread's op tree: at the top, inside a compiled region or
inside another op. Inductor's kernels fuse the middle into one; the call stays naive.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from attntui.analysis.attention import geometry
from attntui.analysis.attention.geometry import Factors
from attntui.analysis.attention.model import Found, Geometry, Role, ThreadSpan
from attntui.analysis.attention.optree import Launches, OpTree
from attntui.analysis.attention.softmax import EXPONENTIALS, softmax_steps, softmaxes
from attntui.analysis.attention.vocabulary import (
    COPIES,
    DROPOUTS,
    MASK_BUILDING,
    MASKS,
    PRIMITIVES,
    SCALES,
    VIEWS,
    is_product,
    is_softmax,
)
from attntui.analysis.attention_ops import Backend, Direction
from attntui.analysis.named import is_named, rows_named
from attntui.analysis.work.model import Arguments
from attntui.trace.model import ABSENT, I64, Bool, OpInputs, Shape, Trace

# How many other products may stand between a softmax and its own: relative positions add
# one or two, and a layer's projection of v may come late.
_BETWEEN = 4
# Ops of one level in a call, and in the making of its mask; real ones have under twenty.
_LONGEST = 96
_LONGEST_PRELUDE = 24


def find_naive(trace: Trace, tree: OpTree, where: Launches, used: Bool) -> list[Found]:
    """Every naive forward call, by thread and level; none inside a fused or math call."""
    middle = softmaxes(trace, tree, where, used)
    search = Search(trace, tree)
    found = []
    taken = ABSENT
    for level, row, place in zip(
        middle.level.tolist(), middle.row.tolist(), middle.place.tolist(), strict=True
    ):
        call = search.call(level, row, place, taken)
        if call is not None:
            found.append(call[0])
            taken = call[1]
    return found


@dataclass(frozen=True, slots=True)
class Sketch:
    """What calls alike have in common; `runs` are first and last of the ops that belong, and
    their role where the ops' names do not tell it.
    """

    geometry: Geometry
    evidence: str
    runs: tuple[tuple[int, int, Role | None], ...]


class Search:
    """Looks round one softmax at a time for the two products that make it attention."""

    def __init__(self, trace: Trace, tree: OpTree) -> None:
        self.trace = trace
        self.tree = tree
        at = np.flatnonzero(is_named(trace, tree.siblings, is_product))
        self.at = at
        self.level = tree.level_of(
            tree.parent[tree.siblings[at]], trace.lane[tree.siblings[at]].astype(np.int64)
        )
        rows = rows_named(trace, tree.ops, PRIMITIVES.__contains__)
        width = len(trace) + 1
        self._primitive_keys = np.sort(trace.lane[rows].astype(np.int64) * width + rows)
        self._factors: dict[tuple[int, int], Factors | None] = {}
        self._sketches: dict[tuple[bytes, bytes, int, int, tuple[int, ...], int, int], Sketch] = {}

    def call(self, level: int, row: int, place: int, taken: int) -> tuple[Found, int] | None:
        """The call round a softmax, and the place where it ends; None where there is none.

        Products up to the place `taken` belong to calls already found.
        """
        trace, tree = self.trace, self.tree
        here = int(np.searchsorted(self.at, place))
        before = self._near(range(here - 1, here - 1 - _BETWEEN, -1), level, place, taken)
        after = self._near(range(here, here + _BETWEEN), level, place, taken)
        inputs = trace.inputs_of(row)
        by_hand = trace.name_of(row) in EXPONENTIALS
        for first in before:
            qk = self.factors(int(tree.siblings[first]))
            if qk is not None and not _fits_softmax(qk, trace.name_of(row), inputs):
                continue
            for last in after:
                av = self.factors(int(tree.siblings[last]))
                steps = self._steps(first, last, place) if by_hand else (place,)
                if steps is None or not self._agree(qk, av, first, last, steps):
                    continue
                return self._found(level, row, first, last, steps, qk, av), last
        return None

    def _steps(self, first: int, last: int, place: int) -> tuple[int, ...] | None:
        """Places of the ops between two products that make a softmax round an exponential."""
        trace = self.trace
        rows = self.tree.siblings[first + 1 : last].tolist()
        ops = [(trace.name_of(row), trace.inputs_of(row)) for row in rows]
        steps = softmax_steps(ops, place - first - 1)
        return None if steps is None else tuple(first + 1 + step for step in steps)

    def _near(self, indices: range, level: int, place: int, taken: int) -> list[int]:
        """Places of the nearest products on a level, the nearest first."""
        found = []
        for index in indices:
            if not 0 <= index < len(self.at) or int(self.level[index]) != level:
                break
            at = int(self.at[index])
            if at <= taken or abs(at - place) > _LONGEST:
                break
            found.append(at)
        return found

    def round(self, row: int, sizes: Geometry) -> tuple[int, int] | None:
        """First and last op of a compiled backward round its softmax's: up to two products
        before it and two after it that have the scores among their tensors.
        """
        trace, tree = self.trace, self.tree
        parent = np.array([tree.parent[row]], np.int64)
        level = tree.level_of(parent, np.array([trace.lane[row]], np.int64))
        place = int(np.searchsorted(tree.keys, tree.key(level, np.array([row], np.int64)))[0])
        here = int(np.searchsorted(self.at, place))
        ends = {(sizes.q_len, sizes.kv_len), (sizes.kv_len, sizes.q_len)}
        bounds = []
        for near in (range(here - 1, here - 3, -1), range(here, here + 2)):
            furthest = None
            for at in self._near(near, int(level[0]), place, ABSENT):
                factors = self.factors(int(tree.siblings[at]))
                if factors is None or not any(
                    shape[-2:] in ends for shape in (factors.a, factors.b, factors.out)
                ):
                    break
                furthest = at
            if furthest is None:
                return None
            bounds.append(int(tree.siblings[furthest]))
        return bounds[0], bounds[1]

    def factors(self, product: int) -> Factors | None:
        """The factors of a product as it ran, else as it was written."""
        trace = self.trace
        row = self.primitive(product)
        key = int(trace.name[row]), int(trace.columns.inputs[row])
        if key not in self._factors:
            self._factors[key] = geometry.factors_of(trace.name_of(row), trace.inputs_of(row))
        return self._factors[key]

    def primitive(self, product: int) -> int:
        """The product that an op such as `matmul` comes down to, else the op itself."""
        trace = self.trace
        if trace.name_of(product) in PRIMITIVES:
            return product
        width = len(trace) + 1
        key = int(trace.lane[product]) * width + product
        index = int(np.searchsorted(self._primitive_keys, key))
        if index < len(self._primitive_keys):
            lane, row = divmod(int(self._primitive_keys[index]), width)
            if lane == trace.lane[product] and trace.start[row] <= trace.end[product]:
                return row
        return product

    def _agree(
        self,
        qk: Factors | None,
        av: Factors | None,
        first: int,
        last: int,
        steps: tuple[int, ...],
    ) -> bool:
        """Whether the second product weighs v with the first one's scores.

        Without shapes only what stands between decides: nothing but steps of attention.
        """
        if qk is None or av is None:
            if qk is not None or av is not None:
                return False
            between = set(range(first + 1, last)) - set(steps)
            rows = self.tree.siblings[sorted(between)].tolist()
            return all(_is_step(self.trace.name_of(row)) for row in rows)
        same = av.a[-2:] == qk.out[-2:] and prod(av.a) == prod(qk.out)
        return same and av.b[-2] == qk.out[-1]

    def _found(
        self,
        level: int,
        row: int,
        first: int,
        last: int,
        steps: tuple[int, ...],
        qk: Factors | None,
        av: Factors | None,
    ) -> Found:
        trace = self.trace
        start = self._prelude(level, first, qk)
        rows = self.tree.siblings[start : last + 1]
        # Calls alike in every op and shape, as a model's layers are, are described once.
        key = (
            trace.name[rows].tobytes(),
            trace.columns.inputs[rows].tobytes(),
            first - start,
            int(trace.name[row]),
            tuple(step - start for step in steps),
            id(qk),
            id(av),
        )
        if key not in self._sketches:
            self._sketches[key] = self._sketch(rows, first - start, row, key[4], qk, av)
        sketch = self._sketches[key]
        return Found(
            backend=Backend.NAIVE,
            direction=Direction.FORWARD,
            lane=int(trace.lane[row]),
            op=int(rows[0]),
            spans=tuple(
                ThreadSpan(int(rows[a]), int(trace.end[rows[b]]), role, whole=False)
                for a, b, role in sketch.runs
            ),
            geometry=sketch.geometry,
            causal=None,
            evidence=sketch.evidence,
            qk=int(rows[first - start]),
            av=int(rows[-1]),
        )

    def _sketch(
        self,
        rows: I64,
        first: int,
        softmax: int,
        steps: tuple[int, ...],
        qk: Factors | None,
        av: Factors | None,
    ) -> Sketch:
        trace = self.trace
        names = [trace.name_of(row) for row in rows.tolist()]
        weighing = trace.name_of(softmax)
        by_hand = steps if weighing in EXPONENTIALS else ()
        sizes = Geometry()
        if qk is not None and av is not None:
            shapes = self._score_shapes(rows[first:], qk)
            product = int(rows[first])
            outer = geometry.factors_of(trace.name_of(product), trace.inputs_of(product))
            sizes = geometry.of_products(qk, av, shapes, outer)
        if by_hand:
            weighing = f"softmax in ops of its own ({', '.join(names[step] for step in by_hand)})"
        between = [names[at] for at in range(first + 1, len(names) - 1) if at not in by_hand]
        between = [name for name in between if name not in VIEWS and not is_softmax(name)]
        middle = [", ".join(dict.fromkeys(between))] if between else []
        sequence = " -> ".join([names[first], *middle, weighing, names[-1]])
        scaling = [name for name in names[:first] if name in SCALES]
        if scaling:
            sequence = f"{', '.join(dict.fromkeys(scaling))} before {sequence}"
        agree = f"agree on scores of {sizes.scores()}" if qk else "in this order, shapes unknown"
        return Sketch(sizes, f"{sequence} {agree}", self._runs(rows, first, by_hand, sizes))

    def _runs(
        self, rows: I64, first: int, by_hand: tuple[int, ...], sizes: Geometry
    ) -> tuple[tuple[int, int, Role | None], ...]:
        """Which ops belong to a call, as runs (from, to, role) of those between its first and
        its last: all but those that have nothing to do with the scores (a layer's projection).
        """
        trace = self.trace
        belongs = np.array(
            [
                index in (first, len(rows) - 1)
                or _is_step(trace.name_of(row))
                or _touches(trace.inputs_of(row), sizes)
                for index, row in enumerate(rows.tolist())
            ],
            np.int64,
        )
        belongs[list(by_hand)] = 2
        cuts = np.flatnonzero(np.diff(belongs)) + 1
        starts, ends = [0, *cuts.tolist()], [*(cuts - 1).tolist(), len(rows) - 1]
        return tuple(
            (a, b, Role.SOFTMAX if belongs[a] == 2 else None)
            for a, b in zip(starts, ends, strict=True)
            if belongs[a]
        )

    def _prelude(self, level: int, first: int, qk: Factors | None) -> int:
        """Where the call begins: with the making of its mask or the scaling of its factors, if
        that comes just before.
        """
        trace, tree = self.trace, self.tree
        if qk is None:
            return first
        bound = int(np.searchsorted(tree.keys, level * (len(trace) + 1)))
        start = making = first
        made = False
        for place in range(first - 1, max(bound, first - _LONGEST_PRELUDE) - 1, -1):
            row = int(tree.siblings[place])
            name = trace.name_of(row)
            if name in MASK_BUILDING:
                making = place
                made |= any(shape[-2:] == qk.out[-2:] for shape in self._shapes_of(row))
            elif name in SCALES and _scales(trace.inputs_of(row), qk):
                start = place
            elif name not in VIEWS:
                break
        return min(start, making) if made else start

    def _score_shapes(self, rows: I64, qk: Factors) -> list[Shape]:
        """Shapes, as the ops of a call saw them, of tensors with the elements of the scores."""
        return [
            shape
            for row in rows.tolist()
            for shape in self._shapes_of(row)
            if prod(shape) == prod(qk.out) and shape[-2:] == qk.out[-2:]
        ]

    def _shapes_of(self, row: int) -> tuple[Shape, ...]:
        return _shapes(self.trace.inputs_of(row))


def _shapes(inputs: OpInputs | None) -> tuple[Shape, ...]:
    """The tensor shapes among an op's inputs."""
    found = []
    for dims in inputs.dims if inputs is not None else ():
        shape = tuple(size for size in dims if isinstance(size, int))
        if shape and len(shape) == len(dims):
            found.append(shape)
    return tuple(found)


def _fits_softmax(qk: Factors, name: str, inputs: OpInputs | None) -> bool:
    """Whether a softmax runs over the last axis of a product's result."""
    shapes = _shapes(inputs)
    if inputs is None or not shapes:
        return True
    fused = name.startswith("triton_")
    fitting = [
        shape
        for shape in (shapes if fused else shapes[:1])
        if shape[-2:] == qk.out[-2:] and prod(shape) == prod(qk.out)
    ]
    axis = Arguments(inputs).whole(1) if name.startswith("aten::") else None
    return bool(fitting) and (axis is None or axis in (-1, len(fitting[0]) - 1))


def _scales(inputs: OpInputs | None, qk: Factors) -> bool:
    """Whether an op multiplies or divides one of a product's factors by a number."""
    if inputs is None or len(inputs.dims) < 2 or inputs.dims[1]:
        return False
    return any(
        prod(shape) in (prod(qk.a), prod(qk.b)) and qk.a[-1] in shape for shape in _shapes(inputs)
    )


def _is_step(name: str) -> bool:
    """Whether an op is one of those that stand between attention's products."""
    known = name in SCALES or name in MASKS or name in COPIES or name in DROPOUTS or name in VIEWS
    return known or name.startswith("triton_") or is_softmax(name)


def _touches(inputs: OpInputs | None, sizes: Geometry) -> bool:
    """Whether one of an op's tensors has the shape of the scores."""
    ends = (sizes.q_len, sizes.kv_len)
    return any(shape[-2:] == ends for shape in _shapes(inputs))
