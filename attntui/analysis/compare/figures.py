"""The figures of one unit of one trace: times, counts, idle by cause, work, memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare.pieces import Piece
from attntui.analysis.gap_causes import Cause
from attntui.analysis.gpu_work import traffic
from attntui.analysis.slice import Slice
from attntui.trace.model import ABSENT, I64, Category, Trace


@dataclass(frozen=True, slots=True)
class Covered:
    """An estimate that may not cover everything: `total` of what ran for `known_ns` of the
    unit's GPU time; None where nothing of it is known.
    """

    total: int | None
    known_ns: int

    def per_second(self) -> float | None:
        """The rate over the time that the estimate covers."""
        if self.total is None or not self.known_ns:
            return None
        return self.total * 1e9 / self.known_ns

    def share(self, gpu_ns: int) -> float | None:
        """How much of the unit's GPU time it covers; None without GPU time."""
        return self.known_ns / gpu_ns if gpu_ns else None


@dataclass(frozen=True, slots=True)
class Figures:
    """What one unit did. Times in ns, sizes in bytes; None where the trace does not tell.

    `span_ns` is the unit's wall time on the device (see `Units`), None where it launched
    nothing. `gpu_ns` is the sum of durations. Over the devices in use, `gpu_span_ns` is from the
    first GPU operation of the unit to the last one's end and `idle_ns` the part of it in
    which none of them runs, split by `idle_by_cause` exactly. `launches` counts distinct
    launch calls. `occupancy_pct` is theoretical, weighted by kernel time. `peak_memory` is
    the most that was allocated on one device during the unit. `backends` counts the
    attention calls by backend.
    """

    span_ns: int | None
    gpu_ns: int
    cpu_ns: int | None
    gpu_ops: int
    memsets: int
    launches: int
    gpu_span_ns: int
    idle_ns: int
    idle_by_cause: dict[Cause, int]
    hbm_bytes: Covered
    flops: Covered
    occupancy_pct: float | None
    peak_memory: int | None
    backends: tuple[tuple[str, int], ...]


def measure(
    unit: Slice,
    pieces: Sequence[Piece],
    host: tuple[int, int] | None,
    device: tuple[int, int] | None,
) -> Figures:
    """The figures of a unit, cut into `pieces`. `host` and `device` are its spans there."""
    trace, rows = unit.trace, unit.gpu_ops
    launches = np.unique(trace.launch[rows])
    causes = [found.by_cause() for found in unit.causes]
    backends = Counter(piece.call.backend for piece in pieces if piece.call is not None)
    return Figures(
        span_ns=None if device is None else device[1] - device[0],
        gpu_ns=unit.gpu_ns,
        cpu_ns=None if host is None else host[1] - host[0],
        gpu_ops=len(rows),
        memsets=int(np.count_nonzero(trace.category[rows] == Category.MEMSET)),
        launches=int(np.count_nonzero(launches != ABSENT)),
        gpu_span_ns=unit.span_ns,
        idle_ns=unit.idle_ns,
        idle_by_cause={cause: sum(found[cause] for found in causes) for cause in Cause},
        hbm_bytes=_hbm_bytes(unit.analysed, pieces),
        flops=_flops(unit.analysed, pieces),
        occupancy_pct=_occupancy(unit),
        peak_memory=None if host is None else _peak_memory(trace, host[0], unit.rows.end),
        backends=tuple(sorted(backends.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def _hbm_bytes(analysed: AnalysedTrace, pieces: Sequence[Piece]) -> Covered:
    """Bytes by shapes: of attention calls by role, of the rest by kernel."""
    totals: list[int] = []
    known_ns = 0
    for piece in pieces:
        for share in piece.call.roles if piece.call is not None else ():
            # Of a role that lies in the unit only in part the bytes are not known.
            if share.hbm_bytes is not None and np.isin(share.rows, piece.rows).all():
                totals.append(share.hbm_bytes)
                known_ns += share.gpu_ns
    rest = traffic(analysed.work, _outside_attention(pieces))
    if rest.moved is not None:
        totals.append(rest.moved)
        known_ns += rest.known_ns
    return Covered(sum(totals) if totals else None, known_ns)


def _flops(analysed: AnalysedTrace, pieces: Sequence[Piece]) -> Covered:
    """FLOPs by shapes: of an attention call its products, of the rest by kernel."""
    totals: list[int] = []
    known_ns = 0
    for piece in pieces:
        call = piece.call
        if call is not None and call.flops is not None and len(piece.rows) == call.gpu_ops:
            totals.append(call.flops)
            known_ns += call.gpu_ns
    work, rows = analysed.work, _outside_attention(pieces)
    at = np.searchsorted(analysed.trace.gpu_ops, rows)
    kind, told = work.kind[at], work.told[at]
    dur = analysed.trace.dur[rows]
    for index in np.unique(kind[told]).tolist():
        flops = work.kinds[index].work.flops
        if flops is not None:
            mine = told & (kind == index)
            totals.append(flops * int(np.count_nonzero(mine)))
            known_ns += int(dur[mine].sum())
    return Covered(sum(totals) if totals else None, known_ns)


def _outside_attention(pieces: Sequence[Piece]) -> I64:
    """The GPU operations of no attention call, by start."""
    rows = [piece.rows for piece in pieces if piece.call is None]
    return np.sort(np.concatenate(rows)) if rows else np.zeros(0, np.int64)


def _occupancy(unit: Slice) -> float | None:
    """Theoretical occupancy over the kernels for which it is known, weighted by time."""
    facts = unit.kernel_facts
    known = [(f.gpu_ns, f.occupancy_pct) for f in facts if f.occupancy_pct is not None]
    whole = sum(ns for ns, _ in known)
    return sum(ns * percent for ns, percent in known) / whole if whole else None


def _peak_memory(trace: Trace, start: int, end: int) -> int | None:
    """The most allocated on one device in [start, end], by the allocator's own events."""
    memory = trace.memory
    peaks: list[int] = []
    for device in np.unique(memory.device[memory.device >= 0]).tolist():
        own = np.flatnonzero((memory.device == device) & (memory.allocated >= 0))
        time = memory.time[own]
        low, high = np.searchsorted(time, [start, end + 1]).tolist()
        # What was allocated before stays so until the first event in the unit.
        chosen = own[max(low - 1, 0) : high]
        if len(chosen):
            peaks.append(int(memory.allocated[chosen].max()))
    return max(peaks, default=None)
