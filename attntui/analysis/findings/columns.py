"""Figures of GPU operations as columns, for several finders."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.gpu_work import traffic
from attntui.analysis.names.words import OperationKind
from attntui.trace.masks import mask_of
from attntui.trace.model import ABSENT, I64, Bool, OpInputs, Trace

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


def by_inputs(
    trace: Trace,
    inputs: I64,
    tell: Callable[[OpInputs], int | tuple[int, ...]],
    columns: int = 1,
) -> I64:
    """What `tell` says of the inputs with each number, asked once of each; 0 for ABSENT.

    Shape [inputs], or [inputs, columns] where `tell` gives several figures.
    """
    # The last row is ABSENT's.
    told = np.zeros((len(trace.op_inputs) + 1, columns), np.int64)
    for number in np.unique(inputs[inputs != ABSENT]).tolist():
        told[number] = tell(trace.op_inputs[number])
    found: I64 = told[inputs] if columns > 1 else told[inputs, 0]
    return found


def of_kinds(seen: Slice, kinds: Collection[OperationKind]) -> Bool:
    """Which of the slice's operations are of some kinds, as their names tell."""
    facts = seen.analysed.facts_by_name
    names = [name for name, fact in facts.items() if fact.decoded.kind in kinds]
    told = mask_of(len(seen.trace.names), np.array(names, np.int64))
    return np.asarray(told[seen.trace.name[seen.gpu_ops]], np.bool_)


def spread(seen: Slice, rows: I64, values: I64) -> I64:
    """A figure of some of the slice's operations as a column over all of them, else 0."""
    column = np.zeros(len(seen.gpu_ops), np.int64)
    column[np.searchsorted(seen.gpu_ops, rows)] = values
    return column


def bytes_of_all(seen: Slice, rows: I64) -> int | None:
    """Bytes that some operations moved; None where not all of them tell."""
    moved = traffic(seen.analysed.work, rows)
    return moved.moved if moved.known_ns == moved.gpu_ns else None
