"""The list of scopes, found by typing."""

from __future__ import annotations

import re
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from attntui.analysis.scope import Scope
from attntui.safe import safe
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.text import set_subtitle, set_title
from attntui.view.tables.order import TableView
from attntui.view.tables.scopes import ScopeMenu


class ScopeScreen(DismissedOnce[Scope | None], ModalScreen[Scope | None]):
    """Dismissed with the scope chosen, or None."""

    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close"),
        Binding("enter", "choose", "choose"),
        Binding("down", "move(1)", show=False),
        Binding("up", "move(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]
    DEFAULT_CSS = """
    ScopeScreen { align: center middle; }
    ScopeScreen > Vertical {
        width: 76; max-width: 100%; height: auto; max-height: 80%;
        border: round $primary; background: $surface;
    }
    ScopeScreen Input { height: 1; border: none; padding: 0 1; }
    ScopeScreen VirtualTable { height: auto; max-height: 100%; }
    """

    def __init__(self, menu: ScopeMenu) -> None:
        super().__init__()
        self._menu = menu

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            set_title(box, safe("Scope"))
            set_subtitle(box, safe("type to find  ↑ ↓  Enter takes  Esc leaves"))
            yield Input(placeholder="step 3, attention, a name", compact=True)
            yield VirtualTable()

    def on_mount(self) -> None:
        table = self.query_one(VirtualTable)
        table.view = TableView.of(self._menu.table)
        table.select_row(self._menu.first)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        """The rows with what is typed; the first one of them is marked."""
        table = self.query_one(VirtualTable)
        if table.view is not None:
            table.view = table.view.filtered(re.escape(event.value))
            table.go(0)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_choose()

    def action_choose(self) -> None:
        row = self.query_one(VirtualTable).row
        if row is not None:
            self.dismiss(self._menu.scope(row))

    def action_move(self, rows: int) -> None:
        self.query_one(VirtualTable).move(rows)

    def action_page(self, pages: int) -> None:
        self.query_one(VirtualTable).page(pages)

    def action_leave(self) -> None:
        self.dismiss(None)
