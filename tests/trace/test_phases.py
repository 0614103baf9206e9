"""Events that are not complete: pairs, instants, counters, flows."""

from __future__ import annotations

from typing import Any

import pytest
from builders import cpu_op, instant

from attntui.trace import LaneKind, Trace, read_event


def begin(name: str, ts: float, tid: Any = 1, **more: Any) -> dict[str, Any]:
    return {"ph": "B", "cat": "cpu_op", "name": name, "pid": 1, "tid": tid, "ts": ts, **more}


def end(ts: float, tid: Any = 1, **more: Any) -> dict[str, Any]:
    return {"ph": "E", "pid": 1, "tid": tid, "ts": ts, **more}


def spans(trace: Trace) -> list[tuple[str, int, int]]:
    return [
        (trace.name_of(row), int(trace.start[row]), int(trace.end[row]))
        for row in range(len(trace))
    ]


def notices(trace: Trace) -> dict[str, int]:
    return {n.kind: n.count for n in trace.notices if n.kind not in ("no_gpu_ops", "no_cpu_ops")}


def test_pairs_become_events(make_trace) -> None:
    events = [
        begin("outer", 0, args={"External id": 4}),
        begin("inner", 2),
        begin("other thread", 3, tid="2"),
        end(5),
        end(6, tid=2),
        end(9),
    ]
    trace = make_trace(events)
    assert spans(trace) == [("outer", 0, 9000), ("inner", 2000, 5000), ("other thread", 3000, 6000)]
    assert trace.parent.tolist() == [-1, 0, -1]
    assert trace.columns.external_id.tolist() == [4, -1, -1]
    assert trace.events == 6
    assert trace.category_counts == {}
    assert notices(trace) == {}
    assert read_event(trace, 0) == events[0]


def test_pairs_out_of_order_in_the_file(make_trace) -> None:
    trace = make_trace([end(9), begin("a", 0), end(5), begin("b", 2)])
    assert spans(trace) == [("a", 0, 9000), ("b", 2000, 5000)]


def test_an_end_with_a_name_closes_that_begin(make_trace) -> None:
    trace = make_trace([begin("a", 0), begin("b", 1), end(5, name="a"), end(7, name="b")])
    assert spans(trace) == [("a", 0, 5000), ("b", 1000, 7000)]


def test_a_begin_without_end_lasts_to_the_end_and_is_marked(make_trace) -> None:
    trace = make_trace([begin("open", 1), begin("a", 2), end(3), cpu_op("x", 0, 20)])
    assert spans(trace) == [("x", 0, 20_000), ("open", 1000, 20_000), ("a", 2000, 3000)]
    assert trace.columns.unfinished.tolist() == [False, True, False]
    assert notices(trace) == {"unmatched_begin": 1, "unfinished": 1}


def test_an_end_without_begin_is_counted(make_trace) -> None:
    odd = [end(1), end(2, name="nobody"), begin("a", 3), end(4, name="nobody"), end(5)]
    trace = make_trace(odd)
    assert spans(trace) == [("a", 0, 2000)]
    assert notices(trace) == {"unmatched_end": 3}


def test_many_ends_without_their_begins_take_no_ages(make_trace) -> None:
    begins = [begin(f"b{n}", n) for n in range(20_000)]
    trace = make_trace([*begins, *[end(30_000 + n, name="nobody") for n in range(20_000)]])
    assert notices(trace)["unmatched_begin"] == notices(trace)["unmatched_end"] == 20_000


def test_what_cannot_be_shown_is_counted(make_trace) -> None:
    others = [
        {},
        {"ph": "C", "name": "counter", "ts": 1, "pid": 1, "args": {"v": 3}},
        {"ph": 5, "name": "a number"},
        {"name": "none"},
    ]
    trace = make_trace([cpu_op("a", 0, 5), *others])
    assert spans(trace) == [("a", 0, 5000)]
    assert trace.events == 5
    assert notices(trace) == {"not_shown": 3}


@pytest.mark.parametrize("phase", ["i", "I", "R", "n"])
def test_instants(make_trace, phase: str) -> None:
    marks = [instant("late", 9) | {"ph": phase}, instant("early", 2) | {"ph": phase}]
    trace = make_trace([cpu_op("a", 1, 5), *marks])
    assert trace.instants.time.tolist() == [1000, 8000]
    assert [trace.names[name] for name in trace.instants.name] == ["early", "late"]
    assert trace.instants.lane.tolist() == [0, 0]


def test_marks_and_halves_of_odd_threads_open(make_trace) -> None:
    odd = {"pid": [1], "tid": {"a": 1}}
    trace = make_trace([instant("mark", 1, **odd), begin("b", 1) | odd, end(2) | odd])
    assert spans(trace) == [("b", 0, 1000)]
    assert len(trace.lanes) == 1


def test_a_memory_event_without_args_is_a_mark(make_trace) -> None:
    events = [instant("[memory]", 1, args=[1]), instant("[memory]", 2, args={"Bytes": 3})]
    trace = make_trace([cpu_op("a", 1, 5), *events])
    assert trace.memory.change.tolist() == [3]
    assert [trace.names[name] for name in trace.instants.name] == ["[memory]"]


def test_flows_are_passed_over(make_trace) -> None:
    flows = [{"ph": phase, "id": 1, "name": "f"} for phase in ("s", "t", "f")]
    trace = make_trace([cpu_op("a", 0, 5), *flows, {"ph": "s"}])
    assert (len(trace), trace.events, notices(trace)) == (1, 5, {})


@pytest.mark.parametrize("args", [None, [], {"name": ["x"]}, {"name": None}, {"sort_index": "z"}])
def test_odd_names_of_threads_open(make_trace, args: Any) -> None:
    names = [
        {"ph": "M", "name": name, "pid": 1, "tid": 1, "args": args}
        for name in ("thread_name", "process_name", "thread_sort_index", "process_sort_index", "x")
    ]
    assert len(make_trace([cpu_op("a", 0, 5, pid=1, tid=1), *names])) == 1


def half(ph: str, name: str, ts: float, id: Any, **more: Any) -> dict[str, Any]:
    return {"ph": ph, "cat": "COLL", "name": name, "id": id, "pid": 9, "tid": 1, "ts": ts} | more


def test_asynchronous_events_are_matched_by_their_id_and_may_overlap(make_trace) -> None:
    halves = [
        half("b", "AllReduce", 0, 0),
        half("b", "AllReduce", 2, 1),
        half("e", "AllReduce", 5, 0),
        half("b", "AllReduce", 6, 0),
        half("e", "AllReduce", 9, 1),
        half("e", "AllReduce", 10, 0),
    ]
    trace = make_trace(halves)
    assert spans(trace) == [
        ("AllReduce", 0, 5000),
        ("AllReduce", 2000, 9000),
        ("AllReduce", 6000, 10_000),
    ]
    assert trace.depth.tolist() == [0, 1, 0]
    assert notices(trace) == {}


@pytest.mark.parametrize("ids", [({"local": "0x1"}, {"local": "0x2"}), ("0x1", "0x2")])
def test_an_asynchronous_id_may_be_local_or_text(make_trace, ids: tuple[Any, Any]) -> None:
    key = "id2" if isinstance(ids[0], dict) else "id"
    made = [half("b", "a", n, 0) | {key: id} for n, id in enumerate(ids)]
    made += [half("e", "a", 5 + n, 0) | {key: id} for n, id in enumerate(ids)]
    assert spans(make_trace(made)) == [("a", 0, 5000), ("a", 1000, 6000)]


@pytest.mark.parametrize("cat", ["cpu_op", "kernel", "cuda_runtime", ""])
def test_asynchronous_events_have_lanes_of_their_own_and_are_no_work(make_trace, cat: str) -> None:
    """They would break the nesting of the ops of their thread, and no GPU runs them."""
    trace = make_trace(
        [
            cpu_op("op", 0, 20, pid=9, tid=1),
            half("b", "a", 5, 3, cat=cat),
            cpu_op("inner", 8, 2, pid=9, tid=1),
            half("e", "a", 30, 3, cat=cat),
        ]
    )
    names = [trace.name_of(row) for row in range(len(trace))]
    assert names == ["op", "a", "inner"]
    assert trace.parent.tolist() == [-1, -1, 0]
    assert not len(trace.gpu_ops)
    assert trace.lane_of(1).label == f"{cat or 'events'} (asynchronous)"
    assert trace.lane_of(1).kind is LaneKind.OTHER


def test_an_older_spelling_of_asynchronous_events(make_trace) -> None:
    trace = make_trace([half("S", "a", 0, 3), half("T", "a", 2, 3), half("F", "a", 5, 3)])
    assert spans(trace) == [("a", 0, 5000)]
    assert notices(trace) == {"not_shown": 1}
