"""Attention ops of PyTorch, packages and serving engines, and kernels with no op to go by."""

from __future__ import annotations

import numpy as np
import pytest
from recorder import FLASH, GEMM, MUL, SOFTMAX, Recorder, naive, sdpa

from attntui.analysis.attention import AttentionCall, find_attention, within

_CUTLASS = "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<x>)"


def _ops(call: AttentionCall) -> dict[str, int]:
    return {share.role: share.gpu_ops for share in call.roles}


def _one(rec: Recorder) -> AttentionCall:
    (call,) = find_attention(rec.trace())
    return call


def test_of_nested_attention_ops_the_outermost_is_the_call() -> None:
    rec = Recorder()
    sdpa(rec, (2, 4, 16, 8))
    trace = rec.trace()
    (call,) = find_attention(trace)
    assert call.op is not None
    assert trace.name_of(call.op) == "aten::scaled_dot_product_attention"
    assert call.backend == "flash"
    assert call.flops == 4 * 2 * 4 * 16 * 16 * 8 // 2
    assert "_scaled_dot_product_flash_attention" in call.evidence
    assert "half" in call.evidence


@pytest.mark.parametrize(
    ("causal", "mask", "told"),
    [
        ("True", [], True),
        ("False", [], False),
        ("False", [16, 16], None),
        ("", [], True),  # concrete inputs not recorded: the kernel's own flag
    ],
)
def test_causal_is_told_by_the_flag_unless_a_mask_was_passed(
    causal: str, mask: list[int], told: bool | None
) -> None:
    rec = Recorder()
    sdpa(rec, causal=causal, mask=mask)
    assert _one(rec).causal is told


def test_the_math_backend_is_one_call_with_the_naive_pattern_inside() -> None:
    rec = Recorder()
    shape = [2, 4, 16, 16]
    with (
        rec.op("aten::scaled_dot_product_attention", *[shape] * 3, *[[]] * 5),
        rec.op("aten::_scaled_dot_product_attention_math", *[shape] * 3, *[[]] * 6),
    ):
        rec.leaf("aten::to", shape, [], kernel="copy")
        rec.leaf("aten::mul", shape, [], kernel=MUL)
        rec.leaf("aten::tril", [16, 16], [], kernel="tril")
        naive(rec, d=16, mask=False)
        rec.leaf("aten::to", shape, [], kernel="copy")
    call = _one(rec)
    assert call.backend == "math"
    assert _ops(call) == {"qk": 1, "scale": 2, "mask": 1, "copy": 2, "softmax": 1, "av": 1}


def test_an_sdpa_whose_choice_is_not_recorded_is_math_if_it_holds_products() -> None:
    rec = Recorder()
    shape = [2, 4, 16, 8]
    with rec.op("aten::scaled_dot_product_attention", *[shape] * 3, *[[]] * 5):
        naive(rec)
    call = _one(rec)
    assert call.backend == "math"
    assert _ops(call)["qk"] == 1


def test_grouped_queries_and_a_single_head() -> None:
    rec = Recorder()
    q, k = [2, 8, 16, 64], [2, 2, 32, 64]
    with rec.op("aten::_scaled_dot_product_efficient_attention", q, k, k, *[[]] * 5):
        rec.kernel(_CUTLASS)
    with rec.op("aten::scaled_dot_product_attention", *[[3, 16, 64]] * 3, *[[]] * 5):
        rec.kernel(_CUTLASS)
    grouped, single = find_attention(rec.trace())
    assert (grouped.heads, grouped.kv_heads, grouped.kv_len) == (8, 2, 32)
    assert grouped.fused_hbm_bytes == 2 * (2 * 8 * 16 + 2 * 2 * 32) * 64 * 2
    assert (single.backend, single.batch, single.heads) == ("efficient", 3, 1)


@pytest.mark.parametrize(
    ("op", "kernel", "backend"),
    [
        ("FlashAttnFunc", FLASH, "flash"),
        ("flash_attn::_flash_attn_forward", FLASH, "flash"),
        ("flash_attn_3::fwd", "cutlass::device_kernel<flash::FlashAttnFwdSm90<x>>", "flash"),
        ("xformers_flash::flash_fwd", FLASH, "flash"),
        ("xformers::efficient_attention_forward_cutlass", _CUTLASS, "efficient"),
        ("aiter::fmha_v3_fwd", "fmha_fwd_hd128_bf16_causal", "flash"),
        ("aten::_flash_attention_forward", "attn_fwd", "flash"),
    ],
)
def test_ops_of_packages(op: str, kernel: str, backend: str) -> None:
    rec = Recorder()
    rec.leaf(op, *[[2, 16, 4, 8]] * 3, kernel=kernel)
    call = _one(rec)
    assert call.backend == backend
    assert (call.batch, call.heads, call.q_len, call.head_dim) == (2, 4, 16, 8)
    assert _ops(call) == {"fused": 1}
    assert call.hbm_bytes is not None


@pytest.mark.parametrize(
    ("op", "kernel", "backend"),
    [
        ("vllm::unified_attention_with_output", "kernel_unified_attention_2d", "triton"),
        ("vllm::unified_attention", FLASH, "flash"),
        ("sglang::unified_attention_with_output", "_fwd_grouped_kernel_stage1", "triton"),
        ("vllm::unified_attention_with_output", "fmhaSm100aKernel_QkvE4m3OBfloat16H64", "trtllm"),
        ("vllm::unified_attention", "void vllm::paged_attention_v2_kernel<__half>(int)", "paged"),
    ],
)
def test_serving_takes_its_backend_from_the_kernel(op: str, kernel: str, backend: str) -> None:
    rec = Recorder()
    with rec.op(op, [40, 8, 64], [40, 2, 64], [40, 2, 64], [40, 8, 64]):
        rec.leaf("_C_cache_ops::reshape_and_cache_flash", [40, 2, 64], kernel="reshape_and_cache")
        rec.kernel(kernel)
    call = _one(rec)
    assert call.backend == backend
    assert (call.batch, call.heads, call.kv_heads, call.q_len) == (None, 8, 2, 40)
    assert (call.kv_len, call.flops, call.fused_hbm_bytes) == (None, None, None)
    assert _ops(call) == {"fused": 1, "other": 1}


@pytest.mark.parametrize("op", ["sgl_kernel::attention", "flashinfer::batch_prefill_paged"])
def test_flashinfer_takes_its_parts_together(op: str) -> None:
    rec = Recorder()
    with rec.op(op, [40, 8, 64]):
        rec.kernel("void flashinfer::BatchPrefillWithPagedKVCacheKernel<1>(int)")
        rec.kernel("void flashinfer::PersistentVariableLengthMergeStatesKernel<8u, 16u>(float*)")
    call = _one(rec)
    assert (call.backend, call.q_len, _ops(call)) == ("flashinfer", None, {"fused": 2})


def test_flex_attention_is_known_by_its_template() -> None:
    rec = Recorder()
    name = "triton_tem_fused_flex_attention_0"
    rec.leaf(name, *[[2, 4, 16, 8]] * 3, [2, 4, 16], kernel=name)
    call = _one(rec)
    assert (call.backend, call.causal, call.batch, call.q_len) == ("flex", None, 2, 16)


def test_an_unknown_op_is_found_by_its_kernel() -> None:
    rec = Recorder()
    rec.leaf("mine::attend", [2, 4, 16, 8], kernel=FLASH)
    call = _one(rec)
    assert (call.backend, call.causal, call.dtype, call.q_len) == ("flash", True, "bf16", None)
    assert call.cpu_ns is not None
    assert call.op is not None
    assert "kernel flash_fwd_kernel" in call.evidence


def test_paged_attention_has_its_query_behind_its_outputs() -> None:
    rec = Recorder()
    cache = [[100, 2, 16, 16, 8], [100, 2, 128, 16]]
    rec.leaf(
        "_C::paged_attention_v1",
        *[[4, 8, 128]] * 2,
        *cache,
        kernel="void vllm::paged_attention_v1_kernel<__nv_bfloat16, x>()",
    )
    call = _one(rec)
    assert (call.backend, call.q_len, call.heads, call.kv_heads) == ("paged", 4, 8, None)
    assert (call.batch, call.head_dim, call.causal) == (None, 128, None)


def test_with_kernels_alone_helpers_join_their_call() -> None:
    rec = Recorder()
    for name in (
        FLASH,
        "attn_fwd",
        "bwd_preprocess",
        "bwd_kernel_dk_dv",
        "bwd_kernel_dq",
        "bwd_preprocess",
        "bwd_kernel_dk_dv",
        "bwd_kernel_dq",
        GEMM,
    ):
        rec.kernel(name, launched=False)
    calls = find_attention(rec.trace())
    assert [(c.backend, c.direction, c.gpu_ops) for c in calls] == [
        ("flash", "forward", 1),
        ("triton", "forward", 1),
        ("triton", "backward", 3),
        ("triton", "backward", 3),
    ]
    assert {(call.op, call.start, call.cpu_ns) for call in calls} == {(None, None, None)}


def test_with_kernels_alone_products_round_a_softmax_are_naive() -> None:
    rec = Recorder()
    for name in (GEMM, MUL, SOFTMAX, GEMM):
        rec.kernel(name, launched=False)
    call = _one(rec)
    assert (call.backend, call.op, call.batch, call.flops) == ("naive", None, None, None)
    assert _ops(call) == {"qk": 1, "scale": 1, "softmax": 1, "av": 1}


def test_a_copy_from_the_host_parts_two_networks() -> None:
    rec = Recorder()
    for _ in range(2):
        rec.kernel(GEMM, launched=False)
        rec.kernel(SOFTMAX, launched=False)
        rec.kernel("Memcpy HtoD (Pinned -> Device)", category="gpu_memcpy", launched=False, bytes=8)
    assert find_attention(rec.trace()) == ()


def test_kernels_left_over_from_before_the_trace_are_no_calls() -> None:
    rec = Recorder()
    rec.kernel(FLASH, launched=False)
    sdpa(rec)
    assert len(find_attention(rec.trace())) == 1


def test_within_keeps_the_calls_of_a_scope() -> None:
    rec = Recorder()
    sdpa(rec)
    naive(rec)
    trace = rec.trace()
    calls = find_attention(trace)
    last = calls[1].gpu_rows[-1:]
    assert [call.backend for call in within(calls, last)] == ["naive"]
    assert [call.backend for call in find_attention(trace, last)] == ["naive"]
    assert within(calls, np.zeros(0, np.int64)) == ()
