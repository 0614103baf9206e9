"""Gap causes: the split of every kind of gap, its trigger, and a count of every instant."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from builders import name_of, where_real
from hypothesis import given, settings
from hypothesis import strategies as st
from made import Event, annotation, call, complete, copy, frame, kernel, op, row, trace_of

from attntui.analysis.gap_causes import (
    Cause,
    GapCauses,
    Trigger,
    cause_finder,
    cause_stretches,
    joined,
)
from attntui.analysis.idle import device_idle, stream_gaps
from attntui.trace import Trace, load


def causes_of(trace: Trace) -> GapCauses:
    """The causes of the gaps of the one device."""
    (idle,) = device_idle(trace)
    found = cause_finder(trace).causes(idle.gaps)
    assert found.split.sum(axis=1).tolist() == found.gaps.length.tolist()
    return found


def split_of(causes: GapCauses, index: int = 0) -> dict[Cause, int]:
    return {cause: int(ns) for cause, ns in zip(Cause, causes.split[index], strict=True) if ns}


def with_gap(*between: Event, launch: tuple[int, int] = (8_000, 8_100)) -> Trace:
    """A kernel until 2,000; a gap; a kernel at 9,000, launched by thread 1."""
    return trace_of(
        [
            call("cudaLaunchKernel", 500, 600, 1),
            kernel("before", 1_000, 2_000, 1),
            call("cudaLaunchKernel", *launch, 2),
            kernel("after", 9_000, 9_500, 2),
            *between,
        ]
    )


LATE = {Cause.UNRECORDED: 6_000, Cause.LAUNCH_CALL: 100, Cause.QUEUED: 900}


@pytest.mark.parametrize(
    ("event", "cause"),
    [
        (call("cudaDeviceSynchronize", 3_000, 4_000), Cause.SYNC),
        (call("cudaMemcpy", 3_000, 4_000), Cause.COPY),
        (call("cudaMalloc", 3_000, 4_000), Cause.MEMORY),
        (call("cuModuleLoadData", 3_000, 4_000), Cause.MODULE_LOAD),
        (annotation("backend_compile (dynamo_timed)", 3_000, 4_000), Cause.MODULE_LOAD),
        (op("enumerate(DataLoader)#_Single.__next__", 3_000, 4_000), Cause.DATA_LOADING),
        (frame("torch/utils/data/dataloader.py(7): __next__", 3_000, 4_000), Cause.DATA_LOADING),
        (call("cudaEventQuery", 3_000, 4_000), Cause.RUNTIME),
        (call("cudaStreamWaitEvent", 3_000, 4_000), Cause.RUNTIME),
        (op("aten::add", 3_000, 4_000), Cause.DISPATCH),
        (frame("train.py(3): step", 3_000, 4_000), Cause.PYTHON),
        (annotation("step", 3_000, 4_000), Cause.UNRECORDED),
        (op("aten::add", 3_000, 4_000, tid=2), Cause.UNRECORDED),
    ],
)
def test_the_late_host_by_what_its_thread_did(event: Event, cause: Cause) -> None:
    expected = dict(LATE)
    expected[Cause.UNRECORDED] -= 1_000
    expected[cause] = expected.get(cause, 0) + 1_000
    assert split_of(causes_of(with_gap(event))) == expected


def test_of_several_around_an_instant_the_first_in_rank_takes_it() -> None:
    trace = with_gap(
        frame("main", 2_500, 8_500),
        op("aten::item", 3_000, 7_000),
        call("cudaStreamSynchronize", 4_000, 5_000),
    )
    assert split_of(causes_of(trace)) == {
        Cause.SYNC: 1_000,
        Cause.DISPATCH: 3_000,
        Cause.PYTHON: 1_500,
        Cause.UNRECORDED: 500,
        Cause.LAUNCH_CALL: 100,
        Cause.QUEUED: 900,
    }


def test_queued_when_launched_long_before() -> None:
    assert split_of(causes_of(with_gap(launch=(700, 800)))) == {Cause.QUEUED: 7_000}


def test_inside_the_launch_call() -> None:
    whole = with_gap(launch=(1_500, 9_400))
    assert split_of(causes_of(whole)) == {Cause.LAUNCH_CALL: 7_000}
    loading = with_gap(
        complete("overhead", "Lazy Function Loading", 3_000, 5_000, pid=-1, tid=0),
        launch=(1_500, 9_400),
    )
    assert split_of(causes_of(loading)) == {Cause.LAUNCH_CALL: 5_000, Cause.MODULE_LOAD: 2_000}


def test_the_profilers_own_overhead_inside_a_launch_loads_no_code() -> None:
    buffers = with_gap(
        complete("overhead", "Activity Buffer Request", 3_000, 5_000, pid=-1, tid=0),
        launch=(1_500, 9_400),
    )
    assert split_of(causes_of(buffers)) == {Cause.LAUNCH_CALL: 7_000}


def test_an_earlier_call_in_which_code_was_loaded() -> None:
    trace = with_gap(
        call("cudaLaunchKernel", 3_000, 6_000),
        complete("overhead", "Lazy Function Loading", 4_000, 7_000, pid=-1, tid=0),
    )
    found = split_of(causes_of(trace))
    assert (found[Cause.MODULE_LOAD], found[Cause.RUNTIME]) == (2_000, 1_000)


def test_a_pageable_copy_that_ends_the_gap_itself() -> None:
    trace = trace_of(
        [
            kernel("before", 1_000, 2_000),
            call("cudaMemcpyAsync", 3_000, 9_000, 2),
            copy("Memcpy HtoD (Pageable -> Device)", 8_000, 8_500, 2),
        ]
    )
    assert split_of(causes_of(trace)) == {Cause.UNRECORDED: 1_000, Cause.COPY: 5_000}


def test_a_kernel_that_began_before_its_launch() -> None:
    assert split_of(causes_of(with_gap(launch=(9_100, 9_200)))) == {Cause.UNRECORDED: 7_000}


def test_no_launch_is_unknown_and_one_launch_for_both_is_a_graph() -> None:
    alone = trace_of([kernel("a", 0, 100), kernel("b", 300, 400)])
    assert split_of(causes_of(alone)) == {Cause.UNKNOWN: 200}
    graph = trace_of(
        [
            call("cudaGraphLaunch", 0, 100, 4),
            kernel("a", 200, 300, 4),
            kernel("b", 450, 500, 4),
        ]
    )
    found = causes_of(graph)
    assert split_of(found) == {Cause.GRAPH: 150}
    assert cause_stretches(cause_finder(graph), found, 0)[0].cause is Cause.GRAPH


def test_an_item_loop_is_triggered_by_its_synchronise() -> None:
    trace = with_gap(
        op("aten::item", 1_200, 2_600),
        call("cudaMemcpyAsync", 1_300, 1_400),
        call("cudaStreamSynchronize", 1_500, 2_500),
        op("aten::add", 3_000, 8_500),
    )
    found = causes_of(trace)
    assert Trigger(int(found.trigger[0])) is Trigger.SYNC
    assert trace.name_of(int(found.trigger_row[0])) == "cudaStreamSynchronize"
    assert Cause(int(found.main[0])) is Cause.DISPATCH
    assert trace.name_of(int(found.running[0])) == "aten::add"
    assert found.by_trigger()[Trigger.SYNC] == 7_000
    assert found.launch.tolist() == [trace.launch[row(trace, "after")]]
    assert found.lane.tolist() == [trace.lane[found.launch[0]]]


@pytest.mark.parametrize(
    ("blocking", "trigger"),
    [
        (call("cudaMemcpy", 1_500, 2_500), Trigger.COPY),
        (call("cudaDeviceSynchronize", 700, 950), Trigger.NONE),
        # It must return after the operation before the gap had begun, at 1,000.
        (call("cudaDeviceSynchronize", 700, 1_000), Trigger.NONE),
        (call("cudaDeviceSynchronize", 700, 1_001), Trigger.SYNC),
        # It may return in the instant in which the launch begins, at 8,000, not later.
        (call("cudaDeviceSynchronize", 1_500, 8_000), Trigger.SYNC),
        (call("cudaDeviceSynchronize", 1_500, 8_001), Trigger.NONE),
        (call("cudaDeviceSynchronize", 8_200, 8_900), Trigger.NONE),
        (call("cudaDeviceSynchronize", 1_500, 2_500, tid=2), Trigger.NONE),
        (call("cudaEventQuery", 1_500, 2_500), Trigger.NONE),
    ],
)
def test_trigger(blocking: Event, trigger: Trigger) -> None:
    assert Trigger(int(causes_of(with_gap(blocking)).trigger[0])) is trigger


def test_of_several_blocking_calls_the_one_that_returned_last_is_the_trigger() -> None:
    for first, last in (
        (call("cudaStreamSynchronize", 1_500, 2_500), call("cudaMemcpy", 3_000, 4_000)),
        (call("cudaStreamSynchronize", 3_000, 3_500), call("cudaMemcpy", 2_500, 4_000)),
    ):
        trace = with_gap(first, last)
        assert triggers_of(trace) == [(Trigger.COPY, "cudaMemcpy")]


def test_what_ran_is_the_innermost_around_the_middle_of_the_late_stretch() -> None:
    """The host is late from 2,000 until 8,000, the middle is 5,000."""
    outer = op("outer", 2_500, 7_900)

    def running(*events: Event, **more: tuple[int, int]) -> str | None:
        trace = with_gap(*events, **more)
        at = int(causes_of(trace).running[0])
        return None if at < 0 else trace.name_of(at)

    assert running(outer, frame("inner", 4_500, 5_500)) == "inner"
    assert running(outer, frame("inner", 5_000, 5_500)) == "inner"
    assert running(outer, frame("until then", 4_500, 5_000)) == "outer"
    assert running(outer, frame("after", 5_001, 5_500)) == "outer"
    assert running(outer, call("cudaMalloc", 4_500, 5_500)) == "outer"
    assert running(op("before", 2_100, 4_900), op("after", 5_100, 7_000)) is None
    assert running() is None
    # A host that was not late: what is around the launch, not around the gap.
    early = op("launching", 650, 900), op("meanwhile", 4_000, 6_000)
    assert running(*early, launch=(700, 800)) == "launching"
    assert running(early[1], launch=(700, 800)) is None


def copied_in(*after: Event, name: str = "Memcpy HtoD (Pageable -> Device)", **args: int) -> Trace:
    """A kernel until 2,000; a copy whose call begins at 1,500 and returns at 6,000, on the
    device from 4,000 until 5,500; a kernel at 9,000.
    """
    moved = copy(name, 4_000, 5_500, 2)
    moved["args"] |= args
    return trace_of(
        [
            call("cudaLaunchKernel", 500, 600, 1),
            kernel("before", 1_000, 2_000, 1),
            call("cudaMemcpyAsync", 1_500, 6_000, 2),
            moved,
            call("cudaLaunchKernel", 8_000, 8_100, 3),
            kernel("after", 9_000, 9_500, 3),
            *after,
        ]
    )


COPY_OP = op("aten::copy_", 1_400, 6_500)
SYNC_AFTER = call("cudaStreamSynchronize", 6_100, 6_400)


def triggers_of(trace: Trace) -> list[tuple[Trigger, str | None]]:
    found = causes_of(trace)
    rows = found.trigger_row.tolist()
    names = [None if at < 0 else trace.name_of(at) for at in rows]
    return list(zip(map(Trigger, found.trigger.tolist()), names, strict=True))


def test_a_copy_from_pageable_memory_drains_its_stream_before_and_after() -> None:
    triggered = (Trigger.COPY, "cudaMemcpyAsync")
    assert triggers_of(copied_in()) == [triggered, triggered]
    # The synchronise that ends a blocking copy has nothing but the copy to wait for.
    assert triggers_of(copied_in(COPY_OP, SYNC_AFTER)) == [triggered, triggered]


def test_a_synchronise_of_another_op_is_no_part_of_the_copy() -> None:
    synced = (Trigger.SYNC, "cudaStreamSynchronize")
    assert triggers_of(copied_in(SYNC_AFTER, op("later", 9_600, 9_700)))[-1] == synced
    apart = copied_in(op("aten::copy_", 1_400, 6_050), op("mine", 6_060, 6_500), SYNC_AFTER)
    assert triggers_of(apart)[-1] == synced


def test_a_synchronise_directly_in_an_annotation_is_no_part_of_a_copy_there() -> None:
    """Only an op of one copy and its synchronise has nothing else to wait for."""
    trace = copied_in(annotation("step", 1_400, 6_500), SYNC_AFTER)
    assert triggers_of(trace)[-1] == (Trigger.SYNC, "cudaStreamSynchronize")


def test_of_two_copies_in_an_op_each_gap_is_triggered_by_the_last() -> None:
    second = copy("Memcpy HtoD (Pageable -> Device)", 6_800, 7_000, 5)
    trace = copied_in(
        op("aten::copy_", 1_400, 7_500), call("cudaMemcpyAsync", 6_100, 7_100, 5), second
    )
    found = causes_of(trace)
    assert trace.start[found.trigger_row].tolist() == [1_500 - 500, 1_500 - 500, 6_100 - 500]


def test_a_synchronise_before_any_work_was_given_waits_for_no_copy_after_it() -> None:
    trace = trace_of(
        [
            kernel("before", 1_000, 2_000),
            op("aten::copy_", 1_400, 6_500),
            call("cudaStreamSynchronize", 1_500, 2_500),
            call("cudaMemcpyAsync", 3_000, 6_000, 2),
            copy("Memcpy HtoD (Pageable -> Device)", 4_000, 5_500, 2),
        ]
    )
    assert triggers_of(trace) == [(Trigger.SYNC, "cudaStreamSynchronize")]


@pytest.mark.parametrize(("begun", "trigger"), [(1_999, Trigger.COPY), (2_000, Trigger.NONE)])
def test_a_copy_drains_what_still_ran_when_it_began(begun: int, trigger: Trigger) -> None:
    trace = trace_of(
        [
            kernel("before", 1_000, 2_000),
            call("cudaMemcpyAsync", begun, 6_000, 2),
            copy("Memcpy HtoD (Pageable -> Device)", 4_000, 5_500, 2),
        ]
    )
    assert [found for found, _ in triggers_of(trace)] == [trigger]


def test_a_synchronise_counts_where_more_was_launched_after_the_copy() -> None:
    more = copied_in(
        COPY_OP,
        SYNC_AFTER,
        call("cudaLaunchKernel", 6_010, 6_050, 4),
        kernel("more", 6_060, 6_200, 4),
    )
    assert triggers_of(more)[-1] == (Trigger.SYNC, "cudaStreamSynchronize")


def test_a_copy_back_is_waited_for_by_its_synchronise() -> None:
    back = copied_in(COPY_OP, SYNC_AFTER, name="Memcpy DtoH (Device -> Pageable)")
    assert triggers_of(back) == [
        (Trigger.NONE, None),
        (Trigger.SYNC, "cudaStreamSynchronize"),
    ]


def test_a_small_copy_is_staged_at_once_and_drains_nothing() -> None:
    small = copied_in(COPY_OP, SYNC_AFTER, bytes=64 * 1024)
    assert triggers_of(small) == [(Trigger.NONE, None), (Trigger.SYNC, "cudaStreamSynchronize")]
    large = copied_in(COPY_OP, SYNC_AFTER, bytes=64 * 1024 + 1)
    assert triggers_of(large) == [(Trigger.COPY, "cudaMemcpyAsync")] * 2


def test_a_copy_that_a_late_host_begins_drained_nothing() -> None:
    trace = trace_of(
        [
            kernel("before", 1_000, 2_000),
            call("cudaMemcpyAsync", 3_000, 9_000, 2),
            copy("Memcpy HtoD (Pageable -> Device)", 8_000, 8_500, 2),
        ]
    )
    assert triggers_of(trace) == [(Trigger.NONE, None)]


def waiting(*waits: Event) -> Trace:
    """Stream 7 launches `held` early; stream 9's `long` runs until 8,000."""
    return trace_of(
        [
            call("cudaLaunchKernel", 100, 200, 1),
            call("cudaLaunchKernel", 300, 400, 2),
            *waits,
            call("cudaLaunchKernel", 700, 800, 3),
            kernel("first", 1_000, 2_000, 1, stream=7),
            kernel("long", 1_000, 8_000, 2, stream=9),
            kernel("held", 8_500, 9_000, 3, stream=7),
        ]
    )


def held_of(*events: Event, stream: int = 7, device: int = 0) -> tuple[dict[Cause, int], Trigger]:
    """The causes and the trigger of the last gap of a stream."""
    trace = trace_of(events)
    found = cause_finder(trace).causes(stream_gaps(trace)[device, stream])
    return split_of(found, len(found) - 1), Trigger(int(found.trigger[-1]))


WAIT = call("cudaStreamWaitEvent", 500, 600, 9)
NO_WAIT = {Cause.QUEUED: 6_500}, Trigger.NONE
"""Of the gap from 2,000 until 8,500 of the stream 7 below, launched at 700."""


def streams(*more: Event, long: tuple[int, int] = (1_000, 8_000), tid: int = 1) -> list[Event]:
    """Like `waiting`, with two streams and a thread more, whose numbers come first."""
    return [
        call("cudaLaunchKernel", 10, 20, 11, tid=0),
        kernel("other", 100, 9_500, 11, stream=3, device=1),
        call("cudaLaunchKernel", 30, 40, 12, tid=0),
        kernel("short", 100, 200, 12, stream=3),
        kernel("shorter", 100, 150, 12, stream=2),
        call("cudaLaunchKernel", 100, 200, 1, tid=tid),
        call("cudaLaunchKernel", 300, 400, 2, tid=tid),
        call("cudaLaunchKernel", 700, 800, 3, tid=tid),
        kernel("first", 1_000, 2_000, 1, stream=7),
        kernel("long", *long, 2, stream=9),
        kernel("held", 8_500, 9_000, 3, stream=7),
        *more,
    ]


def recorded(stream: int, device: int = 0, start: int = 500) -> Event:
    where = {"pid": device, "tid": stream, "device": device, "stream": stream}
    return complete("cuda_sync", "Stream Wait Event", start, start + 100, correlation=9, **where)


@pytest.mark.parametrize("wait", [WAIT, recorded(7)], ids=["untold stream", "recorded"])
def test_a_wait_lasts_as_long_as_the_last_work_given_out_before_it(wait: Event) -> None:
    held = {Cause.WAIT_EVENT: 6_000, Cause.QUEUED: 500}, Trigger.WAIT_EVENT
    assert held_of(*streams(wait)) == held
    # Work of its other streams that was given out after the wait is none that it waits for.
    later = call("cudaLaunchKernel", 620, 640, 4, tid=2), kernel("k", 8_000, 8_200, 4, stream=9)
    last = call("cudaLaunchKernel", 650, 670, 5, tid=2), kernel("k", 8_200, 8_400, 5, stream=9)
    assert held_of(*streams(wait, *later)) == held
    assert held_of(*streams(wait, *later, *last)) == held
    # Nor does work that began later and ended sooner end the wait.
    sooner = call("cudaLaunchKernel", 420, 440, 4), kernel("k", 3_000, 3_100, 4, stream=10)
    assert held_of(*streams(wait, *sooner)) == held
    # An earlier wait, for which work before held the stream, changes nothing.
    assert held_of(*streams(wait, wait | {"ts": 0.05, "dur": 0.01})) == held


def test_a_wait_before_which_nothing_was_given_out_holds_nothing() -> None:
    events = [
        call("cudaLaunchKernel", 100, 200, 1),
        call("cudaStreamWaitEvent", 250, 290, 9),
        call("cudaLaunchKernel", 300, 400, 2),
        call("cudaLaunchKernel", 420, 450, 4),
        call("cudaLaunchKernel", 700, 800, 3),
        kernel("first", 1_000, 2_000, 1, stream=7),
        kernel("long", 1_000, 6_000, 2, stream=9),
        kernel("longer", 6_000, 8_000, 4, stream=9),
        kernel("held", 8_500, 9_000, 3, stream=7),
    ]
    assert held_of(*events) == NO_WAIT


def test_a_wait_may_last_until_its_operation_starts_and_not_beyond() -> None:
    whole = {Cause.WAIT_EVENT: 6_500}, Trigger.WAIT_EVENT
    assert held_of(*streams(WAIT, long=(1_000, 8_500))) == whole
    assert held_of(*streams(WAIT, long=(1_000, 8_501))) == NO_WAIT


def test_a_wait_for_work_that_ended_with_the_launch_call_holds_nothing() -> None:
    assert held_of(*streams(WAIT, long=(500, 800))) == NO_WAIT
    late = streams(WAIT, long=(500, 801))
    assert held_of(*late)[1] is Trigger.WAIT_EVENT


def test_a_wait_since_the_launch_before_holds_the_next_operation_alone() -> None:
    """The wait at 500 holds `mid`, given out after it; `held` merely stands behind `mid`."""
    mid = [call("cudaLaunchKernel", 620, 640, 4), kernel("mid", 8_050, 8_100, 4, stream=7)]
    for wait in (WAIT, recorded(7)):
        trace = trace_of(streams(wait, *mid))
        found = cause_finder(trace).causes(stream_gaps(trace)[0, 7])
        assert split_of(found, 0) == {Cause.WAIT_EVENT: 6_000, Cause.QUEUED: 50}
        assert split_of(found, 1) == {Cause.QUEUED: 400}
        assert list(map(Trigger, found.trigger)) == [Trigger.WAIT_EVENT, Trigger.NONE]


def test_waits_and_work_of_another_device_hold_nothing() -> None:
    assert held_of(*streams(recorded(7, device=1))) == NO_WAIT
    # Alone on its device: what ends meanwhile on another is nothing to wait for.
    alone = [event for event in streams(WAIT) if event["name"] not in ("long", "other")]
    elsewhere = kernel("elsewhere", 1_000, 8_000, 2, stream=9, device=1)
    assert held_of(*alone, elsewhere) == NO_WAIT


@pytest.mark.parametrize(
    ("sync", "trigger"), [((310, 460), Trigger.WAIT_EVENT), ((610, 690), Trigger.SYNC)]
)
def test_of_a_wait_and_a_synchronise_the_later_is_the_trigger(
    sync: tuple[int, int], trigger: Trigger
) -> None:
    """The operation before the gap begins early enough for either to drain its stream."""
    first = {"ts": 0.25, "dur": 1.75}
    early = [event | first if event["name"] == "first" else event for event in streams(WAIT)]
    found = held_of(*early, call("cudaStreamSynchronize", *sync))
    assert found == ({Cause.WAIT_EVENT: 6_000, Cause.QUEUED: 500}, trigger)


RECORDED = complete(
    "cuda_sync", "Stream Wait Event", 500, 600, pid=0, tid=7, device=0, stream=7, correlation=9
)


def test_a_recorded_wait_holds_the_stream_until_the_other_work_ended() -> None:
    trace = waiting(RECORDED)
    found = cause_finder(trace).causes(stream_gaps(trace)[0, 7])
    assert split_of(found) == {Cause.WAIT_EVENT: 6_000, Cause.QUEUED: 500}
    assert Trigger(int(found.trigger[0])) is Trigger.WAIT_EVENT
    assert trace.name_of(int(found.trigger_row[0])) == "Stream Wait Event"


def test_a_wait_whose_stream_is_untold_is_its_threads_next_launch() -> None:
    trace = waiting(call("cudaStreamWaitEvent", 500, 600, 9))
    found = cause_finder(trace).causes(stream_gaps(trace)[0, 7])
    assert split_of(found) == {Cause.WAIT_EVENT: 6_000, Cause.QUEUED: 500}


@pytest.mark.parametrize(
    "wait",
    [
        {**RECORDED, "args": {**RECORDED["args"], "stream": 9}},
        call("cudaStreamWaitEvent", 850, 900, 9),
        call("cudaStreamWaitEvent", 250, 290, 9),
        call("cudaStreamWaitEvent", 500, 600, 9, tid=2),
    ],
    ids=["another stream", "after the launch", "before the other work", "another thread"],
)
def test_a_wait_that_holds_nothing(wait: Event) -> None:
    trace = waiting(wait)
    found = cause_finder(trace).causes(stream_gaps(trace)[0, 7])
    assert split_of(found) == {Cause.QUEUED: 6_500}
    assert Trigger(int(found.trigger[0])) is Trigger.NONE


def test_pieces_in_order_of_time() -> None:
    trace = with_gap(op("aten::item", 3_000, 7_000), call("cudaStreamSynchronize", 4_000, 5_000))
    found = causes_of(trace)
    drawn = [(p.cause, p.end - p.start) for p in cause_stretches(cause_finder(trace), found, 0)]
    assert drawn == [
        (Cause.UNRECORDED, 1_000),
        (Cause.DISPATCH, 1_000),
        (Cause.SYNC, 1_000),
        (Cause.DISPATCH, 2_000),
        (Cause.UNRECORDED, 1_000),
        (Cause.LAUNCH_CALL, 100),
        (Cause.QUEUED, 900),
    ]


def drawn_of(trace: Trace, index: int = 0) -> list[tuple[Cause, int]]:
    found = causes_of(trace)
    pieces = cause_stretches(cause_finder(trace), found, index)
    return [(p.cause, p.end - p.start) for p in pieces]


def test_pieces_of_a_launch_call_in_which_code_was_loaded() -> None:
    loads = [
        complete("overhead", "Lazy Function Loading", start, end, pid=-1, tid=0)
        for start, end in ((3_000, 5_000), (8_500, 9_300))
    ]
    assert drawn_of(with_gap(*loads, launch=(1_500, 9_400))) == [
        (Cause.LAUNCH_CALL, 1_000),
        (Cause.MODULE_LOAD, 2_000),
        (Cause.LAUNCH_CALL, 3_500),
        (Cause.MODULE_LOAD, 500),
    ]


def test_pieces_of_a_gap_that_a_blocking_copy_ends_and_one_that_begins_it() -> None:
    assert drawn_of(copied_in(), 0) == [(Cause.COPY, 2_000)]
    assert drawn_of(copied_in(), 1)[0] == (Cause.COPY, 500)


def test_pieces_of_a_gap_that_a_wait_held() -> None:
    trace = waiting(RECORDED)
    finder = cause_finder(trace)
    found = finder.causes(stream_gaps(trace)[0, 7])
    drawn = [(p.cause, p.start, p.end) for p in cause_stretches(finder, found, 0)]
    begun = int(found.gaps.start[0])
    assert drawn == [
        (Cause.WAIT_EVENT, begun, begun + 6_000),
        (Cause.QUEUED, begun + 6_000, begun + 6_500),
    ]


def test_gaps_of_several_devices_joined() -> None:
    trace = trace_of(
        [
            kernel(f"{device}{n}", 1_000 * n, 1_000 * n + 300 + device, device=device)
            for n in range(3)
            for device in range(2)
        ]
    )
    finder = cause_finder(trace)
    parts = [finder.causes(idle.gaps) for idle in device_idle(trace)]
    whole = joined(parts)
    assert whole.gaps.length.tolist() == [700, 700, 699, 699]
    assert whole.gaps.start.tolist() == [300, 1_300, 301, 1_301]
    assert whole.by_cause()[Cause.UNKNOWN] == 2_798
    for half, rows in zip(parts, (slice(0, 2), slice(2, 4)), strict=True):
        part = whole.take(np.arange(4)[rows])
        for name in ("split", "trigger", "trigger_row", "launch", "lane", "running"):
            assert getattr(part, name).tolist() == getattr(half, name).tolist()
        assert part.gaps.before.tolist() == half.gaps.before.tolist()
        assert part.gaps.after.tolist() == half.gaps.after.tolist()
    assert len(joined([])) == 0
    assert joined([]).split.shape == (0, len(Cause))


def test_totals_and_no_gap() -> None:
    found = causes_of(with_gap())
    assert sum(found.by_cause().values()) == 7_000
    assert sum(found.by_trigger().values()) == 7_000
    assert len(found.take(found.gaps.length > 10_000)) == 0
    none = causes_of(trace_of([kernel("a", 0, 100)]))
    assert len(none) == 0
    assert none.main.tolist() == []
    assert sum(none.by_cause().values()) == 0


# Made-up traces: nested host work on two threads, launches among it, streams and devices.
HOST = (
    (call, "cudaStreamSynchronize", Cause.SYNC),
    (call, "cudaMemcpy", Cause.COPY),
    (call, "cudaMalloc", Cause.MEMORY),
    (call, "cuModuleLoadData", Cause.MODULE_LOAD),
    (op, "enumerate(DataLoader)#x", Cause.DATA_LOADING),
    (call, "cudaEventQuery", Cause.RUNTIME),
    (op, "aten::add", Cause.DISPATCH),
    (frame, "main.py(1): f", Cause.PYTHON),
    (annotation, "step", Cause.UNRECORDED),
)
host_events = st.lists(
    st.tuples(
        st.integers(0, len(HOST) - 1), st.integers(0, 150), st.integers(0, 60), st.integers(1, 2)
    ),
    max_size=14,
)
launches = st.lists(
    st.tuples(
        st.integers(0, 150),  # launch
        st.integers(0, 10),  # its length
        st.integers(-5, 60),  # delay
        st.integers(0, 30),  # duration
        st.integers(1, 2),  # thread
        st.integers(7, 8),  # stream
        st.integers(0, 1),  # device
        st.integers(0, 9),  # of ten: 0 no launch, 1 to 3 share the one before, 4 to 6 a graph's
    ),
    min_size=1,
    max_size=14,
)


def made_up(host: list[tuple[int, ...]], ops: list[tuple[int, ...]]) -> list[Event]:
    events = []
    for index, start, length, tid in host:
        make, name, _ = HOST[index]
        events.append(make(name, start, start + length, tid=tid))
    correlation = 0
    for start, length, delay, dur, tid, stream, device, link in ops:
        if link not in (1, 2, 3) or correlation == 0:
            correlation += 1
            if link != 0:
                name = "cudaGraphLaunch" if link in (4, 5, 6) else "cudaLaunchKernel"
                events.append(call(name, start, start + length, correlation, tid=tid))
        begun = max(0, start + delay)
        events.append(kernel("k", begun, begun + dur, correlation, stream=stream, device=device))
    return events


@settings(max_examples=150, deadline=None)
@given(host_events, launches)
def test_every_instant_has_one_cause(
    host: list[tuple[int, ...]], ops: list[tuple[int, ...]]
) -> None:
    trace = trace_of(made_up(host, ops))
    finder = cause_finder(trace)
    for idle in device_idle(trace):
        found = finder.causes(idle.gaps)
        assert sum(found.by_cause().values()) == idle.idle_ns == idle.span_ns - idle.busy_ns
        assert sum(found.by_trigger().values()) == idle.idle_ns
        for index in range(len(found)):
            assert found.split[index].tolist() == counted(trace, found, index)
            drawn = cause_stretches(finder, found, index)
            assert [drawn[0].start, drawn[-1].end] == [
                int(found.gaps.start[index]),
                int(found.gaps.end[index]),
            ]
            assert all(a.end == b.start and a.cause != b.cause for a, b in pairwise(drawn))
            lengths = [sum(p.end - p.start for p in drawn if p.cause is c) for c in Cause]
            assert lengths == found.split[index].tolist()
    for gaps in stream_gaps(trace).values():
        assert finder.causes(gaps).split.sum(axis=1).tolist() == gaps.length.tolist()


def counted(trace: Trace, causes: GapCauses, index: int) -> list[int]:
    """The split of one gap, instant by instant, from the definition."""
    gap = range(int(causes.gaps.start[index]), int(causes.gaps.end[index]))
    before, after = int(causes.gaps.before[index]), int(causes.gaps.after[index])
    ns = dict.fromkeys(Cause, 0)
    launch = int(trace.launch[after])
    graph = launch >= 0 and trace.name_of(launch) == "cudaGraphLaunch"
    for t in gap:
        if graph and trace.launch[before] == launch:
            cause = Cause.GRAPH
        elif launch < 0:
            cause = Cause.UNKNOWN
        elif t < trace.start[launch]:
            cause = host_cause(trace, int(trace.lane[launch]), t)
        elif t < trace.end[launch]:
            cause = Cause.LAUNCH_CALL
        else:
            cause = Cause.QUEUED
        ns[cause] += 1
    return list(ns.values())


def host_cause(trace: Trace, lane: int, t: int) -> Cause:
    launches = dict.fromkeys(("cudaLaunchKernel", "cudaGraphLaunch"), Cause.RUNTIME)
    kinds = {name: cause for _, name, cause in HOST} | launches
    around = [
        kinds[trace.name_of(r)]
        for r in range(len(trace))
        if trace.lane[r] == lane and trace.start[r] <= t < trace.end[r]
    ]
    return min([*around, Cause.UNRECORDED])


DECODE = "decode-naive_l4_b1_h12_s1024_d64_bf16_h200"


@pytest.mark.parametrize(
    "path",
    where_real(
        ["gaps_h200", DECODE], ["hta_a100_nccl", "hta_a100_alexnet", "h200/gpt_decode_naive"]
    ),
    ids=name_of,
)
def test_real_gaps_of_streams_and_their_pieces(path: Path) -> None:
    trace = load(path)
    finder = cause_finder(trace)
    for gaps in stream_gaps(trace).values():
        found = finder.causes(gaps)
        assert (found.split >= 0).all()
        assert found.split.sum(axis=1).tolist() == gaps.length.tolist()
        for index in range(0, len(found), 50):
            drawn = cause_stretches(finder, found, index)
            lengths = [sum(p.end - p.start for p in drawn if p.cause is c) for c in Cause]
            assert lengths == found.split[index].tolist()


@pytest.mark.parametrize("path", where_real([DECODE], ["h200/gpt_decode_naive"]), ids=name_of)
def test_real_gaps_after_item_are_triggered_by_its_synchronise(path: Path) -> None:
    trace = load(path)
    found = cause_finder(trace).causes(device_idle(trace)[0].gaps)
    after = found.gaps.before[found.trigger == Trigger.SYNC]
    assert len(after)
    copies = {trace.name_of(row) for row in after.tolist()}
    assert copies <= {"Memcpy DtoH (Device -> Pinned)", "Memcpy DtoH (Device -> Pageable)"}
