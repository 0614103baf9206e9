"""A trace is gone back to where it was left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import WHOLE, Annotation, Range, Step
from attntui.trace import Trace
from attntui.view.options import Options
from attntui.view.session.jumps import place_of
from attntui.view.session.left import Left, Mark, left, opened_as_left, read_left, resumed
from attntui.view.session.marks import bookmarked, measured_between, renamed
from attntui.view.session.reopen import ShownTable
from attntui.view.session.scoping import scoping
from attntui.view.session.selection import EventAt
from attntui.view.session.session import Session
from attntui.view.tables.findings import findings_table
from attntui.view.tables.kernels import kernels_table
from attntui.view.tables.order import TableView


@pytest.fixture
def session(make_trace: Callable[..., Trace]) -> Session:
    return Session.of(AnalysedTrace(make_trace(two_steps()))).resized(100)


def again(session: Session, found: Left) -> Session:
    """Another session over the trace, where the first was left, by way of a file."""
    read = read_left(found.told())
    assert read == found
    return resumed(session.anew().resized(100), read)


def places(session: Session) -> list[Session]:
    """A session at one thing of each kind, in scopes of each kind, with its lanes arranged."""
    kernel = int(session.trace.gpu_ops[1])
    at_kernel = session.going_to(EventAt(kernel)).zoomed(0.5)
    measured = measured_between(session, 300_000, 900_000)
    timeline, order = session.timeline, (1, 0, *range(2, len(session.tracks)))
    return [
        at_kernel,
        replace(at_kernel, pane="detail"),
        scoping(at_kernel, Annotation(int(session.analysed.steps.rows[1]))).settled(),
        scoping(at_kernel, Step(1)),
        session.gap_moved(1).panned(0.3),
        session.pointing_at(findings_table(session.slice).target(0)),
        scoping(measured, Range(300_000, 900_000)).settled(),
        replace(session, threshold=5_000),
        session.with_timeline(replace(timeline, hidden=frozenset({0}), line=2, hide_empty=True)),
        session.with_timeline(replace(timeline, collapsed=frozenset(), order=order)),
    ]


def test_every_place_is_gone_back_to(session: Session) -> None:
    for there in places(session):
        found = again(session, left(there))
        assert place_of(found) == place_of(there)
        assert found.threshold == there.threshold
        assert found.measured == there.measured
        assert found.said == "as you left it: --fresh opens at the first finding"


def test_bookmarks_come_back_with_their_names_and_places(session: Session) -> None:
    marks = session
    for there in places(session):
        marks = bookmarked(replace(there, bookmarks=marks.bookmarks))
    marks = renamed(marks, 1, "the slow one \x1b[31m")
    found = again(session, left(marks))
    assert [mark.label for mark in found.bookmarks] == [mark.label for mark in marks.bookmarks]
    assert [mark.place for mark in found.bookmarks] == [mark.place for mark in marks.bookmarks]


def test_a_name_that_someone_wrote_into_the_file_is_cleaned(session: Session) -> None:
    told = Left(Options(), (Mark("\x1b[2J", Options()),))
    (mark,) = resumed(session, told).bookmarks
    assert mark.label == "\\x1b[2J"


def test_tables_are_told_as_they_are_seen(session: Session) -> None:
    first = TableView.of(kernels_table(session.slice))
    seen = first.sorted_beside(1).inverted().filtered("soft")
    tables = [ShownTable("kernels", seen, top=3), ShownTable("gaps", first, instances=True)]
    found = left(session, tables, maximised=True)
    view = found.view
    assert view.tables == ("kernels", "gaps")
    assert view.instances == ("gaps",)
    assert view.filters == (("kernels", "soft"),)
    assert view.tops == (("kernels", 3),)
    assert [pane for pane, _ in view.sorts] == ["kernels"]
    assert view.maximised
    assert read_left(found.told()) == found


def test_what_the_command_line_asks_goes_first(session: Session) -> None:
    there = bookmarked(scoping(session.going_to(EventAt(int(session.trace.gpu_ops[1]))), Step(1)))
    found = left(there)
    drawing = Options(ascii=True, peak_flops=1e12)
    resumed_there, options = opened_as_left(session, drawing, found)
    assert resumed_there.scope == Step(1)
    assert options == drawing.shown_at(found.view)
    assert options.ascii
    for asked in (Options(at=1_650_000), Options(pane="gaps"), Options(step=1)):
        placed, options = opened_as_left(session, asked, found)
        assert options == asked
        assert len(placed.bookmarks) == 1
        assert not placed.said.startswith("as you left it")
    fresh, options = opened_as_left(session, Options(fresh=True), found)
    assert fresh.scope == WHOLE
    assert fresh.selection == opened_as_left(session, Options(), None)[0].selection
    assert len(fresh.bookmarks) == 1


@pytest.mark.parametrize(
    "told", [b"", b"[]", b"{}", b'{"view": {"at": "x"}}', b'{"view": 1}', b"[" * 100_000, b"\xff"]
)
def test_what_another_version_wrote_is_let_be(told: bytes) -> None:
    assert read_left(told) is None


def test_what_the_trace_does_not_have_is_passed_over(session: Session) -> None:
    view = Options(at=10**15, select="event:99999", scope="step:99", lanes="closed:999", pane="?")
    found = resumed(session, Left(view))
    assert found.scope == WHOLE
    assert found.said == "as you left it: --fresh opens at the first finding"
