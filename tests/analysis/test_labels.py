"""What events and devices are called where a file does not tell."""

from __future__ import annotations

import pytest
from builders import annotation, cpu_op, kernel

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace.model import ABSENT
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
