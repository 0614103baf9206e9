"""A table pane: a virtual table kept in step with the session."""

from __future__ import annotations

from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.text import set_title
from attntui.view.panes import Pane, Shown
from attntui.view.patterns import compile_pattern
from attntui.view.session.places import Scrolled
from attntui.view.session.session import Session
from attntui.view.tables.ops import Path
from attntui.view.tables.order import Arrangement, TableView, drawn_columns


class TablePane(VirtualTable):
    """Shows one `Pane` of the session; order and filter outlive a change of scope."""

    def __init__(self, pane: Pane) -> None:
        super().__init__(id=pane.name)
        self.pane = pane
        self.instances = False
        self.wants_instances = False
        self.opened: frozenset[Path] = frozenset()
        self.shown = False
        self._made_of: object = None
        self._session: Session | None = None
        self._arrangement: Arrangement | None = None

    def show(self, session: Session) -> None:
        """The pane for a session; the table is made again only when what it shows changed."""
        if self._session is not None and session.analysed is not self._session.analysed:
            self.opened = frozenset()
        self._session = session
        shown = Shown(self.instances, self.opened)
        made_of = (self.pane.depends(session), shown)
        if not self.shown:
            if made_of != self._made_of and self.view is not None:
                # What is not on screen must not keep an old trace in memory.
                self._arrangement, self._made_of, self.view = self.view.arrangement, None, None
            return
        if made_of != self._made_of:
            self._made_of = made_of
            table = self.pane.table(session, shown)
            view = self.view
            if view is None or len(view.columns) != len(drawn_columns(table)):
                wanted = self._arrangement if view is None else view.arrangement
                self.view = (
                    TableView.of(table) if wanted is None else TableView.arranged(table, wanted)
                )
            else:
                self.view = view.over(table)
        self._title()

    def locate(self, session: Session) -> bool:
        """Puts the cursor where the selection is; False where the table does not hold it."""
        if self.view is None:
            return False
        if self.pending:
            return True
        if self.target == session.selection:
            return self.select_row(self.row)
        return self.select_row(self.view.table.row_of(session.selection))

    def open_as(self, *, column: str | None, pattern: str, instances: bool) -> None:
        """Has the table shown by a column (`-` before one that is sorted downwards) and through
        a filter, before it is first shown. Raises BadPattern.
        """
        compile_pattern(pattern)
        self.instances = self.wants_instances = instances and self.pane.has_instances
        if column is not None or pattern:
            self._arrangement = Arrangement.asked(column, pattern)

    @property
    def arrangement(self) -> Arrangement | None:
        """How the table is seen, or will be when it is shown again; None in its first order."""
        return self._arrangement if self.view is None else self.view.arrangement

    @property
    def scrolled(self) -> Scrolled:
        """Where the table stands now."""
        return Scrolled(self.pane.name, self.cursor, round(self.scroll_offset.y))

    def scroll_as(self, place: Scrolled) -> None:
        """Where it stood before; a row that is marked is what is selected, and stays."""
        if not self.marked:
            self.cursor = place.row
        self.scroll_to(y=place.top, animate=False)

    def show_wanted(self) -> None:
        """By name or single instances, as was asked for last."""
        if self._session is not None and self.instances != self.wants_instances:
            self.instances = self.wants_instances
            self.show(self._session)

    def open_row(self, wanted: bool | None) -> None:
        """Opens the row at the cursor, or closes it; None does whichever it is not."""
        row, view = self.row, self.view
        if row is None or view is None or self._session is None:
            return
        path = view.table.paths[row]
        is_open = path in self.opened
        if wanted is False and not is_open and len(path) > 1:
            path, is_open = path[:-1], True
        if wanted is not is_open:
            self.opened = self.opened ^ {path}
        self.show(self._session)
        if self.view is not None:
            self.go(self.view.position_of(list(self.view.table.paths).index(path)) or 0)

    def watch_view(self, old: TableView | None, view: TableView | None) -> None:
        super().watch_view(old, view)
        if self._session is not None:
            self.locate(self._session)
        self._title()

    def _title(self) -> None:
        if self._session is not None and self.view is not None:
            set_title(self, self.pane.title_text(self._session, self.view))
