"""A table of any length: only the rows on screen become text."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from attntui.safe import Safe, safe
from attntui.tui.widgets.text import segment
from attntui.view.session.selection import Selection
from attntui.view.tables.order import Layout, TableView, header, layout, line


class VirtualTable(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a `TableView`; the header stays, the cursor is a row.

    Moving the cursor posts `Highlighted`, Enter (bound by the screen) posts `Chosen`.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--header",
        "table--cursor",
        "table--cursor-blurred",
        "table--empty",
    }
    DEFAULT_CSS = """
    VirtualTable {
        height: 1fr;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        & > .table--header { text-style: bold; color: $text-muted; }
        & > .table--cursor { background: $primary; color: $text; text-style: bold; }
        & > .table--cursor-blurred { background: $surface-lighten-2; }
        & > .table--empty { color: $text-muted; }
    }
    """

    cursor: reactive[int] = reactive(0, repaint=False)
    marked: reactive[bool] = reactive(True, repaint=False)
    """Whether the cursor's row is what is selected; without that no row is marked."""
    view: reactive[TableView | None] = reactive(None, always_update=True, repaint=False)
    pending = False
    """Whether the cursor was moved and whoever selects has not answered yet."""

    class Highlighted(Message):
        """The cursor stands on another row: `moved` there, or left there by a new view."""

        def __init__(self, table: VirtualTable, moved: bool) -> None:
            super().__init__()
            self.table = table
            self.moved = moved

        @property
        def control(self) -> VirtualTable:
            return self.table

    class Chosen(Message):
        """Enter on a row."""

        def __init__(self, table: VirtualTable) -> None:
            super().__init__()
            self.table = table

    _width = 0
    _style = Style()
    _columns: Layout | None = None

    @property
    def row(self) -> int | None:
        """The row of the underlying table at the cursor."""
        if self.view is None or not len(self.view):
            return None
        return int(self.view.order[min(self.cursor, len(self.view) - 1)])

    @property
    def rows_on_screen(self) -> list[int]:
        """The rows of the underlying table that are on screen, from the top."""
        if self.view is None:
            return []
        top = round(self.scroll_offset.y)
        shown: list[int] = self.view.order[top : top + max(self.size.height - 1, 0)].tolist()
        return shown

    @property
    def target(self) -> Selection | None:
        """What the row at the cursor stands for."""
        row = self.row
        return None if self.view is None or row is None else self.view.table.target(row)

    @property
    def line_text(self) -> str:
        """The row at the cursor under a header, as tab-separated text: every column in full
        but those that are only drawn.
        """
        row = self.row
        if self.view is None or row is None or not self.marked:
            return ""
        columns = [column for column in self.view.columns if column.key]
        header = "\t".join(column.title or column.key for column in columns)
        return f"{header}\n" + "\t".join(column.text(row).strip() for column in columns)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """All rows and the header, so that a short table leaves its room to others."""
        return 2 if self.view is None else max(len(self.view), 1) + 1

    def validate_cursor(self, cursor: int) -> int:
        last = len(self.view) - 1 if self.view is not None else 0
        return min(max(cursor, 0), max(last, 0))

    def watch_view(self, old: TableView | None, view: TableView | None) -> None:
        self.virtual_size = Size(0, len(view) + 1 if view is not None else 1)
        kept: int | None = self.cursor
        row: int | None = None
        if old is not None and view is not None and old.table is view.table and len(old):
            row = int(old.order[min(self.cursor, len(old) - 1)])
            kept = view.position_of(row)
        self.set_reactive(VirtualTable.cursor, self.validate_cursor(kept or 0))
        if row is not None:
            self.set_reactive(VirtualTable.marked, self.marked and kept is not None)
        self._show_cursor()
        self.refresh(layout=_rows_of(old) != _rows_of(view))
        if self.has_focus and row is not None and self.row != row:
            # The filter hides the row: the first one that it shows takes its place.
            self._say(moved=False)

    def _say(self, *, moved: bool) -> None:
        self.pending = True
        self.post_message(self.Highlighted(self, moved=moved))

    def watch_cursor(self, old: int, cursor: int) -> None:
        self._show_cursor()
        self._draw_row(old)
        self._draw_row(cursor)

    def watch_marked(self) -> None:
        self._draw_row(self.cursor)

    def _draw_row(self, position: int) -> None:
        """Has one row drawn anew."""
        self.refresh_line(position + 1)

    def on_resize(self, event: events.Resize) -> None:
        if self.marked:
            self._show_cursor()

    def _show_cursor(self) -> None:
        if not self.size.height:
            # How many rows there is room for is not known yet.
            return
        rows = max(self.size.height - 1, 1)
        top = round(self.scroll_offset.y)
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif self.cursor >= top + rows:
            self.scroll_to(y=self.cursor - rows + 1, animate=False)

    def move(self, rows: int) -> None:
        """Moves the cursor and says so."""
        self.go(self.cursor + rows)

    def go(self, position: int) -> None:
        """Puts the cursor on a position and says so."""
        if self.row is None:
            return
        before = self.cursor, self.marked
        self.cursor, self.marked = position, True
        if (self.cursor, self.marked) != before:
            self._say(moved=True)

    def go_to_end(self, first: bool) -> None:
        """The cursor on the first or the last row."""
        self.go(0 if first or self.view is None else len(self.view) - 1)

    def page(self, pages: int) -> None:
        self.move(pages * max(self.size.height - 2, 1))

    def choose(self) -> None:
        """What Enter does on a row that is selected."""
        if self.marked and self.row is not None:
            self.post_message(self.Chosen(self))

    def select_row(self, row: int | None) -> bool:
        """The cursor on a row of the table, without a message. No row is marked where there
        is none such, or the filter hides it.
        """
        position = None if self.view is None or row is None else self.view.position_of(row)
        self.marked = position is not None
        if position is not None:
            self.cursor = position
        return self.marked

    @property
    def _text_width(self) -> int:
        """Cells for text: all but the scrollbar."""
        return self.scrollable_content_region.width

    def _plan(self, view: TableView) -> Layout:
        """The columns as they stand beside the mark of the cursor's row."""
        return layout(view.columns, self._text_width - 1)

    def render_lines(self, crop: Region) -> list[Strip]:
        # What all lines share is found once a frame.
        self._width = self._text_width
        self._style = self.rich_style
        self._columns = None if self.view is None else self._plan(self.view)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        width, style, view, plan = self._width, self._style, self.view, self._columns
        if view is None or plan is None:
            return Strip.blank(width, style)
        if y == 0:
            return self._strip(header(view, plan), self.get_component_rich_style("table--header"))
        position = round(self.scroll_offset.y) + y - 1
        if not len(view) and y == 1:
            none = (
                safe(f"no match for /{view.pattern}/: Esc drops the filter")
                if view.pattern
                else view.table.empty
            )
            return self._strip(none, self.get_component_rich_style("table--empty"))
        if position >= len(view):
            return Strip.blank(width, style)
        here = self.marked and position == self.cursor
        if here:
            name = "table--cursor" if self.has_focus else "table--cursor-blurred"
            style = self.get_component_rich_style(name)
        return self._strip(line(view, position, plan), style, here)

    def _strip(self, text: Safe, style: Style, here: bool = False) -> Strip:
        mark = safe("▸" if here else " ")
        return Strip([segment(mark, style), segment(text, style)]).adjust_cell_length(
            self._width, style
        )

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if at is None or self.view is None:
            return
        if at.y:
            self.go(round(self.scroll_offset.y) + at.y - 1)
            if event.chain > 1:
                self.choose()
        elif (column := self._plan(self.view).column_at(at.x - 1)) is not None:
            self.view = self.view.turned_by(column)


def _rows_of(view: TableView | None) -> int | None:
    return None if view is None else len(view)
