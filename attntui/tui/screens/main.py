"""The main screen: panes round one session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Scope
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.trace.kept.reader import LateReader, late_reader
from attntui.trace.model import ABSENT
from attntui.tui.bindings import bindings
from attntui.tui.screens.base import SMALL, TALL, VAST, PaneScreen
from attntui.tui.screens.bookmarks import BookmarksScreen
from attntui.tui.screens.loading import Loaded, LoadingScreen
from attntui.tui.screens.roofline import RooflineScreen
from attntui.tui.screens.scope import ScopeScreen
from attntui.tui.widgets.detail import DetailView
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.status import StatusLine
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.table_pane import TablePane
from attntui.tui.widgets.text import TextLine, cleaned, set_title
from attntui.tui.widgets.timeline import TimelineView
from attntui.view.detail import detail_of
from attntui.view.detail.items import ScopeTo, plain
from attntui.view.options import PANE_NAMES, STANDARD_INPUT, Options
from attntui.view.panes import PANES
from attntui.view.patterns import BadPattern
from attntui.view.session import marks
from attntui.view.session.jumps import jump, only_turned, turned
from attntui.view.session.keys import KEYS, Key, Step, pane_title
from attntui.view.session.left import Left, left
from attntui.view.session.places import Bookmark, Scrolled
from attntui.view.session.reopen import ShownTable, command_line, reloaded, write_copy
from attntui.view.session.scoping import scoping
from attntui.view.session.selection import NOTHING, EventAt, FindingAt, Selection
from attntui.view.session.session import Session
from attntui.view.tables.scopes import scope_menu
from attntui.view.words import status

OPENING = {"toggle_collapse": None, "cursor_right": True, "cursor_left": False}
"""Keys that in a tree of rows open the row, close it, or either."""

WIDE, HUGE = 110, 170
"""Columns from which panes stand side by side, and tables too."""

ROOM = ((4, HUGE, VAST), (2, WIDE, TALL), (1, 0, 0))
"""How many tables, the last used, a screen of so many columns and lines shows. No other is made."""

PLACE_EVERY_S = 2.0
"""Seconds after which it is kept where the trace is: a line that drops tells nobody before."""


class MainScreen(PaneScreen):
    """Owns the current `Session`: actions replace it, and what differs is shown."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012, typed by Textual
        (0, "-tiny"),
        (60, "-narrow"),
        (WIDE, "-wide"),
        (HUGE, "-huge"),
    ]
    CSS_PATH = "main.tcss"

    keys = KEYS
    panes = PANE_NAMES

    class CompareWanted(Message):
        """The user wants this trace, in a fresh session, beside another."""

        def __init__(self, fresh: Session) -> None:
            super().__init__()
            self.fresh = fresh

    class Reopened(Message):
        """The file was read again, and can be kept as it is now."""

        def __init__(self, screen: MainScreen, loaded: Loaded) -> None:
            super().__init__()
            self.screen = screen
            self.loaded = loaded

    def __init__(
        self,
        session: Session,
        options: Options,
        *,
        closable: bool = False,
        leave: Callable[[Left], None] = lambda _: None,
    ) -> None:
        """`leave` takes where the trace is left, now and then and at the end."""
        super().__init__(options, closable=closable)
        self.leave = leave
        self._told: Left | None = None
        options = self.options
        self._session = replace(session, pane=session.pane or options.pane or PANES[0].name)
        self._detailed: object = None
        others = (pane.name for pane in PANES if pane.name not in options.tables)
        self._tables = (*options.tables, *others)
        self._placed: tuple[str, ...] = ()
        self._finding = False
        self._drawn = False

    def compose(self) -> ComposeResult:
        yield TextLine(id="title")
        yield TextLine(SMALL, id="small")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield TimelineView(ascii_only=self.options.ascii, id="timeline")
                with Horizontal(id="tables"):
                    for pane in PANES:
                        yield TablePane(pane)
            yield DetailView(id="detail")
        yield Prompt(id="prompt")
        yield StatusLine()

    def on_mount(self) -> None:
        set_title(self.query_one(DetailView), pane_title(KEYS, "detail"))
        self._arrange_tables()
        self._show_tables()
        self._show()
        self.focus_pane(self._session.pane)
        self._want_slice()
        self.set_interval(PLACE_EVERY_S, self.tell_place)

    def _read_ahead(self) -> None:
        """Goes through a packed file that was not read to open the trace, for its details."""
        reader = late_reader(self._session.trace)
        if reader is not None:
            self._go_through(reader)

    @work(thread=True, group="read ahead", description="reading ahead")
    def _go_through(self, reader: LateReader) -> None:
        worker = get_current_worker()
        reader.go_through(lambda: worker.is_cancelled)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._detail_again)

    def _detail_again(self) -> None:
        self._detailed = None
        self._show()

    def on_resize(self) -> None:
        super().on_resize()
        if self._placed and self._placed != self._places():
            self._show_tables()

    def first_drawn(self) -> None:
        self._drawn = True
        super().first_drawn()
        self._read_ahead()

    def _arrange_tables(self) -> None:
        """Sorts and filters as the command line asks; a pattern that is none is said."""
        sorts, filters = dict(self.options.sorts), dict(self.options.filters)
        for pane in self.query(TablePane):
            name = pane.pane.name
            try:
                pane.open_as(
                    column=sorts.get(name),
                    pattern=filters.get(name, ""),
                    instances=name in self.options.instances,
                )
            except BadPattern as error:
                self._session = self._session.saying(str(error))

    # The session on screen

    @property
    def session(self) -> Session:
        return self._session

    @session.setter
    def session(self, session: Session) -> None:
        timeline = self.query_one(TimelineView)
        if timeline.is_drawn:
            session = session.lanes_on_screen(timeline.lane_lines)
        self._session = session
        self._show()
        self._want_slice()
        if session.pane != self.last_pane:
            self.focus_pane(session.pane)

    def step(self, step: Step) -> None:
        if not self._drawn:
            # A key that comes before the first frame counts in the cells of that frame.
            self.call_after_refresh(self.step, step)
            return
        cells = self.query_one(TimelineView).cells
        session = replace(self.session, lists=self._lists())
        after = step(session if cells is None else session.resized(cells))
        self.session = after
        self._restore(session, after)

    def _lists(self) -> tuple[Scrolled, ...]:
        """How far the tables on screen and the detail are scrolled."""
        shown = [pane.scrolled for pane in self.query(TablePane) if pane.shown]
        return (*shown, self.query_one(DetailView).scrolled)

    def _restore(self, before: Session, after: Session) -> None:
        """Scrolls the lists to where they were, after a step to an earlier place."""
        if after.lists == before.lists:
            return
        for place in after.lists:
            widget = self.query_one(f"#{place.pane}")
            if isinstance(widget, TablePane | DetailView):
                self.call_after_refresh(widget.scroll_as, place)

    def say(self, text: Safe) -> None:
        self.session = replace(self.session, said=text)

    def _want_slice(self) -> None:
        """Has the scope's slice found, one scope after the other however fast they change."""
        session = self.session
        if session.is_settled or self._finding:
            return
        self._finding = True
        needed = [pane.pane.prepare for pane in self.query(TablePane) if pane.instances]
        if session.gap is not None and session.gap.stream != ABSENT:
            needed.append(lambda part: part.stream_gaps)
        self._find_slice(session.analysed, session.scope, needed)

    @work(thread=True, group="slice", description="the slice of a scope")
    def _find_slice(
        self, analysed: AnalysedTrace, scope: Scope, needed: list[Callable[[Slice], object]]
    ) -> None:
        """Millions of events take a while: the keys go on, the tables follow."""
        part = analysed.slice(scope).find_all()
        for prepare in needed:
            prepare(part)
        self.app.call_from_thread(self._take_slice, part)

    def _take_slice(self, part: Slice) -> None:
        self._finding = False
        self.session = self.session.with_slice(part)

    def _show(self) -> None:
        session = self.session
        timeline = self.query_one(TimelineView)
        timeline.heading = safe(f"{pane_title(KEYS, 'timeline')} ─ scope: {session.scope_text}")
        timeline.session = session
        if self._placed != self._places():
            self._show_tables()
        for pane in self.query(TablePane):
            pane.show(session)
            pane.locate(session)
        self.show_line("title", status.title(session))
        self.show_said(status.status(session), answered=bool(session.said))
        # Of an event the file is read again: only when there is something else to tell.
        told = session.slice, session.selection
        if told != self._detailed:
            self._detailed = told
            self.query_one(DetailView).show(detail_of(*told))

    # Panes

    def show_pane(self, name: str) -> None:
        if name != self._session.pane:
            self._session = replace(self._session, pane=name)
            self.query_one(TimelineView).session = self._session
        widget = self.query_one(f"#{name}")
        if isinstance(widget, TablePane):
            self._show_table(widget)
        self.set_class(name == "timeline", "-timeline")
        self.set_class(name == "detail", "-detail")
        self.show_hints()

    def _show_table(self, pane: TablePane) -> None:
        """Puts a table on screen; where there is room, beside those shown before it."""
        name = pane.pane.name
        if name != self._tables[0]:
            others = (other for other in self._tables if other != name)
            self._tables = (name, *others)
            self._show_tables()
        pane.locate(self.session)

    def action_pane(self, name: str) -> None:
        """Shows a pane and gives it the focus. Where a table does not hold what is selected,
        its own row is what is selected from now on, and the way back leads to what was.
        """
        changed, before = name != self.last_pane, replace(self.session, lists=self._lists())
        self.focus_pane(name)
        pane = self.query_one(f"#{name}")
        if changed and isinstance(pane, TablePane):
            located = pane.locate(self.session)
            # A finding's evidence has a row in other tables, but the finding has not.
            if not located or (
                isinstance(self.session.selection, FindingAt) and name != PANE_NAMES[0]
            ):
                self.point_at(pane)
                self.session = turned(before, self.session)

    def point_at(self, table: VirtualTable) -> None:
        target = table.target
        if target is not None:
            self.step(lambda session: session.turning_to(target))

    def _places(self) -> tuple[str, ...]:
        """The tables with a place on screen, the last used first; one that has nothing to
        show comes after all that have, unless it is the last used.
        """
        first, *others = self._tables
        holds = {pane.name: pane.holds(self.session) for pane in PANES}
        return (first, *sorted(others, key=lambda name: not holds[name]))[: self._room]

    @property
    def _room(self) -> int:
        """How many tables a terminal of this size has room for, as `main.tcss` places them."""
        width, height = self.app.size
        return next(count for count, w, h in ROOM if width >= w and height >= h)

    def _show_tables(self) -> None:
        self._placed = self._places()
        panes = list(self.query(TablePane))
        upper = next(pane for pane in panes if pane.id in self._placed[:2])
        for pane in panes:
            pane.shown = pane.id in self._placed
            pane.set_class(pane.id in self._placed[:1], "-first")
            pane.set_class(pane.id in self._placed[1:2], "-second")
            pane.set_class(pane.id in self._placed[2:], "-further")
            pane.set_class(pane is upper, "-upper")
            pane.show(self.session)

    @property
    def table(self) -> TablePane:
        return self.query_one(f"#{self._tables[0]}", TablePane)

    # What widgets say

    @on(VirtualTable.Highlighted)
    def _highlighted(self, message: VirtualTable.Highlighted) -> None:
        # What the table holds now: the message may have waited while the slice changed.
        said = self.session.said
        message.table.pending = False
        self.point_at(message.table)
        if not message.moved:
            self.say(said)

    @on(VirtualTable.Chosen)
    def _chosen(self, message: VirtualTable.Chosen) -> None:
        target = message.table.target
        if target is not None:
            self._go_to(target)

    def _go_to(self, target: Selection) -> None:
        """Goes to something on the timeline; the way back leads to this pane."""
        self.step(jump(lambda session: replace(session.going_to(target), pane="timeline")))

    @on(DetailView.Followed)
    def _followed(self, message: DetailView.Followed) -> None:
        target = message.item.leads_to
        if isinstance(target, ScopeTo):
            self.step(jump(lambda session: scoping(session, target.scope)))
        elif isinstance(target, EventAt):
            # An event beside the one shown: as close as before.
            self.step(jump(lambda session: session.selecting(target.row)))
        elif target is not None:
            self.step(jump(lambda session: session.going_to(target)))

    # Keys of this screen

    def does_nothing(self, key: Key) -> bool:
        idle = {
            "bookmarks": not self.session.bookmarks,
            "toggle_instances": not self.table.pane.has_instances,
            "roofline": not len(self.session.slice.gpu_ops),
        }
        return idle.get(key.name, False) or super().does_nothing(key)

    def action_step(self, name: str) -> None:
        """In a pane whose rows open, what opens lanes or moves the time cursor opens them."""
        focused = self.focused
        if name in OPENING and isinstance(focused, TablePane) and focused.pane.opens:
            focused.open_row(OPENING[name])
        else:
            super().action_step(name)

    def action_accept(self) -> None:
        focused = self.focused
        if isinstance(focused, VirtualTable) and focused.marked:
            focused.choose()
        elif isinstance(focused, VirtualTable):
            self._go_to(self.session.selection)
        elif isinstance(focused, DetailView):
            focused.follow()
        else:
            self.step(jump(lambda session: replace(session, pane="detail")))

    def action_scope(self) -> None:
        """Lists the scopes to choose from."""

        def take(scope: Scope | None) -> None:
            if scope is not None:
                self.step(jump(lambda session: scoping(session, scope)))

        self.app.push_screen(ScopeScreen(scope_menu(self.session)), take)

    def action_toggle_instances(self) -> None:
        pane = self.table
        if pane.pane.has_instances:
            pane.wants_instances = not pane.wants_instances
            self._toggle_instances(pane, self.session.slice)
        else:
            self.say(safe(f"{pane.pane.name}: nothing to toggle here"))

    @work(thread=True, group="instances", description="instances")
    def _toggle_instances(self, pane: TablePane, part: Slice) -> None:
        """The gaps of single streams are found on demand, away from the keys."""
        if pane.wants_instances:
            pane.pane.prepare(part)
        self.app.call_from_thread(pane.show_wanted)

    def action_bookmarks(self) -> None:
        if not self.session.bookmarks:
            self.say(safe("no bookmarks: m sets one"))
            return

        def go(number: int | None) -> None:
            if number is not None:
                self.step(jump(lambda session: marks.at_bookmark(session, number)))

        def rename(number: int, label: str) -> tuple[Bookmark, ...]:
            self.step(lambda session: marks.renamed(session, number, label))
            return self.session.bookmarks

        self.app.push_screen(BookmarksScreen(self.session.bookmarks, rename), go)

    def action_roofline(self) -> None:
        """The kernels of the scope under the device's roofs."""

        def go(kernel: EventAt | None) -> None:
            if kernel is not None:
                self._go_to(kernel)

        self.app.push_screen(RooflineScreen(self.session.slice, self.options.ascii), go)

    def action_compare(self) -> None:
        """Asks for the other trace and opens the two side by side."""
        self.post_message(self.CompareWanted(self.session.anew()))

    def copied_text(self, focused: Widget | None) -> str:
        """The row of the focused table, else the detail of what is selected."""
        if isinstance(focused, VirtualTable) and focused.marked:
            return focused.line_text
        if self.session.selection == NOTHING:
            return ""
        return plain(self.query_one(DetailView).items)

    def action_copy_to_file(self) -> None:
        text = self.copied_text(self.focused)
        if not text:
            self.say(safe("nothing selected to write"))
            return
        try:
            path = write_copy(self.session.trace.path, cleaned(text))
            self.say(safe(f"written to {path}"))
        except OSError as error:
            self.say(safe(f"not written: {error}"))

    def command_line(self) -> str:
        options = replace(self.options, maximised=self.has_class("-maximised"))
        return command_line(self.session, options, self._shown_tables())

    def _shown_tables(self) -> list[ShownTable]:
        """The tables on screen, the last used first."""
        panes = [self.query_one(f"#{name}", TablePane) for name in self._placed]
        return [
            ShownTable(pane.pane.name, pane.view, pane.instances, pane.scrolled.top)
            for pane in panes
            if pane.view
        ]

    def dismiss(self, result: None = None) -> AwaitComplete:
        self.tell_place()
        return super().dismiss(result)

    def tell_place(self) -> None:
        """Says where the trace is left, if that is another place than was said."""
        if not self._drawn:
            return
        maximised = self.has_class("-maximised")
        found = left(self.session, self._shown_tables(), maximised=maximised)
        if found != self._told:
            self._told = found
            self.leave(found)

    def action_reload(self) -> None:
        """Reads the file again and keeps the place; a failed load leaves all as it is."""
        path = self.session.trace.path
        if path.startswith(STANDARD_INPUT):
            self.say(safe("standard input cannot be read again"))
            return

        def done(loaded: Loaded | None) -> None:
            if loaded is not None and loaded.session is not None:
                self.session = reloaded(self.session, loaded.session).saying("reloaded")
                self.show_pane(self.last_pane)
                self._read_ahead()
                self.post_message(self.Reopened(self, loaded))
            elif loaded is not None and loaded.error:
                self.say(loaded.error)

        self.app.push_screen(LoadingScreen(path, self.options), done)

    def undo(self) -> bool:
        here = self.session
        before = marks.undone(here)
        if before is not None and not only_turned(here):
            self.step(lambda session: marks.undone(session) or session)
        elif self.table.view is not None and self.table.view.pattern:
            self.table.view = self.table.view.filtered("")
        elif (undone := marks.backed(self.session)) is not None:
            self.session = undone
        elif self.has_class("-maximised"):
            self.remove_class("-maximised")
        elif before is not None:
            self.step(lambda session: marks.undone(session) or session)
        else:
            return False
        return True
