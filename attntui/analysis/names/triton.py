"""Inductor's Triton kernels, whose names list the ops they fused, and other Triton kernels."""

from __future__ import annotations

import re

from attntui.analysis.attention_ops import Backend
from attntui.analysis.names.cpp import Signature
from attntui.analysis.names.model import KernelName, joined, named
from attntui.analysis.names.words import UNTOLD_FUSION, Library, Operation

# PyTorch 2.0 writes no sort of kernel.
_INDUCTOR = re.compile(r"triton_(?:(poi|per|red|tem|for|mix|spl)_)?fused_?")
# Inductor writes no ops either where kernel names need not be unique, as PyTorch 2.0 and 2.1 do.
_NAMELESS = re.compile(r"triton_[0-9]*")
_KINDS = {
    "poi": "fused pointwise",
    "per": "fused reduction",
    "red": "fused reduction",
    "spl": "fused scan",
    "tem": "fused template",
    "for": "fused foreach",
    "mix": "fused reduction",
}

# Triton 2 appended how each argument was specialised: `_attn_fwd_0d1d2d34d5de6c`.
_SPECIALISED = re.compile(r"_0(?:de?|c)?1[0-9dec]*$")

# Names of ops that hold underscores: the kernel name joins ops by the same sign. Names of
# ATen's native functions and Inductor's prims that Inductor writes into kernel names.
_COMPOUND_NAMES = """
_softmax _log_softmax _safe_softmax _to_copy _unsafe_view _unsafe_index _unsafe_index_put
_softmax_backward_data _log_softmax_backward_data _native_batch_norm_legit
_native_batch_norm_legit_functional _scaled_dot_product_flash_attention
_scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention _scaled_mm _int_mm
_fused_rms_norm _fused_rms_norm_backward _foreach_add _foreach_mul _adaptive_avg_pool2d
_embedding_bag _assert_async _grouped_mm _scaled_grouped_mm _reshape_alias _local_scalar_dense
masked_fill masked_scatter native_layer_norm native_layer_norm_backward native_group_norm
native_group_norm_backward native_batch_norm native_batch_norm_backward native_dropout
native_dropout_backward layer_norm group_norm batch_norm rms_norm constant_pad_nd
flex_attention flex_attention_backward flex_decoding scaled_dot_product_attention
prepare_softmax_online bitwise_and bitwise_not bitwise_or bitwise_xor
bitwise_left_shift bitwise_right_shift logical_and logical_or logical_not logical_xor
gelu_backward silu_backward sigmoid_backward tanh_backward threshold_backward
softplus_backward hardtanh_backward leaky_relu leaky_relu_backward log_softmax
embedding_dense_backward index_select index_put index_add index_copy index_fill
slice_scatter select_scatter scatter_add scatter_reduce as_strided as_strided_scatter
clamp_min clamp_max nll_loss nll_loss_forward nll_loss_backward cross_entropy mse_loss
mse_loss_backward smooth_l1_loss binary_cross_entropy binary_cross_entropy_with_logits
max_pool2d_with_indices max_pool2d_with_indices_backward avg_pool2d_backward
convolution_backward floor_divide true_divide new_zeros new_ones new_full new_empty
new_empty_strided empty_strided zeros_like ones_like full_like empty_like rand_like randn_like
scalar_tensor repeat_interleave var_mean std_mean log_sigmoid_forward convert_element_type
device_put inductor_lookup_seed inductor_random inductor_randint split_with_sizes nan_to_num
lift_fresh_copy linalg_vector_norm moe_forward unified_attention fused_add_rms_norm
rotary_embedding
"""
_COMPOUND = frozenset(_COMPOUND_NAMES.split())
_LONGEST = max(name.count("_") + 1 for name in _COMPOUND)

# Triton kernels of other packages, known by name alone: (library, operation).
_PLAIN = {
    "_topk_forward": (Library.TRITON, "topk"),
    "_sum_bitmatrix_rows": (Library.TRITON, "moe routing"),
    "_combined_routing_compute": (Library.TRITON, "moe routing"),
    "_combined_routing_memset": (Library.TRITON, "moe routing"),
    "_finalize_matmul_scatter_bf16": (Library.TRITON, "moe finalize"),
    "_copy_page_indices_kernel": ("vLLM", Operation.COPY),
    "create_flashinfer_kv_indices_triton": ("SGLang", "kv indices"),
    "create_flashmla_kv_indices_triton": ("SGLang", "kv indices"),
    "compute_position_kernel": ("SGLang", "positions"),
    "get_num_kv_splits_triton": ("SGLang", "kv splits"),
    "write_req_to_token_pool_triton": ("SGLang", "token table"),
    "assign_req_to_token_pool": ("SGLang", "token table"),
}
_OGS = re.compile(r"_matmul_ogs_([NT]{3})_(\w+?)_(\d+x\d+x\d+)x\d+")
_OGS_TYPE = re.compile(r"mxfp[48]|bf16|fp16|fp8|fp32")
_OGS_TYPES = {"fp8": "fp8_e4m3", "mxfp4": "fp4", "mxfp8": "fp8_e4m3"}


def unspecialised(text: str) -> str:
    """A Triton function's name without what Triton 2 appended of its arguments."""
    return _SPECIALISED.sub("", text)


def fused_ops(joined_names: str) -> tuple[str, ...]:
    """Split op names that were joined by underscores, the longest known name first.

    A word that is in no known name is an op of its own, so a new op costs a split too many
    at worst.
    """
    words = joined_names.split("_")
    ops: list[str] = []
    index = 0
    while index < len(words):
        if not words[index] and index + 1 == len(words):
            break
        for length in range(min(_LONGEST, len(words) - index), 0, -1):
            candidate = "_".join(words[index : index + length])
            if candidate in _COMPOUND:
                break
        else:
            # An empty word is the leading underscore of the next one.
            length = 1 if words[index] else 2
            candidate = "_".join(words[index : index + length])
        ops.append(candidate)
        index += length
    return tuple(dict.fromkeys(op for op in ops if op))


def triton_kernel(text: str, _sig: Signature) -> KernelName | None:
    """A Triton kernel's name, or None for another."""
    bare = unspecialised(text)
    found = _INDUCTOR.match(bare)
    if found:
        body, _, number = bare[found.end() :].rpartition("_")
        if not number.isdecimal():
            body = bare[found.end() :]
        ops = fused_ops(body)
        sort = found[1] or UNTOLD_FUSION
        operation, backend = _KINDS.get(sort, sort), None
        if found[1] == "tem":
            if any(op.startswith("flex_") for op in ops):
                backward = any(op.endswith("backward") for op in ops)
                operation = (
                    Operation.ATTENTION_BACKWARD if backward else Operation.ATTENTION_FORWARD
                )
                backend = Backend.FLEX
            elif any(op in ("mm", "addmm", "bmm", "baddbmm", "_scaled_mm") for op in ops):
                operation = Operation.GEMM
        return named(
            joined(f"triton_{sort}", "+".join(op.lstrip("_") for op in ops)),
            Library.TRITON,
            operation,
            {"library": found[0].removesuffix("_"), "operation": sort, "fused_ops": body},
            fused_ops=ops,
            backend=backend,
        )
    plain = _PLAIN.get(bare)
    if plain:
        return named(bare, *plain, {"library": bare, "operation": bare})
    product = _OGS.match(text)
    if product:
        types = tuple(dict.fromkeys(_OGS_TYPES.get(t, t) for t in _OGS_TYPE.findall(product[2])))
        return named(
            joined("matmul_ogs", "x".join(types), product[3]),
            Library.TRITON,
            Operation.GEMM,
            {
                "library": "_matmul_ogs",
                "operation": "_matmul_ogs",
                "dtypes": product[2],
                "tile": product[3],
                "layout": product[1],
            },
            dtypes=types,
            tile=product[3],
            layout=product[1],
        )
    nameless = _NAMELESS.fullmatch(bare)
    if nameless:
        return named(text, Library.TRITON, UNTOLD_FUSION, {"library": bare, "operation": "triton_"})
    if text.startswith("triton_"):
        return named(text, Library.TRITON, None, {"library": "triton_"})
    return None
