"""What a row stands for is found again as that row, in every table and scope."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import launched, write_trace

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Range, Step
from attntui.analysis.slice import Slice
from attntui.trace import load
from attntui.trace.model import ABSENT
from attntui.view.session.selection import (
    NOTHING,
    CallAt,
    EventAt,
    FindingAt,
    GapAt,
    call_event,
)
from attntui.view.tables.attention import attention_table
from attntui.view.tables.findings import findings_table
from attntui.view.tables.gaps import gaps_table
from attntui.view.tables.kernels import instances_table, kernels_table
from attntui.view.tables.model import Table
from attntui.view.tables.ops import ops_table
from attntui.view.tables.steps import steps_table

MOST = 40
"""Rows of a table that are tried, spread over all of it."""


def tables(part: Slice) -> dict[str, tuple[Table, type]]:
    """The tables with a cursor, and what a row of each stands for."""
    return {
        "kernels": (kernels_table(part), EventAt),
        "instances": (instances_table(part), EventAt),
        "gaps": (gaps_table(part, part.gaps), GapAt),
        "long gaps": (gaps_table(part, part.gaps, 10_000), GapAt),
        "stream gaps": (gaps_table(part, part.stream_gaps), GapAt),
        "attention": (attention_table(part), CallAt),
        "ops": (ops_table(part), EventAt),
        "findings": (findings_table(part), FindingAt),
        "steps": (steps_table(part.analysed), Step),
    }


def some(table: Table) -> Iterator[int]:
    yield from range(0, len(table), max(1, len(table) // MOST))


def scopes(analysed: AnalysedTrace) -> Iterator[Slice]:
    start, end = analysed.trace.span
    yield analysed.whole
    yield analysed.slice(Range(start + (end - start) // 4, start + (end - start) // 2))
    if len(analysed.steps):
        yield analysed.slice(Step(len(analysed.steps) // 2))


def test_a_row_is_found_by_what_it_stands_for(real: AnalysedTrace) -> None:
    for part in scopes(real):
        for name, (table, kind) in tables(part).items():
            for row in some(table):
                target = table.target(row)
                assert isinstance(target, kind), name
                assert table.row_of(target) == row, (name, row)
            assert table.row_of(NOTHING) is None


def test_a_call_is_found_by_its_op_and_by_each_of_its_kernels(samples: Path) -> None:
    analysed = AnalysedTrace(load(samples / "naive_b8_h16_s1024_d64_bf16_h200.json.gz"))
    table = attention_table(analysed.whole)
    assert len(table) > 1
    for row, call in enumerate(analysed.attention):
        event = call_event(call)
        assert event is not None
        assert table.row_of(EventAt(event)) == row
        assert {table.row_of(EventAt(int(kernel))) for kernel in call.gpu_rows} == {row}
    kernels = kernels_table(analysed.whole)
    assert kernels.row_of(EventAt(int(analysed.steps.rows[0]))) is None


def test_an_event_is_found_in_the_step_that_launched_it(samples: Path) -> None:
    analysed = AnalysedTrace(load(samples / "train-sdpa_l2_b1_h4_s256_d64_bf16_h200.json.gz"))
    table, steps = steps_table(analysed), analysed.steps
    assert len(table) > 1
    for index in range(len(steps)):
        assert table.row_of(Step(index)) == index
        assert table.row_of(EventAt(int(steps.owned(index)[0]))) == index


@pytest.fixture
def twins(tmp_path: Path) -> AnalysedTrace:
    """Two devices, of two streams each, that pause at the same times."""
    events = []
    for device in (0, 1):
        for stream in (7, 8):
            for n, at in enumerate((20, 60)):
                number = 1 + n + 10 * stream + 100 * device
                events += launched(number, n + stream, at, 10, device=device, stream=stream)
    return AnalysedTrace(load(write_trace(tmp_path, events)))


def test_gaps_at_one_time_are_told_apart(twins: AnalysedTrace) -> None:
    part = twins.whole
    devices = gaps_table(part, part.gaps)
    streams = gaps_table(part, part.stream_gaps)
    assert (len(devices), len(streams)) == (2, 4)
    for table in (devices, streams):
        targets = [table.target(row) for row in range(len(table))]
        assert len(set(targets)) == len(targets)
        assert [table.row_of(target) for target in targets] == list(range(len(table)))
    gap = devices.target(0)
    assert isinstance(gap, GapAt)
    assert gap.stream == ABSENT
    assert streams.row_of(gap) is None
    assert devices.row_of(GapAt(gap.device, 7, gap.start, gap.end)) is None
    assert devices.row_of(GapAt(gap.device, ABSENT, gap.start, gap.end + 1)) is None
    labels = [streams.column("device_label").text(row) for row in range(4)]
    assert sorted(labels) == ["GPU 0 s7", "GPU 0 s8", "GPU 1 s7", "GPU 1 s8"]
    order = streams.column("device_label").order
    assert [label for _, label in sorted(zip(order, labels, strict=True))] == sorted(labels)
