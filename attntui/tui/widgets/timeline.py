"""The timeline pane: axis, minimap and lanes of the current session, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from attntui.safe import Safe, safe
from attntui.tui.theme import (
    COMPARED,
    LINKED,
    SELECTED,
    TRACK_PAINT,
    Colours,
    colours_of,
    event_style,
    marked_style,
)
from attntui.tui.widgets.text import segment, set_subtitle, set_title
from attntui.view.drawing.compared import ComparedUnit
from attntui.view.drawing.frame import (
    COMPARED_PART,
    GUTTER,
    GUTTER_PART,
    Frame,
    gutter_cells,
)
from attntui.view.drawing.pieces import Mark, Piece
from attntui.view.drawing.raster import Shape
from attntui.view.drawing.tracks import Track, TrackKind
from attntui.view.session.session import Session
from attntui.view.tables.order import fit
from attntui.view.words.formats import counted, duration

HEADER_LINES = 2
MARKS = {Mark.SELECTED: SELECTED, Mark.LINKED: LINKED}


class TimelineView(Widget, can_focus=True):
    """Draws the session's timeline. Keys are the screen's; what the mouse does is posted."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "timeline--axis",
        "timeline--gutter",
        "timeline--cursor",
    }
    DEFAULT_CSS = """
    TimelineView {
        & > .timeline--axis { color: $text-muted; }
        & > .timeline--gutter { color: $foreground; }
        & > .timeline--cursor { color: $warning; }
    }
    """

    session: reactive[Session | None] = reactive(None)
    most_lines: reactive[int | None] = reactive(None, layout=True)
    """How many lines it takes where its height is that of its lanes; None: as many as they need."""

    class Clicked(Message):
        """A click on a time and a line (counted over all lines, not only those on screen)."""

        def __init__(self, timeline: TimelineView, at: int, line: int) -> None:
            super().__init__()
            self.timeline = timeline
            self.at = at
            self.line = line

    class Wheel(Message):
        """The wheel turned over a time: zoom there. Over the headings: scroll the lanes."""

        def __init__(self, timeline: TimelineView, direction: int, at: int | None) -> None:
            super().__init__()
            self.timeline = timeline
            self.direction = direction
            self.at = at

    class Dragged(Message):
        """The mouse was drawn over [start, end), in ns; `ended` once its button is let go."""

        def __init__(self, timeline: TimelineView, start: int, end: int, ended: bool) -> None:
            super().__init__()
            self.timeline = timeline
            self.start = start
            self.end = end
            self.ended = ended

    def __init__(self, *, ascii_only: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self.ascii_only = ascii_only
        self.heading = safe("")
        self.trailing = safe("")
        self.unit: ComparedUnit | None = None
        self.beside: tuple[Track, ...] = ()
        """The tracks of a timeline of the same width that this one stands cell over cell with."""
        self._frame: Frame | None = None
        self._shown: tuple[int, ...] = ()
        self._style, self._colours = Style(), Colours.ALL
        self._pressed: int | None = None
        self._dragged = False

    @property
    def cells(self) -> int | None:
        """Cells there are for time; None while the timeline is not on screen."""
        return max(self.size.width - self.heading_cells, 1) if self.size.width else None

    @property
    def heading_cells(self) -> int:
        """Cells for the headings of lanes."""
        if self.session is None:
            return GUTTER
        part = GUTTER_PART if self.unit is None else COMPARED_PART
        return gutter_cells((*self.session.tracks, *self.beside), self.size.width, part)

    @property
    def is_drawn(self) -> bool:
        """Whether the timeline is on screen: else how many lanes fit is not known."""
        return self.size.height > 0

    @property
    def lane_lines(self) -> int:
        """Lines there are for lanes."""
        height = self.size.height or self.app.size.height
        return max(height - HEADER_LINES, 1)

    @property
    def on_screen(self) -> tuple[int, ...]:
        """The numbers of the lines on screen, from the top: the current one is among them,
        however many there is room for now.
        """
        session = self.session
        if session is None:
            return ()
        timeline = session.timeline.scrolled(session.tracks, self.lane_lines)
        return timeline.on_screen(session.tracks, self.lane_lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """All lanes, so that a short trace leaves its room to the tables."""
        if self.session is None:
            return HEADER_LINES
        lines = HEADER_LINES + len(self.session.timeline.lines(self.session.tracks))
        return lines if self.most_lines is None else min(lines, self.most_lines)

    def on_resize(self, event: events.Resize) -> None:
        self._frame = None
        self._show_titles()

    def watch_session(self, session: Session | None) -> None:
        if session is None:
            return
        frame, self._frame = self._frame, None
        if frame is None or len(frame.lines) != len(session.timeline.lines(session.tracks)):
            self.refresh(layout=True)
        self._show_titles()

    def _show_titles(self) -> None:
        session = self.session
        if session is None:
            return
        view = session.timeline.viewport
        shown = f"{duration(view.span)} of {duration(view.high - view.low)}"
        trailing = f" ─ {self.trailing}" if self.trailing else ""
        set_title(self, safe(f"{self.heading} ─ {shown}{trailing}"))
        cell = duration(view.span / (self.cells or session.width))
        at = session.timeline.cursor - (0 if self.unit is None else self.unit.start)
        place = f"t={duration(at, 7)}  cell {cell}"
        set_subtitle(self, safe("  ".join([*self._lanes_away(session), place])))

    def _lanes_away(self, session: Session) -> Iterator[str]:
        """How many lanes are not on screen, and where they are."""
        timeline = session.timeline.scrolled(session.tracks, self.lane_lines)
        above, below = timeline.out_of_sight(session.tracks, self.lane_lines)
        if above:
            yield f"▲ {counted(above, 'lane')}"
        if below:
            yield f"▼ {counted(below, 'lane')}"
        if timeline.hidden:
            yield f"{len(timeline.hidden)} hidden"

    def render_lines(self, crop: Region) -> list[Strip]:
        # What all lines share is found once a frame.
        self._style, self._colours = self.rich_style, colours_of(self.app)
        if self._frame is None:
            self._frame = self._frame_now()
            self._shown = self.on_screen
        return super().render_lines(crop)

    def _frame_now(self) -> Frame | None:
        session, gutter = self.session, self.heading_cells
        width = self.size.width - gutter
        if session is None or width < 1:
            return None
        return Frame(session, width, ascii_only=self.ascii_only, gutter=gutter, unit=self.unit)

    def render_line(self, y: int) -> Strip:
        frame = self._frame
        if frame is None:
            return Strip.blank(self.size.width, self._style)
        if y == 0:
            return self._text_line(safe(""), frame.axis_text, "timeline--axis")
        if y == 1 and self.unit is not None:
            return self._strip_line(self.unit.heading, frame.strip_text)
        if y == 1:
            return self._text_line(safe("overview"), frame.minimap_text, "timeline--axis")
        shown, at = self._shown, y - HEADER_LINES
        if at >= len(shown):
            return Strip.blank(self.size.width, self._style)
        above = None if at == 0 else frame.lines[shown[at - 1]].track
        return self._lane_line(frame, shown[at], named=above != frame.lines[shown[at]].track)

    def _strip_line(self, heading: Safe, strip: Safe) -> Strip:
        """The strip of a compared unit, each of its signs in its colour."""
        parts = [segment(fit(heading, self.heading_cells, right=False), self._style)]
        for sign, run in groupby(strip):
            style = self._style + COMPARED.get(sign, Style())
            parts.append(segment(safe("".join(run)), style))
        return Strip(parts).adjust_cell_length(self.size.width, self._style)

    def _text_line(self, heading: Safe, text: Safe, component: str) -> Strip:
        style = self.get_component_rich_style(component)
        gutter = segment(fit(heading, self.heading_cells, right=False), style)
        return Strip([gutter, segment(text, style)]).adjust_cell_length(
            self.size.width, self._style
        )

    def _lane_line(self, frame: Frame, number: int, *, named: bool) -> Strip:
        line = frame.lines[number]
        here = number == frame.session.timeline.line
        gutter = self.get_component_rich_style("timeline--gutter")
        if here:
            gutter += Style(reverse=True, bold=True) if self.has_focus else Style(bold=True)
        heading = segment(frame.heading(line, here, named), gutter)
        base = self._style
        kind = frame.session.tracks[line.track].kind
        body = Strip([self._segment(kind, piece, base) for piece in frame.pieces(line)])
        shaded = self._shaded(body, frame.in_scope(line))
        return Strip.join([Strip([heading]), self._with_cursor(frame, shaded, here)])

    def _segment(self, kind: TrackKind, piece: Piece, base: Style) -> Segment:
        mark = MARKS.get(piece.mark)
        if mark is not None:
            style = marked_style(mark, piece.shape, base.bgcolor)
        elif piece.shape is Shape.BLANK:
            style = base
        else:
            paint = TRACK_PAINT[kind] if piece.paint is None else piece.paint
            style = event_style(paint, piece.shape, piece.odd, base.bgcolor, self._colours)
        return segment(piece.text, style)

    def _shaded(self, body: Strip, scope: tuple[int, int]) -> Strip:
        """A line with what is out of the scope dimmed."""
        first, last = scope
        if (first, last) == (0, body.cell_length - 1):
            return body
        dim = Style(dim=True)
        if last < first:
            return body.apply_style(dim)
        before, inside, after = body.divide([first, last + 1, body.cell_length])
        return Strip.join([before.apply_style(dim), inside, after.apply_style(dim)])

    def _with_cursor(self, frame: Frame, body: Strip, here: bool) -> Strip:
        cell = frame.cursor_cell
        if not 0 <= cell < frame.width:
            return body
        before, at, after = body.divide([cell, cell + 1, frame.width])
        if not at.text.strip():
            style = self.get_component_rich_style("timeline--cursor")
            at = Strip([segment(safe("│"), style)])
        elif here or frame.width == 1:
            at = at.apply_style(Style(reverse=True))
        return Strip.join([before, at, after])

    # Mouse

    def _cell_at(self, event: events.MouseEvent) -> tuple[int, int] | None:
        """The cell and the line under the mouse; None beside the lanes and the header."""
        at = event.get_content_offset(self)
        if self.session is None or at is None or at.x < self.heading_cells:
            return None
        return at.x - self.heading_cells, at.y - HEADER_LINES

    def _time(self, cell: int) -> int:
        assert self.session is not None
        return self.session.timeline.viewport.time(cell, self.cells or 1)

    def on_click(self, event: events.Click) -> None:
        at, shown = self._cell_at(event), self.on_screen
        if self._dragged:
            self._dragged = False
        elif at is not None and 0 <= at[1] < len(shown):
            self.post_message(self.Clicked(self, self._time(at[0]), shown[at[1]]))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        at = self._cell_at(event)
        self._pressed = None if at is None else at[0]
        self._dragged = False

    def on_mouse_move(self, event: events.MouseMove) -> None:
        at = self._cell_at(event)
        if self._pressed is None or at is None or not event.button:
            return
        if at[0] != self._pressed:
            self._dragged = True
        if self._dragged:
            self._drag(at[0], ended=False)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        at = self._cell_at(event)
        if self._dragged and at is not None:
            self._drag(at[0], ended=True)
        self._pressed = None

    def _drag(self, cell: int, *, ended: bool) -> None:
        """Tells of the stretch from the cell pressed to this one, both in full."""
        if self.session is None or self._pressed is None:
            return
        edges = self.session.timeline.viewport.edges(self.cells or 1)
        # The terminal may have become narrower since the button went down.
        first, last = sorted(min(at, len(edges) - 2) for at in (self._pressed, cell))
        self.post_message(self.Dragged(self, int(edges[first]), int(edges[last + 1]), ended))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, -1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, 1)

    def _wheel(self, event: events.MouseEvent, direction: int) -> None:
        event.stop()
        at = self._cell_at(event)
        time = None if at is None else self._time(at[0])
        self.post_message(self.Wheel(self, direction, time))
