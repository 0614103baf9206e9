"""A view as a command line and back, and a copied text as a file."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import WHOLE, Annotation, Range, Step
from attntui.cli.view import options_of, parser
from attntui.trace import Trace
from attntui.view.options import Options
from attntui.view.session.marks import measured_between
from attntui.view.session.reopen import (
    ShownTable,
    command_line,
    opened,
    step_number,
    write_copy,
)
from attntui.view.session.scoping import scoping
from attntui.view.session.selection import EventAt, FindingAt
from attntui.view.session.session import Session
from attntui.view.session.spelling import spelled
from attntui.view.tables.findings import findings_table
from attntui.view.tables.kernels import kernels_table
from attntui.view.tables.order import Arrangement, TableView


def over(trace: Trace) -> Session:
    return Session.of(AnalysedTrace(trace)).resized(100)


@pytest.fixture
def session(make_trace: Callable[..., Trace]) -> Session:
    return over(make_trace(two_steps()))


def test_a_step_goes_by_its_number(session: Session) -> None:
    assert [step_number(session, index) for index in (0, 1)] == [1, 2]
    there = opened(session, Options(step=2))
    assert there.scope == Step(1)
    assert there.is_settled
    assert there.selection == Step(1)
    missing = opened(session, Options(step=3))
    assert missing.said == "no step 3 in this trace"
    assert missing.scope == WHOLE


def test_a_time_is_shown_with_what_is_round_it(session: Session) -> None:
    there = opened(session, Options(at=850_000))
    view = there.timeline.viewport
    assert (view.t0, view.t1, there.timeline.cursor) == (800_000, 900_000, 850_000)
    view = opened(session, Options(at=850_000, span=20_000)).timeline.viewport
    assert (view.t0, view.t1) == (840_000, 860_000)


def test_a_time_in_a_step_keeps_the_step_on_screen(session: Session) -> None:
    step = opened(session, Options(step=1))
    there = opened(session, Options(step=1, at=850_000))
    assert there.timeline.viewport == step.timeline.viewport
    assert there.timeline.cursor == 850_000


def test_a_time_outside_is_said(session: Session) -> None:
    low, high = session.trace.span
    for at in (low - 1, high):
        assert opened(session, Options(at=at)).said == "--at lies outside this trace"
    for at in (low, high - 1):
        assert opened(session, Options(at=at)).timeline.cursor == at


def test_opens_on_the_first_finding_where_nothing_else_is_asked(session: Session) -> None:
    first = findings_table(session.slice).target(0)
    assert isinstance(first, FindingAt)
    assert opened(session, Options()).selection == first
    assert opened(session, Options(pane="gaps")).selection == session.selection


def test_a_command_line_tells_the_view(session: Session) -> None:
    there = opened(session, Options(at=850_000, span=20_000, pane="gaps"))
    there = replace(there, pane="gaps")
    assert shlex.split(command_line(there, Options())) == [
        *("attntui", "--at", "850000ns", "--from", "840000ns", "--span", "20000ns"),
        *("--select", spelled(there.selection), "--pane", "gaps", "--", session.trace.path),
    ]
    scoped = replace(there.scoped(Step(1)), threshold=5_000)
    options = Options(ascii=True, peak_bandwidth=4.8e12, peak_flops=989e12)
    words = shlex.split(command_line(scoped, options))
    assert words[1:3] == ["--step", "2"]
    assert words[words.index("--threshold") + 1] == "5000ns"
    end = ("--ascii", "--peak-bw", "4.8", "--peak-tflops", "989", "--", session.trace.path)
    assert words[-len(end) :] == [*end]


def places(session: Session) -> list[Session]:
    """A session at one thing of each kind, in scopes of each kind, at other zooms."""
    kernel = next(int(row) for row in session.trace.gpu_ops[1:])
    at_kernel = session.going_to(EventAt(kernel)).zoomed(0.5)
    gap = session.gap_moved(1)
    finding = session.pointing_at(findings_table(session.slice).target(0))
    measured = measured_between(session, 300_000, 900_000)
    return [
        at_kernel,
        scoping(at_kernel, Annotation(int(session.analysed.steps.rows[1]))).settled(),
        gap.panned(0.3),
        finding,
        session.to_step(1),
        scoping(measured, Range(300_000, 900_000)).settled(),
        session.cursor_to(450_000),
    ]


def test_a_command_line_opens_the_same_view(session: Session) -> None:
    for there in places(session):
        parsed = parser().parse_args(shlex.split(command_line(there, Options()))[1:])
        again = opened(Session.of(session.analysed).resized(100), options_of(parsed))
        assert again.selection == there.selection
        assert again.scope == there.scope
        assert again.timeline.viewport == there.timeline.viewport
        assert again.timeline.cursor == there.timeline.cursor
        assert options_of(parsed).pane == (there.pane or "overview")


def test_a_command_line_tells_how_tables_are_seen(session: Session) -> None:
    first = TableView.of(kernels_table(session.slice))
    seen = first.sorted_beside(1).inverted().filtered("soft|a b")
    tables = [ShownTable("kernels", seen), ShownTable("gaps", first, instances=True)]
    parsed = parser().parse_args(shlex.split(command_line(session, Options(), tables))[1:])
    options = options_of(parsed)
    assert options.tables == ("kernels", "gaps")
    assert options.instances == ("gaps",)
    assert options.filters == (("kernels", "soft|a b"),)
    ((pane, column),) = options.sorts
    assert pane == "kernels"
    wanted = Arrangement(column.removeprefix("-"), column.startswith("-"), "soft|a b")
    again = TableView.arranged(first.table, wanted)
    assert again.order.tolist() == seen.order.tolist()
    assert (again.sort, again.descending) == (seen.sort, seen.descending)


@pytest.mark.parametrize(
    "word",
    ["event:99999", "event:x", "call:7", "role:0:1", "gap:0:-:5", "finding:none", "step:9", ""],
)
def test_a_word_for_nothing_that_is_there_is_said(session: Session, word: str) -> None:
    there = opened(session, Options(select=word))
    assert there.said == f"nothing like {word} in this trace"
    assert opened(session, Options(scope=word)).said == f"no scope {word} in this trace"


def test_copies_are_numbered_and_never_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [write_copy("/far/run.json.gz", text) for text in ("one", "two")]
    paths.append(write_copy(".json", "three"))
    assert [path.name for path in paths] == ["run-1.txt", "run-2.txt", "trace-1.txt"]
    assert [path.read_text() for path in paths] == ["one\n", "two\n", "three\n"]
