"""What events and devices are called where a file does not tell."""

from __future__ import annotations

import pytest
from builders import annotation, complete, cpu_op, kernel, thread_name

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace.model import ABSENT
from attntui.view.drawing.tracks import lane_tracks
from attntui.view.reports import summary


@pytest.mark.parametrize("name", ["", "  "])
def test_an_event_without_a_name_has_a_label(make_trace, name: str) -> None:
    events = [annotation(name, 0, 90), cpu_op(name, 1, 9), kernel(name, 20, 5), kernel("k", 30, 5)]
    analysed = AnalysedTrace(make_trace(events))
    assert [analysed.labels.event(row) for row in range(4)] == [*["(no name)"] * 3, "k"]
    found = summary.document(analysed)
    for table in ("kernels", "ops", "annotation_labels"):
        assert "(no name)" in [entry["label"] for entry in found[table]], table
    kernels = {entry["label"]: entry["name"] for entry in found["kernels"]}
    assert kernels == {"(no name)": name, "k": "k"}


def test_a_device_that_is_not_told_has_no_number(make_trace) -> None:
    nowhere = {"ph": "X", "cat": "kernel", "name": "k", "ts": 0, "dur": 5, "args": {"stream": 7}}
    analysed = AnalysedTrace(make_trace([nowhere]))
    (device,) = summary.document(analysed)["devices"]
    assert (device["label"], device["device"]) == ("GPU", None)
    assert analysed.labels.stream(ABSENT, 7) == "GPU s7"


@pytest.mark.parametrize("category", ["", "toplevel"])
def test_lanes_of_another_tool_go_by_their_recorded_names(make_trace, category: str) -> None:
    """What its categories mean is not known, and many tools write none."""
    named = [thread_name("XLA Ops", 1, 21), thread_name("python", 701, 5)]
    events = [complete(category, "f", 0, 5, pid=pid, tid=tid) for pid, tid in ((1, 21), (701, 5))]
    events.append(complete(category, "unnamed", 0, 5, pid=3, tid=4))
    tracks = lane_tracks(AnalysedTrace(make_trace([*named, *events])).labels)
    unnamed = f"{category or 3} 4"
    assert [track.label for track in tracks] == [unnamed, "python 5", "XLA Ops 21"]


def test_a_lane_of_pytorch_goes_by_its_category_where_that_is_told(make_trace) -> None:
    named = [thread_name("python3", 1, 21), thread_name("mine", 2, 3)]
    events = [complete("cuda_profiler_range", "r", 0, 5, pid=1, tid=21), cpu_op("a", 0, 5)]
    events.append(complete("", "odd", 0, 5, pid=2, tid=3))
    tracks = lane_tracks(AnalysedTrace(make_trace([*named, *events])).labels)
    assert [track.label for track in tracks][1:] == ["mine 3", "profiler_range 21"]
