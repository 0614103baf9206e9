"""The roofline of the scope's kernels."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from attntui.analysis.slice import Slice
from attntui.safe import safe
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.widgets.text import Block, rows, set_subtitle, set_title
from attntui.view.drawing.roofline_plot import roofline_plot


class RooflineScreen(DismissedOnce[None], ModalScreen[None]):
    """Fills the screen; drawn again when the terminal changes. Esc closes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,p", "dismiss", "close")]
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
        self._peaks = part.analysed.peaks
        self._ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            set_title(box, safe("Roofline ─ FLOP/s over FLOP a byte, both logarithmic"))
            set_subtitle(box, safe("Esc closes"))
            yield Block()

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size.width - 5, event.size.height - 2
        plain = self._ascii_only
        lines = roofline_plot(self._kernels, self._peaks, width, height, ascii_only=plain)
        self.query_one(Block).show(rows(lines))
