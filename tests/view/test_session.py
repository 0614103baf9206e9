"""The session: what each key does, without a screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import builders
import pytest
from steps_trace import two_steps

from attntui.analysis.scope import WHOLE, Annotation, Range, Step
from attntui.trace import Trace
from attntui.view.document import Document
from attntui.view.tables.kernels import gaps_table
from attntui.view.session.reopen import reloaded
from attntui.view.session.session import THRESHOLDS, Session
from attntui.view.tables.order import BadPattern, Target
from attntui.view.drawing.tracks import TrackKind


@pytest.fixture
def session(make_trace: Callable[..., Trace]) -> Session:
    return Session.of(Document.build(make_trace(two_steps()))).resized(100)


def name(session: Session) -> str | None:
    return None if session.event is None else session.trace.name_of(session.event)


def row(session: Session, wanted: str, instance: int = 0) -> int:
    rows = [r for r in range(len(session.trace)) if session.trace.name_of(r) == wanted]
    return rows[instance]


def track_kind(session: Session) -> TrackKind:
    line = session.timeline.current(session.tracks)
    assert line is not None
    return session.tracks[line.track].kind


def test_opens_with_the_first_gpu_operation_selected(session: Session) -> None:
    assert name(session) == "leaked"
    assert session.timeline.viewport == session.timeline.viewport.fitted()


def test_events_follow_one_another_in_the_lane(session: Session) -> None:
    forward = [name(session)]
    for _ in range(4):
        session = session.stepped(1)
        forward.append(name(session))
    gemm = "ampere_bf16_s16816gemm_bf16_128x128_nn"
    assert forward == ["leaked", gemm, "softmax_warp_forward", gemm, "softmax_warp_forward"]
    assert session.stepped(1).said == "no further event in this lane"
    assert name(session.stepped(-1)) == gemm


def test_launch_and_kernel_lead_to_each_other_with_both_on_screen(session: Session) -> None:
    kernel = row(session, "softmax_warp_forward")
    close = session.selecting(kernel).zoomed(0.01)
    at_launch = close.to_launch()
    assert name(at_launch) == "cudaLaunchKernel"
    assert track_kind(at_launch) is TrackKind.RUNTIME
    view = at_launch.timeline.viewport
    assert view.t0 <= session.trace.start[at_launch.event]
    assert view.t1 >= session.trace.end[kernel]
    assert at_launch.linked == (kernel,)
    assert at_launch.to_kernel().event == kernel


def test_an_op_leads_to_what_was_launched_inside_it(session: Session) -> None:
    there = session.selecting(row(session, "aten::matmul")).to_kernel()
    assert name(there) == "ampere_bf16_s16816gemm_bf16_128x128_nn"


def test_what_has_no_launch_says_so(session: Session) -> None:
    assert session.to_launch().said == "no launch record for this event"
    annotation = session.selecting(row(session, "model.py(3): forward"))
    assert name(annotation.to_kernel()) is not None


def test_gaps_come_by_time_over_the_threshold(session: Session) -> None:
    lengths = []
    there = session
    for _ in range(4):
        there = there.gap_moved(1)
        assert there.gap is not None
        assert track_kind(there) is TrackKind.IDLE
        lengths.append(int(there.gaps.length[there.gap]))
    assert lengths == [590_000, 50_000, 650_000, 50_000]
    assert there.gap_moved(1).said.startswith("no further gap")
    back = there.gap_moved(-1)
    assert back.gap is not None
    assert int(back.gaps.length[back.gap]) == 650_000
    high = session.threshold_moved(THRESHOLDS.index(100_000) - THRESHOLDS.index(session.threshold))
    assert high.gap_moved(1).gap_moved(1).said == "gap of 650.0 us"


def test_idle_strip_holds_only_gaps_over_the_threshold(session: Session) -> None:
    def strip(at: Session) -> int:
        return next(len(t.events) for t in at.tracks if t.kind is TrackKind.IDLE)

    assert strip(session) == 4
    assert strip(replace(session, threshold=100_000)) == 2


def test_scope_goes_round(session: Session) -> None:
    there = session.selecting(row(session, "softmax_warp_forward", 1))
    step = there.scope_cycled().settled()
    assert step.scope == Step(1)
    assert [step.trace.name_of(int(r)) for r in step.facts.rows.gpu] == [
        "ampere_bf16_s16816gemm_bf16_128x128_nn",
        "softmax_warp_forward",
    ]
    annotation = step.scope_cycled()
    assert isinstance(annotation.scope, Annotation)
    assert annotation.scope_text == "attn_fwd"
    assert annotation.scope_cycled().scope == WHOLE


def test_a_measured_range_is_a_scope_too(session: Session) -> None:
    gpu = session.selecting(row(session, "softmax_warp_forward"))
    measured = gpu.measuring_event()
    assert measured.measured_facts is not None
    assert measured.measured_facts.busy == ((0, 1.0),)
    assert measured.measured_facts.gpu_ops == 1
    there = measured.scope_cycled()
    while not isinstance(there.scope, Range):
        there = there.scope_cycled().settled()
    assert there.facts.idle_ns == 0
    assert there.unmeasured().scope == WHOLE


def test_measuring_takes_two_ends_in_either_order(session: Session) -> None:
    begun = session.cursor_to(900_000).measuring()
    assert begun.mark == begun.timeline.cursor
    done = begun.cursor_to(300_000).measuring()
    assert done.measured == Range(300_000, 900_000)
    assert done.mark is None


def test_steps_follow_and_take_the_scope_along(session: Session) -> None:
    first = session.to_step(0)
    assert first.timeline.viewport.t0 <= session.document.steps.start[0]
    scoped = first.scoped(Step(0)).step_moved(1)
    assert scoped.scope == Step(1)
    assert scoped.step_moved(1).said == "no further step"
    assert "ProfilerStep#2: 900.0 us" in scoped.said


def test_search_wraps_and_counts(session: Session) -> None:
    there = session.searching("SOFTMAX_warp|softmax")
    assert session.searching("aten::softmax").said == "/aten::softmax/ 1 of 2"
    assert there.search is not None
    hits = []
    at = session.searching("softmax_warp")
    for _ in range(3):
        hits.append(at.event)
        at = at.search_moved(1)
    assert hits[0] == hits[2] != hits[1]
    assert session.searching("nothing such").said == "no event named like /nothing such/"
    with pytest.raises(BadPattern):
        session.searching("(")


def test_back_undoes_search_then_scope_then_nothing(session: Session) -> None:
    there = session.scoped(Step(0)).searching("softmax")
    without_search = there.backed()
    assert without_search is not None
    assert without_search.search is None
    without_scope = without_search.backed()
    assert without_scope is not None
    assert without_scope.scope == WHOLE
    assert without_scope.backed() is None


def test_bookmarks_come_back(session: Session) -> None:
    there = session.selecting(row(session, "softmax_warp_forward", 1)).zoomed(0.1)
    marked = there.bookmarked()
    away = marked.fitted().cursor_to(0)
    back = away.at_bookmark(0)
    assert back.timeline.viewport == there.timeline.viewport
    assert back.timeline.cursor == there.timeline.cursor


def test_collapsing_keeps_the_outer_row_and_opens_for_what_is_inside(session: Session) -> None:
    inner = session.selecting(row(session, "aten::mm"))
    lines = len(inner.timeline.lines(inner.tracks))
    closed = inner.toggled_collapse()
    assert len(closed.timeline.lines(closed.tracks)) < lines
    opened = closed.selecting(row(session, "aten::mm"))
    assert len(opened.timeline.lines(opened.tracks)) == lines


def test_lanes_empty_on_screen_can_be_hidden(session: Session) -> None:
    close = session.selecting(row(session, "leaked"))
    close = close.fitted_to_selection()
    hidden = close.toggled_empty()
    kinds = {hidden.tracks[line.track].kind for line in hidden.timeline.lines(hidden.tracks)}
    assert TrackKind.CPU not in kinds
    assert TrackKind.GPU in kinds
    assert track_kind(hidden) is TrackKind.GPU


def test_a_reload_keeps_place_and_scope(session: Session, make_trace: Callable[..., Trace]) -> None:
    there = session.to_step(1).scoped(Step(1))
    again = reloaded(there, Document.build(make_trace(two_steps())))
    assert again.scope == Step(1)
    assert again.timeline.viewport.t0 == there.timeline.viewport.t0
    assert again.timeline.viewport.t1 == there.timeline.viewport.t1
    assert again.event is None


def test_a_reload_of_a_grown_file_maps_what_it_can(
    session: Session, make_trace: Callable[..., Trace]
) -> None:
    inner = session.selecting(row(session, "aten::mm")).toggled_collapse().bookmarked()
    closed = {inner.tracks[number].label for number in inner.timeline.collapsed}
    scoped = inner.scoped(Annotation(row(session, "attn_fwd"))).searching("leaked")
    more = builders.kernel("side", 100, 10, stream=3)
    later = builders.kernel("late", 9_000, 10)
    document = Document.build(make_trace([more, *two_steps(), later]))
    again = reloaded(scoped, document).settled()
    assert {again.tracks[number].label for number in again.timeline.collapsed} == closed
    assert again.scope_text == "attn_fwd"
    assert len(again.facts.rows.gpu) == 2
    assert again.search is not None
    back = again.at_bookmark(0).fitted()
    assert back.timeline.viewport.high == document.trace.span[1]


def test_an_outlier_can_be_selected_with_empty_lanes_hidden(
    make_trace: Callable[..., Trace],
) -> None:
    stray = builders.cpu_op("stray", 10**15, 5)
    trace = make_trace([*two_steps(), stray])
    session = Session.of(Document.build(trace)).resized(100).toggled_empty()
    there = session.selecting(row(session, "stray"))
    view = there.timeline.viewport
    assert there.event == row(session, "stray")
    assert view.low <= there.timeline.cursor < view.high


def test_gaps_of_two_devices_that_begin_together_are_both_reached(
    make_trace: Callable[..., Trace],
) -> None:
    events = [
        builders.kernel("k", at, 100, device=device) for device in (0, 1) for at in (0, 300, 600)
    ]
    there = Session.of(Document.build(make_trace(events))).resized(100).cursor_to(0)
    devices = []
    for _ in range(4):
        there = there.gap_moved(1)
        assert there.gap is not None
        devices.append(int(there.gaps.device[there.gap]))
    assert devices == [0, 1, 0, 1]
    assert there.gap_moved(1).said.startswith("no further gap")
    table = gaps_table(there.document, there.facts.gaps, 0)
    numbers = {target.gap for i in range(4) if (target := table.target(i)) is not None}
    assert numbers == {0, 1, 2, 3}


def test_a_scope_can_always_be_left(session: Session) -> None:
    scoped = session.scoped(Step(0)).selecting(row(session, "leaked"))
    assert scoped.scope_cycled().scope == WHOLE


def test_fit_means_the_measured_range_first(session: Session) -> None:
    measured = session.cursor_to(300_000).measuring().cursor_to(900_000).measuring()
    assert measured.event is not None or measured.gap is None
    fitted = measured.fitted_to_selection().timeline.viewport
    assert fitted.t0 <= 300_000
    assert fitted.t1 >= 900_000
    assert fitted.span < 1_000_000


def test_going_to_a_target_makes_it_wide_enough_to_see(session: Session) -> None:
    kernel = row(session, "leaked")
    start = int(session.trace.start[kernel])
    there = session.going_to(Target(start, start + 10_000, event=kernel))
    assert there.event == kernel
    assert there.timeline.viewport.span < session.timeline.viewport.span


def test_the_cursor_moves_on_at_every_zoom(session: Session) -> None:
    close = session
    for _ in range(20):
        close = close.zoomed(0.5)
    there = close
    for _ in range(150):
        moved = there.cursor_moved(1)
        assert moved.timeline.cursor > there.timeline.cursor
        there = moved
    for _ in range(150):
        moved = there.cursor_moved(-1)
        assert moved.timeline.cursor < there.timeline.cursor
        there = moved
