"""Notes on what a trace lacks: other accelerators, files cut short, an absent CPU side."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import Event, write_trace
from findings_made import H200, LONG, found, launched, quiet
from made import call, complete, kernel, op

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
