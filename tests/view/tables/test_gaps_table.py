"""The gaps of a made-up trace: where, how long, why, and between what."""

from __future__ import annotations

import made
import pytest
from builders import cpu_op, launched
from paused_trace import paused

from attntui.analysis.analysed import AnalysedTrace
from attntui.view.session.selection import GapAt
from attntui.view.tables.gaps import REPORTED, gaps_table
from attntui.view.tables.model import ordered_rows, records


@pytest.fixture(scope="module")
def analysed() -> AnalysedTrace:
    return AnalysedTrace(made.trace_of([*paused(), cpu_op("aten::add", 65, 15)]))


def test_each_gap_tells_its_length_its_causes_and_its_neighbours(analysed: AnalysedTrace) -> None:
    part = analysed.whole
    table = gaps_table(part, part.gaps)
    place = {"device_label": "GPU 0", "device": 0, "stream": None}
    assert records(table) == [
        {
            "length_ns": 10_000,
            "start_ns": 20_000,
            **place,
            "cause_label": "queued",
            "before": "first",
            "after": "second",
            "launched_by": None,
            "cause": "queued",
            "trigger": "none",
            "by_cause_ns": {"queued": 10_000},
        },
        {
            "length_ns": 10_001,
            "start_ns": 40_000,
            **place,
            "cause_label": "unknown",
            "before": "second",
            "after": "stray",
            "launched_by": None,
            "cause": "unknown",
            "trigger": "none",
            "by_cause_ns": {"unknown": 10_001},
        },
        {
            "length_ns": 20_000,
            "start_ns": 60_000,
            **place,
            "cause_label": "dispatch after sync",
            "before": "stray",
            "after": "third",
            "launched_by": "aten::add",
            "cause": "dispatch",
            "trigger": "sync",
            "by_cause_ns": {
                "sync": 2_000,
                "dispatch": 5_000,
                "unrecorded": 3_000,
                "launch_call": 5_000,
                "queued": 5_000,
            },
        },
    ]
    assert [str(table.column(key).text(2)) for key in REPORTED] == [
        *("60.0000 us", "20.00 us", "dispatch after sync", "aten::add", "stray", "third")
    ]
    assert str(table.column("launched_by").text(0)) == "-"
    assert table.target(2) == GapAt(0, -1, 60_000, 80_000)


def test_a_threshold_keeps_the_gaps_of_its_own_length(analysed: AnalysedTrace) -> None:
    part = analysed.whole
    for threshold, left in ((10_000, 3), (10_001, 2), (20_000, 1), (20_001, 0)):
        assert len(gaps_table(part, part.gaps, threshold)) == left
    long = gaps_table(part, part.gaps, 10_001)
    # The rows' causes are those of the gaps chosen, not of the first ones.
    assert [row["cause"] for row in records(long)] == ["unknown", "dispatch"]
    assert records(long)[0]["by_cause_ns"] == {"unknown": 10_001}
    assert [row["trigger"] for row in records(long)] == ["none", "sync"]
    assert ordered_rows(long) == [1, 0]


def test_a_gap_of_a_stream_tells_the_stream() -> None:
    events = [*launched(1, 0, 10, 10, stream=9), *launched(2, 1, 50, 10, stream=9)]
    events += launched(3, 2, 15, 40, stream=7)
    part = AnalysedTrace(made.trace_of(events)).whole
    (row,) = records(gaps_table(part, part.stream_gaps))
    assert (row["device_label"], row["device"], row["stream"]) == ("GPU 0 s9", 0, 9)
    assert (row["start_ns"], row["length_ns"]) == (20_000, 30_000)
    assert gaps_table(part, part.gaps).empty == "no gap: the GPU never paused in this scope"
    assert gaps_table(part, part.stream_gaps, 30_001).empty == (
        "no gap of 30.00 us or more: ( lowers the threshold"
    )


def test_the_first_event_of_a_trace_can_launch_what_ends_a_gap() -> None:
    events = [cpu_op("aten::mm", 0, 100), *launched(1, 5, 20, 10), *launched(2, 12, 40, 10)]
    part = AnalysedTrace(made.trace_of(events)).whole
    assert made.row(part.trace, "aten::mm") == 0
    (row,) = records(gaps_table(part, part.gaps))
    assert row["launched_by"] == "aten::mm"
