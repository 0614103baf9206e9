"""Attention calls of the real traces, against what their makers and other tools say."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from attntui.analysis.attention import AttentionCall, find_attention
from attntui.analysis.attention.model import Role
from attntui.analysis.steps import find_steps
from attntui.trace import load

_CAUSAL = {"flash": True, "efficient": True, "cudnn": True, "math": True}


@cache
def _calls(path: Path) -> tuple[AttentionCall, ...]:
    return find_attention(load(str(path)))


def _of(corpus: Path, name: str) -> tuple[AttentionCall, ...]:
    return _calls(corpus / f"{name}.json.gz")


def _ops(call: AttentionCall) -> dict[str, int]:
    return {share.role: share.gpu_ops for share in call.roles}


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("blog_naive", "naive"),
        ("blog_inplace", "naive"),
        ("blog_naive_compile", "naive"),
        ("blog_flex", "flex"),
        ("blog_sdpa_auto", "cudnn"),
        ("blog_sdpa_cudnn", "cudnn"),
        ("blog_sdpa_efficient", "efficient"),
        ("blog_sdpa_flash", "flash"),
        ("blog_sdpa_math", "math"),
    ],
)
def test_one_call_a_forward(corpus: Path, name: str, backend: str) -> None:
    calls = _of(corpus, f"h200/{name}")
    assert [call.backend for call in calls] == [backend] * 3
    for call in calls:
        assert call.direction == "forward"
        assert call.causal is _CAUSAL.get(backend)
        shape = (call.batch, call.heads, call.kv_heads, call.q_len, call.kv_len, call.head_dim)
        assert shape == (8, 16, 16, 1024, 1024, 64)
        assert call.dtype == "bf16"


def test_naive_is_six_operations_and_the_memset_of_cublas(corpus: Path) -> None:
    for call in _of(corpus, "h200/blog_naive"):
        roles = {"qk": 1, "scale": 1, "mask": 1, "copy": 1, "softmax": 1, "av": 1, "memset": 1}
        assert _ops(call) == roles
        assert call.flops == 4 * 8 * 16 * 1024 * 1024 * 64
    for call in _of(corpus, "h200/blog_inplace"):
        assert call.role(Role.COPY) is None


def test_the_compiled_naive_call_has_a_fused_middle(corpus: Path) -> None:
    for call in _of(corpus, "h200/blog_naive_compile"):
        assert _ops(call) == {"qk": 1, "av": 1, "fused": 1, "memset": 1}


def test_math_is_one_call_of_twenty_operations(corpus: Path) -> None:
    for call in _of(corpus, "h200/blog_sdpa_math"):
        roles = {"qk": 1, "scale": 2, "mask": 6, "copy": 5, "softmax": 5, "av": 1}
        assert _ops(call) == roles
        assert call.gpu_ops == 20


def test_cudnn_stands_beside_its_memset(corpus: Path) -> None:
    for call in _of(corpus, "h200/blog_sdpa_cudnn"):
        assert _ops(call) == {"fused": 1, "memset": 1}


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("gpt_prefill_stack_naive", "naive"),
        ("gpt_prefill_stack_sdpa", "cudnn"),
        ("gpt_decode_naive", "naive"),
        ("gpt_decode_sdpa", "flash"),
    ],
)
def test_a_model_of_twelve_blocks_calls_twelve_times_a_step(
    corpus: Path, name: str, backend: str
) -> None:
    path = corpus / "h200" / f"{name}.json.gz"
    trace = load(str(path))
    steps = find_steps(trace)
    calls = _calls(path)
    owner = [np.searchsorted(steps.start, call.start, side="right") - 1 for call in calls]
    assert Counter(owner) == dict.fromkeys(range(len(steps)), 12)
    assert {call.backend for call in calls} == {backend}
    assert {(call.batch, call.heads) for call in calls} == {(4 if "prefill" in name else 1, 12)}


def test_a_mask_made_for_the_call_is_part_of_it(corpus: Path) -> None:
    call = _of(corpus, "h200/gpt_prefill_stack_naive")[0]
    assert _ops(call)["mask"] == 3  # ones, triu, masked_fill_
    assert call.causal is None


@pytest.mark.parametrize("name", ["blog_naive_fwd_bwd", "blog_sdpa_fwd_bwd"])
def test_each_backward_belongs_to_its_forward(corpus: Path, name: str) -> None:
    calls = _of(corpus, f"h200/{name}")
    assert [call.direction for call in calls] == ["forward", "backward"] * 3
    assert [call.forward for call in calls] == [None, 0, None, 2, None, 4]
    for forward, backward in zip(calls[::2], calls[1::2], strict=True):
        assert forward.backend == backward.backend
        assert forward.lane != backward.lane
        assert backward.causal is forward.causal


def test_roles_of_a_naive_backward_are_its_forwards(corpus: Path) -> None:
    backward = _of(corpus, "h200/blog_naive_fwd_bwd")[1]
    # Two products each for the gradients of both factors; no AccumulateGrad among them.
    roles = {"qk": 2, "scale": 1, "mask": 1, "copy": 3, "softmax": 2, "av": 2, "memset": 1}
    assert _ops(backward) == roles
    assert backward.flops == 2 * 4 * 8 * 16 * 1024 * 1024 * 64


def test_roles_of_a_fused_backward(corpus: Path) -> None:
    backward = _of(corpus, "h200/blog_sdpa_fwd_bwd")[1]
    assert _ops(backward) == {"copy": 1, "fused": 3, "memset": 1}
    assert backward.flops == 5 * 8 * 16 * 1024 * 1024 * 64  # five products, half of each


def test_flash_calls_of_a_vit_on_rocm(corpus: Path) -> None:
    calls = _of(corpus, "tracelens_mi300_vit")
    assert len(calls) == 12
    for call in calls:
        assert call.backend == "flash"
        assert (call.batch, call.heads, call.q_len, call.head_dim) == (4, 12, 197, 64)
        assert call.causal is False
        assert call.flops == 476_884_992


def test_flash_calls_of_qwen(corpus: Path) -> None:
    calls = _of(corpus, "tracelens_h100_qwen")
    assert len(calls) == 24
    for call in calls:
        assert call.backend == "flash"
        assert (call.batch, call.heads, call.q_len, call.head_dim) == (16, 16, 559, 64)
        assert call.causal is True
        assert call.flops == 10_239_377_408


def test_flash_calls_of_bert_and_of_a_compiled_model(corpus: Path) -> None:
    assert [call.backend for call in _of(corpus, "tracelens_h100_bert_small")] == ["flash"] * 4
    (call,) = _of(corpus, "tracelens_mi300_compile_triton")
    assert (call.backend, call.heads, call.kv_len, call.causal) == ("flash", 16, 4096, False)


def test_vllm_calls_have_tokens_and_no_batch(corpus: Path) -> None:
    calls = _of(corpus, "tracelens_b200_vllm_eager")
    assert len(calls) == 36
    for call in calls:
        assert (call.batch, call.heads, call.kv_heads, call.head_dim) == (None, 8, 1, 64)
        assert (call.q_len, call.kv_len, call.flops, call.hbm_bytes) == (888, None, None, None)
        assert _ops(call) == {"fused": 1, "other": 1}


def test_vllm_calls_inside_a_graph_are_known_by_their_kernels(corpus: Path) -> None:
    calls = _of(corpus, "tracelens_rocm_vllm_graph")
    assert [call.backend for call in calls] == ["triton"] * 24
    # A split call's second kernel adds up its segments.
    assert Counter(call.gpu_ops for call in calls) == {1: 12, 2: 12}
    assert {call.start for call in calls} == {None}


@pytest.mark.parametrize(
    "name",
    ["hta_a100_alexnet", "hta_a100_nccl", "hta_sampled_rank0", "hta_v100_ns_resolution"],
)
def test_models_without_attention_have_none(corpus: Path, name: str) -> None:
    assert _of(corpus, name) == ()


def test_every_file_keeps_its_sums(corpus: Path) -> None:
    for path in sorted(corpus.rglob("*.json.gz")):
        trace = load(str(path))
        calls = _calls(path)
        owned = np.concatenate([call.gpu_rows for call in calls] or [trace.gpu_ops[:0]])
        assert len(np.unique(owned)) == len(owned), path.name
        for call in calls:
            parts = np.sort(np.concatenate([share.rows for share in call.roles]))
            assert parts.tolist() == call.gpu_rows.tolist(), path.name
            assert sum(share.gpu_ns for share in call.roles) == call.gpu_ns
            assert call.gpu_ns == trace.dur[call.gpu_rows].sum()


def _measured(corpus: Path) -> dict[str, tuple[int, int]]:
    """Bytes read and written a variant, by Nsight Compute."""
    path = corpus.parent / "gpu" / "ncu_h200_b8_h16_s1024_d64_bf16_causal.csv"
    totals: dict[str, tuple[int, int]] = {}
    with path.open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            read, written = totals.get(line["variant"], (0, 0))
            read += int(line["dram_read_bytes"])
            totals[line["variant"]] = (read, written + int(line["dram_write_bytes"]))
    return totals


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("blog_naive", "naive"),
        ("blog_inplace", "inplace"),
        ("blog_sdpa_math", "math"),
        ("blog_sdpa_flash", "flash"),
        ("blog_sdpa_efficient", "efficient"),
        ("blog_sdpa_cudnn", "cudnn"),
    ],
)
def test_estimated_bytes_are_near_the_measured_ones(corpus: Path, name: str, variant: str) -> None:
    for call in _of(corpus, f"h200/{name}"):
        estimated = call.hbm_bytes
        assert estimated is not None
        if variant == "naive":
            # The Memcpy is no kernel: Nsight Compute has no row for it.
            copy = call.role(Role.COPY)
            assert copy is not None
            assert copy.hbm_bytes == 2 * 8 * 16 * 1024 * 1024 * 2
            estimated -= copy.hbm_bytes
        assert estimated == pytest.approx(sum(_measured(corpus)[variant]), rel=0.2)


def test_bytes_at_stake(corpus: Path) -> None:
    naive = _of(corpus, "h200/blog_naive")[0]
    flash = _of(corpus, "h200/blog_sdpa_flash")[0]
    assert naive.hbm_bytes == pytest.approx(2.75e9, rel=0.01)
    assert flash.hbm_bytes == pytest.approx(0.067e9, rel=0.02)
    assert naive.fused_hbm_bytes == flash.fused_hbm_bytes == 4 * 8 * 16 * 1024 * 64 * 2
