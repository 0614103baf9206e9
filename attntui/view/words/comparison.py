"""A comparison in words: what was measured, how B stands to A, what changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from attntui.analysis.compare import Comparison, Metric, Row, Share, Side, UnitChoice, UnitKind
from attntui.analysis.compare.metrics import Value, idle_metric
from attntui.analysis.gap_causes import Cause
from attntui.analysis.quantity import Quantity
from attntui.safe import Safe, safe
from attntui.view.words.attention import shape_text
from attntui.view.words.formats import ABSENT, duration, figure, percent

LABEL_CELLS = 60
NAME_CELLS = 120

METRIC_WORDS: Mapping[str, str] = {
    "gpu_ns": "GPU time",
    "cpu_ns": "CPU time",
    "gpu_ops": "GPU operations",
    "memsets": "  of which memsets",
    "launches": "launches",
    "gpu_span_ns": "GPU span",
    "idle_ns": "GPU idle",
    **{idle_metric(cause): f"  {cause.word}" for cause in Cause},
    "hbm_bytes": "HBM bytes (by shapes)",
    "flops": "FLOPs (by shapes)",
    "hbm_bytes_per_s": "HBM rate",
    "flops_per_s": "FLOP rate",
    "occupancy_pct": "occupancy",
    "peak_memory_bytes": "peak memory",
}
"""What each metric is called on screen; indented where it is part of the one above."""

_MORE_AND_LESS: Mapping[Quantity, tuple[str, str]] = {
    Quantity.TIME: ("longer", "shorter"),
    Quantity.COUNT: ("more", "fewer"),
    Quantity.BYTES: ("more", "less"),
    Quantity.FLOPS: ("more", "less"),
    Quantity.BYTE_RATE: ("higher", "lower"),
    Quantity.FLOP_RATE: ("higher", "lower"),
    Quantity.PERCENT: ("higher", "lower"),
}
_SPEEDS = ("gpu_ns", "cpu_ns", "gpu_span_ns")


def difference(value: Value, quantity: Quantity) -> Safe:
    """A difference, its sign always told: `+4.5 us`."""
    if value is not None and quantity is Quantity.PERCENT:
        return Safe(f"{value:+.1f} points")
    text = figure(value, quantity)
    return Safe(f"+{text}") if value is not None and value > 0 else text


def verdict(metric: Metric) -> Safe:
    """How B stands to A in words: `11.2x faster`, `6.0x fewer`, `same`."""
    higher, lower = _MORE_AND_LESS[metric.quantity]
    if metric.name in _SPEEDS:
        higher, lower = "slower", "faster"
    return standing(metric.a, metric.b, higher, lower)


def standing(a: Value, b: Value, higher: str = "slower", lower: str = "faster") -> Safe:
    """How `b` stands to `a`, with the words for more and for less of it."""
    if a is None or b is None:
        return ABSENT
    if a == b:
        return Safe("same")
    if not a or not b:
        return Safe("none in B" if a else "none in A")
    factor = max(a / b, b / a)
    digits = 2 if factor < 1.995 else 1 if factor < 99.95 else 0
    shown = f"{factor:,.{digits}f}"
    if shown == "1.00":
        return Safe("about the same")
    return Safe(f"{shown}x {higher if b > a else lower}")


def unit_words(choice: UnitChoice) -> Safe:
    """The kind of unit with its label: `annotation attn_fwd`."""
    label = safe(choice.label, LABEL_CELLS)
    named = choice.kind in (UnitKind.ANNOTATION, UnitKind.STEP)
    return safe(f"{choice.kind.value} {label}") if named else label


def trace_words(side: Side) -> Safe:
    """A trace's file name without the ends that all of them have."""
    name = PurePath(side.slice.trace.path).name
    return safe(name.removesuffix(".gz").removesuffix(".json"))


def place_words(side: Side) -> Safe:
    """Which of a side's units is shown, and how the GPU time varies over all of them."""
    if len(side.units) == 1:
        return Safe("the only one")
    spread = f"{duration(side.gpu_ns_min)} to {duration(side.gpu_ns_max)}"
    return safe(f"{side.index + 1} of {len(side.units)}, GPU time {spread}")


def backend_words(side: Side) -> Safe:
    """The backends of the unit's attention calls: `naive x12`; `-` without attention."""
    backends = side.figures.backends
    return safe(", ".join(n if c == 1 else f"{n} x{c}" for n, c in backends)) or ABSENT


def coverage_words(metric: Metric) -> Safe:
    """How much of the GPU time an estimate covers on each side; empty where all of it."""
    shares = metric.a_share, metric.b_share
    if all(share is None or share == 1 for share in shares):
        return Safe("")
    return safe(f"covers {percent(shares[0])} and {percent(shares[1])} of GPU time")


def row_title(comparison: Comparison, row: Row) -> Safe:
    """What a row is about: `softmax: attention forward 8x16x1024x64`. The role comes first, so
    that a narrow column keeps it. Names and shapes are those of A, then those of B where
    they differ.
    """
    both = ((comparison.a, row.a), (comparison.b, row.b))
    sides = [(side, share) for side, share in both if share is not None]
    of_op = any(share.call is not None for _, share in sides) or "::" in row.name
    labels = dict.fromkeys(side.analysed.labels.event(int(share.rows[0])) for side, share in sides)
    name = row.name if of_op else " / ".join(labels)
    if row.role is not None:
        name = f"{row.role}: {name}"
    shapes = dict.fromkeys(_shape_words(share) for _, share in sides)
    return safe(f"{name} {' / '.join(filter(None, shapes))}".rstrip(), NAME_CELLS)


def _shape_words(share: Share) -> str:
    if share.call is not None:
        return shape_text(share.call)
    return " ".join(str(list(shape)) for shape in share.shapes or ())
