"""The last line of a screen: what is selected or said, and behind it the hints."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual.strip import Strip
from textual.widget import Widget

from attntui.safe import Safe, safe
from attntui.tui.widgets.text import segment
from attntui.view.tables.order import fit

BESIDE_HINTS = 4
"""Cells of the line that are neither what is said nor a hint."""


class StatusLine(Widget):
    """One widget, so that a longer text moves no other: the screen need not be laid out anew."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"status--hints"}
    DEFAULT_CSS = """
    StatusLine { height: 1; padding: 0 1; background: $boost; }
    StatusLine > .status--hints { color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__(id="status")
        self.said = safe("")
        self.hints = safe("")

    def show(self, said: Safe, hints: Safe) -> None:
        """Replaces both. The hints stand at the right; what is said is cut where they begin."""
        if (said, hints) != (self.said, self.hints):
            self.said, self.hints = said, hints
            self.refresh()

    def render_line(self, y: int) -> Strip:
        width, style = self.size.width, self.rich_style
        room = width - cell_len(self.hints) - (BESIDE_HINTS - 2 if self.hints else 0)
        said = segment(fit(self.said, max(room, 0), right=False), style)
        hints = segment(
            fit(self.hints, width - max(room, 0), right=True),
            self.get_component_rich_style("status--hints"),
        )
        return Strip([said, hints]).adjust_cell_length(width, style)
