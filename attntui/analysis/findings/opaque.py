"""The finding about CPU ops that are long for no recorded reason, and what to blame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis import intervals
from attntui.analysis.bare_time import bare_time
from attntui.analysis.findings.gains import Gain
from attntui.analysis.findings.ledger import Ledger
from attntui.analysis.findings.model import Finding, costliest, finding, recorded
from attntui.analysis.gap_causes import Cause
from attntui.analysis.groups import distinct, sums
from attntui.analysis.host_activity import Activity
from attntui.analysis.launches import nearest
from attntui.analysis.named import is_named
from attntui.analysis.names.words import Library
from attntui.analysis.self_time import FatKind, fat_bars
from attntui.trace.model import ABSENT, I32, I64, Bool, Category, Trace

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_PLANNED = re.compile(r"conv(olution|\dd)|cudnn", re.IGNORECASE)
"""Names of ops for which cuDNN (MIOpen on ROCm) chooses a plan by shape."""

_UNPLANNED = re.compile(r"batch_?norm", re.IGNORECASE)
"""cuDNN's batch norm has one kernel for a shape and nothing to choose."""

_PLANNING = (
    "For the most part, it seems, cuDNN (MIOpen on ROCm) choosing a plan for shapes new to it. "
    "Warm it up with the same shapes, keep shapes fixed, or choose another backend."
)
_LIBRARY = (
    "For the most part cuDNN's work on the host (MIOpen's on ROCm) at each call, with the same "
    "shapes as before: warming up spares none of it. Choose another backend, or replay a CUDA "
    "graph, which spares the host's work."
)
_FIRST_USE = (
    "For the most part at an op's first use alone: a kernel's code was loaded or compiled, most "
    "likely. Warm up before recording; if it is loading, CUDA_MODULE_LOADING=EAGER moves it to "
    "the start of the program."
)
_UNTOLD = (
    "The trace does not tell what these ops do before they launch: code inside a custom op, "
    "long lists of tensors, library work. "
)
_RECORD_STACKS = "Record stacks (with_stack=True), or sample the host with a profiler of its own."
_BEYOND_STACKS = "No Python frame ran in them: sample the host with a profiler of its own."


@dataclass(frozen=True, slots=True)
class _Stalls:
    """For how long a gap waits for the launch at the end of a bar that nothing explains: the
    number of the gap and of the bar, and the ns. `unexplained` are the ns of each bar in all.
    """

    gap: I64
    bar: I64
    ns: I64
    unexplained: I64


def opaque_cpu_bars(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """CPU ops long for no recorded reason, while the GPU stood idle: the dispatch of the gaps
    that lies inside them and that no call, op or frame in them explains.
    """
    trace = seen.trace
    bars = fat_bars(seen.analysed.cpu)
    launches = seen.analysed.cpu.work.gpu_ops[bars.index] > 0
    rows = seen.analysed.cpu.rows[bars.index[(bars.kind == FatKind.OPAQUE) & launches]]
    stalls = _stalls(seen, time, rows)
    share = time.idle_part(Cause.DISPATCH, sums(stalls.gap, stalls.ns, len(seen.gaps)))
    stalled = sums(stalls.bar, stalls.ns, len(rows))
    some = stalled > 0
    if not some.any():
        return
    found = finding(
        seen,
        "opaque-cpu",
        cost=share.ns,
        gain=Gain(share.ns),
        title="{cpu_ops:CPU op/CPU ops} took {unexplained_ns} that nothing recorded explains, "
        "the GPU idle for {idle_meanwhile_ns} of it; the longest is {op}",
        assumes="what these ops do before they launch is done beforehand",
        figures={
            "unexplained_ns": int(stalls.unexplained[some].sum()),
            "cpu_ops": int(some.sum()),
            "idle_meanwhile_ns": share.ns,
        },
        evidence=costliest(rows[some], stalled[some]),
        advice=_advice(seen, rows, stalled),
        names={"op": trace.name_of(int(rows[np.argmax(np.where(some, stalls.unexplained, 0))]))},
    )
    yield from time.charged(found, share)


def _stalls(seen: Slice, time: Ledger, rows: I64) -> _Stalls:
    """Of the idle time that no finding owns yet what lies in the unexplained time of some CPU
    ops, on the thread that launched what ends the gap, until that launch.
    """
    trace, gaps, causes = seen.trace, seen.gaps, seen.gaps.causes
    bare = bare_time(trace, rows)
    order = np.argsort(bare.start, kind="stable")
    bar, begin, end = bare.of[order], bare.start[order], bare.end[order]
    late_to = np.clip(trace.start[causes.launch], gaps.start, gaps.end)
    left = time.idle[:, Cause.DISPATCH] > 0
    unexplained = np.zeros(len(rows), np.int64)
    none = rows[:0]
    parts = [(none, none, none)]
    for lane in np.unique(trace.lane[rows]).tolist():
        own = np.flatnonzero(trace.lane[rows[bar]] == lane)
        since, until = begin[own], end[own]
        # An op that outlives the one around it is cut where the next stretch begins.
        until[:-1] = np.minimum(until[:-1], since[1:])
        # What encloses an op may explain it: the data loader, a first use.
        told = seen.analysed.finder.host.thread(lane).up_to[Activity.RUNTIME]
        np.add.at(unexplained, bar[own], until - since - told.covered(since, until))
        for device in seen.devices:
            at = np.flatnonzero(left & (causes.lane == lane) & (gaps.device == device.device))
            gap, piece, low, high = intervals.overlaps(gaps.start[at], late_to[at], since, until)
            parts.append((at[gap], bar[own[piece]], high - low - told.covered(low, high)))
    gap, of_bar, ns = map(np.concatenate, zip(*parts, strict=True))
    return _Stalls(gap, of_bar, ns, unexplained)


def _advice(seen: Slice, rows: I64, stalled: I64) -> str:
    """What to try against the kind of bars that stalled the GPU longest."""
    trace = seen.trace
    name, inputs = trace.name, trace.columns.inputs
    library = _is_cudnn_s(seen, rows)
    # A plan is chosen once for each shape.
    planned = library & _are_first_alone(trace, rows, name, inputs)
    again = library & ~planned & (inputs[rows] != ABSENT)
    first = ~library & _are_first_alone(trace, rows, name)
    by_kind = {
        _PLANNING: int(stalled[planned].sum()),
        _LIBRARY: int(stalled[again].sum()),
        _FIRST_USE: int(stalled[first].sum()),
        _UNTOLD: int(stalled[~(planned | again | first)].sum()),
    }
    most = max(by_kind, key=by_kind.__getitem__)
    if most is not _UNTOLD:
        return most
    stacks = recorded(trace, Category.PYTHON_FUNCTION)
    return most + (_BEYOND_STACKS if stacks else _RECORD_STACKS)


def _is_cudnn_s(seen: Slice, rows: I64) -> Bool:
    """Which ops cuDNN plans: by their name, or by a kernel of cuDNN's that they launch."""
    trace = seen.trace
    kernels = [fact.decoded.library is Library.CUDNN for fact in seen.kernel_facts]
    launch = trace.launch[
        seen.gpu_ops[np.isin(trace.name[seen.gpu_ops], seen.kernels.name[kernels])]
    ]
    launch = launch[launch != ABSENT].astype(np.int64)
    ops = nearest(trace, launch, trace.category == Category.CPU_OP)
    planned = is_named(trace, rows, _PLANNED.search) | np.isin(rows, ops)
    return np.asarray(planned & ~is_named(trace, rows, _UNPLANNED.search), np.bool_)


def _are_first_alone(trace: Trace, rows: I64, *columns: I64 | I32) -> Bool:
    """Which opaque ops are the first CPU op of the trace with their values in some columns,
    and the only opaque one with them.
    """
    ops = np.flatnonzero(trace.category == Category.CPU_OP)
    first = ops[distinct(*(column[ops] for column in columns))[0]]
    _, which = distinct(*(column[rows] for column in columns))
    alone = np.bincount(which, minlength=1)[which] == 1
    return np.asarray(np.isin(rows, first) & alone, np.bool_)
