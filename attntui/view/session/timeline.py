"""The timeline as a value: viewport, cursor, current line, and how keys move them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attntui.view.drawing.tracks import Track
from attntui.view.session.viewport import Viewport

ENCLOSING = 2
"""Lines over the one that leads the lanes: what encloses it, and most often the lane's name."""


@dataclass(frozen=True, slots=True)
class Line:
    """One display line: a track and the row of it."""

    track: int
    row: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """Where the timeline stands: it knows nothing of what is selected.

    `line` is the current line's number among `lines(...)`; `top` counts the lines that are
    scrolled out of sight above, under the pinned ones. `order` has the tracks as the user
    arranged them, and is empty before that.
    """

    viewport: Viewport
    cursor: int
    line: int = 0
    top: int = 0
    collapsed: frozenset[int] = frozenset()
    hide_empty: bool = False
    hidden: frozenset[int] = frozenset()
    order: tuple[int, ...] = ()

    # Lines

    def arranged(self, tracks: Sequence[Track]) -> tuple[int, ...]:
        """All tracks in the order of the screen: those pinned before the others."""
        order = self.order or range(len(tracks))
        return tuple(sorted(order, key=lambda number: not tracks[number].pinned))

    def shown(self, tracks: Sequence[Track]) -> tuple[int, ...]:
        """The tracks that are not hidden, in the order of the screen."""
        return tuple(
            number
            for number in self.arranged(tracks)
            if number not in self.hidden
            and not (self.hide_empty and self._is_empty(tracks[number]))
        )

    def lines(self, tracks: Sequence[Track]) -> tuple[Line, ...]:
        """The lines to draw, in order; collapsed tracks keep their outermost row."""
        found: list[Line] = []
        for number in self.shown(tracks):
            height = 1 if number in self.collapsed else tracks[number].height
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

    def pinned(self, tracks: Sequence[Track], height: int) -> int:
        """How many of the first lines stay on a screen of `height` lines while the others
        scroll; none where they would leave too little room.
        """
        found = sum(tracks[line.track].pinned for line in self.lines(tracks))
        return found if found <= height * 2 // 3 else 0

    def on_screen(self, tracks: Sequence[Track], height: int) -> tuple[int, ...]:
        """The numbers of the lines on a screen of `height` lines, from its top."""
        count, pinned = len(self.lines(tracks)), self.pinned(tracks, height)
        first = pinned + self.top
        return (*range(pinned), *range(first, min(first + height - pinned, count)))

    def out_of_sight(self, tracks: Sequence[Track], height: int) -> tuple[int, int]:
        """How many tracks lie above and below a screen of `height` lines, none of them on it."""
        lines, seen = self.lines(tracks), self.on_screen(tracks, height)
        if not seen:
            return 0, len({line.track for line in lines})
        drawn = {lines[number].track for number in seen}
        above = {lines[number].track for number in range(seen[-1]) if number not in seen}
        below = {line.track for line in lines[seen[-1] + 1 :]}
        return len(above - drawn), len(below - drawn)

    def scrolled(self, tracks: Sequence[Track], height: int) -> Timeline:
        """Scrolled so that the current line is on a screen of `height` lines."""
        last = len(self.lines(tracks)) - 1
        line, pinned = min(self.line, max(last, 0)), self.pinned(tracks, height)
        room = height - pinned
        top = min(self.top, max(last - pinned - room + 1, 0))
        if line >= pinned:
            top = max(min(top, line - pinned), line - pinned - room + 1, 0)
        return replace(self, line=line, top=top)

    def lanes_scrolled(self, tracks: Sequence[Track], lines: int, height: int) -> Timeline:
        """The lines that are not pinned scrolled up or down; the current line stays on screen."""
        count, pinned = len(self.lines(tracks)), self.pinned(tracks, height)
        top = min(max(self.top + lines, 0), max(count - height, 0))
        line = self.line
        if line >= pinned:
            line = min(max(line, pinned + top), top + height - 1)
        return replace(self, top=top, line=line)

    def line_moved(self, tracks: Sequence[Track], lines: int) -> Timeline:
        """The current line some lines up or down."""
        last = len(self.lines(tracks)) - 1
        return replace(self, line=min(max(self.line + lines, 0), max(last, 0)))

    def onto_line(self, tracks: Sequence[Track], line: Line) -> Timeline:
        """A line as the current one; a track that is closed or hidden is opened for it."""
        moved = replace(self, hidden=self.hidden - {line.track})
        if line.row:
            moved = replace(moved, collapsed=self.collapsed - {line.track})
        lines = moved.lines(tracks)
        return replace(moved, line=lines.index(line)) if line in lines else moved

    def led_by(self, tracks: Sequence[Track], line: Line) -> Timeline:
        """Scrolled so that a line comes first under the pinned ones, with what encloses it."""
        lines = self.lines(tracks)
        if line not in lines or tracks[line.track].pinned:
            return self
        pinned = sum(tracks[other.track].pinned for other in lines)
        above = min(line.row, ENCLOSING)
        return replace(self, top=max(lines.index(line) - above - pinned, 0))

    def staying(self, tracks: Sequence[Track], line: Line | None) -> Timeline:
        """On a line where it is shown; where it went as empty, on the one nearest to it."""
        if line is None or not self.hide_empty:
            return self
        lines = self.lines(tracks)
        if line in lines:
            return replace(self, line=lines.index(line))
        return self._at_track(tracks, line.track)

    # Lanes

    def collapse_toggled(self, tracks: Sequence[Track]) -> Timeline:
        """The current track opened or collapsed; its first line becomes the current one."""
        line = self.current(tracks)
        if line is None or not tracks[line.track].collapsible:
            return self
        moved = replace(self, collapsed=self.collapsed ^ {line.track})
        return moved._at_track(tracks, line.track)

    def empty_toggled(self, tracks: Sequence[Track]) -> Timeline:
        """Empty lanes hidden or shown; the current track stays current where it is shown."""
        line = self.current(tracks)
        moved = replace(self, hide_empty=not self.hide_empty)
        return moved if line is None else moved._at_track(tracks, line.track)

    def lane_hidden(self, tracks: Sequence[Track]) -> Timeline | None:
        """Without the current track; None where it is the last one."""
        line, shown = self.current(tracks), self.shown(tracks)
        if line is None or len(shown) < 2:
            return None
        place = min(shown.index(line.track), len(shown) - 2)
        moved = replace(self, hidden=self.hidden | {line.track})
        return moved._at_track(tracks, moved.shown(tracks)[place])

    def all_lanes_shown(self, tracks: Sequence[Track]) -> Timeline:
        """With the lanes that were hidden one by one, on the same track."""
        line = self.current(tracks)
        moved = replace(self, hidden=frozenset())
        return moved if line is None else moved._at_track(tracks, line.track)

    def lane_moved(self, tracks: Sequence[Track], direction: int) -> Timeline | None:
        """The current track one place up or down among those pinned, or among the others; None
        where it cannot go further.
        """
        line = self.current(tracks)
        if line is None:
            return None
        pinned = tracks[line.track].pinned
        beside = [number for number in self.shown(tracks) if tracks[number].pinned == pinned]
        place = beside.index(line.track) + direction
        if not 0 <= place < len(beside):
            return None
        order = list(self.arranged(tracks))
        order.remove(line.track)
        order.insert(order.index(beside[place]) + (direction > 0), line.track)
        return replace(self, order=tuple(order)).onto_line(tracks, line)

    def _at_track(self, tracks: Sequence[Track], track: int) -> Timeline:
        """The first line of a track as the current one, where it is shown."""
        lines = self.lines(tracks)
        here = [number for number, line in enumerate(lines) if line.track == track]
        return replace(self, line=here[0] if here else min(self.line, max(len(lines) - 1, 0)))

    # Time

    def at_cursor(self, tracks: Sequence[Track], width: int) -> int | None:
        """The number of what the cursor's cell on the current line shows: the longest there."""
        line = self.current(tracks)
        if line is None or not tracks[line.track].rows:
            return None
        index = tracks[line.track].rows[line.row]
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

    def with_viewport(self, viewport: Viewport) -> Timeline:
        """Another stretch on screen; a cursor that it leaves out comes to its nearer edge."""
        cursor = min(max(self.cursor, viewport.t0), viewport.t1 - 1)
        return replace(self, viewport=viewport, cursor=cursor)

    def cursor_moved(self, cells: int, width: int) -> Timeline:
        """The cursor some cells further; it stands in the middle of its cell."""
        cell = self.viewport.cell(self.cursor, width) + cells
        return self.with_cursor(self.viewport.time(cell, width))

    def panned(self, share: float) -> Timeline:
        """Panned by a share of the screen; the cursor keeps its place on screen. At the edge,
        where nothing further can come on screen, the cursor alone goes on.
        """
        wanted = round(self.viewport.span * share)
        viewport = self.viewport.panned(wanted)
        return replace(self, viewport=viewport).with_cursor(self.cursor + wanted)

    def zoomed(self, factor: float, onto: tuple[int, int] | None = None) -> Timeline:
        """Zoomed round the cursor. With `onto`, a stretch [start, end) of which a part is on
        screen, the cursor goes there first, and as much of it as fits stays on screen.
        """
        view, at = self.viewport, self.cursor
        if onto is None or not view.shows(*onto):
            return replace(self, viewport=view.zoomed(factor, at))
        start, end = onto
        low, high = max(start, view.t0), max(min(end, view.t1) - 1, start, view.t0)
        at = min(max(at, low), high)
        viewport = view.zoomed(factor, at)
        if end - start <= viewport.span:
            viewport = viewport.holding(start, end)
        return replace(self, viewport=viewport).with_cursor(at)

    def stepped(
        self, tracks: Sequence[Track], direction: int, selected: int | None
    ) -> tuple[Timeline, int] | None:
        """On the next (1) or previous (-1) event of the current line inside the bounds, and
        its number; None at the line's end. `selected` is the number that is selected.
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
        start = min(max(start, viewport.low), viewport.high - 1)
        end = min(max(end, start), viewport.high)
        if end - start <= viewport.span:
            viewport = viewport.reaching(start, max(end, start + 1))
        else:
            viewport = viewport.following(start)
        return replace(self, viewport=viewport, cursor=start)

    def showing(self, start: int, end: int) -> Timeline:
        """A stretch of time on screen with the cursor at its start."""
        moved = replace(self, viewport=self.viewport.reaching(start, end))
        return moved.with_cursor(start)
