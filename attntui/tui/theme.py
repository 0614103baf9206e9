"""Colours of the classes of work. Shape, text and place always say the same as colour."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

from rich.color import Color
from rich.style import Style
from textual.app import App

from attntui.view.drawing.compared import ALONE, BOTH, MIXED
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

_BLACK, _WHITE = "#000000", "#ffffff"

# The sixteen colours as terminals number them, so that none is taken for another: the paler
# half stands for what the host did.
_SIXTEEN: dict[Paint, tuple[str, str]] = {
    Paint.OTHER: ("#555555", _WHITE),
    Paint.PRODUCT: ("#0000aa", _WHITE),
    Paint.ATTENTION: ("#aa00aa", _WHITE),
    Paint.REDUCTION: ("#aa5500", _WHITE),
    Paint.POINTWISE: ("#00aa00", _BLACK),
    Paint.COPY: ("#00aaaa", _BLACK),
    Paint.SET: ("#ffffff", _BLACK),
    Paint.COLLECTIVE: ("#ffff55", _BLACK),
    Paint.ANNOTATION: ("#5555ff", _WHITE),
    Paint.CPU_OP: ("#55ffff", _BLACK),
    Paint.PYTHON: ("#55ff55", _BLACK),
    Paint.CALL: ("#ff55ff", _BLACK),
    Paint.SYNC: ("#ff5555", _BLACK),
    Paint.MANY: ("#aaaaaa", _BLACK),
    Paint.IDLE: ("#aa0000", _WHITE),
}


class Colours(IntEnum):
    """How many colours the terminal has."""

    NONE = 0
    SIXTEEN = 16
    MANY = 256
    ALL = 1 << 24

    @property
    def word(self) -> str:
        """As people read it: `16 colours`."""
        return {0: "No colours", 1 << 24: "True colour"}.get(self, f"{self.value} colours")


def colours_of(app: App[object]) -> Colours:
    """What the terminal under an app can show, as far as it tells."""
    if app.no_color:
        return Colours.NONE
    system = app.console.color_system
    return {"truecolor": Colours.ALL, "256": Colours.MANY}.get(system or "", Colours.SIXTEEN)


def shades(paint: Paint, colours: Colours) -> tuple[str, str, str]:
    """Two shades of a class, and the colour of text on them. Where there are few colours both
    are one: the other shade would be taken for another class.
    """
    if colours is Colours.SIXTEEN:
        only, text = _SIXTEEN[paint]
        return only, only, text
    first, second, text = SHADES[paint]
    return first, first if colours is Colours.MANY else second, text


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


COMPARED = {
    BOTH: Style(color="#9aa0a8"),
    **dict.fromkeys(ALONE, Style(color="#ff6b6b", bold=True)),
    MIXED: Style(color="#ffd75f", bold=True),
}
"""The signs of work that two compared units have both, or one of them alone."""


@cache
def event_style(
    paint: Paint,
    shape: Shape,
    odd: bool,
    background: Color | None,
    colours: Colours = Colours.ALL,
) -> Style:
    """How a span of a class is drawn: a bar, its partly covered ends, or its density."""
    first, second, text = shades(paint, colours)
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
