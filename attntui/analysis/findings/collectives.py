"""The finding about collectives that no compute runs beside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.busy_time import Rank, ranks
from attntui.analysis.findings.gains import shorter
from attntui.analysis.findings.ledger import Ledger
from attntui.analysis.findings.model import Finding, costliest, finding, note
from attntui.analysis.findings.thresholds import SEEN_SHARE
from attntui.analysis.groups import sums

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice

_ADVICE = (
    "Start them earlier (smaller buckets, prefetch), beside compute that does not need their "
    "result. Their time includes waiting for slower ranks."
)


def exposed_communication(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Collectives, for the time in which no other kernel ran beside them; a note where they
    are well hidden.
    """
    trace = seen.trace
    rows = seen.gpu_ops[ranks(trace, seen.gpu_ops) == Rank.COLLECTIVE]
    if not len(rows):
        return
    share = time.work(rows)
    own = seen.own[np.searchsorted(seen.gpu_ops, rows)]
    names, which = np.unique(trace.name[rows], return_inverse=True)
    most = int(names[np.argmax(sums(which, own, len(names)))])
    figures = {
        "collectives": len(rows),
        "running_ns": int(trace.dur[rows].sum()),
        "exposed_ns": int(own.sum()),
    }
    beside = np.zeros(len(seen.gpu_ops), np.int64)
    beside[np.searchsorted(seen.gpu_ops, rows)] = trace.dur[rows]
    title = (
        "{collectives:collective/collectives} ran for {running_ns}, {exposed_ns} of it with no "
        "compute beside"
    )
    found = finding(
        seen,
        "exposed-communication",
        cost=share.ns,
        gain=shorter(seen, factor=np.where(share.busy > 0, 0.0, 1.0), beside=beside),
        title=title + "; the most in {kernel}",
        assumes="they run beside compute, as long as there is any",
        figures=figures,
        evidence=costliest(rows, own),
        names={"kernel": seen.analysed.labels.names[most]},
        advice=_ADVICE,
        work=True,
    )
    if found:
        time.take(share, found.id)
        yield found
    elif figures["running_ns"] >= SEEN_SHARE * seen.gpu_ns:
        yield note("collectives", title, _ADVICE, costliest(rows, trace.dur[rows]), figures=figures)
