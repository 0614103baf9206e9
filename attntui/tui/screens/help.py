"""Help, made from the key table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from attntui.safe import safe
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.widgets.text import Block, set_subtitle, set_title, styled, under
from attntui.view.session.keys import Key, groups

NOTES = """\
A gap is a stretch in which a device runs no kernel, copy or set on any stream; the gaps of \
a device sum to its idle time exactly. Bars are single events; where several share a cell, \
the height of the block is the share of time that is busy. The scope on the timeline's title \
restricts every table and figure."""


class HelpScreen(DismissedOnce[None], ModalScreen[None]):
    """All keys by group. Esc, q or ? closes it; arrows scroll."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1", "dismiss", "close"),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]
    DEFAULT_CSS = """
    HelpScreen { align: center middle; }
    HelpScreen > VerticalScroll {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    HelpScreen Block { width: 100%; height: auto; }
    """

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__()
        self._keys = tuple(keys)

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            set_title(box, safe("Keys"))
            set_subtitle(box, safe("Esc closes"))
            yield Block(help_text(self._keys))

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


def help_text(keys: tuple[Key, ...]) -> Text:
    """The table as text, headings bold."""
    width = max(cell_len(key.shown) for key in keys)
    parts: list[Text] = []
    for heading, members in groups(keys).items():
        parts.append(styled(safe(heading), Style(bold=True)))
        for key in members:
            pad = " " * (width - cell_len(key.shown))
            shown = styled(safe(f"  {key.shown}{pad}  "), Style(color="cyan"))
            parts.append(shown + styled(safe(key.text)))
    return under([*parts, styled(safe("")), styled(safe(NOTES))])
