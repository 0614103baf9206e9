"""One frame of the timeline: what each line says, cell by cell, and how each piece is marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from rich.cells import cell_len

from attntui.safe import Safe, safe
from attntui.trace.model import ABSENT
from attntui.view.drawing.axis import axis, minimap, with_edges, with_range, with_shade
from attntui.view.drawing.compared import ComparedUnit
from attntui.view.drawing.curve import draw_curve
from attntui.view.drawing.paint import Paint
from attntui.view.drawing.pieces import LINKED_MARK, SELECTED_MARK, Mark, Piece, cut, selected
from attntui.view.drawing.raster import CellSpan, Shape, density, draw_row
from attntui.view.drawing.role_labels import placed
from attntui.view.drawing.tracks import Track, TrackKind
from attntui.view.session.calls import role_ends
from attntui.view.session.lines import led_to, line_of, number_on
from attntui.view.session.naming import role_text, selection_name
from attntui.view.session.selection import CallAt, RoleAt, host_span, span_of
from attntui.view.session.session import Session
from attntui.view.session.timeline import Line
from attntui.view.tables.order import fit
from attntui.view.words.attention import call_text
from attntui.view.words.formats import count, duration, size

GUTTER = 15
"""Cells for the headings of lanes, at least."""

GUTTER_PART, COMPARED_PART = 5, 6
"""Of how many cells of a timeline one may go to longer headings; where two units are compared
the shorter one needs them more for the names of its kernels.
"""


def gutter_cells(tracks: Sequence[Track], width: int, part: int = GUTTER_PART) -> int:
    """Cells for headings in a timeline of `width`: what the longest needs, within limits."""
    longest = max((cell_len(track.label) for track in tracks), default=0) + 2
    return max(GUTTER, min(longest, width // part))


MIN_LABEL = 4
LEAST_ROLE = 3
"""Cells in which the beginning of a role can still be told: `sc…`."""
EDGES = ("▏", "[")
"""How the text of a bar begins that is parted from what stands before it."""


class Frame:
    """What the lines of one frame share: computed once, then asked line by line."""

    def __init__(
        self,
        session: Session,
        width: int,
        *,
        ascii_only: bool = False,
        gutter: int = GUTTER,
        unit: ComparedUnit | None = None,
    ) -> None:
        """`unit` is the one shown where two are compared: its attention calls are told by role."""
        self.session = session
        self.unit = unit
        self.gutter = gutter
        self.width = width
        self.ascii_only = ascii_only
        self.viewport = session.timeline.viewport
        self.lines = session.timeline.lines(session.tracks)
        self.edges = self.viewport.edges(width)
        self.cursor_cell = self.viewport.cell(session.timeline.cursor, width)
        self.linked = frozenset(session.linked)
        self.call = session.call
        self._selected: dict[int, int | None] = {}

    # What is selected

    @cached_property
    def span(self) -> tuple[int, int] | None:
        """The stretch of time that is selected, in ns."""
        return span_of(self.session.analysed, self.session.selection)

    @cached_property
    def selected_line(self) -> Line | None:
        """The line that bears what is selected, whether it is on screen or not."""
        session = self.session
        return line_of(session.analysed, session.tracks, session.selection)

    def _cells(self, start: int, end: int) -> tuple[int, int] | None:
        """The first and the last cell on screen of [start, end); None where it is off screen."""
        if not self.viewport.shows(start, end):
            return None
        first = self.viewport.cell(start, self.width)
        last = self.viewport.cell(max(end - 1, start), self.width)
        return max(first, 0), min(last, self.width - 1)

    def selected_cells(self, line: Line) -> tuple[int, int] | None:
        """The cells of a line that are selected; None where none is."""
        if self.span is None or line != self.selected_line:
            return None
        return self._cells(*self.span)

    def _part_cells(self, track: Track) -> tuple[int, int] | None:
        """The cells of a host track in which the selected attention call ran."""
        call = self.call
        span = None if call is None or track.lane != call.lane else host_span(call)
        return None if span is None else self._cells(*span)

    @cached_property
    def edge_texts(self) -> tuple[Safe, Safe]:
        """Where what is selected lies: a name and a distance at the edge that it is behind."""
        if self.span is None or self.viewport.shows(*self.span):
            return Safe(""), Safe("")
        start, end = self.span
        chosen = led_to(self.session.selection)
        name = safe(selection_name(self.session.analysed, chosen), max(self.width // 2 - 14, 8))
        if end <= self.viewport.t0:
            away = duration(self.viewport.t0 - end)
            return safe(f"◀ {name} {away}"), Safe("")
        return Safe(""), safe(f"{name} {duration(start - self.viewport.t1)} ▶")

    # The header

    @cached_property
    def axis_text(self) -> Safe:
        """The ticks, the measured range, what is out of scope, and where the selection is."""
        origin = 0 if self.unit is None else self.unit.start
        text = axis(self.viewport, self.width, origin)
        ends = self._measured_cells()
        text = text if ends is None else with_range(text, *ends)
        scope = self._scope_cells(self.session.slice.rows.start, self.session.slice.rows.end)
        return with_edges(with_shade(text, scope), *self.edge_texts)

    def _measured_cells(self) -> tuple[int, int] | None:
        session = self.session
        if session.mark is not None:
            low, high = sorted((session.mark, session.timeline.cursor))
            return self._cells(low, high + 1)
        if session.measured is None:
            return None
        return self._cells(session.measured.range.start, session.measured.range.end)

    @cached_property
    def minimap_text(self) -> Safe:
        edges = self.viewport.fitted().edges(self.width)
        busy = np.diff(self.session.lanes.minimap.busy_until(edges))
        return minimap(density(busy, edges, ascii_only=self.ascii_only), self.viewport, self.width)

    @cached_property
    def strip_text(self) -> Safe:
        """Which work the unit compared has in common with the other one."""
        return Safe("") if self.unit is None else self.unit.strip(self.edges)

    # The scope

    def _scope_cells(self, start: int, end: int) -> tuple[int, int]:
        """The cells from `start` to `end`, the first after the last where none is on screen."""
        if self.session.slice is self.session.analysed.whole:
            return 0, self.width - 1
        return self._cells(start, end) or (self.width, -1)

    def in_scope(self, line: Line) -> tuple[int, int]:
        """The first and the last cell of a line that are in the scope: on a device's tracks
        from its first to its last operation there. The first comes after the last where none is.
        """
        part = self.session.slice
        if self.session.tracks[line.track].pinned:
            extent = part.gpu_extent
            return (self.width, -1) if extent is None else self._scope_cells(*extent)
        return self._scope_cells(part.rows.start, part.rows.end)

    # Lines

    def heading(self, line: Line, here: bool, named: bool) -> Safe:
        """The gutter's text: the track's name where it is `named`, on its first row on screen."""
        track = self.session.tracks[line.track]
        mark = " "
        if track.collapsible and named:
            closed = line.track in self.session.timeline.collapsed
            mark = "▸" if closed else "▾"
        text = safe(track.label, self.gutter - 2) if named else ""
        if here and not named:
            text = f"  depth {line.row}"
        return fit(safe(mark + text), self.gutter, right=False)

    def pieces(self, line: Line) -> list[Piece]:
        """What a line shows, together as wide as the frame."""
        track = self.session.tracks[line.track]
        spans = self._spans(track, line)
        if track.names_calls and self._call_number is not None:
            spans = list(self._with_roles(spans))
        found = [self._piece(track, span) for span in spans]
        part = self._part_cells(track)
        if part is not None:
            found = [
                replace(piece, mark=Mark.LINKED) if inside and piece.shape is Shape.DENSE else piece
                for piece, inside in cut(found, *part)
            ]
        chosen = self.selected_cells(line)
        return found if chosen is None else list(selected(found, *chosen))

    def _spans(self, track: Track, line: Line) -> list[CellSpan]:
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

    def _piece(self, track: Track, span: CellSpan) -> Piece:
        """A span with its class of colour and what it is to the selection."""
        if span.shape in (Shape.BLANK, Shape.DENSE):
            return Piece(span.text, span.shape)
        if track.kind is TrackKind.IDLE:
            paint = Paint.IDLE
        elif track.kind is TrackKind.ATTENTION:
            paint = Paint.ATTENTION
        else:
            paint = self.session.lanes.paint_of(span.event)
        return Piece(span.text, span.shape, paint, span.odd, self._mark(track, span.event))

    def _selected_on(self, track: Track) -> int | None:
        """The number of what is selected on a track: asked once a frame, not of each piece."""
        if id(track) not in self._selected:
            session = self.session
            self._selected[id(track)] = number_on(session.analysed, track, session.selection)
        return self._selected[id(track)]

    def _mark(self, track: Track, number: int) -> Mark:
        if number == self._selected_on(track):
            return Mark.SELECTED
        if track.names_gaps or track.names_calls:
            return Mark.NONE
        return Mark.LINKED if number in self.linked or self._is_host_part(number) else Mark.NONE

    def _is_host_part(self, row: int) -> bool:
        """Whether an event of the host belongs to the selected attention call."""
        span = None if self.call is None else host_span(self.call)
        if span is None or self.call is None:
            return False
        trace = self.session.trace
        inside = span[0] <= trace.start[row] and trace.end[row] <= span[1]
        return bool(inside and trace.lane[row] == self.call.lane)

    def _role(self, row: int) -> Safe:
        """The role of a GPU operation in the selected attention call, in the unit compared in any;
        nothing outside.
        """
        if row == ABSENT or not self._tells_roles:
            return Safe("")
        analysed = self.session.analysed
        index = int(analysed.call_of[row])
        told = self.unit is not None or analysed.attention[index] is self.call
        return role_text(analysed, row) if told and index != ABSENT else Safe("")

    @property
    def _tells_roles(self) -> bool:
        """Whether GPU operations are told by their role in an attention call."""
        return self.call is not None or self.unit is not None

    # Labels

    def _label(self, event: int, room: int) -> Safe:
        role = self._role(event)
        mark = SELECTED_MARK if event == self._event else ""
        if role:
            if room < len(mark) + min(LEAST_ROLE, len(role)):
                return safe(mark[:room])
            if room < len(mark) + len(role):
                return fit(safe(mark + role), room, right=False)
            if room < len(mark) + len(role) + MIN_LABEL:
                return safe(mark + role)
            name = f"{role}: {self.session.analysed.labels.event(event)}"
            return fit(safe(mark + name), room, right=False)
        if not mark and (event in self.linked or self._is_host_part(event)):
            mark = LINKED_MARK
        if room < MIN_LABEL:
            return safe(mark[:room])
        return fit(safe(mark + self.session.analysed.labels.event(event)), room, right=False)

    def _call_label(self, index: int, room: int) -> Safe:
        call = self.session.analysed.attention[index]
        mark = SELECTED_MARK if index == self._call_index else ""
        return (
            fit(safe(mark + call_text(call)), room, right=False)
            if room >= MIN_LABEL
            else safe(mark[:room])
        )

    @cached_property
    def _event(self) -> int | None:
        """The event that is selected itself, not as what stands for a call."""
        return None if self._call_index is not None else self.session.event

    @cached_property
    def _call_index(self) -> int | None:
        chosen = led_to(self.session.selection)
        return chosen.index if isinstance(chosen, CallAt) else None

    @cached_property
    def _call_number(self) -> int | None:
        """The index of the call that is selected, in whole or in one of its roles."""
        chosen = self.session.selection
        return chosen.call if isinstance(chosen, RoleAt) else self._call_index

    def _gap_label(self, gap: int, room: int) -> Safe:
        mark = SELECTED_MARK if gap == self._gap_number else ""
        length = int(self.session.analysed.whole.gaps.length[gap])
        texts = (duration(length), duration(length, 2).replace(" ", ""), "")
        fits = (mark + text for text in texts if len(mark + text) <= max(room, len(mark)))
        return safe(next(fits)[:room])

    @cached_property
    def _gap_number(self) -> int | None:
        gap = self.session.gap
        if gap is None or gap.stream != ABSENT:
            return None
        return self.session.analysed.whole.gaps.number_of(gap.device, gap.start, gap.end)

    # Roles

    def _with_roles(self, spans: list[CellSpan]) -> Iterator[CellSpan]:
        """The spans of the attention lane with the roles of the call that is selected, in its
        bar, each as near its first operation as there is room.
        """
        at = 0
        for span in spans:
            own = span.shape is Shape.BAR and span.event == self._call_number
            text = self._role_text(span.text, at) if own else None
            yield span if text is None else replace(span, text=text)
            at += cell_len(span.text)

    def _role_text(self, bar: Safe, at: int) -> Safe | None:
        """A bar from cell `at` on with roles for text; None where they have no room."""
        assert self._call_number is not None
        head = bar[: bar[:1] in EDGES]
        tail = bar[-1:] if self.ascii_only else ""
        mark = SELECTED_MARK if self._call_index is not None else ""
        start, trace = at + len(head) + len(mark), self.session.trace
        room = cell_len(bar) - len(head) - len(mark) - len(tail)
        rows, last = role_ends(self.session.analysed, self._call_number)
        seen = (trace.end[last] > self.viewport.t0) & (trace.start[rows] < self.viewport.t1)
        shown = rows[seen]
        cells = np.searchsorted(self.edges, trace.start[shown], "right") - 1 - start
        line = placed([self._role_label(row) for row in shown.tolist()], cells.tolist(), room)
        if not len(shown) or line is None:
            return None
        return safe(head + mark + (line.replace(" ", "=") if self.ascii_only else line) + tail)

    def _role_label(self, row: int) -> str:
        """A role with a mark where its first operation is selected."""
        mark = SELECTED_MARK if row == self._event else ""
        return mark + role_text(self.session.analysed, row)
