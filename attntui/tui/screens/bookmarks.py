"""The list of bookmarks."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import OptionList

from attntui.safe import safe
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.widgets.text import set_title, styled
from attntui.view.session.session import Bookmark


class BookmarksScreen(DismissedOnce[int | None], ModalScreen[int | None]):
    """Dismissed with the number of the bookmark chosen, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "close"),
        Binding("j", "down", show=False),
        Binding("k", "up", show=False),
    ]
    DEFAULT_CSS = """
    BookmarksScreen { align: center middle; }
    BookmarksScreen > OptionList {
        width: 70; max-width: 100%; height: auto; max-height: 80%;
        border: round $primary; background: $surface;
    }
    """

    def __init__(self, bookmarks: tuple[Bookmark, ...]) -> None:
        super().__init__()
        self._bookmarks = bookmarks

    def compose(self) -> ComposeResult:
        options = OptionList(*(styled(mark.label) for mark in self._bookmarks))
        set_title(options, safe("Bookmarks"))
        yield options

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()

    def action_leave(self) -> None:
        self.dismiss(None)
