"""Attention calls of the real traces, against what their makers and other tools say."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from builders import CORPUS, SAMPLES, name_of, where_real

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


def forward(variant: str, beside: str) -> list[Path]:
    """The sample of a variant, and the trace of the corpus that did the same."""
    return where_real([f"{variant}_b8_h16_s1024_d64_bf16_h200"], [f"h200/{beside}"])


def real(variant: str, beside: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", forward(variant, beside), ids=name_of)


def _ops(call: AttentionCall) -> dict[str, int]:
    return {share.role: share.gpu_ops for share in call.roles}


@pytest.mark.parametrize(
    ("path", "backend"),
    [
        pytest.param(path, backend, id=name_of(path))
        for variant, beside, backend in (
            ("naive", "blog_naive", "naive"),
            ("naive-inplace", "blog_inplace", "naive"),
            ("compile", "blog_naive_compile", "naive"),
            ("flex", "blog_flex", "flex"),
            ("auto", "blog_sdpa_auto", "cudnn"),
            ("cudnn", "blog_sdpa_cudnn", "cudnn"),
            ("efficient", "blog_sdpa_efficient", "efficient"),
            ("flash", "blog_sdpa_flash", "flash"),
            ("math", "blog_sdpa_math", "math"),
        )
        for path in forward(variant, beside)
    ],
)
def test_one_call_a_forward(path: Path, backend: str) -> None:
    calls = _calls(path)
    assert [call.backend for call in calls] == [backend] * 3
    for call in calls:
        assert call.direction == "forward"
        assert call.causal is _CAUSAL.get(backend)
        shape = (call.batch, call.heads, call.kv_heads, call.q_len, call.kv_len, call.head_dim)
        assert shape == (8, 16, 16, 1024, 1024, 64)
        assert call.dtype == "bf16"


@real("naive", "blog_naive")
def test_naive_is_six_operations_and_the_memset_of_cublas(path: Path) -> None:
    for call in _calls(path):
        roles = {"qk": 1, "scale": 1, "mask": 1, "copy": 1, "softmax": 1, "av": 1, "memset": 1}
        assert _ops(call) == roles
        assert call.flops == 4 * 8 * 16 * 1024 * 1024 * 64


@real("naive-inplace", "blog_inplace")
def test_in_place_there_is_no_copy(path: Path) -> None:
    calls = _calls(path)
    assert len(calls) == 3
    for call in calls:
        assert call.role(Role.COPY) is None


@real("compile", "blog_naive_compile")
def test_the_compiled_naive_call_has_a_fused_middle(path: Path) -> None:
    for call in _calls(path):
        assert _ops(call) == {"qk": 1, "av": 1, "fused": 1, "memset": 1}


@real("math", "blog_sdpa_math")
def test_math_is_one_call_of_twenty_operations(path: Path) -> None:
    for call in _calls(path):
        roles = {"qk": 1, "scale": 2, "mask": 6, "copy": 5, "softmax": 5, "av": 1}
        assert _ops(call) == roles
        assert call.gpu_ops == 20


@real("cudnn", "blog_sdpa_cudnn")
def test_cudnn_stands_beside_its_memset(path: Path) -> None:
    for call in _calls(path):
        assert _ops(call) == {"fused": 1, "memset": 1}


@pytest.mark.parametrize(
    ("path", "layers", "batch", "backend"),
    [
        pytest.param(path, layers, batch, backend, id=name_of(path))
        for name, layers, batch, backend in (
            ("prefill-naive_l4_b1_h12_s1024_d64_bf16_h200", 4, 1, "naive"),
            ("prefill-sdpa_l4_b1_h12_s1024_d64_bf16_h200", 4, 1, "cudnn"),
            ("decode-naive_l4_b1_h12_s1024_d64_bf16_h200", 4, 1, "naive"),
            ("decode-flash_l4_b1_h12_s1024_d64_bf16_h200", 4, 1, "flash"),
            ("decode-sdpa_l4_b1_h12_s1024_d64_bf16_h200", 4, 1, "cudnn"),
            ("h200/gpt_prefill_stack_naive", 12, 4, "naive"),
            ("h200/gpt_prefill_stack_sdpa", 12, 4, "cudnn"),
            ("h200/gpt_decode_naive", 12, 1, "naive"),
            ("h200/gpt_decode_sdpa", 12, 1, "flash"),
        )
        for path in (where_real((), [name]) if "/" in name else where_real([name]))
    ],
)
def test_a_model_calls_once_a_block_and_step(
    path: Path, layers: int, batch: int, backend: str
) -> None:
    trace = load(str(path))
    steps = find_steps(trace)
    calls = _calls(path)
    owner = [np.searchsorted(steps.start, call.start, side="right") - 1 for call in calls]
    assert Counter(owner) == dict.fromkeys(range(len(steps)), layers)
    assert {call.backend for call in calls} == {backend}
    assert {(call.batch, call.heads) for call in calls} == {(batch, 12)}


def test_a_mask_made_for_the_call_is_part_of_it(corpus: Path) -> None:
    call = _of(corpus, "h200/gpt_prefill_stack_naive")[0]
    assert _ops(call)["mask"] == 3  # ones, triu, masked_fill_
    assert call.causal is None


def test_a_mask_made_once_for_the_model_is_part_of_no_call() -> None:
    call = _calls(SAMPLES / "prefill-naive_l4_b1_h12_s1024_d64_bf16_h200.json.gz")[0]
    assert _ops(call)["mask"] == 1  # masked_fill_
    assert call.causal is None


NAIVE_BACKWARD = where_real(["naive_b8_h16_s1024_d64_bf16_bwd_h200"], ["h200/blog_naive_fwd_bwd"])
FUSED_BACKWARD = where_real(["flash_b8_h16_s1024_d64_bf16_bwd_h200"], ["h200/blog_sdpa_fwd_bwd"])


@pytest.mark.parametrize("path", [*NAIVE_BACKWARD, *FUSED_BACKWARD], ids=name_of)
def test_each_backward_belongs_to_its_forward(path: Path) -> None:
    calls = _calls(path)
    assert [call.direction for call in calls] == ["forward", "backward"] * 3
    assert [call.forward for call in calls] == [None, 0, None, 2, None, 4]
    for forward, backward in zip(calls[::2], calls[1::2], strict=True):
        assert forward.backend == backward.backend
        assert forward.lane != backward.lane
        assert backward.causal is forward.causal


@pytest.mark.parametrize("path", NAIVE_BACKWARD, ids=name_of)
def test_roles_of_a_naive_backward_are_its_forwards(path: Path) -> None:
    backward = _calls(path)[1]
    # That of masked_fill; in the corpus both products clone a gradient too.
    copies = 1 if path.parent == SAMPLES else 3
    # Two products each for the gradients of both factors; no AccumulateGrad among them.
    roles = {"qk": 2, "scale": 1, "mask": 1, "copy": copies, "softmax": 2, "av": 2, "memset": 1}
    assert _ops(backward) == roles
    assert backward.flops == 2 * 4 * 8 * 16 * 1024 * 1024 * 64


@pytest.mark.parametrize("path", FUSED_BACKWARD, ids=name_of)
def test_roles_of_a_fused_backward(path: Path) -> None:
    forward, backward = _calls(path)[:2]
    # FlashAttention makes two inputs contiguous first; cuDNN one, and clears a workspace.
    others = {"flash": {"copy": 2}, "cudnn": {"copy": 1, "memset": 1}}
    assert _ops(backward) == {"fused": 3, **others[forward.backend]}
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


def test_a_trace_of_everything_but_attention_has_none() -> None:
    assert _calls(SAMPLES / "gaps_h200.json.gz") == ()


@pytest.mark.parametrize(
    "name",
    ["hta_a100_alexnet", "hta_a100_nccl", "hta_sampled_rank0", "hta_v100_ns_resolution"],
)
def test_models_without_attention_have_none(corpus: Path, name: str) -> None:
    assert _of(corpus, name) == ()


@pytest.mark.parametrize(
    "folder", [pytest.param(f, id=f.name) for f in (SAMPLES, CORPUS) if f.is_dir()]
)
def test_every_file_keeps_its_sums(folder: Path) -> None:
    for path in sorted(folder.rglob("*.json.gz")):
        trace = load(str(path))
        calls = _calls(path)
        owned = np.concatenate([call.gpu_rows for call in calls] or [trace.gpu_ops[:0]])
        assert len(np.unique(owned)) == len(owned), path.name
        for call in calls:
            own = [share.rows for share in call.roles]
            parts = np.sort(np.concatenate([trace.gpu_ops[:0], *own]))
            assert parts.tolist() == call.gpu_rows.tolist(), path.name
            assert sum(share.gpu_ns for share in call.roles) == call.gpu_ns
            assert call.gpu_ns == trace.dur[call.gpu_rows].sum()


def _measured() -> dict[str, tuple[int, int]]:
    """Bytes read and written a variant, by Nsight Compute."""
    path = Path(__file__).parents[1] / "measured_h200.csv"
    totals: dict[str, tuple[int, int]] = {}
    with path.open(encoding="utf-8") as file:
        for line in csv.DictReader(file):
            read, written = totals.get(line["variant"], (0, 0))
            read += int(line["dram_read_bytes"])
            totals[line["variant"]] = (read, written + int(line["dram_write_bytes"]))
    return totals


@pytest.mark.parametrize(
    ("path", "variant"),
    [
        pytest.param(path, variant, id=name_of(path))
        for sample, beside, variant in (
            ("naive", "blog_naive", "naive"),
            ("naive-inplace", "blog_inplace", "inplace"),
            ("math", "blog_sdpa_math", "math"),
            ("flash", "blog_sdpa_flash", "flash"),
            ("efficient", "blog_sdpa_efficient", "efficient"),
            ("cudnn", "blog_sdpa_cudnn", "cudnn"),
        )
        for path in forward(sample, beside)
    ],
)
def test_estimated_bytes_are_near_the_measured_ones(path: Path, variant: str) -> None:
    for call in _calls(path):
        estimated = call.hbm_bytes
        assert estimated is not None
        if variant == "naive":
            # The Memcpy is no kernel: Nsight Compute has no row for it.
            copy = call.role(Role.COPY)
            assert copy is not None
            assert copy.hbm_bytes == 2 * 8 * 16 * 1024 * 1024 * 2
            estimated -= copy.hbm_bytes
        assert estimated == pytest.approx(sum(_measured()[variant]), rel=0.2)


@pytest.mark.parametrize(
    ("naive_path", "flash_path"),
    list(
        zip(forward("naive", "blog_naive"), forward("flash", "blog_sdpa_flash"), strict=True),
    ),
    ids=name_of,
)
def test_bytes_at_stake(naive_path: Path, flash_path: Path) -> None:
    naive, flash = _calls(naive_path)[0], _calls(flash_path)[0]
    assert naive.hbm_bytes == pytest.approx(2.75e9, rel=0.01)
    assert flash.hbm_bytes == pytest.approx(0.067e9, rel=0.02)
    assert naive.fused_hbm_bytes == flash.fused_hbm_bytes == 4 * 8 * 16 * 1024 * 64 * 2
