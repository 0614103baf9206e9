"""The finding about collectives that no compute runs beside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.busy_time import Rank, ranks
from attntui.analysis.findings.columns import by_inputs, spread
from attntui.analysis.findings.gains import shorter
from attntui.analysis.findings.ledger import Ledger
from attntui.analysis.findings.model import Finding, costliest, finding, note
from attntui.analysis.findings.thresholds import SEEN_SHARE
from attntui.analysis.groups import distinct, sums
from attntui.analysis.work.model import Arguments
from attntui.trace.model import ABSENT, I64, OpInputs

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
    launcher = int(seen.launcher[np.searchsorted(seen.gpu_ops, rows[most])])
    names: dict[str, str] = {"kernel": seen.analysed.labels.names[int(trace.name[rows[most]])]}
    most_in = "; the most in {kernel}"
    if launcher != ABSENT:
        names["op"] = trace.name_of(launcher)
        most_in += " by {op}"
    message = {"message_bytes": int(sizes[most])} if sizes[most] > 0 else {}
    if message:
        most_in += ", {message_bytes} a message"
    beside = spread(seen, rows, trace.dur[rows])
    title = (
        "{collectives:collective/collectives} ran for {running_ns}, {exposed_ns} of it with no "
        "compute beside"
    )
    found = finding(
        seen,
        "exposed-communication",
        cost=share.ns,
        gain=shorter(seen, factor=share.factor(), beside=beside),
        title=title + most_in,
        assumes="they run beside compute, as long as there is any",
        limit="; there is little else to run",
        figures=figures | message,
        evidence=costliest(rows, share.busy[np.searchsorted(seen.gpu_ops, rows)]),
        names=names,
        advice=_ADVICE,
        work=share.busy_ns,
    )
    yield from time.charged(found, share)
    if found is None and figures["running_ns"] >= SEEN_SHARE * seen.gpu_ns:
        yield note("collectives", title, _ADVICE, costliest(rows, trace.dur[rows]), figures=figures)


def _message_bytes(seen: Slice, rows: I64) -> I64:
    """Bytes of the largest tensor that each collective's op was given; 0 where not told."""
    inputs = seen.inputs[np.searchsorted(seen.gpu_ops, rows)]
    return by_inputs(seen.trace, inputs, _most_bytes)


def _most_bytes(inputs: OpInputs) -> int:
    args = Arguments(inputs)
    tensors = args.tensors(*range(len(inputs.types)))
    return max((tensor.bytes for tensor in tensors), default=0)
