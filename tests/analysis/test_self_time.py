"""Own and total CPU time, what it went into, and bars that are fat."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from made import Event, annotation, call, complete, copy, frame, kernel, op, row, trace_of

from attntui.analysis.self_time import (
    FAT_RATIO,
    FAT_SELF_NS,
    FatKind,
    OpTable,
    SelfPart,
    SelfTimes,
    fat_bars,
    op_table,
    self_times,
)


def split_of(cpu: SelfTimes, name: str) -> dict[SelfPart, int]:
    index = cpu.rows.tolist().index(row(cpu.trace, name))
    return {part: int(ns) for part, ns in zip(SelfPart, cpu.split[index], strict=True) if ns}


def test_own_time_goes_to_the_calls_inside() -> None:
    trace = trace_of(
        [
            annotation("step", 0, 10_000),
            frame("main", 500, 9_500),
            op("aten::linear", 1_000, 6_000),
            op("aten::addmm", 2_000, 5_000),
            call("cudaMalloc", 2_100, 2_400),
            call("cudaEventQuery", 2_500, 2_600),
            call("cudaLaunchKernel", 3_000, 3_500, 1),
            complete("cuda_driver", "cuModuleLoadData", 3_100, 3_300),
            call("cudaMemcpyAsync", 7_000, 7_400, 2),
            call("cudaStreamSynchronize", 7_500, 9_000),
            kernel("gemm", 4_000, 5_000, 1),
            copy("Memcpy DtoH (Device -> Pageable)", 7_100, 7_300, 2),
        ]
    )
    cpu = self_times(trace)
    assert split_of(cpu, "aten::addmm") == {
        SelfPart.LAUNCH: 300,
        SelfPart.MODULE_LOAD: 200,
        SelfPart.MEMORY: 300,
        SelfPart.RUNTIME: 100,
        SelfPart.DISPATCH: 2_100,
    }
    assert split_of(cpu, "aten::linear") == {SelfPart.DISPATCH: 2_000}
    assert split_of(cpu, "step") == {SelfPart.SYNC: 1_900, SelfPart.DISPATCH: 3_100}
    assert cpu.self_ns.tolist() == [5_000, 2_000, 3_000]
    assert cpu.total_ns.tolist() == [10_000, 5_000, 3_000]
    assert cpu.parent.tolist() == [-1, 0, 1]
    assert cpu.work.gpu_ns.tolist() == [1_200, 1_000, 1_000]


def test_code_loaded_inside_a_launch() -> None:
    trace = trace_of(
        [
            op("aten::mm", 0, 1_000),
            call("cudaLaunchKernel", 100, 900, 1),
            complete("overhead", "Lazy Function Loading", 200, 700, pid=-1, tid=0),
            kernel("k", 950, 990, 1),
        ]
    )
    assert split_of(self_times(trace), "aten::mm") == {
        SelfPart.LAUNCH: 300,
        SelfPart.MODULE_LOAD: 500,
        SelfPart.DISPATCH: 200,
    }


def test_code_loaded_inside_a_call_that_waits_or_allocates_is_part_of_that_call() -> None:
    """Only launches and other calls are cut: what synchronises or allocates is named so."""

    def load(start: int, end: int) -> Event:
        return complete("overhead", "Lazy Function Loading", start, end, pid=-1, tid=0)

    trace = trace_of(
        [
            op("aten::mm", 0, 10_000),
            call("cudaMalloc", 1_000, 2_000),
            load(1_200, 1_700),
            call("cudaStreamSynchronize", 3_000, 4_000),
            load(3_100, 3_400),
            call("cudaEventQuery", 5_000, 6_000),
            load(5_300, 5_500),
        ]
    )
    assert split_of(self_times(trace), "aten::mm") == {
        SelfPart.MEMORY: 1_000,
        SelfPart.SYNC: 1_000,
        SelfPart.RUNTIME: 800,
        SelfPart.MODULE_LOAD: 200,
        SelfPart.DISPATCH: 7_000,
    }


def test_a_call_is_the_time_of_the_innermost_op_around_it_alone() -> None:
    trace = trace_of(
        [
            annotation("step", 0, 10_000),
            op("aten::linear", 1_000, 9_000),
            op("aten::addmm", 2_000, 8_000),
            frame("between", 2_500, 7_500),
            call("cudaMalloc", 3_000, 4_000),
            op("aten::view", 5_000, 5_500),
        ]
    )
    cpu = self_times(trace)
    memory = dict(zip(cpu.rows.tolist(), cpu.split[:, SelfPart.MEMORY].tolist(), strict=True))
    assert {trace.name_of(r): ns for r, ns in memory.items() if ns} == {"aten::addmm": 1_000}
    outer = [None if at < 0 else trace.name_of(int(cpu.rows[at])) for at in cpu.parent]
    assert dict(zip([trace.name_of(r) for r in cpu.rows.tolist()], outer, strict=True)) == {
        "step": None,
        "aten::linear": "step",
        "aten::addmm": "aten::linear",
        "aten::view": "aten::addmm",
    }
    assert cpu.self_ns.tolist() == [2_000, 2_000, 5_500, 500]


def test_a_child_that_outlives_its_parent_is_cut() -> None:
    cpu = self_times(trace_of([op("outer", 0, 100), op("inner", 40, 120), op("deep", 50, 130)]))
    assert cpu.total_ns.tolist() == [100, 60, 50]
    assert cpu.self_ns.tolist() == [40, 10, 50]


nested = st.lists(
    st.tuples(
        st.sampled_from(["op", "annotation", "call", "frame"]),
        st.integers(0, 60),
        st.integers(0, 40),
    ),
    max_size=14,
)


@settings(deadline=None)
@given(nested)
def test_own_times_sum_to_the_totals_at_the_top(made: list[tuple[str, int, int]]) -> None:
    make = {"op": op, "annotation": annotation, "call": call, "frame": frame}
    events = [make[what]("cudaMalloc", start, start + dur) for what, start, dur in made]
    cpu = self_times(trace_of([*events, op("last", 500, 501)]))
    assert (cpu.split >= 0).all()
    assert int(cpu.split.sum()) == int(cpu.total_ns[cpu.parent == -1].sum())


def entry(table: OpTable, cpu: SelfTimes, name: str) -> int:
    return [cpu.trace.names[i] for i in table.name].index(name)


def test_by_name_with_recursion_counted_once() -> None:
    trace = trace_of(
        [
            op("f", 0, 1_000),
            op("g", 100, 900),
            op("f", 200, 600),
            call("cudaLaunchKernel", 300, 400, 1),
            op("f", 2_000, 2_100),
            kernel("k", 3_000, 3_050, 1),
        ]
    )
    cpu = self_times(trace)
    table = op_table(cpu)
    f, g = entry(table, cpu, "f"), entry(table, cpu, "g")
    assert table.count[[f, g]].tolist() == [3, 1]
    assert table.total_ns[[f, g]].tolist() == [1_100, 800]
    assert table.self_ns[[f, g]].tolist() == [200 + 400 + 100, 400]
    assert table.gpu_ns[[f, g]].tolist() == [50, 50]
    assert table.gpu_ops[[f, g]].tolist() == [1, 1]
    assert table.split[f].sum() == table.self_ns[f]
    assert trace.start[table.longest[f]] == 200
    assert trace.start[table.instances(f)].tolist() == [0, 200, 2_000]
    assert table.self_ns.tolist() == sorted(table.self_ns.tolist(), reverse=True)


def test_of_some_rows_only_recursion_among_them_counts_once() -> None:
    trace = trace_of([op("f", 0, 1_000), op("g", 50, 900), op("f", 100, 400), op("f", 450, 500)])
    cpu = self_times(trace)
    inner = cpu.rows[[2, 3]]
    table = op_table(cpu, inner)
    assert (table.count.tolist(), table.total_ns.tolist()) == ([2], [350])
    assert op_table(cpu, cpu.rows[[0, 2]]).total_ns.tolist() == [1_000]


def test_fat_bars_with_most_own_time_first() -> None:
    size = FAT_SELF_NS
    spans = {"less": (0, size), "most": (2 * size, 5 * size), "more": (6 * size, 8 * size)}
    trace = trace_of(op(name, *span) for name, span in spans.items())
    assert [trace.name_of(r) for r in fat_bars(self_times(trace)).rows.tolist()] == [
        "most",
        "more",
        "less",
    ]


def test_over_some_rows_and_none() -> None:
    trace = trace_of([op("f", 0, 1_000), op("g", 2_000, 2_500)])
    cpu = self_times(trace)
    assert [trace.names[i] for i in op_table(cpu, np.array([1])).name] == ["g"]
    assert len(op_table(cpu, np.zeros(0, np.int64))) == 0


def test_fat_bars_by_what_fills_them() -> None:
    size = FAT_SELF_NS
    trace = trace_of(
        [
            op("aten::cudnn_attention", 0, size),
            op("aten::item", 2 * size, 3 * size),
            call("cudaStreamSynchronize", 2 * size, 3 * size - 10),
            op("aten::first", 4 * size, 5 * size),
            call("cudaLaunchKernel", 4 * size, 5 * size - 10, 1),
            op("thin", 6 * size, 7 * size - 1),
            op("worth it", 8 * size, 9 * size),
            call("cudaLaunchKernel", 8 * size, 8 * size + 10, 2),
            annotation("no op", 10 * size, 12 * size),
            kernel("small", 5 * size, 5 * size + size // FAT_RATIO, 1),
            kernel("big", 8 * size + 50, 9 * size, 2),
        ]
    )
    cpu = self_times(trace)
    found = fat_bars(cpu)
    named = zip(found.rows.tolist(), found.kind.tolist(), strict=True)
    kinds = {trace.name_of(row): FatKind(kind) for row, kind in named}
    assert kinds == {
        "aten::cudnn_attention": FatKind.OPAQUE,
        "aten::item": FatKind.WAITING,
        "aten::first": FatKind.LAUNCH_OVERHEAD,
    }
    assert found.own_gpu_ns.tolist() == [0, 0, size // FAT_RATIO]
