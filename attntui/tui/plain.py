"""`--ascii`: whatever was drawn, the terminal gets ASCII alone."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from attntui.view.drawing.ascii_text import plain


class PlainFilter(LineFilter):
    """The last step before the terminal: borders, blocks and names in ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [piece._replace(text=plain(piece.text)) for piece in segments]
