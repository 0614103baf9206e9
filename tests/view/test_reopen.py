"""A view as a command line and back, and a copied text as a file."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import WHOLE, Step
from attntui.trace import Trace
from attntui.view.options import Options
from attntui.view.session.reopen import command_line, opened, step_number, write_copy
from attntui.view.session.selection import FindingAt
from attntui.view.session.session import Session
from attntui.view.tables.findings import findings_table


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


def test_a_command_line_leads_back(session: Session) -> None:
    there = opened(session, Options(at=850_000, span=20_000))
    assert shlex.split(command_line(there, "gaps", Options())) == [
        *("attntui", "--at", "850000ns", "--span", "20000ns", "--pane", "gaps"),
        *("--", session.trace.path),
    ]
    scoped = there.scoped(Step(1))
    options = Options(ascii=True, peak_bandwidth=4.8e12, peak_flops=989e12)
    assert shlex.split(command_line(scoped, "ops", options)) == [
        *("attntui", "--step", "2", "--at", "850000ns", "--span", "20000ns", "--pane", "ops"),
        *("--ascii", "--peak-bw", "4.8", "--peak-tflops", "989", "--", session.trace.path),
    ]


def test_copies_are_numbered_and_never_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [write_copy("/far/run.json.gz", text) for text in ("one", "two")]
    paths.append(write_copy(".json", "three"))
    assert [path.name for path in paths] == ["run-1.txt", "run-2.txt", "trace-1.txt"]
    assert [path.read_text() for path in paths] == ["one\n", "two\n", "three\n"]
