"""Random keys on real traces: what is selected is told alike everywhere, and jumps lead back."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import builders
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import load
from attntui.view.detail import detail_of
from attntui.view.drawing.frame import Frame
from attntui.view.drawing.pieces import SELECTED_MARK
from attntui.view.options import PANE_NAMES, Options
from attntui.view.panes import PANES, Shown
from attntui.view.session import jumps, marks
from attntui.view.session.jumps import jump, place_of
from attntui.view.session.keys import KEYS
from attntui.view.session.lines import led_to
from attntui.view.session.reopen import opened
from attntui.view.session.scoping import scoping
from attntui.view.session.selection import NOTHING, CallAt, FindingAt, GapAt, Selection
from attntui.view.session.session import Session
from attntui.view.session.spelling import read_selection, spelled
from attntui.view.tables.scopes import scope_menu
from attntui.view.words.status import status

TRACES = builders.where_real(
    [
        "prefill-naive_l4_b1_h12_s1024_d64_bf16_h200",
        "naive_b8_h16_s1024_d64_bf16_bwd_h200",
        "gaps_h200",
        "naive_b1_h4_s256_d64_bf16_cpu",
    ]
)
STEPS = {key.name: key.step for key in KEYS if key.step is not None}
JUMPING = (
    *("to_launch", "to_kernel", "next_gap", "previous_gap", "next_step", "previous_step"),
    *("search_next", "search_previous", "go", "find", "scope", "return"),
)
KEEPING = (
    *("pan_left", "pan_right", "page_left", "page_right", "zoom_in", "zoom_out", "fit_all"),
    *("fit_selection", "threshold_up", "threshold_down", "toggle_collapse", "toggle_empty"),
    *("lane_up", "lane_down", "hide_lane", "show_lanes", "bookmark"),
)
"""Keys that change what is on screen, never what is selected."""

OTHERS = ("row", "pane", "page_of_lines", "click")
KEYS_PRESSED = st.tuples(
    st.sampled_from([*STEPS, *OTHERS, "go", "find", "scope", "return"]), st.integers(0, 10_000)
)


@cache
def fresh(number: int) -> Session:
    analysed = AnalysedTrace(load(TRACES[number])).find_all()
    return opened(Session.of(analysed), Options()).resized(63)


def some_row(session: Session, number: int) -> Selection:
    """What a row of a table stands for: the table and the row by chance."""
    table = PANES[number % len(PANES)].table(session, Shown())
    return table.target(number // len(PANES) % len(table)) if len(table) else session.selection


def pressed(session: Session, key: str, number: int) -> Session:
    """The session after a key; what a screen would ask for is drawn by lot."""
    if key in STEPS:
        step = STEPS[key]
        assert step is not None
        return step(session)
    if key == "row":
        return session.turning_to(some_row(session, number))
    if key == "pane":
        return replace(session, pane=PANE_NAMES[number % len(PANE_NAMES)])
    if key == "page_of_lines":
        return session.line_moved(number % 21 - 10)
    if key == "click":
        view = session.timeline.viewport
        return session.cursor_to(view.time(number % session.width, session.width))
    if key == "go":
        target = some_row(session, number)
        return jump(lambda s: replace(s.going_to(target), pane="timeline"))(session)
    if key == "find":
        name = session.trace.names[number % len(session.trace.names)]
        word = "".join(c if c.isalnum() else "." for c in name[:20])
        return jump(lambda s: marks.searching(s, word))(session)
    if key == "scope":
        menu = scope_menu(session)
        scope = menu.scope(number % len(menu.table))
        return jump(lambda s: scoping(s, scope))(session)
    if not session.bookmarks:
        return session
    mark = number % len(session.bookmarks)
    return jump(lambda s: marks.at_bookmark(s, mark))(session)


def text_cells(frame: Frame, number: int) -> list[int]:
    """The cells of a line in which the mark of what is selected stands."""
    found, at = [], 0
    for piece in frame.pieces(frame.lines[number]):
        before = piece.text.partition(SELECTED_MARK)
        if before[1]:
            found.append(at + cell_len(before[0]))
        at += cell_len(piece.text)
    assert at == frame.width
    return found


def check_timeline(session: Session) -> None:
    """What is selected is marked where it is, and there alone; off screen the edge says where."""
    timeline, frame = session.timeline, Frame(session, session.width)
    view = timeline.viewport
    assert view.low <= view.t0 <= timeline.cursor < view.t1 <= view.high
    left, right = frame.edge_texts
    shown = frame.span is not None and view.shows(*frame.span)
    for number, line in enumerate(frame.lines):
        cells, drawn = frame.selected_cells(line), text_cells(frame, number)
        if cells is None:
            assert not drawn, (session.selection, line)
        else:
            assert shown
            first, last = cells
            # A bar that begins within its first cell has its mark in the next one.
            assert len(drawn) == 1, (session.selection, line)
            assert first <= drawn[0] <= min(last, first + 2)
    if frame.span is None or shown:
        assert not left
        assert not right
    else:
        assert left.startswith("◀") or right.endswith("▶")
        assert frame.axis_text.startswith(left)
        assert frame.axis_text.endswith(right)


def check_words(session: Session) -> None:
    """Footer and detail name what is selected."""
    analysed, chosen = session.analysed, session.selection
    assert session.selection_text in status(session)
    items = detail_of(session.slice, chosen)
    if chosen == NOTHING:
        assert [item.text.startswith("nothing is selected") for item in items] == [True]
        return
    heading = items[0].text
    if isinstance(chosen, GapAt):
        assert heading.startswith("gap of")
    elif isinstance(chosen, CallAt):
        assert session.selection_text.split("  ")[0] in heading
    elif session.event is not None and not isinstance(chosen, FindingAt):
        assert heading == analysed.labels.event(session.event)
    assert read_selection(session.slice, spelled(chosen)) is not None


def check_rows(session: Session) -> None:
    """The row that a table marks stands for what is selected, or for all of its name."""
    for pane in PANES:
        table = pane.table(session, Shown())
        row = table.row_of(session.selection)
        if row is None:
            continue
        target = table.target(row)
        assert table.row_of(target) == row
        place, other = led_to(session.selection), led_to(target)
        if isinstance(place, GapAt) and pane.name == "gaps":
            assert target == session.selection
        event, there = session.event, session.pointing_at(other).event
        if pane.name in ("kernels", "ops") and event is not None and there is not None:
            assert session.trace.name[event] == session.trace.name[there]


@pytest.mark.parametrize("number", range(len(TRACES)))
@settings(max_examples=150)
@given(keys=st.lists(KEYS_PRESSED, min_size=4, max_size=14))
def test_the_panes_tell_one_thing_after_every_key(number: int, keys: list[tuple[str, int]]) -> None:
    session = fresh(number)
    for key, lot in keys:
        before = session
        session = pressed(session, key, lot).settled()
        if key in KEEPING:
            assert session.selection == before.selection, key
        check_timeline(session)
        check_words(session)
        check_rows(session)


@pytest.mark.parametrize("number", range(len(TRACES)))
@settings(max_examples=150)
@given(
    way=st.lists(KEYS_PRESSED, max_size=5),
    jumping=st.sampled_from(JUMPING),
    lot=st.integers(0, 10_000),
    since=st.lists(
        st.tuples(st.sampled_from([*KEEPING, "row", "click"]), st.integers(0, 10_000)), max_size=4
    ),
)
def test_a_jump_leads_back_exactly(
    number: int, way: list[tuple[str, int]], jumping: str, lot: int, since: list[tuple[str, int]]
) -> None:
    session = fresh(number)
    for key, other in way:
        session = pressed(session, key, other).settled()
    before = session
    after = pressed(session, jumping, lot).settled()
    if place_of(after) == place_of(before):
        assert after.jumps == before.jumps
        return
    for key, other in since:
        after = pressed(after, key, other).settled()
    returned = jumps.back(after).settled()
    assert place_of(returned) == place_of(before)
    assert returned.slice.scope == before.slice.scope
    assert place_of(jumps.forward(returned)) == place_of(after)
    escaped = marks.undone(replace(after, mark=None))
    assert escaped is not None
    assert place_of(escaped) == place_of(before)
