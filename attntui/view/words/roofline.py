"""What bounds a kernel in words: near its roof or far from it, and why."""

from __future__ import annotations

from attntui.analysis.kernel_facts import KernelFact
from attntui.analysis.roofline import Reason
from attntui.safe import Safe, safe
from attntui.view.words.formats import ABSENT, percent

_REASONS = {
    Reason.FEW_BLOCKS: "fewer blocks than multiprocessors",
    Reason.LOW_OCCUPANCY: "low occupancy",
    Reason.CONVERSION: "it converts between data types",
}


BEYOND = Safe(
    "not told: above the roof by its shapes; they do not tell its work, or a cache served it"
)
"""Of a kernel that by its shapes would be faster than the device can be."""


def bound_text(fact: KernelFact) -> Safe | None:
    """A table's cell: `memory`, or `memory, far` from the roof; None where it is not told."""
    kind = fact.bound.kind
    if kind is None:
        return None
    # What is bound by latency is far from both by definition.
    return safe(f"{kind}, far" if fact.bound.far and kind != "latency" else kind)


def bound_sentence(fact: KernelFact) -> Safe:
    """`memory, far from the roof: 15.0 % of it; fewer blocks than multiprocessors`."""
    kind, share = fact.bound.kind, fact.bound.share
    if kind is None and share is None and fact.beyond_ns:
        return BEYOND
    if kind is None:
        return safe("not told" + ("" if share is None else f", {percent(share)} of one roof"))
    reached = f"{percent(share)} of it" if share is not None else ABSENT
    if not fact.bound.far:
        return safe(f"{kind}, near the roof: {reached}")
    reasons = ", ".join(_REASONS[reason] for reason in fact.far_reasons)
    return safe(f"{kind}, far from the roof: {reached}" + (f"; {reasons}" if reasons else ""))


NOT_MEASURED = Safe("not measured")
"""Of an occupancy that the profiler gave as 0 %."""
ZERO_IS_NO_OCCUPANCY = Safe("not measured: the profiler wrote 0 %, as it does where it cannot tell")
