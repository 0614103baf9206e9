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
from attntui.analysis.groups import distinct, sums
from attntui.analysis.work.model import Arguments
from attntui.trace.model import ABSENT, I64

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
    sizes = _message_bytes(seen, rows)
    first, which = distinct(trace.name[rows].astype(np.int64), sizes)
    most = int(first[np.argmax(sums(which, own, len(first)))])
    figures = {
        "collectives": len(rows),
        "running_ns": int(trace.dur[rows].sum()),
        "exposed_ns": int(own.sum()),
    }
    launcher = int(_launchers(seen, rows[[most]])[0])
    names: dict[str, str] = {"kernel": seen.analysed.labels.names[int(trace.name[rows[most]])]}
    most_in = "; the most in {kernel}"
    if launcher != ABSENT:
        names["op"] = trace.name_of(launcher)
        most_in += " by {op}"
    if sizes[most] > 0:
        figures["message_bytes"] = int(sizes[most])
        most_in += ", {message_bytes} a message"
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
        title=title + most_in,
        assumes="they run beside compute, as long as there is any",
        figures=figures,
        evidence=costliest(rows, own),
        names=names,
        advice=_ADVICE,
        work=share.busy_ns,
    )
    if found:
        time.take(share, found.id)
        yield found
    elif figures["running_ns"] >= SEEN_SHARE * seen.gpu_ns:
        figures.pop("message_bytes", None)
        yield note("collectives", title, _ADVICE, costliest(rows, trace.dur[rows]), figures=figures)


def _launchers(seen: Slice, rows: I64) -> I64:
    trace = seen.trace
    found: I64 = seen.analysed.work.launcher[np.searchsorted(trace.gpu_ops, rows)]
    return found


def _message_bytes(seen: Slice, rows: I64) -> I64:
    """Bytes of the largest tensor that each collective's op was given; 0 where not told."""
    trace, launcher = seen.trace, _launchers(seen, rows)
    inputs = np.where(launcher == ABSENT, ABSENT, trace.columns.inputs[launcher]).astype(np.int64)
    size = np.zeros(len(trace.op_inputs) + 1, np.int64)
    for number in np.unique(inputs[inputs != ABSENT]).tolist():
        args = Arguments(trace.op_inputs[number])
        tensors = args.tensors(*range(len(trace.op_inputs[number].types)))
        size[number] = max((tensor.bytes for tensor in tensors), default=0)
    found: I64 = size[inputs]
    return found
