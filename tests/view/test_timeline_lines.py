"""Lines of the timeline: which are hidden as empty, and a collapsed track that opens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import builders
import pytest

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import Trace
from attntui.view.drawing.tracks import TrackKind
from attntui.view.session.session import Session
from attntui.view.session.timeline import Line

EVENTS = [
    builders.cpu_op("aten::outer", 0, 100),
    builders.cpu_op("aten::inner", 20, 10),
    builders.launch(1, 22, 2),
    builders.python_function("model.py(1): forward", 200, 100),
    builders.kernel("k", 120, 20, 1),
    builders.kernel("l", 400, 20, 2, stream=9),
    builders.cpu_op("aten::last", 900, 100, tid=200),
    builders.memory(50, 512, 512, 1_024),
]


@pytest.fixture
def plain(make_trace: Callable[..., Trace]) -> Session:
    return Session.of(AnalysedTrace(make_trace(EVENTS))).resized(100)


def shown(session: Session, start: float, end: float) -> Session:
    """With the stretch from `start` to `end` us on screen and empty tracks hidden."""
    view = session.timeline.viewport
    viewport = replace(view, t0=round(start * 1000), t1=round(end * 1000))
    timeline = replace(session.timeline, viewport=viewport, hide_empty=True)
    return session.with_timeline(timeline)


def numbers(session: Session, kind: TrackKind) -> list[int]:
    return [number for number, track in enumerate(session.tracks) if track.kind is kind]


def kept(session: Session) -> set[int]:
    return {line.track for line in session.timeline.lines(session.tracks)}


def filled(session: Session) -> set[tuple[TrackKind, str]]:
    """The shown tracks that have events of the trace, each by what its first one is called."""
    return {
        (track.kind, session.trace.name_of(int(track.events[0])))
        for track in (session.tracks[number] for number in kept(session))
        if track.rows and not track.names_gaps and track.kind is not TrackKind.ATTENTION
    }


CPU, GPU = (TrackKind.CPU, "aten::outer"), (TrackKind.GPU, "k")
RUNTIME, PYTHON = (
    (TrackKind.RUNTIME, "cudaLaunchKernel"),
    (TrackKind.PYTHON, "model.py(1): forward"),
)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 100, {CPU, RUNTIME}),
        # An event of a deeper row is on screen only together with what holds it.
        (24, 26, {CPU}),
        (23.5, 26, {CPU, RUNTIME}),
        # Up to the last nanosecond, and no further.
        (99.999, 101, {CPU}),
        (100, 101, set()),
        (110, 120, set()),
        (110, 120.001, {GPU}),
        (139.999, 141, {GPU}),
        (140, 141, set()),
        (250, 260, {PYTHON}),
        (0, 1000, {CPU, RUNTIME, GPU, PYTHON, (TrackKind.GPU, "l"), (TrackKind.CPU, "aten::last")}),
    ],
)
def test_a_track_is_hidden_where_none_of_its_events_is_on_screen(
    plain: Session, start: float, end: float, expected: set[tuple[TrackKind, str]]
) -> None:
    assert filled(shown(plain, start, end)) == expected


def test_idle_strips_and_curves_are_never_hidden(plain: Session) -> None:
    idle, memory = numbers(plain, TrackKind.IDLE), numbers(plain, TrackKind.MEMORY)
    assert idle
    assert memory
    # Inside a kernel, and where nothing is recorded.
    for start, end in ((125, 130), (600, 700)):
        assert {*idle, *memory} <= kept(shown(plain, start, end))
    assert not any(plain.tracks[number].rows for number in memory)


def test_a_track_is_kept_for_an_event_of_any_of_its_rows(make_trace: Callable[..., Trace]) -> None:
    events = [
        builders.cpu_op("aten::first", 0, 50),
        # Lies across the end of the one it began in, so that it stands alone in the second row.
        builders.cpu_op("aten::second", 40, 100),
        builders.kernel("k", 500, 10),
    ]
    session = Session.of(AnalysedTrace(make_trace(events)))
    (cpu,) = numbers(session, TrackKind.CPU)
    assert session.tracks[cpu].height == 2
    assert cpu in kept(shown(session, 100, 110))
    assert cpu not in kept(shown(session, 140, 150))
    assert cpu in kept(shown(session, 10, 11))


def event(session: Session, name: str) -> int:
    return next(r for r in range(len(session.trace)) if session.trace.name_of(r) == name)


def closed(session: Session) -> tuple[Session, int]:
    """With every track collapsed, and the number of the CPU track."""
    cpu = numbers(session, TrackKind.CPU)[0]
    every = frozenset(range(len(session.tracks)))
    return session.with_timeline(replace(session.timeline, collapsed=every)), cpu


def test_what_lies_in_a_collapsed_track_opens_that_track_alone(plain: Session) -> None:
    session, cpu = closed(plain)
    there = session.selecting(event(session, "aten::inner")).timeline
    assert there.collapsed == session.timeline.collapsed - {cpu}
    assert there.current(session.tracks) == Line(cpu, 1)


def test_the_outer_row_of_a_collapsed_track_does_not_open_it(plain: Session) -> None:
    session, cpu = closed(plain)
    there = session.selecting(event(session, "aten::outer")).timeline
    assert there.collapsed == session.timeline.collapsed
    assert there.current(session.tracks) == Line(cpu, 0)


def test_what_lies_in_an_open_track_opens_no_other(plain: Session) -> None:
    session, cpu = closed(plain)
    others = session.timeline.collapsed - {cpu}
    session = session.with_timeline(replace(session.timeline, collapsed=others))
    there = session.selecting(event(session, "aten::inner")).timeline
    assert there.collapsed == others
    assert there.current(session.tracks) == Line(cpu, 1)
