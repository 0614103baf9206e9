"""The compare screen: verdict, two timelines with the tie between them, and what changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget

from attntui.analysis.compare import Comparison
from attntui.safe import Safe, safe
from attntui.tui.bindings import bindings
from attntui.tui.screens.base import SMALL, PaneScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.status import StatusLine
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.text import Block, TextLine, rows, set_title
from attntui.tui.widgets.tie import TieLine
from attntui.tui.widgets.timeline import TimelineView
from attntui.view.drawing.compared import ComparedUnit
from attntui.view.options import COMPARE_PANES, COMPARE_TABLES, Options
from attntui.view.patterns import BadPattern
from attntui.view.session.compare_session import CompareSession, Request
from attntui.view.session.keys import COMPARE_KEYS, Step, pane_title
from attntui.view.session.reopen import ShownTable
from attntui.view.session.reopen_compared import command_line
from attntui.view.session.session import Session
from attntui.view.tables.changes import Ends, changes_table
from attntui.view.tables.order import Arrangement, TableView
from attntui.view.tables.scoreboard import scoreboard_table
from attntui.view.words.comparison import (
    caution_lines,
    pair_line,
    trace_words,
    unit_place,
    verdict_lines,
)

VERDICT_LINES, CAUTION_LINES = 3, 2
"""In 80 columns the verdict's five figures take three lines, in 200 one."""

SHORT = 20
"""Under so many lines the verdict and the cautions have one of them each."""

TABLE_LINES = {False: 4, True: 2}
"""Lines that a table has at least, its header among them; fewer where the screen is short."""

LANE_LINES = 3
"""Axis, strip and a lane: less is no timeline."""


class CompareScreen(PaneScreen):
    """Owns the current `CompareSession`. Time keys move the side last used, and while the
    timelines are tied the other with it.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings(COMPARE_KEYS)
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (118, "-wide"), (150, "-huge")]  # noqa: RUF012
    CSS_PATH = "compare.tcss"

    keys = COMPARE_KEYS
    compares = True
    panes = COMPARE_PANES

    def __init__(
        self, compared: CompareSession, options: Options, *, closable: bool = False
    ) -> None:
        super().__init__(options, closable=closable)
        self._compared = compared
        self._side = 0
        self._wanted = compared.request
        self._aligning = False
        self._single = "rows" in self.options.instances
        self._shown = compared.comparison
        self._changes = changes_table(compared.comparison)

    def compose(self) -> ComposeResult:
        yield Block(id="title")
        yield TextLine(id="pairing")
        yield TextLine(SMALL, id="small")
        yield Block(id="cautions")
        with Container(id="timelines"):
            yield TimelineView(ascii_only=self.options.ascii, id="left")
            yield TieLine(id="tie")
            yield TimelineView(ascii_only=self.options.ascii, id="right")
        with Container(id="tables"):
            yield VirtualTable(id="scoreboard")
            yield VirtualTable(id="rows")
        yield Prompt(id="prompt")
        yield StatusLine()

    def on_mount(self) -> None:
        self._show_tables()
        said = next(self._arrange_tables(), self.compared.said)
        if self.options.select is None and self.options.at is None:
            # The largest change first, before any row is looked for by what is selected.
            self._point()
        self.say(said)
        self.focus_pane(self.options.pane or ("rows" if self._changes.groups else "scoreboard"))

    def first_drawn(self) -> None:
        super().first_drawn()
        self._show_head()
        self.call_after_refresh(self._scroll)

    def _scroll(self) -> None:
        self.compared = self.compared

    def _arrange_tables(self) -> Iterator[Safe]:
        """Sorts, filters and points as the command line asks; says why where it cannot."""
        sorts, filters = dict(self.options.sorts), dict(self.options.filters)
        for name in COMPARE_TABLES:
            table, view = self._table(name), self._table(name).view
            if view is None or not (name in sorts or name in filters):
                continue
            wanted = Arrangement.asked(sorts.get(name), filters.get(name, ""))
            try:
                table.view = TableView.arranged(view.table, wanted)
            except BadPattern as error:
                yield safe(str(error))
        for name, row in self.options.rows:
            self._table(name).cursor = row

    # The comparison on screen

    @property
    def compared(self) -> CompareSession:
        return self._compared

    @compared.setter
    def compared(self, compared: CompareSession) -> None:
        sides = []
        for session, timeline in zip(compared.sessions, self._timelines, strict=True):
            # Of a timeline that is not on screen it is not known how many lines it has.
            lines = timeline.lane_lines if timeline.size.height else None
            sides.append(session if lines is None else session.lanes_on_screen(lines))
        self._compared = replace(compared, sessions=(sides[0], sides[1]))
        self._show()

    @property
    def session(self) -> Session:
        """The side last used: what the keys of time and lanes move."""
        return self.compared.sessions[self._side]

    def step(self, step: Step) -> None:
        self.compared = self._at_width.moved(self._side, step)

    @property
    def _at_width(self) -> CompareSession:
        """The comparison at the widths that its timelines have now."""
        (left, a), (right, b) = zip(self._timelines, self.compared.sessions, strict=True)
        return self.compared.resized((left.cells or a.width, right.cells or b.width))

    def _show(self) -> None:
        compared = self.compared
        comparison = compared.comparison
        for side, timeline in enumerate(self._timelines):
            name, unit = ("left", "right")[side], compared.sides[side]
            title = safe(f"{'AB'[side]} {unit_place(unit)}")
            timeline.heading = pane_title(COMPARE_KEYS, name, title)
            timeline.trailing = trace_words(unit)
            answered = comparison.answered[side]
            timeline.unit = ComparedUnit(unit.span[0], answered, side)
            timeline.beside = compared.sessions[1 - side].tracks
            timeline.session = compared.sessions[side]
        self.query_one(TieLine).show(compared)
        self._show_head()
        self.show_said(compared.said or compared.selection_text, answered=bool(compared.said))
        self._locate()

    def _show_head(self) -> None:
        """The lines above the timelines, and these as high as leaves room for a table."""
        comparison, height = self.compared.comparison, self.size.height
        width, short = max(self.size.width - 2, 1), height < SHORT
        verdict = verdict_lines(comparison, width, 1 if short else VERDICT_LINES)
        cautions = caution_lines(comparison, width, 1 if short else CAUTION_LINES)
        self.query_one("#title", Block).show(rows(verdict))
        self.show_line("pairing", pair_line(comparison, width))
        self.query_one("#cautions", Block).show(rows(cautions))
        self.query_one("#cautions").display = bool(cautions)
        # The other lines are the pairing, the tie and the status.
        taken = len(verdict) + len(cautions) + 3 + TABLE_LINES[short]
        for timeline in self._timelines:
            # The table has as many lines for its edges as a timeline.
            edges = timeline.gutter.height
            timeline.most_lines = max((height - taken - edges) // 2 - edges, LANE_LINES)

    def on_resize(self) -> None:
        super().on_resize()
        self._show_head()
        # The edges of a timeline are known once the classes of the new size hold.
        self.call_after_refresh(self._show_head)

    def say(self, text: Safe) -> None:
        self.compared = replace(self.compared, said=text)

    @property
    def _timelines(self) -> tuple[TimelineView, TimelineView]:
        return self.query_one("#left", TimelineView), self.query_one("#right", TimelineView)

    def _show_tables(self) -> None:
        comparison = self.compared.comparison
        rows, scoreboard = self._table("rows"), self._table("scoreboard")
        self._changes = changes_table(comparison, self._single)
        self._shown = comparison
        for table, made in (
            (rows, self._changes.table),
            (scoreboard, scoreboard_table(comparison)),
        ):
            table.view = TableView.of(made) if table.view is None else table.view.over(made)
        alike = "" if self._single else f" in {len(self._changes.groups)} groups"
        changed = pane_title(COMPARE_KEYS, "rows", "What changed")
        set_title(rows, safe(f"{changed} ─ {len(comparison.rows)} rows{alike}"))
        # One with no rows gives its room to the other.
        self.set_class(not comparison.rows, "-rowless")
        set_title(scoreboard, pane_title(COMPARE_KEYS, "scoreboard"))

    def _table(self, name: str) -> VirtualTable:
        return self.query_one(f"#{name}", VirtualTable)

    @property
    def table(self) -> VirtualTable:
        return self._table("scoreboard" if self.last_pane == "scoreboard" else "rows")

    # What widgets say

    def _side_of(self, timeline: TimelineView) -> int:
        return int(timeline.id == "right")

    def timeline_used(self, timeline: TimelineView) -> None:
        self._side = self._side_of(timeline)

    def show_pane(self, name: str) -> None:
        if name in ("left", "right"):
            self._side = int(name == "right")
        self.set_class(name == "scoreboard", "-scoreboard")
        self.set_class(name in ("left", "right"), "-timeline")
        self.show_hints()

    @on(VirtualTable.Highlighted, "#rows")
    def _highlighted(self, message: VirtualTable.Highlighted) -> None:
        said = self.compared.said
        message.table.pending = False
        self._point()
        if not message.moved:
            self.say(said)

    def point_at(self, table: VirtualTable) -> None:
        if table is self._table("rows"):
            self._point()

    def _point(self) -> None:
        if (ends := self._ends) is not None:
            self.compared = self._at_width.pointing_at(ends)

    def _locate(self) -> bool:
        """Puts the rows' cursor where what is selected on both sides stands, if it does."""
        table = self._table("rows")
        if table.pending:
            return True
        ends = self.compared.ends
        line = table.row if self._ends == ends else self._changes.line_of(ends)
        return table.select_row(line)

    @property
    def _ends(self) -> Ends | None:
        """What the line at the table's cursor stands for on both sides."""
        row = self._table("rows").row
        return None if row is None else self._changes.ends[row]

    # Other units: asked for at once, answered when the traces are aligned

    def _ask(self, wanted: Request | None) -> None:
        if wanted is None:
            self.say(safe("no further unit"))
            return
        self._wanted = wanted
        self.say(safe("aligning …"))
        self._want_comparison()

    def _want_comparison(self) -> None:
        """Has what is wanted aligned, one request after the other however fast they come."""
        if not self._aligning and self._wanted != self.compared.request:
            self._aligning = True
            self._align(self.compared, self._wanted)

    @work(thread=True, group="aligning", description="aligning")
    def _align(self, compared: CompareSession, wanted: Request) -> None:
        comparison = compared.answer(wanted)
        self.app.call_from_thread(self._take, compared.analysed, wanted, comparison)

    def _take(self, analysed: object, wanted: Request, comparison: Comparison) -> None:
        """Shows what was asked for, unless something else has been asked for since."""
        self._aligning = False
        if wanted == self._wanted and analysed == self.compared.analysed:
            self.compared = self.compared.with_comparison(comparison)
            self._wanted = self.compared.request
            self._show_tables()
            self._point()
        else:
            self._want_comparison()

    def action_next_unit(self) -> None:
        self._ask(self.compared.next_unit(self._wanted, 1))

    def action_previous_unit(self) -> None:
        self._ask(self.compared.next_unit(self._wanted, -1))

    def action_next_choice(self) -> None:
        self._ask(self.compared.next_choice(self._wanted))

    def action_swap(self) -> None:
        self._go_to(self.compared.swapped())

    def action_tie(self) -> None:
        self.compared = self.compared.toggled_tie(self._side)

    def action_full_width(self) -> None:
        self.compared = self.compared.toggled_full_width()

    def action_fit_all(self) -> None:
        self.compared = self._at_width.fitted(self._side)

    def action_fit_selection(self) -> None:
        self.compared = self._at_width.fitted_to_selection(self._side)

    def action_go_back(self) -> None:
        self._go_to(self.compared.back())

    def action_go_forward(self) -> None:
        self._go_to(self.compared.forward())

    def _go_to(self, place: CompareSession) -> None:
        """Another view, perhaps of other units."""
        self.compared = place
        self._wanted = place.request
        if place.comparison is not self._shown:
            self._show_tables()
            self._locate()

    def action_toggle_instances(self) -> None:
        self._single = not self._single
        self._show_tables()
        if not self._locate():
            self._point()

    def action_accept(self) -> None:
        if isinstance(self.focused, TimelineView):
            options = replace(self.options.drawing, pane="timeline")
            self.app.push_screen(MainScreen(self._alone(), options, closable=True))
        elif self.focused is self._table("rows") and self._table("rows").marked:
            ends = self._ends or (None, None)
            self.compared = self._at_width.going_to(ends, self._side)

    def _alone(self) -> Session:
        """The side last used as a session of its own, at the same place."""
        here, fresh = self.session, self.session.anew()
        view = here.timeline.viewport
        shown = fresh.timeline.viewport.showing(view.t0, view.t1, margin=0.0)
        moved = fresh.showing(shown)
        return moved if here.event is None else moved.selecting(here.event)

    def copied_text(self, focused: Widget | None) -> str:
        """The row of the focused table, else what is selected on both sides."""
        if isinstance(focused, VirtualTable) and focused.marked:
            return focused.line_text
        return self.compared.selection_text

    def command_line(self) -> str:
        tables = list(filter(None, map(self._shown_table, COMPARE_TABLES)))
        options = replace(self.options, maximised=self.has_class("-maximised"))
        return command_line(self.compared, options, self.last_pane, tables)

    def _shown_table(self, name: str) -> ShownTable | None:
        """How a table is seen; its cursor where that does not follow from what is selected."""
        table = self._table(name)
        if table.view is None:
            return None
        line = self._changes.line_of(self.compared.ends) if name == "rows" else 0
        row = table.cursor if table.marked and table.row != line else None
        instances, top = name == "rows" and self._single, round(table.scroll_offset.y)
        return ShownTable(name, table.view, instances, top, row)

    def undo(self) -> bool:
        view = self.table.view
        if view is not None and view.pattern:
            self.table.view = view.filtered("")
        elif self.session.search is not None:
            self.step(lambda session: replace(session, search=None))
        elif self.compared.jumps.past and not self.has_class("-maximised"):
            self.action_go_back()
        else:
            return False
        return True
