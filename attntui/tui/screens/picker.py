"""Choose a trace: samples and what lies under the current directory."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from attntui.safe import Safe, safe
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.text import TextLine, set_title
from attntui.view.files import TraceFile, find_traces
from attntui.view.patterns import BadPattern
from attntui.view.tables.files import files_table
from attntui.view.tables.order import TableView


class PickerScreen(DismissedOnce[str | None]):
    """Dismissed with the path chosen, or None on Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "down", show=False),
        Binding("k,up", "move(-1)", "up", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("g,home", "move(-1000000)", show=False),
        Binding("G,end", "move(1000000)", show=False),
        Binding("enter", "choose", "open"),
        Binding("slash,backslash", "filter", "filter"),
        Binding("escape", "back", "back"),
        Binding("q", "app.quit", "quit"),
    ]
    DEFAULT_CSS = """
    PickerScreen > Vertical { border: round $primary; }
    PickerScreen > TextLine { height: 1; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, purpose: Safe, *, closable: bool) -> None:
        super().__init__()
        self._purpose = purpose
        self._closable = closable
        self._found: list[TraceFile] = []

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            set_title(box, self._purpose)
            yield VirtualTable(id="files")
        yield Prompt(id="prompt")
        yield TextLine(safe("looking for traces …"), id="hint")

    def on_mount(self) -> None:
        self.query_one(VirtualTable).focus()
        self._search(Path.cwd())

    @work(thread=True, exclusive=True)
    def _search(self, directory: Path) -> None:
        found = find_traces(directory)
        self.app.call_from_thread(self._show, found, directory)

    def _show(self, found: list[TraceFile], directory: Path) -> None:
        self._found = found
        self.query_one(VirtualTable).view = TableView.of(files_table(found, directory))
        keys = "Enter opens   / filters   q quits"
        self._hint(safe(f"{safe(str(directory), 60)}   {keys}"))

    def _hint(self, text: Safe) -> None:
        self.query_one("#hint", TextLine).show(text)

    def action_move(self, rows: int) -> None:
        self.query_one(VirtualTable).move(rows)

    def action_page(self, pages: int) -> None:
        self.query_one(VirtualTable).page(pages)

    def action_choose(self) -> None:
        row = self.query_one(VirtualTable).row
        if row is not None:
            self.dismiss(str(self._found[row].path))

    def action_filter(self) -> None:
        view = self.query_one(VirtualTable).view
        if view is not None:
            self.query_one(Prompt).ask("filter", view.pattern, "filter by name")

    def on_prompt_typed(self, message: Prompt.Typed) -> None:
        self._filter(message.text)

    def on_prompt_answered(self, message: Prompt.Answered) -> None:
        if self._filter(message.text):
            self.query_one(Prompt).close()
            self.query_one(VirtualTable).focus()

    def on_prompt_dropped(self, message: Prompt.Dropped) -> None:
        self._filter(message.before)
        self.query_one(VirtualTable).focus()

    def _filter(self, pattern: str) -> bool:
        table = self.query_one(VirtualTable)
        if table.view is not None:
            try:
                table.view = table.view.filtered(pattern)
            except BadPattern as error:
                self._hint(safe(str(error)))
                return False
        return True

    def action_back(self) -> None:
        table = self.query_one(VirtualTable)
        if table.view is not None and table.view.pattern:
            table.view = table.view.filtered("")
        elif self._closable:
            self.dismiss(None)
