"""Where the time of a slice's devices went: one tree, and each ns of a span in one leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.gap_causes import Cause, Trigger
from attntui.analysis.groups import sums
from attntui.analysis.names.words import OperationKind
from attntui.trace.model import Category

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

OTHER = "other"
"""Kernels whose names tell no kind of operation."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf of the tree, over all devices: `ns` in which a device was busy with a kind of
    work (`kind`), or idle for a `cause` after a `trigger`.
    """

    ns: int
    kind: str | None = None
    cause: Cause | None = None
    trigger: Trigger | None = None

    @property
    def busy(self) -> bool:
        return self.cause is None

    @property
    def word(self) -> str:
        """What the leaf is called beside its sisters."""
        return self.kind or OTHER if self.cause is None else self.cause.word


def time_tree(seen: Slice) -> tuple[Leaf, ...]:
    """The leaves with any time, busy ones first, the longest first; they sum to the span."""
    leaves = [*_busy(seen), *_idle(seen)]
    return tuple(sorted(leaves, key=lambda leaf: (not leaf.busy, -leaf.ns, leaf.word)))


def _busy(seen: Slice) -> list[Leaf]:
    trace, rows = seen.trace, seen.gpu_ops
    if not len(rows):
        return []
    names, which = np.unique(trace.name[rows], return_inverse=True)
    first = rows[np.unique(which, return_index=True)[1]]
    total: dict[str, int] = {}
    own = sums(which, seen.own, len(names)).tolist()
    for name, row, ns in zip(names.tolist(), first.tolist(), own, strict=True):
        word = _kind(seen, name, trace.category_of(row))
        total[word] = total.get(word, 0) + ns
    return [Leaf(ns, kind=word) for word, ns in total.items() if ns]


def _kind(seen: Slice, name: int, category: Category) -> str:
    if category is Category.MEMCPY:
        return OperationKind.COPY.value
    if category is Category.MEMSET:
        return OperationKind.FILL.value
    kind = seen.analysed.facts_by_name[name].decoded.kind
    return OTHER if kind is None else kind.value


def _idle(seen: Slice) -> list[Leaf]:
    causes = seen.gaps.causes
    found = []
    for trigger in Trigger:
        by_cause = causes.split[causes.trigger == trigger].sum(axis=0).tolist()
        found += [
            Leaf(by_cause[cause], cause=cause, trigger=trigger)
            for cause in Cause
            if by_cause[cause]
        ]
    return found
