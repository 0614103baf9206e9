"""The roofline of the scope's kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from attntui.analysis.devices import DevicePeaks
from attntui.analysis.kernel_facts import KernelFact
from attntui.tui.screens.once import DismissedOnce
from attntui.view.drawing.roofline_plot import roofline_plot


class RooflineScreen(DismissedOnce[None], ModalScreen[None]):
    """Fills the screen; drawn again when the terminal changes. Esc closes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,p", "dismiss", "close")]
    DEFAULT_CSS = """
    RooflineScreen > VerticalScroll {
        border: round $primary; background: $surface; padding: 0 1;
    }
    RooflineScreen Static { width: 100%; height: auto; }
    """

    def __init__(
        self, facts: Sequence[KernelFact], peaks: DevicePeaks | None, ascii_only: bool
    ) -> None:
        super().__init__()
        self._facts = facts
        self._peaks = peaks
        self._ascii_only = ascii_only

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            box.border_title = "Roofline ─ FLOP/s over FLOP a byte, both logarithmic"
            box.border_subtitle = "Esc closes"
            yield Static()

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size.width - 5, event.size.height - 2
        lines = roofline_plot(self._facts, self._peaks, width, height, ascii_only=self._ascii_only)
        self.query_one(Static).update(Text("\n".join(lines), no_wrap=True))
