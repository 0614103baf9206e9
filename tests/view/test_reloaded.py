"""A reload: which line stays the current one, and where a scope lies in the new file."""

from __future__ import annotations

from collections.abc import Callable

import builders
import pytest
from builders import Event
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import WHOLE, Annotation, Range, Scope
from attntui.trace import Trace
from attntui.view.drawing.tracks import Track
from attntui.view.session.reopen import reloaded
from attntui.view.session.session import Session

Make = Callable[..., Trace]


def opened_on(trace: Trace) -> Session:
    return Session.of(AnalysedTrace(trace)).resized(100)


def here(session: Session) -> tuple[Track, int]:
    """The current line: its track and its row."""
    line = session.timeline.current(session.tracks)
    assert line is not None
    return session.tracks[line.track], line.row


@pytest.mark.parametrize(
    "name", ["aten::matmul", "cudaLaunchKernel", "model.py(3): forward", "softmax_warp_forward"]
)
def test_the_current_track_stays_the_current_one_under_new_ones(
    make_trace: Make, name: str
) -> None:
    old = opened_on(make_trace(two_steps()))
    old = old.selecting(old.trace.name.tolist().index(old.trace.names.index(name)))
    track, depth = here(old)
    above = [builders.kernel("a", 100, 10, stream=3), builders.kernel("b", 100, 10, stream=5)]
    fresh = opened_on(make_trace([*above, *two_steps()]))
    again = reloaded(old, fresh)
    now, row = here(again)
    assert (now.kind, now.label, row) == (track.kind, track.label, depth)
    assert again.timeline.line == old.timeline.line + 2


def test_every_line_of_the_same_file_leads_to_its_own_track(make_trace: Make) -> None:
    old = opened_on(make_trace(two_steps()))
    for number in range(len(old.timeline.lines(old.tracks))):
        moved = old.with_timeline(old.timeline.line_moved(old.tracks, number - old.timeline.line))
        now, _ = here(reloaded(moved, old))
        assert now is here(moved)[0]


def test_where_the_track_is_gone_the_first_line_is_the_current_one(make_trace: Make) -> None:
    side = builders.kernel("side", 100, 10, stream=9)
    old = opened_on(make_trace([*two_steps(), side]))
    old = old.selecting(old.trace.name.tolist().index(old.trace.names.index("side")))
    assert old.timeline.line > 0
    again = reloaded(old, opened_on(make_trace(two_steps())))
    assert again.timeline.line == 0


def regions(*names: str, first: float = 0) -> list[Event]:
    """Annotations one after another with a kernel of their own, the first one `first` us in."""
    events = []
    for number, name in enumerate(names):
        at = first + 1_000 * number
        correlation = number + 1
        events += [
            builders.annotation(name, at, 900),
            builders.launch(correlation, at + 100),
            builders.kernel(f"k{number}", at + 300, 10 + number, correlation),
        ]
    return events


def rows(session: Session, name: str) -> list[int]:
    return [r for r in range(len(session.trace)) if session.trace.name_of(r) == name]


def scope_after(make: Make, old: Session, scope: Scope, events: list[Event]) -> tuple[Scope, str]:
    """The scope in a file of `events`, and the name of the first kernel in it."""
    again = reloaded(old.scoped(scope), opened_on(make(events))).settled()
    return again.scope, again.trace.name_of(int(again.slice.rows.gpu[0]))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_annotation_is_the_one_of_its_name_at_the_same_place(
    make_trace: Make, place: int
) -> None:
    old = opened_on(make_trace(regions("fwd", "bwd", "fwd", "fwd")))
    scope = Annotation(rows(old, "fwd")[place])
    # Others come before, between and after them.
    events = regions("new", "fwd", "fwd", "bwd", "new", "fwd", "fwd")
    fresh = opened_on(make_trace(events))
    found, first = scope_after(make_trace, old, scope, events)
    assert found == Annotation(rows(fresh, "fwd")[place])
    assert first == ("k1", "k2", "k5")[place]


def test_an_annotation_that_the_new_file_has_not_is_no_scope(make_trace: Make) -> None:
    old = opened_on(make_trace(regions("fwd", "fwd", "bwd")))
    second, only = Annotation(rows(old, "fwd")[1]), Annotation(rows(old, "bwd")[0])
    fewer = regions("fwd", "other")
    assert scope_after(make_trace, old, second, fewer)[0] == WHOLE
    assert scope_after(make_trace, old, only, fewer)[0] == WHOLE
    # The last of as many is there.
    as_many = regions("fwd", "fwd")
    fresh = opened_on(make_trace(as_many))
    assert scope_after(make_trace, old, second, as_many)[0] == Annotation(rows(fresh, "fwd")[1])


def test_a_range_stays_as_it_stands(make_trace: Make) -> None:
    old = opened_on(make_trace(regions("fwd", "bwd")))
    scope = Range(1_000_000, 1_900_000)
    assert scope_after(make_trace, old, scope, regions("a", "b", "c")) == (scope, "k1")
