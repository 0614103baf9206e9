"""What the user sees and has chosen, as one value; every key is a function to the next.

A `Session` knows nothing of widgets: the screen keeps the current one and shows what
differs. `said` carries a line for the user from the last action.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attntui.analysis.launches import launched_inside
from attntui.analysis.scope import WHOLE, Range, Scope, Step
from attntui.trace.model import ABSENT, Trace
from attntui.view.analyses import GapList, ScopeFacts
from attntui.view.document import Document, Measured
from attntui.view.drawing.tracks import Track, TrackKind
from attntui.view.session.scoping import scope_choices, scope_text
from attntui.view.session.search import Search
from attntui.view.session.timeline import Timeline
from attntui.view.session.viewport import Viewport
from attntui.view.tables.order import Target
from attntui.view.words.formats import duration

THRESHOLDS = (0, *(m * 10**e for e in range(2, 10) for m in (1, 2, 5)))
"""Gap thresholds in ns: none, then 100 ns to 5 s in steps of 1-2-5."""

DEFAULT_THRESHOLD = 1_000
ZOOM = 0.5
PAN = 0.1
PAGE = 0.9


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A place to come back to."""

    t0: int
    t1: int
    cursor: int
    label: str


@dataclass(frozen=True, eq=False)
class Session:
    """A document, the timeline over it, the scope, and what was marked or searched.

    `facts` are those of the scope once they are found: see `settled` and `with_facts`.

    `width` is the timeline's cells; `mark` the first end of a measurement under way and
    `measured` the finished one; `gap` the number of the selected gap in the document,
    `remark` that of the overview's selected row.
    """

    document: Document
    timeline: Timeline
    scope: Scope
    facts: ScopeFacts
    width: int = 80
    threshold: int = DEFAULT_THRESHOLD
    mark: int | None = None
    measured: Range | None = None
    measured_facts: Measured | None = None
    gap: int | None = None
    stream_gap: int | None = None
    remark: int | None = None
    bookmarks: tuple[Bookmark, ...] = ()
    search: Search | None = None
    said: str = ""

    @classmethod
    def of(cls, document: Document) -> Session:
        low, high = document.trace.span
        viewport = Viewport.whole(low, high)
        collapsed = frozenset(
            number
            for number, track in enumerate(document.lanes_with_idle(DEFAULT_THRESHOLD))
            if track.kind is TrackKind.PYTHON and track.collapsible
        )
        timeline = Timeline(viewport, low, collapsed=collapsed)
        session = cls(document, timeline, WHOLE, document.whole)
        rows = document.trace.gpu_ops if len(document.trace.gpu_ops) else range(len(document.trace))
        if not len(rows):
            return session
        selected = session.selecting(int(rows[0]))
        return selected.with_timeline(replace(selected.timeline, viewport=viewport))

    @property
    def trace(self) -> Trace:
        return self.document.trace

    @property
    def event(self) -> int | None:
        """The selected event's row."""
        return self.timeline.event

    @property
    def gaps(self) -> GapList:
        """All gaps of the trace; `gap` counts in it."""
        return self.document.whole.gaps

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The timeline's tracks at the present threshold."""
        return self.document.lanes_with_idle(self.threshold)

    def _at(self, timeline: Timeline, gap: int | None = None) -> Session:
        return replace(self, timeline=timeline, gap=gap, stream_gap=None, remark=None, said="")

    def with_timeline(self, timeline: Timeline) -> Session:
        """The same with the timeline scrolled or arranged otherwise."""
        return replace(self, timeline=timeline)

    def saying(self, text: str) -> Session:
        """The same with a line for the user."""
        return replace(self, said=text)

    # Time

    def resized(self, width: int) -> Session:
        return replace(self, width=max(width, 1))

    def cursor_moved(self, cells: int) -> Session:
        return self._at(self.timeline.cursor_moved(self.tracks, cells, self.width))

    def cursor_to(self, at: int) -> Session:
        return self._at(self.timeline.with_cursor(self.tracks, at, self.width))

    def panned(self, share: float) -> Session:
        return self._at(self.timeline.panned(self.tracks, share, self.width))

    def zoomed(self, factor: float) -> Session:
        return replace(self, timeline=self.timeline.zoomed(factor), said="")

    def fitted(self) -> Session:
        """The whole trace on screen."""
        timeline = self.timeline
        return replace(self, timeline=replace(timeline, viewport=timeline.viewport.fitted()))

    def fitted_to_selection(self) -> Session:
        """The measured range, the selected event or gap, else the scope, filling the screen."""
        span = self.selected_span
        if self.measured is not None:
            span = (self.measured.start, self.measured.end)
        if span is None:
            span = (self.facts.rows.start, self.facts.rows.end)
        viewport = self.timeline.viewport.showing(*span)
        cursor = min(max(self.timeline.cursor, span[0]), max(span[1] - 1, span[0]))
        return replace(self, timeline=replace(self.timeline, viewport=viewport, cursor=cursor))

    @property
    def selected_span(self) -> tuple[int, int] | None:
        """The time of the selected gap or event."""
        if self.gap is not None:
            return int(self.gaps.start[self.gap]), int(self.gaps.end[self.gap])
        if self.event is not None:
            return int(self.trace.start[self.event]), int(self.trace.end[self.event])
        return None

    # Lines and events

    def line_moved(self, lines: int) -> Session:
        return self._at(self.timeline.line_moved(self.tracks, lines, self.width))

    def stepped(self, direction: int) -> Session:
        """The next or previous event in the current lane."""
        moved = self.timeline.stepped(self.tracks, direction)
        if moved is None:
            return self.saying("no further event in this lane")
        line = moved.current(self.tracks)
        if line is not None and self.tracks[line.track].names_gaps:
            strip = self.tracks[line.track].rows[line.row]
            at = int(np.searchsorted(strip.start, moved.cursor))
            return self._at(moved, int(strip.rows[at]))
        return self._at(moved)

    def selecting(self, event: int) -> Session:
        """An event selected and on screen."""
        start, end = int(self.trace.start[event]), int(self.trace.end[event])
        return self._at(self.timeline.selecting(self.tracks, event, start, end))

    def pointing_at(self, target: Target) -> Session:
        """What a table row stands for, selected without moving the timeline."""
        timeline = replace(self.timeline, event=target.event)
        return replace(
            self,
            timeline=timeline,
            gap=target.gap,
            stream_gap=target.stream_gap,
            remark=target.remark,
            said="",
        )

    def going_to(self, target: Target) -> Session:
        """What a table row stands for, on screen and zoomed so that it can be seen."""
        if target.event is not None:
            moved = self.selecting(target.event)
        else:
            moved = self._at(self.timeline.showing(target.start, target.end), target.gap)
            if target.gap is not None:
                moved = moved._onto_idle_strip()
        length = target.end - target.start
        cell = moved.timeline.viewport.span // self.width
        if length < cell:
            viewport = moved.timeline.viewport.showing(target.start, target.end, margin=4.0)
            moved = replace(moved, timeline=replace(moved.timeline, viewport=viewport))
        return replace(moved, stream_gap=target.stream_gap)

    def to_launch(self) -> Session:
        """From a GPU operation, or a gap's next one, to its launch call, both on screen."""
        event = self.event if self.gap is None else int(self.gaps.after[self.gap])
        if event is None:
            return self.saying("no event selected")
        launch = int(self.trace.launch[event])
        if launch == ABSENT:
            return self.saying("no launch record for this event")
        return self._linked(launch, event)

    def to_kernel(self) -> Session:
        """From a launch call, or anything that encloses one, to the first GPU operation; from
        a gap to the operation that ends it.
        """
        if self.gap is not None:
            return self.selecting(int(self.gaps.after[self.gap]))
        event = self.event
        if event is None:
            return self.saying("no event selected")
        ops = launched_inside(self.trace, event)
        if not len(ops):
            return self.saying("this event launched nothing on the GPU")
        return self._linked(int(ops[0]), event)

    def _linked(self, event: int, other: int) -> Session:
        trace = self.trace
        low = min(int(trace.start[event]), int(trace.start[other]))
        high = max(int(trace.end[event]), int(trace.end[other]))
        moved = self.selecting(event)
        viewport = moved.timeline.viewport.reaching(low, high)
        return replace(moved, timeline=replace(moved.timeline, viewport=viewport))

    @property
    def linked(self) -> tuple[int, ...]:
        """The other ends of the selected event's link: its launch, or what it launched."""
        if self.event is None:
            return ()
        launch = int(self.trace.launch[self.event])
        if launch != ABSENT:
            return (launch,)
        return tuple(self.trace.launched_by(self.event).tolist())

    def toggled_collapse(self) -> Session:
        return self._at(self.timeline.collapse_toggled(self.tracks))

    def toggled_empty(self) -> Session:
        return self._at(self.timeline.empty_toggled(self.tracks))

    # Gaps

    def gap_moved(self, direction: int) -> Session:
        """The next or previous gap over the threshold, by time, inside the bounds."""
        view = self.timeline.viewport
        chosen = self.gaps.over(self.threshold, view.low, view.high)
        number = self.gaps.beside(chosen, self.gap, self.timeline.cursor, direction)
        if number is None:
            return self.saying(f"no further gap of at least {duration(self.threshold)}")
        start, end = int(self.gaps.start[number]), int(self.gaps.end[number])
        moved = self.going_to(Target(start, end, gap=number))
        return replace(moved, said=f"gap of {duration(end - start)}")

    def _onto_idle_strip(self) -> Session:
        assert self.gap is not None
        device = int(self.gaps.device[self.gap])
        for number, line in enumerate(self.timeline.lines(self.tracks)):
            track = self.tracks[line.track]
            if track.kind is TrackKind.IDLE and track.device == device:
                return replace(self, timeline=replace(self.timeline, line=number, event=None))
        return self

    def threshold_moved(self, steps: int) -> Session:
        """The gap threshold some 1-2-5 steps up or down."""
        at = THRESHOLDS.index(self.threshold) + steps
        threshold = THRESHOLDS[min(max(at, 0), len(THRESHOLDS) - 1)]
        shown = duration(threshold) if threshold else "0"
        return replace(self, threshold=threshold, said=f"gaps of at least {shown}")

    # Scope and steps

    def scoped(self, scope: Scope) -> Session:
        """All tables and figures restricted to a scope; its facts have to be found yet."""
        return replace(self, scope=scope, said="")

    @property
    def is_settled(self) -> bool:
        """Whether `facts` are those of the scope."""
        return self.facts.scope == self.scope

    def settled(self) -> Session:
        """With the scope's facts, found here and now: this takes a while on a large trace."""
        return self if self.is_settled else self.with_facts(self.document.facts(self.scope))

    def with_facts(self, facts: ScopeFacts) -> Session:
        """With facts found for its scope; for another scope they come too late."""
        if facts.scope != self.scope:
            return self
        return replace(self, facts=facts, remark=None, stream_gap=None)

    def scope_cycled(self) -> Session:
        """Whole, then the step at the cursor, its annotation, the measured range."""
        choices = scope_choices(self.document, self.event, self.timeline.cursor, self.measured)
        if len(choices) == 1 and self.scope == WHOLE:
            return self.saying("no step, annotation or measured range here")
        kinds = [type(scope) for scope in choices]
        here = kinds.index(type(self.scope)) if type(self.scope) in kinds else 0
        moved = self.scoped(choices[(here + 1) % len(choices)])
        return replace(moved, said=f"scope: {moved.scope_text}")

    def step_moved(self, direction: int) -> Session:
        """The next or previous step on screen; a scope on a step moves along."""
        steps = self.document.steps
        if not len(steps):
            return self.saying("no steps in this trace")
        if isinstance(self.scope, Step):
            here = self.scope.index
        else:
            here = int(np.searchsorted(steps.start, self.timeline.cursor, "right")) - 1
        return self.to_step(here + direction)

    def to_step(self, index: int) -> Session:
        """A step, by its index, on screen."""
        steps = self.document.steps
        if not 0 <= index < len(steps):
            return self.saying("no further step" if len(steps) else "no steps in this trace")
        start, end = int(steps.start[index]), int(steps.end[index])
        owned = steps.owned(index)
        if len(owned):
            end = max(end, int(self.trace.end[owned].max()))
        viewport = self.timeline.viewport.showing(start, end, margin=0.02)
        timeline = replace(self.timeline, viewport=viewport, cursor=start, event=None)
        moved = replace(self, timeline=timeline, gap=None)
        if isinstance(self.scope, Step):
            moved = moved.scoped(Step(index))
        name = self.trace.name_of(int(steps.rows[index]))
        text = f"{name}: {duration(int(steps.end[index]) - start)} on the host"
        return replace(moved, said=text + (", an outlier" if steps.outlier[index] else ""))

    @property
    def scope_text(self) -> str:
        """The scope in a few words."""
        return scope_text(self.document, self.scope)

    # Measuring, marks, search

    def measuring(self) -> Session:
        """Sets the first end of a range at the cursor, or the second and finishes it."""
        cursor = self.timeline.cursor
        if self.mark is None:
            begun = replace(self.unmeasured(), mark=cursor)
            return begun.saying("move, then v again to measure")
        return self.measuring_range(*sorted((self.mark, cursor)))

    def measuring_range(self, low: int, high: int) -> Session:
        """[low, high) as the measured range."""
        measured = Range(low, max(high, low + 1))
        facts = self.document.measure(measured.start, measured.end)
        return replace(self, mark=None, measured=measured, measured_facts=facts, said="")

    def measuring_event(self) -> Session:
        """The selected event or gap as the measured range."""
        span = self.selected_span
        if span is None:
            return self.saying("no event selected")
        return self.measuring_range(*span)

    def bookmarked(self) -> Session:
        what = self.document.short_of(self.event) if self.event is not None else "no event"
        label = f"{duration(self.timeline.cursor)}  {what}"
        view = self.timeline.viewport
        mark = Bookmark(view.t0, view.t1, self.timeline.cursor, label)
        return replace(self, bookmarks=(*self.bookmarks, mark), said="bookmark set")

    def at_bookmark(self, number: int) -> Session:
        mark = self.bookmarks[number]
        viewport = self.timeline.viewport.showing(mark.t0, mark.t1, margin=0.0)
        timeline = replace(self.timeline, viewport=viewport)
        return self._at(timeline.with_cursor(self.tracks, mark.cursor, self.width))

    def searching(self, pattern: str) -> Session:
        """Finds names by a regular expression and goes to the next hit. Raises BadPattern."""
        if not pattern:
            return replace(self, search=None, said="")
        search = Search.of(self.document, pattern)
        return replace(self, search=search).search_moved(1, here=True)

    def search_moved(self, direction: int, here: bool = False) -> Session:
        """The next or previous hit by time, round the ends."""
        search = self.search
        if search is None:
            return self.saying("nothing to search for: / first")
        if not len(search.rows):
            return self.saying(f"no event named like /{search.pattern}/")
        view = self.timeline.viewport
        inside = search.within(self.trace, view.low, view.high)
        if not len(inside.rows):
            return self.saying(f"no event named like /{search.pattern}/ here")
        search = inside
        at = search.next(self.trace, self.timeline.cursor, self.event, direction, here)
        event = int(search.rows[at])
        start, end = int(self.trace.start[event]), int(self.trace.end[event])
        moved = self.going_to(Target(start, end, event=event))
        return replace(moved, said=f"/{search.pattern}/ {at + 1} of {len(search.rows):,}")

    @property
    def measuring_or_measured(self) -> bool:
        return self.mark is not None or self.measured is not None

    def unmeasured(self) -> Session:
        """Without the measurement, and without a scope on it."""
        undone = replace(self, mark=None, measured=None, measured_facts=None, said="")
        return undone.scoped(WHOLE) if isinstance(self.scope, Range) else undone

    def backed(self) -> Session | None:
        """Undoes the search, else the scope; None when there is neither."""
        if self.search is not None:
            return replace(self, search=None, said="")
        if self.scope != WHOLE:
            return replace(self.scoped(WHOLE), said="scope: whole trace")
        return None
