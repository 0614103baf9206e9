"""What the main and the compare screen share: panes, the prompt, and keys for what has focus."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len
from rich.console import Group
from textual import events, on
from textual.widget import Widget

from attntui.safe import Safe, safe
from attntui.tui.screens.help import HelpScreen, LegendScreen
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.theme import colours_of
from attntui.tui.widgets.detail import DetailView
from attntui.tui.widgets.legend import legend_text
from attntui.tui.widgets.prompt import Prompt
from attntui.tui.widgets.status import BESIDE_HINTS, StatusLine
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.text import TextLine, cleaned
from attntui.tui.widgets.timeline import TimelineView
from attntui.view.options import Options
from attntui.view.patterns import BadPattern
from attntui.view.session import marks
from attntui.view.session.hints import has_no_effect, hint_line
from attntui.view.session.jumps import jump
from attntui.view.session.keys import ZOOM, Key, Step
from attntui.view.session.session import Session

FIRST_HINTS = 54
"""Cells for the hints that the first line always has: the pane's, help, panes, palette."""

TALL, VAST = 30, 50
"""Lines from which there is room for two tables, and for four."""

SMALL = safe("this terminal is under 60 x 15: enlarge it")


class PaneScreen(DismissedOnce[None]):
    """A screen of panes round sessions.

    Panes are the focusable widgets named in `panes`, in the order of Tab. `session` is the
    one that keys move. A title, a `StatusLine` and a `Prompt` must be there.
    """

    # The screen gives the focus itself. Textual's choice of the first widget may come before
    # that, and on a small screen would leave the pane asked for hidden.
    AUTO_FOCUS = ""
    # Esc undoes one thing, the innermost first: see `action_back`.
    ESCAPE_TO_MINIMIZE = False
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012, typed by Textual
        (0, "-flat"),
        (15, "-low"),
        (TALL, "-tall"),
        (VAST, "-vast"),
    ]

    keys: tuple[Key, ...] = ()
    panes: tuple[str, ...] = ()
    compares = False
    """Whether two traces stand side by side."""

    def __init__(self, options: Options, *, closable: bool) -> None:
        super().__init__()
        self.options = options.of_panes(self.panes)
        self.last_pane = self.panes[0]
        self._closable = closable
        self._said = (safe(""), False)

    # What the two screens do their own way

    @property
    def session(self) -> Session:
        """The session that keys move."""
        raise NotImplementedError

    def step(self, step: Step) -> None:
        """Replaces the session by the next one, at the width that its timeline has now."""
        raise NotImplementedError

    def say(self, text: Safe) -> None:
        """Puts a line where the user looks for answers."""
        raise NotImplementedError

    def point_at(self, table: VirtualTable) -> None:
        """What the row at a table's cursor stands for becomes what is selected."""

    def show_pane(self, name: str) -> None:
        """Brings a pane on screen, before it takes the focus."""

    def undo(self) -> bool:
        """Undoes the innermost thing of this screen; False when there was none."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self.set_class(self.options.maximised, "-maximised")
        self.call_after_refresh(self.first_drawn)

    def first_drawn(self) -> None:
        """Scrolls as the command line asks, now that it is known how much is on screen."""
        for name, rows in self.options.tops:
            self.query_one(f"#{name}", VirtualTable).scroll_to(y=rows, animate=False)

    @property
    def table(self) -> VirtualTable:
        """The table that sort and filter keys mean."""
        raise NotImplementedError

    def action_step(self, name: str) -> None:
        """What a key of the table does to the session."""
        step = next(key.step for key in self.keys if key.name == name)
        if step is not None:
            self.step(step)

    def does_nothing(self, key: Key) -> bool:
        """Whether a key would change nothing now."""
        here = key.name == f"pane({self.last_pane!r})"
        return here or has_no_effect(key, self.session)

    # Panes and focus

    def action_pane(self, name: str) -> None:
        """Shows a pane and gives it the focus."""
        self.focus_pane(name)

    def focus_pane(self, name: str) -> None:
        """The pane on screen and in focus; one that is not there is passed over."""
        if name in self.panes:
            self.last_pane = name
            self.show_pane(name)
            self.query_one(f"#{name}").focus()

    def action_next_pane(self) -> None:
        self._pane_beside(1)

    def action_previous_pane(self) -> None:
        self._pane_beside(-1)

    def _pane_beside(self, step: int) -> None:
        at = self.panes.index(self.last_pane)
        self.focus_pane(self.panes[(at + step) % len(self.panes)])

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        # Of several quick changes only the last holds.
        if event.widget is self.focused and event.widget.id in self.panes:
            self.last_pane = event.widget.id
            self.show_pane(self.last_pane)

    def on_resize(self) -> None:
        self.show_hints()
        # A terminal made too small hides all panes, and with them the focus.
        if self.focused is None:
            self.call_after_refresh(self._focus_any)

    def _focus_any(self) -> None:
        """The last pane has the focus where nothing has: by now a prompt may."""
        if self.focused is None:
            self.focus_pane(self.last_pane)

    def action_maximise(self) -> None:
        """The focused pane on the whole screen, under the same title and over the same status."""
        self.toggle_class("-maximised")

    def action_back(self) -> None:
        """Undoes one thing, the innermost first; never quits."""
        if self.undo():
            return
        if self.has_class("-maximised"):
            self.remove_class("-maximised")
        elif self._closable:
            self.dismiss()
        else:
            self.say(safe("nothing to undo: q quits"))

    def action_quit(self) -> None:
        """Closes a screen that was opened from another; the first one quits."""
        if self._closable:
            self.dismiss()
        else:
            self.app.exit()

    @property
    def legend(self) -> Group:
        """What colours and signs mean on this screen."""
        return legend_text(
            colours_of(self.app), ascii_only=self.options.ascii, compared=self.compares
        )

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(self.keys, self.last_pane, self.legend))

    def action_legend(self) -> None:
        self.app.push_screen(LegendScreen(self.legend))

    async def action_redraw(self) -> None:
        await self.app.run_action("app.redraw")

    def action_palette(self) -> None:
        self.app.action_command_palette()

    # Keys that mean what has the focus

    def action_row_up(self) -> None:
        self._rows(-1)

    def action_row_down(self) -> None:
        self._rows(1)

    def _rows(self, rows: int) -> None:
        focused = self.focused
        if isinstance(focused, VirtualTable):
            focused.move(rows)
        elif isinstance(focused, DetailView):
            focused.move_link(rows)
        else:
            self.step(lambda session: session.line_moved(rows))

    def action_page_up(self) -> None:
        self._pages(-1)

    def action_page_down(self) -> None:
        self._pages(1)

    def _pages(self, pages: int) -> None:
        focused = self.focused
        if isinstance(focused, VirtualTable):
            focused.page(pages)
        elif isinstance(focused, DetailView):
            focused.scroll_relative(y=pages * focused.size.height, animate=False)
        else:
            lines = focused.lane_lines if isinstance(focused, TimelineView) else 10
            self.step(lambda session: session.line_moved(pages * max(lines - 1, 1)))

    def action_go_start(self) -> None:
        self._go(first=True)

    def action_go_end(self) -> None:
        self._go(first=False)

    def _go(self, first: bool) -> None:
        focused = self.focused
        if isinstance(focused, VirtualTable):
            focused.go_to_end(first)
        elif isinstance(focused, DetailView):
            (focused.scroll_home if first else focused.scroll_end)(animate=False)
        else:
            view = self.session.timeline.viewport
            self.step(lambda session: session.cursor_to(view.low if first else view.high - 1))

    def action_sort_left(self) -> None:
        self._sort(-1)

    def action_sort_right(self) -> None:
        self._sort(1)

    def _sort(self, step: int) -> None:
        view = self.table.view
        if view is not None:
            self.table.view = view.sorted_beside(step)

    def action_sort_invert(self) -> None:
        view = self.table.view
        if view is not None:
            self.table.view = view.inverted()

    # The prompt

    def action_search(self) -> None:
        search = self.session.search
        text = search.pattern if search else ""
        self.query_one(Prompt).ask("search", text, "search names: a regular expression")

    def action_filter(self) -> None:
        view = self.table.view
        if view is not None:
            self.query_one(Prompt).ask("filter", view.pattern, "filter: a regular expression")

    @on(Prompt.Typed)
    def _typing(self, message: Prompt.Typed) -> None:
        if message.purpose == "filter":
            self._attempt(lambda: self._filter(message.text))

    @on(Prompt.Answered)
    def _answered(self, message: Prompt.Answered) -> None:
        """Takes an answer; the prompt stays open on one that is no regular expression."""

        def take() -> None:
            if message.purpose == "filter":
                self._filter(message.text)
            else:
                self.step(jump(lambda session: marks.searching(session, message.text)))

        if self._attempt(take):
            self.query_one(Prompt).close()
            self.focus_pane(self.last_pane)
            if message.purpose == "filter" and not self.table.marked:
                self.point_at(self.table)

    @on(Prompt.Dropped)
    def _dropped(self, message: Prompt.Dropped) -> None:
        """Back to what stood before the prompt."""
        if message.purpose == "filter":
            self._filter(message.before)
        if self.focused is None or isinstance(self.focused, Prompt):
            self.focus_pane(self.last_pane)

    def _filter(self, pattern: str) -> None:
        view = self.table.view
        if view is not None:
            self.table.view = view.filtered(pattern)

    def _attempt(self, act: Callable[[], None]) -> bool:
        try:
            act()
        except BadPattern as error:
            self.say(safe(str(error)))
            return False
        return True

    # Mouse

    @on(TimelineView.Wheel)
    def _wheel(self, message: TimelineView.Wheel) -> None:
        self.timeline_used(message.timeline)
        at, factor = message.at, 1 / ZOOM if message.direction > 0 else ZOOM
        lines = message.timeline.lane_lines
        if at is None:
            self.step(lambda session: session.lanes_scrolled(message.direction, lines))
        else:
            self.step(lambda session: session.zoomed_at(at, factor))

    @on(TimelineView.Clicked)
    def _clicked(self, message: TimelineView.Clicked) -> None:
        self.timeline_used(message.timeline)
        lines = message.line - self.session.timeline.line
        self.step(lambda session: session.line_moved(lines).cursor_to(message.at))

    @on(TimelineView.Dragged)
    def _dragged(self, message: TimelineView.Dragged) -> None:
        self.timeline_used(message.timeline)
        drawn = (message.start, message.end)
        step = marks.measured_between if message.ended else marks.measuring_range
        self.step(jump(lambda session: step(session, *drawn)))

    def timeline_used(self, timeline: TimelineView) -> None:
        """The timeline that the next session change is meant for."""

    # Copying

    def copied_text(self, focused: Widget | None) -> str:
        """What `y` copies when `focused` has the focus."""
        raise NotImplementedError

    def action_copy(self) -> None:
        text = self.copied_text(self.focused)
        if text:
            self.to_clipboard(text)
        self.say(safe("copied" if text else "nothing selected to copy"))

    def to_clipboard(self, text: str) -> None:
        """Lines of tab-separated cells for the terminal to keep; each cell is cleaned."""
        self.app.copy_to_clipboard(cleaned(text))

    def command_line(self) -> str:
        """The command that opens this view again."""
        raise NotImplementedError

    def action_copy_command(self) -> None:
        """The command line that opens this view, shown and copied."""
        text = self.command_line()
        self.to_clipboard(text)
        self.say(safe(f"copied: {text}"))

    def show_line(self, id: str, text: Safe) -> None:
        """The text of one of the lines that are always there."""
        self.query_one(f"#{id}", TextLine).show(text)

    def show_said(self, text: Safe, *, answered: bool) -> None:
        """The last line: what is selected or `answered`, then as many hints as there is room
        for. An answer is shown whole; beside anything else the first hints are.
        """
        self._said = text, answered
        room = self.size.width - cell_len(text) - BESIDE_HINTS
        if not answered:
            room = max(room, min(FIRST_HINTS, self.size.width - BESIDE_HINTS))
        hints = hint_line(self.keys, self.last_pane, max(room, 0))
        self.query_one(StatusLine).show(text, hints)

    def show_hints(self) -> None:
        """The hints anew, for another pane or another width."""
        text, answered = self._said
        self.show_said(text, answered=answered)
