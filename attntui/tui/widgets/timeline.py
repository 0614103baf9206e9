"""The timeline pane: axis, minimap and lanes of the current session, line by line."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from attntui.safe import Safe, safe
from attntui.tui.theme import (
    LINKED,
    SELECTED,
    TRACK_PAINT,
    colours_of,
    event_style,
    marked_style,
)
from attntui.tui.widgets.text import segment, set_subtitle, set_title
from attntui.view.drawing.axis import axis, minimap, with_range
from attntui.view.drawing.curve import draw_curve
from attntui.view.drawing.paint import Paint
from attntui.view.drawing.raster import CellSpan, Shape, density, draw_row
from attntui.view.drawing.tracks import TrackKind
from attntui.view.session.session import Session
from attntui.view.session.timeline import Line
from attntui.view.tables.order import fit
from attntui.view.words.attention import call_text
from attntui.view.words.formats import count, duration, size

GUTTER = 15
HEADER_LINES = 2
MIN_LABEL = 4


class TimelineView(Widget, can_focus=True):
    """Draws the session's timeline. Keys are the screen's; a click posts `Clicked`."""

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

    class Clicked(Message):
        """A click on a time and a line (counted over all lines, not only those on screen)."""

        def __init__(self, timeline: TimelineView, at: int, line: int) -> None:
            super().__init__()
            self.timeline = timeline
            self.at = at
            self.line = line

    class Wheel(Message):
        """The wheel turned over a time: zoom there."""

        def __init__(self, timeline: TimelineView, direction: int) -> None:
            super().__init__()
            self.timeline = timeline
            self.direction = direction

    def __init__(self, *, ascii_only: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self.ascii_only = ascii_only
        self.heading = safe("")
        self._frame: _Frame | None = None

    @property
    def cells(self) -> int | None:
        """Cells there are for time; None while the timeline is not on screen."""
        return max(self.size.width - GUTTER, 1) if self.size.width else None

    @property
    def lane_lines(self) -> int:
        """Lines there are for lanes."""
        height = self.size.height or self.app.size.height
        return max(height - HEADER_LINES, 1)

    @property
    def top(self) -> int:
        """The first line on screen: the current one is, however many there is room for now."""
        session = self.session
        if session is None:
            return 0
        return session.timeline.scrolled(session.tracks, self.lane_lines).top

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """All lanes, so that a short trace leaves its room to the tables."""
        if self.session is None:
            return HEADER_LINES
        return HEADER_LINES + len(self.session.timeline.lines(self.session.tracks))

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
        set_title(self, safe(f"{self.heading} ─ {shown}"))
        cell = duration(view.span / (self.cells or session.width))
        set_subtitle(self, safe(f"t={duration(session.timeline.cursor, 7)}  cell {cell}"))

    def render_line(self, y: int) -> Strip:
        session, width = self.session, self.size.width - GUTTER
        if session is None or width < 1:
            return Strip.blank(self.size.width, self.rich_style)
        if self._frame is None:
            self._frame = _Frame(session, width, self.ascii_only)
        frame = self._frame
        if y == 0:
            return self._text_line(safe(""), frame.axis_text, "timeline--axis")
        if y == 1:
            return self._text_line(safe("overview"), frame.minimap_text, "timeline--axis")
        number = self.top + y - HEADER_LINES
        if number >= len(frame.lines):
            return Strip.blank(self.size.width, self.rich_style)
        return self._lane_line(frame, number)

    def _text_line(self, heading: Safe, text: Safe, component: str) -> Strip:
        style = self.get_component_rich_style(component)
        gutter = segment(fit(heading, GUTTER, right=False), style)
        return Strip([gutter, segment(text, style)]).adjust_cell_length(
            self.size.width, self.rich_style
        )

    def _lane_line(self, frame: _Frame, number: int) -> Strip:
        line = frame.lines[number]
        here = number == frame.session.timeline.line
        gutter = self.get_component_rich_style("timeline--gutter")
        if here:
            gutter += Style(reverse=True, bold=True) if self.has_focus else Style(bold=True)
        heading = segment(frame.heading(line, here), gutter)
        base = self.rich_style
        body = Strip([self._segment(frame, line, s, base) for s in frame.spans(line)])
        return Strip.join([Strip([heading]), self._with_cursor(frame, body, here)])

    def _segment(self, frame: _Frame, line: Line, span: CellSpan, base: Style) -> Segment:
        if span.shape is Shape.BLANK:
            return segment(span.text, base)
        colours = colours_of(self.app)
        if span.shape is Shape.DENSE:
            kind = frame.session.tracks[line.track].kind
            style = event_style(TRACK_PAINT[kind], span.shape, span.odd, base.bgcolor, colours)
            return segment(span.text, style)
        paint, mark = frame.look(line, span.event)
        if mark is not None:
            style = marked_style(mark, span.shape, base.bgcolor)
        else:
            style = event_style(paint, span.shape, span.odd, base.bgcolor, colours)
        return segment(span.text, style)

    def _with_cursor(self, frame: _Frame, body: Strip, here: bool) -> Strip:
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

    def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        if self.session is None or at is None or at.y < HEADER_LINES or at.x < GUTTER:
            return
        time = self.session.timeline.viewport.time(at.x - GUTTER, self.cells or 1)
        line = self.top + at.y - HEADER_LINES
        self.post_message(self.Clicked(self, time, line))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.post_message(self.Wheel(self, -1))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.post_message(self.Wheel(self, 1))


class _Frame:
    """What the lines of one frame share: computed once, then asked line by line."""

    def __init__(self, session: Session, width: int, ascii_only: bool) -> None:
        self.session = session
        self.width = width
        self.ascii_only = ascii_only
        self.viewport = session.timeline.viewport
        self.lines = session.timeline.lines(session.tracks)
        self.edges = self.viewport.edges(width)
        self.cursor_cell = self.viewport.cell(session.timeline.cursor, width)
        self.event = session.event
        self.gap = session.gap_number
        self.linked = frozenset(session.linked)

    @cached_property
    def axis_text(self) -> Safe:
        text = axis(self.viewport, self.width)
        ends = self._measured_cells()
        return text if ends is None else with_range(text, *ends)

    def _measured_cells(self) -> tuple[int, int] | None:
        session = self.session
        if session.mark is not None:
            low, high = sorted((session.mark, session.timeline.cursor))
        elif session.measured is not None:
            low, high = session.measured.range.start, session.measured.range.end - 1
        else:
            return None
        first, last = self.viewport.cell(low, self.width), self.viewport.cell(high, self.width)
        if last < 0 or first >= self.width:
            return None
        return max(first, 0), min(last, self.width - 1)

    @cached_property
    def minimap_text(self) -> Safe:
        edges = self.viewport.fitted().edges(self.width)
        busy = np.diff(self.session.lanes.minimap.busy_until(edges))
        return minimap(density(busy, edges, ascii_only=self.ascii_only), self.viewport, self.width)

    def heading(self, line: Line, here: bool) -> Safe:
        """The gutter's text: the track's name on its first row."""
        track = self.session.tracks[line.track]
        mark = " "
        if track.collapsible and line.row == 0:
            closed = line.track in self.session.timeline.collapsed
            mark = "▸" if closed else "▾"
        text = safe(track.label, GUTTER - 2) if line.row == 0 else ""
        if here and line.row:
            text = f"  depth {line.row}"
        return fit(safe(mark + text), GUTTER, right=False)

    def spans(self, line: Line) -> list[CellSpan]:
        """What a line shows, together as wide as the frame."""
        track = self.session.tracks[line.track]
        if track.curve is not None:
            text = draw_curve(track.curve, self.edges, ascii_only=self.ascii_only)
            peak = track.curve.peak
            told = f" peak {count(peak) if track.kind is TrackKind.QUEUE else size(peak)}"
            if len(told) < self.width // 3:
                text = safe(text[: self.width - len(told)] + told)
            return [CellSpan(text, Shape.DENSE, -1)]
        label = {TrackKind.IDLE: self._gap_label, TrackKind.ATTENTION: self._call_label}.get(
            track.kind, self._label
        )
        return draw_row(track.rows[line.row], self.edges, label, ascii_only=self.ascii_only)

    def _label(self, event: int, room: int) -> Safe:
        mark = ""
        if event == self.event:
            mark = "▸"
        elif event in self.linked:
            mark = "◆"
        if room < MIN_LABEL:
            return safe(mark[:room])
        return fit(safe(mark + self.session.analysed.labels.event(event)), room, right=False)

    def _call_label(self, event: int, room: int) -> Safe:
        analysed = self.session.analysed
        call = analysed.attention[analysed.calls_by_event[event]]
        return fit(call_text(call), room, right=False) if room >= MIN_LABEL else safe("")

    def _gap_label(self, gap: int, room: int) -> Safe:
        mark = "▸" if gap == self.gap else ""
        length = int(self.session.analysed.whole.gaps.length[gap])
        texts = (duration(length), duration(length, 2).replace(" ", ""), "")
        fits = (mark + text for text in texts if len(mark + text) <= max(room, len(mark)))
        return safe(next(fits)[:room])

    def look(self, line: Line, event: int) -> tuple[Paint, Style | None]:
        """The class of an event on a line, and the mark it bears."""
        kind = self.session.tracks[line.track].kind
        if kind is TrackKind.IDLE:
            return Paint.IDLE, SELECTED if event == self.gap else None
        if event == self.event:
            return Paint.OTHER, SELECTED
        if kind is TrackKind.ATTENTION:
            return Paint.ATTENTION, None
        if event in self.linked:
            return Paint.OTHER, LINKED
        return self.session.lanes.paint_of(event), None
