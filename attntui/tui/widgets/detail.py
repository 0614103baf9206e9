"""The detail pane: the lines of one event or gap, wrapped, scrollable, followable."""

from __future__ import annotations

from itertools import groupby

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.message import Message

from attntui.tui.widgets.text import Block, styled
from attntui.view.detail.items import Item
from attntui.view.session.places import Scrolled

LABEL_WIDTH = 11
_LINK = "item"
"""Under this key the style of a line that leads on tells which one it is."""


class DetailView(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Shows items as text; one that leads on can be stepped to and followed."""

    DEFAULT_CSS = """
    DetailView { padding: 0 1; scrollbar-size-vertical: 1; }
    DetailView > Block { width: 100%; height: auto; }
    """

    class Followed(Message):
        """Enter on a line that leads to something."""

        def __init__(self, item: Item) -> None:
            super().__init__()
            self.item = item

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._items: list[Item] = []
        self._link: int | None = None
        self._text = Block()

    def compose(self) -> ComposeResult:
        yield self._text

    def show(self, items: list[Item]) -> None:
        """Replaces the lines; the same ones, of a file that was read again, stay where they are."""
        if items == self._items:
            return
        self._items = items
        self._link = None
        self._draw()
        self.scroll_home(animate=False)

    @property
    def items(self) -> list[Item]:
        return self._items

    @property
    def scrolled(self) -> Scrolled:
        """Where the detail stands now."""
        link = -1 if self._link is None else self._link
        return Scrolled("detail", link, round(self.scroll_offset.y))

    def scroll_as(self, place: Scrolled) -> None:
        """Where it stood before, on the same link where it has the focus."""
        if self.has_focus and 0 <= place.row < len(self._items):
            self._link = place.row
            self._draw()
        self.scroll_to(y=place.top, animate=False)

    def move_link(self, step: int) -> None:
        """The next or previous line that leads on; scrolls where there is none."""
        links = [i for i, item in enumerate(self._items) if item.leads_to is not None]
        following = [i for i in links if self._link is None or (i - self._link) * step > 0]
        if not following:
            self.scroll_relative(y=step, animate=False)
            return
        self._link = following[0] if step > 0 else following[-1]
        self._draw()
        self._show_link()

    def _show_link(self) -> None:
        """Scrolls so that the current link's line is on screen."""
        width = max(self.scrollable_content_region.width, 1)
        options = self.app.console.options.update_width(width)
        before = render(self._items[: self._link])
        top = len(self.app.console.render_lines(before, options)) if self._link else 0
        self.scroll_to_region(Region(0, top, width, 1), animate=False)

    def follow(self) -> None:
        """Goes to what the current line names."""
        if self._link is not None:
            self.post_message(self.Followed(self._items[self._link]))

    def on_click(self, event: events.Click) -> None:
        """Goes to what a line names that is clicked."""
        number = event.style.meta.get(_LINK)
        if isinstance(number, int) and number < len(self._items):
            event.stop()
            self.post_message(self.Followed(self._items[number]))

    def on_blur(self) -> None:
        self._link = None
        self._draw()

    def _draw(self) -> None:
        self._text.show(render(self._items, self._link))


def render(items: list[Item], link: int | None = None) -> Group:
    """Items as text: headings bold, labels dim, the current link in reverse.

    What does not fit its line goes on under itself, not under its label.
    """
    parts: list[RenderableType] = []
    for labelled, members in groupby(enumerate(items), key=lambda at: _label_width(at[1])):
        if not labelled:
            parts += [_text(item, number, number == link) for number, item in members]
            continue
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_column(width=labelled, overflow="fold")
        grid.add_column(overflow="fold")
        for number, item in members:
            grid.add_row(styled(item.label, Style(dim=True)), _text(item, number, number == link))
        parts.append(grid)
    return Group(*parts)


def _label_width(item: Item) -> int:
    """Cells for labels: none without one, two for a mark or a number, else all alike."""
    if not item.label:
        return 0
    return 2 if item.label.isdigit() or item.label == "·" else LABEL_WIDTH


def _text(item: Item, number: int, current: bool) -> Text:
    leads = item.leads_to is not None
    meta = {_LINK: number} if leads else None
    style = Style(bold=item.heading or None, underline=leads, reverse=current, meta=meta)
    return styled(item.text, style)
