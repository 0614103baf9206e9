"""Colours of the classes of work. Shape, text and place always say the same as colour."""

from __future__ import annotations

from functools import cache

from rich.color import Color
from rich.style import Style

from attntui.view.drawing.paint import Paint
from attntui.view.drawing.raster import Shape
from attntui.view.drawing.tracks import TrackKind

# Two shades a class, so that neighbours of one class can be told apart, and text on them
# that is read easily (a contrast of 4.5 or more).
SHADES: dict[Paint, tuple[str, str, str]] = {
    Paint.OTHER: ("#6b7280", "#565d69", "#ffffff"),
    Paint.PRODUCT: ("#3274b4", "#285f94", "#ffffff"),
    Paint.ATTENTION: ("#a84dbd", "#8d3f9f", "#ffffff"),
    Paint.REDUCTION: ("#d08a2e", "#b97a24", "#101418"),
    Paint.POINTWISE: ("#3b8247", "#306b3a", "#ffffff"),
    Paint.COPY: ("#2fa7a0", "#2a938c", "#101418"),
    Paint.SET: ("#8a8f98", "#7c828b", "#101418"),
    Paint.COLLECTIVE: ("#c9b037", "#ab952b", "#101418"),
    Paint.ANNOTATION: ("#7967af", "#655593", "#ffffff"),
    Paint.CPU_OP: ("#587489", "#4a6275", "#ffffff"),
    Paint.PYTHON: ("#747140", "#605e34", "#ffffff"),
    Paint.CALL: ("#9e6081", "#85506c", "#ffffff"),
    Paint.SYNC: ("#bd4c4c", "#9f3f3f", "#ffffff"),
    Paint.MANY: ("#9aa7b5", "#9aa7b5", "#101418"),
    Paint.IDLE: ("#7a2e2e", "#662626", "#ffd9d0"),
}

TRACK_PAINT = {
    TrackKind.IDLE: Paint.IDLE,
    TrackKind.GPU: Paint.MANY,
    TrackKind.GPU_ANNOTATION: Paint.ANNOTATION,
    TrackKind.CPU: Paint.CPU_OP,
    TrackKind.PYTHON: Paint.PYTHON,
    TrackKind.RUNTIME: Paint.CALL,
    TrackKind.OTHER: Paint.OTHER,
    TrackKind.MEMORY: Paint.ANNOTATION,
    TrackKind.ATTENTION: Paint.ATTENTION,
    TrackKind.QUEUE: Paint.CALL,
}
"""The colour of a track where events are too dense to be told apart."""

SELECTED = Style(color="#101418", bgcolor="#f2f4f8", bold=True)
LINKED = Style(color="#101418", bgcolor="#ffd75f", bold=True)


@cache
def event_style(paint: Paint, shape: Shape, odd: bool, background: Color | None) -> Style:
    """How a span of a class is drawn: a bar, its partly covered ends, or its density."""
    first, second, text = SHADES[paint]
    shade = second if odd else first
    if shape is Shape.BAR:
        return Style(color=text, bgcolor=shade)
    if shape is Shape.HEAD:
        return Style.from_color(background, Color.parse(shade))
    return Style.from_color(Color.parse(first), background)


def marked_style(mark: Style, shape: Shape, background: Color | None) -> Style:
    """A selected or linked event's span: the mark's colour in the span's own shape."""
    if shape is Shape.BAR:
        return mark
    if shape is Shape.HEAD:
        return Style.from_color(background, mark.bgcolor)
    return Style.from_color(mark.bgcolor, background)
