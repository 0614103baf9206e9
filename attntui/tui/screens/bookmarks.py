"""The list of bookmarks."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList

from attntui.safe import safe
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.text import set_subtitle, set_title, styled
from attntui.view.session.places import Bookmark

Rename = Callable[[int, str], tuple[Bookmark, ...]]
"""Gives a bookmark another name; returns the bookmarks as they are then."""


class BookmarkList(OptionList):
    """A list that has no pages before it is drawn, nor where the terminal has no room for it."""

    def _move_page(self, direction: Literal[-1, 1]) -> None:
        if self._lines:
            super()._move_page(direction)


class BookmarksScreen(DismissedOnce[int | None], ModalScreen[int | None]):
    """Dismissed with the number of the bookmark chosen, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "close"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
        Binding("r", "rename", "name"),
    ]
    DEFAULT_CSS = """
    BookmarksScreen { align: center middle; }
    BookmarksScreen > Vertical {
        width: 70; max-width: 100%; height: auto; max-height: 80%;
        border: round $primary; background: $surface;
    }
    BookmarksScreen OptionList { border: none; height: auto; max-height: 100%; }
    """

    def __init__(self, bookmarks: tuple[Bookmark, ...], rename: Rename) -> None:
        super().__init__()
        self._bookmarks = bookmarks
        self._rename = rename

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            set_title(box, safe("Bookmarks"))
            set_subtitle(box, safe("Enter goes  r names it  Esc closes"))
            yield BookmarkList(*(styled(mark.label) for mark in self._bookmarks))
            yield Prompt()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)

    @property
    def _list(self) -> OptionList:
        return self.query_one(OptionList)

    def action_rename(self) -> None:
        at = self._list.highlighted
        if at is not None:
            self.query_one(Prompt).ask("name", self._bookmarks[at].label, "a name for it")

    @on(Prompt.Answered)
    def _named(self, message: Prompt.Answered) -> None:
        at = self._list.highlighted
        if at is not None:
            self._bookmarks = self._rename(at, message.text)
            self._list.replace_option_prompt_at_index(at, styled(self._bookmarks[at].label))
        self.query_one(Prompt).close()
        self._list.focus()

    @on(Prompt.Dropped)
    def _kept(self) -> None:
        self._list.focus()

    def action_down(self) -> None:
        self._list.action_cursor_down()

    def action_up(self) -> None:
        self._list.action_cursor_up()

    def action_leave(self) -> None:
        self.dismiss(None)
