"""The main screen: panes round one session."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from attntui.analysis.scope import Scope
from attntui.tui.bindings import bindings
from attntui.tui.screens.base import SMALL, PaneScreen
from attntui.tui.screens.bookmarks import BookmarksScreen
from attntui.tui.screens.loading import Loaded, LoadingScreen
from attntui.tui.screens.roofline import RooflineScreen
from attntui.tui.widgets.detail import DetailView
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.table_pane import TablePane
from attntui.tui.widgets.timeline import TimelineView
from attntui.view.words import status
from attntui.view.analyses import ScopeFacts
from attntui.view.detail.event import Item, event_detail, gap_detail, plain
from attntui.view.document import Document
from attntui.view.session.keys import KEYS
from attntui.view.options import PANE_NAMES, STANDARD_INPUT, Options
from attntui.view.tables.findings import remark_detail
from attntui.view.panes import PANES
from attntui.view.session.reopen import command_line, reloaded, write_copy
from attntui.view.session.session import Session

HINTS = {
    "timeline": "h l pan  w s zoom  . , event  } gap  [ launch",
    "detail": "j k links  Enter go  y copy",
}
MOST_TABLES = 4
"""How many tables stand on the largest screen; smaller ones show the last one or two used."""

TABLE_HINTS = "Enter go  < > sort  \\ filter  / search"


class MainScreen(PaneScreen):
    """Owns the current `Session`: actions replace it, and what differs is shown."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012, typed by Textual
        (0, "-tiny"),
        (60, "-narrow"),
        (110, "-wide"),
        (170, "-huge"),
    ]
    CSS_PATH = "main.tcss"

    keys = KEYS
    panes = PANE_NAMES

    class CompareWanted(Message):
        """The user wants this document beside another."""

        def __init__(self, document: Document) -> None:
            super().__init__()
            self.document = document

    def __init__(self, session: Session, options: Options, *, closable: bool = False) -> None:
        super().__init__(options, closable=closable)
        self._session = session
        self._detailed: tuple[object, ...] = ()
        self._tables = tuple(pane.name for pane in PANES[:MOST_TABLES])
        self._finding = False

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static(SMALL, id="small", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield TimelineView(ascii_only=self.options.ascii, id="timeline")
                with Horizontal(id="tables"):
                    for pane in PANES:
                        yield TablePane(pane)
            yield DetailView(id="detail")
        yield Prompt(id="prompt")
        with Horizontal(id="status"):
            yield Static(id="said", markup=False)
            yield Static(id="hints", markup=False)

    def on_mount(self) -> None:
        self.query_one(DetailView).border_title = "Detail"
        self._show_tables()
        self._show()
        self.focus_pane(self.options.pane or PANES[0].name)

    # The session on screen

    @property
    def session(self) -> Session:
        return self._session

    @session.setter
    def session(self, session: Session) -> None:
        lines = self.query_one(TimelineView).lane_lines
        scrolled = session.timeline.scrolled(session.tracks, lines)
        self._session = session.with_timeline(scrolled)
        self._show()
        self._want_facts()

    def _want_facts(self) -> None:
        """Has the scope's facts found, one scope after the other however fast they change."""
        session = self.session
        if session.is_settled or self._finding:
            return
        self._finding = True
        needed = [pane.pane.prepare for pane in self.query(TablePane) if pane.instances]
        self._find_facts(session.document, session.scope, needed)

    @work(thread=True, group="facts", description="the facts of a scope")
    def _find_facts(
        self, document: Document, scope: Scope, needed: list[Callable[[ScopeFacts], object]]
    ) -> None:
        """Millions of events take a while: the keys go on, the tables follow."""
        facts = document.facts(scope)
        for prepare in needed:
            prepare(facts)
        self.app.call_from_thread(self._take_facts, document, facts)

    def _take_facts(self, document: Document, facts: ScopeFacts) -> None:
        self._finding = False
        if self.session.document is document:
            said = self.session.said
            self.session = self.session.with_facts(facts).saying(said)
        else:
            self._want_facts()

    def _show(self) -> None:
        session = self.session
        self.query_one(TimelineView).session = session
        for pane in self.query(TablePane):
            pane.show(session)
            if not pane.has_focus:
                pane.locate(session)
        self.query_one("#title", Static).update(status.title(session))
        self.query_one("#said", Static).update(status.selection(session))
        self._show_detail()

    def say(self, text: str) -> None:
        self.session = self.session.saying(text)

    def _show_detail(self) -> None:
        session = self.session
        chosen = (session.facts, session.event, session.gap, session.stream_gap, session.remark)
        if chosen != self._detailed:
            self._detailed = chosen
            self.query_one(DetailView).show(self._details())

    def _details(self) -> list[Item]:
        session = self.session
        document, facts = session.document, session.facts
        if session.remark is not None:
            return remark_detail(document, facts, session.remark)
        if session.stream_gap is not None:
            return gap_detail(document, facts.stream_gaps, session.stream_gap)
        if session.gap is not None:
            return gap_detail(document, session.gaps, session.gap)
        return [] if session.event is None else event_detail(document, session.event)

    # Panes

    def show_pane(self, name: str) -> None:
        widget = self.query_one(f"#{name}")
        if isinstance(widget, TablePane):
            self._show_table(widget)
        self.set_class(name == "timeline", "-timeline")
        self.set_class(name == "detail", "-detail")
        self.show_hints(HINTS.get(name, TABLE_HINTS))

    def _show_table(self, pane: TablePane) -> None:
        """Puts a table on screen; where there is room, beside those shown before it."""
        name = pane.pane.name
        if name != self._tables[0]:
            others = (other for other in self._tables if other != name)
            self._tables = (name, *others)[:MOST_TABLES]
            self._show_tables()
        pane.locate(self.session)

    def action_pane(self, name: str) -> None:
        """Shows a pane and gives it the focus. Where a table does not hold what is selected,
        its own row is what is selected from now on.
        """
        changed = name != self.last_pane
        self.focus_pane(name)
        pane = self.query_one(f"#{name}")
        if changed and isinstance(pane, TablePane):
            remarked = self.session.remark is not None
            if remarked or not pane.locate(self.session):
                self._point_at(pane)

    def _point_at(self, table: VirtualTable) -> None:
        if table.target is not None:
            self.session = self.session.pointing_at(table.target)

    def _show_tables(self) -> None:
        panes = list(self.query(TablePane))
        upper = next(pane for pane in panes if pane.id in self._tables[:2])
        for pane in panes:
            pane.shown = pane.id in self._tables
            pane.set_class(pane.id == self._tables[0], "-first")
            pane.set_class(pane.id == self._tables[1], "-second")
            pane.set_class(pane.id in self._tables[2:], "-further")
            pane.set_class(pane is upper, "-upper")
            pane.show(self.session)

    @property
    def table(self) -> VirtualTable:
        return self.query_one(f"#{self._tables[0]}", TablePane)

    # What widgets say

    @on(TimelineView.Resized)
    def _resized(self, message: TimelineView.Resized) -> None:
        self.session = self.session.resized(message.width)

    @on(VirtualTable.Highlighted)
    def _highlighted(self, message: VirtualTable.Highlighted) -> None:
        # What the table holds now: the message may have waited while facts changed.
        said = self.session.said
        self._point_at(message.table)
        if not message.moved:
            self.say(said)

    @on(VirtualTable.Chosen)
    def _chosen(self, message: VirtualTable.Chosen) -> None:
        target = message.table.target
        if target is not None:
            self.session = self.session.going_to(target)
            self.focus_pane("timeline")

    @on(DetailView.Followed)
    def _followed(self, message: DetailView.Followed) -> None:
        item = message.item
        if item.event is not None:
            self.session = self.session.selecting(item.event)
        elif item.span is not None:
            target = self.session.document.stretch_target(*item.span)
            self.session = self.session.going_to(target)

    # Keys of this screen

    def action_accept(self) -> None:
        focused = self.focused
        if isinstance(focused, VirtualTable):
            focused.choose()
        elif isinstance(focused, DetailView):
            focused.follow()
        else:
            self.focus_pane("detail")

    def action_toggle_instances(self) -> None:
        pane = self.query_one(f"#{self._tables[0]}", TablePane)
        if pane.pane.has_instances:
            pane.wants_instances = not pane.wants_instances
            self._toggle_instances(pane, self.session.facts)
        else:
            self.say(f"{pane.pane.title.lower()}: nothing to toggle here")

    @work(thread=True, group="instances", description="instances")
    def _toggle_instances(self, pane: TablePane, facts: ScopeFacts) -> None:
        """The gaps of single streams are found on demand, away from the keys."""
        if pane.wants_instances:
            pane.pane.prepare(facts)
        self.app.call_from_thread(pane.show_wanted)

    def action_bookmarks(self) -> None:
        if not self.session.bookmarks:
            self.say("no bookmarks: m sets one")
            return

        def go(number: int | None) -> None:
            if number is not None:
                self.session = self.session.at_bookmark(number)

        self.app.push_screen(BookmarksScreen(self.session.bookmarks), go)

    def action_roofline(self) -> None:
        """The kernels of the scope under the device's roofs."""
        observed = self.session.facts.observed
        self.app.push_screen(RooflineScreen(observed.facts, observed.peaks, self.options.ascii))

    def action_compare(self) -> None:
        """Asks for the other trace and opens the two side by side."""
        self.post_message(self.CompareWanted(self.session.document))

    def copied_text(self, focused: Widget | None) -> str:
        """The row of the focused table, else the event in full."""
        if isinstance(focused, VirtualTable):
            return focused.line_text
        return plain(self.query_one(DetailView).items)

    def action_copy_to_file(self) -> None:
        text = self.copied_text(self.focused)
        if not text:
            self.say("nothing selected to write")
            return
        try:
            self.say(f"written to {write_copy(self.session.trace.path, text)}")
        except OSError as error:
            self.say(f"not written: {error}")

    def action_copy_command(self) -> None:
        """The command line that opens this view, shown and copied."""
        text = command_line(self.session, self.last_pane, self.options)
        self.app.copy_to_clipboard(text)
        self.say(f"copied: {text}")

    def action_reload(self) -> None:
        """Reads the file again and keeps the place; a failed load leaves all as it is."""
        path = self.session.trace.path
        if path.startswith(STANDARD_INPUT):
            self.say("standard input cannot be read again")
            return

        def done(loaded: Loaded | None) -> None:
            if loaded is not None and loaded.document is not None:
                self.session = reloaded(self.session, loaded.document).saying("reloaded")
                self.show_pane(self.last_pane)
            elif loaded is not None and loaded.error:
                self.say(loaded.error)

        self.app.push_screen(LoadingScreen(path, self.options), done)

    def undo(self) -> bool:
        if self.session.measuring_or_measured:
            self.session = self.session.unmeasured()
        elif self.table.view is not None and self.table.view.pattern:
            self.table.view = self.table.view.filtered("")
        elif (undone := self.session.backed()) is not None:
            self.session = undone
        else:
            return False
        return True
