"""Findings about idle time with a cause that has its own remedy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.gains import Gain, HostWork, shorter
from attntui.analysis.findings.ledger import Ledger, Share
from attntui.analysis.findings.model import Finding, finding, longest, recorded
from attntui.analysis.findings.thresholds import GOES_ON, HOST_CODE_NS, QUEUED_NS, READY_BATCH_NS
from attntui.analysis.gap_causes import Cause
from attntui.analysis.host_activity import Activity
from attntui.analysis.named import is_named
from attntui.analysis.recorded import host_recorded, recorded_by
from attntui.analysis.runtime_calls import CallKind
from attntui.trace.model import Category, Trace

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


@dataclass(frozen=True, slots=True)
class Remedy:
    """How idle time of a cause reads in a sentence, what to try, and what the gain assumes."""

    id: str
    words: str
    advice: str
    assumes: str


_DATA = Remedy(
    "idle-data-loading",
    "while the host waited for the data loader",
    "Give the DataLoader workers (num_workers) and a longer prefetch (prefetch_factor).",
    "a batch lies ready when it is asked for, and fetching it still takes {ready_batch_ns}",
)
_SLOW_WORKERS = (
    "Its workers fall behind: give it more of them or a longer prefetch, or have them do less for "
    "each item."
)
_LOAD = Remedy(
    "first-use-load",
    "while code was loaded, compiled or chosen",
    "It happens at the first use of a kernel or a shape: warm up before recording, and before "
    "the work that counts.",
    "everything is loaded beforehand",
)
_EAGER = " CUDA_MODULE_LOADING=EAGER moves loading to the program's start."
_MEMORY = Remedy(
    "steady-allocation",
    "while the host allocated or freed memory",
    "A warm allocator serves from its cache: look for empty_cache(), growing shapes and memory "
    "near its limit; expandable_segments:True lowers fragmentation.",
    "the calls fall away",
)
_FIRST_MEMORY = Remedy(
    "first-allocation",
    "while the host allocated memory for the first time, or freed it",
    "The allocator fills its cache in the first iterations: warm up before recording, and record "
    "steps (prof.step()) to tell this from allocation that goes on.",
    "the calls fall away",
)
_UNRECORDED = Remedy(
    "idle-unrecorded",
    "while the host ran long stretches of code that the trace does not record",
    "Record stacks (with_stack=True) to see which Python code runs between the ops.",
    "the GPU never waits for that code",
)
_LONG: dict[Cause, Remedy] = {
    Cause.PYTHON: Remedy(
        "idle-python",
        "while the host ran long stretches of Python between launches",
        "Look at the Python frames over the gaps; move that work to another thread or process, "
        "or before the loop. Recording stacks slows Python itself down.",
        "the GPU never waits for that code",
    ),
    Cause.UNRECORDED: _UNRECORDED,
    Cause.DISPATCH: Remedy(
        "idle-dispatch",
        "while CPU ops ran for long before they launched",
        "Look at the ops over the gaps: what they do there is no launch (work on the host, "
        "a choice of kernels, a lock). Record stacks (with_stack=True) to see into them.",
        "the GPU never waits for that code",
    ),
    Cause.RUNTIME: Remedy(
        "idle-runtime",
        "while runtime calls took long before a launch",
        "See which calls stand over the gaps: queries and set-up belong before the loop.",
        "the GPU never waits for those calls",
    ),
    Cause.LAUNCH_CALL: Remedy(
        "idle-launch-call",
        "while launch calls themselves took long",
        "A launch call takes some us. Such ones load code, wait for a lock of another thread or "
        "for room in the queue: warm up, and look at what else the process does meanwhile.",
        "the calls take no longer than others",
    ),
}
_UNEXPLAINED = Remedy(
    "idle-unexplained",
    "while launched work stood ready and nothing is shown to run",
    "The trace does not show what held it up: work that was not recorded (another process, a "
    "library's own streams), records that were dropped, or a wait that the profiler does not "
    "see. Record again, with a shorter window, or look with the vendor's system profiler.",
    "at most: nothing had to hold the work up",
)
_STARTS = Remedy(
    "kernel-starts",
    "between kernels that were already launched",
    "Every kernel costs the GPU a moment to begin: fuse short kernels into longer ones.",
    "half as many kernels",
)
_WAIT = Remedy(
    "idle-wait-event",
    "while a stream waited for another's event",
    "Look at what the other stream runs until then; wait later, or split its work.",
    "at most: no stream waits for another",
)
_GRAPH = Remedy(
    "graph-gaps",
    "between the kernels of one CUDA graph",
    "The graph spares the launches already. Fuse its kernels: each costs the GPU a moment to "
    "begin.",
    "half as many kernels",
)
_UNKNOWN = Remedy(
    "idle-unknown",
    "without a recorded launch that would explain it",
    "Wait for the GPU and begin recording before the launches.",
    "at most: nothing had to hold the work up",
)
_FOREIGN = "Look at what the lanes of the host show in these gaps: no launch is told."
_COPIES = Remedy(
    "idle-copy",
    "while the host waited in blocking copies",
    "Pin the host memory (pin_memory=True), copy with non_blocking=True, and read values from "
    "the GPU later and together.",
    "the copies no longer block the host",
)
_NO_CPU_SIDE = (
    "Record the CPU side too (ProfilerActivity.CPU): without it the trace cannot tell what the "
    "host did meanwhile."
)
_BEYOND_STACKS = (
    "Stacks were recorded, and no frame or op ran then: look at native extensions and at other "
    "processes with a profiler of the host."
)


def data_loading(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Idle time in which the launching thread waited for the data loader."""
    rows = np.flatnonzero(seen.analysed.finder.host.rank == Activity.DATA_LOADING)
    spared = HostWork.of_rows(seen.trace, rows, READY_BATCH_NS)
    share = time.idle_of(Cause.DATA_LOADING)
    yield from _told(seen, time, share, _DATA, shorter(seen, spared=spared))


def first_use(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Idle time in which code was loaded or compiled, or a plan for new shapes chosen."""
    share = time.idle_of(Cause.MODULE_LOAD)
    yield from _told(seen, time, share, _LOAD, Gain(share.ns))


def allocation(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Idle time in which memory was allocated or freed: from the second step on the program
    does that, before it (or where no steps are known) the allocator may fill its cache.
    """
    steps = seen.analysed.steps
    calls = np.flatnonzero(seen.analysed.finder.host.kinds == CallKind.MEMORY)
    since = int(steps.start[1]) if len(steps) > 1 else seen.trace.span[1]
    began = seen.trace.start[calls]
    first, later = int((began < since).sum()), int((began >= since).sum())
    if len(steps) > 1 and later >= GOES_ON * first * (len(steps) - 1):
        # What goes on like this is no warming up in the first step either.
        since = seen.trace.span[0]
    for remedy, goes_on in ((_MEMORY, True), (_FIRST_MEMORY, False)):
        share = time.idle_of(Cause.MEMORY, gaps=(seen.gaps.start >= since) == goes_on)
        own = calls[(began >= since) == goes_on]
        gain = shorter(seen, spared=HostWork.of_rows(seen.trace, own))
        yield from _told(seen, time, share, remedy, gain)


def blocking_copies(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Idle time in blocking copies that no other finding is about."""
    share = time.idle_of(Cause.COPY)
    calls = np.flatnonzero(seen.analysed.finder.host.kinds == CallKind.COPY)
    yield from _told(seen, time, share, _COPIES, shorter(seen, without=calls))


def host_code(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Idle time in which the host did one thing for long before a launch: no launch cost."""
    split = seen.gaps.causes.split
    between = split[:, [Cause.PYTHON, Cause.UNRECORDED]].sum(axis=1)
    for cause, remedy in _LONG.items():
        took = between if cause in (Cause.PYTHON, Cause.UNRECORDED) else split[:, cause]
        share = time.idle_of(cause, gaps=took >= HOST_CODE_NS)
        yield from _told(seen, time, share, remedy, Gain(share.ns))


def in_the_queue(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Idle time after the launch: held by nothing that is shown, by another stream, or no
    more than what each kernel takes to begin.
    """
    queued = seen.gaps.causes.split[:, Cause.QUEUED]
    unexplained = time.idle_of(Cause.QUEUED, gaps=queued >= QUEUED_NS)
    yield from _told(seen, time, unexplained, _UNEXPLAINED, Gain(unexplained.ns))
    for remedy, cause in ((_WAIT, Cause.WAIT_EVENT), (_UNKNOWN, Cause.UNKNOWN)):
        share = time.idle_of(cause)
        yield from _told(seen, time, share, remedy, Gain(share.ns))
    for remedy, cause in ((_GRAPH, Cause.GRAPH), (_STARTS, Cause.QUEUED)):
        share = time.idle_of(cause)
        yield from _told(seen, time, share, remedy, Gain(share.ns // 2))


_REMEDY_IN_USE = {_DATA.id: ("workers",), _GRAPH.id: ("graph",), _STARTS.id: ("compiled",)}
"""What may be in use of what a remedy asks for."""


def _told(seen: Slice, time: Ledger, share: Share, remedy: Remedy, gain: Gain) -> Iterator[Finding]:
    """The finding about idle time that has one cause."""
    by_gap = share.idle.sum(axis=1)
    some = by_gap > 0
    gaps = seen.gaps
    figures = {
        "idle_ns": share.idle_ns,
        "span_ns": seen.span_ns,
        "of_span_share": share.idle_ns / seen.span_ns if seen.span_ns else 0.0,
        "gaps": int(some.sum()),
    }
    if "{ready_batch_ns}" in remedy.assumes:
        figures["ready_batch_ns"] = READY_BATCH_NS
    found = finding(
        seen,
        remedy.id,
        cost=share.ns,
        gain=gain,
        title="GPU idle {cause}: {idle_ns} of {span_ns} ({of_span_share}), in {gaps:gap/gaps}",
        assumes=remedy.assumes,
        advice=_advice(seen, remedy),
        figures=figures,
        evidence=longest(gaps.start[some], gaps.end[some], by_gap[some]),
        names={"cause": remedy.words},
        in_use=seen.in_use.words(*_REMEDY_IN_USE.get(remedy.id, ())),
    )
    yield from time.charged(found, share)


def _is_hip(trace: Trace) -> bool:
    """Whether the runtime is AMD's, which knows no setting of CUDA's."""
    calls = np.flatnonzero(trace.category == Category.RUNTIME)
    return bool(is_named(trace, calls, lambda name: name.startswith("hip")).any())


def _advice(seen: Slice, remedy: Remedy) -> str:
    """What to try. What to record depends on what was recorded already."""
    trace = seen.trace
    if recorded_by(trace) is not None:
        return _FOREIGN
    if remedy in (_UNRECORDED, _UNKNOWN) and not host_recorded(trace):
        return _NO_CPU_SIDE
    if remedy is _UNRECORDED and recorded(trace, Category.PYTHON_FUNCTION):
        return _BEYOND_STACKS
    if remedy is _DATA and seen.in_use.workers:
        return _SLOW_WORKERS
    if remedy is _LOAD and not _is_hip(trace):
        return remedy.advice + _EAGER
    return remedy.advice
