"""The summary: every figure against the corpus's independent truth, and its text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import annotation, cpu_op, kernel, launched, runtime

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import Trace, load
from attntui.view.reports.json_text import dumps, json_lines
from attntui.view.reports.summary import document, sections
from attntui.view.reports.text import plain

MakeTrace = Callable[..., Trace]

FILES = [
    "hta_a100_alexnet",
    "hta_a100_multi_stream_sync",
    "hta_a100_nccl",
    "hta_a100_simple_add",
    "hta_a100_triton",
    "hta_cpu_only",
    "hta_mi250_rocm",
    "hta_mtia_inference",
    "hta_sampled_rank0",
    "hta_sampled_rank1",
    "hta_v100_ns_resolution",
    "tracelens_b200_vllm_eager",
    "tracelens_h100_bert_small",
    "tracelens_h100_qwen",
    "tracelens_mi210_gpu_only",
    "tracelens_mi300_compile_triton",
    "tracelens_mi300_vit",
    "tracelens_rocm_vllm_graph",
    "h200/blog_flex",
    "h200/blog_inplace",
    "h200/blog_naive",
    "h200/blog_naive_compile",
    "h200/blog_naive_fwd_bwd",
    "h200/blog_sdpa_auto",
    "h200/blog_sdpa_cudnn",
    "h200/blog_sdpa_efficient",
    "h200/blog_sdpa_flash",
    "h200/blog_sdpa_fwd_bwd",
    "h200/blog_sdpa_math",
    "h200/gpt_decode_naive",
    "h200/gpt_decode_sdpa",
    "h200/gpt_prefill_stack_naive",
    "h200/gpt_prefill_stack_sdpa",
]


@pytest.fixture(scope="session")
def truth(corpus: Path) -> dict[str, Any]:
    """The truth of each file, by the file's name."""
    records = json.loads((corpus / "truth.json").read_text("utf-8"))
    return {record["file"]: record for record in records}


def summarised(trace: Trace) -> dict[str, Any]:
    """The summary as a script reads it."""
    data: dict[str, Any] = json.loads("\n".join(json_lines(document(AnalysedTrace(trace)))))
    return data


def multiset(instances: list[dict[str, int]]) -> list[list[tuple[str, int]]]:
    return sorted(sorted(instance.items()) for instance in instances)


def test_every_file_of_the_corpus_is_listed(truth: dict[str, Any]) -> None:
    assert {Path(name).name + ".json.gz" for name in FILES} == set(truth)


@pytest.mark.parametrize("name", FILES)
def test_every_figure_of_the_truth(name: str, corpus: Path, truth: dict[str, Any]) -> None:
    path = corpus / f"{name}.json.gz"
    said, true = summarised(load(path)), truth[path.name]
    about = said["trace"]
    for key in (
        "events",
        "complete_events",
        "categories",
        "gpu_ops",
        "gpu_ops_with_launch",
        "profiler_steps",
    ):
        assert about[key] == true[key], key
    assert about["device_name"] == (true["device_name"] or None)
    assert {str(device["device"]) for device in said["devices"]} == set(true["devices"])
    for device in said["devices"]:
        expected = true["devices"][str(device["device"])]
        assert device["gpu_ops"] == expected["ops"]
        for key in ("span_ns", "busy_ns", "idle_ns", "gaps", "gaps_over_10us", "longest_gap_ns"):
            assert device[key] == expected[key], key
        launched = device["launched"]
        assert launched["gpu_ops"] == expected["launched_ops"]
        assert launched["span_ns"] == expected.get("launched_span_ns", 0)
        assert launched["busy_ns"] == expected.get("launched_busy_ns", 0)
        assert launched["busy_ns"] + launched["idle_ns"] == launched["span_ns"]
        assert device["busy_ns"] + device["idle_ns"] == device["span_ns"]
        assert sum(device["idle_by_cause_ns"].values()) == device["idle_ns"]
        assert sum(device["idle_by_trigger_ns"].values()) == device["idle_ns"]
    top = [{k: entry[k] for k in ("name", "total_ns", "count")} for entry in said["kernels"][:10]]
    assert top == true["top_kernels"]
    assert sum(entry["total_ns"] for entry in said["kernels"]) == true["gpu_time_total_ns"]
    assert {label: multiset(found) for label, found in said["annotations"].items()} == {
        label: multiset(found) for label, found in true["annotations"].items()
    }


@pytest.fixture
def small(make_trace: MakeTrace) -> Trace:
    """Two kernels with a gap in which the thread waited, and one kernel without a launch."""
    events = [
        annotation("ProfilerStep#1", 0, 100),
        cpu_op("aten::mm", 0, 20),
        *launched(1, 5, 20, 10, "gemm\x1b[31m"),
        runtime("cudaDeviceSynchronize", 25, 15),
        *launched(2, 50, 60, 10, "relu"),
        kernel("leaked", 2, 3, 99),
    ]
    return make_trace(events, deviceProperties=[{"id": 0, "name": "NVIDIA Test"}])


def test_the_keys_that_scripts_use(small: Trace) -> None:
    said = summarised(small)
    assert said["trace"] == {
        "path": small.path,
        "events": 8,
        "complete_events": 8,
        "categories": {"user_annotation": 1, "cpu_op": 1, "cuda_runtime": 3, "kernel": 3},
        "gpu_ops": 3,
        "gpu_ops_with_launch": 2,
        "device_name": "NVIDIA Test",
        "devices": "NVIDIA Test",
        "span_ns": 100_000,
        "profiler_steps": 1,
        "step_family": "ProfilerStep#*",
        "before_first_gpu_op_ns": 2_000,
        "after_last_gpu_op_ns": 30_000,
        "hbm_bytes": None,
        "hbm_coverage": 0.0,
        "roofs": None,
        "roofs_source": None,
        "notices": [
            {"kind": n.kind, "count": n.count, "example": n.example, "offset": n.offset}
            for n in small.notices
        ],
    }
    (device,) = said["devices"]
    assert (device["label"], device["name"]) == ("GPU 0", "NVIDIA Test")
    assert device["launched"] == {
        "gpu_ops": 2,
        "span_ns": 50_000,
        "busy_ns": 20_000,
        "busy_share": 0.4,
        "idle_ns": 30_000,
        "gaps": 1,
        "gaps_over_10us": 1,
        "longest_gap_ns": 30_000,
    }
    assert list(device["idle_by_cause_ns"]) == [
        "sync",
        "copy",
        "memory",
        "module_load",
        "data_loading",
        "runtime",
        "dispatch",
        "python",
        "unrecorded",
        "launch_call",
        "queued",
        "wait_event",
        "graph",
        "unknown",
    ]
    assert list(device["idle_by_trigger_ns"]) == ["sync", "copy", "wait_event", "none"]
    assert device["idle_by_cause_ns"]["sync"] == 10_000
    assert said["kernels"][0] == {
        "name": "gemm\x1b[31m",
        "label": "gemm\\x1b[31m",
        "share": 10 / 23,
        "total_ns": 10_000,
        "count": 1,
        "mean_ns": 10_000.0,
        "min_ns": 10_000,
        "max_ns": 10_000,
        "library": None,
        "tensor_cores": None,
        "bound": None,
        "tflops": None,
        "gbps": None,
        "roof_share": None,
        "coverage": 0.0,
        "beyond_roof_ns": 0,
        "occupancy_pct": None,
        "profiler_occupancy_pct": None,
        "far_from_roof": None,
        "far_reasons": [],
        "limited_by": None,
        "flops": None,
        "intensity": None,
        "hbm_bytes": None,
        "streams": [7],
    }
    assert said["annotations"] == {
        "ProfilerStep#*": [
            {
                "cpu_ns": 100_000,
                "gpu_ops": 2,
                "gpu_ns": 20_000,
                "gpu_ops_any_thread": 2,
                "gpu_ns_any_thread": 20_000,
            }
        ]
    }


def test_json_carries_no_control_character(small: Trace) -> None:
    said = document(AnalysedTrace(small)) | {"odd": "\x7f\x9b\ud800\u202e"}
    text = dumps(said)
    for line in (text, *json_lines(said)):
        assert line.isascii()
        assert line.isprintable()
    assert json.loads("\n".join(json_lines(said))) == json.loads(text)
    assert "\x7f" not in text
    assert json.loads(text)["odd"] == "\x7f\x9b\ud800\u202e"


def test_an_unknown_device_is_null(make_trace: MakeTrace) -> None:
    assert summarised(make_trace([kernel("k", 0, 1)]))["trace"]["device_name"] is None


def test_the_text_tells_the_same(small: Trace) -> None:
    text = "\n".join(plain(sections(AnalysedTrace(small))))
    assert "NVIDIA Test" in text
    assert "3 (2 with a launch)" in text
    assert "in gaps after: sync" in text
    assert "Steps ProfilerStep#*" in text
    assert "\x1b" not in text


def test_ranked_tables_show_the_top(small: Trace) -> None:
    text = "\n".join(plain(sections(AnalysedTrace(small), top=1)))
    assert "GPU operations by name: 1 of 3" in text
    assert "relu" not in text.split("Longest gaps")[0]


def test_a_trace_without_gpu_says_so(make_trace: MakeTrace) -> None:
    text = "\n".join(plain(sections(AnalysedTrace(make_trace([cpu_op("aten::mm", 0, 5)])))))
    assert "no GPU operation: the CPU alone" in text
    assert "Devices" not in text
