"""GPU operations by name: counts, times, and the longest instance of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from attntui.trace.model import I32, I64, Trace


@dataclass(frozen=True)
class KernelTable:
    """One entry a distinct name, by total time descending, then by name.

    `name` holds name ids. The instances of entry `i` are
    `rows[first[i] : first[i] + count[i]]`, by start; `longest` is the row of the longest
    (the earliest of several). Times in ns; `share` is of the total of all entries.
    """

    name: I32
    count: I64
    total: I64
    min: I64
    max: I64
    longest: I64
    streams: tuple[tuple[int, ...], ...]
    rows: I64
    first: I64

    def __len__(self) -> int:
        return len(self.name)

    @cached_property
    def mean(self) -> npt.NDArray[np.float64]:
        return self.total / self.count

    @cached_property
    def share(self) -> npt.NDArray[np.float64]:
        whole = int(self.total.sum())
        return self.total / whole if whole else np.zeros(len(self), np.float64)

    def instances(self, index: int) -> I64:
        """Rows of the operations with the name of entry `index`, by start."""
        first = int(self.first[index])
        return self.rows[first : first + int(self.count[index])]


def kernel_table(trace: Trace, rows: I64 | None = None) -> KernelTable:
    """Statistics by name over `rows`, GPU operations in order (all by default)."""
    rows = trace.gpu_ops if rows is None else rows
    by_name = rows[np.argsort(trace.name[rows], kind="stable")]
    name, first, count = np.unique(trace.name[by_name], return_index=True, return_counts=True)
    if not len(name):
        none = np.zeros(0, np.int64)
        return KernelTable(trace.name[rows], none, none, none, none, none, (), rows, none)
    dur = trace.dur[by_name]
    total = np.add.reduceat(dur, first)
    # Rows stand by start, so the first of the longest by (name, -dur, row) is the earliest.
    longest = by_name[np.lexsort((by_name, -dur, trace.name[by_name]))[first]]
    texts = [trace.names[i] for i in name.tolist()]
    order = np.array(sorted(range(len(name)), key=lambda i: (-int(total[i]), texts[i])), np.int64)
    streams = _streams(trace, by_name, name)
    return KernelTable(
        name=name[order],
        count=count[order],
        total=total[order],
        min=np.minimum.reduceat(dur, first)[order],
        max=np.maximum.reduceat(dur, first)[order],
        longest=longest[order],
        streams=tuple(streams[i] for i in order.tolist()),
        rows=by_name,
        first=first[order],
    )


def _streams(trace: Trace, by_name: I64, name: I32) -> list[tuple[int, ...]]:
    """The streams each name ran on, ascending."""
    names, streams = trace.name[by_name], trace.stream[by_name]
    order = np.lexsort((streams, names))
    names, streams = names[order], streams[order]
    new = np.ones(len(names), np.bool_)
    new[1:] = (names[1:] != names[:-1]) | (streams[1:] != streams[:-1])
    bounds = [*np.searchsorted(names[new], name).tolist(), int(new.sum())]
    distinct: list[int] = streams[new].tolist()
    return [tuple(distinct[a:b]) for a, b in pairwise(bounds)]
