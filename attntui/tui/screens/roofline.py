"""The roofline of the scope's kernels."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from attntui.analysis.slice import Slice
from attntui.safe import safe
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.widgets.text import Block, set_subtitle, set_title, styled, under
from attntui.view.drawing.roofline_plot import Entry, Roofline, roofline_plot
from attntui.view.session.selection import EventAt

BOUNDS = {"memory": "cyan", "compute": "green", "latency": "yellow"}
"""The colour of what a kernel is bound by; the word stands on its line too."""


class RooflineScreen(DismissedOnce[EventAt | None], ModalScreen[EventAt | None]):
    """Fills the screen; drawn again when the terminal changes. Dismissed with the longest
    instance of the kernel chosen, or None on Esc.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,p", "leave", "close"),
        Binding("j,down", "move(1)", show=False),
        Binding("k,up", "move(-1)", show=False),
        Binding("enter", "choose", show=False),
    ]
    DEFAULT_CSS = """
    RooflineScreen > VerticalScroll {
        border: round $primary; background: $surface; padding: 0 1;
    }
    RooflineScreen Block { width: 100%; height: auto; }
    """

    def __init__(self, part: Slice, ascii_only: bool) -> None:
        super().__init__()
        names = (part.analysed.labels.names[i] for i in part.kernels.name.tolist())
        self._kernels = list(zip(names, part.kernel_facts, strict=True))
        self._longest: list[int] = part.kernels.longest.tolist()
        self._peaks = part.analysed.peaks
        self._ascii_only = ascii_only
        self._drawn = Roofline(())
        self._row = 0

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            set_title(box, safe("Roofline ─ FLOP/s over FLOP a byte, both logarithmic"))
            set_subtitle(box, safe("↓ ↑ choose, Enter goes there, Esc closes"))
            yield Block()

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size.width - 5, event.size.height - 2
        self._drawn = roofline_plot(
            self._kernels, self._peaks, width, height, ascii_only=self._ascii_only
        )
        self._row = min(self._row, max(len(self._drawn.entries) - 1, 0))
        self._show()

    def _show(self) -> None:
        lines = [styled(line) for line in self._drawn.lines]
        for row, entry in enumerate(self._drawn.entries):
            self._colour(lines, entry, row == self._row)
        self.query_one(Block).show(under(lines))

    def _colour(self, lines: list[Text], entry: Entry, here: bool) -> None:
        """A kernel's line and its letter in the colour of what bounds it."""
        style = Style(color=BOUNDS.get(entry.bound or ""), reverse=here or None, bold=here or None)
        lines[entry.line].stylize(style)
        if entry.dot is not None:
            line, cell = entry.dot
            lines[line].stylize(style + Style(bold=True), cell, cell + 1)

    def action_move(self, rows: int) -> None:
        self._row = min(max(self._row + rows, 0), max(len(self._drawn.entries) - 1, 0))
        self._show()

    def action_choose(self) -> None:
        if self._drawn.entries:
            kernel = self._drawn.entries[self._row].kernel
            self.dismiss(EventAt(self._longest[kernel]))

    def action_leave(self) -> None:
        self.dismiss(None)

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self.query_one(Block))
        lines = [entry.line for entry in self._drawn.entries]
        if at is None or at.y not in lines:
            return
        self._row = lines.index(at.y)
        self._show()
        if event.chain > 1:
            self.action_choose()
