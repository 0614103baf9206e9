"""A comparison in words: what was measured, how B stands to A, what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from rich.cells import cell_len

from attntui.analysis.compare import (
    Comparison,
    Likeness,
    Metric,
    PassedOver,
    Row,
    Share,
    Side,
    UnitChoice,
    UnitKind,
)
from attntui.analysis.compare.metrics import Value, idle_metric
from attntui.analysis.gap_causes import Cause
from attntui.analysis.quantity import Quantity
from attntui.errors import AttntuiError
from attntui.safe import Safe, safe
from attntui.trace.model import ABSENT as ABSENT_ROW
from attntui.view.words.attention import shape_text
from attntui.view.words.formats import ABSENT, counted, duration, figure, percent

LABEL_CELLS = 60
NAME_CELLS = 120
LEAST_LABEL = 12

METRIC_WORDS: Mapping[str, str] = {
    "span_ns": "span",
    "gpu_ns": "GPU time",
    "cpu_ns": "CPU time",
    "gpu_ops": "GPU operations",
    "memsets": "  of which memsets",
    "launches": "launches",
    "gpu_span_ns": "first to last operation",
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
_SPEEDS = ("span_ns", "gpu_ns", "cpu_ns", "gpu_span_ns")

_LEADS = ("span_ns", "gpu_ns", "cpu_ns")
"""What the verdict is about: the first of these that both sides have."""

_SHORT: Mapping[str, str] = {"gpu_ns": "GPU", "cpu_ns": "CPU", "hbm_bytes": "HBM"}
"""What the verdict calls a metric: no more than its unit leaves open."""

_IN_THE_VERDICT = (*_LEADS, "hbm_bytes", "launches")
"""The figures of the verdict, the most important first."""


def difference(value: Value, quantity: Quantity) -> Safe:
    """A difference, its sign always told: `+4.5 us`."""
    if value is not None and quantity is Quantity.PERCENT:
        return Safe(f"{value:+.1f} points")
    text = figure(value, quantity)
    return Safe(f"+{text}") if value is not None and value > 0 else text


def verdict(metric: Metric, alike: bool = True) -> Safe:
    """How B stands to A in words: `11.2x faster`, `6.0x fewer`, `same`. Of units that are not
    `alike` none is faster: one is shorter. Estimates that cover little are not compared.
    """
    higher, lower = _MORE_AND_LESS[metric.quantity]
    if metric.name in _SPEEDS and alike:
        higher, lower = "slower", "faster"
    return standing(*metric.told, higher, lower)


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


# The verdict: one sentence, wherever a comparison is told


def verdict_parts(comparison: Comparison) -> tuple[Safe, ...]:
    """The verdict in parts, the most important first: how B stands to A with the figure that
    tells it, then the other figures of both, each with its ratio in a word.
    """
    metrics = [comparison.metric(name) for name in _IN_THE_VERDICT]
    lead = lead_metric(comparison)
    if lead is None:
        return (Safe("nothing to compare: neither unit took any time"),)
    rest = [metric for metric in metrics if metric.name != lead.name and any(metric.told)]
    return safe(f"{_standing(comparison, lead)}: {_both(lead)}"), *(
        _told(metric, comparison.is_alike) for metric in rest
    )


def verdict_text(comparison: Comparison) -> Safe:
    """The verdict as one line: `B is 3.3x faster: span 9.97 → 3.04 ms; GPU time …`."""
    return safe("; ".join(verdict_parts(comparison)))


def verdict_lines(comparison: Comparison, width: int, most: int = 2) -> list[Safe]:
    """The verdict on at most `most` lines of `width` cells: the least important parts are
    left out where they do not fit, and no figure is cut.
    """
    return packed(verdict_parts(comparison), width, most)


def caution_lines(comparison: Comparison, width: int, most: int = 2) -> list[Safe]:
    """What keeps the two from being alike on at most `most` lines of `width` cells, and of how
    many such things; none where nothing does.
    """
    parts = [safe(f"{c.what}: {c.a} / {c.b}", width) for c in comparison.cautions]
    if not parts:
        return []
    many = f"these {len(parts)}" if len(parts) > 1 else "this"
    first = safe(f"caution, {many} differ{'' if len(parts) > 1 else 's'}: {parts[0]}", width)
    return packed((first, *parts[1:]), width, most)


def packed(parts: Sequence[Safe], width: int, most: int) -> list[Safe]:
    """Parts side by side on lines of `width` cells, as many of the first as fit on `most`."""
    lines: list[Safe] = []
    for part in parts:
        beside = safe(f"{lines[-1]}   {part}") if lines else part
        if lines and cell_len(beside) <= width:
            lines[-1] = beside
        elif len(lines) < most and cell_len(part) <= width:
            lines.append(part)
        else:
            break
    return lines or [safe(parts[0], width)]


def lead_metric(comparison: Comparison) -> Metric | None:
    """The figure that the verdict is about, None where neither side took any time."""
    found = (comparison.metric(name) for name in _LEADS)
    return next((metric for metric in found if metric.a and metric.b), None)


def _standing(comparison: Comparison, lead: Metric) -> str:
    """How B stands to A, and no more than what the two units can tell."""
    whole = comparison.choice.kind is UnitKind.WINDOW
    if not comparison.is_alike:
        if not whole:
            return "no verdict, the units are not alike"
        told = against_words(comparison)
        standing = told if "x" in told else f"{_LIKE[told]} long as A's"
        return f"B's window is {standing}"
    told = against_words(comparison)
    if "x" not in told:
        return f"B is {_LIKE[told]} fast as A"
    return f"B is {told}{' over the whole window' if whole else ''}"


_LIKE = {"same": "just as", "about the same": "about as"}


def against_words(comparison: Comparison) -> Safe:
    """How B stands to A in a word or two, as the verdict has it."""
    lead = lead_metric(comparison)
    return ABSENT if lead is None else verdict(lead, comparison.is_alike)


def _told(metric: Metric, alike: bool) -> Safe:
    shares = metric.a_share, metric.b_share
    if None in metric.told:
        return _both(metric)
    if any(share is not None and share < 1 for share in shares):
        covered = f"of {percent(shares[0])} and {percent(shares[1])} of GPU time"
        return safe(f"{_both(metric)} {covered}")
    return safe(f"{_both(metric)}, {verdict(metric, alike)}" if metric.ratio else _both(metric))


def _both(metric: Metric) -> Safe:
    """A figure of A and of B, the unit once where it is the same: `span 9.97 → 3.04 ms`."""
    a, b = (figure(value, metric.quantity, 3) for value in metric.told)
    number, _, unit = a.partition(" ")
    if unit and b.endswith(f" {unit}"):
        a = Safe(number)
    return safe(f"{_SHORT.get(metric.name, METRIC_WORDS[metric.name])} {a} → {b}")


def pair_words(comparison: Comparison) -> Safe:
    """Which units are compared, how they were paired, and how many pairs there are."""
    return safe("".join(_pair_parts(comparison, unit_words(comparison.choice))))


def pair_line(comparison: Comparison, width: int) -> Safe:
    """The same in `width` cells: a long label is cut, and how they were paired left out, before
    which units they are.
    """
    kind = unit_words(comparison.choice)
    first, *_ = _pair_parts(comparison, "")
    label = safe(kind, max(width - cell_len(first), LEAST_LABEL))
    first, *more = _pair_parts(comparison, label)
    whole = safe("".join((first, *more)))
    return whole if cell_len(whole) <= width else safe(first, width)


def _pair_parts(comparison: Comparison, kind: str) -> Iterator[str]:
    """What is compared, then how far it can be."""
    a, b, over = comparison.a, comparison.b, comparison.passed_over
    if comparison.choice.kind is UnitKind.WINDOW:
        yield "whole windows" if over is None else f"whole windows: {_passed_words(over)}"
        if not comparison.is_alike:
            yield "; like with like only if both did the same job"
        return
    shown = f"{kind} {a.index + 1} of {len(a.units)} with {b.index + 1} of {len(b.units)}"
    if comparison.number is None:
        yield f"{shown}: unlike shapes"
        if comparison.is_alike:
            yield ", but they do the same FLOPs"
        return
    yield f"{shown}: {counted(len(comparison.pairing.pairs), 'pair')}"
    by = "kernels" if comparison.pairing.by is Likeness.KERNELS else "shapes"
    yield f", by order among like {by}"


def _passed_words(over: PassedOver) -> str:
    """Why a kind of unit was passed over for the whole windows."""
    kinds = {UnitKind.STEP: "step", UnitKind.ATTENTION: "attention call"}
    kind = kinds.get(over.choice.kind, unit_words(over.choice))
    if not over.pairs:
        return f"no {kind} of A has its like in B"
    return f"only {over.pairs} of {over.a_count} and {over.b_count} {kind}s are alike"


# Sides


def unit_words(choice: UnitChoice) -> Safe:
    """The kind of unit with its label: `annotation attn_fwd`."""
    label = safe(choice.label, LABEL_CELLS)
    named = choice.kind in (UnitKind.ANNOTATION, UnitKind.STEP)
    return safe(f"{choice.kind.value} {label}") if named else label


def unit_argument(choice: UnitChoice) -> str:
    """What `--unit` takes for a choice: an annotation's label, else the kind."""
    return choice.label if choice.kind is UnitKind.ANNOTATION else choice.kind.value


def named_unit(argument: str, choices: Sequence[UnitChoice]) -> UnitChoice:
    """The choice that `--unit` names. Raises AttntuiError where it is none of them."""
    for choice in choices:
        if argument == unit_argument(choice):
            return choice
    shared = ", ".join(map(unit_argument, choices))
    raise AttntuiError(f"--unit {argument}: not in all of these traces; they share {shared}")


def trace_words(side: Side) -> Safe:
    """A trace's file name without the ends that all of them have."""
    name = PurePath(side.slice.trace.path).name
    return safe(name.removesuffix(".gz").removesuffix(".json"))


def unit_place(side: Side) -> Safe:
    """Which of a side's units is shown: `unit 3 of 12`."""
    return Safe(f"unit {side.index + 1} of {len(side.units)}")


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


def tie_words(comparison: Comparison, ends: tuple[int | None, int | None]) -> Safe:
    """What a GPU operation of A and one of B are to each other, None where there is none:
    `softmax 284.3 us → fused 91.45 us`; nothing for what is in no row.
    """
    told = []
    for side, event in enumerate(ends):
        row = None if event is None else comparison.row_of(side, event)
        share = None if row is None else row.ends[side]
        if row is not None and share is not None:
            part = next((part for part in share.parts if event in part.rows), None)
            name = _name(comparison, row) if part is None else part.role
            told.append((name, share.gpu_ns if part is None else part.gpu_ns))
    if not told:
        return Safe("")
    if len(told) == 1:
        (name, ns), letter = told[0], "AB"[ends[0] is None]
        return safe(f"{name} {duration(ns)}, only in {letter}")
    (name, a), (other, b) = told
    return safe(f"{name} {duration(a)} → {'' if other == name else f'{other} '}{duration(b)}")


def row_title(comparison: Comparison, row: Row) -> Safe:
    """What a row is about: `softmax: attention forward 8x16x1024x64`. The role comes first, so
    that a narrow column keeps it. Names and shapes are those of A, then those of B where
    they differ.
    """
    name = _name(comparison, row)
    if row.role is not None:
        name = f"{row.role}: {name}"
    shapes = dict.fromkeys(_shape_words(share) for share in row.ends if share is not None)
    return safe(f"{name} {' / '.join(filter(None, shapes))}".rstrip(), NAME_CELLS)


def _name(comparison: Comparison, row: Row) -> str:
    """What a row is called: its op, else what the kernels of A and of B are called."""
    both = ((comparison.a, row.a), (comparison.b, row.b))
    sides = [(side, share) for side, share in both if share is not None]
    if any(share.call is not None for _, share in sides):
        return row.name
    # The name of a kernel may have colons too.
    if "::" in row.name and any(share.op != ABSENT_ROW for _, share in sides):
        return row.name
    labels = dict.fromkeys(side.analysed.labels.event(int(share.rows[0])) for side, share in sides)
    return " / ".join(labels)


def _shape_words(share: Share) -> str:
    if share.call is not None:
        return shape_text(share.call)
    return " ".join(str(list(shape)) for shape in share.shapes or ())
