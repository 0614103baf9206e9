"""The timeline as a value: viewport, cursor, current line, and how keys move them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attntui.view.drawing.tracks import Track, TrackKind
from attntui.view.session.viewport import Viewport


@dataclass(frozen=True, slots=True)
class Line:
    """One display line: a track and the row of it."""

    track: int
    row: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Where the timeline stands: it knows nothing of what is selected.

    `line` is the current line's number among `lines(...)`; `top` the first on screen.
    """

    viewport: Viewport
    cursor: int
    line: int = 0
    top: int = 0
    collapsed: frozenset[int] = frozenset()
    hide_empty: bool = False

    def lines(self, tracks: Sequence[Track]) -> tuple[Line, ...]:
        """The lines to draw, in order; collapsed tracks keep their outermost row."""
        found: list[Line] = []
        for number, track in enumerate(tracks):
            if self.hide_empty and self._is_empty(track):
                continue
            height = 1 if number in self.collapsed else track.height
            found.extend(Line(number, row) for row in range(height))
        return tuple(found)

    def _is_empty(self, track: Track) -> bool:
        if track.names_gaps or not track.rows:
            return False
        edges = np.array([self.viewport.t0, self.viewport.t1])
        return not any(row.cells(edges)[1][0] for row in track.rows)

    def current(self, tracks: Sequence[Track]) -> Line | None:
        """The line under the cursor, or None when nothing is shown."""
        lines = self.lines(tracks)
        return lines[min(self.line, len(lines) - 1)] if lines else None

    def at_cursor(self, tracks: Sequence[Track], width: int) -> int | None:
        """The event under the cursor's cell on the current line: the longest one there."""
        line = self.current(tracks)
        if line is None or tracks[line.track].names_gaps:
            return None
        rows = tracks[line.track].rows
        if not rows:
            return None
        index = rows[line.row]
        edges = self.viewport.edges(width)
        cell = min(max(self.viewport.cell(self.cursor, width), 0), width - 1)
        at = index.at(self.cursor)
        if at is None:
            at = index.nearest(int(edges[cell]), int(edges[cell + 1]))
        return None if at is None else int(index.rows[at])

    def with_cursor(self, at: int) -> Timeline:
        """The cursor at a time, kept inside the bounds and on screen."""
        view = self.viewport
        at = min(max(at, view.low), view.high - 1)
        return replace(self, cursor=at, viewport=view.following(at))

    def cursor_moved(self, cells: int, width: int) -> Timeline:
        """The cursor some cells further; it stands in the middle of its cell."""
        cell = self.viewport.cell(self.cursor, width) + cells
        return self.with_cursor(self.viewport.time(cell, width))

    def panned(self, share: float) -> Timeline:
        """Panned by a share of the screen; the cursor keeps its place on screen."""
        viewport = self.viewport.panned(round(self.viewport.span * share))
        moved = replace(self, viewport=viewport)
        return moved.with_cursor(self.cursor + viewport.t0 - self.viewport.t0)

    def zoomed(self, factor: float) -> Timeline:
        """Zoomed round the cursor."""
        return replace(self, viewport=self.viewport.zoomed(factor, self.cursor))

    def line_moved(self, tracks: Sequence[Track], lines: int) -> Timeline:
        """The current line some lines up or down."""
        last = len(self.lines(tracks)) - 1
        return replace(self, line=min(max(self.line + lines, 0), max(last, 0)))

    def scrolled(self, tracks: Sequence[Track], height: int) -> Timeline:
        """Scrolled so that the current line is on a screen of `height` lines."""
        last = len(self.lines(tracks)) - 1
        line = min(self.line, max(last, 0))
        top = min(self.top, line, max(last - height + 1, 0))
        return replace(self, line=line, top=max(top, line - height + 1, 0))

    def stepped(
        self, tracks: Sequence[Track], direction: int, selected: int | None
    ) -> tuple[Timeline, int] | None:
        """On the next (1) or previous (-1) event of the current line inside the bounds, and
        its row (of an idle strip the gap's number); None at the line's end. `selected` is the
        row or number that is selected.
        """
        line = self.current(tracks)
        if line is None or not tracks[line.track].rows:
            return None
        index = tracks[line.track].rows[line.row]
        if direction > 0:
            at = int(np.searchsorted(index.start, self.cursor, "right"))
        else:
            at = int(np.searchsorted(index.start, self.cursor, "left")) - 1
            if at >= 0 and int(index.rows[at]) == selected:
                # The cursor stands inside the selected event: go to the one before it.
                at -= 1
        if not 0 <= at < len(index):
            return None
        start, end = int(index.start[at]), int(index.end[at])
        if start >= self.viewport.high or end < self.viewport.low:
            return None
        return self.onto(start, end), int(index.rows[at])

    def onto(self, start: int, end: int) -> Timeline:
        """The cursor at the start of [start, end), of which all that fits is on screen."""
        viewport = self.viewport
        # What lies beyond the bounds (an outlier) can be selected, but not shown.
        start = min(max(start, viewport.low), viewport.high - 1)
        end = min(max(end, start), viewport.high)
        if end - start <= viewport.span:
            viewport = viewport.reaching(start, max(end, start + 1))
        else:
            viewport = viewport.following(start)
        return replace(self, viewport=viewport, cursor=start)

    def onto_event(self, tracks: Sequence[Track], event: int, start: int, end: int) -> Timeline:
        """The cursor at an event's start, on its line, which is opened where it was closed."""
        moved = self.onto(start, end)
        for number, track in enumerate(tracks):
            if track.kind in (TrackKind.IDLE, TrackKind.ATTENTION):
                continue
            row = track.row_of_event(event)
            if row is None:
                continue
            if number in self.collapsed and row > 0:
                moved = replace(moved, collapsed=self.collapsed - {number})
            return moved.onto_line(tracks, Line(number, row))
        return moved

    def onto_line(self, tracks: Sequence[Track], line: Line) -> Timeline:
        """A line as the current one, where it is shown."""
        lines = self.lines(tracks)
        return replace(self, line=lines.index(line)) if line in lines else self

    def showing(self, start: int, end: int) -> Timeline:
        """A stretch of time on screen with the cursor at its start."""
        moved = replace(self, viewport=self.viewport.reaching(start, end))
        return moved.with_cursor(start)

    def collapse_toggled(self, tracks: Sequence[Track]) -> Timeline:
        """The current track opened or collapsed; its first line becomes the current one."""
        line = self.current(tracks)
        if line is None or not tracks[line.track].collapsible:
            return self
        moved = replace(self, collapsed=self.collapsed ^ {line.track})
        first = next(i for i, x in enumerate(moved.lines(tracks)) if x.track == line.track)
        return replace(moved, line=first)

    def empty_toggled(self, tracks: Sequence[Track]) -> Timeline:
        """Empty lanes hidden or shown; the current track stays current where it is shown."""
        line = self.current(tracks)
        moved = replace(self, hide_empty=not self.hide_empty)
        lines = moved.lines(tracks)
        here = [i for i, x in enumerate(lines) if line is not None and x.track == line.track]
        return replace(moved, line=here[0] if here else min(self.line, max(len(lines) - 1, 0)))
