"""The comparison as a value: units, ties, rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import builders
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention.model import Role
from attntui.safe import safe
from attntui.trace import Trace, load
from attntui.view.session.compare_session import CompareSession
from attntui.view.session.jumps import jump
from attntui.view.session.links import to_kernel, to_launch
from attntui.view.session.selection import NOTHING, EventAt
from attntui.view.session.session import Session
from attntui.view.tables.changes import changes_table
from attntui.view.tables.order import TableView, layout, line
from attntui.view.tables.scoreboard import scoreboard_table
from attntui.view.words.comparison import tie_words, trace_words


def over(trace: Trace) -> Session:
    return Session.of(AnalysedTrace(trace))


@pytest.fixture
def compared(make_trace: Callable[..., Trace], tmp_path: Path) -> CompareSession:
    """A trace against the same with a longer softmax in its second step."""
    longer = two_steps()
    slow = [e for e in longer if e["name"] == "softmax_warp_forward"][1]
    slow["dur"] = 150
    folder = tmp_path / "b"
    folder.mkdir()
    b = load(builders.write_trace(folder, longer))
    session = CompareSession.of(over(make_trace(two_steps())), over(b))
    return session.resized((100, 100))


def next_unit(compared: CompareSession) -> CompareSession:
    wanted = compared.next_unit(compared.request, 1)
    assert wanted is not None
    return compared.with_comparison(compared.answer(wanted))


def test_both_sides_stand_at_the_same_scale(compared: CompareSession) -> None:
    left, right = (s.timeline.viewport for s in compared.sessions)
    assert left.span == right.span
    for session, unit in zip(compared.sessions, compared.sides, strict=True):
        view = session.timeline.viewport
        begin, end = unit.span
        assert view.t0 <= begin < end <= view.t1
    assert compared.is_in_step


def test_tied_sides_stay_at_the_same_place_in_their_units(compared: CompareSession) -> None:
    moved = compared
    for step in (
        lambda s: s.zoomed(0.25),
        lambda s: s.panned(0.3),
        lambda s: s.cursor_moved(5),
        lambda s: s.stepped(1),
    ):
        moved = moved.moved(0, step)
    left, right = (s.timeline for s in moved.sessions)
    assert left.viewport.span == right.viewport.span
    places = [
        (t.viewport.t0 - u.span[0], t.cursor - u.span[0])
        for t, u in zip((left, right), moved.sides, strict=True)
    ]
    assert places[0] == places[1]


def test_untied_sides_move_alone_until_tied_again(compared: CompareSession) -> None:
    alone = compared.toggled_tie(0).moved(0, lambda s: s.zoomed(0.25))
    assert alone.sessions[1] is compared.sessions[1]
    tied = alone.toggled_tie(0)
    assert tied.sessions[1].timeline.viewport.span == tied.sessions[0].timeline.viewport.span


def test_full_width_fits_each_unit(compared: CompareSession) -> None:
    wide = next_unit(compared).toggled_full_width()
    spans = [s.timeline.viewport.span for s in wide.sessions]
    lengths = [u.span[1] - u.span[0] for u in wide.sides]
    assert spans[0] / lengths[0] == pytest.approx(spans[1] / lengths[1], rel=0.01)
    back = wide.toggled_full_width()
    assert back.sessions[0].timeline.viewport.span == back.sessions[1].timeline.viewport.span


def stepping(at: int, length: int) -> list[builders.Event]:
    """A step of `length` us at `at` us, its kernel inside it, and room on both sides."""
    return [
        builders.cpu_op("aten::before", 0, 10),
        builders.annotation("ProfilerStep#1", at, length),
        builders.cpu_op("aten::mm", at + 10, 20),
        builders.launch(1, at + 12),
        builders.kernel("gemm", at + 40, length - 40, 1),
        builders.cpu_op("aten::after", 20_000, 10),
    ]


@pytest.fixture
def unequal(make_trace: Callable[..., Trace], tmp_path: Path) -> CompareSession:
    """A step of 1 ms from 5 ms on against one of 4 ms from 7 ms on."""
    folder = tmp_path / "longer"
    folder.mkdir()
    a = make_trace(stepping(5_000, 1_000))
    b = load(builders.write_trace(folder, stepping(7_000, 4_000)))
    return CompareSession.of(over(a), over(b)).resized((100, 100))


def bounds(compared: CompareSession) -> list[tuple[int, int, int, int]]:
    views = [session.timeline.viewport for session in compared.sessions]
    return [(view.t0, view.t1, view.low, view.high) for view in views]


BLANK = round(3_960_000 * 0.03)
"""3 % of the longer unit, on either side of what is on screen and of the bounds."""


def test_at_one_scale_both_units_begin_in_one_place_and_the_longer_one_fills_the_screen(
    unequal: CompareSession,
) -> None:
    # The launches are 40 us before the kernels, which are what is laid over each other.
    assert [unit.span for unit in unequal.sides] == [
        (5_040_000, 6_000_000),
        (7_040_000, 11_000_000),
    ]
    assert [(unit.start, unit.end) for unit in unequal.sides] == [
        (5_000_000, 6_000_000),
        (7_000_000, 11_000_000),
    ]
    end = 3_960_000 + BLANK
    assert bounds(unequal) == [
        (begin - BLANK, begin + end, begin - 40_000 - BLANK, begin + end)
        for begin in (5_040_000, 7_040_000)
    ]
    assert [s.timeline.cursor for s in unequal.sessions] == [5_040_000, 7_040_000]


def test_fitting_shows_both_units_and_again_their_launches(unequal: CompareSession) -> None:
    for side in (0, 1):
        zoomed = unequal.moved(side, lambda s: s.zoomed(0.1))
        once = zoomed.fitted(side)
        assert bounds(once) == bounds(unequal)
        twice = once.fitted(side)
        assert all((t0, t1) == (low, high) for t0, t1, low, high in bounds(twice))
        assert twice.is_in_step
        assert bounds(twice.fitted(side)) == bounds(unequal)


def test_fitting_moves_one_side_alone_where_they_are_untied(unequal: CompareSession) -> None:
    untied = unequal.toggled_tie(0)
    moved = untied.moved(0, lambda s: s.zoomed(0.1)).moved(1, lambda s: s.zoomed(0.1))
    fitted = moved.fitted(1)
    assert bounds(fitted)[0] == bounds(moved)[0]
    assert bounds(fitted)[1] == bounds(unequal)[1]


def test_at_full_width_each_side_covers_its_own_unit_and_margin(unequal: CompareSession) -> None:
    wide = unequal.toggled_full_width()
    # A's launch lies 40 us before it: 165 us of B's time, which is 4.125 times as long.
    a, b = 5_040_000, 7_040_000
    assert bounds(wide) == [
        (a - 28_800, a + 960_000 + 28_800, a - 40_000 - 28_800, a + 960_000 + 28_800),
        (b - BLANK, b + 3_960_000 + BLANK, b - 165_000 - BLANK, b + 3_960_000 + BLANK),
    ]
    assert bounds(wide.toggled_full_width()) == bounds(unequal)


def test_a_unit_of_no_length_still_has_a_screen(make_trace: Callable[..., Trace]) -> None:
    trace = make_trace([builders.cpu_op("a", 0, 1), builders.annotation("ProfilerStep#1", 10, 0)])
    both = CompareSession.of(over(trace), over(trace))
    view = both.sessions[1].timeline.viewport
    assert bounds(both) == [(view.t0, view.t0 + 500) * 2] * 2
    assert (view.t0, both.sessions[1].timeline.cursor) == (10_000, 10_000)


@pytest.mark.parametrize(
    ("side", "full_width", "moved_by", "tied_by"),
    [
        (0, True, 240_000, 990_000),
        (1, True, 990_000, 240_000),
        (0, False, 250_000, 250_000),
        (1, False, 1_000_000, 1_000_000),
    ],
)
def test_a_tied_cursor_stands_at_the_same_place_of_its_unit_at_either_scale(
    unequal: CompareSession, side: int, full_width: bool, moved_by: int, tied_by: int
) -> None:
    there = unequal.toggled_full_width() if full_width else unequal
    begins = 5_040_000, 7_040_000
    moved = there.moved(side, lambda s: s.cursor_to(begins[side] + moved_by))
    cursors = [session.timeline.cursor for session in moved.sessions]
    assert cursors[side] == begins[side] + moved_by
    assert cursors[1 - side] == begins[1 - side] + tied_by
    assert bounds(moved) == bounds(there)


def seen(compared: CompareSession, side: int) -> int:
    """How many ns of a side's unit are on screen."""
    view, (start, end) = compared.sessions[side].timeline.viewport, compared.sides[side].span
    return max(min(view.t1, end) - max(view.t0, start), 0)


def test_one_zoom_at_the_end_of_the_longer_unit_keeps_the_shorter_on_screen(
    unequal: CompareSession,
) -> None:
    # A is over after a quarter of B.
    at_the_end = unequal.moved(1, lambda s: s.cursor_to(10_900_000).pointing_at(NOTHING))
    zoomed = at_the_end.moved(1, lambda s: s.zoomed(0.25))
    b, a = zoomed.sessions[1].timeline.viewport, zoomed.sessions[0].timeline.viewport
    assert b.t0 > 8_040_000
    assert a.span == b.span
    assert seen(zoomed, 0) >= a.span // 4
    assert not zoomed.is_in_step
    # Back at the beginning both begin in the same place again.
    back = zoomed.moved(1, lambda s: s.cursor_to(7_040_000).zoomed(4))
    assert back.is_in_step


MOVES: list[Callable[[Session], Session]] = [
    lambda s: s.zoomed(0.5),
    lambda s: s.zoomed(2),
    lambda s: s.panned(0.9),
    lambda s: s.panned(-0.1),
    lambda s: s.cursor_moved(7),
    lambda s: s.cursor_to(s.timeline.viewport.high),
    lambda s: s.stepped(1),
    lambda s: s.line_moved(1),
    to_launch,
    to_kernel,
    lambda s: s.gap_moved(1),
    lambda s: s.fitted(),
    lambda s: s.resized(61),
]


@given(st.lists(st.tuples(st.sampled_from((0, 1)), st.sampled_from(MOVES)), max_size=20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_other_unit_is_on_screen_whenever_this_one_is(
    unequal: CompareSession, moves: list[tuple[int, Callable[[Session], Session]]]
) -> None:
    moved = unequal
    for side, move in moves:
        moved = moved.moved(side, move)
        here, there = (moved.sessions[at].timeline.viewport for at in (side, 1 - side))
        assert here.span == there.span
        assert bool(seen(moved, side)) <= bool(seen(moved, 1 - side))
        shift = (here.t0 - moved.sides[side].span[0]) - (there.t0 - moved.sides[1 - side].span[0])
        assert moved.is_in_step is (abs(shift) <= 2)
        # Out of step only where the other unit would have been too far out of sight.
        if shift:
            assert seen(moved, 1 - side) <= max(there.span // 4 + 1, seen(moved, side))


@given(st.lists(st.tuples(st.sampled_from((0, 1)), st.sampled_from(MOVES)), min_size=1, max_size=9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_back_gives_each_view_before_a_jump_again(
    unequal: CompareSession, moves: list[tuple[int, Callable[[Session], Session]]]
) -> None:
    moved, left = unequal, []
    for side, move in moves:
        after = moved.moved(side, jump(move))
        if after.jumps is not moved.jumps:
            left.append(moved)
        moved = after
    for before in reversed(left):
        moved = moved.back()
        assert moved.sessions == before.sessions
        assert moved.comparison is before.comparison
    assert "no jump" in moved.back().said
    for _ in left:
        moved = moved.forward()
    assert "nothing to go forward to" in moved.forward().said


@pytest.mark.parametrize(("side", "scale"), [(0, 4.125), (1, 1 / 4.125)])
def test_a_tied_zoom_at_full_width_shows_the_same_share_of_each_unit(
    unequal: CompareSession, side: int, scale: float
) -> None:
    there = unequal.toggled_full_width()
    moved = there.moved(side, lambda s: s.zoomed(0.5)).moved(side, lambda s: s.panned(0.25))
    here, other = (moved.sessions[at].timeline.viewport for at in (side, 1 - side))
    assert here.t0 > here.low
    assert other.span == pytest.approx(here.span * scale, abs=4)
    assert other.t0 - other.low == pytest.approx((here.t0 - here.low) * scale, abs=4)


def test_a_tied_cursor_at_the_end_stays_inside_the_other_side(unequal: CompareSession) -> None:
    wide = unequal.toggled_full_width()
    for side in (0, 1):
        moved = wide.moved(side, lambda s: s.cursor_to(10**9))
        assert [s.timeline.cursor for s in moved.sessions][side] == bounds(wide)[side][3] - 1
        other = moved.sessions[1 - side].timeline
        assert other.viewport.high - 4 <= other.cursor < other.viewport.high


def test_units_move_together_and_stop_at_the_end(compared: CompareSession) -> None:
    first = [unit.index for unit in compared.sides]
    moved = next_unit(compared)
    assert [unit.index for unit in moved.sides] == [i + 1 for i in first]
    assert moved.next_unit(moved.request, 1) is None


def test_swapping_mirrors(compared: CompareSession) -> None:
    there = next_unit(compared)
    swapped = there.swapped()
    assert swapped.analysed == there.analysed[::-1]
    deltas = {row.key: row.delta_gpu_ns for row in there.comparison.rows}
    mirrored = {row.key: -row.delta_gpu_ns for row in swapped.comparison.rows}
    assert mirrored == deltas


def test_a_row_selects_both_ends(compared: CompareSession) -> None:
    there = next_unit(compared)
    row = max(there.comparison.rows, key=lambda r: abs(r.delta_gpu_ns))
    assert row.delta_gpu_ns == 50_000
    assert row.a is not None
    assert row.b is not None
    ends = int(row.a.rows[0]), int(row.b.rows[0])
    for moved in (there.pointing_at(ends), there.going_to(ends, 0)):
        names = [s.trace.name_of(s.event) for s in moved.sessions if s.event is not None]
        assert names == ["softmax_warp_forward"] * 2


def test_another_scale_is_no_other_selection(compared: CompareSession) -> None:
    ends = [int(unit.rows[-1]) for unit in compared.sides]
    there = compared.pointing_at((ends[0], ends[1]))
    assert [s.selection for s in there.toggled_full_width().sessions] == [*map(EventAt, ends)]


def test_tables_tell_the_rows_and_their_sum(compared: CompareSession) -> None:
    there = next_unit(compared)
    made = changes_table(there.comparison, single=True)
    view = TableView.of(made.table)
    first = line(view, 0, layout(view.columns, 100))
    assert "+50.00 us" in first
    delta = made.table.column("delta_gpu_ns")
    whole = sum(delta.value(at) for at in made.lines_of(range(len(made.groups))))
    assert whole == there.comparison.metric("gpu_ns").delta
    board = TableView.of(scoreboard_table(there.comparison))
    assert line(board, 0, layout(board.columns, 100)).startswith("span")


def test_each_role_leads_to_its_own_kernel(corpus: Path) -> None:
    files = ("blog_naive.json.gz", "blog_sdpa_flash.json.gz")
    a, b = (over(load(corpus / "h200" / name)) for name in files)
    compared = CompareSession.of(a, b)
    made = changes_table(compared.comparison, single=True)
    match, role = made.table.column("match"), made.table.column("role")
    roles = {role.value(i): ends for i, ends in enumerate(made.ends) if match.value(i) is None}
    assert set(roles) == {"qk", "scale", "mask", "copy", "softmax", "av", "fused"}
    call = a.analysed.attention[a.analysed.calls_by_event[roles["softmax"][0] or -1]]
    for name, (in_a, in_b) in roles.items():
        if name == "fused":
            # What one kernel does here answers to all that several do there.
            assert in_a == roles["qk"][0]
            assert b.analysed.labels.event(in_b or -1).startswith("flash_fwd")
        else:
            share = call.role(Role(name))
            assert share is not None
            assert in_a in share.rows
            assert in_b == roles["fused"][1]


def test_what_is_said_of_a_comparison_is_safe(
    make_trace: Callable[..., Trace], tmp_path: Path
) -> None:
    evil = "\x1b]52;c;ZXZpbA==\x07\u202eevil"
    path = builders.write_trace(tmp_path, two_steps(), f"{evil}.json")
    compared = CompareSession.of(over(load(path)), over(load(path)))
    named = trace_words(compared.sides[0])
    ends = compared.ends
    for text in (
        named,
        compared.selection_text,
        compared.toggled_tie(0).said,
        tie_words(compared.comparison, ends),
    ):
        assert safe(text) == text
    assert "evil" in named


def test_keys_stay_inside_the_unit(compared: CompareSession) -> None:
    there = compared
    for _ in range(30):
        there = there.moved(0, lambda s: s.gap_moved(1)).moved(1, lambda s: s.stepped(1))
        for session in there.sessions:
            view = session.timeline.viewport
            assert view.low <= session.timeline.cursor < view.high


def test_a_role_stays_under_its_row_in_any_order(corpus: Path) -> None:
    files = ("blog_naive.json.gz", "blog_sdpa_flash.json.gz")
    a, b = (over(load(corpus / "h200" / name)) for name in files)
    made = changes_table(CompareSession.of(a, b).comparison)
    match = made.table.column("match")
    view = TableView.of(made.table)
    for column in range(len(view.columns)):
        for shown in (view.sorted_by(column), view.sorted_by(column).inverted()):
            head = -1
            for at in shown.order.tolist():
                head = at if match.value(at) is not None else head
                assert made.group_of[at] == made.group_of[head]
