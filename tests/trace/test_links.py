"""Which call launched which GPU operation."""

from __future__ import annotations

import pytest
from builders import complete, driver_launch, kernel, launch, memcpy, memset, runtime

from attntui.trace import Trace


def links(trace: Trace) -> dict[str, tuple[str, int] | None]:
    """For each GPU operation its launch's name and start in ns of the file."""
    found: dict[str, tuple[str, int] | None] = {}
    for op in trace.gpu_ops.tolist():
        row = int(trace.launch[op])
        start = int(trace.start[row]) + trace.metadata.origin_ns
        found[trace.name_of(op)] = None if row < 0 else (trace.name_of(row), start)
    return found


@pytest.mark.parametrize(
    ("category", "name"),
    [
        ("cuda_driver", "cuLaunchKernel"),
        ("cuda_driver", "cuLaunchKernelEx"),
        ("cuda_runtime", "cudaLaunchKernelExC"),
        ("cuda_runtime", "hipLaunchKernel"),
        ("cuda_runtime", "hipExtModuleLaunchKernel"),
        ("hip", "hipModuleLaunchKernel"),
        ("Runtime", "cudaLaunchKernel"),
        ("xpu_runtime", "urEnqueueKernelLaunch"),
        ("cuda_runtime", "a name of the year 2040"),
    ],
)
def test_links_go_by_category_and_id_never_by_name(make_trace, category: str, name: str) -> None:
    call = complete(category, name, 1, 2, args={"correlation": 5})
    assert links(make_trace([call, kernel("k", 4, 1, 5)])) == {"k": (name, 1000)}


def test_only_calls_launch(make_trace) -> None:
    others = [
        complete("cpu_op", "op", 0, 1, args={"correlation": 5}),
        complete("cuda_sync", "sync", 0, 1, args={"correlation": 5}),
        kernel("other", 0, 1, 5),
    ]
    assert links(make_trace([*others, kernel("k", 4, 1, 5)])) == {"other": None, "k": None}


def test_a_graph_launch_owns_many_operations(make_trace) -> None:
    graph = runtime("cudaGraphLaunch", 0, 5, 9)
    trace = make_trace([graph, launch(8, 6), *[kernel(f"k{n}", 10 + n, 1, 9) for n in range(3)]])
    assert links(trace) == {f"k{n}": ("cudaGraphLaunch", 0) for n in range(3)}
    row = next(row for row in range(len(trace)) if trace.name_of(row) == "cudaGraphLaunch")
    assert [trace.name_of(op) for op in trace.launched_by(row)] == ["k0", "k1", "k2"]


def test_of_a_runtime_and_a_driver_call_the_earlier_is_the_launch(make_trace) -> None:
    trace = make_trace(
        [
            driver_launch(5, 2),
            launch(5, 1),
            driver_launch(6, 3),
            launch(6, 4),
            kernel("a", 10, 1, 5),
            kernel("b", 12, 1, 6),
        ]
    )
    assert links(trace) == {"a": ("cudaLaunchKernel", 1000), "b": ("cuLaunchKernel", 3000)}


@pytest.mark.parametrize("nothing", [0, -1, None, "", "N/A", 0.5, 2**70])
def test_no_correlation_is_no_link(make_trace, nothing: object) -> None:
    args = {"correlation": nothing}
    calls = [complete("cuda_runtime", "cudaFree", 0, 1, args=args)]
    assert links(make_trace([*calls, kernel("k", 4, 1) | {"args": args}])) == {"k": None}


def test_absent_correlation_is_no_link(make_trace) -> None:
    calls = [complete("cuda_runtime", "cudaFree", 0, 1)]
    assert links(make_trace([*calls, complete("kernel", "k", 4, 1)])) == {"k": None}


@pytest.mark.parametrize("spelling", [5, "5", 5.0, " 5"])
def test_a_correlation_may_be_written_as_text(make_trace, spelling: object) -> None:
    call = launch(5, 1)
    trace = make_trace([call, kernel("k", 4, 1) | {"args": {"correlation": spelling}}])
    assert links(trace) == {"k": ("cudaLaunchKernel", 1000)}


def test_flow_events_are_not_needed_and_do_no_harm(make_trace) -> None:
    flows = [
        {"ph": phase, "id": 5, "pid": 9, "tid": 9, "ts": 1, "cat": "ac2g", "name": "ac2g"}
        for phase in "sstf"
    ]
    old = {"ph": "s", "id": 6, "cat": "async", "name": "launch", "pid": 1, "tid": 1}
    trace = make_trace([*flows, old, launch(5, 1), kernel("k", 4, 1, 5)])
    assert links(trace) == {"k": ("cudaLaunchKernel", 1000)}
    assert trace.events == 7


def test_all_kinds_of_operation_are_linked(make_trace) -> None:
    calls = [launch(1, 0), runtime("cudaMemcpyAsync", 6, 1, 2), runtime("cudaMemsetAsync", 8, 1, 3)]
    trace = make_trace([*calls, kernel("k", 10, 1, 1), memcpy("c", 12, 1, 2), memset(14, 1, 3)])
    assert [name for name, _ in filter(None, links(trace).values())] == [
        "cudaLaunchKernel",
        "cudaMemcpyAsync",
        "cudaMemsetAsync",
    ]


def ranks(count: int, *, devices: list[int], skew: float = 3) -> list[dict]:
    """Two processes that launch the same operations with the same ids at about one time."""
    events = []
    for rank, device in enumerate(devices):
        for n in range(count):
            at = 100 * n + skew * rank
            events.append(launch(n + 1, at, pid=1000 + rank, tid=1))
            events.append(kernel(f"r{rank}k{n}", at + 20, 40, n + 1, device=device))
    return events


def own(trace: Trace) -> list[bool]:
    ops = trace.gpu_ops
    return [
        trace.launch[op] >= 0
        and trace.lane_of(int(trace.launch[op])).pid == f"100{trace.name_of(int(op))[1]}"
        for op in ops
    ]


def test_merged_ranks_are_told_apart_by_sure_links(make_trace) -> None:
    """A few ids that only one rank uses say which device is whose."""
    sure = [
        *[launch(90 + rank, 0, pid=1000 + rank, tid=1) for rank in range(2)],
        *[kernel(f"r{rank}sure", 1, 5, 90 + rank, device=rank) for rank in range(2)],
    ]
    assert all(own(make_trace(ranks(20, devices=[0, 1]) + sure)))


def test_merged_ranks_are_told_apart_by_time(make_trace) -> None:
    """The rank that runs behind cannot have launched what ran before its launch."""
    assert all(own(make_trace(ranks(20, devices=[0, 1], skew=25))))


def test_merged_ranks_are_told_apart_by_their_place_in_the_file(make_trace) -> None:
    """Both ranks may have launched each kernel, but their parts of the file tell."""
    assert all(own(make_trace(ranks(20, devices=[0, 1]))))
    assert all(own(make_trace(ranks(20, devices=[0, 0]))))


def test_an_external_id_tells_launches_apart(make_trace) -> None:
    trace = make_trace(
        [
            launch(5, 0, pid=1, args={"External id": 70}),
            launch(5, 2, pid=2, args={"External id": 71}),
            kernel("k", 10, 1, 5, args={"External id": 70}),
        ]
    )
    assert links(trace) == {"k": ("cudaLaunchKernel", 0)}


def test_the_launch_of_another_rank_is_never_taken(make_trace) -> None:
    """Rank 0 launched this kernel before the trace began; rank 1 used its id meanwhile."""
    sure = [
        *[launch(90 + n, 10 * n, 2, pid=1000, tid=1) for n in range(12)],
        *[kernel(f"r0s{n}", 10 * n + 4, 2, 90 + n, device=0) for n in range(12)],
    ]
    leaked = kernel("leaked", 3, 1, 7, device=0)
    foreign = [launch(n, 5 * n, 1, pid=1001, tid=1) for n in range(1, 10)]
    own_of_other = [kernel(f"r1k{n}", 5 * n + 2, 1, n, device=1) for n in range(1, 10)]
    twice = [launch(90, 500, 1, pid=1001, tid=1)]
    trace = make_trace([leaked, *sure, *foreign, *own_of_other, *twice])
    assert links(trace)["leaked"] is None
    assert sum(found is None for found in links(trace).values()) == 1


def by_pid(trace: Trace) -> dict[str, str | None]:
    """For each GPU operation the process that launched it."""
    return {
        trace.name_of(op): None if trace.launch[op] < 0 else trace.lane_of(trace.launch[op]).pid
        for op in trace.gpu_ops.tolist()
    }


def padding(pid: int, count: int, at: float = 0) -> list[dict]:
    """Calls of a process that launched nothing, to fill its part of a file."""
    return [launch(500 + n, at + n, 1, pid=pid) for n in range(count)]


def test_of_a_process_that_calls_twice_the_earlier_call_is_the_launch(make_trace) -> None:
    """Whatever process used the id between the two, and however near the later one stands."""
    trace = make_trace(
        [
            launch(5, 1, 1, pid=1, args={"External id": 70}),
            launch(5, 2, 1, pid=2, args={"External id": 71}),
            driver_launch(5, 3, 1, pid=1, args={"External id": 70}),
            kernel("k", 10, 1, 5, args={"External id": 70}),
        ]
    )
    assert links(trace) == {"k": ("cudaLaunchKernel", 1000)}


def test_an_operation_amid_the_calls_of_a_process_is_its_own_however_far_its_launch(
    make_trace,
) -> None:
    first = [launch(5, 0, 1, pid=1), *padding(1, 4, 2), kernel("k", 40, 1, 5), launch(90, 9, pid=1)]
    assert by_pid(make_trace([*first, launch(5, 1, 1, pid=2), *padding(2, 4)])) == {"k": "1"}


def test_an_operation_after_the_calls_of_a_process_is_not_amid_them(make_trace) -> None:
    second = [
        launch(90, 1, pid=2),
        kernel("k", 40, 1, 5),
        *padding(2, 4, 2),
        launch(5, 8, 1, pid=2),
    ]
    assert by_pid(make_trace([*padding(1, 4), launch(5, 6, 1, pid=1), *second])) == {"k": "2"}


def test_an_operation_before_the_calls_of_a_process_is_not_amid_them(make_trace) -> None:
    first = [launch(5, 1, 1, pid=1), *padding(1, 4, 2), kernel("k", 40, 1, 5), launch(90, 8, pid=1)]
    assert by_pid(make_trace([*first, launch(5, 6, 1, pid=2), *padding(2, 4)])) == {"k": "1"}


@pytest.mark.parametrize(("start", "pid"), [(9.999, "2"), (10, "1"), (11, "1")])
def test_a_launch_that_began_after_its_operation_comes_last_however_near(
    make_trace, start: float, pid: str
) -> None:
    """Both stand behind the operation, so that only time and distance tell. A launch that
    began in the same nanosecond is not after it.
    """
    trace = make_trace(
        [kernel("k", start, 1, 5), launch(5, 10, 1, pid=1), launch(5, 2, 1, pid=2)],
    )
    assert by_pid(trace) == {"k": pid}


def test_of_launches_that_nothing_else_tells_apart_the_nearest_in_the_file(make_trace) -> None:
    calls = [launch(5, 1, 1, pid=1), launch(5, 2, 1, pid=2)]
    assert by_pid(make_trace([kernel("k", 9, 1, 5), *calls])) == {"k": "1"}
    assert by_pid(make_trace([*calls, kernel("k", 9, 1, 5)])) == {"k": "2"}


def test_an_operation_without_an_external_id_prefers_no_call_for_having_none(make_trace) -> None:
    told = {"External id": 71}
    trace = make_trace(
        [kernel("k", 9, 1, 5), launch(5, 1, 1, pid=1, args=told), launch(5, 2, 1, pid=2)]
    )
    assert by_pid(trace) == {"k": "1"}


def test_sure_links_count_more_than_place_and_time(make_trace) -> None:
    """Every kernel stands nearest to the other rank's call of its id, and amid both."""
    events = []
    for rank in range(2):
        events += [launch(90 + rank, rank, 1, pid=rank), kernel(f"s{rank}", 9, 1, 90 + rank)]
        events[-1]["args"]["device"] = rank
    for n in range(20):
        at = 100 * (n + 1)
        events += [
            launch(n + 1, at, 1, pid=0),
            launch(n + 1, at + 2, 1, pid=1),
            kernel(f"k{n}", at + 9, 1, n + 1, device=0),
        ]
    found = by_pid(make_trace(events))
    assert found == {"s0": "0", "s1": "1", **{f"k{n}": "0" for n in range(20)}}


def test_where_no_link_is_sure_what_most_operations_say_holds_for_the_odd_one(make_trace) -> None:
    """Eleven of twelve name rank 1 by their external ids, on a device without a sure link."""
    events = [launch(90, 0, 1, pid=0), kernel("s0", 9, 1, 90, device=0)]
    for n in range(12):
        at, told = 100 * (n + 1), {"External id": n + 1}
        own = {} if n == 11 else told
        # The kernel that tells no id stands nearest to the call of rank 0.
        events += [
            launch(n + 1, at, 1, pid=1, args=told),
            launch(n + 1, at + 2, 1, pid=0, args={"External id": 1000 + n}),
            kernel(f"k{n}", at + 9, 1, n + 1, device=1, args=own),
        ]
        events += [launch(200 + n, at + 3, 1, pid=0), kernel(f"o{n}", at + 9, 1, 200 + n)]
    found = by_pid(make_trace(events))
    assert {found[f"k{n}"] for n in range(12)} == {"1"}
    assert {found[f"o{n}"] for n in range(12)} == {"0"}


@pytest.mark.parametrize(("sure", "pid"), [(9, "1"), (10, "0")])
def test_a_process_owns_a_device_from_a_tenth_of_its_sure_launches(
    make_trace, sure: int, pid: str
) -> None:
    """One launch of rank 1 beside 9 of rank 0 is a tenth, beside 10 it is less."""
    events = [launch(90, 0, 1, pid=1), kernel("one", 9, 1, 90)]
    for n in range(sure):
        events += [launch(100 + n, 10 * n, 1, pid=0), kernel(f"s{n}", 10 * n + 5, 1, 100 + n)]
    both = [launch(5, 500, 1, pid=0), launch(5, 502, 1, pid=1), kernel("k", 510, 1, 5)]
    assert by_pid(make_trace([*events, *both]))["k"] == pid


def test_a_process_with_few_launches_keeps_them_where_no_id_is_shared(make_trace) -> None:
    events = [launch(90, 0, 1, pid=1), kernel("one", 9, 1, 90)]
    for n in range(30):
        events += [launch(100 + n, 10 * n, 1, pid=0), kernel(f"s{n}", 10 * n + 5, 1, 100 + n)]
    assert by_pid(make_trace(events))["one"] == "1"


def test_ranks_of_which_no_operation_was_launched_in_the_trace(make_trace) -> None:
    calls = [launch(5, 0, 1, pid=1), launch(5, 2, 1, pid=2)]
    assert links(make_trace([*calls, kernel("leaked", 1, 1, 9)])) == {"leaked": None}


def test_one_process_may_drive_several_devices(make_trace) -> None:
    events = []
    for n in range(40):
        events += [
            launch(n + 1, 10 * n, 2, pid=1),
            kernel(f"k{n}", 10 * n + 4, 2, n + 1, device=n % 4),
        ]
    assert None not in links(make_trace(events)).values()


def notices(trace: Trace) -> dict[str, int]:
    return {notice.kind: notice.count for notice in trace.notices}


def copies(count: int, *, kernels: int | None = None, ids: bool = False) -> list[dict]:
    """A process whose calls all have one correlation, and its kernels, `k0` first."""
    told = [{"External id": 900 - n} for n in range(count)] if ids else [{}] * count
    calls = [launch(77, 10 * n, 2, args=told[n]) for n in range(count)]
    later = range(count if kernels is None else kernels)
    return calls + [
        kernel(f"k{n}", 5 + 10 * n, 4, 77, args=told[n] if n < count else {}) for n in later
    ]


def test_calls_with_one_correlation_launched_the_operations_in_their_order(make_trace) -> None:
    trace = make_trace(copies(4))
    assert links(trace) == {f"k{n}": ("cudaLaunchKernel", 10_000 * n) for n in range(4)}
    assert "ambiguous_launch" not in notices(trace)


def test_of_calls_with_one_correlation_the_external_id_says_which(make_trace) -> None:
    """The second kernel of two streams may well begin first."""
    events = copies(4, ids=True)
    events[4]["ts"], events[5]["ts"] = events[5]["ts"], events[4]["ts"]
    assert links(make_trace(events)) == {
        f"k{n}": ("cudaLaunchKernel", 10_000 * n) for n in range(4)
    }
    assert links(make_trace(events[:4] + events[6:])) == {
        f"k{n}": ("cudaLaunchKernel", 10_000 * n) for n in (2, 3)
    }


@pytest.mark.parametrize("kernels", [1, 3, 5, 8])
def test_as_many_calls_as_operations_or_nobody_knows_which(make_trace, kernels: int) -> None:
    """Not even for copies of a graph's launch: which copy began first is not told."""
    trace = make_trace(copies(4, kernels=kernels))
    assert set(links(trace).values()) == {None}
    assert notices(trace)["ambiguous_launch"] == kernels


def test_a_runtime_and_a_driver_call_for_each_copy_are_one_launch(make_trace) -> None:
    inner = [driver_launch(77, 10 * n + 0.5, 1) for n in range(4)]
    trace = make_trace(copies(4) + inner)
    assert links(trace) == {f"k{n}": ("cudaLaunchKernel", 10_000 * n) for n in range(4)}


def interleaved(count: int, *, ids: bool) -> list[dict]:
    """Two ranks that call their device 0, merged in order of time."""
    events = []
    for n in range(count):
        for rank in range(2):
            told = {"External id": 2 * n + rank + 1} if ids else {}
            at = 100 * n + 3 * rank
            events.append(launch(n + 1, at, pid=1000 + rank, tid=1, args=told))
            events.append(kernel(f"r{rank}k{n}", at + 20, 10, n + 1, args=told))
    return sorted(events, key=lambda event: event["ts"])


def test_interleaved_ranks_on_one_device_are_told_apart_by_ids_or_not_at_all(make_trace) -> None:
    trace = make_trace(interleaved(6, ids=True))
    assert all(own(trace))
    trace = make_trace(interleaved(6, ids=False))
    assert notices(trace)["ambiguous_launch"] == 12
    assert set(links(trace).values()) == {None}


def test_a_call_keeps_its_operations_where_no_other_is_left_without(make_trace) -> None:
    """A graph's launch in each of two ranks, and one kernel that only the second has."""
    events = [runtime("cudaGraphLaunch", 50 * n, 5, 9, pid=n) for n in range(2)]
    events += [
        kernel(f"r{n}k{k}", 50 * n + 9 + k, 1, 9, device=n) for n in range(2) for k in (0, 1)
    ]
    found = by_pid(make_trace(events))
    assert None not in found.values()
