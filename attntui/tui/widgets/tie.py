"""The line between two timelines: whether they are tied, and what answers to what."""

from __future__ import annotations

from textual.strip import Strip
from textual.widget import Widget

from attntui.safe import Safe
from attntui.tui.widgets.text import segment
from attntui.view.drawing.compared import tie
from attntui.view.drawing.frame import COMPARED_PART, gutter_cells
from attntui.view.session.compare_session import CompareSession
from attntui.view.tables.order import fit
from attntui.view.words.comparison import tie_words
from attntui.view.words.legend import SHIFTED, TIED, UNTIED


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
            return UNTIED
        return TIED if self._compared.is_in_step else SHIFTED

    def render_line(self, y: int) -> Strip:
        if self._compared is None:
            return Strip.blank(self.size.width, self.rich_style)
        a, b = self._compared.sessions
        heading = gutter_cells((*a.tracks, *b.tracks), self.size.width, COMPARED_PART)
        style = self.get_component_rich_style("tie--state")
        state = segment(fit(self.state, heading, right=False), style)
        width = max(self.size.width - heading, 1)
        above, below = self._compared.tie_cells(width)
        line = tie(width, above, below, tie_words(self._compared.comparison, self._compared.ends))
        return Strip([state, segment(line, self.rich_style)])
