"""The session: what each key does, without a screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import builders
import pytest
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import WHOLE, Annotation, Range, Step
from attntui.safe import safe
from attntui.trace import Trace, load
from attntui.trace.model import ABSENT
from attntui.view.drawing.tracks import TrackKind
from attntui.view.patterns import BadPattern
from attntui.view.session.keys import KEYS, Key
from attntui.view.session.links import to_kernel, to_launch
from attntui.view.session.marks import (
    at_bookmark,
    backed,
    bookmarked,
    measuring,
    measuring_selection,
    search_moved,
    searching,
    unmeasured,
)
from attntui.view.session.reopen import reloaded
from attntui.view.session.scoping import offered, scoping
from attntui.view.session.selection import (
    NOTHING,
    CallAt,
    EventAt,
    FindingAt,
    GapAt,
    Nothing,
    Selection,
    span_of,
)
from attntui.view.session.session import THRESHOLDS, Session
from attntui.view.tables.scopes import scope_menu
from attntui.view.words import status

DEVICE_GAP = GapAt(0, ABSENT, 800_000, 850_000)


def over(trace: Trace) -> Session:
    return Session.of(AnalysedTrace(trace)).resized(100)


@pytest.fixture
def session(make_trace: Callable[..., Trace]) -> Session:
    return over(make_trace(two_steps()))


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


def test_opens_on_the_work_of_the_devices_not_on_the_span_of_the_profiler(
    session: Session,
) -> None:
    view, device = session.timeline.viewport, session.slice.devices[0]
    assert view.t0 <= device.start
    assert device.end <= view.t1
    assert view.span < 1.1 * device.span_ns < view.high - view.low
    whole = session.fitted_to_work()
    assert whole.timeline.viewport == view.fitted()
    assert whole.fitted_to_work().timeline.viewport == view


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
    at_launch = to_launch(close)
    assert name(at_launch) == "cudaLaunchKernel"
    assert track_kind(at_launch) is TrackKind.RUNTIME
    view = at_launch.timeline.viewport
    assert view.t0 <= session.trace.start[at_launch.event]
    assert view.t1 >= session.trace.end[kernel]
    assert at_launch.linked == (kernel,)
    assert to_kernel(at_launch).event == kernel


def test_an_op_leads_to_what_was_launched_inside_it(session: Session) -> None:
    there = to_kernel(session.selecting(row(session, "aten::matmul")))
    assert name(there) == "ampere_bf16_s16816gemm_bf16_128x128_nn"


def test_what_has_no_launch_says_so(session: Session) -> None:
    assert to_launch(session).said == "no launch record for this event"
    annotation = session.selecting(row(session, "model.py(3): forward"))
    assert name(to_kernel(annotation)) is not None


def test_gaps_come_by_time_over_the_threshold(session: Session) -> None:
    lengths = []
    there = session
    for _ in range(4):
        there = there.gap_moved(1)
        assert there.gap is not None
        assert track_kind(there) is TrackKind.IDLE
        lengths.append(there.gap.end - there.gap.start)
    assert lengths == [590_000, 50_000, 650_000, 50_000]
    assert there.gap_moved(1).said.startswith("no further gap")
    back = there.gap_moved(-1)
    assert back.gap is not None
    assert back.gap.end - back.gap.start == 650_000
    high = session.threshold_moved(THRESHOLDS.index(100_000) - THRESHOLDS.index(session.threshold))
    assert high.gap_moved(1).gap_moved(1).selection_text == "gap 650.0 us"


def test_idle_strip_holds_only_gaps_over_the_threshold(session: Session) -> None:
    def strip(at: Session) -> int:
        return next(len(t.events) for t in at.tracks if t.kind is TrackKind.IDLE)

    assert strip(session) == 4
    assert strip(replace(session, threshold=100_000)) == 2


def test_the_likely_scope_is_the_next_narrower_one(session: Session) -> None:
    there = session.selecting(row(session, "softmax_warp_forward", 1))
    step = scoping(there, offered(there)[1]).settled()
    assert step.scope == Step(1)
    assert [step.trace.name_of(int(r)) for r in step.slice.rows.gpu] == [
        "ampere_bf16_s16816gemm_bf16_128x128_nn",
        "softmax_warp_forward",
    ]
    annotation = scoping(step, offered(step)[1])
    assert isinstance(annotation.scope, Annotation)
    assert annotation.scope_text == "attn_fwd"
    assert annotation.selection == there.selection
    assert offered(annotation)[1] == WHOLE


def test_a_selected_step_is_offered_wherever_the_cursor_is(session: Session) -> None:
    there = session.cursor_to(700_000).pointing_at(Step(1))
    choices, likely = offered(there)
    assert likely == Step(1)
    assert [choice for choice in choices if isinstance(choice, Step)] == [Step(1)]
    menu = scope_menu(there)
    assert menu.scope(menu.first) == Step(1)


def test_a_measured_range_is_a_scope_too(session: Session) -> None:
    gpu = session.selecting(row(session, "softmax_warp_forward"))
    measured = measuring_selection(gpu)
    assert measured.measured is not None
    assert measured.measured.busy == ((0, 1.0),)
    assert measured.measured.gpu_ops == 1
    likely = offered(measured)[1]
    assert likely == measured.selection == measured.measured.range
    there = scoping(measured, likely).settled()
    assert there.slice.idle_ns == 0
    assert unmeasured(there).scope == WHOLE


def test_measuring_takes_two_ends_in_either_order(session: Session) -> None:
    begun = measuring(session.cursor_to(900_000))
    assert begun.mark == begun.timeline.cursor
    done = measuring(begun.cursor_to(300_000))
    assert done.measured is not None
    assert done.measured.range == done.selection == Range(300_000, 900_000)
    assert done.mark is None


def test_steps_follow_and_take_the_scope_along(session: Session) -> None:
    first = session.to_step(0)
    assert first.timeline.viewport.t0 <= session.analysed.steps.start[0]
    scoped = first.scoped(Step(0)).step_moved(1)
    assert scoped.scope == Step(1)
    assert scoped.step_moved(1).said == "no further step"
    assert "ProfilerStep#2: 900.0 us" in scoped.said


def test_search_wraps_and_counts(session: Session) -> None:
    there = searching(session, "SOFTMAX_warp|softmax")
    assert searching(session, "aten::softmax").said == "/aten::softmax/ 1 of 2"
    assert there.search is not None
    hits = []
    at = searching(session, "softmax_warp")
    for _ in range(3):
        hits.append(at.event)
        at = search_moved(at, 1)
    assert hits[0] == hits[2] != hits[1]
    assert searching(session, "nothing such").said == "no event named like /nothing such/"
    with pytest.raises(BadPattern):
        searching(session, "(")


def test_back_undoes_search_then_scope_then_nothing(session: Session) -> None:
    there = searching(session.scoped(Step(0)), "softmax")
    without_search = backed(there)
    assert without_search is not None
    assert without_search.search is None
    without_scope = backed(without_search)
    assert without_scope is not None
    assert without_scope.scope == WHOLE
    assert backed(without_scope) is None


def test_bookmarks_come_back(session: Session) -> None:
    there = session.selecting(row(session, "softmax_warp_forward", 1)).zoomed(0.1)
    marked = bookmarked(there)
    away = marked.fitted().cursor_to(0)
    back = at_bookmark(away, 0)
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
    again = reloaded(there, over(make_trace(two_steps())))
    assert again.scope == Step(1)
    assert again.timeline.viewport.t0 == there.timeline.viewport.t0
    assert again.timeline.viewport.t1 == there.timeline.viewport.t1
    assert again.selection == there.selection
    assert again.slice is not there.slice
    assert again.slice.analysed is again.analysed


def test_a_reload_of_a_grown_file_maps_what_it_can(
    session: Session, make_trace: Callable[..., Trace]
) -> None:
    inner = bookmarked(session.selecting(row(session, "aten::mm")).toggled_collapse())
    closed = {inner.tracks[number].label for number in inner.timeline.collapsed}
    scoped = searching(inner.scoped(Annotation(row(session, "attn_fwd"))), "leaked")
    more = builders.kernel("side", 100, 10, stream=3)
    later = builders.kernel("late", 9_000, 10)
    fresh = over(make_trace([more, *two_steps(), later]))
    again = reloaded(scoped, fresh).settled()
    assert {again.tracks[number].label for number in again.timeline.collapsed} == closed
    assert again.scope_text == "attn_fwd"
    assert len(again.slice.rows.gpu) == 2
    assert again.search is not None
    back = at_bookmark(again, 0).fitted()
    assert back.timeline.viewport.high == fresh.trace.span[1]


def test_gaps_of_two_devices_that_begin_together_are_both_reached(
    make_trace: Callable[..., Trace],
) -> None:
    events = [
        builders.kernel("k", at, 100, device=device) for device in (0, 1) for at in (0, 300, 600)
    ]
    there = over(make_trace(events)).cursor_to(0)
    devices = []
    for _ in range(4):
        there = there.gap_moved(1)
        assert there.gap is not None
        devices.append(there.gap.device)
    assert devices == [0, 1, 0, 1]
    assert there.gap_moved(1).said.startswith("no further gap")


def test_a_scope_can_always_be_left(session: Session) -> None:
    scoped = session.scoped(Step(0)).selecting(row(session, "leaked"))
    assert offered(scoped)[1] == WHOLE


def test_fit_means_the_measured_range(session: Session) -> None:
    measured = measuring(measuring(session.cursor_to(300_000)).cursor_to(900_000))
    fitted = measured.fitted_to_selection().timeline.viewport
    assert fitted.t0 <= 300_000
    assert fitted.t1 >= 900_000
    assert fitted.span < 1_000_000


def test_going_to_a_target_makes_it_wide_enough_to_see(session: Session) -> None:
    kernel = row(session, "leaked")
    there = session.going_to(EventAt(kernel))
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


def every_selection(session: Session) -> list[Selection]:
    """One of each kind that this trace has."""
    kernel = row(session, "softmax_warp_forward", 1)
    return [
        NOTHING,
        EventAt(kernel),
        DEVICE_GAP,
        GapAt(0, 7, 800_000, 850_000),
        FindingAt("idle", DEVICE_GAP),
        FindingAt("idle"),
        Step(1),
        Range(100_000, 300_000),
    ]


QUIET = ("pan_left", "page_right", "zoom_in", "zoom_out", "fit_all", "fit_selection")
"""Keys that change what is shown, and nothing else."""


@pytest.mark.parametrize(
    "key", [key for key in KEYS if key.name in (*QUIET, "threshold_up", "measure")]
)
def test_a_selection_outlives_other_views(session: Session, key: Key) -> None:
    assert key.step is not None
    for selected in every_selection(session):
        before = session.pointing_at(selected)
        assert key.step(before).settled().selection == selected
        assert scoping(before, Step(1)).settled().selection == selected


def test_going_to_something_selects_it_and_shows_it(session: Session) -> None:
    far = session.going_to(EventAt(row(session, "leaked"))).zoomed(0.001)
    for selected in every_selection(session):
        there = far.going_to(selected)
        assert there.selection == selected
        place = selected.place if isinstance(selected, FindingAt) else selected
        if not isinstance(place, Nothing | None):
            view = there.timeline.viewport
            span = span_of(there.analysed, place)
            assert span is not None
            assert view.t0 <= span[0] < view.t1
            assert there.timeline.cursor == span[0]


def test_a_gap_of_a_stream_is_shown_on_its_stream(session: Session) -> None:
    there = session.going_to(GapAt(0, 7, 800_000, 850_000))
    line = there.timeline.current(there.tracks)
    assert line is not None
    assert there.tracks[line.track].label == "GPU 0 s7"
    assert name(to_kernel(there)) == "softmax_warp_forward"
    assert name(to_launch(there)) == "cudaLaunchKernel"
    assert track_kind(session.going_to(DEVICE_GAP)) is TrackKind.IDLE


def test_a_call_stands_for_its_op(corpus: Path) -> None:
    session = over(load(corpus / "h200" / "blog_naive.json.gz"))
    there = session.going_to(CallAt(1))
    assert there.event == session.analysed.attention[1].op
    assert there.selection == CallAt(1)
    assert there.selection_text.startswith("naive fwd")


def test_the_previous_match_is_the_one_before(session: Session) -> None:
    first = searching(session.cursor_to(0), "softmax_warp")
    second = search_moved(first, 1)
    assert [first.event, second.event] == [
        row(session, "softmax_warp_forward", at) for at in (0, 1)
    ]
    assert search_moved(second, -1).event == first.event
    assert search_moved(second, -1).said == "/softmax_warp/ 1 of 2"


def test_a_page_is_more_than_a_pan(session: Session) -> None:
    close = session.cursor_to(2_000_000).zoomed(0.1)
    steps = {key.name: key.step for key in KEYS}

    def moved(name: str) -> float:
        step = steps[name]
        assert step is not None
        view = close.timeline.viewport
        return (step(close).timeline.viewport.t0 - view.t0) / view.span

    assert moved("pan_right") == pytest.approx(0.1, abs=0.01)
    assert moved("pan_left") == pytest.approx(-0.1, abs=0.01)
    assert moved("page_left") == pytest.approx(-0.9, abs=0.01)
    assert moved("page_right") == pytest.approx(0.9, abs=0.01)


def test_what_is_said_and_named_is_safe(make_trace: Callable[..., Trace]) -> None:
    evil = "\x1b]52;c;ZXZpbA==\x07\u202eevil"
    events = [
        builders.thread_name(f"thread 100 ({evil})"),
        builders.cpu_op(evil, 0, 50),
        builders.kernel("k", 10, 10),
        builders.complete(evil, "other", 5, 5, tid=evil),
    ]
    session = over(make_trace(events))
    there = searching(session, "evil")
    assert name(there) == evil
    for text in (
        there.said,
        there.selection_text,
        bookmarked(there).bookmarks[0].label,
        searching(session, evil).said,
        there.scoped(Annotation(there.event or 0)).scope_text,
        *(track.label for track in there.tracks),
    ):
        assert safe(text) == text
    assert sum("evil" in track.label for track in there.tracks) == 2


def test_status_lines_are_safe(make_trace: Callable[..., Trace]) -> None:
    evil = "\x1b]52;c;ZXZpbA==\x07\u202eevil"
    trace = replace(make_trace([builders.cpu_op(evil, 0, 50)]), path=f"/tmp/{evil}.json")
    session = over(trace)
    scoped = session.scoped(Annotation(0))
    for text in (status.title(scoped), status.status(session), status.file_name(trace)):
        assert safe(text) == text
        assert "evil" in text


@pytest.mark.parametrize(
    ("forward", "back"),
    [
        ("next_event", "previous_event"),
        ("next_gap", "previous_gap"),
        ("next_step", "previous_step"),
        ("search_next", "search_previous"),
        ("cursor_right", "cursor_left"),
        ("pan_right", "pan_left"),
        ("page_right", "page_left"),
    ],
)
def test_a_key_goes_on_in_time_and_its_opposite_back(
    session: Session, forward: str, back: str
) -> None:
    steps = {key.name: key.step for key in KEYS}
    forwards, backwards = steps[forward], steps[back]
    assert forwards is not None
    assert backwards is not None
    first = searching(session.cursor_to(0), "aten::")
    here = first.selecting(row(session, "softmax_warp_forward")).zoomed(0.1)
    here = first if "search" in forward else here
    there = forwards(here)
    assert there.timeline.cursor > here.timeline.cursor
    assert backwards(there).timeline.cursor < there.timeline.cursor


def test_a_slice_that_comes_too_late_is_not_taken(
    session: Session, make_trace: Callable[..., Trace]
) -> None:
    other = over(make_trace([*two_steps(), builders.kernel("late", 9_000, 10)]))
    assert session.with_slice(other.slice) is session
    scoped = session.scoped(Step(0))
    assert scoped.with_slice(session.analysed.slice(Step(1))) is scoped
    assert scoped.with_slice(session.analysed.slice(Step(0))).is_settled
