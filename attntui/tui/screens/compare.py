"""The compare screen: scoreboard, two timelines, and what changed row by row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Static

from attntui.analysis.compare import Row, RowGroup
from attntui.tui.actions import SessionActions
from attntui.tui.bindings import bindings
from attntui.tui.screens.help import HelpScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.timeline import TimelineView
from attntui.view.compare_session import CompareSession
from attntui.view.compare_tables import (
    Change,
    changes,
    changes_table,
    groups_of,
    scoreboard_table,
)
from attntui.view.comparison import unit_words
from attntui.view.keys import COMPARE_KEYS
from attntui.view.options import Options
from attntui.view.safe import safe
from attntui.view.session import Session
from attntui.view.tables import BadPattern, TableView

HINTS = "J K unit  u kind of unit  t tie  W full width  o swap  Enter go  1 2 3 4 panes  ? help"


class CompareScreen(SessionActions, Screen[None]):
    """Owns the current `CompareSession`. Time keys move the side last used, and while the
    timelines are tied the other with it.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(COMPARE_KEYS)
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (118, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (15, "-low"), (30, "-tall")]  # noqa: RUF012
    CSS_PATH = "compare.tcss"

    compared: reactive[CompareSession] = reactive[CompareSession](None, init=False)  # type: ignore[arg-type]

    def __init__(
        self, compared: CompareSession, options: Options, *, closable: bool = False
    ) -> None:
        super().__init__()
        self.options = options
        self._closable = closable
        self._side = 0
        self._single = False
        self._groups: tuple[RowGroup, ...] = ()
        self._changes: tuple[Change, ...] = ()
        self.set_reactive(CompareScreen.compared, compared)

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static("this terminal is under 60 x 15: enlarge it", id="small", markup=False)
        yield Static(id="cautions", markup=False)
        with Container(id="timelines"):
            yield TimelineView(ascii_only=self.options.ascii, id="left")
            yield TimelineView(ascii_only=self.options.ascii, id="right")
        with Container(id="tables"):
            yield VirtualTable(id="scoreboard")
            yield VirtualTable(id="rows")
        yield Prompt(id="prompt")
        with Container(id="status"):
            yield Static(id="said", markup=False)
            yield Static(HINTS, id="hints", markup=False)

    def on_mount(self) -> None:
        self._show_tables()
        self.watch_compared(self.compared)
        self.action_pane("rows")

    # The session that the keys move: the side last used

    @property
    def session(self) -> Session:
        return self.compared.sessions[self._side]

    @session.setter
    def session(self, session: Session) -> None:
        self._move(lambda _: session)

    def _move(self, move: Callable[[Session], Session]) -> None:
        self.compared = self.compared.moved(self._side, move)

    def watch_compared(self, compared: CompareSession) -> None:
        for side, timeline in enumerate(self._timelines):
            session = compared.sessions[side]
            scrolled = session.timeline.scrolled(session.tracks, timeline.lane_lines)
            timeline.heading = compared.heading(side)
            timeline.session = session.with_timeline(scrolled)
        choice = unit_words(compared.comparison.choice)
        self.query_one("#title", Static).update(f"A against B, compared by {choice}")
        cautions = "   ".join(f"{c.what}: {c.a} / {c.b}" for c in compared.comparison.cautions)
        shown = self.query_one("#cautions", Static)
        shown.display = bool(cautions)
        shown.update(f"caution, these differ: {safe(cautions)}")
        self._say(compared.said or self._selected_text())

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(text)

    def _selected_text(self) -> str:
        words = []
        for letter, session in zip("AB", self.compared.sessions, strict=True):
            event = session.event
            words.append(f"{letter}: {'-' if event is None else session.document.short_of(event)}")
        return "   ".join(words)

    @property
    def _timelines(self) -> tuple[TimelineView, TimelineView]:
        return self.query_one("#left", TimelineView), self.query_one("#right", TimelineView)

    def _show_tables(self) -> None:
        comparison = self.compared.comparison
        rows, scoreboard = self._table("rows"), self._table("scoreboard")
        self._groups = groups_of(comparison.rows, self._single)
        self._changes = changes(self._groups)
        for table, made, sort, descending in (
            (rows, changes_table(self._changes, self._groups), 0, True),
            (scoreboard, scoreboard_table(comparison), 0, False),
        ):
            view = table.view
            table.view = TableView.of(made, sort, descending) if view is None else view.over(made)
        alike = "" if self._single else f" in {len(self._groups)} groups"
        rows.border_title = f"What changed ─ {len(comparison.rows)} rows{alike}"
        scoreboard.border_title = "Scoreboard"

    def _table(self, name: str) -> VirtualTable:
        return self.query_one(f"#{name}", VirtualTable)

    @work(thread=True, exclusive=True)
    def _recompare(self, change: Callable[[CompareSession], CompareSession]) -> None:
        """Other units to compare: aligning many operations takes a while, keys go on."""
        before = self.compared
        changed = change(before)
        self.app.call_from_thread(self._replace, before, changed)

    def _replace(self, before: CompareSession, changed: CompareSession) -> None:
        """Shows another comparison, unless the user has asked for a further one meanwhile."""
        if self.compared.comparison is not before.comparison:
            return
        self.compared = changed
        if changed.comparison is not before.comparison:
            self._show_tables()

    # What widgets say

    @on(TimelineView.Resized)
    def _resized(self, message: TimelineView.Resized) -> None:
        self.compared = self.compared.resized(self._side_of(message.timeline), message.width)

    def _side_of(self, timeline: TimelineView) -> int:
        return int(timeline.id == "right")

    @on(TimelineView.Clicked)
    def _clicked(self, message: TimelineView.Clicked) -> None:
        self._side = self._side_of(message.timeline)
        lines = message.line - self.session.timeline.line
        self._move(lambda session: session.line_moved(lines).cursor_to(message.at))

    @on(TimelineView.Wheel)
    def _wheel(self, message: TimelineView.Wheel) -> None:
        self._side = self._side_of(message.timeline)
        self._move(lambda session: session.zoomed(2.0 if message.direction > 0 else 0.5))

    def on_descendant_focus(self) -> None:
        if isinstance(self.focused, TimelineView):
            self._side = self._side_of(self.focused)
        self.set_class(self.focused is self._table("scoreboard"), "-scoreboard")

    @on(VirtualTable.Highlighted, "#rows")
    def _highlighted(self, message: VirtualTable.Highlighted) -> None:
        row = self._row
        if row is not None:
            self.compared = self.compared.pointing_at(row)

    @property
    def _row(self) -> Row | None:
        """The comparison's row at the table's cursor, the first of a group."""
        at = self._table("rows").row
        return None if at is None else self._groups[self._changes[at].group].rows[0]

    @on(Prompt.Answered)
    def _answered(self, message: Prompt.Answered) -> None:
        rows = self._table("rows")
        if message.final:
            rows.focus()
        if rows.view is not None:
            try:
                rows.view = rows.view.filtered(message.text or "")
            except BadPattern as error:
                self._say(str(error))

    # Keys

    def action_pane(self, name: str) -> None:
        widget = self.query_one(f"#{name}")
        self.set_class(name == "scoreboard", "-scoreboard")
        widget.focus()

    def action_row_up(self) -> None:
        self._line(-1)

    def action_row_down(self) -> None:
        self._line(1)

    def _line(self, lines: int) -> None:
        if isinstance(self.focused, VirtualTable):
            self.focused.move(lines)
        else:
            self._move(lambda session: session.line_moved(lines))

    def action_page_up(self) -> None:
        self._page(-1)

    def action_page_down(self) -> None:
        self._page(1)

    def _page(self, pages: int) -> None:
        if isinstance(self.focused, VirtualTable):
            self.focused.page(pages)
        else:
            lines = self._timelines[self._side].lane_lines
            self._line(pages * max(lines - 1, 1))

    def action_go_start(self) -> None:
        self._go(first=True)

    def action_go_end(self) -> None:
        self._go(first=False)

    def _go(self, first: bool) -> None:
        focused = self.focused
        if isinstance(focused, VirtualTable) and focused.view is not None:
            focused.go(0 if first else len(focused.view) - 1)
        else:
            view = self.session.timeline.viewport
            self._move(lambda session: session.cursor_to(view.low if first else view.high - 1))

    def action_accept(self) -> None:
        if isinstance(self.focused, TimelineView):
            self.app.push_screen(MainScreen(self._alone(), self.options, closable=True))
        elif self.focused is self._table("rows") and self._row is not None:
            self.compared = self.compared.going_to(self._row)

    def _alone(self) -> Session:
        """The side last used as a session of its own, at the same place."""
        here = self.session.timeline
        session = Session.of(self.session.document)
        view = session.timeline.viewport.showing(here.viewport.t0, here.viewport.t1, margin=0.0)
        moved = session.with_timeline(replace(session.timeline, viewport=view))
        return moved if here.event is None else moved.selecting(here.event)

    def action_next_unit(self) -> None:
        self._recompare(lambda compared: compared.unit_moved(1))

    def action_previous_unit(self) -> None:
        self._recompare(lambda compared: compared.unit_moved(-1))

    def action_next_choice(self) -> None:
        self._recompare(CompareSession.choice_moved)

    def action_swap(self) -> None:
        self._recompare(CompareSession.swapped)

    def action_tie(self) -> None:
        self.compared = self.compared.toggled_tie(self._side)

    def action_full_width(self) -> None:
        self.compared = self.compared.toggled_full_width()

    @property
    def _sorted(self) -> VirtualTable:
        return self.focused if isinstance(self.focused, VirtualTable) else self._table("rows")

    def action_sort_left(self) -> None:
        self._sort(-1)

    def action_sort_right(self) -> None:
        self._sort(1)

    def _sort(self, step: int) -> None:
        view = self._sorted.view
        if view is not None:
            self._sorted.view = view.sorted_by(view.sort + step)

    def action_sort_invert(self) -> None:
        view = self._sorted.view
        if view is not None:
            self._sorted.view = view.inverted()

    def action_toggle_instances(self) -> None:
        self._single = not self._single
        self._show_tables()

    def action_filter(self) -> None:
        view = self._table("rows").view
        if view is not None:
            self.query_one(Prompt).ask("filter", view.pattern, "filter rows: a regular expression")

    def action_copy(self) -> None:
        focused = self.focused
        text = focused.line_text if isinstance(focused, VirtualTable) else self._selected_text()
        self.app.copy_to_clipboard(text)
        self.notify("copied")

    def action_maximise(self) -> None:
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            self.maximize(self.focused)

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(COMPARE_KEYS))

    def action_palette(self) -> None:
        self.app.action_command_palette()

    def action_back(self) -> None:
        """Undoes one thing, the innermost first; never quits."""
        rows = self._table("rows")
        if rows.view is not None and rows.view.pattern:
            rows.view = rows.view.filtered("")
        elif self.maximized is not None:
            self.minimize()
        elif self._closable:
            self.dismiss()

    def action_quit(self) -> None:
        self.app.exit()
