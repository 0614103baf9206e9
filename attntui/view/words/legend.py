"""What colours and signs mean, in words; which colours they are is the theme's affair."""

from __future__ import annotations

from attntui.safe import Safe, safe
from attntui.view.drawing.paint import Paint
from attntui.view.drawing.raster import ASCII_RAMP, LOWER_BLOCKS
from attntui.view.tables.ops import AWAITED, AWAITS, PART_MARKS
from attntui.view.words.causes import CAUSES

PAINTS: dict[Paint, str] = {
    Paint.PRODUCT: "matrix products, convolutions",
    Paint.ATTENTION: "attention in one kernel; attention calls",
    Paint.REDUCTION: "reductions: softmax, norms, sums",
    Paint.POINTWISE: "pointwise kernels: mul, masked_fill, gelu",
    Paint.COPY: "copies",
    Paint.SET: "memsets and fills",
    Paint.COLLECTIVE: "collectives of several GPUs",
    Paint.OTHER: "kernels of another kind, or of a name not known",
    Paint.MANY: "a stream where many kernels share a cell",
    Paint.IDLE: "gaps: the device runs nothing",
    Paint.ANNOTATION: "annotations and steps; memory",
    Paint.CPU_OP: "CPU ops",
    Paint.PYTHON: "Python frames",
    Paint.CALL: "runtime and driver calls; the queue",
    Paint.SYNC: "synchronisation as recorded",
}
"""Each class of colour, kernels first."""

SELECTED, LINKED = "selected", "its other end: a kernel's launch, a launch's kernels"


def signs(*, ascii_only: bool) -> list[tuple[Safe, Safe]]:
    """Signs beside the colours, and what each means."""
    ramp = (ASCII_RAMP if ascii_only else LOWER_BLOCKS)[1:]
    bar = "[name=]" if ascii_only else "▏name"
    apart = "brackets" if ascii_only else "the line, or another shade,"
    told = (
        (bar, f"one event; {apart} parts it from its neighbour and means nothing else"),
        (ramp, "several events a cell: the height is the share of time that is busy"),
        ("▸ ◆", "in a bar: what is selected, its other end"),
        ("◀ ▶", "at the edge of a lane: what is selected lies that way"),
        ("░", "on the axis, and dim in lanes: out of the scope"),
        ("▾ ▸", "beside a lane or an op: open, closed"),
        ("[──]", "in the overview: what the timeline shows"),
        ("▲ ▼", "the column sorted by: least first, most first"),
    )
    return [(safe(sign), safe(words)) for sign, words in told]


def letters() -> list[tuple[Safe, Safe]]:
    """The letters of bars: what a gap, and what an op's self time, was spent on."""
    of_gaps = ", ".join(f"{mark} {cause.word}" for cause, (mark, _) in CAUSES.items())
    marks = (*PART_MARKS.values(), (AWAITED, AWAITS))
    of_ops = ", ".join(f"{mark} {word}" for mark, word in marks)
    return [(safe("gaps"), safe(of_gaps)), (safe("ops"), safe(of_ops))]
