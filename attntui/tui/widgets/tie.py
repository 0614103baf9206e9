"""The line between two timelines: whether they are tied, and what answers to what."""

from __future__ import annotations

from textual.strip import Strip
from textual.widget import Widget

from attntui.safe import Safe, safe
from attntui.tui.widgets.text import segment
from attntui.view.drawing.compared import tie
from attntui.view.drawing.frame import GUTTER
from attntui.view.session.compare_session import CompareSession
from attntui.view.tables.order import fit
from attntui.view.words.comparison import tie_words


class TieLine(Widget):
    """Draws the tie of a `CompareSession` from the timeline above to the one below."""

    COMPONENT_CLASSES = {"tie--state"}  # noqa: RUF012, typed by Textual
    DEFAULT_CSS = """
    TieLine {
        height: 1;
        & > .tie--state { color: $text-muted; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._compared: CompareSession | None = None

    def show(self, compared: CompareSession) -> None:
        """Another comparison, or another view of it."""
        self._compared = compared
        self.refresh()

    @property
    def state(self) -> Safe:
        """Whether the timelines go together."""
        if self._compared is None or not self._compared.tied:
            return safe("untied (t)")
        return safe("tied" if self._compared.is_in_step else "tied, shifted")

    def render_line(self, y: int) -> Strip:
        if self._compared is None:
            return Strip.blank(self.size.width, self.rich_style)
        state = segment(
            fit(self.state, GUTTER, right=False), self.get_component_rich_style("tie--state")
        )
        width = max(self.size.width - GUTTER, 1)
        a, b = self._compared.tie_cells(width)
        line = tie(width, a, b, tie_words(self._compared.comparison, self._compared.ends))
        return Strip([state, segment(line, self.rich_style)])
