"""The main screen: panes round one session."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Static

from attntui.tui.actions import SessionActions
from attntui.tui.bindings import bindings
from attntui.tui.screens.bookmarks import BookmarksScreen
from attntui.tui.screens.help import HelpScreen
from attntui.tui.screens.loading import Loaded, LoadingScreen
from attntui.tui.screens.roofline import RooflineScreen
from attntui.tui.widgets.detail import DetailView
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.table_pane import TablePane
from attntui.tui.widgets.timeline import TimelineView
from attntui.view import status
from attntui.view.detail import event_detail, gap_detail, plain
from attntui.view.document import Document
from attntui.view.keys import KEYS
from attntui.view.options import Options
from attntui.view.overview import remark_detail
from attntui.view.panes import PANES
from attntui.view.reopen import command_line, reloaded, write_copy
from attntui.view.session import Session
from attntui.view.tables import BadPattern

HINTS = {
    "timeline": "h l pan  w s zoom  . , event  } { gap  [ ] launch  v measure  / search",
    "detail": "j k links  Enter go  y copy",
    "table": "j k rows  Enter go  < > sort  I invert  \\ filter  / search",
}


class MainScreen(SessionActions, Screen[None]):
    """Owns the current `Session`: actions replace it, and what differs is shown."""

    BINDINGS: ClassVar[list[BindingType]] = bindings()
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012, typed by Textual
        (0, "-tiny"),
        (60, "-narrow"),
        (110, "-wide"),
        (170, "-huge"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012, typed by Textual
        (0, "-flat"),
        (15, "-low"),
        (30, "-tall"),
    ]
    CSS_PATH = "main.tcss"

    session: reactive[Session] = reactive[Session](None, init=False)  # type: ignore[arg-type]

    class CompareWanted(Message):
        """The user wants this document beside another."""

        def __init__(self, document: Document) -> None:
            super().__init__()
            self.document = document

    def __init__(self, session: Session, options: Options, *, closable: bool = False) -> None:
        super().__init__()
        self.options = options
        self._closable = closable
        self.set_reactive(MainScreen.session, session)
        self._detailed: tuple[object, ...] = ()
        self._tables = (PANES[0].name, PANES[1].name)
        self._last_focus = "overview"

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static("this terminal is under 60 x 15: enlarge it", id="small", markup=False)
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
        self._show_table(self._tables[0])
        self.watch_session(self.session)
        self.action_pane(self.options.pane or PANES[0].name)
        first = self._table.target
        if self.options.pane is None and self.options.at is None and first is not None:
            self.session = self.session.pointing_at(first)

    # The session on screen

    def watch_session(self, session: Session) -> None:
        timeline = self.query_one(TimelineView)
        scrolled = session.timeline.scrolled(session.tracks, timeline.lane_lines)
        if scrolled != session.timeline:
            session = session.with_timeline(scrolled)
            self.set_reactive(MainScreen.session, session)
        timeline.session = session
        for pane in self.query(TablePane):
            pane.show(session)
        self.query_one("#title", Static).update(status.title(session))
        self._show_status()
        self._show_detail()

    def _show_status(self) -> None:
        self.query_one("#said", Static).update(status.selection(self.session))
        focused = self.focused
        kind = "table" if isinstance(focused, VirtualTable) else (focused.id if focused else None)
        self.query_one("#hints", Static).update(HINTS.get(kind or "", "") + "  ? help")

    def _show_detail(self) -> None:
        session = self.session
        chosen = (id(session.facts), session.event, session.gap, session.remark)
        if chosen == self._detailed:
            return
        self._detailed = chosen
        if session.remark is not None:
            items = remark_detail(session.document, session.facts, session.remark)
        elif session.gap is not None:
            items = gap_detail(session.document, session.gaps, session.gap)
        elif session.event is not None:
            items = event_detail(session.document, session.event)
        else:
            items = []
        self.query_one(DetailView).show(items)

    def on_descendant_focus(self) -> None:
        focused = self.focused
        if isinstance(focused, TablePane) and focused.id:
            self._show_table(focused.id)
        if focused is not None and focused.id and not isinstance(focused, Prompt):
            self._last_focus = focused.id
        self.set_class(isinstance(focused, TimelineView), "-timeline")
        self.set_class(isinstance(focused, DetailView), "-detail")
        self._show_status()

    def _show_table(self, name: str) -> None:
        """Puts a table on screen; where there is room, beside the one shown before it."""
        if name != self._tables[0]:
            self._tables = (name, self._tables[0])
        shown = [pane for pane in self.query(TablePane) if pane.id in self._tables]
        for pane in self.query(TablePane):
            pane.set_class(pane.id == self._tables[0], "-first")
            pane.set_class(pane.id == self._tables[1], "-second")
            pane.set_class(pane is shown[0], "-upper")
            pane.show(self.session)

    # What widgets say

    @on(TimelineView.Resized)
    def _resized(self, message: TimelineView.Resized) -> None:
        self.session = self.session.resized(message.width)

    @on(TimelineView.Clicked)
    def _clicked(self, message: TimelineView.Clicked) -> None:
        lines = message.line - self.session.timeline.line
        self.session = self.session.line_moved(lines).cursor_to(message.at)

    @on(TimelineView.Wheel)
    def _wheel(self, message: TimelineView.Wheel) -> None:
        self.session = self.session.zoomed(2.0 if message.direction > 0 else 0.5)

    @on(VirtualTable.Highlighted)
    def _highlighted(self, message: VirtualTable.Highlighted) -> None:
        if message.target is not None:
            self.session = self.session.pointing_at(message.target)

    @on(VirtualTable.Chosen)
    def _chosen(self, message: VirtualTable.Chosen) -> None:
        if message.target is not None:
            self.session = self.session.going_to(message.target)
            self.action_pane("timeline")

    @on(DetailView.Followed)
    def _followed(self, message: DetailView.Followed) -> None:
        item = message.item
        if item.event is not None:
            self.session = self.session.selecting(item.event)
        elif item.span is not None:
            target = self.session.document.stretch_target(*item.span)
            self.session = self.session.going_to(target)

    @on(Prompt.Answered)
    def _answered(self, message: Prompt.Answered) -> None:
        if message.final:
            self._focus_pane()
        try:
            if message.purpose == "filter":
                self._filter(message.text)
            elif message.final and message.text is not None:
                self.session = self.session.searching(message.text)
        except BadPattern as error:
            self.query_one("#said", Static).update(str(error))

    def _filter(self, text: str | None) -> None:
        table = self._table
        if table.view is not None:
            table.view = table.view.filtered(text or "")

    # Panes and focus

    @property
    def _table(self) -> TablePane:
        """The table last used."""
        return self.query_one(f"#{self._tables[0]}", TablePane)

    def _focus_pane(self) -> None:
        self.action_pane(self._last_focus)

    def action_pane(self, name: str) -> None:
        """Shows a pane and gives it the focus; one that is not there is passed over."""
        found = self.query(f"#{name}")
        if not found:
            return
        widget = found.first()
        if isinstance(widget, TablePane):
            self._show_table(name)
        # What is not displayed cannot take the focus: make room first.
        self.set_class(name == "timeline", "-timeline")
        self.set_class(name == "detail", "-detail")
        widget.focus()

    def action_maximise(self) -> None:
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            self.maximize(self.focused)

    # Keys that mean the focused pane

    def action_row_up(self) -> None:
        self._move(-1)

    def action_row_down(self) -> None:
        self._move(1)

    def _move(self, rows: int) -> None:
        focused = self.focused
        if isinstance(focused, VirtualTable):
            focused.move(rows)
        elif isinstance(focused, DetailView):
            focused.move_link(rows)
        else:
            self.session = self.session.line_moved(rows)

    def action_page_up(self) -> None:
        self._page(-1)

    def action_page_down(self) -> None:
        self._page(1)

    def _page(self, pages: int) -> None:
        focused = self.focused
        if isinstance(focused, VirtualTable):
            focused.page(pages)
        elif isinstance(focused, DetailView):
            focused.scroll_relative(y=pages * focused.size.height, animate=False)
        else:
            lines = self.query_one(TimelineView).lane_lines
            self.session = self.session.line_moved(pages * max(lines - 1, 1))

    def action_go_start(self) -> None:
        self._go(first=True)

    def action_go_end(self) -> None:
        self._go(first=False)

    def _go(self, first: bool) -> None:
        focused = self.focused
        if isinstance(focused, VirtualTable) and focused.view is not None:
            focused.go(0 if first else len(focused.view) - 1)
        elif isinstance(focused, DetailView):
            (focused.scroll_home if first else focused.scroll_end)(animate=False)
        else:
            view = self.session.timeline.viewport
            self.session = self.session.cursor_to(view.low if first else view.high - 1)

    def action_accept(self) -> None:
        focused = self.focused
        if isinstance(focused, VirtualTable):
            focused.choose()
        elif isinstance(focused, DetailView):
            focused.follow()
        else:
            self.action_pane("detail")

    def action_sort_left(self) -> None:
        self._sort(-1)

    def action_sort_right(self) -> None:
        self._sort(1)

    def _sort(self, step: int) -> None:
        table = self._table
        if table.view is not None:
            table.view = table.view.sorted_by(table.view.sort + step)

    def action_sort_invert(self) -> None:
        table = self._table
        if table.view is not None:
            table.view = table.view.inverted()

    def action_toggle_instances(self) -> None:
        self._table.toggle_instances()

    # Prompts, bookmarks, files

    def action_search(self) -> None:
        search = self.session.search
        text = search.pattern if search else ""
        self.query_one(Prompt).ask("search", text, "search names: a regular expression")

    def action_filter(self) -> None:
        table = self._table
        if table.view is not None:
            hint = f"filter {table.pane.title.lower()}: a regular expression"
            self.query_one(Prompt).ask("filter", table.view.pattern, hint)

    def action_bookmarks(self) -> None:
        if not self.session.bookmarks:
            self.notify("no bookmarks: m sets one")
            return

        def go(number: int | None) -> None:
            if number is not None:
                self.session = self.session.at_bookmark(number)

        self.app.push_screen(BookmarksScreen(self.session.bookmarks), go)

    @property
    def copied_text(self) -> str:
        """What `y` copies: the row of the focused table, else the event in full."""
        if isinstance(self.focused, VirtualTable):
            return self.focused.line_text
        return plain(self.query_one(DetailView).items)

    def action_copy(self) -> None:
        text = self.copied_text
        if not text:
            self.notify("nothing selected to copy", severity="warning")
            return
        self.app.copy_to_clipboard(text)
        self.notify("copied")

    def action_copy_command(self) -> None:
        """The command line that opens this view, shown and copied."""
        text = command_line(self.session, self._last_focus)
        self.app.copy_to_clipboard(text)
        self.notify(text, title="copied", markup=False, timeout=10)

    def action_copy_to_file(self) -> None:
        text = self.copied_text
        if not text:
            self.notify("nothing selected to write", severity="warning")
            return
        try:
            path = write_copy(self.session.trace.path, text)
        except OSError as error:
            self.notify(f"not written: {error}", severity="error", markup=False)
        else:
            self.notify(f"written to {path}", markup=False)

    def action_roofline(self) -> None:
        """The kernels of the scope under the device's roofs."""
        observed = self.session.facts.observed
        self.app.push_screen(RooflineScreen(observed.facts, observed.peaks, self.options.ascii))

    def action_reload(self) -> None:
        """Reads the file again and keeps the place; a failed load leaves all as it is."""

        def done(loaded: Loaded | None) -> None:
            if loaded is not None and loaded.document is not None:
                self.session = reloaded(self.session, loaded.document)
                self.notify("reloaded")
            elif loaded is not None and loaded.error:
                self.notify(loaded.error, severity="error", markup=False)

        self.app.push_screen(LoadingScreen(self.session.trace.path, self.options), done)

    def action_compare(self) -> None:
        """Asks for the other trace and opens the two side by side."""
        self.post_message(self.CompareWanted(self.session.document))

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(KEYS))

    def action_palette(self) -> None:
        self.app.action_command_palette()

    def action_back(self) -> None:
        """Undoes one thing, the innermost first; never quits."""
        table = self._table
        if self.session.measuring_or_measured:
            self.session = self.session.unmeasured()
        elif table.view is not None and table.view.pattern:
            table.view = table.view.filtered("")
        elif (undone := self.session.backed()) is not None:
            self.session = undone
        elif self.maximized is not None:
            self.minimize()
        elif self._closable:
            self.dismiss()

    def action_quit(self) -> None:
        self.app.exit()
