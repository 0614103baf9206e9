"""The time tree: each ns of a span in one leaf, counted leaf by leaf."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from builders import Event
from hypothesis import given, settings
from hypothesis import strategies as st
from made import trace_of
from made_programs import programs
from real_traces import every_real_trace, observed
from swept import own_times

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.gap_causes import Cause, Trigger
from attntui.analysis.scope import Range
from attntui.analysis.slice import Slice


def leaves_of(part: Slice) -> Counter[tuple[str | None, Cause | None, Trigger | None]]:
    """Busy time by kind of work, idle time by cause and trigger, one by one."""
    found: Counter[tuple[str | None, Cause | None, Trigger | None]] = Counter()
    for device in part.devices:
        for row, ns in own_times(part.trace, device.rows.tolist(), device.end).items():
            kind = part.analysed.facts_by_name[int(part.trace.name[row])].decoded.kind
            category = part.trace.category_of(row).name
            found[
                {"MEMCPY": "copy", "MEMSET": "fill"}.get(category, kind or "other"), None, None
            ] += ns
    for causes in part.causes:
        for split, trigger in zip(causes.split.tolist(), causes.trigger.tolist(), strict=True):
            for cause in Cause:
                found[None, cause, Trigger(trigger)] += split[cause]
    return +found


def holds(part: Slice) -> None:
    told = [(leaf.kind, leaf.cause, leaf.trigger) for leaf in part.time_tree]
    assert len(set(told)) == len(told)
    ns = [leaf.ns for leaf in part.time_tree]
    assert dict(zip(told, ns, strict=True)) == leaves_of(part)
    assert sum(ns) == part.span_ns == sum(device.end - device.start for device in part.devices)
    order = [(leaf.cause is not None, -leaf.ns) for leaf in part.time_tree]
    assert order == sorted(order)


@settings(max_examples=60, deadline=None)
@given(programs(devices=2))
def test_each_ns_of_a_program_is_in_one_leaf(events: list[Event]) -> None:
    holds(AnalysedTrace(trace_of(events)).whole)


@settings(max_examples=40, deadline=None)
@given(programs(), st.floats(0, 1), st.floats(0, 1))
def test_each_ns_of_a_part_is_in_one_leaf(events: list[Event], one: float, other: float) -> None:
    whole = AnalysedTrace(trace_of(events))
    low, high = whole.trace.span
    start, end = sorted(low + round((high - low) * share) for share in (one, other))
    if end > start:
        holds(whole.slice(Range(start, end)))


@every_real_trace
def test_each_ns_of_a_real_trace_is_in_one_leaf(path: Path) -> None:
    holds(observed(path))
