"""Every workload that the CPU supports, at a small shape, through the command."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from trace_facts import annotations, complete, load

from capture import check, suite, variants, workload
from capture.cli import main
from capture.errors import CaptureError, Refusal
from capture.shapes import AttentionShape

CPU = torch.device("cpu")
SMALL = ["--device", "cpu", "--batch", "2", "--heads", "4", "--seq", "32", "--head-dim", "16"]
ON_CPU = ("naive", "naive-inplace", "math", "flash", "auto")
needs_compiler = pytest.mark.skipif(
    shutil.which("g++") is None, reason="torch.compile on the CPU needs a C++ compiler"
)


def manifest(folder: Path) -> list[dict[str, Any]]:
    (path,) = folder.glob("*_cpu.json")
    outcomes: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["outcomes"]
    return outcomes


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_each_variant_is_checked_labelled_and_described(tmp_path: Path, backward: bool) -> None:
    extra = ["--backward"] if backward else []
    status = main(["run", *ON_CPU, *SMALL, *extra, "--out", str(tmp_path), "--seed", "7"])
    assert status == 0
    for name in ON_CPU:
        suffix = "_bwd" if backward else ""
        trace = load(tmp_path / f"{name}_b2_h4_s32_d16_bf16{suffix}_cpu.json.gz")
        assert len(annotations(trace, "attn_fwd")) == 3
        assert len(annotations(trace, "attn_bwd")) == (3 if backward else 0)
        assert (
            sum(e["name"].startswith("ProfilerStep#") for e in complete(trace, "user_annotation"))
            == 3
        )
        told = trace["attntui"]
        assert told["variant"] == name
        assert told["shape"]["kv_len"] == 32
        assert told["shape"]["dtype"] == "bf16"
        assert told["method"]["seed"] == 7
        assert told["environment"]["torch"] == torch.__version__
        assert told["command"].startswith("python -m capture run naive")
        assert 0 < told["accuracy"]["output_error"] < told["accuracy"]["output_bound"]
        assert (told["accuracy"]["gradient_error"] is not None) is backward
        assert told["unprofiled"]["host_ns"] > 0
        assert told["profiler"]["record_shapes"] is True
        assert any("Input Dims" in e.get("args", {}) for e in complete(trace, "cpu_op"))
    assert [one["status"] for one in manifest(tmp_path)] == ["written"] * len(ON_CPU)


def test_naive_dispatches_its_five_operations_and_inplace_hides_no_copy(tmp_path: Path) -> None:
    assert main(["run", "naive", "naive-inplace", *SMALL, "--out", str(tmp_path)]) == 0
    names = {}
    for name in ("naive", "naive-inplace"):
        trace = load(tmp_path / f"{name}_b2_h4_s32_d16_bf16_cpu.json.gz")
        names[name] = [event["name"] for event in complete(trace, "cpu_op")]
    assert names["naive"].count("aten::matmul") == 6
    assert names["naive"].count("aten::masked_fill") == 3
    assert "aten::clone" in names["naive"]
    assert names["naive-inplace"].count("aten::masked_fill_") == 3
    assert "aten::clone" not in names["naive-inplace"]


@needs_compiler
def test_compiled_variants_run_on_the_cpu(tmp_path: Path) -> None:
    assert main(["run", "compile", "flex", *SMALL, "--out", str(tmp_path)]) == 0
    assert [one["status"] for one in manifest(tmp_path)] == ["written", "written"]


@needs_compiler
def test_flex_backward_is_refused_on_the_cpu_in_its_own_words(tmp_path: Path) -> None:
    assert main(["run", "flex", "math", *SMALL, "--backward", "--out", str(tmp_path)]) == 0
    refused = manifest(tmp_path)[0]
    assert refused["status"] == "refused"
    assert refused["reason"].startswith("FlexAttention does not support backward on CPU")


@pytest.mark.parametrize(
    "shape",
    [
        AttentionShape(2, 4, 2, 32, 32, 16),
        AttentionShape(2, 4, 4, 1, 48, 16),
        AttentionShape(2, 4, 2, 24, 48, 16),
        AttentionShape(2, 4, 4, 32, 32, 16, causal=False),
        AttentionShape(1, 2, 2, 32, 32, 16, dtype="fp32"),
        AttentionShape(1, 2, 2, 32, 32, 16, dtype="fp16"),
        AttentionShape(1, 2, 2, 48, 32, 16, causal=False),
    ],
    ids=lambda shape: shape.label,
)
@pytest.mark.parametrize("name", ON_CPU)
def test_every_shape_agrees_with_float64(name: str, shape: AttentionShape) -> None:
    made = workload.attention_workload(name, shape, CPU, backward=True, seed=1)
    accuracy = made.check()
    assert accuracy is not None
    accuracy.require(name)


def test_a_wrong_causal_alignment_would_be_seen() -> None:
    shape = AttentionShape(1, 2, 2, 24, 48, 16, dtype="fp32")
    inputs = workload.draw_inputs(shape, CPU, 0, gradients=False)
    to_first_key = variants.Variant(
        "auto",
        lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True),
    )
    accuracy = check.check_attention(to_first_key, shape, inputs, None)
    with pytest.raises(CaptureError, match="relative to float64"):
        accuracy.require("auto")


def test_nan_never_passes() -> None:
    with pytest.raises(CaptureError, match="nan"):
        check.Accuracy(float("nan"), 1e-2).require("naive")


def test_an_output_beyond_its_bound_fails_the_run(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setitem(check.OUTPUT_BOUND, "bf16", 1e-6)
    assert main(["run", "naive", *SMALL, "--out", str(tmp_path)]) == 2
    assert "the output is off by" in capsys.readouterr().err
    assert list(tmp_path.glob("*.json.gz")) == []
    assert manifest(tmp_path)[0]["status"] == "failed"


def test_dropout_is_profiled_and_the_check_leaves_it_out(tmp_path: Path) -> None:
    assert main(["run", "naive", *SMALL, "--dropout", "0.5", "--out", str(tmp_path)]) == 0
    trace = load(tmp_path / "naive_b2_h4_s32_d16_bf16_p0.5_cpu.json.gz")
    assert trace["attntui"]["notes"] == ["checked without dropout"]
    assert any(event["name"] == "aten::dropout" for event in complete(trace, "cpu_op"))


def test_what_needs_a_gpu_is_refused_by_name_and_the_rest_goes_on(tmp_path: Path, capsys) -> None:
    names = ["efficient", "cudnn", "triton", "triton-unfused", "hub-flash", "gaps", "math"]
    assert main(["run", *names, *SMALL, "--out", str(tmp_path)]) == 0
    outcomes = manifest(tmp_path)
    assert [one["status"] for one in outcomes] == ["refused"] * 6 + ["written"]
    assert all("CUDA device" in one["reason"] for one in outcomes[:6])
    assert "1 written, 6 refused" in capsys.readouterr().out


def test_same_seed_same_inputs() -> None:
    shape = AttentionShape(1, 2, 2, 8, 8, 16)
    first = workload.draw_inputs(shape, CPU, 3, gradients=False)
    again = workload.draw_inputs(shape, CPU, 3, gradients=False)
    other = workload.draw_inputs(shape, CPU, 4, gradients=False)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[0], other[0])


def test_models_run_and_agree_with_float64(tmp_path: Path) -> None:
    names = [f"{job}-{how}" for job in ("prefill", "decode", "train") for how in ("naive", "sdpa")]
    names.append("decode-flash")
    sizes = ["--layers", "2", "--width", "64", "--heads", "4", "--seq", "32", "--device", "cpu"]
    assert main(["run", *names, *sizes, "--out", str(tmp_path)]) == 0
    label = "l2_b1_h4_s32_d16_bf16_cpu.json.gz"
    assert len(annotations(load(tmp_path / f"prefill-naive_{label}"), "prefill")) == 3
    decode = load(tmp_path / f"decode-sdpa_{label}")
    assert len(annotations(decode, "decode_step")) == 3
    attended = [
        event["args"]["Input Dims"][1]
        for event in complete(decode, "cpu_op")
        if event["name"] == "aten::scaled_dot_product_attention"
    ]
    # One more key at each step, in each of two blocks: the cache grows.
    assert [dims[2] for dims in attended] == [37, 37, 38, 38, 39, 39]
    train = load(tmp_path / f"train-sdpa_{label}")
    for part in ("train_step", "copy_in", "forward", "backward", "optimizer", "loss_item"):
        assert len(annotations(train, part)) == 3


def test_stacks_are_recorded_when_asked_for(tmp_path: Path) -> None:
    assert main(["run", "naive", *SMALL, "--stacks", "--out", str(tmp_path)]) == 0
    trace = load(tmp_path / "naive_b2_h4_s32_d16_bf16_cpu.json.gz")
    frames = complete(trace, "python_function")
    assert any("naive_attention" in event["name"] for event in frames)


def test_a_suite_covers_every_variant_at_three_shapes() -> None:
    jobs = suite.suite_jobs("attention", AttentionShape(), None, backward=False)  # type: ignore[arg-type]
    titles = [job.title for job in jobs]
    assert len(titles) == 36
    assert "flash b8_h16_s1024_d64_bf16" in titles
    assert "flash b2_h16kv4_s2048_d64_bf16" in titles
    assert "flash b8_h16_q1_s4096_d64_bf16" in titles


def test_stated_reasons_are_those_of_the_pinned_backend() -> None:
    said = [
        "Memory efficient kernel not used because: (Triggered internally at sdp_utils.cpp:915.)",
        "Memory Efficient attention has been runtime disabled. (Triggered internally at a.h:552.)",
        "Flash attention kernel not used because: (Triggered internally at sdp_utils.cpp:917.)",
        "Flash Attention does not support non-null attn_mask. (Triggered internally at a.h:2.)",
        "CuDNN attention kernel not used because: (Triggered internally at sdp_utils.cpp:919.)",
        "CuDNN attention has been runtime disabled. (Triggered internally at a.h:3.)",
    ]
    assert variants.stated_reasons("flash", said) == [
        "Flash Attention does not support non-null attn_mask"
    ]
    assert variants.stated_reasons("cudnn", said) == ["CuDNN attention has been runtime disabled"]
    assert variants.stated_reasons("compile", said) == []


def hub(monkeypatch, get_kernel) -> variants.Variant:
    """The Hub variant, built with a stand-in for the `kernels` package."""
    monkeypatch.setitem(sys.modules, "kernels", SimpleNamespace(get_kernel=get_kernel))
    shape = AttentionShape(2, 4, 2, 24, 48, 16, dtype="fp16")
    return variants.build("hub-flash", shape, torch.device("cuda"))


def test_the_hub_kernel_gets_its_own_layout(monkeypatch) -> None:
    asked = []

    def flash_attn_func(q, k, v, dropout_p, causal):
        # FlashAttention takes [batch, length, heads, dim] and aligns the mask to the last key.
        assert (dropout_p, causal) == (0.0, True)
        hidden = variants.causal_mask(q.shape[1], k.shape[1], CPU)
        out = variants.naive_attention(*(t.transpose(1, 2) for t in (q, k, v)), hidden)
        return out.transpose(1, 2)

    def get_kernel(repository: str, version: int):
        asked.append((repository, version))
        return SimpleNamespace(flash_attn_func=flash_attn_func)

    variant = hub(monkeypatch, get_kernel)
    assert asked == [(variants.HUB_REPOSITORY, variants.HUB_VERSION)]
    shape = AttentionShape(2, 4, 2, 24, 48, 16, dtype="fp16")
    inputs = workload.draw_inputs(shape, CPU, 0, gradients=False)
    check.check_attention(variant, shape, inputs, None).require("hub-flash")


def test_the_hub_out_of_reach_is_a_refusal_in_one_line(monkeypatch) -> None:
    def get_kernel(repository: str, version: int) -> None:
        raise ConnectionError("cannot reach huggingface.co\nsecond line")

    with pytest.raises(Refusal) as caught:
        hub(monkeypatch, get_kernel)
    assert str(caught.value).endswith("cannot reach huggingface.co")


def test_without_the_kernels_package_the_hub_variant_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "kernels", None)
    with pytest.raises(Refusal, match="pip install kernels"):
        variants.build("hub-flash", AttentionShape(), torch.device("cuda"))


def test_a_head_dim_the_fused_kernel_lacks_is_refused(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "triton", SimpleNamespace())
    with pytest.raises(Refusal, match="16, 32, 64, 128"):
        variants.build("triton", AttentionShape(head_dim=80), torch.device("cuda"))
