"""From any pane to what was odd in the file, one notice after the other."""

from __future__ import annotations

from collections.abc import Callable

import builders
import pytest

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import Trace
from attntui.view.session.jumps import back
from attntui.view.session.keys import KEYS
from attntui.view.session.selection import EventAt, FindingAt
from attntui.view.session.session import Session
from attntui.view.words.status import status

ODD = [
    builders.cpu_op("aten::mm", 0, 50),
    builders.cpu_op("short", 60, -5),
    builders.kernel("leaked", 5, 10, 9),
]
"""A negative duration, and a kernel without a launch."""


def pressed(session: Session, times: int = 1) -> Session:
    (step,) = (key.step for key in KEYS if key.name == "next_notice")
    assert step is not None
    for _ in range(times):
        session = step(session)
    return session


@pytest.fixture
def session(make_trace: Callable[..., Trace]) -> Session:
    return Session.of(AnalysedTrace(make_trace(ODD)))


def test_each_press_goes_to_the_next_notice_and_round_the_end(session: Session) -> None:
    seen = [pressed(session, times) for times in (1, 2, 3)]
    assert [there.pane for there in seen] == ["overview"] * 3
    keys = [there.selection.key for there in seen if isinstance(there.selection, FindingAt)]
    assert keys == ["notice negative_duration", "notice no_launch", "notice negative_duration"]
    assert [status(there).split("   ")[0] for there in seen] == [
        "notice 1 of 2",
        "notice 2 of 2",
        "notice 1 of 2",
    ]


def test_a_notice_leads_to_its_event_and_the_way_back_to_the_pane_before(session: Session) -> None:
    there = pressed(session, 2)
    assert isinstance(there.selection, FindingAt)
    event = there.going_to(there.selection).event
    assert event is not None
    assert there.selection.place == EventAt(event)
    assert session.trace.name_of(event) == "leaked"
    returned = back(back(there))
    assert (returned.pane, returned.selection) == (session.pane, session.selection)


def test_a_trace_with_nothing_odd_says_so(make_trace: Callable[..., Trace]) -> None:
    events = [builders.cpu_op("aten::mm", 0, 50), *builders.launched(1, 5, 20, 10)]
    session = Session.of(AnalysedTrace(make_trace(events)))
    there = pressed(session)
    assert there.said == "nothing was odd in this file"
    assert (there.pane, there.selection) == (session.pane, session.selection)
