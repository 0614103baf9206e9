"""What the user sees and has chosen, as one value; every key is a function to the next.

A `Session` knows nothing of widgets: the screen keeps the current one and shows what
differs. `said` carries a line for the user from the last action.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.gap_list import GapList
from attntui.analysis.launches import launched_inside
from attntui.analysis.scope import WHOLE, Scope, Step
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.trace.model import ABSENT, Trace
from attntui.view.drawing.lanes import Lanes
from attntui.view.drawing.tracks import Track, TrackKind
from attntui.view.session.measured import Measured
from attntui.view.session.naming import scope_text, selection_text
from attntui.view.session.scoping import scope_choices
from attntui.view.session.search import Search
from attntui.view.session.selection import (
    NOTHING,
    EventAt,
    FindingAt,
    GapAt,
    Selection,
    event_of,
    span_of,
    step_span,
)
from attntui.view.session.timeline import Line, Timeline
from attntui.view.session.viewport import Viewport
from attntui.view.words.formats import duration

THRESHOLDS = (0, *(m * 10**e for e in range(2, 10) for m in (1, 2, 5)))
"""Gap thresholds in ns: none, then 100 ns to 5 s in steps of 1-2-5."""

DEFAULT_THRESHOLD = 1_000

UNSAID = safe("")


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A place to come back to."""

    t0: int
    t1: int
    cursor: int
    label: Safe


@dataclass(frozen=True, eq=False)
class Session:
    """An analysed trace, the timeline over it, the scope, and what is selected.

    `slice` is that of the scope once it is found: see `is_settled` and `with_slice`. `width`
    is the timeline's cells; `mark` the first end of a measurement under way.
    """

    analysed: AnalysedTrace
    lanes: Lanes
    timeline: Timeline
    scope: Scope
    slice: Slice
    selection: Selection = NOTHING
    width: int = 80
    threshold: int = DEFAULT_THRESHOLD
    mark: int | None = None
    measured: Measured | None = None
    bookmarks: tuple[Bookmark, ...] = ()
    search: Search | None = None
    said: Safe = UNSAID

    @classmethod
    def of(cls, analysed: AnalysedTrace, lanes: Lanes | None = None) -> Session:
        """The whole trace on screen, its first GPU operation (else its first event) selected."""
        lanes = lanes or Lanes(analysed)
        trace = analysed.trace
        viewport = Viewport.whole(*trace.span)
        collapsed = frozenset(
            number
            for number, track in enumerate(lanes.at(DEFAULT_THRESHOLD))
            if track.kind is TrackKind.PYTHON and track.collapsible
        )
        timeline = Timeline(viewport, trace.span[0], collapsed=collapsed)
        session = cls(analysed, lanes, timeline, WHOLE, analysed.whole)
        rows = trace.gpu_ops if len(trace.gpu_ops) else range(len(trace))
        if not len(rows):
            return session
        selected = session.selecting(int(rows[0]))
        return selected.with_timeline(replace(selected.timeline, viewport=viewport))

    def anew(self) -> Session:
        """The same trace as it is first seen."""
        return Session.of(self.analysed, self.lanes)

    @property
    def trace(self) -> Trace:
        return self.analysed.trace

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The timeline's tracks at the present threshold."""
        return self.lanes.at(self.threshold)

    # What is selected

    @property
    def event(self) -> int | None:
        """The row of the event that is selected, or that stands for what is."""
        return event_of(self.analysed, self.selection)

    @property
    def selection_text(self) -> Safe:
        """What is selected in a few words; nothing for no selection."""
        return selection_text(self.analysed, self.selection)

    @property
    def gap(self) -> GapAt | None:
        """The gap that is selected, or to which the selected finding leads."""
        chosen = self.selection
        chosen = chosen.place if isinstance(chosen, FindingAt) and chosen.place else chosen
        return chosen if isinstance(chosen, GapAt) else None

    @property
    def gap_number(self) -> int | None:
        """The number of the selected gap among those of the whole trace's devices."""
        gap = self.gap
        if gap is None or gap.stream != ABSENT:
            return None
        return self._gaps.number_of(gap.device, gap.start, gap.end)

    @property
    def _gaps(self) -> GapList:
        return self.analysed.whole.gaps

    def _device_gap(self, number: int) -> GapAt:
        gaps = self._gaps
        return GapAt(
            int(gaps.device[number]), ABSENT, int(gaps.start[number]), int(gaps.end[number])
        )

    def pointing_at(self, selected: Selection) -> Session:
        """Something selected without moving the timeline."""
        return replace(self, selection=selected, said=UNSAID)

    def _with(self, timeline: Timeline, selected: Selection) -> Session:
        return replace(self, timeline=timeline, selection=selected, said=UNSAID)

    def _under_cursor(self, timeline: Timeline) -> Session:
        """With what the moved cursor stands on selected."""
        event = timeline.at_cursor(self.tracks, self.width)
        return self._with(timeline, NOTHING if event is None else EventAt(event))

    def with_timeline(self, timeline: Timeline) -> Session:
        """The same with the timeline scrolled or arranged otherwise."""
        return replace(self, timeline=timeline)

    def _moved(self, timeline: Timeline) -> Session:
        return replace(self, timeline=timeline, said=UNSAID)

    def showing(self, viewport: Viewport) -> Session:
        """The same with another stretch of time on screen."""
        return self.with_timeline(replace(self.timeline, viewport=viewport))

    def saying(self, text: str) -> Session:
        """The same with a line for the user, cleaned here."""
        return replace(self, said=safe(text))

    # Time

    def resized(self, width: int) -> Session:
        width = max(width, 1)
        return self if width == self.width else replace(self, width=width)

    def cursor_moved(self, cells: int) -> Session:
        return self._under_cursor(self.timeline.cursor_moved(cells, self.width))

    def cursor_to(self, at: int) -> Session:
        return self._under_cursor(self.timeline.with_cursor(at))

    def panned(self, share: float) -> Session:
        return self._moved(self.timeline.panned(share))

    def zoomed(self, factor: float) -> Session:
        return self._moved(self.timeline.zoomed(factor))

    def fitted(self) -> Session:
        """The whole trace on screen."""
        return self.showing(self.timeline.viewport.fitted())

    def fitted_to_selection(self) -> Session:
        """The measured range, what is selected, else the scope, filling the screen."""
        span = span_of(self.analysed, self.selection)
        if self.measured is not None:
            span = self.measured.range.start, self.measured.range.end
        start, end = span or (self.slice.rows.start, self.slice.rows.end)
        viewport = self.timeline.viewport.showing(start, end)
        at = min(max(self.timeline.cursor, start), max(end - 1, start))
        shown = replace(self.timeline, viewport=viewport).with_cursor(at)
        return self.with_timeline(shown)

    # Lines, events, gaps

    def line_moved(self, lines: int) -> Session:
        return self._under_cursor(self.timeline.line_moved(self.tracks, lines))

    def stepped(self, direction: int) -> Session:
        """The next or previous event in the current lane, of an idle strip the gap."""
        line = self.timeline.current(self.tracks)
        names_gaps = line is not None and self.tracks[line.track].names_gaps
        here = self.gap_number if names_gaps else self.event
        found = self.timeline.stepped(self.tracks, direction, here)
        if found is None:
            return self.saying("no further event in this lane")
        timeline, number = found
        return self._with(timeline, self._device_gap(number) if names_gaps else EventAt(number))

    def selecting(self, event: int) -> Session:
        """An event selected and on screen."""
        start, end = int(self.trace.start[event]), int(self.trace.end[event])
        timeline = self.timeline.onto_event(self.tracks, event, start, end)
        return self._with(timeline, EventAt(event))

    def going_to(self, selected: Selection) -> Session:
        """Something selected, on screen and zoomed so that it can be seen; a finding leads
        to its place.
        """
        if isinstance(selected, FindingAt) and selected.place is not None:
            return self.going_to(selected.place).pointing_at(selected)
        span = span_of(self.analysed, selected)
        if span is None:
            return self.pointing_at(selected)
        event = event_of(self.analysed, selected)
        if event is not None:
            moved = self.selecting(event)
        else:
            moved = self.with_timeline(self.timeline.showing(*span))
        if isinstance(selected, GapAt):
            moved = moved._onto_lane_of(selected)
        if span[1] - span[0] < moved.timeline.viewport.span // self.width:
            moved = moved.showing(moved.timeline.viewport.showing(*span, margin=4.0))
        return moved.pointing_at(selected)

    def _onto_lane_of(self, gap: GapAt) -> Session:
        """The idle strip of a gap's device, or the gap's own stream, as the current line."""
        for number, track in enumerate(self.tracks):
            if track.device != gap.device:
                continue
            stream = None if track.lane is None else self.trace.lanes[track.lane].stream
            on_stream = track.kind is TrackKind.GPU and stream == gap.stream
            if on_stream or (track.names_gaps and gap.stream == ABSENT):
                return self.with_timeline(self.timeline.onto_line(self.tracks, Line(number, 0)))
        return self

    def _after_gap(self, gap: GapAt) -> int | None:
        """The operation that ends a gap of the scope, else of the whole trace."""
        found = self.slice.find_gap(gap.device, gap.stream, gap.start, gap.end)
        if found is None:
            return None
        gaps, number = found
        return int(gaps.after[number])

    def to_launch(self) -> Session:
        """From a GPU operation, or a gap's next one, to its launch call, both on screen."""
        event = self.event if self.gap is None else self._after_gap(self.gap)
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
        after = None if self.gap is None else self._after_gap(self.gap)
        if after is not None:
            return self.selecting(after)
        if self.event is None:
            return self.saying("no event selected")
        ops = launched_inside(self.trace, self.event)
        if not len(ops):
            return self.saying("this event launched nothing on the GPU")
        return self._linked(int(ops[0]), self.event)

    def _linked(self, event: int, other: int) -> Session:
        trace = self.trace
        low = min(int(trace.start[event]), int(trace.start[other]))
        high = max(int(trace.end[event]), int(trace.end[other]))
        moved = self.selecting(event)
        return moved.showing(moved.timeline.viewport.reaching(low, high))

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
        return self._moved(self.timeline.collapse_toggled(self.tracks))

    def toggled_empty(self) -> Session:
        return self._moved(self.timeline.empty_toggled(self.tracks))

    def gap_moved(self, direction: int) -> Session:
        """The next or previous gap over the threshold, by time, inside the bounds."""
        view = self.timeline.viewport
        chosen = self._gaps.over(self.threshold, view.low, view.high)
        number = self._gaps.beside(chosen, self.gap_number, self.timeline.cursor, direction)
        if number is None:
            return self.saying(f"no further gap of at least {duration(self.threshold)}")
        gap = self._device_gap(number)
        return self.going_to(gap).saying(f"gap of {duration(gap.end - gap.start)}")

    def threshold_moved(self, steps: int) -> Session:
        """The gap threshold some 1-2-5 steps up or down."""
        at = THRESHOLDS.index(self.threshold) + steps
        threshold = THRESHOLDS[min(max(at, 0), len(THRESHOLDS) - 1)]
        shown = duration(threshold) if threshold else "0"
        return replace(self, threshold=threshold).saying(f"gaps of at least {shown}")

    # Scope and steps

    def scoped(self, scope: Scope) -> Session:
        """All tables and figures restricted to a scope; its slice has to be found yet."""
        return replace(self, scope=scope, said=UNSAID)

    @property
    def is_settled(self) -> bool:
        """Whether `slice` is that of the scope."""
        return self.slice.scope == self.scope

    def settled(self) -> Session:
        """With the scope's slice, found here and now: this takes a while on a large trace."""
        return self if self.is_settled else self.with_slice(self.analysed.slice(self.scope))

    def with_slice(self, part: Slice) -> Session:
        """With the slice of its scope; one of another scope or trace comes too late."""
        fits = part.scope == self.scope and part.analysed is self.analysed
        return replace(self, slice=part) if fits else self

    def scope_cycled(self) -> Session:
        """Whole, then the step at the cursor, its annotation, the measured range."""
        measured = None if self.measured is None else self.measured.range
        choices = scope_choices(self.analysed, self.event, self.timeline.cursor, measured)
        if len(choices) == 1 and self.scope == WHOLE:
            return self.saying("no step, annotation or measured range here")
        kinds = [type(scope) for scope in choices]
        here = kinds.index(type(self.scope)) if type(self.scope) in kinds else 0
        moved = self.scoped(choices[(here + 1) % len(choices)])
        return moved.saying(f"scope: {moved.scope_text}")

    @property
    def scope_text(self) -> Safe:
        """The scope in a few words."""
        return scope_text(self.analysed, self.scope)

    def step_moved(self, direction: int) -> Session:
        """The next or previous step on screen; a scope on a step moves along."""
        steps = self.analysed.steps
        if isinstance(self.scope, Step):
            here = self.scope.index
        else:
            here = int(np.searchsorted(steps.start, self.timeline.cursor, "right")) - 1
        return self.to_step(here + direction)

    def to_step(self, index: int) -> Session:
        """A step, by its index, selected and on screen."""
        steps = self.analysed.steps
        if not 0 <= index < len(steps):
            return self.saying("no further step" if len(steps) else "no steps in this trace")
        start, end = step_span(self.analysed, index)
        viewport = self.timeline.viewport.showing(start, end, margin=0.02)
        timeline = replace(self.timeline, viewport=viewport).with_cursor(start)
        moved = self._with(timeline, Step(index))
        if isinstance(self.scope, Step):
            moved = moved.scoped(Step(index))
        text = f"{scope_text(self.analysed, Step(index))}: "
        text += f"{duration(int(steps.duration[index]))} on the host"
        return moved.saying(text + (", an outlier" if steps.outlier[index] else ""))
