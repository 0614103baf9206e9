"""What the columns hold of an event's args."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builders import (
    annotation,
    complete,
    cpu_op,
    kernel,
    launch,
    launched,
    memcpy,
    memory,
    memset,
    python_function,
    runtime,
)

from attntui.trace import ABSENT, Columns, LaunchConfig, OpInputs, Trace


def test_ids_of_cpu_ops(make_trace) -> None:
    args = {"External id": 12, "Sequence number": 7, "Fwd thread id": 1}
    columns = make_trace([cpu_op("a", 0, 9, args=args), cpu_op("b", 1, 1)]).columns
    assert columns.external_id.tolist() == [12, ABSENT]
    assert columns.sequence.tolist() == [7, ABSENT]
    assert columns.forward_thread.tolist() == [1, ABSENT]
    assert columns.correlation.tolist() == [ABSENT, ABSENT]


def test_ids_of_python_frames(make_trace) -> None:
    frames = [
        python_function("main", 0, 9, args={"Python id": 1, "Python parent id": None}),
        python_function("inner", 1, 1, args={"Python id": 2, "Python parent id": 1}),
    ]
    columns = make_trace(frames).columns
    assert columns.python_id.tolist() == [1, 2]
    assert columns.python_parent.tolist() == [ABSENT, 1]


@pytest.mark.parametrize("key", ["External id", "external id"])
@pytest.mark.parametrize("maker", [cpu_op, annotation, launch, kernel])
def test_both_spellings_of_the_external_id(make_trace, key: str, maker: Any) -> None:
    event = launch(3, 0) if maker is launch else maker("a", 0, 1)
    event["args"][key] = 44
    other = cpu_op("b", 5, 1, args={"External id": 45})
    assert make_trace([event, other]).columns.external_id.tolist() == [44, 45]


def test_inputs_are_shared_and_typed(make_trace) -> None:
    args = {
        "Input Dims": [[8, 16, 1024, 64], [], [[2, 3], []], [5]],
        "Input type": ["c10::BFloat16", "Scalar", "TensorList", ""],
        "Input Strides": [[1048576, 65536, 64, 1], [], [[3, 1], []], [1]],
        "Concrete Inputs": ["", "0.125", "", "[1, 2]"],
    }
    trace = make_trace(
        [cpu_op("a", 0, 1, args=args), cpu_op("b", 2, 1, args=args), cpu_op("c", 4, 1)]
    )
    assert trace.columns.inputs.tolist() == [0, 0, ABSENT]
    assert len(trace.op_inputs) == 1
    expected = OpInputs(
        dims=((8, 16, 1024, 64), (), ((2, 3), ()), (5,)),
        types=("c10::BFloat16", "Scalar", "TensorList", ""),
        strides=((1048576, 65536, 64, 1), (), ((3, 1), ()), (1,)),
        concrete=("", "0.125", "", "[1, 2]"),
    )
    assert trace.inputs_of(0) == trace.inputs_of(1) == expected
    assert trace.inputs_of(0) is trace.inputs_of(1)
    assert trace.inputs_of(2) is None
    assert list(trace.op_inputs) == [expected]
    assert trace.op_inputs[-1:] == (expected,)


@pytest.mark.parametrize(
    ("args", "inputs"),
    [
        ({"Input Dims": []}, OpInputs((), (), (), ())),
        ({"Input Dims": "[[1]]"}, OpInputs((), (), (), ())),
        ({"Input Dims": [None, 4, "x", [2]]}, OpInputs(((), (), (), (2,)), (), (), ())),
        ({"Input Dims": [[3], ["s0", 2]]}, OpInputs((), (), (), ())),
        ({"Input Dims": [[3], [2, -1]]}, OpInputs((), (), (), ())),
        ({"Input Dims": [[3], [[2], [2**61 - 1]]]}, OpInputs((), (), (), ())),
        ({"Input Dims": [[2**20, 2**20, 2**20]]}, OpInputs((), (), (), ())),
        ({"Input Strides": [[1], [2**70]]}, OpInputs((), (), (), ())),
        ({"Input type": ["float", None, 3]}, OpInputs((), ("float", "", "3"), (), ())),
        ({"Concrete Inputs": [True, 1.5]}, OpInputs((), (), (), ("True", "1.5"))),
    ],
)
def test_odd_inputs_open(make_trace, args: dict[str, Any], inputs: OpInputs) -> None:
    assert make_trace([cpu_op("a", 0, 1, args=args)]).inputs_of(0) == inputs


def test_launch_configurations(make_trace) -> None:
    args = {
        "grid": [8, 8, 16],
        "block": [128, 1, 1],
        "registers per thread": 255,
        "shared memory": 114688,
        "est. achieved occupancy %": 12,
    }
    amd = {"grid": [100, 1, 1], "block": [256, 1, 1]}
    trace = make_trace(
        [
            kernel("a", 0, 1, args=args),
            kernel("b", 2, 1, args=args),
            kernel("c", 4, 1, args=amd),
            kernel("d", 6, 1),
            memset(8, 1),
        ]
    )
    assert trace.columns.launch_config.tolist() == [0, 0, 1, ABSENT, ABSENT]
    assert trace.launch_config_of(0) == LaunchConfig((8, 8, 16), (128, 1, 1), 255, 114688, 12.0)
    assert trace.launch_config_of(2) == LaunchConfig((100, 1, 1), (256, 1, 1), None, None, None)
    assert trace.launch_config_of(3) is None


@pytest.mark.parametrize(
    ("args", "config"),
    [
        ({"grid": [4]}, LaunchConfig((4, 1, 1), None, None, None, None)),
        ({"grid": [4, 2]}, LaunchConfig((4, 2, 1), None, None, None, None)),
        ({"grid": "grid(100,)"}, LaunchConfig(None, None, None, None, None)),
        ({"grid": [1, 2, 3, 4], "block": []}, LaunchConfig(None, None, None, None, None)),
        ({"registers per thread": "N/A"}, LaunchConfig(None, None, None, None, None)),
        ({"registers per thread": 32.0}, LaunchConfig(None, None, 32, None, None)),
        ({"est. achieved occupancy %": 0}, LaunchConfig(None, None, None, None, 0.0)),
        ({"est. achieved occupancy %": 37.5}, LaunchConfig(None, None, None, None, 37.5)),
        ({"grid": [2**31, 2**31, 1]}, LaunchConfig(None, None, None, None, None)),
        ({"grid": [4, 0, 1], "block": [-1]}, LaunchConfig(None, None, None, None, None)),
        ({"block": [2**20]}, LaunchConfig(None, None, None, None, None)),
        ({"registers per thread": -4}, LaunchConfig(None, None, None, None, None)),
        ({"shared memory": 2**63}, LaunchConfig(None, None, None, None, None)),
        ({"est. achieved occupancy %": -1}, LaunchConfig(None, None, None, None, None)),
        ({"shared memory": None}, LaunchConfig(None, None, None, None, None)),
    ],
)
def test_odd_launch_configurations(make_trace, args: dict[str, Any], config: LaunchConfig) -> None:
    assert make_trace([kernel("k", 0, 1, args=args)]).launch_config_of(0) == config


def test_copied_bytes(make_trace) -> None:
    trace = make_trace(
        [
            memcpy("c", 0, 1, args={"bytes": 268435456}),
            memcpy("c", 2, 1, args={"bytes": "9216"}),
            memset(4, 1, args={"bytes": 4}),
            memset(6, 1),
            runtime("hipMalloc", 8, 1, args={"bytes": 77}),
        ]
    )
    assert trace.columns.copied_bytes.tolist() == [268435456, 9216, 4, ABSENT, ABSENT]


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (5, 5),
        ("5", 5),
        ("0x10", 16),
        (-3, -3),
        (5.0, 5),
        (5.5, ABSENT),
        ("5.5", ABSENT),
        (None, ABSENT),
        ("", ABSENT),
        ("N/A", ABSENT),
        (True, 1),
        ([5], ABSENT),
        ({"a": 5}, ABSENT),
        (2**63 - 1, 2**63 - 1),
        (2**63, ABSENT),
        (10**40, ABSENT),
    ],
)
def test_integers_of_every_spelling(make_trace, value: Any, number: int) -> None:
    events = [cpu_op("a", 0, 1, args={"Sequence number": value}), cpu_op("b", 2, 1)]
    events[1]["args"]["Sequence number"] = 9
    assert make_trace(events).columns.sequence.tolist() == [number, 9]


def test_more_categories_than_the_column_numbers(make_trace) -> None:
    events = [complete(f"c{n}", "a", n, 1) for n in range(33_000)]
    trace = make_trace([*events, complete("kernel", "k", 40_000, 1)])
    assert len(trace.raw_categories) == 2**15
    assert trace.raw_categories[trace.columns.raw_category[-1]] == "(more categories)"
    assert trace.category_counts["kernel"] == 1
    assert len(trace.gpu_ops) == 0


def test_columns_have_the_types_of_the_model(make_trace) -> None:
    trace = make_trace([cpu_op("a", 0, 1), kernel("k", 0, 1), complete("x", "o", 0, 1)])
    kinds = {"I64": np.int64, "I32": np.int32, "I16": np.int16, "I8": np.int8, "Bool": np.bool_}
    for name, kind in Columns.__annotations__.items():
        column = getattr(trace.columns, name)
        assert column.dtype == kinds[kind], name
        assert column.shape == (3,)
    assert trace.parent.dtype == trace.launch.dtype == np.int32
    assert trace.depth.dtype == np.int16


def test_a_trace_cannot_be_changed(make_trace) -> None:
    trace = make_trace([cpu_op("a", 0, 1)])
    for column in (trace.start, trace.parent, trace.launch, trace.memory.time):
        assert not column.flags.writeable


def test_the_curve_of_memory(make_trace) -> None:
    host = memory(3, 64, 64, 64)
    host["args"].update({"Device Type": 0, "Device Id": -1})
    partial = memory(4, 0, 0, 0)
    partial["args"] = {"Bytes": -8, "Device Type": 1, "Device Id": 1}
    trace = make_trace(
        [memory(2, -512, 512, 4096), memory(1, 1024, 1024, 4096), host, partial, cpu_op("a", 1, 9)]
    )
    curve = trace.memory
    assert curve.time.tolist() == [0, 1000, 2000, 3000]
    assert curve.change.tolist() == [1024, -512, 64, -8]
    assert curve.allocated.tolist() == [1024, 512, 64, ABSENT]
    assert curve.reserved.tolist() == [4096, 4096, 64, ABSENT]
    assert curve.device.tolist() == [0, 0, ABSENT, 1]
    assert len(trace.instants.time) == 0


def test_device_properties(make_trace) -> None:
    nvidia = {
        "id": 0,
        "name": "NVIDIA H200",
        "totalGlobalMem": 150109880320,
        "computeMajor": 9,
        "computeMinor": 0,
        "maxThreadsPerMultiprocessor": 2048,
        "regsPerMultiprocessor": 65536,
        "warpSize": 32,
        "numSms": 132,
        "sharedMemPerMultiprocessor": 233472,
    }
    amd = {"id": 1, "name": "AMD", "warpSize": 64, "maxSharedMemoryPerMultiProcessor": 65536}
    odd = {"name": 5, "numSms": "many"}
    trace = make_trace([cpu_op("a", 0, 1)], deviceProperties=[nvidia, amd, odd, "x"])
    first, second, third = trace.metadata.devices
    assert (first.id, first.name, first.compute_major, first.compute_minor) == (
        0,
        "NVIDIA H200",
        9,
        0,
    )
    assert (first.sms, first.total_memory, first.warp_size) == (132, 150109880320, 32)
    assert (first.max_threads_per_sm, first.registers_per_sm) == (2048, 65536)
    assert first.shared_memory_per_sm == 233472
    assert (second.shared_memory_per_sm, second.sms, second.warp_size) == (65536, None, 64)
    assert (third.id, third.name, third.sms) == (2, None, None)


@pytest.mark.parametrize("properties", [None, {}, "x", [], [None]])
def test_odd_device_properties_open(make_trace, properties: Any) -> None:
    assert make_trace([cpu_op("a", 0, 1)], deviceProperties=properties).metadata.devices == ()


@pytest.mark.parametrize(
    ("key", "field", "values"),
    [
        ("id", "id", [-1, 2**31]),
        ("numSms", "sms", [0, -4, 2**40]),
        ("totalGlobalMem", "total_memory", [0, 2**62]),
        ("maxThreadsPerMultiprocessor", "max_threads_per_sm", [0, 1, 2**31]),
        ("regsPerMultiprocessor", "registers_per_sm", [0, 2**40]),
        ("sharedMemPerMultiprocessor", "shared_memory_per_sm", [-1, 2**40]),
        ("warpSize", "warp_size", [0, 2**31]),
        ("computeMajor", "compute_major", [-1, 2**31]),
    ],
)
def test_device_properties_that_cannot_be_are_absent(
    make_trace, key: str, field: str, values: list[int]
) -> None:
    for value in values:
        trace = make_trace([cpu_op("a", 0, 1)], deviceProperties=[{key: value}])
        assert getattr(trace.metadata.devices[0], field) == (0 if key == "id" else None)


@pytest.mark.parametrize("number", [-1, 2**31 - 1, 2**63, "x", 0.5])
def test_a_device_number_that_cannot_be_is_absent(make_trace, number: Any) -> None:
    """The operation's pid then says which device it is, if it can be one."""
    events = [kernel("k", 10 * pid, 5, pid=pid, device=number) for pid in (0, 1)]
    assert make_trace(events).device.tolist() == [0, 1]
    far = [kernel("k", 0, 5, pid=2**31 - 1, device=number), kernel("k", 9, 5, pid=2**22)]
    assert make_trace(far).device.tolist() == [ABSENT, 0]


def test_bytes_that_nothing_holds_are_absent(make_trace) -> None:
    copies = [memcpy("c", 9 * n, 5, args={"bytes": 2**62}) for n in range(4)]
    trace = make_trace([*copies, memory(40, -(2**62), 2**62, 2**62)])
    assert set(trace.columns.copied_bytes.tolist()) == {ABSENT}
    marks = trace.memory
    assert [*marks.change, *marks.allocated, *marks.reserved] == [ABSENT] * 3


def test_an_event_written_twice_counts_once(make_trace) -> None:
    told = {"External id": 5}
    once = [cpu_op("op", 0, 9, args=told), *launched(1, 2, 20, 5), memcpy("c", 30, 5)]
    assert {notice.kind for notice in make_trace(once).notices} == {"no_launch"}
    trace = make_trace([*once, *reversed(once), once[1]])
    assert [trace.name_of(row) for row in range(len(trace))] == ["op", "cudaLaunchKernel", "k", "c"]
    assert {(notice.kind, notice.count) for notice in trace.notices} == {
        ("duplicate", 5),
        ("no_launch", 1),
    }


def test_what_no_id_tells_apart_on_the_host_is_no_double(make_trace) -> None:
    """A function that calls itself at once, in a file of whole microseconds."""
    assert len(make_trace([cpu_op("op", 0, 9), cpu_op("op", 0, 9)])) == 2


HOSTILE = [
    "[/foo]",
    "[memory]",
    "[with T = float]",
    "[bold]x",
    "\x1b]0;title\x07\x1b[2J",
    "\x1b]8;;http://x\x1b\\link\x1b]52;c;AAAA\x07",
    "\x9b2J\x85",
    "\u202eabc\u2066",
    "a\u200bb漢字",
    "n" * 100_000,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_kept_as_they_are(make_trace, name: str) -> None:
    trace: Trace = make_trace([cpu_op(name, 0, 1), kernel(name, 2, 1), memory(3, 1, 1, 1)])
    assert trace.names == (name,)
    assert trace.name.tolist() == [0, 0]
