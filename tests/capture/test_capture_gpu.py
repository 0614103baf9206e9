"""What only a CUDA device can show; run with `pytest -m gpu`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from trace_facts import GPU_CATEGORIES, annotations, complete, launches, load, operations_in

from capture import record
from capture.cli import main
from capture.gaps import GRAPH_KERNELS, ITEMS, PHASES, TINY_KERNELS

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]

ROOT = Path(__file__).resolve().parents[2]

# Operations of one forward, memsets of 4 bytes left aside, on sm80 and sm90.
OPERATIONS = {
    "naive": 6,
    "naive-inplace": 5,
    "math": 20,
    "flash": 1,
    "efficient": 1,
    "cudnn": 1,
    "compile": 3,
    "flex": 1,
    "triton": 1,
    "triton-unfused": 3,
}


def outcomes(folder: Path, manifest: str) -> dict[str, dict[str, Any]]:
    (path,) = folder.glob(f"{manifest}_*.json")
    told = json.loads(path.read_text(encoding="utf-8"))
    return {one["name"]: one for one in told["outcomes"]}


@pytest.fixture(scope="module")
def forward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every variant at the reference shape, captured once."""
    folder: Path = tmp_path_factory.mktemp("forward")
    assert main(["run", *OPERATIONS, "auto", "--out", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_of_each_forward(forward: Path, name: str) -> None:
    trace = load(forward / outcomes(forward, "run")[name]["file"])
    spans = annotations(trace, "attn_fwd")
    assert len(spans) == 3
    assert [len(operations_in(trace, span)) for span in spans] == [OPERATIONS[name]] * 3


@pytest.mark.parametrize("name", [*OPERATIONS, "auto"])
def test_no_warm_up_kernel_leaks_in(forward: Path, name: str) -> None:
    trace = load(forward / outcomes(forward, "run")[name]["file"])
    calls = launches(trace)
    held = complete(trace, *GPU_CATEGORIES)
    assert held
    assert all(event["args"]["correlation"] in calls for event in held)


@pytest.mark.parametrize("name", [*OPERATIONS, "auto"])
def test_the_trace_tells_device_and_unprofiled_times(forward: Path, name: str) -> None:
    told = load(forward / outcomes(forward, "run")[name]["file"])["attntui"]
    assert told["environment"]["device_name"] == torch.cuda.get_device_name()
    assert told["environment"]["sm_count"] > 0
    assert told["environment"]["driver"]
    assert told["unprofiled"]["gpu_ns"] > 0


def test_every_backward_agrees_with_float64(tmp_path: Path) -> None:
    names = [*OPERATIONS, "auto"]
    sizes = ["--batch", "2", "--heads", "4", "--seq", "512"]
    assert main(["run", *names, *sizes, "--backward", "--out", str(tmp_path)]) == 0
    told = outcomes(tmp_path, "run")
    assert {name: told[name]["status"] for name in names} == dict.fromkeys(names, "written")
    assert all(told[name]["accuracy"]["gradient_error"] for name in names)


def test_a_backend_that_refuses_states_its_reason(tmp_path: Path) -> None:
    assert (
        main(["run", "flash", "math", "--seq", "64", "--dtype", "fp32", "--out", str(tmp_path)])
        == 0
    )
    refused = outcomes(tmp_path, "run")["flash"]
    assert refused["status"] == "refused"
    assert "dtype" in refused["reason"].lower()


def test_out_of_memory_is_one_line_and_exit_2(tmp_path: Path, capsys) -> None:
    huge = ["--batch", "64", "--heads", "64", "--seq", "32768"]
    assert main(["run", "math", *huge, "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "out of GPU memory at math b64" in said


@pytest.mark.parametrize("how", ["naive", "sdpa"])
def test_models_capture_prefill_decode_and_training(tmp_path: Path, how: str) -> None:
    names = [f"{job}-{how}" for job in ("prefill", "decode", "train")]
    sizes = ["--layers", "2", "--width", "256", "--heads", "4", "--seq", "256"]
    assert main(["run", *names, *sizes, "--out", str(tmp_path)]) == 0
    decode = load(tmp_path / outcomes(tmp_path, "run")[f"decode-{how}"]["file"])
    assert len(annotations(decode, "decode_step")) == 3
    for span in annotations(decode, "decode_step"):
        last = max(operations_in(decode, span), key=lambda event: event["ts"])
        assert last["name"].startswith("Memcpy DtoH")


def test_decode_pinned_to_flash_runs_flash(tmp_path: Path) -> None:
    sizes = ["--layers", "2", "--width", "256", "--heads", "4", "--seq", "256"]
    assert main(["run", "decode-flash", *sizes, "--out", str(tmp_path)]) == 0
    trace = load(tmp_path / outcomes(tmp_path, "run")["decode-flash"]["file"])
    # Two launches a block: the cache is split over blocks of threads, then combined.
    flash = [e for e in complete(trace, "kernel") if "flash_fwd" in e["name"]]
    assert len(flash) == 3 * 2 * 2


def test_planted_idle_is_where_its_label_says(tmp_path: Path) -> None:
    assert main(["run", "gaps", "--steps", "2", "--out", str(tmp_path)]) == 0
    trace = load(tmp_path / outcomes(tmp_path, "run")["gaps"]["file"])
    planted = trace["attntui"]["planted"]
    assert [one["label"] for one in planted] == [phase.label for phase, _ in PHASES]
    inside = {
        one["label"]: [operations_in(trace, span) for span in annotations(trace, one["label"])]
        for one in planted
    }
    assert all(len(instances) == 2 and all(instances) for instances in inside.values())
    assert len(inside["gap:tiny_kernels"][0]) == TINY_KERNELS
    assert len({e["args"]["correlation"] for e in inside["gap:graph_replay"][0]}) == 1
    assert len(inside["gap:graph_replay"][0]) == GRAPH_KERNELS
    reads = [e for e in inside["gap:item_sync"][0] if e["name"].startswith("Memcpy DtoH")]
    assert len(reads) == ITEMS
    for label in ("gap:pageable_copy", "gap:staged_copy"):
        assert any("Pageable" in e["name"] for e in inside[label][0])
    assert len({e["args"]["stream"] for e in inside["gap:event_wait"][0]}) == 2
    called = {event["name"] for event in complete(trace, "cuda_runtime")}
    assert {"cudaMalloc", "cudaFree", "cudaGraphLaunch"} <= called
    assert any("DataLoader" in e["name"] for e in complete(trace, "user_annotation"))
    assert complete(trace, "cuda_sync")
    assert complete(trace, "overhead")


def test_an_interrupt_while_compiling_is_one_line_and_whole_files(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "capture", "run", "math", "flex", "--out", str(tmp_path)]
    cache = str(tmp_path / "cache")
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": cache, "TRITON_CACHE_DIR": cache}
    running = subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert running.stderr is not None
    said = []
    for line in running.stderr:
        said.append(line)
        if line.startswith("[2/2] flex"):
            running.send_signal(signal.SIGINT)
    assert running.wait(timeout=120) == 130
    assert "interrupted" in said[-1]
    names = {path.name for path in tmp_path.iterdir()} - {"cache"}
    assert {name.partition("_")[0] for name in names} == {"math", "run"}


def test_ceilings_are_those_of_a_gpu(capsys) -> None:
    assert main(["ceilings", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["copy_gbps"] > 100
    assert told["bf16_tflops"] > told["fp32_tflops"] > 1


def test_record_finds_the_gpu_by_itself(tmp_path: Path) -> None:
    square = torch.rand(64, 64, device="cuda")
    with record("mine", out=tmp_path, steps=2) as trace:
        for _ in trace.steps():
            square @ square
    held = load(trace.path)
    assert [len(operations_in(held, span)) for span in annotations(held, "mine")] == [1, 1]
