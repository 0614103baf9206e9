"""Choose a trace, or two to compare: what lies under the current directory, and samples."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.worker import get_current_worker

from attntui.analysis.analysed import AnalysedTrace
from attntui.errors import AttntuiError
from attntui.safe import Safe, safe
from attntui.trace import load
from attntui.tui.screens.help import HelpScreen
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.text import TextLine, set_title
from attntui.view.files import TraceFile, find_traces
from attntui.view.patterns import BadPattern
from attntui.view.session.keys import Key
from attntui.view.tables.files import FileFacts, files_table
from attntui.view.tables.model import Table
from attntui.view.tables.order import TableView

LARGE_BYTES = 64 * 1024 * 1024
"""A larger file is not read to say what is in it before it is opened."""

PICKER_KEYS = tuple(
    Key(name, (), shown, text, "Choose a trace")
    for name, shown, text in (
        ("choose", "Enter", "open the trace, or compare the two that are marked"),
        ("mark", "Space", "mark a trace, to compare it with another"),
        ("move", "↑ ↓ j k", "a row up or down; PgUp PgDn a page, g G to the ends"),
        ("filter", "/", "show only names that match a regular expression"),
        ("back", "Esc", "take the filter away, else go back"),
        ("close", "q", "close; without another screen behind it: quit"),
    )
)


class PickerScreen(DismissedOnce[tuple[str, ...] | None]):
    """Dismissed with the path chosen, or the `most` marked with Space; None on Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "down", show=False),
        Binding("k,up", "move(-1)", "up", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("g,home", "move(-1000000)", show=False),
        Binding("G,end", "move(1000000)", show=False),
        Binding("enter", "choose", "open"),
        Binding("space", "mark", "mark"),
        Binding("slash,backslash", "filter", "filter"),
        Binding("question_mark,f1", "help", "help"),
        Binding("escape", "back", "back"),
        Binding("q", "close", "close"),
    ]
    DEFAULT_CSS = """
    PickerScreen > Vertical { border: round $primary; }
    PickerScreen > TextLine { height: 1; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, purpose: Safe, *, closable: bool, most: int = 2) -> None:
        super().__init__()
        self._purpose = purpose
        self._closable = closable
        self._most = most
        self._found: list[TraceFile] = []
        self._directory = Path.cwd()
        self._facts: dict[Path, FileFacts] = {}
        self._marked: list[Path] = []

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            set_title(box, self._purpose)
            yield VirtualTable(id="files")
        yield Prompt(id="prompt")
        yield TextLine(safe("looking for traces …"), id="hint")

    def on_mount(self) -> None:
        self.query_one(VirtualTable).focus()
        self._search(self._directory)

    @work(thread=True, exclusive=True, group="search")
    def _search(self, directory: Path) -> None:
        worker = get_current_worker()
        found = find_traces(directory, lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._show, found)

    def _show(self, found: list[TraceFile]) -> None:
        self._found = found
        self.query_one(VirtualTable).view = TableView.of(self._table())
        self._hints()
        self._look()

    @work(thread=True, exclusive=True, group="look")
    def _look(self) -> None:
        """Reads what stands beside each file, one after another; a large one is not read."""
        worker = get_current_worker()
        for file in self._found:
            if file.size > LARGE_BYTES or file.path in self._facts:
                continue
            with suppress(AttntuiError):
                facts = FileFacts.of(
                    AnalysedTrace(load(str(file.path), cancelled=lambda: worker.is_cancelled))
                )
                if worker.is_cancelled:
                    return
                self.app.call_from_thread(self._known, file.path, facts)

    def _known(self, path: Path, facts: FileFacts) -> None:
        self._facts[path] = facts
        self._again()

    def _table(self) -> Table:
        return files_table(self._found, self._directory, time.time(), self._facts, self._marked)

    def _again(self) -> None:
        """The same rows with what is known by now; the cursor stays where it is."""
        table = self.query_one(VirtualTable)
        if table.view is not None:
            row = table.row
            table.view = table.view.over(self._table())
            table.select_row(row)

    def _hints(self) -> None:
        mark = "Space marks two to compare   " if self._most > 1 else ""
        leave = "Esc back" if self._closable else "q quits"
        keys = f"Enter opens   {mark}/ filters   ? help   {leave}"
        self._hint(safe(f"{keys}   {safe(str(self._directory), 60)}"))

    def _hint(self, text: Safe) -> None:
        self.query_one("#hint", TextLine).show(text)

    def action_move(self, rows: int) -> None:
        self.query_one(VirtualTable).move(rows)

    def action_page(self, pages: int) -> None:
        self.query_one(VirtualTable).page(pages)

    def action_choose(self) -> None:
        if self._marked:
            self.dismiss(tuple(map(str, self._marked)))
            return
        row = self.query_one(VirtualTable).row
        if row is not None:
            self.dismiss((str(self._found[row].path),))

    def action_mark(self) -> None:
        """Marks the file at the cursor, or takes its mark away; of too many the first goes."""
        row = self.query_one(VirtualTable).row
        if row is None or self._most < 2:
            return
        path = self._found[row].path
        if path in self._marked:
            self._marked.remove(path)
        else:
            self._marked = [*self._marked, path][-self._most :]
        self._again()
        names = " and ".join(safe(path.name, 40) for path in self._marked)
        what = "compares" if len(self._marked) > 1 else "opens"
        self._hint(safe(f"Enter {what} {names}")) if self._marked else self._hints()

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(PICKER_KEYS))

    def action_close(self) -> None:
        if self._closable:
            self.dismiss(None)
        else:
            self.app.exit()

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
