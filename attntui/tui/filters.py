"""The last step before the terminal: whatever a widget draws, of whoever's making, passes here."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from attntui.safe import inert
from attntui.tui.widgets.text import segment
from attntui.view.drawing.ascii_text import plain


class InertFilter(LineFilter):
    """No text acts on the terminal, though a widget was given one that is not safe: what is
    typed or pasted into an input of Textual's, say.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if all(piece.text.isprintable() for piece in segments):
            return segments
        return [segment(inert(piece.text), piece.style) for piece in segments]


class PlainFilter(LineFilter):
    """`--ascii`: borders, blocks and names in ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [piece._replace(text=plain(piece.text)) for piece in segments]
