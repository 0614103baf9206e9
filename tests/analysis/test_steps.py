"""Steps, annotations and scopes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders import name_of, where_real
from made import Event, annotation, call, complete, kernel, op, row, trace_of

from attntui.analysis.annotations import find_annotations, label_of
from attntui.analysis.idle import device_idle
from attntui.analysis.scope import WHOLE, Annotation, Range, Step, scope_rows
from attntui.analysis.steps import family_of, find_steps, outliers, profiled_window
from attntui.trace import load
from attntui.trace.model import I64, Trace


def stepped() -> Trace:
    events = [kernel("warm-up", 900, 950, 999)]
    for i in range(3):
        t = 1_000 + i * 1_000
        events += [
            annotation(f"ProfilerStep#{i + 5}", t, t + 900),
            op("aten::mm", t + 100, t + 200),
            call("cudaLaunchKernel", t + 120, t + 130, 10 * i + 1),
            call("cudaLaunchKernel", t + 300, t + 310, 10 * i + 2, tid=2),
            kernel("forward", t + 400, t + 500, 10 * i + 1),
            kernel("backward", t + 950, t + 1_050, 10 * i + 2),
        ]
    return trace_of(events)


def test_profiler_steps_own_what_any_thread_launched() -> None:
    trace = stepped()
    steps = find_steps(trace)
    assert steps.family == "ProfilerStep#*"
    assert steps.start.tolist() == [1_000 - 900, 2_000 - 900, 3_000 - 900]
    assert steps.duration.tolist() == [900] * 3
    assert [trace.name_of(r) for r in steps.owned(1).tolist()] == ["forward", "backward"]
    warm_up = trace.gpu_ops.tolist().index(row(trace, "warm-up"))
    assert steps.owner[warm_up] == -1
    assert profiled_window(trace, steps) == (100, 3_000)


def test_engine_steps_by_prefix_and_others_by_what_they_do() -> None:
    engine = trace_of([annotation("execute_context_1(8)", 0, 50), annotation("other", 60, 90)])
    assert find_steps(engine).family == "execute_context_*(*)"
    repeats = trace_of(
        [annotation(f"iteration {i}", 100 * i, 100 * i + 90) for i in range(4)]
        + [annotation("inner", 100 * i + 10, 100 * i + 80) for i in range(4)]
        + [annotation("setup", 400, 700)]
    )
    assert find_steps(repeats).family == "iteration *"
    chosen = find_steps(repeats, "inner")
    assert len(chosen) == 4
    nothing = find_steps(trace_of([annotation("once", 0, 50)]))
    assert (nothing.family, len(nothing)) == (None, 0)


@pytest.mark.parametrize("name", ["ProfilerStep#{}", "execute_{}_context", "my step {}", "step"])
def test_steps_own_alike_whatever_they_are_called(name: str) -> None:
    events = [kernel("warm-up", 100, 300)]
    for i in range(3):
        at, c = 1_000 * (i + 1), 10 * i
        events += [
            annotation(name.format(i), at, at + 900),
            annotation("part", at + 50, at + 500),
            call("cudaLaunchKernel", at + 100, at + 120, c + 1),
            kernel("forward", at + 200, at + 400, c + 1),
            # Its clock is behind: it began, as told, before its launch and before the step.
            call("cudaLaunchKernel", at + 10, at + 20, c + 2),
            kernel("skewed", at - 20, at - 10, c + 2, stream=8),
            # Launched in the step, run after it has ended.
            call("cudaLaunchKernel", at + 880, at + 890, c + 3),
            kernel("late", at + 910, at + 940, c + 3),
        ]
    trace = trace_of(events)
    steps = find_steps(trace)
    assert len(steps) == 3
    assert [sorted(scope_names(trace, steps.owned(i))) for i in range(3)] == [
        ["forward", "late", "skewed"]
    ] * 3
    leaked = trace.gpu_ops.tolist().index(row(trace, "warm-up"))
    assert np.flatnonzero(steps.owner < 0).tolist() == [leaked]
    assert profiled_window(trace, steps) == (900, 3_800)
    (whole,) = device_idle(trace)
    (one,) = device_idle(trace, scope_rows(trace, Step(1), steps).gpu)
    assert whole.edges(profiled_window(trace, steps)) == (0, 0)
    assert (one.span_ns, one.busy_ns, one.idle_ns) == (960, 240, 720)


def launching(*starts: int, pid: int = 1) -> list[Event]:
    """Calls at these times and their kernels, named by the time of the call."""
    events = []
    for start in starts:
        events.append(call("cudaLaunchKernel", start, start + 1, start + 1, pid=pid))
        events.append(kernel(f"at {start}", 50_000 + start, 50_001 + start, start + 1))
    return events


def test_a_launch_between_steps_is_of_none_and_one_as_a_step_begins_is_of_that_step() -> None:
    spans = {"step 1": (1_000, 2_000), "step 2": (2_000, 3_000), "step 3": (4_000, 5_000)}
    trace = trace_of(
        [
            *(annotation(name, *span) for name, span in spans.items()),
            *launching(999, 1_000, 2_000, 3_000, 3_001, 3_999, 4_000, 5_000, 5_001),
        ]
    )
    steps = find_steps(trace, "step *")
    assert [scope_names(trace, steps.owned(i)) for i in range(3)] == [
        ["at 1000"],
        ["at 2000", "at 3000"],
        ["at 4000", "at 5000"],
    ]
    assert [scope_names(trace, scope_rows(trace, Step(i), steps).gpu) for i in range(3)] == [
        ["at 1000"],
        ["at 2000", "at 3000"],
        ["at 4000", "at 5000"],
    ]
    # An annotation owns what begins with it and what begins as it ends.
    first = Annotation(int(steps.rows[0]))
    assert scope_names(trace, scope_rows(trace, first, steps).gpu) == ["at 1000", "at 2000"]


def test_a_step_inside_another_of_its_name_is_no_step() -> None:
    trace = trace_of(
        [
            annotation("ProfilerStep#1", 0, 1_000),
            annotation("ProfilerStep#1", 100, 900),
            annotation("ProfilerStep#2", 1_000, 2_000),
        ]
    )
    assert find_steps(trace).start.tolist() == [0, 1_000]


def test_of_the_names_of_an_engines_steps_the_one_with_most_steps() -> None:
    trace = trace_of(
        [
            annotation("execute_all", 0, 10_000),
            *(annotation(f"execute_{n}_ctx", 1_000 * n, 1_000 * n + 500) for n in range(1, 4)),
            annotation("execute_model", 9_000, 9_500),
        ]
    )
    steps = find_steps(trace)
    assert (steps.family, len(steps)) == ("execute_*_ctx", 3)


def test_the_step_that_stands_out() -> None:
    spans = [(1_000, 2_000), (2_000, 3_000), (3_000, 4_000), (4_000, 9_000), (9_000, 10_000)]
    trace = trace_of(annotation(f"ProfilerStep#{n}", *span) for n, span in enumerate(spans))
    assert find_steps(trace).outlier.tolist() == [False, False, False, True, False]


def test_what_repeats_least_is_still_no_family_of_one() -> None:
    steps = find_steps(trace_of([annotation("once", 0, 900), kernel("k", 0, 10)]))
    assert (steps.family, len(steps)) == (None, 0)
    absent = find_steps(
        trace_of([annotation("a 1", 0, 900), annotation("a 2", 1_000, 1_900)]), "b *"
    )
    assert (absent.family, len(absent)) == (None, 0)


def test_family() -> None:
    assert family_of("ProfilerStep#12") == "ProfilerStep#*"
    assert label_of("ProfilerStep#12") == "ProfilerStep#*"
    assert label_of("iteration 12") == "iteration 12"


@pytest.mark.parametrize(
    ("duration", "found"),
    [
        ([100, 900], [False] * 2),
        ([100, 100, 900], [False, False, True]),
        ([900, 100, 102], [True, False, False]),
        ([100, 30, 101], [False, True, False]),
        # Two of three alike by chance.
        ([100, 101, 125], [False] * 3),
        ([100, 150, 400], [False, False, True]),
        ([100, 200, 400], [False] * 3),
        ([100, 100, 100, 900], [False, False, False, True]),
        ([100, 100, 100, 10], [False, False, False, True]),
        ([100, 101, 99, 100, 150], [False, False, False, False, True]),
        ([100, 100, 100, 105], [False] * 4),
        ([100, 120, 80, 140, 60], [False] * 5),
        ([], []),
    ],
)
def test_outliers(duration: list[int], found: list[bool]) -> None:
    assert outliers(np.array(duration, np.int64)).tolist() == found


def test_window_without_steps_is_the_profilers_span() -> None:
    trace = trace_of([complete("Trace", "PyTorch Profiler (0)", 100, 900), kernel("k", 0, 500)])
    assert profiled_window(trace, find_steps(trace)) == (100, 900)
    bare = trace_of([kernel("k", 0, 500)])
    assert profiled_window(bare, find_steps(bare)) == (0, 500)


def test_annotations_by_label() -> None:
    trace = stepped()
    found = find_annotations(trace)
    assert found.labels == ("ProfilerStep#*",)
    assert found.instances(0).tolist() == [0, 1, 2]
    assert found.cpu_ns.tolist() == [900] * 3
    assert found.work.gpu_ops.tolist() == [1] * 3
    assert found.work.gpu_ops_any_thread.tolist() == [2] * 3


def scope_names(trace: Trace, rows: I64) -> list[str]:
    return [trace.name_of(r) for r in rows.tolist()]


def test_scopes() -> None:
    trace = stepped()
    steps = find_steps(trace)
    whole = scope_rows(trace, WHOLE, steps)
    assert len(whole.gpu) == 7
    assert (whole.start, whole.end) == trace.span
    step = scope_rows(trace, Step(1), steps)
    assert scope_names(trace, step.gpu) == ["forward", "backward"]
    assert scope_names(trace, step.cpu) == [
        "ProfilerStep#6",
        "aten::mm",
        "cudaLaunchKernel",
        "cudaLaunchKernel",
    ]
    span = scope_rows(trace, Annotation(int(steps.rows[1])), steps)
    assert scope_names(trace, span.gpu) == ["forward"]
    assert scope_names(trace, span.cpu) == ["ProfilerStep#6", "aten::mm", "cudaLaunchKernel"]
    begun = int(trace.start[row(trace, "forward")])
    part = scope_rows(trace, Range(begun + 50, begun + 200), steps)
    assert scope_names(trace, part.gpu) == ["forward"]
    assert scope_names(trace, part.cpu) == ["ProfilerStep#5"]
    assert (part.start, part.end) == (begun + 50, begun + 200)


def test_an_annotation_holds_no_row_around_it_that_began_with_it() -> None:
    trace = trace_of(
        [
            annotation("outer", 0, 1_000),
            annotation("inner", 0, 500),
            op("aten::mm", 100, 200),
            op("other thread", 150, 160, tid=2),
            op("at its end", 500, 600),
        ]
    )
    steps = find_steps(trace)
    inner = scope_rows(trace, Annotation(row(trace, "inner")), steps)
    assert scope_names(trace, inner.cpu) == ["inner", "aten::mm"]
    outer = scope_rows(trace, Annotation(row(trace, "outer")), steps)
    assert scope_names(trace, outer.cpu) == ["outer", "inner", "aten::mm", "at its end"]


def test_an_annotation_of_no_length_holds_itself() -> None:
    trace = trace_of([op("before", 0, 100), annotation("now", 200, 200), op("after", 300, 400)])
    found = scope_rows(trace, Annotation(row(trace, "now")), find_steps(trace))
    assert scope_names(trace, found.cpu) == ["now"]


def test_a_step_holds_all_threads_of_its_process_and_no_other() -> None:
    trace = trace_of(
        [
            annotation("ProfilerStep#1", 0, 1_000, pid=1, tid=1),
            op("mine", 100, 200, pid=1, tid=1),
            op("my backward", 100, 200, pid=1, tid=2),
            op("of another process", 100, 200, pid=2, tid=1),
            *launching(300, pid=1),
            *launching(400, pid=2),
        ]
    )
    step = scope_rows(trace, Step(0), find_steps(trace))
    assert scope_names(trace, step.cpu) == [
        "ProfilerStep#1",
        "mine",
        "my backward",
        "cudaLaunchKernel",
    ]
    assert scope_names(trace, step.gpu) == ["at 300"]


def test_a_momentary_event_lies_in_the_range_of_its_instant() -> None:
    trace = trace_of([kernel("a", 0, 100), kernel("now", 200, 200), kernel("z", 300, 400)])
    steps = find_steps(trace)
    assert scope_names(trace, scope_rows(trace, Range(200, 300), steps).gpu) == ["now"]
    assert scope_names(trace, scope_rows(trace, Range(100, 200), steps).gpu) == []
    assert scope_names(trace, scope_rows(trace, Range(250, 350), steps).gpu) == ["z"]
    assert scope_names(trace, scope_rows(trace, Range(50, 150), steps).gpu) == ["a"]


@pytest.mark.parametrize(
    "path",
    where_real(
        ["naive_b8_h16_s1024_d64_bf16_bwd_h200", "gaps_h200", "naive_b1_h4_s256_d64_bf16_cpu"],
        ["h200/blog_naive_fwd_bwd", "hta_a100_nccl", "hta_mi250_rocm"],
    ),
    ids=name_of,
)
def test_a_real_step_owns_what_its_annotation_launched(path: Path) -> None:
    trace = load(path)
    steps = find_steps(trace)
    found = find_annotations(trace)
    label = found.instances(found.labels.index("ProfilerStep#*"))
    assert [len(steps.owned(i)) for i in range(len(steps))] == (
        found.work.gpu_ops_any_thread[label].tolist()
    )


def test_real_steps_without_profiler_steps(corpus: Path) -> None:
    steps = find_steps(load(corpus / "tracelens_rocm_vllm_graph.json.gz"))
    assert len(steps) == 1
    assert len(steps.owned(0)) > 400
