"""Notes on what a trace lacks: other accelerators, files cut short, an absent CPU side."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import Event, write_trace
from findings_made import H200, LONG, found, launched, quiet
from made import annotation, call, complete, kernel, op, trace_of

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.findings import Finding, Severity
from attntui.trace import load
from attntui.view.words.findings import advice_text, title_text


def foreign(category: str, number: int) -> list[Event]:
    return [complete(category, "work", i * 100, i * 100 + 50, pid="dev") for i in range(number)]


@pytest.mark.parametrize(
    ("category", "number", "said"),
    [
        ("mtia_ccp_events", 3, "3 events of another accelerator (mtia_ccp_events)"),
        ("hpu_op", 1, "1 event of another accelerator (hpu_op)"),
        ("xpu_scope_profiler", 2, "2 events of another accelerator (xpu_scope_profiler)"),
        ("privateuse1_event", 2, "2 events of another accelerator (privateuse1_event)"),
    ],
)
def test_an_accelerator_that_is_not_analysed_is_named(
    category: str, number: int, said: str
) -> None:
    events = [op("aten::add", 0, 10), *foreign(category, number)]
    (finding,) = found(events).values()
    assert (finding.id, finding.severity) == ("other-accelerator", Severity.INFO)
    assert dict(finding.figures) == {"events": number}
    assert said in title_text(finding)
    assert "shown in lanes" in title_text(finding)
    assert "not analysed" in title_text(finding)
    assert "CUDA" not in advice_text(finding)


def test_kernels_of_an_xpu_are_gpu_operations_beside_which_other_events_are_noted() -> None:
    assert "other-accelerator" not in found(quiet())
    assert "other-accelerator" not in found([*quiet(), *foreign("xpu_runtime", 2)])
    beside = found([*quiet(), *foreign("xpu_scope_profiler", 2)])
    assert title_text(beside["other-accelerator"]).startswith("2 events of another accelerator")


def test_host_calls_of_an_accelerator_without_its_events_are_no_gpu_recorded() -> None:
    seen = found([op("aten::add", 0, 10), *foreign("mtia_runtime", 2)])
    assert set(seen) == {"no-gpu"}


def test_launches_without_kernels_are_lost_records() -> None:
    calls = [call("cudaLaunchKernel", 20, 30, 1), call("cudaMemcpyAsync", 40, 70, 2)]
    seen = found([op("aten::add", 0, 100), *calls, call("cudaDeviceSynchronize", 80, 90)])
    (finding,) = seen.values()
    assert (finding.id, finding.severity) == ("lost-gpu", Severity.INFO)
    assert dict(finding.figures) == {"launch_calls": 2}
    assert "though 2 calls launched some" in title_text(finding)
    # The longest first.
    assert [piece.place for piece in finding.evidence] == [2, 1]


@pytest.mark.parametrize(
    ("labels", "cat", "source"),
    [
        (("/device:GPU:0", "XLA Ops"), "", "XLA's profiler (JAX, TensorFlow)"),
        (("nccl", ""), "COLL", "NCCL's profiler"),
        (("Renderer", "CrRendererMain"), "toplevel", "Chrome's tracing"),
        (("x", "y"), "z", "another tool than PyTorch's profiler"),
    ],
)
def test_the_advice_for_a_trace_of_another_tool_is_not_pytorch_s(
    labels: tuple[str, str], cat: str, source: str
) -> None:
    named = [
        {"ph": "M", "pid": 1, "tid": 4, "name": f"{what}_name", "args": {"name": name}}
        for what, name in zip(("process", "thread"), labels, strict=True)
    ]
    spans = [
        {"ph": ph, "cat": cat, "name": "a", "pid": 1, "tid": 4, "ts": ts, "id": 1}
        for ph, ts in (("b", 0), ("e", 5))
    ]
    spans.append({"ph": "X", "cat": "", "name": "b", "pid": 1, "tid": 4, "ts": 1, "dur": 2})
    (finding,) = AnalysedTrace(trace_of([*named, *spans])).whole.findings
    assert finding.id == "foreign"
    assert title_text(finding).startswith(f"Recorded by {source}: ")
    assert "ProfilerActivity" not in advice_text(finding)


def test_launches_of_which_some_lost_their_kernels() -> None:
    lost = [call("cudaLaunchKernel", 500 + 10 * n, 505 + 10 * n, 70 + n) for n in range(3)]
    lost.append(call("cudaMemcpyAsync", 600, 650, 80))
    seen = found([*quiet(), *lost])["lost-kernels"]
    launched = len([event for event in quiet() if event["cat"] == "kernel"])
    assert dict(seen.figures) == {"lost": 4, "launch_calls": launched + 4}
    assert title_text(seen).startswith(f"4 of {launched + 4} launches have no operation")
    assert title_text(seen).endswith("cudaLaunchKernel 3, cudaMemcpyAsync 1")
    assert "lost-kernels" not in found(quiet())
    assert "lost-kernels" not in found([*quiet(), call("cudaMemsetAsync", 500, 505, 70)])


def test_a_call_that_launches_nothing_makes_no_gpu_trace() -> None:
    seen = found([op("aten::add", 0, 100), call("cudaGetDevice", 20, 30)])
    assert "this is the CPU alone" in title_text(seen["no-gpu"])


def test_a_range_profile_is_called_so() -> None:
    ranges = [complete("cuda_profiler_range", f"k{n}", n * 100, n * 100 + 50) for n in range(3)]
    seen = found([op("aten::add", 0, 100), call("cudaLaunchKernel", 20, 30, 1), *ranges])
    (finding,) = seen.values()
    assert (finding.id, dict(finding.figures)) == ("range-profile", {"ranges": 3})
    assert "3 ranges with counters of the device" in title_text(finding)
    # With kernels beside them there is nothing to explain.
    assert "range-profile" not in found([*quiet(), *ranges])


def test_no_notice_guesses_at_the_cpu_alone() -> None:
    events = [op("aten::add", 0, 100), call("cudaLaunchKernel", 20, 30, 1)]
    (notice,) = trace_of(events).notices
    assert (notice.kind, notice.example) == ("no_gpu_ops", "no kernel, copy or set was recorded")


def replayed(number: int, nodes: int, running: int = 10_000) -> list[Event]:
    """A graph launched once a step, its kernels one after another, and no op at all."""
    events = []
    for step in range(number):
        at = step * 1_000_000
        events.append(annotation(f"ProfilerStep#{step}", at, at + 900_000))
        events.append(call("cudaGraphLaunch", at + 10_000, at + 60_000, step + 1))
        for node in range(nodes):
            begin = at + 70_000 + node * running
            events.append(kernel("node", begin, begin + running, step + 1))
    return events


def test_a_graph_that_replays_without_ops_was_recorded_on_the_cpu() -> None:
    seen = found(replayed(3, 4))
    assert "no-cpu-side" not in seen
    assert "no_cpu_ops" not in {notice.kind for notice in trace_of(replayed(3, 4)).notices}
    assert dict(seen["graph-replays"].figures) == {
        "in_graphs": 12,
        "operations": 12,
        "running_ns": 120_000,
        "graph_launches": 3,
    }
    assert "12 of 12 GPU operations, 120.0 us in all, ran in 3 replays" in title_text(
        seen["graph-replays"]
    )
    stray = found([*replayed(3, 4), kernel("before", 0, 5_000)])
    assert "record the CPU side" not in advice_text(stray["no-launches"])
    assert "record the CPU side" in advice_text(found(KERNELS)["no-launches"])


def test_a_graph_with_little_of_the_work_is_not_noted() -> None:
    """A twentieth of the GPU time: 20 operations of LONG beside it."""
    work = 20 * LONG
    least = work // 19
    assert "graph-replays" in found([*quiet(), *_graph(least + 1)])
    assert "graph-replays" not in found([*quiet(), *_graph(least - 1)])


def _graph(running: int) -> list[Event]:
    call_at = 10_000_000
    begin = call_at + 20_000
    return [
        call("hipGraphLaunch", call_at, call_at + 10_000, 500),
        kernel("node", begin, begin + running, 500),
    ]


@pytest.mark.parametrize(
    ("path", "note", "never"),
    [
        ("public/hta_cupti", "77 ranges with counters of the device", "no-gpu"),
        ("planted/graph_replay", "188 of 293 GPU operations", "no-cpu-side"),
        ("public/tl_sglang_decode", "544 of 558 GPU operations", "no-cpu-side"),
        ("corpus/hta_cpu_only", "this is the CPU alone", "lost-gpu"),
        ("corpus/tracelens_mi210_gpu_only", "of 562 GPU operations no op", "graph-replays"),
    ],
)
def test_what_real_traces_lack(path: str, note: str, never: str, shared: Path) -> None:
    analysed = AnalysedTrace(load(shared / f"{path}.json.gz"))
    seen = {finding.id: title_text(finding) for finding in analysed.whole.findings}
    assert [title for title in seen.values() if note in title]
    assert never not in seen
    told = [*seen.values(), *(notice.example for notice in analysed.trace.notices)]
    assert not [text for text in told if "CPU-only" in text]


def test_mtia_in_the_corpus(corpus: Path) -> None:
    seen = AnalysedTrace(load(corpus / "hta_mtia_inference.json.gz")).whole.findings
    assert [title_text(finding) for finding in seen] == [
        "No GPU operation was recorded. 1,313 events of another accelerator (mtia_ccp_events): "
        "shown in lanes, not analysed"
    ]


def cut(folder: Path, events: list[Event]) -> dict[str, Finding]:
    """The findings of a file that ends before its list of events does."""
    path = write_trace(folder, events, deviceProperties=[H200])
    text = path.read_bytes()
    path.write_bytes(text[: text.rindex(b"}", 0, text.rindex(b"]"))])
    trace = load(path)
    assert "truncated" in {notice.kind for notice in trace.notices}
    return {finding.id: finding for finding in AnalysedTrace(trace).whole.findings}


KERNELS = [event for event in quiet() if event["cat"] == "kernel"]


@pytest.mark.parametrize(
    ("events", "ids"),
    [
        ([op("aten::add", 0, 10), op("aten::add", 20, 30)], {"no-gpu"}),
        (KERNELS, {"no-cpu-side", "no-launches"}),
        ([*quiet(), kernel("stray", 9_000_000, 9_001_000), op("last", 9_000_000, 9_000_001)],
         {"no-launches"}),
    ],
)  # fmt: skip
def test_a_cut_file_is_blamed_first(events: list[Event], ids: set[str], tmp_path: Path) -> None:
    seen = cut(tmp_path, events)
    assert ids <= set(seen)
    for name in ids:
        assert title_text(seen[name]).startswith(
            "The file is cut off, and what is missing may be missing for that: "
        )
        assert advice_text(seen[name]).startswith("Get the whole file first")


def test_a_whole_file_is_not_blamed() -> None:
    assert title_text(found([op("aten::add", 0, 10)])["no-gpu"]).startswith("No GPU operation")


def late(with_cpu: bool, *, frame: bool = False) -> dict[str, Finding]:
    """Idle time in host code that was not recorded, before the last kernel."""
    end = 1_000_000 + 20 * LONG
    wait = call("cudaDeviceSynchronize", 900_000, end + 1_000)
    events = [*quiet(), wait, *launched(99, end + 900_000, end + 905_000, end + 906_000)]
    if frame:
        events.append(complete("python_function", "main.py(1): f", 0, 10))
    if not with_cpu:
        events = [event for event in events if event["cat"] != "cpu_op"]
    return found(events)


def test_unrecorded_idle_time_asks_for_what_is_missing() -> None:
    stacks = advice_text(late(True)["idle-unrecorded"])
    assert "with_stack=True" in stacks
    without = late(False)["idle-unrecorded"]
    assert "code that the trace does not record" in title_text(without)
    assert "ProfilerActivity.CPU" in advice_text(without)
    assert "with_stack" not in advice_text(without)
    assert "with_stack=True" not in advice_text(late(True, frame=True)["idle-unrecorded"])


def test_idle_time_without_launches_asks_for_them() -> None:
    end = 1_000_000 + 20 * LONG
    stray = kernel("stray", end + 900_000, end + 901_000)
    told = found([*quiet(), stray])["idle-unknown"]
    assert "begin recording before the launches" in advice_text(told)
    assert "ProfilerActivity.CPU" not in advice_text(told)
    alone = found([*KERNELS, stray])["idle-unknown"]
    assert "ProfilerActivity.CPU" in advice_text(alone)
