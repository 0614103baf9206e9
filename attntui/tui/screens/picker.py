"""Choose a trace, or two to compare: samples and what lies under the current directory."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.worker import get_current_worker

from attntui.errors import InputError, LoadCancelled
from attntui.safe import Safe, safe
from attntui.tui.bindings import bindings
from attntui.tui.screens.help import HelpScreen
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.theme import colours_of
from attntui.tui.widgets.legend import legend_text
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.text import TextLine, set_subtitle, set_title
from attntui.view.files import (
    MOST_READ,
    FileFacts,
    TraceFile,
    facts_of,
    find_traces,
    working_directory,
)
from attntui.view.patterns import BadPattern
from attntui.view.session.hints import hint_line
from attntui.view.session.keys import PICKER_KEYS
from attntui.view.tables.files import files_table
from attntui.view.tables.order import TableView

Facts = dict[TraceFile, FileFacts | None]
"""What was read of traces; None of those that could not be read."""

COMPARED = 2


class PickerScreen(DismissedOnce[list[str]]):
    """Dismissed with the path chosen, or the two marked, or none on Esc.

    The list is there at once; what it tells of each trace is read while the trace's row is
    on screen, and kept in `facts`.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(PICKER_KEYS)
    DEFAULT_CSS = """
    PickerScreen > Vertical { border: round $primary; }
    PickerScreen > TextLine { height: 1; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, purpose: Safe, facts: Facts, *, closable: bool) -> None:
        super().__init__()
        self._purpose = purpose
        self._facts = facts
        self._closable = closable
        self._directory = working_directory()
        self._found: list[TraceFile] = []
        self._marked: tuple[Path, ...] = ()
        self._reading = False

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            set_title(box, self._purpose)
            yield VirtualTable(id="files")
        yield Prompt(id="prompt")
        yield TextLine(safe("looking for traces …"), id="hint")

    @property
    def table(self) -> VirtualTable:
        return self.query_one(VirtualTable)

    def on_mount(self) -> None:
        self.table.focus()
        self._search()

    def on_resize(self, event: events.Resize) -> None:
        if self._found:
            self._show_hints()
            self.call_after_refresh(self._want_facts)

    # What is found, and what is read of it

    @work(thread=True, group="search")
    def _search(self) -> None:
        found = find_traces(self._directory)
        if not get_current_worker().is_cancelled:
            self.app.call_from_thread(self._take, found)

    def _take(self, found: list[TraceFile]) -> None:
        self._found = found
        self._show()
        self._show_hints()
        self.call_after_refresh(self._want_facts)

    def _show(self) -> None:
        """Makes the table anew; its order, filter and row stay."""
        facts = {file: fact for file, fact in self._facts.items() if fact is not None}
        made = files_table(self._found, self._directory, time.time(), facts, self._marked)
        view, row = self.table.view, self.table.row
        self.table.view = TableView.of(made) if view is None else view.over(made)
        if row is not None:
            self.table.select_row(row)
        self._show_name()

    def _show_name(self) -> None:
        """The whole name of the file at the cursor, in the border: its row may be too short."""
        row = self.table.row
        name = "" if row is None else self._found[row].path.name
        set_subtitle(self.query_one("#box"), safe(name, max(self.size.width - 6, 0)))

    def _show_hints(self) -> None:
        folder = safe(str(self._directory), 40)
        width = self.size.width - 2
        hints = hint_line(PICKER_KEYS, "files", width)
        room = width - len(hints) - 3
        self._hint(safe(f"{hints}   {folder}") if len(folder) <= room else hints)

    def _hint(self, text: Safe) -> None:
        self.query_one("#hint", TextLine).show(text)

    def _want_facts(self) -> None:
        """Has the traces on screen read, one after the other."""
        unread = self._unread()
        if unread and not self._reading:
            self._reading = True
            self._look(unread[0])

    def _unread(self) -> list[TraceFile]:
        """The traces on screen that nothing is told of yet."""
        shown = [self._found[row] for row in self.table.rows_on_screen]
        return [file for file in shown if file not in self._facts and file.size <= MOST_READ]

    @work(thread=True, group="look")
    def _look(self, file: TraceFile) -> None:
        worker = get_current_worker()
        facts = None
        with suppress(InputError, LoadCancelled, MemoryError):
            facts = facts_of(file.path, lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._learn, file, facts)

    def _learn(self, file: TraceFile, facts: FileFacts | None) -> None:
        self._facts[file] = facts
        self._reading = False
        self._show()
        self._want_facts()

    # Keys

    @on(VirtualTable.Highlighted)
    def _highlighted(self, message: VirtualTable.Highlighted) -> None:
        message.table.pending = False
        self._show_name()
        self._want_facts()

    def action_row_down(self) -> None:
        self.table.move(1)

    def action_row_up(self) -> None:
        self.table.move(-1)

    def action_page_down(self) -> None:
        self.table.page(1)

    def action_page_up(self) -> None:
        self.table.page(-1)

    def action_go_start(self) -> None:
        self.table.go_to_end(first=True)

    def action_go_end(self) -> None:
        self.table.go_to_end(first=False)

    def action_sort_left(self) -> None:
        self._sort(-1)

    def action_sort_right(self) -> None:
        self._sort(1)

    def _sort(self, step: int) -> None:
        if self.table.view is not None:
            self.table.view = self.table.view.sorted_beside(step)
            self._want_facts()

    def action_sort_invert(self) -> None:
        if self.table.view is not None:
            self.table.view = self.table.view.inverted()
            self._want_facts()

    def action_mark(self) -> None:
        """Marks the trace at the cursor, or takes its mark away; the last two count."""
        row = self.table.row
        if row is None or self._closable:
            return
        path = self._found[row].path
        others = tuple(marked for marked in self._marked if marked != path)
        self._marked = others if path in self._marked else (*others, path)[-COMPARED:]
        self._show()

    @on(VirtualTable.Chosen)
    def action_accept(self) -> None:
        row = self.table.row
        if len(self._marked) == COMPARED:
            self.dismiss([str(path) for path in self._marked])
        elif row is not None:
            self.dismiss([str(self._found[row].path)])

    def action_help(self) -> None:
        legend = legend_text(colours_of(self.app), ascii_only=False)
        self.app.push_screen(HelpScreen(PICKER_KEYS, "files", legend))

    def action_filter(self) -> None:
        view = self.table.view
        if view is not None:
            self.query_one(Prompt).ask("filter", view.pattern, "filter by name")

    def on_prompt_typed(self, message: Prompt.Typed) -> None:
        self._filter(message.text)

    def on_prompt_answered(self, message: Prompt.Answered) -> None:
        if self._filter(message.text):
            self.query_one(Prompt).close()
            self.table.focus()

    def on_prompt_dropped(self, message: Prompt.Dropped) -> None:
        self._filter(message.before)
        self.table.focus()

    def _filter(self, pattern: str) -> bool:
        if self.table.view is not None:
            try:
                self.table.view = self.table.view.filtered(pattern)
            except BadPattern as error:
                self._hint(safe(str(error)))
                return False
            self._show_hints()
            self._want_facts()
        return True

    def action_back(self) -> None:
        view = self.table.view
        if view is not None and view.pattern:
            self.table.view = view.filtered("")
        elif self._marked:
            self._marked = ()
            self._show()
        elif self._closable:
            self.dismiss([])

    def action_quit(self) -> None:
        """Back to the screen that asked, if one did."""
        if self._closable:
            self.dismiss([])
        else:
            self.app.exit()
