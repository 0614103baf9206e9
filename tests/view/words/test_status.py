"""The title and status lines of a made-up trace, in full."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import builders
import pytest
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Step
from attntui.trace import Trace
from attntui.view.session.marks import bookmarked, measured_between, undone, unmeasured
from attntui.view.session.session import Session
from attntui.view.words.status import status, title


@pytest.fixture
def session(make_trace: Callable[..., Trace]) -> Session:
    return Session.of(AnalysedTrace(make_trace(two_steps()))).resized(100)


def test_the_title_tells_steps_load_and_notices(session: Session) -> None:
    # The GPU works 10 + 2 x 300 us from 500 to 2,450 us.
    # What matters most comes first: a narrow terminal cuts the end.
    assert title(session).split("   ")[:4] == [
        "GPU busy 31.3 % of 1.950 ms",
        "idle 1.340 ms",
        "2 steps",
        "! 1 notice",
    ]
    assert title(session).endswith("   trace.json")


def test_the_title_tells_a_scope_and_whether_it_is_found_yet(session: Session) -> None:
    scoped = session.scoped(Step(1))
    assert title(scoped).split("   ")[2] == "scope: ProfilerStep#2 …"
    assert title(scoped.settled()).split("   ")[2] == "scope: ProfilerStep#2"
    assert "scope" not in title(session)


def test_a_title_without_gpu_work_tells_no_load(make_trace: Callable[..., Trace]) -> None:
    session = Session.of(AnalysedTrace(make_trace([builders.cpu_op("aten::mm", 0, 50)])))
    assert "GPU busy" not in title(session)
    assert "step" not in title(session)


@pytest.mark.parametrize(("cursor", "mark"), [(300_000, 900_000), (900_000, 300_000)])
def test_a_measurement_under_way_tells_its_length(session: Session, cursor: int, mark: int) -> None:
    begun = replace(session.cursor_to(cursor), mark=mark)
    told = begun.selection_text
    assert status(begun) == f"measuring 600.0 us: v to finish, Esc to drop   {told}".rstrip()
    dropped = undone(begun)
    assert dropped is not None
    assert dropped.mark is None


def test_a_measured_range_tells_what_runs_in_it(session: Session) -> None:
    measured = measured_between(session, 300_000, 900_000)
    # 200 us of the product and 50 of the softmax.
    told = "range 600.0 us: GPU busy 41.7 %, 2 GPU operations, 8 on hosts"
    assert status(measured) == told
    assert unmeasured(measured).measured is None


def test_each_of_several_gpus_has_its_share(make_trace: Callable[..., Trace]) -> None:
    events = [builders.kernel("k", 0, 100 * (1 + device), device=device) for device in (0, 1)]
    session = Session.of(AnalysedTrace(make_trace(events)))
    told = status(measured_between(session, 0, 200_000))
    assert "GPU 0 busy 50.0 %, GPU 1 busy 100.0 %, 2 GPU operations, 0 on hosts" in told


def test_a_range_without_a_gpu_says_so(make_trace: Callable[..., Trace]) -> None:
    session = Session.of(AnalysedTrace(make_trace([builders.cpu_op("aten::mm", 0, 50)])))
    told = status(measured_between(session, 0, 50_000))
    assert "on hosts, no GPU operations in this trace" in told


def test_a_bookmark_tells_its_time_and_what_was_selected(session: Session) -> None:
    labels = [bookmarked(at).bookmarks[0].label for at in (session, session.cursor_to(300_000))]
    assert labels == ["0 ns  leaked  10.00 us", "300.0 us  nothing selected"]
