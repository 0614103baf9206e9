"""Steps of a made-up trace: time on the host and the GPU, bytes, which one stands out."""

from __future__ import annotations

import made
import pytest
from builders import Event, annotation, kernel, launch, memcpy

from attntui.analysis.analysed import AnalysedTrace
from attntui.view.tables.model import Table, records
from attntui.view.tables.steps import REPORTED, steps_table


def events() -> list[Event]:
    """Five steps of 100 us but the fourth, of 300; the first copies and runs two kernels."""
    found = [
        annotation(f"ProfilerStep#{n}", 1_000 * n, 300 if n == 4 else 100) for n in range(1, 6)
    ]
    for number, (at, dur) in enumerate(((1_010, 30), (1_020, 20), (2_010, 7)), 1):
        found += [launch(number, at), kernel("mystery", at + 500, dur, number)]
    return [
        *found,
        launch(9, 1_040),
        memcpy("Memcpy DtoD (Device -> Device)", 1_600, 50, 9, args={"bytes": 3_000_000}),
        kernel("stray", 3_050, 5),
    ]


@pytest.fixture(scope="module")
def table() -> Table:
    return steps_table(AnalysedTrace(made.trace_of(events())))


def test_a_step_tells_its_time_its_bytes_and_how_much_of_them_is_known(table: Table) -> None:
    assert records(table)[:2] == [
        {
            "start_ns": 0,
            "host_ns": 100_000,
            "gpu_ns": 100_000,
            "gpu_ops": 3,
            "hbm_bytes": 6_000_000,
            "outlier": False,
            "label": "ProfilerStep#1",
            "name": "ProfilerStep#1",
            "coverage": 0.5,
        },
        {
            "start_ns": 1_000_000,
            "host_ns": 100_000,
            "gpu_ns": 7_000,
            "gpu_ops": 1,
            "hbm_bytes": None,
            "outlier": False,
            "label": "ProfilerStep#2",
            "name": "ProfilerStep#2",
            "coverage": 0.0,
        },
    ]
    # A kernel without a launch is of no step, though it ran in the third's time.
    third = records(table)[2]
    assert (third["gpu_ops"], third["gpu_ns"], third["coverage"]) == (0, 0, None)


def test_the_step_that_stands_out_says_so(table: Table) -> None:
    assert [row["outlier"] for row in records(table)] == [False, False, False, True, False]
    assert [str(table.column("outlier").text(row)) for row in (2, 3)] == ["", "outlier"]
    assert table.column("host_ns").value(3) == 300_000


def test_a_step_as_people_read_it(table: Table) -> None:
    shown = [[str(table.column(key).text(row)) for key in REPORTED] for row in (0, 1)]
    assert shown == [
        ["0 ns", "100.0 us", "100.0 us", "3", "6.00 MB", "50.0 %", "", "ProfilerStep#1"],
        ["1.00000 ms", "100.0 us", "7.000 us", "1", "-", "0.0 %", "", "ProfilerStep#2"],
    ]
