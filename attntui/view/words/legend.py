"""What colours and signs mean, in words; which colours they are is the theme's affair."""

from __future__ import annotations

from attntui.safe import Safe, safe
from attntui.view.drawing.compared import ALONE, BOTH, MIXED
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


TIED, SHIFTED, UNTIED = Safe("tied"), Safe("tied, shifted"), Safe("untied (t)")
"""Whether two timelines go together, as the line between them says."""


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


def compared_signs() -> list[tuple[Safe, Safe]]:
    """The signs under the axes of two units that are compared, and what each means."""
    a, b = ALONE
    return [
        (Safe(BOTH), Safe("GPU work that has its like in the other unit")),
        (Safe(a), Safe("GPU work that A alone has")),
        (Safe(b), Safe("GPU work that B alone has")),
        (Safe(MIXED), Safe("several operations a cell: some of each")),
    ]


def ties() -> list[tuple[Safe, Safe]]:
    """What the line between two timelines says."""
    return [
        (TIED, Safe("both units begin in one column, at one scale, and move together")),
        (SHIFTED, Safe("they move together; at the end of the shorter unit they lie apart")),
        (UNTIED, Safe("each moves alone, until t ties them again")),
        (Safe("╰─╮"), Safe("from what is selected in A to what answers to it in B")),
        (Safe("╵ ╷"), Safe("what is selected has no like in the other unit: it is in A, in B")),
        (Safe("◀ ▶"), Safe("what is selected lies off screen, that way")),
    ]


def letters() -> list[tuple[Safe, Safe]]:
    """The letters of bars: what a gap, and what an op's self time, was spent on."""
    of_gaps = ", ".join(f"{mark} {cause.word}" for cause, (mark, _) in CAUSES.items())
    marks = (*PART_MARKS.values(), (AWAITED, AWAITS))
    of_ops = ", ".join(f"{mark} {word}" for mark, word in marks)
    return [(safe("gaps"), safe(of_gaps)), (safe("ops"), safe(of_ops))]
