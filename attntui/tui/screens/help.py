"""Help and legend, made from the key table and the words of the view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from attntui.safe import Safe, safe
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.widgets.legend import HEADING, pairs
from attntui.tui.widgets.text import Block, set_subtitle, set_title, styled
from attntui.view.session.hints import pane_keys
from attntui.view.session.keys import MOUSE, Key, groups, pane_title

NOTES = """\
A gap is a stretch in which a device runs no kernel, copy or set on any stream; the gaps of \
a device sum to its idle time exactly. Bars are single events; where several share a cell, \
the height of the block is the share of time that is busy. The scope on the timeline's title \
restricts every table and figure."""

COLUMN_CELLS = 54
"""Cells that a column of keys takes at least; more columns stand side by side where they fit."""

KEY_STYLE = Style(color="cyan")


class PageScreen(DismissedOnce[None], ModalScreen[None]):
    """A page to read over what is on screen. Esc, q or the key that opened it closes it."""

    DEFAULT_CSS = """
    PageScreen { align: center middle; }
    PageScreen > VerticalScroll {
        width: 100%; max-width: 200; height: auto; max-height: 100%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    PageScreen Block { width: 100%; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "close"),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]
    heading: ClassVar[Safe]

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            set_title(box, self.heading)
            set_subtitle(box, safe("Esc closes, ↓ ↑ scroll"))
            yield Block()

    def page(self, width: int) -> Group:
        """What the page says, `width` cells wide."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(Block).show(self.page(min(event.size.width, 200) - 5))

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


class LegendScreen(PageScreen):
    """What colours and signs mean."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("C", "dismiss", show=False)]
    heading = safe("Legend")

    def __init__(self, legend: Group) -> None:
        super().__init__()
        self._legend = legend

    def page(self, width: int) -> Group:
        return self._legend


class HelpScreen(PageScreen):
    """The keys of a pane, then all others and the mouse, then the legend."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("question_mark,f1", "dismiss", show=False)]
    heading = safe("Keys")

    def __init__(self, keys: Sequence[Key], pane: str, legend: Group) -> None:
        super().__init__()
        self._keys = tuple(keys)
        self._pane = pane
        self._legend = legend

    def page(self, width: int) -> Group:
        own = pane_keys(self._keys, self._pane)
        rest = [key for key in self._keys if key not in own]
        return Group(
            key_columns([(self._title, own)], width),
            styled(safe("")),
            key_columns(list(groups([*rest, *MOUSE]).items()), width),
            styled(safe("")),
            self._legend,
            styled(safe("")),
            styled(safe(NOTES)),
        )

    @property
    def _title(self) -> str:
        """The pane's title, where the screen has more than one."""
        titled = any(key.name == f"pane({self._pane!r})" for key in self._keys)
        return pane_title(self._keys, self._pane) if titled else "Here"


Section = tuple[str, Sequence[Key]]


def key_columns(sections: Sequence[Section], width: int) -> Table:
    """Sections of keys in as many columns as fit, each about as high as the others. A single
    section is parted among them.
    """
    number = max(width // COLUMN_CELLS, 1)
    page = Table.grid(padding=(0, 2, 0, 0), expand=True)
    columns = _parted(sections[0], number) if len(sections) == 1 else _filled(sections, number)
    for _ in columns:
        page.add_column(ratio=1)
    page.add_row(*(Group(*_written(column)) for column in columns))
    return page


def _parted(section: Section, number: int) -> list[list[Section]]:
    heading, keys = section
    each = -(-len(keys) // number)
    starts = range(0, max(len(keys), 1), max(each, 1))
    return [[("" if start else heading, keys[start : start + each])] for start in starts]


def _filled(sections: Sequence[Section], number: int) -> list[list[Section]]:
    """Sections in their order in the least height that `number` columns need."""
    heights = [len(keys) + 1 for _, keys in sections]
    for limit in range(max(heights), sum(heights) + 1):
        columns: list[list[Section]] = [[]]
        height = 0
        for section, lines in zip(sections, heights, strict=True):
            if height + lines > limit:
                columns.append([])
                height = 0
            columns[-1].append(section)
            height += lines
        if len(columns) <= number:
            return columns
    return [list(sections)]


def _written(column: Sequence[Section]) -> Iterator[RenderableType]:
    for heading, keys in column:
        yield styled(safe(heading), HEADING)
        yield pairs((_key_text(key), safe(key.text)) for key in keys)


def _key_text(key: Key) -> Text:
    return styled(safe(f"  {key.shown}"), KEY_STYLE)
