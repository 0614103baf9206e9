"""Findings of random programs: each ns has one owner, and figures and gains are as defined."""

from __future__ import annotations

from builders import Event
from held import hold
from hypothesis import given, settings
from hypothesis import strategies as st
from made import trace_of
from made_programs import DEVICE, programs

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Range
from attntui.analysis.slice import Slice


def analysed(events: list[Event]) -> AnalysedTrace:
    return AnalysedTrace(trace_of(events, deviceProperties=[DEVICE, DEVICE | {"id": 1}]))


def each_ns_has_one_owner(part: Slice) -> None:
    found = [each for each in part.findings if each.cost_ns is not None]
    roots = [each.cost_ns or 0 for each in found if each.under is None]
    assert sum(roots) <= part.span_ns
    for each in found:
        assert each.gain_ns is not None
        assert 0 <= each.gain_ns <= (each.cost_ns or 0) <= part.span_ns
    hold(part)


@settings(max_examples=150, deadline=None)
@given(programs())
def test_each_ns_of_a_program_has_one_owner(events: list[Event]) -> None:
    each_ns_has_one_owner(analysed(events).whole)


@settings(max_examples=50, deadline=None)
@given(programs(devices=2))
def test_each_ns_of_two_devices_has_one_owner(events: list[Event]) -> None:
    each_ns_has_one_owner(analysed(events).whole)


@settings(max_examples=50, deadline=None)
@given(programs(), st.floats(0, 1), st.floats(0, 1))
def test_each_ns_of_a_part_has_one_owner(events: list[Event], one: float, other: float) -> None:
    whole = analysed(events)
    low, high = whole.trace.span
    start, end = sorted(low + round((high - low) * share) for share in (one, other))
    if end > start:
        each_ns_has_one_owner(whole.slice(Range(start, end)))
