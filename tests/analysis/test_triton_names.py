"""Triton kernels written by hand: attention and softmax by their names, and what is neither."""

from __future__ import annotations

import pytest

from attntui.analysis.kernel_names import decode
from attntui.analysis.names.triton_by_hand import ambiguous

_FORWARD, _BACKWARD = "attention forward", "attention backward"
_COMBINE, _PREPROCESS = "attention combine", "attention preprocess"


@pytest.mark.parametrize(
    ("name", "library", "operation"),
    [
        ("_attn_fwd", "Triton", _FORWARD),
        ("_attn_fwd_0d1d2d3d45de6de7c8d", "Triton", _FORWARD),
        ("attn_fwd", "Triton", _FORWARD),
        ("_attn_bwd", "Triton", _BACKWARD),
        ("_attn_bwd_dkdv", "Triton", _BACKWARD),
        ("_attn_bwd_preprocess", "Triton", _PREPROCESS),
        ("attention_kernel", "Triton", _FORWARD),
        ("flash_attention_kernel_0", "Triton", _FORWARD),
        ("sliding_window_attention_fwd", "Triton", _FORWARD),
        ("fused_attention_forward", "Triton", _FORWARD),
        ("fused_attention_backward_delta", "Triton", _PREPROCESS),
        ("fused_attention_backward_kv", "Triton", _BACKWARD),
        ("fused_attention_backward_q", "Triton", _BACKWARD),
        ("parallel_attn_fwd_kernel", "Triton", _FORWARD),
        ("parallel_attn_bwd_kernel_dkv", "Triton", _BACKWARD),
        ("kernel_unified_attention_2d", "vLLM", _FORWARD),
        ("kernel_unified_attention_3d", "vLLM", _FORWARD),
        ("kernel_paged_attention_2d", "vLLM", _FORWARD),
        ("reduce_segments", "vLLM", _COMBINE),
        ("merge_attn_states_kernel", "vLLM", _COMBINE),
        ("_fwd_grouped_kernel_stage1", "Triton", _FORWARD),
        ("_fwd_kernel_stage2", "Triton", _COMBINE),
        ("scaled_masked_softmax", "Triton", "softmax"),
        ("softmax_kernel", "Triton", "softmax"),
        ("scaled_masked_softmax_backward", "Triton", "softmax backward"),
        ("_softmax_bwd_kernel", "Triton", "softmax backward"),
    ],
)
def test_names_that_say_what_the_kernel_does(name: str, library: str, operation: str) -> None:
    found = decode(name)
    assert (found.library, found.operation) == (library, operation)
    assert found.because("operation") is not None
    assert found.tensor_cores is None


@pytest.mark.parametrize(
    "name",
    [
        "attention",  # a thing, not something done
        "attention_mask_kernel",
        "build_attn_bias_kernel",
        "attention_scores_kernel",  # one product of the two
        "linear_attention_fwd_kernel",  # no softmax
        "fused_recurrent_linear_attn_fwd",
        "attn_output_gate_kernel",
        "qkv_rope_attn_kernel",
        "reshape_and_cache_attention_kernel",
        "attention_metadata_kernel",
        "attentional_pooling_kernel",
        "log_softmax_kernel",
        "softmax_cross_entropy_kernel",
        "topk_softmax_kernel",
        "softmaxless_kernel",
        "attn_softmax_kernel(float*)",  # no plain name: compiled from C++
        "attention_kernel(float*)",
        "_fwd_kernel",
        "_bwd_kernel",
        "my_kernel",
    ],
)
def test_names_that_do_not_say_it_stay_unknown(name: str) -> None:
    assert (decode(name).library, decode(name).operation) == (None, None)


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("_fwd_kernel", _FORWARD),
        ("_fwd_kernel_0d1d2d3d", _FORWARD),
        ("_bwd_kernel", _BACKWARD),
        ("_bwd_preprocess", _PREPROCESS),
        ("_attn_fwd", None),
        ("_layer_norm_fwd_fused", None),
    ],
)
def test_names_that_need_other_evidence(name: str, operation: str | None) -> None:
    assert ambiguous(name) == operation
