"""The causes found in the planted-gaps sample are those that its capture planted.

Each phase is looked at as a reader would: with its label as the scope, so that the gaps are
those between its own operations (the device is drained before the label begins). The truth
is what the capture wrote into the file beside the trace; the analyses never see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from attntui.analysis.findings.launch_bound import GIVING_OUT
from attntui.analysis.gap_causes import (
    Cause,
    CauseFinder,
    GapCauses,
    Trigger,
    cause_finder,
    cause_stretches,
)
from attntui.analysis.idle import device_idle, stream_gaps
from attntui.analysis.scope import Annotation, scope_rows
from attntui.analysis.steps import find_steps
from attntui.trace import Trace, load
from attntui.trace.model import I64, Category

SAMPLE = Path(__file__).resolve().parents[2] / "sample_traces" / "gaps_h200.json.gz"


@cache
def sample() -> tuple[Trace, CauseFinder]:
    trace = load(SAMPLE)
    return trace, cause_finder(trace)


def planted() -> dict[str, Mapping[str, list[str]]]:
    """What the capture planted, by label."""
    told = sample()[0].metadata.raw["attntui"]["planted"]
    return {one["label"]: one for one in told}


LONG_NS = 100_000
"""Only the kernels that spin last so long."""

LATER_USES_A_STEP = 3
"""Kernels that `gap:function_load` uses for the first time, in each step."""

LABELS = list(planted())
IN_STREAMS = "gap:event_wait"


def operations(label: str) -> Iterator[I64]:
    """The GPU operations of each instance of a phase."""
    trace, _ = sample()
    steps = find_steps(trace)
    rows = np.flatnonzero(trace.category == Category.USER_ANNOTATION)
    for row in rows.tolist():
        if trace.name_of(row) == label:
            yield scope_rows(trace, Annotation(row), steps).gpu


def instances(label: str) -> list[GapCauses]:
    """The causes of the device's gaps within each instance of a phase."""
    trace, finder = sample()
    found = []
    for rows in operations(label):
        (idle,) = device_idle(trace, rows)
        found.append(finder.causes(idle.gaps))
    assert len(found) == len(find_steps(trace))
    return found


def largest(parts: Mapping[Cause, int] | Mapping[Trigger, int]) -> str:
    return max(parts.items(), key=lambda part: part[1])[0].name.lower()


@pytest.mark.parametrize("label", [label for label in LABELS if label != IN_STREAMS])
def test_the_planted_cause_takes_most_of_the_idle(label: str) -> None:
    for causes in instances(label):
        assert largest(causes.by_cause()) in planted()[label]["causes"]


@pytest.mark.parametrize("label", LABELS)
def test_the_planted_trigger_drained_most_of_the_gaps(label: str) -> None:
    for causes in instances(label):
        assert largest(causes.by_trigger()) in planted()[label]["triggers"]


def test_reading_items_is_triggered_by_synchronising() -> None:
    for causes in instances("gap:item_sync"):
        by_trigger = causes.by_trigger()
        assert largest(by_trigger) == "sync"
        assert by_trigger[Trigger.COPY] == by_trigger[Trigger.WAIT_EVENT] == 0


def test_a_pageable_copy_and_not_the_synchronise_that_ends_it_is_the_trigger() -> None:
    trace, _ = sample()
    for causes in instances("gap:pageable_copy"):
        before, after = causes.gaps.before.tolist(), causes.gaps.after.tolist()
        assert len(causes) == 2
        assert trace.category_of(after[0]) is trace.category_of(before[1]) is Category.MEMCPY
        # Its call began while the kernel before it ran: it drained the queue on both its sides.
        assert trace.start[causes.launch[0]] < causes.gaps.start[0]
        assert causes.trigger.tolist() == [Trigger.COPY, Trigger.COPY]
        assert Cause(int(causes.main[0])) is Cause.COPY


def test_a_copy_that_finds_the_device_idle_drained_nothing() -> None:
    """The host was late with the call; the time inside it is the copy's all the same."""
    trace, _ = sample()
    for causes in instances("gap:staged_copy"):
        (call,) = causes.launch.tolist()
        (start,), (end,) = causes.gaps.start.tolist(), causes.gaps.end.tolist()
        assert start < trace.start[call] < end < trace.end[call]
        assert causes.trigger.tolist() == [Trigger.NONE]
        assert causes.split[0, Cause.COPY] == end - trace.start[call]


def test_event_waits_hold_both_streams() -> None:
    trace, finder = sample()
    gaps = stream_gaps(trace)
    ops = trace.gpu_ops
    firsts = ops[np.unique(trace.stream[ops], return_index=True)[1]].tolist()
    for rows in operations(IN_STREAMS):
        main, side, last = rows[trace.dur[rows] > LONG_NS].tolist() + rows[-1:].tolist()
        # One stream waits for the other's spinning kernel, and then that one for its.
        for spin, held in ((main, side), (side, last)):
            if held in firsts:
                continue  # A stream's first operation ends no gap.
            own = gaps[0, int(trace.stream[held])]
            causes = finder.causes(own.take(own.after == held))
            spun = dict.fromkeys(Cause, 0)
            for piece in cause_stretches(finder, causes, 0):
                inside = min(piece.end, trace.end[spin]) - max(piece.start, trace.start[spin])
                spun[piece.cause] += max(0, int(inside))
            assert largest(spun) == "wait_event"
            assert spun[Cause.WAIT_EVENT] > 0.8 * trace.dur[spin]
            assert Trigger(int(causes.trigger[0])) is Trigger.WAIT_EVENT
            assert trace.name_of(int(causes.trigger_row[0])) == "Stream Wait Event"


def test_event_waits_leave_the_device_idle_for_microseconds_only() -> None:
    for causes in instances(IN_STREAMS):
        assert causes.gaps.length.max() < 10_000
        assert largest(causes.by_trigger()) == "wait_event"


def test_before_tiny_kernels_the_host_is_late() -> None:
    for causes in instances("gap:tiny_kernels"):
        by_cause = causes.by_cause()
        late = sum(by_cause[cause] for cause in GIVING_OUT)
        assert late >= 0.9 * causes.gaps.length.sum() - by_cause[Cause.QUEUED]


def test_a_module_loaded_before_the_launch_call_is_a_load() -> None:
    """CUDA loads a module on the first use of a kernel before the profiler sees the call.

    The recording has the op alone until then, and of all the loading one overhead event
    inside the call: that the op's time is the load follows from the call's.
    """
    trace, _ = sample()
    for causes in instances("gap:module_load"):
        longest = int(causes.gaps.length.argmax())
        launch, op = int(causes.launch[longest]), int(causes.running[longest])
        assert trace.category_of(op) is Category.CPU_OP
        children = np.flatnonzero(trace.parent == op)
        assert trace.category[children].tolist() == [Category.RUNTIME]
        assert children.tolist() == [launch]
        began, ended = trace.start[launch], trace.end[launch]
        loads = np.flatnonzero(
            (trace.category == Category.OVERHEAD) & (trace.start >= began) & (trace.end <= ended)
        )
        assert [trace.name_of(row) for row in loads.tolist()] == ["Lazy Function Loading"]
        split = causes.split[longest]
        assert split[Cause.MODULE_LOAD] > 0.99 * causes.gaps.length[longest]
        assert split[Cause.DISPATCH] < 10_000


def test_code_loaded_inside_the_launch_call_is_told_to_the_nanosecond() -> None:
    trace, _ = sample()
    loads = trace.category == Category.OVERHEAD
    for causes in instances("gap:function_load"):
        assert len(causes) == LATER_USES_A_STEP
        for call, loading in zip(
            causes.launch.tolist(), causes.split[:, Cause.MODULE_LOAD].tolist(), strict=True
        ):
            inside = loads & (trace.start >= trace.start[call]) & (trace.end <= trace.end[call])
            (load,) = np.flatnonzero(inside).tolist()
            assert trace.name_of(load) == "Lazy Function Loading"
            assert loading == trace.dur[load]


def test_over_the_whole_trace_nothing_is_unknown() -> None:
    trace, finder = sample()
    (idle,) = device_idle(trace)
    assert finder.causes(idle.gaps).by_cause()[Cause.UNKNOWN] == 0
