"""What torch.compile fused, and what still ran as library calls of its own.

The ops that Inductor fused into a Triton kernel stand in the kernel's name; the compiled
region that launched it stands round its launch. Everything else that the region launched
(cuBLAS, cuDNN, ATen, attention kernels, copies) was left out of the fusion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attntui.analysis.attention.optree import launches, op_tree
from attntui.analysis.attention.vocabulary import is_region
from attntui.analysis.kernel_names import decode
from attntui.analysis.named import is_named, names_of, names_passing, rows_named
from attntui.analysis.names.words import Library
from attntui.trace.model import ABSENT, I64, Bool, Category, Trace

_GRAPH = "## Call CompiledFxGraph "


@dataclass(frozen=True, slots=True, eq=False)
class FusedKernel:
    """A Triton kernel: the ops that its name lists, its GPU operations, their summed time."""

    name: str
    ops: tuple[str, ...]
    rows: I64
    gpu_ns: int


@dataclass(frozen=True, slots=True, eq=False)
class LibraryCall:
    """Kernels of one library launched by one op: what was not fused.

    `op` is the innermost CPU op round the launch, None where the region itself or nothing
    launched it; `library` is None for a kernel whose name tells none.
    """

    op: str | None
    library: str | None
    kernels: tuple[str, ...]
    rows: I64
    gpu_ns: int


@dataclass(frozen=True, slots=True, eq=False)
class FusionCheck:
    """One compiled region over all its runs; `region` is None for Triton kernels outside any.

    `rows` are the region's runs on the CPU, `graphs` the names of Inductor's graphs called
    in them. Kernels and calls stand by time, the longest first.
    """

    region: str | None
    graphs: tuple[str, ...]
    rows: I64
    kernels: tuple[FusedKernel, ...]
    library_calls: tuple[LibraryCall, ...]

    @property
    def fused_ns(self) -> int:
        return sum(kernel.gpu_ns for kernel in self.kernels)

    @property
    def library_ns(self) -> int:
        return sum(call.gpu_ns for call in self.library_calls)


def fusion_checks(trace: Trace) -> tuple[FusionCheck, ...]:
    """A check for every compiled region, by its first run; last the Triton kernels that
    Inductor made but no region of the trace launched.
    """
    tree = op_tree(trace)
    where = launches(trace, tree)
    used = names_of(trace, tree.ops)
    mask = tree.names_like(names_passing(trace, is_region, used))
    runs = np.flatnonzero(mask)
    # Of nested regions the outermost counts: a compiled function runs inside a region.
    runs = runs[tree.inside(runs, mask) == runs]
    region = np.full(len(where.gpu_ops), ABSENT, np.int64)
    known = np.flatnonzero(where.op != ABSENT)
    region[known] = tree.inside(where.op[known], mask)
    names, first = np.unique(trace.name[runs], return_index=True)
    checks = []
    for name in names[np.argsort(first)].tolist():
        own = runs[trace.name[runs] == name]
        index = np.flatnonzero(np.isin(region, own))
        checks.append(
            FusionCheck(
                region=trace.names[name],
                graphs=_graphs(trace, own),
                rows=own,
                kernels=_fused(trace, where.gpu_ops[index]),
                library_calls=_library(trace, where.gpu_ops[index], where.op[index], mask),
            )
        )
    outside = _fused(trace, where.gpu_ops[region == ABSENT])
    if outside:
        checks.append(FusionCheck(None, (), np.zeros(0, np.int64), outside, ()))
    return tuple(checks)


def _graphs(trace: Trace, runs: I64) -> tuple[str, ...]:
    """The Inductor graphs called in some runs of a region."""
    annotations = np.flatnonzero(trace.category == Category.USER_ANNOTATION)
    rows = rows_named(trace, annotations, lambda name: name.startswith(_GRAPH))
    at = np.searchsorted(runs, rows, side="right") - 1
    run = runs[np.maximum(at, 0)]
    inside = (at >= 0) & (trace.lane[run] == trace.lane[rows])
    inside &= trace.end[rows] <= trace.end[run]
    found = np.unique(trace.name[rows[inside]]).tolist()
    return tuple(trace.names[index].removeprefix(_GRAPH).removesuffix(" ##") for index in found)


def _is_fused(name: str) -> bool:
    kernel = decode(name)
    return kernel.library is Library.TRITON and bool(kernel.fused_ops)


def _fused(trace: Trace, rows: I64) -> tuple[FusedKernel, ...]:
    """The Triton kernels of Inductor among some GPU operations."""
    found = []
    for name in np.unique(trace.name[rows]).tolist():
        text = trace.names[name]
        if _is_fused(text):
            own = rows[trace.name[rows] == name]
            found.append(FusedKernel(text, decode(text).fused_ops, own, int(trace.dur[own].sum())))
    return tuple(sorted(found, key=lambda kernel: -kernel.gpu_ns))


def _library(trace: Trace, rows: I64, ops: I64, regions: Bool) -> tuple[LibraryCall, ...]:
    """What else ran, by the op that launched it and the library."""
    chosen = ~is_named(trace, rows, _is_fused)
    rows, ops = rows[chosen], ops[chosen]
    op_names = np.where(regions[ops], ABSENT, trace.name[ops])
    groups: dict[tuple[int, str | None], list[int]] = {}
    pairs = np.unique(np.stack((op_names, trace.name[rows]), axis=1), axis=0)
    for op, kernel in pairs.tolist():
        library = decode(trace.names[kernel]).library
        groups.setdefault((op, library), []).append(kernel)
    found = []
    for (op, library), kernels in groups.items():
        own = rows[(op_names == op) & np.isin(trace.name[rows], kernels)]
        found.append(
            LibraryCall(
                op=trace.names[op] if op != ABSENT else None,
                library=library,
                kernels=tuple(trace.names[kernel] for kernel in kernels),
                rows=own,
                gpu_ns=int(trace.dur[own].sum()),
            )
        )
    return tuple(sorted(found, key=lambda call: -call.gpu_ns))
