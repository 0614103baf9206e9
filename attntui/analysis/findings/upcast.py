"""The finding about attention that computes in fp32 from 16-bit inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from attntui.analysis.findings.attention import call_evidence
from attntui.analysis.findings.gains import shorter
from attntui.analysis.findings.ledger import Ledger
from attntui.analysis.findings.model import Finding, finding

if TYPE_CHECKING:
    from attntui.analysis.slice import Slice


def upcast(seen: Slice, time: Ledger) -> Iterator[Finding]:
    """Naive and math calls that convert 16-bit inputs or scores to fp32: a symptom of either.
    What would fall away is the conversion; that fp32 moves twice the bytes is not counted.
    """
    calls = [call for call in seen.attention if call.upcast and call.gpu_ops]
    if not calls:
        return
    share, under = time.of_work(np.concatenate([call.gpu_rows for call in calls]))
    whole, casts = sum(call.gpu_ns for call in calls), sum(call.casts_ns for call in calls)
    left = share.factor(1 - casts / max(whole, 1))
    found = finding(
        seen,
        "upcast",
        cost=share.ns,
        gain=shorter(seen, factor=left),
        title="Attention computes in fp32 from 16-bit inputs: {calls:call/calls} take "
        "{gpu_time_ns}, {casting_ns} of it to convert",
        assumes="the conversions fall away; that fp32 moves twice the bytes is not counted",
        figures={"calls": len(calls), "gpu_time_ns": whole, "casting_ns": casts},
        evidence=call_evidence(calls),
        advice="Keep scores and softmax in the inputs' type (softmax adds up in fp32 inside its "
        "kernel), or use a fused backend of scaled_dot_product_attention, which converts nothing.",
        work=share.busy_ns,
        under=under,
    )
    yield from time.charged(found, share)
