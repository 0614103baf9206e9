"""The same places in a file that was read again: rows may be other events there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attntui.analysis.scope import WHOLE, Annotation, Call, Scope, Step
from attntui.trace.model import ABSENT
from attntui.view.drawing.tracks import Track, TrackKind
from attntui.view.session.places import Place
from attntui.view.session.selection import (
    NOTHING,
    CallAt,
    EventAt,
    FindingAt,
    GapAt,
    RoleAt,
    Selection,
)
from attntui.view.session.session import Session
from attntui.view.session.timeline import Line, Timeline
from attntui.view.tables.findings import findings_table


@dataclass(frozen=True, eq=False)
class Reload:
    """Takes what is of the old file's session to that of the new one."""

    old: Session
    new: Session

    def place(self, place: Place) -> Place:
        """A place; where the new file lacks its scope or selection, the whole, and nothing."""
        return replace(
            place,
            timeline=self._timeline(place.timeline),
            selection=self._selection(place.selection),
            scope=self._scope(place.scope) or WHOLE,
        )

    # What is selected

    def _row(self, row: int) -> int | None:
        """The event of the same name that comes at the same place among those of that name."""
        old, new = self.old.trace, self.new.trace
        name = old.name_of(row)
        if name not in new.names:
            return None
        place = int((old.name[:row] == old.name[row]).sum())
        rows = np.flatnonzero(new.name == new.names.index(name))
        return int(rows[place]) if place < len(rows) else None

    def _selection(self, selected: Selection) -> Selection:
        if isinstance(selected, EventAt):
            row = self._row(selected.row)
            return NOTHING if row is None else EventAt(row)
        if isinstance(selected, RoleAt):
            row = self._row(selected.row)
            calls = self.new.analysed.calls_by_event
            call = None if row is None else calls.get(row)
            return NOTHING if row is None or call is None else RoleAt(call, row)
        if isinstance(selected, CallAt):
            there = selected.index < len(self.new.analysed.attention)
            return selected if there else NOTHING
        if isinstance(selected, GapAt):
            return self._gap(selected)
        if isinstance(selected, Step):
            step = self._scope(selected)
            return step if isinstance(step, Step) else NOTHING
        if isinstance(selected, FindingAt):
            table = findings_table(self.new.analysed.whole)
            at = table.row_of(selected)
            return NOTHING if at is None else table.target(at)
        return selected

    def _gap(self, gap: GapAt) -> Selection:
        """The same gap, else the one that the same operation ends."""
        old, new = self.old.slice, self.new.analysed.whole
        if new.find_gap(gap.device, gap.stream, gap.start, gap.end) is not None:
            return gap
        found = old.find_gap(gap.device, gap.stream, gap.start, gap.end)
        after = None if found is None else self._row(int(found[0].after[found[1]]))
        gaps = new.gaps if gap.stream == ABSENT else new.stream_gaps
        ended = np.flatnonzero(gaps.after == (ABSENT if after is None else after))
        if not len(ended):
            return NOTHING
        number = int(ended[0])
        return GapAt(gap.device, gap.stream, int(gaps.start[number]), int(gaps.end[number]))

    # The scope

    def _scope(self, scope: Scope) -> Scope | None:
        """A step by its name, an annotation by its name and which of that name it is, a call by
        its number, a range as it stands. None where the new file has no such thing.
        """
        new = self.new.analysed
        if isinstance(scope, Step):
            names = [new.trace.name_of(int(row)) for row in new.steps.rows]
            name = self.old.trace.name_of(int(self.old.analysed.steps.rows[scope.index]))
            return Step(names.index(name)) if name in names else None
        if isinstance(scope, Annotation):
            row = self._row(scope.row)
            return None if row is None else Annotation(row)
        if isinstance(scope, Call):
            return scope if scope.index < len(new.attention) else None
        return scope

    # The timeline

    def _timeline(self, old: Timeline) -> Timeline:
        """The same stretch over the new file's tracks: each track is known by kind and label."""
        tracks, viewport = self.new.tracks, self.new.timeline.viewport.fitted()
        if old.viewport != old.viewport.fitted():
            viewport = viewport.showing(old.viewport.t0, old.viewport.t1, margin=0.0)
        numbers = {_key(track): number for number, track in enumerate(tracks)}
        taken = [numbers.get(_key(track)) for track in self.old.tracks]

        def known(chosen: frozenset[int]) -> frozenset[int]:
            return frozenset(n for at in chosen if (n := taken[at]) is not None)

        order = [n for at in old.order if (n := taken[at]) is not None]
        order += [n for n in range(len(tracks)) if old.order and n not in order]
        timeline = replace(
            old,
            viewport=viewport,
            line=0,
            collapsed=known(old.collapsed),
            hidden=known(old.hidden),
            order=tuple(order),
        ).with_cursor(old.cursor)
        here = old.current(self.old.tracks)
        track = None if here is None else taken[here.track]
        if here is None or track is None:
            return timeline
        lines = timeline.lines(tracks)
        line = Line(track, here.row) if Line(track, here.row) in lines else Line(track, 0)
        return replace(timeline, line=lines.index(line)) if line in lines else timeline


def _key(track: Track) -> tuple[TrackKind, str]:
    """What names a track in one file and in the next."""
    return track.kind, track.label
