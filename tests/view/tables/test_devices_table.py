"""The figures of the tables on devices and on their idle time, to the ns."""

from __future__ import annotations

import made
import pytest
from builders import launched
from paused_trace import paused

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.gap_causes import Cause, Trigger
from attntui.view.tables.devices import REPORTED, devices_table, idle_table, launched_table
from attntui.view.tables.model import Table, records


@pytest.fixture(scope="module")
def analysed() -> AnalysedTrace:
    described = [{"id": 0, "name": "NVIDIA H200"}, {"id": 1, "name": "NVIDIA L4"}]
    return AnalysedTrace(made.trace_of(paused(), deviceProperties=described))


def cells(table: Table, keys: tuple[str, ...] = REPORTED) -> list[list[str]]:
    return [[str(table.column(key).text(row)) for key in keys] for row in range(len(table))]


ALL = {
    "gpu_ops": 4,
    "span_ns": 90_000,
    "busy_ns": 49_999,
    "busy_share": 49_999 / 90_000,
    "idle_ns": 40_001,
    "gaps": 3,
    "gaps_over_10us": 2,
    "longest_gap_ns": 20_000,
}
LAUNCHED = {
    "gpu_ops": 3,
    "span_ns": 90_000,
    "busy_ns": 40_000,
    "busy_share": 4 / 9,
    "idle_ns": 50_000,
    "gaps": 2,
    "gaps_over_10us": 1,
    "longest_gap_ns": 40_000,
}
NONE_LAUNCHED = {**dict.fromkeys(LAUNCHED, 0), "busy_share": None}


def test_a_device_tells_its_time_its_gaps_and_the_causes(analysed: AnalysedTrace) -> None:
    first, second = records(devices_table(analysed.whole))
    causes = {
        "queued": 15_000,
        "unknown": 10_001,
        "unrecorded": 8_000,
        "launch_call": 5_000,
        "sync": 2_000,
    }
    assert first == {
        "label": "GPU 0",
        **ALL,
        "device": 0,
        "name": "NVIDIA H200",
        "launched": LAUNCHED,
        "idle_by_cause_ns": {**dict.fromkeys((c.name.lower() for c in Cause), 0), **causes},
        "idle_by_trigger_ns": {"sync": 20_000, "copy": 0, "wait_event": 0, "none": 20_001},
    }
    assert second["device"] == 1
    assert second["name"] == "NVIDIA L4"
    assert second["launched"] == NONE_LAUNCHED
    assert [second[key] for key in REPORTED] == ["GPU 1", 1, 5_000, 5_000, 1.0, 0, 0, 0, 0]
    assert sum(second["idle_by_cause_ns"].values()) == 0


def test_a_device_as_people_read_it(analysed: AnalysedTrace) -> None:
    assert cells(devices_table(analysed.whole)) == [
        ["GPU 0", "4", "90.00 us", "50.00 us", "55.6 %", "40.00 us", "3", "2", "20.00 us"],
        ["GPU 1", "1", "5.000 us", "5.000 us", "100.0 %", "0 ns", "0", "0", "0 ns"],
    ]


def test_what_was_launched_is_told_where_not_all_was(analysed: AnalysedTrace) -> None:
    (row,) = records(launched_table(analysed.whole))
    assert row == {"label": "GPU 0 launched", **LAUNCHED}
    complete = AnalysedTrace(made.trace_of(launched(1, 0, 10, 10)))
    assert not len(launched_table(complete.whole))


def test_idle_time_by_cause_then_after_what_drained_the_queue(analysed: AnalysedTrace) -> None:
    part = analysed.whole
    table = idle_table(part.devices[0].idle_ns, part.causes[0])
    assert [(row["label"], row["idle_ns"]) for row in records(table)] == [
        ("queued", 15_000),
        ("unknown", 10_001),
        ("unrecorded", 8_000),
        ("launch call", 5_000),
        ("sync", 2_000),
        ("in gaps after: sync", 20_000),
    ]
    assert table.column("share").value(1) == 10_001 / 40_001
    assert [share for share, _ in cells(table, ("share", "label"))] == [
        *("37.5 %", "25.0 %", "20.0 %", "12.5 %", "5.0 %", "50.0 %")
    ]
    assert Trigger.NONE.word not in {label for (label,) in cells(table, ("label",))}
    assert not len(idle_table(0, part.causes[1]))


def test_a_device_that_the_file_does_not_describe_has_not_the_name_of_another() -> None:
    described = [{"id": 0, "name": "NVIDIA H200"}]
    both = AnalysedTrace(made.trace_of(paused(), deviceProperties=described))
    assert [row["name"] for row in records(devices_table(both.whole))] == ["NVIDIA H200", None]
    alone = AnalysedTrace(
        made.trace_of(launched(1, 0, 10, 10, "k", device=3), deviceProperties=described)
    )
    assert [row["name"] for row in records(devices_table(alone.whole))] == ["NVIDIA H200"]
