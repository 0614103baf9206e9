"""The comparison as a value: units, ties, rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import builders
import pytest
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.attention.model import Role
from attntui.safe import safe
from attntui.trace import Trace, load
from attntui.view.session.compare_session import CompareSession
from attntui.view.session.selection import EventAt
from attntui.view.session.session import Session
from attntui.view.tables.changes import changes_table
from attntui.view.tables.order import TableView, layout, line
from attntui.view.tables.scoreboard import scoreboard_table


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
        assert view.t0 <= unit.start
        assert unit.end <= view.t1


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
        (t.viewport.t0 - u.start, t.cursor - u.start)
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
    lengths = [u.end - u.start for u in wide.sides]
    assert spans[0] / lengths[0] == pytest.approx(spans[1] / lengths[1], rel=0.01)
    assert "full width" in wide.heading(0)
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


def test_at_one_scale_both_sides_cover_the_longer_unit_and_its_margin(
    unequal: CompareSession,
) -> None:
    assert [(unit.start, unit.end) for unit in unequal.sides] == [
        (5_000_000, 6_000_000),
        (7_000_000, 11_000_000),
    ]
    # 3 % of 4 ms and once more: 4.24 ms, of which 3 % stand before the unit.
    low, high = 5_000_000 - 127_200, 5_000_000 - 127_200 + 4_240_000
    shift = 2_000_000
    assert bounds(unequal) == [
        (low, high, low, high),
        (low + shift, high + shift, low + shift, high + shift),
    ]
    # On the first kernel.
    assert [s.timeline.cursor for s in unequal.sessions] == [5_040_000, 7_040_000]


def test_at_full_width_each_side_covers_its_own_unit_and_margin(unequal: CompareSession) -> None:
    wide = unequal.toggled_full_width()
    a, b = 5_000_000 - 31_800, 7_000_000 - 127_200
    assert bounds(wide) == [
        (a, a + 1_060_000, a, a + 1_060_000),
        (b, b + 4_240_000, b, b + 4_240_000),
    ]
    assert bounds(wide.toggled_full_width()) == bounds(unequal)


def test_a_unit_of_no_length_still_has_a_screen(make_trace: Callable[..., Trace]) -> None:
    trace = make_trace([builders.cpu_op("a", 0, 1), builders.annotation("ProfilerStep#1", 10, 0)])
    both = CompareSession.of(over(trace), over(trace))
    view = both.sessions[1].timeline.viewport
    assert bounds(both) == [(view.t0, view.t0 + 500) * 2] * 2
    # 3 % of what is on screen stand before the unit, where the cursor is.
    assert (view.t0, both.sessions[1].timeline.cursor) == (10_000 - 15, 10_000)


@pytest.mark.parametrize(
    ("side", "full_width", "moved_by", "tied_by"),
    [
        (0, True, 250_000, 1_000_000),
        (1, True, 1_000_000, 250_000),
        (0, False, 250_000, 250_000),
        (1, False, 1_000_000, 1_000_000),
    ],
)
def test_a_tied_cursor_stands_at_the_same_place_of_its_unit_at_either_scale(
    unequal: CompareSession, side: int, full_width: bool, moved_by: int, tied_by: int
) -> None:
    there = unequal.toggled_full_width() if full_width else unequal
    begins = 5_000_000, 7_000_000
    moved = there.moved(side, lambda s: s.cursor_to(begins[side] + moved_by))
    cursors = [session.timeline.cursor for session in moved.sessions]
    assert cursors[side] == begins[side] + moved_by
    assert cursors[1 - side] == begins[1 - side] + tied_by
    assert bounds(moved) == bounds(there)


@pytest.mark.parametrize(("side", "scale"), [(0, 4.0), (1, 0.25)])
def test_a_tied_zoom_at_full_width_shows_the_same_share_of_each_unit(
    unequal: CompareSession, side: int, scale: float
) -> None:
    there = unequal.toggled_full_width()
    moved = there.moved(side, lambda s: s.zoomed(0.5)).moved(side, lambda s: s.panned(0.25))
    here, other = (moved.sessions[at].timeline.viewport for at in (side, 1 - side))
    assert here.t0 > here.low
    assert other.span == here.span * scale
    assert other.t0 - other.low == (here.t0 - here.low) * scale


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
    for moved in (there.pointing_at(ends), there.going_to(ends)):
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
            assert in_a is None
            assert b.analysed.labels.event(in_b or -1).startswith("flash_fwd")
        else:
            share = call.role(Role(name))
            assert share is not None
            assert in_a in share.rows
            assert in_b is None


def test_what_is_said_of_a_comparison_is_safe(
    make_trace: Callable[..., Trace], tmp_path: Path
) -> None:
    evil = "\x1b]52;c;ZXZpbA==\x07\u202eevil"
    path = builders.write_trace(tmp_path, two_steps(), f"{evil}.json")
    compared = CompareSession.of(over(load(path)), over(load(path)))
    for text in (compared.heading(0), compared.selection_text, compared.toggled_tie(0).said):
        assert safe(text) == text
    assert "evil" in compared.heading(0)


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
