"""The timeline as a value, over tracks of made-up traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import builders
import pytest
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import Trace
from attntui.view.drawing.tracks import TrackKind
from attntui.view.session.session import Session
from attntui.view.session.timeline import Line, Timeline
from attntui.view.session.viewport import Viewport


@pytest.fixture
def session(make_trace: Callable[..., Trace]) -> Session:
    return Session.of(AnalysedTrace(make_trace(two_steps()))).resized(100)


def test_scrolling_moves_the_least_that_shows_the_line(session: Session) -> None:
    tracks = session.tracks
    last = len(session.timeline.lines(tracks)) - 1
    assert last > 4

    def top(line: int, top: int, height: int = 3) -> int:
        return replace(session.timeline, line=line, top=top).scrolled(tracks, height).top

    assert top(0, 0) == 0
    assert top(2, 0) == 0
    assert top(3, 0) == 1
    assert top(1, 2) == 1
    assert top(last, last) == last - 2
    assert top(last, 0, last + 9) == 0
    assert replace(session.timeline, line=last + 5).scrolled(tracks, 3).line == last


def test_no_line_is_no_place() -> None:
    bare = Timeline(Viewport.whole(0, 1_000), 0)
    assert bare.current(()) is None
    assert bare.scrolled((), 5).top == 0
    assert bare.line_moved((), 1).line == 0
    assert bare.stepped((), 1, None) is None
    assert bare.collapse_toggled(()) is bare
    assert bare.empty_toggled(()).line == 0


def test_collapsed_tracks_keep_one_line(session: Session) -> None:
    tracks = session.tracks
    number = next(i for i, t in enumerate(tracks) if t.kind is TrackKind.CPU and t.height > 1)
    shown = replace(session.timeline, collapsed=frozenset({number})).lines(tracks)
    assert [line for line in shown if line.track == number] == [Line(number, 0)]


def test_a_step_back_leaves_the_selected_event(session: Session) -> None:
    tracks, timeline = session.tracks, session.timeline
    gpu = next(i for i, t in enumerate(tracks) if t.kind is TrackKind.GPU)
    rows = tracks[gpu].rows[0]
    here = timeline.onto_line(tracks, Line(gpu, 0)).with_cursor(int(rows.start[1]) + 10)
    back = here.stepped(tracks, -1, int(rows.rows[1]))
    assert back is not None
    assert back[1] == int(rows.rows[0])
    begun = here.stepped(tracks, -1, None)
    assert begun is not None
    assert begun[1] == int(rows.rows[1])


def test_steps_stay_inside_the_bounds(make_trace: Callable[..., Trace]) -> None:
    events = [builders.kernel("k", at, 10) for at in (0, 100, 200)]
    session = Session.of(AnalysedTrace(make_trace(events)))
    tracks = session.tracks
    gpu = next(i for i, t in enumerate(tracks) if t.kind is TrackKind.GPU)
    unit = Viewport(90_000, 190_000, 90_000, 190_000)
    here = replace(session.timeline, viewport=unit, cursor=100_000).onto_line(tracks, Line(gpu, 0))
    assert here.stepped(tracks, 1, None) is None
    assert here.stepped(tracks, -1, None) is None


def test_an_event_longer_than_the_screen_is_shown_from_its_start() -> None:
    timeline = Timeline(Viewport(5_000, 6_000, 0, 10_000), 5_000)
    assert timeline.onto(2_000, 9_000).viewport == Viewport(2_000, 3_000, 0, 10_000)
    exact = timeline.onto(2_000, 3_000).viewport
    assert exact.t0 <= 2_000
    assert exact.t1 >= 3_000
    assert exact.span > 1_000
