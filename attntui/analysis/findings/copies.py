"""Findings about copies from and to the host: blocking ones, and ones that nothing hides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.columns import spread
from attntui.analysis.findings.gains import HostWork, shorter
from attntui.analysis.findings.launch_bound import GIVING_OUT
from attntui.analysis.findings.ledger import Ledger, both
from attntui.analysis.findings.model import Finding, costliest, finding
from attntui.analysis.findings.thresholds import (
    LAUNCH_CALL_NS,
    PAGEABLE_LEAST_BYTES,
    PINNED_BYTES_A_SECOND,
)
from attntui.analysis.gap_causes import Cause
from attntui.analysis.launches import nearest
from attntui.analysis.named import holding, rows_named
from attntui.trace.model import ABSENT, I64, Bool, Category

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


def pageable_copies(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Copies from or to pageable memory: their time, and the idle time that they bring about."""
    trace = seen.trace
    copies = _host_copies(seen, "Pageable")
    copies = copies[trace.columns.copied_bytes[copies] >= PAGEABLE_LEAST_BYTES]
    if not len(copies):
        return
    gaps = _brought_about(seen, copies)
    share = both(time.work(copies), time.idle_of(Cause.COPY, Cause.SYNC, *GIVING_OUT, gaps=gaps))
    moved = trace.columns.copied_bytes[copies]
    pinned = np.minimum(trace.dur[copies], moved / _pinned_rate(seen) * 1e9)
    factor = np.ones(len(seen.gpu_ops))
    factor[np.searchsorted(seen.gpu_ops, copies)] = pinned / np.maximum(trace.dur[copies], 1)
    launch = trace.launch[copies].astype(np.int64)
    launch = launch[launch != ABSENT]
    figures = {
        "copies": len(copies),
        "moved_bytes": int(moved.sum()),
        "copying_ns": int(trace.dur[copies].sum()),
        "idle_afterwards_ns": share.idle_ns,
        "pinned_ns": round(float(pinned.sum())),
    }
    found = finding(
        seen,
        "pageable-copies",
        cost=share.ns,
        gain=shorter(
            seen,
            factor=factor,
            spared=HostWork.of_rows(trace, launch, LAUNCH_CALL_NS),
            without=_waits_of(seen, launch),
        ),
        title="{copies:copy/copies} from or to pageable memory, {moved_bytes} together: "
        "{copying_ns} of copying, and the GPU idle for {idle_afterwards_ns} around them",
        assumes="pinned, they take {pinned_ns} and do not block the host; that they can run beside "
        "the kernels is not counted",
        figures=figures,
        evidence=costliest(copies, trace.dur[copies]),
        advice="Pin the host memory (pin_memory=True in the DataLoader or on the tensor), copy "
        "with non_blocking=True, and a step ahead.",
        work=share.busy_ns,
    )
    yield from time.charged(found, share)


def _pinned_rate(seen: Slice) -> float:
    """Bytes/s that copies from or to pinned memory reach at least, by the oldest device."""
    majors = [device.compute_major or 0 for device in seen.trace.metadata.devices]
    oldest = min(majors, default=0)
    return next(rate for major, rate in PINNED_BYTES_A_SECOND if oldest >= major)


def exposed_copies(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Copies from or to the host, for the time in which no kernel ran beside them."""
    copies = _host_copies(seen, "")
    share = time.work(copies)
    if not share.ns:
        return
    at = np.flatnonzero(share.busy)
    rows = seen.gpu_ops[at]
    found = finding(
        seen,
        "exposed-copies",
        cost=share.ns,
        gain=shorter(
            seen,
            factor=share.factor(),
            beside=spread(seen, rows, seen.trace.dur[rows]),
        ),
        title="Copies from or to the host run alone for {exposed_ns} ({copies:copy/copies}, "
        "{copying_ns}): no kernel runs beside them",
        assumes="they run beside the kernels, as long as there are any",
        limit="; there is little else to run",
        figures={
            "exposed_ns": share.ns,
            "copies": len(rows),
            "copying_ns": int(seen.trace.dur[rows].sum()),
        },
        evidence=costliest(rows, share.busy[at]),
        advice="They have a stream of their own: start them a step ahead, and let the compute "
        "stream wait for them where the data is used."
        if seen.in_use.copy_stream
        else "Copy a step ahead on a stream of its own (non_blocking=True), and let the compute "
        "stream wait for it where the data is used.",
        work=share.busy_ns,
        in_use=seen.in_use.words("pinned", "copy_stream"),
    )
    yield from time.charged(found, share)


def _host_copies(seen: Slice, word: str) -> I64:
    """The slice's copies from or to the host whose names hold a word."""
    trace, rows = seen.trace, seen.gpu_ops
    copies = rows[trace.category[rows] == Category.MEMCPY]
    copies = rows_named(trace, copies, holding("HtoD", "DtoH"))
    return rows_named(trace, copies, holding(word))


def _brought_about(seen: Slice, copies: I64) -> Bool:
    """Which gaps came after a call that made one of the copies, after a call of the op that
    did (a copy waits in a synchronise call of its own), or end with one of them.
    """
    trace, causes = seen.trace, seen.gaps.causes
    launch = trace.launch[copies].astype(np.int64)
    launch = launch[launch != ABSENT]
    cpu_op = trace.category == Category.CPU_OP
    op = nearest(trace, launch, cpu_op)
    told = np.flatnonzero(causes.trigger_row != ABSENT)
    trigger = causes.trigger_row[told]
    by_op = np.isin(nearest(trace, trigger, cpu_op), op[op != ABSENT])
    found = np.isin(seen.gaps.after, copies) & (causes.split[:, Cause.COPY] > 0)
    found[told] |= by_op | np.isin(trigger, launch)
    return np.asarray(found, np.bool_)


def _waits_of(seen: Slice, calls: I64) -> I64:
    """Some copy calls, and the calls that the same ops made to wait for them."""
    trace = seen.trace
    cpu_op = trace.category == Category.CPU_OP
    ops = nearest(trace, calls, cpu_op)
    waiting = np.unique(np.concatenate([replayed.calls for replayed in seen.replays]))
    of_ops = np.isin(nearest(trace, waiting, cpu_op), ops[ops != ABSENT])
    return np.concatenate((calls, waiting[of_ops]))
