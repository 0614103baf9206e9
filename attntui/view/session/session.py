"""What the user sees and has chosen, as one value; every key is a function to the next.

A `Session` knows nothing of widgets: the screen keeps the current one and shows what
differs. `said` carries a line for the user from the last action.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention import AttentionCall
from attntui.analysis.scope import WHOLE, Scope, Step
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.trace.model import ABSENT, Trace
from attntui.view.drawing.lanes import Lanes
from attntui.view.drawing.tracks import Track, TrackKind
from attntui.view.session.gaps import gap_beside
from attntui.view.session.lines import led_to, line_of, number_on, selection_on
from attntui.view.session.measured import Measured
from attntui.view.session.naming import scope_text, selection_text
from attntui.view.session.places import NO_JUMPS, Bookmark, Jumps, Place, Scrolled
from attntui.view.session.search import Search
from attntui.view.session.selection import (
    NOTHING,
    CallAt,
    EventAt,
    FindingAt,
    GapAt,
    RoleAt,
    Selection,
    call_of,
    event_of,
    span_of,
    step_span,
)
from attntui.view.session.timeline import Timeline
from attntui.view.session.viewport import Viewport
from attntui.view.words.formats import duration

THRESHOLDS = (0, *(m * 10**e for e in range(2, 10) for m in (1, 2, 5)))
"""Gap thresholds in ns: none, then 100 ns to 5 s in steps of 1-2-5."""

DEFAULT_THRESHOLD = 1_000

UNSAID = safe("")

EDGE, FIT_EDGE = 0.02, 0.15
"""Blank on both sides of what a view is fitted to, as a share of it: tight, and with some of
what stands round it.
"""


@dataclass(frozen=True, eq=False)
class Session:
    """An analysed trace, the timeline over it, the scope, and what is selected.

    `slice` is that of the scope once it is found: see `is_settled` and `with_slice`. `width`
    is the timeline's cells; `mark` the first end of a measurement under way; `pane` the name
    of the pane that has the focus; `lists` how far those on screen were scrolled before the
    last step; `jumps` the way back.
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
    pane: str = ""
    lists: tuple[Scrolled, ...] = ()
    jumps: Jumps[Place] = NO_JUMPS
    said: Safe = UNSAID

    @classmethod
    def of(cls, analysed: AnalysedTrace, lanes: Lanes | None = None) -> Session:
        """The devices' work on screen (of a trace without any, all of it), its first GPU
        operation (else its first event) selected.
        """
        lanes = lanes or Lanes(analysed)
        trace = analysed.trace
        viewport = _work_of(analysed, Viewport.whole(*trace.span))
        collapsed = frozenset(
            number
            for number, track in enumerate(lanes.at(DEFAULT_THRESHOLD))
            if track.kind is TrackKind.PYTHON and track.collapsible
        )
        timeline = Timeline(viewport, viewport.t0, collapsed=collapsed)
        session = cls(analysed, lanes, timeline, WHOLE, analysed.whole)
        rows = trace.gpu_ops if len(trace.gpu_ops) else range(len(trace))
        if not len(rows):
            return session
        return session.selecting(int(rows[0])).showing(viewport)

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
        chosen = led_to(self.selection)
        return chosen if isinstance(chosen, GapAt) else None

    def pointing_at(self, selected: Selection) -> Session:
        """Something selected without moving the timeline."""
        return replace(self, selection=selected, said=UNSAID)

    def _with(self, timeline: Timeline, selected: Selection) -> Session:
        return replace(self, timeline=timeline, selection=selected, said=UNSAID)

    def turning_to(self, selected: Selection) -> Session:
        """Something selected without another stretch of time on screen; where its start is on
        screen, the cursor goes there.
        """
        moved, span = self.pointing_at(selected), span_of(self.analysed, selected)
        view = self.timeline.viewport
        if span is None or not view.t0 <= span[0] < view.t1:
            return moved
        there = replace(self.timeline, cursor=span[0])
        return moved.with_timeline(there).on_its_line()

    def _under_cursor(self, timeline: Timeline) -> Session:
        """With what the moved cursor stands on selected."""
        line, number = timeline.current(self.tracks), timeline.at_cursor(self.tracks, self.width)
        if line is None or number is None:
            return self._with(timeline, NOTHING)
        return self._with(timeline, selection_on(self.analysed, self.tracks[line.track], number))

    def on_its_line(self) -> Session:
        """With the line of what is selected as the current one, and of an attention call that
        of its op on the host on screen too.
        """
        line = line_of(self.analysed, self.tracks, self.selection)
        if line is None:
            return self
        timeline, op = self.timeline.onto_line(self.tracks, line), self.event
        if isinstance(led_to(self.selection), CallAt) and op is not None:
            host = line_of(self.analysed, self.tracks, EventAt(op))
            timeline = timeline if host is None else timeline.led_by(self.tracks, host)
        return self.with_timeline(timeline)

    def with_timeline(self, timeline: Timeline) -> Session:
        """The same with the timeline scrolled or arranged otherwise."""
        return replace(self, timeline=timeline)

    def _moved(self, timeline: Timeline) -> Session:
        """With another stretch of time on screen, on the same line where it is still shown."""
        kept = timeline.staying(self.tracks, self.timeline.current(self.tracks))
        return replace(self, timeline=kept, said=UNSAID)

    def showing(self, viewport: Viewport) -> Session:
        """The same with another stretch of time on screen."""
        return self._moved(self.timeline.with_viewport(viewport))

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
        """Zoomed at what is selected where it is on screen, else at the cursor."""
        onto = span_of(self.analysed, self.selection)
        return self._moved(self.timeline.zoomed(factor, onto))

    def zoomed_at(self, at: int, factor: float) -> Session:
        """Zoomed round a time on screen, as by the mouse."""
        viewport = self.timeline.viewport.zoomed(factor, at)
        return self._moved(self.timeline.with_viewport(viewport))

    def fitted(self) -> Session:
        """The whole trace on screen."""
        return self.showing(self.timeline.viewport.fitted())

    def fitted_to_work(self) -> Session:
        """The devices' work on screen; where it is there already, the whole trace."""
        work = _work_of(self.analysed, self.timeline.viewport)
        return self.fitted() if work == self.timeline.viewport else self.showing(work)

    def fitted_to_selection(self) -> Session:
        """What is selected, else the scope, filling the screen."""
        span = span_of(self.analysed, self.selection)
        start, end = span or (self.slice.rows.start, self.slice.rows.end)
        # The kernels of a call need the room that others can leave blank.
        blank = EDGE if isinstance(self.selection, CallAt) else FIT_EDGE
        viewport = self.timeline.viewport.showing(start, end, margin=blank)
        at = min(max(self.timeline.cursor, start), max(end - 1, start))
        return self._moved(replace(self.timeline, viewport=viewport).with_cursor(at))

    # Lines, events, gaps

    def line_moved(self, lines: int) -> Session:
        return self._under_cursor(self.timeline.line_moved(self.tracks, lines))

    def stepped(self, direction: int) -> Session:
        """The next or previous thing in the current lane: an event, a gap, an attention call."""
        line = self.timeline.current(self.tracks)
        track = None if line is None else self.tracks[line.track]
        here = None if track is None else number_on(self.analysed, track, self.selection)
        found = self.timeline.stepped(self.tracks, direction, here)
        if found is None or track is None:
            return self.saying("no further event in this lane")
        timeline, number = found
        return self._with(timeline, selection_on(self.analysed, track, number))

    def selecting(self, event: int) -> Session:
        """An event selected and on screen."""
        start, end = int(self.trace.start[event]), int(self.trace.end[event])
        return self._with(self.timeline.onto(start, end), EventAt(event)).on_its_line()

    def onto_role(self, call: int, row: int) -> Session:
        """A GPU operation of an attention call selected as a role of it, and on screen."""
        return self.selecting(row).pointing_at(RoleAt(call, row))

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
        if event is not None and not isinstance(selected, CallAt):
            moved = self.selecting(event).pointing_at(selected)
        else:
            moved = self.with_timeline(self.timeline.showing(*span)).pointing_at(selected)
        if span[1] - span[0] < moved.timeline.viewport.span // self.width:
            moved = moved.showing(moved.timeline.viewport.showing(*span, margin=4.0))
        return moved.on_its_line()

    @property
    def linked(self) -> tuple[int, ...]:
        """The other ends of the selected event's link: its launch, or what it launched."""
        if self.event is None:
            return ()
        launch = int(self.trace.launch[self.event])
        if launch != ABSENT:
            return (launch,)
        return tuple(self.trace.launched_by(self.event).tolist())

    @property
    def call(self) -> AttentionCall | None:
        """The attention call that is selected, in whole or in one of its roles."""
        return call_of(self.analysed, self.selection)

    def _arranged(self, timeline: Timeline) -> Session:
        return replace(self, timeline=timeline, said=UNSAID)

    def toggled_collapse(self) -> Session:
        return self._arranged(self.timeline.collapse_toggled(self.tracks))

    def toggled_empty(self) -> Session:
        return self._arranged(self.timeline.empty_toggled(self.tracks))

    def lanes_scrolled(self, lines: int, height: int) -> Session:
        """The lanes under the pinned ones scrolled, on a screen of `height` lines."""
        return self._arranged(self.timeline.lanes_scrolled(self.tracks, lines, height))

    def lanes_on_screen(self, height: int) -> Session:
        """Scrolled so that the current line is on a screen of `height` lines."""
        return self.with_timeline(self.timeline.scrolled(self.tracks, height))

    def lane_hidden(self) -> Session:
        """Without the current lane on screen."""
        hidden = self.timeline.lane_hidden(self.tracks)
        return self.saying("the last lane stays") if hidden is None else self._arranged(hidden)

    def all_lanes_shown(self) -> Session:
        """With the lanes that were hidden one by one."""
        return self._arranged(self.timeline.all_lanes_shown(self.tracks))

    def lane_moved(self, direction: int) -> Session:
        """The current lane one place up (-1) or down (1)."""
        moved = self.timeline.lane_moved(self.tracks, direction)
        return self.saying("the lane cannot go further") if moved is None else self._arranged(moved)

    def gap_moved(self, direction: int) -> Session:
        """The next or previous gap of the scope over the threshold, by time, inside the bounds;
        from the gap of a stream the next one of that stream.
        """
        found = gap_beside(self.slice, self.gap, self.timeline, self.threshold, direction)
        if found is None:
            return self.saying(f"no further gap of at least {duration(self.threshold)}")
        return self.going_to(found)

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
        viewport = self.timeline.viewport.showing(start, end, margin=EDGE)
        timeline = replace(self.timeline, viewport=viewport).with_cursor(start)
        moved = self._with(timeline, Step(index))
        if isinstance(self.scope, Step):
            moved = moved.scoped(Step(index))
        text = f"{scope_text(self.analysed, Step(index))}: "
        text += f"{duration(int(steps.duration[index]))} on the host"
        return moved.saying(text + (", an outlier" if steps.outlier[index] else ""))


def _work_of(analysed: AnalysedTrace, viewport: Viewport) -> Viewport:
    """The stretch of a view's bounds in which devices worked, else all of it."""
    devices = analysed.whole.devices
    if not devices:
        return viewport.fitted()
    start = min(device.start for device in devices)
    return viewport.showing(start, max(device.end for device in devices), margin=EDGE)
