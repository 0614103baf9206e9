"""The detail pane: the lines of one event or gap, wrapped, scrollable, followable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from attntui.safe import Safe, safe
from attntui.tui.widgets.text import segment, wrapped
from attntui.view.detail.items import Item
from attntui.view.session.places import Scrolled
from attntui.view.tables.order import fit

LABEL_WIDTH = 11
_LINK = "item"
"""Under this key the style of a line that leads on tells which one it is."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the pane: of which item, and what stands in its two columns."""

    number: int
    label: Safe
    text: Safe
    style: Style


class DetailView(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows items as text; one that leads on can be stepped to and followed."""

    DEFAULT_CSS = """
    DetailView { padding: 0 1; overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; }
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
        self._lines: list[Line] = []
        self._wrapped_in = 0
        self._style = Style()

    def show(self, items: list[Item]) -> None:
        """Replaces the lines; the same ones, of a file that was read again, stay where they are."""
        if items == self._items:
            return
        self._items = items
        self._link = None
        self._wrap()
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
            self._at_link(place.row)
        self.scroll_to(y=place.top, animate=False)

    def move_link(self, step: int) -> None:
        """The next or previous line that leads on; scrolls where there is none."""
        links = [i for i, item in enumerate(self._items) if item.leads_to is not None]
        following = [i for i in links if self._link is None or (i - self._link) * step > 0]
        if not following:
            self.scroll_relative(y=step, animate=False)
            return
        link = following[0] if step > 0 else following[-1]
        self._at_link(link)
        top = next(at for at, line in enumerate(self._lines) if line.number == link)
        self.scroll_to_region(Region(0, top, 1, 1), animate=False)

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
        self._at_link(None)

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._wrapped_in:
            self._wrap()

    def _at_link(self, link: int | None) -> None:
        changed = {self._link, link} if link != self._link else set()
        self._link = link
        for at, line in enumerate(self._lines):
            if line.number in changed:
                self.refresh_line(at)

    def _wrap(self) -> None:
        """The items as lines of the width that there is."""
        before, self._wrapped_in = self._lines, self.scrollable_content_region.width
        self._lines = [
            Line(number, label, text, _style_of(item, number))
            for number, item in enumerate(self._items)
            for label, text in _parts(item, self._wrapped_in)
        ]
        # Setting the virtual size would lay out the screen anew, and only the scrollbar asks.
        self.set_reactive(DetailView.virtual_size, Size(0, len(self._lines)))
        self.vertical_scrollbar.window_virtual_size = len(self._lines)
        self._draw_changed(before)

    def _draw_changed(self, before: list[Line]) -> None:
        """Has those lines on screen drawn anew that are others than `before`."""
        top, (width, height) = round(self.scroll_offset.y), self.size
        pairs = zip_longest(before[top : top + height], self._lines[top : top + height])
        changed = [Region(0, at, width, 1) for at, (old, new) in enumerate(pairs) if old != new]
        if changed:
            self.refresh(*changed)

    def render_lines(self, crop: Region) -> list[Strip]:
        # What all lines share is found once a frame.
        self._style = self.rich_style
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width, at = self._wrapped_in, round(self.scroll_offset.y) + y
        if at >= len(self._lines):
            return Strip.blank(width, self._style)
        line = self._lines[at]
        label = segment(line.label, self._style + Style(dim=True))
        current = Style(reverse=line.number == self._link)
        text = segment(line.text, self._style + line.style + current)
        return Strip([label, text]).adjust_cell_length(width, self._style)


def _style_of(item: Item, number: int) -> Style:
    """Headings bold; what leads on underlined, and clickable."""
    leads = item.leads_to is not None
    meta = {_LINK: number} if leads else None
    return Style(bold=item.heading or None, underline=leads, meta=meta)


def _label_width(item: Item) -> int:
    """Cells for labels: none without one, two for a mark or a number, else all alike."""
    if not item.label:
        return 0
    return 2 if item.label.isdigit() or item.label == "·" else LABEL_WIDTH


def _parts(item: Item, width: int) -> Iterator[tuple[Safe, Safe]]:
    """The label and the text of an item, line by line: what does not fit its line goes on
    under itself, not under its label.
    """
    labelled = _label_width(item)
    room = width - labelled - 1 if labelled else width
    labels = wrapped(item.label, labelled) if labelled else []
    for label, text in zip_longest(labels, wrapped(item.text, room), fillvalue=safe("")):
        yield fit(label, labelled + 1, right=False) if labelled else label, text
