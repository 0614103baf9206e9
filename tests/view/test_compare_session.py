"""The comparison as a value: units, ties, rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import builders
import pytest
from steps_trace import two_steps

from attntui.trace import Trace, load
from attntui.view.session.compare_session import CompareSession
from attntui.view.tables.changes import changes, changes_table, groups_of, scoreboard_table
from attntui.view.document import Document
from attntui.view.tables.order import TableView, layout, line


@pytest.fixture
def compared(make_trace: Callable[..., Trace], tmp_path: Path) -> CompareSession:
    """A trace against the same with a longer softmax in its second step."""
    longer = two_steps()
    slow = [e for e in longer if e["name"] == "softmax_warp_forward"][1]
    slow["dur"] = 150
    folder = tmp_path / "b"
    folder.mkdir()
    b = load(builders.write_trace(folder, longer))
    session = CompareSession.of(Document.build(make_trace(two_steps())), Document.build(b))
    return session.resized(0, 100).resized(1, 100)


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


def test_units_move_together_and_stop_at_the_end(compared: CompareSession) -> None:
    first = [unit.index for unit in compared.sides]
    moved = next_unit(compared)
    assert [unit.index for unit in moved.sides] == [i + 1 for i in first]
    assert moved.next_unit(moved.request, 1) is None


def test_swapping_mirrors(compared: CompareSession) -> None:
    there = next_unit(compared)
    swapped = there.swapped()
    assert [d.trace.path for d in swapped.documents] == [d.trace.path for d in there.documents][
        ::-1
    ]
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


def test_tables_tell_the_rows_and_their_sum(compared: CompareSession) -> None:
    there = next_unit(compared)
    groups = groups_of(there.comparison.rows, single=True)
    lines = changes(groups)
    view = TableView.of(changes_table(lines, groups), 0, descending=True)
    first = line(view, 0, layout(view.table.columns, 100))
    assert "+50.00 us" in first
    whole = sum(c.delta for c in lines if c.match)
    assert whole == there.comparison.metric("gpu_ns").delta
    board = TableView.of(scoreboard_table(there.comparison), 0, descending=False)
    assert line(board, 0, layout(board.table.columns, 100)).startswith("attention")


def test_each_role_leads_to_its_own_kernel(corpus: Path) -> None:
    files = ("blog_naive.json.gz", "blog_sdpa_flash.json.gz")
    a, b = (Document.build(load(corpus / "h200" / name)) for name in files)
    compared = CompareSession.of(a, b)
    lines = changes(groups_of(compared.comparison.rows, single=True))
    roles = {line.title.rpartition(" ")[2]: line.ends for line in lines if not line.match}
    assert set(roles) == {"qk", "scale", "mask", "copy", "softmax", "av", "fused"}
    call = a.calls_by_event[roles["softmax"][0] or -1]
    for role, (in_a, in_b) in roles.items():
        if role == "fused":
            assert in_a is None
            assert b.short_of(in_b or -1).startswith("flash_fwd")
        else:
            share = call.role(role)
            assert share is not None
            assert in_a in share.rows
            assert in_b is None


def test_keys_stay_inside_the_unit(compared: CompareSession) -> None:
    there = compared
    for _ in range(30):
        there = there.moved(0, lambda s: s.gap_moved(1)).moved(1, lambda s: s.stepped(1))
        for session in there.sessions:
            view = session.timeline.viewport
            assert view.low <= session.timeline.cursor < view.high


def test_a_role_stays_under_its_row_in_any_order(corpus: Path) -> None:
    files = ("blog_naive.json.gz", "blog_sdpa_flash.json.gz")
    a, b = (Document.build(load(corpus / "h200" / name)) for name in files)
    groups = groups_of(CompareSession.of(a, b).comparison.rows, single=False)
    lines = changes(groups)
    table = changes_table(lines, groups)
    for column in range(len(table.columns)):
        for descending in (False, True):
            shown = [lines[i] for i in TableView.of(table, column, descending).order.tolist()]
            heads = [i for i, change in enumerate(shown) if change.match]
            for at, change in enumerate(shown):
                head = max(i for i in heads if i <= at)
                assert change.group == shown[head].group
