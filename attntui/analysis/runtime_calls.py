"""What a runtime or driver call does to the host: launches, waits, allocates, loads code.

The one table of API names. A call of CUDA, of HIP (which spells the CUDA runtime's names
with another prefix) or of Intel's Unified Runtime is told by its name; whether a copy
blocks also depends on the memory it copied, which the name of its GPU operation tells.
"""

from __future__ import annotations

import re
from enum import IntEnum

import numpy as np

from attntui.analysis.named import holding, rows_named
from attntui.trace.model import ABSENT, I8, I64, Category, Trace


class CallKind(IntEnum):
    """Kinds of runtime calls, the one that tells most first."""

    SYNC = 0
    COPY = 1
    MEMORY = 2
    MODULE_LOAD = 3
    LAUNCH = 4
    STREAM_WAIT = 5
    OTHER = 6


GRAPH_LAUNCH = holding("GraphLaunch")
"""The test of a call's name for one that launches a graph's operations at once."""

# Versions and per-thread-stream variants share a name: cuMemAlloc_v2, cudaMemcpy_ptds.
_SUFFIX = r"(?:_v\d+)*(?:_pt[ds][sz])?"

_PATTERNS: tuple[tuple[CallKind, str], ...] = (
    # Return only when the device, stream or event is done. Queries (cudaEventQuery) do not.
    (CallKind.SYNC, r"(?:cuda|cu|hip)(?:Device|Ctx|Context|Thread|Stream|Event)Synchronize"),
    (CallKind.SYNC, r"ur(?:QueueFinish|EventWait)|ze\w+HostSynchronize"),
    # The copy calls without Async return after the copy; so does HIP's with a stream.
    (CallKind.COPY, r"(?:cuda|cu|hip)Memcpy(?!\w*Async)\w*"),
    # Device allocation and release synchronise with the device; pinning walks pages.
    (CallKind.MEMORY, r"(?:cuda|hip|hipExt|hipHost)(?:Malloc|Free)\w*"),
    (CallKind.MEMORY, r"(?:cuda|hip|cuMem)Host(?:Alloc|Malloc|Free|Register|Unregister)\w*"),
    (CallKind.MEMORY, r"cuMem(?:Alloc|Free)\w*"),
    (CallKind.MEMORY, r"(?:cu|hip)Mem(?:Create|Release|Map|Unmap|SetAccess|Address\w+)"),
    (CallKind.MEMORY, r"(?:cuda|cu|hip)MemPool(?:TrimTo|Create|Destroy)"),
    # Loads device code, or compiles and links it.
    (CallKind.MODULE_LOAD, r"(?:cu|hip)Module(?:Load|Unload|GetFunction|GetGlobal)\w*"),
    (CallKind.MODULE_LOAD, r"(?:cuda|cu|hip)Library(?:Load|Unload|Get)\w*"),
    (CallKind.MODULE_LOAD, r"cuFuncLoad|cuKernelGetFunction|(?:cu|hip)Link\w+|(?:nv|hip)rtc\w+"),
    # Puts work on a stream and returns.
    (CallKind.LAUNCH, r"(?:cuda|cu|hip|hipExt)\w*Launch\w*"),
    (CallKind.LAUNCH, r"(?:cuda|cu|hip)Mem(?:cpy\w*Async\w*|set\w*|Prefetch\w*)"),
    (CallKind.LAUNCH, r"urEnqueue\w+"),
    # Holds a stream back, not the host.
    (CallKind.STREAM_WAIT, r"(?:cuda|cu|hip)StreamWait(?:Event|Value)\w*"),
)
_STAGED_AT_ONCE = 64 * 1024
_COMPILED = tuple((kind, re.compile(text + _SUFFIX)) for kind, text in _PATTERNS)


def kind_of_name(name: str) -> CallKind:
    """The kind that a call's name alone tells."""
    for kind, pattern in _COMPILED:
        if pattern.fullmatch(name):
            return kind
    return CallKind.OTHER


def call_kinds(trace: Trace) -> I8:
    """The `CallKind` of every runtime and driver row, ABSENT for all other rows.

    A call that launched a GPU operation is a launch at least. A copy from or to pageable
    memory blocks the host while it is staged, whatever the call's name says; a copy from
    device to device blocks under no name.
    """
    kinds = np.full(len(trace), ABSENT, np.int8)
    calls = np.flatnonzero(np.isin(trace.category, (Category.RUNTIME, Category.DRIVER)))
    ids = np.unique(trace.name[calls])
    of_name = np.zeros(len(trace.names), np.int8)
    of_name[ids] = [kind_of_name(trace.names[i]) for i in ids.tolist()]
    kinds[calls] = of_name[trace.name[calls]]
    ops = trace.gpu_ops_by_launch
    launches = trace.launch[ops]
    kinds[launches[kinds[launches] == CallKind.OTHER]] = CallKind.LAUNCH
    copies = ops[trace.category[ops] == Category.MEMCPY]
    kinds[trace.launch[rows_named(trace, copies, holding("DtoD"))]] = CallKind.LAUNCH
    # Not a graph's launch, which returns at once whatever its nodes copy.
    pageable = trace.launch[rows_named(trace, copies, holding("Pageable"))].astype(np.int64)
    kinds[rows_named(trace, pageable, holding("emcpy"))] = CallKind.COPY
    return kinds


def draining_copies(trace: Trace) -> I64:
    """Rows of the calls that copied from pageable memory to a device, over 64 KiB or of
    untold size: such a copy drains its stream before it stages, smaller ones do not (CUDA
    Runtime API, "API synchronization behavior").
    """
    ops = trace.gpu_ops_by_launch
    copied = trace.columns.copied_bytes[ops]
    waits = (copied == ABSENT) | (copied > _STAGED_AT_ONCE)
    copies = ops[waits & (trace.category[ops] == Category.MEMCPY)]
    calls = trace.launch[rows_named(trace, copies, holding("Pageable ->"))].astype(np.int64)
    return rows_named(trace, calls, holding("emcpy"))
