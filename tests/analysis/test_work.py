"""Work from shapes: by hand, against Nsight Compute, against published FLOPs, and hostile input."""

from __future__ import annotations

import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import CORPUS, SAMPLES, name_of, where_real
from hypothesis import given, settings
from hypothesis import strategies as st

from attntui.analysis.devices import peaks
from attntui.analysis.kernel_names import decode
from attntui.analysis.roofline import Bound, bound
from attntui.analysis.work.model import Arguments, integers
from attntui.analysis.work.of_kernels import (
    Work,
    attention_flops,
    fused_attention_bytes,
    kernel_dtype,
    kernel_work,
    op_work,
    transfer_work,
)
from attntui.trace.model import OpInputs

MEASURED = Path(__file__).parent / "measured_h200.csv"
"""Bytes that each kernel of the samples moved, by Nsight Compute on an H200."""

BF16, FP32 = "c10::BFloat16", "float"


def _frozen(value: Any) -> Any:
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value


def given_inputs(
    *arguments: tuple[Any, str],
    strides: dict[int, list[int]] | None = None,
    concrete: dict[int, str] | None = None,
) -> OpInputs:
    """Inputs from (dims, type) pairs, with strides and concrete scalars by position."""
    dims = [dims for dims, _ in arguments]
    told = [(strides or {}).get(at, []) for at in range(len(arguments))]
    scalars = [(concrete or {}).get(at, "") for at in range(len(arguments))]
    return OpInputs(
        _frozen(dims), tuple(kind for _, kind in arguments), _frozen(told), tuple(scalars)
    )


SCORES = [8, 16, 1024, 1024]
MASK = [1024, 1024]
N = 8 * 16 * 1024 * 1024
HEADS = [8, 16, 1024, 64]
Q = 8 * 16 * 1024 * 64

Expected = tuple[int | None, int | None, int | None]
BY_HAND: list[tuple[str, OpInputs, Expected]] = [
    (
        "aten::mm",
        given_inputs(([4, 8], BF16), ([8, 6], BF16)),
        (2 * 4 * 8 * 6, 2 * (32 + 48), 2 * 24),
    ),
    # The third tensor is `out=`: written, not read.
    (
        "aten::mm",
        given_inputs(([4, 8], BF16), ([8, 6], BF16), ([4, 6], BF16)),
        (384, 160, 48),
    ),
    (
        "aten::bmm",
        given_inputs(([3, 4, 8], FP32), ([3, 8, 6], FP32)),
        (3 * 384, 3 * 4 * 80, 3 * 4 * 24),
    ),
    # An expanded operand (stride 0) is one element in memory.
    (
        "aten::bmm",
        given_inputs(([3, 4, 8], FP32), ([3, 8, 6], FP32), strides={0: [0, 0, 0], 1: [48, 6, 1]}),
        (3 * 384, 4 + 3 * 4 * 48, 3 * 4 * 24),
    ),
    (
        "aten::addmm",
        given_inputs(([6], BF16), ([4, 8], BF16), ([8, 6], BF16), ([], "Scalar"), ([], "Scalar"),
                     concrete={3: "1", 4: "1"}),
        (384, 2 * (6 + 32 + 48), 48),
    ),
    (
        "aten::addmm",
        given_inputs(([6], BF16), ([4, 8], BF16), ([8, 6], BF16), ([], "Scalar"), ([], "Scalar"),
                     concrete={3: "0", 4: "1"}),
        (384, 2 * (32 + 48), 48),
    ),
    (
        "aten::baddbmm",
        given_inputs(([2, 1, 6], FP32), ([2, 4, 8], FP32), ([2, 8, 6], FP32)),
        (2 * 384, 4 * 2 * (6 + 32 + 48), 4 * 48),
    ),
    (
        "aten::linear",
        given_inputs(([2, 4, 8], BF16), ([6, 8], BF16), ([6], BF16)),
        (2 * 384, 2 * (64 + 48 + 6), 2 * 48),
    ),
    (
        "aten::matmul",
        given_inputs(([2, 1, 4, 8], FP32), ([3, 8, 6], FP32)),
        (6 * 384, 4 * (64 + 144), 4 * 6 * 24),
    ),
    ("aten::matmul", given_inputs(([8], FP32), ([8], FP32)), (16, 64, 4)),
    ("aten::mv", given_inputs(([4, 8], FP32), ([8], FP32)), (64, 160, 16)),
    (
        "aten::_scaled_mm",
        given_inputs(
            ([4, 8], "c10::Float8_e4m3fn"), ([8, 6], "c10::Float8_e4m3fn"), ([], FP32),
            ([], FP32), ([], ""), ([], ""), ([], "Scalar"), concrete={6: "15"},
        ),
        (384, 32 + 48, 2 * 24),
    ),
    (
        "aten::convolution",
        given_inputs(
            ([4, 3, 224, 224], BF16), ([768, 3, 16, 16], BF16), ([768], BF16),
            *[([], "ScalarList")] * 3, ([], "Scalar"), ([], "ScalarList"), ([], "Scalar"),
            concrete={3: "[16, 16]", 4: "[0, 0]", 5: "[1, 1]", 6: "False", 7: "[0, 0]", 8: "1"},
        ),
        (
            2 * 4 * 768 * 14 * 14 * 3 * 256,
            2 * (4 * 3 * 224 * 224 + 768 * 3 * 256 + 768),
            2 * 4 * 768 * 14 * 14,
        ),
    ),
    (
        "aten::convolution",
        given_inputs(
            ([1, 8, 10], FP32), ([8, 2, 4], FP32), ([], ""),
            *[([], "ScalarList")] * 3, ([], "Scalar"), ([], "ScalarList"), ([], "Scalar"),
            concrete={3: "[2]", 4: "[1]", 5: "[1]", 6: "True", 7: "[0]", 8: "2"},
        ),
        # Transposed: (10 - 1) x 2 - 2 + 3 + 1 = 20 positions, 4 channels out.
        (2 * 8 * 10 * 2 * 4, 4 * (80 + 64), 4 * 4 * 20),
    ),
    (
        "aten::convolution_backward",
        given_inputs(
            ([2, 6, 8, 8], FP32), ([2, 4, 8, 8], FP32), ([6, 4, 3, 3], FP32),
            *[([], "ScalarList")] * 4, ([], "Scalar"), ([], "ScalarList"), ([], "Scalar"),
            ([], "ScalarList"), concrete={7: "False", 10: "[True, True, True]"},
        ),
        (
            2 * 2 * 2 * 6 * 64 * 4 * 9,
            4 * (768 + 216 + 512),
            4 * (512 + 216 + 6),
        ),
    ),
    ("aten::mul", given_inputs((SCORES, BF16), ([], "double")), (N, 2 * N, 2 * N)),
    ("aten::mul", given_inputs(([4], "int"), ([], "double")), (4, 16, 16)),
    ("aten::add", given_inputs(([4, 1], BF16), ([1, 6], FP32)), (24, 8 + 24, 96)),
    ("aten::add_", given_inputs((SCORES, FP32), (MASK, FP32), ([], "Scalar")),
     (N, 4 * (N + 2**20), 4 * N)),
    ("aten::le", given_inputs(([4, 4], FP32), ([4], FP32)), (16, 80, 16)),
    ("aten::isneginf", given_inputs((SCORES, FP32)), (N, 4 * N, N)),
    ("aten::div", given_inputs(([8], "long int"), ([], "Scalar")), (8, 64, 32)),
    ("aten::addcmul_", given_inputs(*[([8], FP32)] * 3), (8, 96, 32)),
    ("aten::gelu", given_inputs(([8, 8], BF16), ([], "")), (64, 128, 128)),
    (
        "aten::where",
        given_inputs(([8, 16, 1024, 1], "bool"), ([], FP32), (SCORES, FP32)),
        (N, 8 * 16 * 1024 + 4 * N, 4 * N),
    ),
    ("aten::masked_fill_", given_inputs((SCORES, BF16), (MASK, "bool"), ([], "Scalar")),
     (N, 2 * N + 2**20, 2 * N)),
    ("aten::masked_fill", given_inputs((MASK, BF16), (SCORES, "bool"), ([], "Scalar")),
     (N, 2 * 2**20 + N, 2 * N)),
    ("aten::native_dropout", given_inputs(([8], FP32)), (8, 32, 40)),
    ("aten::_softmax", given_inputs((SCORES, BF16), ([], "Scalar"), ([], "Scalar"),
                                    concrete={1: "-1", 2: "False"}), (5 * N, 2 * N, 2 * N)),
    ("aten::_softmax", given_inputs((SCORES, BF16), ([], "Scalar"), ([], "Scalar"),
                                    concrete={1: "-1", 2: "True"}), (5 * N, 2 * N, 4 * N)),
    ("aten::_softmax_backward_data",
     given_inputs((SCORES, BF16), (SCORES, BF16), ([], "Scalar"), ([], "Scalar"),
                  concrete={2: "-1", 3: "15"}), (4 * N, 4 * N, 2 * N)),
    ("aten::sum", given_inputs(([4, 6], BF16), ([], "")), (24, 48, 2)),
    ("aten::sum", given_inputs(([4, 6], "bool"), ([], "")), (24, 24, 8)),
    ("aten::sum", given_inputs(([4, 6], FP32), ([], "ScalarList"), ([], "Scalar"),
                               concrete={1: "[0]"}), (24, 96, 24)),
    ("aten::all", given_inputs((SCORES, "bool"), ([], "Scalar"), ([], "Scalar"),
                               concrete={1: "-1", 2: "True"}), (N, N, 8 * 16 * 1024)),
    ("aten::max", given_inputs(([4, 6], FP32), ([], "Scalar"), ([], "Scalar"),
                               concrete={1: "1"}), (24, 96, 4 * 12)),
    ("aten::max", given_inputs(([4, 6], FP32), ([6], FP32)), (24, 120, 96)),
    ("aten::max", given_inputs(([4, 6], FP32)), (24, 96, 4)),
    ("aten::linalg_vector_norm",
     given_inputs(([4, 6], FP32), ([], "Scalar"), ([], ""), ([], "Scalar"), ([], "")), (24, 96, 4)),
    ("aten::native_layer_norm",
     given_inputs(([10, 8], BF16), ([], "ScalarList"), ([8], BF16), ([8], BF16), ([], "Scalar"),
                  concrete={1: "[8]"}), (8 * 80, 2 * 96, 2 * 80 + 8 * 10)),
    ("aten::native_layer_norm_backward",
     given_inputs(([10, 8], FP32), ([10, 8], FP32), ([], "ScalarList"), ([10, 1], FP32),
                  ([10, 1], FP32), ([8], FP32), ([8], FP32), ([], "")),
     (16 * 80, 4 * (160 + 20 + 8), 4 * (80 + 16))),
    ("_C::rms_norm", given_inputs(([10, 8], BF16), ([10, 8], BF16), ([8], BF16), ([], "Scalar")),
     (4 * 80, 2 * 88, 160)),
    ("_C::fused_add_rms_norm",
     given_inputs(([10, 8], BF16), ([10, 8], BF16), ([8], BF16), ([], "Scalar")),
     (5 * 80, 2 * 168, 320)),
    ("aten::copy_", given_inputs((HEADS, FP32), (HEADS, BF16), ([], "Scalar")), (0, 2 * Q, 4 * Q)),
    # The gradient of a sum: one element, copied out in full.
    ("aten::clone", given_inputs(([128, 8], BF16), ([], "Scalar"), strides={0: [0, 0]}),
     (0, 2, 2048)),
    ("aten::_to_copy", given_inputs((HEADS, BF16), ([], "Scalar"), concrete={1: "6"}),
     (0, 2 * Q, 4 * Q)),
    ("aten::fill_", given_inputs((MASK, "bool"), ([], "Scalar")), (0, 0, 2**20)),
    ("aten::fill_", given_inputs(([], FP32), ([], "Scalar")), (0, 0, 4)),
    ("aten::triu", given_inputs((MASK, "bool"), ([], "Scalar")), (0, 2**20, 2**20)),
    ("aten::transpose", given_inputs((HEADS, BF16), ([], "Scalar"), ([], "Scalar")), (0, 0, 0)),
    ("aten::embedding", given_inputs(([100, 16], BF16), ([4, 5], "long int")),
     (0, 160 + 20 * 32, 20 * 32)),
    ("aten::embedding_dense_backward",
     given_inputs(([4, 5, 16], FP32), ([4, 5], "long int"), ([], "Scalar"), concrete={2: "100"}),
     (320, 1280 + 160, 6400)),
    ("aten::index_select",
     given_inputs(([100, 16], BF16), ([], "Scalar"), ([7], "long int"), concrete={1: "0"}),
     (0, 7 * 32 + 56, 7 * 32)),
    ("aten::gather",
     given_inputs(([100, 16], FP32), ([], "Scalar"), ([3, 16], "long int"), concrete={1: "0"}),
     (0, 48 * 12, 48 * 4)),
    ("aten::scatter_add_",
     given_inputs(([50], FP32), ([], "Scalar"), ([20], "long"), ([20], FP32)),
     (20, 160 + 80 + 80, 80)),
    ("_C::static_scaled_fp8_quant",
     given_inputs(([8, 4], "c10::Float8_e4m3fn"), ([8, 4], BF16), ([], FP32)), (0, 64, 32)),
    ("_C_cache_ops::reshape_and_cache_flash",
     given_inputs(([8, 1, 64], BF16), ([8, 1, 64], BF16), ([99, 16, 1, 64], "unsigned char"),
                  ([99, 16, 1, 64], "unsigned char")), (0, 2048, 1024)),
    ("_C::rotary_embedding",
     given_inputs(([8], "long int"), ([8, 512], BF16), ([8, 64], BF16), ([], "Scalar"),
                  ([1000, 64], BF16), ([], "Scalar")),
     (3 * 8 * 576, 2 * 8 * 576 + 8 * 128 + 64, 2 * 8 * 576)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    BY_HAND,
    ids=[f"{at}-{case[0]}" for at, case in enumerate(BY_HAND)],
)
def test_by_hand(name: str, inputs: OpInputs, expected: Expected) -> None:
    work = op_work(name, inputs)
    assert (work.flops, work.read, work.written) == expected
    assert work.bytes == (work.read or 0) + (work.written or 0)


@pytest.mark.parametrize(
    ("name", "inputs", "note"),
    [
        ("aten::mm", OpInputs((), (), (), ()), "not recorded"),
        ("aten::mm", given_inputs(([4, 8], BF16), ([9, 6], BF16)), "do not fit"),
        ("aten::add", given_inputs(([4], BF16), ([5], BF16)), "broadcast"),
        ("aten::cat", given_inputs(([[4], [5]], "TensorList"), ([], "Scalar")), "element type"),
        ("aten::mystery", given_inputs(([4], BF16)), "no rule"),
        (
            "vllm::unified_attention_with_output",
            given_inputs(([888, 8, 64], BF16), ([888, 1, 64], BF16), ([888, 1, 64], BF16)),
            "context lengths",
        ),
        (
            "aten::_flash_attention_forward",
            given_inputs(*[([888, 8, 64], BF16)] * 3, ([9], "int"), ([9], "int")),
            "several lengths",
        ),
        ("aten::conv2d", given_inputs(([1, 3, 8, 8], FP32), ([4, 3, 3, 3], FP32)), "stride"),
    ],
)
def test_what_is_not_told_is_none_and_says_why(name: str, inputs: OpInputs, note: str) -> None:
    work = op_work(name, inputs)
    assert (work.flops, work.bytes) == (None, None)
    assert note in work.note


def test_a_reduction_without_its_axes_knows_what_it_read() -> None:
    work = op_work("aten::mean", OpInputs(((4, 6), ()), ("float", "ScalarList"), ((), ()), ()))
    assert (work.flops, work.read, work.written, work.bytes) == (24, 96, None, None)
    assert work.note


# Attention ------------------------------------------------------------------------------------


def _sdpa(causal: str, shape: list[int]) -> OpInputs:
    return given_inputs(
        *[(shape, BF16)] * 3, ([], ""), ([], "Scalar"), ([], "Scalar"), ([], ""), ([], "Scalar"),
        concrete={4: "0.", 5: causal, 7: "False"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("causal", "shape", "flops"),
    [
        # As TraceLens publishes them.
        ("False", [4, 12, 197, 64], 476_884_992),
        ("True", [16, 16, 559, 64], 10_239_377_408),
    ],
)
def test_attention_flops_as_published(causal: str, shape: list[int], flops: int) -> None:
    work = op_work("aten::scaled_dot_product_attention", _sdpa(causal, shape))
    assert work.flops == flops
    assert ("causal: half" in work.note) is (causal == "True")


def test_attention_without_concrete_inputs_counts_in_full_and_says_so() -> None:
    inputs = OpInputs(((8, 16, 1024, 64),) * 3, (BF16,) * 3, ((),) * 3, ())
    work = op_work("aten::scaled_dot_product_attention", inputs)
    assert work.flops == 4 * 8 * 16 * 1024 * 1024 * 64
    assert "not recorded" in work.note


def test_the_math_backend_computes_every_score() -> None:
    work = op_work(
        "aten::_scaled_dot_product_attention_math",
        given_inputs(
            *[(HEADS, BF16)] * 3,
            ([], ""),
            ([], "Scalar"),
            ([], "Scalar"),
            concrete={4: "0.", 5: "True"},
        ),
    )
    assert work.flops == 4 * 8 * 16 * 1024 * 1024 * 64
    assert "every score" in work.note


def test_grouped_queries_and_another_width_of_values() -> None:
    inputs = given_inputs(([2, 8, 10, 64], BF16), ([2, 2, 20, 64], BF16), ([2, 2, 20, 32], BF16))
    work = op_work("aten::scaled_dot_product_attention", inputs)
    assert work.flops == 2 * 2 * 8 * 10 * 20 * (64 + 32)
    assert work.read == 2 * (2 * 8 * 10 * 64 + 2 * 2 * 20 * (64 + 32))
    assert work.written == 2 * 2 * 8 * 10 * 32


def test_backward_is_five_products_and_reads_what_the_forward_saved() -> None:
    inputs = given_inputs(
        *[(HEADS, BF16)] * 5, ([8, 16, 1024, 1], FP32), *[([], "long int")] * 2,
        *[([], "")] * 3, *[([], "Scalar")] * 4, ([], ""),
        concrete={11: "1024", 12: "1024", 13: "0.", 14: "True"},
    )  # fmt: skip
    work = op_work("aten::_cudnn_attention_backward", inputs)
    assert work.flops == 10 * 8 * 16 * 1024 * 1024 * 64 // 2
    assert work.read == 5 * 2 * Q + 4 * 8 * 16 * 1024
    assert work.written == 3 * 2 * Q


def test_fused_bytes_are_those_of_the_op() -> None:
    work = op_work("aten::scaled_dot_product_attention", _sdpa("True", HEADS))
    assert work.bytes == fused_attention_bytes(8, 16, 16, 1024, 1024, 64, 2)
    assert work.flops == attention_flops(8, 16, 1024, 1024, 64, causal=True)


# Triton ---------------------------------------------------------------------------------------


def test_triton_counts_each_pointer_once() -> None:
    inputs = given_inputs(
        ([10, 10], FP32), ([10, 10], FP32), ([10, 10], FP32), ([], "Scalar"), concrete={3: "100"}
    )
    work = op_work("triton_poi_fused_add_cos_sin_0", inputs)
    assert (work.flops, work.read, work.written) == (None, 800, 400)


def test_triton_whose_last_pointer_is_too_small_to_be_the_output_overwrites_the_first() -> None:
    inputs = given_inputs(
        (SCORES, BF16), (MASK, "bool"), ([], "Scalar"), ([], "Scalar"),
        concrete={2: "131072", 3: "1024"},
    )  # fmt: skip
    work = op_work("triton_per_fused__softmax_masked_fill_mul_0", inputs)
    assert (work.read, work.written) == (2 * N + 2**20, 2 * N)
    assert "in place" in work.note


# Kernels, transfers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "copied", "expected"),
    [
        ("Memcpy DtoD (Device -> Device)", 100, (0, 100, 100)),
        ("Memcpy HtoD (Pinned -> Device)", 100, (0, 0, 100)),
        ("Memcpy DtoH (Device -> Pageable)", 100, (0, 100, 0)),
        ("Memset (Device)", 4, (0, 0, 4)),
        ("Memset (Device)", None, (None, None, None)),
        ("Memset (Device)", -1, (None, None, None)),
    ],
)
def test_transfers_carry_their_own_bytes(name: str, copied: int | None, expected: Expected) -> None:
    work = transfer_work(name, copied)
    assert (work.flops, work.read, work.written) == expected


def test_a_copy_under_an_op_is_the_copy() -> None:
    inputs = given_inputs(([4, 8], BF16), ([8, 6], BF16))
    memset = kernel_work(decode("Memset (Device)"), "aten::mm", inputs, 4)
    assert (memset.flops, memset.bytes) == (0, 4)


def test_helpers_leave_the_work_to_the_main_kernel() -> None:
    inputs = given_inputs(([4, 8], BF16), ([8, 6], BF16))
    main = kernel_work(decode("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_TNT"), "aten::mm", inputs)
    helper = kernel_work(
        decode("void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16>(float*)"),
        "aten::mm",
        inputs,
    )
    assert main.flops == 384
    assert helper.flops is None
    assert "main kernel" in helper.note


COPYING = (
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<at::native::"
    "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(c10::BFloat16)#1}>(int)>(int)"
)
FILLING = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
    "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)"
)


@pytest.mark.parametrize("name", [COPYING, FILLING])
def test_a_copy_or_fill_beside_a_product_has_none_of_its_work(name: str) -> None:
    """It spreads the bias or clears the output, which may take longer than the product."""
    product = given_inputs(([6], BF16), ([4, 8], BF16), ([8, 6], BF16))
    beside = kernel_work(decode(name), "aten::addmm", product)
    assert (beside.flops, beside.bytes) == (None, None)
    assert "main kernel" in beside.note
    # Where the op computes nothing, the copy or fill is its work.
    own = kernel_work(decode(name), "aten::copy_", given_inputs(([4, 8], BF16), ([4, 8], BF16)))
    assert (own.flops, own.read, own.written) == (0, 64, 64)


def test_a_concatenation_takes_the_size_of_an_element_from_its_kernel() -> None:
    inputs = given_inputs(([[4, 8], [2, 8]], "TensorList"), ([], "Scalar"), concrete={1: "0"})
    opaque = decode(
        "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::"
        "(anonymous namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64>(int)"
    )
    plain = decode("void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, int>(int)")
    assert kernel_work(opaque, "aten::cat", inputs).bytes == 2 * 2 * 48
    assert kernel_work(plain, "aten::cat", inputs).bytes == 2 * 4 * 48
    assert kernel_work(decode("triton_x"), "aten::cat", inputs).bytes is None


@pytest.mark.parametrize(
    ("kernel", "types", "expected"),
    [
        ("ampere_sgemm_128x64_nn", (BF16,), "fp32"),
        ("attn_fwd", (BF16, BF16), "bf16"),
        ("attn_fwd", ("Scalar", "long int"), "int64"),
        ("attn_fwd", (), None),
    ],
)
def test_data_type_of_a_kernel(kernel: str, types: tuple[str, ...], expected: str | None) -> None:
    inputs = OpInputs(((),) * len(types), types, (), ())
    assert kernel_dtype(decode(kernel), inputs) == expected
    assert kernel_dtype(decode("attn_fwd"), None) is None


_WEIGHED = [2, 4, 16, 32]


@pytest.mark.parametrize(
    ("kernel", "op", "arguments", "read", "written"),
    [
        ("scaled_masked_softmax", "_Softmax", [(_WEIGHED, BF16)], 8192, 8192),
        ("softmax_kernel", "mine::softmax", [(_WEIGHED, BF16), ([16, 32], "bool")], 8704, 8192),
        ("softmax_kernel", "_Softmax", [([], "Scalar"), (_WEIGHED, FP32)], 16384, 16384),
        # The weights that the forward saved are no input, and are read.
        ("softmax_backward_kernel", "_SoftmaxBackward", [(_WEIGHED, BF16)], 16384, 8192),
        # No word that the op does only this.
        ("softmax_kernel", "mine::route", [(_WEIGHED, BF16)], None, None),
        ("my_kernel", "_Softmax", [(_WEIGHED, BF16)], None, None),
        ("softmax_kernel", "_Softmax", [([], "Scalar")], None, None),
        ("attention_kernel", "_Fused", [([2, 4, 16, 8], BF16)] * 3, 6144, 2048),
        (
            "attention_kernel",
            "_Fused",
            [([2, 4, 16, 8], BF16), ([2, 2, 32, 8], BF16), ([2, 2, 32, 16], BF16)],
            2048 + 2048 + 4096,
            4096,
        ),
        ("attention_kernel", "_Fused", [([2, 4, 16, 8], BF16)] * 2, None, None),
        ("attention_kernel", "_Fused", [([16, 8], BF16)] * 3, None, None),
        ("attention_kernel", "_Fused", [([2, 4, 16, 8], "long int")] * 3, None, None),
        ("fused_attention_backward_q", "_FusedBackward", [([2, 4, 16, 8], BF16)], None, None),
    ],
)
def test_a_kernel_by_hand_tells_what_its_op_does(
    kernel: str, op: str, arguments: list[tuple[Any, str]], read: int | None, written: int | None
) -> None:
    work = kernel_work(decode(kernel), op, given_inputs(*arguments))
    assert (work.read, work.written) == (read, written)


def test_flops_of_a_kernel_by_hand_only_where_every_layout_gives_the_same() -> None:
    kernel = decode("attention_kernel")
    plain = kernel_work(kernel, "_Fused", given_inputs(*[([2, 16, 16, 8], BF16)] * 3))
    assert plain.flops == 4 * 2 * 16 * 16 * 16 * 8
    assert "in full" in plain.note
    assert kernel_work(kernel, "_Fused", given_inputs(*[([2, 4, 16, 8], BF16)] * 3)).flops is None


def test_a_kernel_without_an_op_has_no_work() -> None:
    assert kernel_work(decode("attn_fwd"), None, None).bytes is None


# Bound ----------------------------------------------------------------------------------------

H200 = peaks("NVIDIA H200")


def test_compute_bound() -> None:
    # 8192^3 in 1.39 ms: 791 TFLOP/s, 403 MB.
    flops, moved = 2 * 8192**3, 3 * 2 * 8192**2
    found = bound(flops, moved, 1_390_000, H200, "bf16", True)
    assert found.kind == "compute"
    assert found.tflops == pytest.approx(flops / 1.39e-3 / 1e12)
    assert found.gbps == pytest.approx(moved / 1.39e-3 / 1e9)
    assert found.share == pytest.approx(flops / 1.39e-3 / 989e12)
    assert found.intensity == pytest.approx(flops / moved)


def test_memory_bound_and_latency_bound() -> None:
    moved = 537_000_000
    softmax = bound(5 * N, moved, 283_200, H200, "bf16", False)
    assert softmax.kind == "memory"
    assert softmax.share == pytest.approx(moved / 283.2e-6 / 4800e9)
    assert bound(1000, 4096, 2_000, H200, "fp32", False).kind == "latency"


def test_fp32_off_the_tensor_cores_has_the_low_roof() -> None:
    # The math backend's fp32 product: 17.2 GFLOP in 543 us is 47 % of 67 TFLOP/s.
    found = bound(2 * N * 64, 604_000_000, 543_488, H200, "fp32", False)
    assert found.kind == "compute"
    assert found.share == pytest.approx(0.4718, rel=1e-3)


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        # With one roof unknown the other is named from half of it on: 4.8 TB/s, 989 TFLOP/s.
        (bound(None, 2_500_000, 1000, H200, "bf16", None), "memory"),
        (bound(None, 2_300_000, 1000, H200, "bf16", None), None),
        (bound(500_000_000, None, 1000, H200, "bf16", True), "compute"),
        (bound(490_000_000, None, 1000, H200, "bf16", True), None),
        (bound(None, None, 1000, H200, "bf16", True), None),
        (bound(490_000_000, 2_500_000, 1000, H200, "int8", True), "memory"),
        (bound(100, 100, 10, None, "bf16", True), None),
        (bound(100, 100, 0, H200, "bf16", True), None),
        (bound(100, 100, 10, H200, None, True), None),
        (bound(100, 100, 10, H200, "int8", True), None),
        # No FLOPs need no roof for them.
        (bound(0, 10**9, 10**6, H200, None, None), "memory"),
        (bound(0, 0, 10**6, H200, None, None), "latency"),
    ],
)
def test_a_kind_only_where_a_roof_tells_it(found: Bound, kind: str | None) -> None:
    assert found.kind == kind


# Against measurements -------------------------------------------------------------------------


def forwards(*names: tuple[str, str, str]) -> list[Any]:
    """Parameters (variant, file) for (variant, sample, trace of the corpus)."""
    return [
        pytest.param(variant, path, id=name_of(path))
        for variant, sample, beside in names
        for path in where_real([f"{sample}_b8_h16_s1024_d64_bf16_h200"], [f"h200/{beside}"])
    ]


def _launches(file: Path, annotation: str) -> list[tuple[str, str, OpInputs, int | None]]:
    """(GPU operation, innermost op that launched it, its inputs, bytes), one annotation's span.

    A straight reading of the file: no code shared with the loader.
    """
    with gzip.open(file, "rt") as stream:
        events = [e for e in json.load(stream)["traceEvents"] if e.get("ph") == "X"]
    gpu: dict[int, dict[str, Any]] = {}
    for event in events:
        if event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset"):
            gpu[event["args"]["correlation"]] = event
    span = next(
        e for e in events if e["cat"] == "user_annotation" and e["name"].startswith(annotation)
    )
    ops = [e for e in events if e["cat"] == "cpu_op" and e["tid"] == span["tid"]]
    found = []
    for launch in sorted(events, key=lambda e: e["ts"]):
        if not launch["cat"].startswith(("cuda_runtime", "cuda_driver")):
            continue
        inside = span["ts"] <= launch["ts"] < span["ts"] + span["dur"]
        operation = gpu.get(launch["args"].get("correlation"))
        if operation is None or not inside or launch["tid"] != span["tid"]:
            continue
        around = [o for o in ops if o["ts"] <= launch["ts"] < o["ts"] + o["dur"]]
        args = max(around, key=lambda o: (o["ts"], -o["dur"]))
        told = args["args"]
        inputs = OpInputs(
            _frozen(told["Input Dims"]),
            tuple(told["Input type"]),
            _frozen(told["Input Strides"]),
            tuple(told["Concrete Inputs"]),
        )
        found.append((operation["name"], args["name"], inputs, operation["args"].get("bytes")))
    return found


def _measured(variant: str) -> Iterator[dict[str, str]]:
    with MEASURED.open(newline="") as file:
        yield from (row for row in csv.DictReader(file) if row["variant"] == variant)


@pytest.mark.parametrize(
    ("variant", "file"),
    forwards(
        ("naive", "naive", "blog_naive"),
        ("inplace", "naive-inplace", "blog_inplace"),
        ("math", "math", "blog_sdpa_math"),
    ),
)
def test_bytes_against_nsight_compute(variant: str, file: Path) -> None:
    rows = list(_measured(variant))
    launched = [
        (decode(name), op, inputs)
        for name, op, inputs, _ in _launches(file, "attn_fwd")
        if not name.startswith(("Memcpy", "Memset"))
    ]
    assert len(launched) == len(rows)
    large = 0
    estimated = counted = 0
    for row, (kernel, op, inputs) in zip(rows, launched, strict=True):
        moved = int(row["dram_read_bytes"]) + int(row["dram_write_bytes"])
        work = kernel_work(kernel, op, inputs)
        assert work.bytes is not None
        estimated += work.bytes
        counted += moved
        if moved > 100e6:
            large += 1
            assert work.bytes == pytest.approx(moved, rel=0.2), (op, kernel.short)
    assert large >= 5
    assert estimated == pytest.approx(counted, rel=0.2)


@pytest.mark.parametrize(
    ("variant", "file"),
    forwards(
        ("flash", "flash", "blog_sdpa_flash"),
        ("efficient", "efficient", "blog_sdpa_efficient"),
        ("cudnn", "cudnn", "blog_sdpa_cudnn"),
    ),
)
def test_reads_of_fused_attention_against_nsight_compute(variant: str, file: Path) -> None:
    (row,) = _measured(variant)
    works = [
        kernel_work(decode(name), op, inputs, copied)
        for name, op, inputs, copied in _launches(file, "attn_fwd")
    ]
    fused = [work for work in works if work.flops]
    assert len(fused) == 1
    assert fused[0].read == pytest.approx(int(row["dram_read_bytes"]), rel=0.05)
    assert fused[0].flops == 4 * 8 * 16 * 1024 * 1024 * 64 // 2


@pytest.mark.parametrize(("variant", "file"), forwards(("naive", "naive", "blog_naive")))
def test_a_memcpy_is_twice_its_size(variant: str, file: Path) -> None:
    copies = [
        kernel_work(decode(name), op, inputs, copied)
        for name, op, inputs, copied in _launches(file, "attn_fwd")
        if name.startswith("Memcpy")
    ]
    assert [work.bytes for work in copies] == [2 * 2 * N]


PRODUCTS = {"aten::mm", "aten::bmm", "aten::addmm", "aten::matmul", "aten::linear"}


@pytest.mark.parametrize(
    ("folder", "least"),
    [
        pytest.param(folder, least, id=folder.name)
        for folder, least in ((SAMPLES, 60), (CORPUS, 100))
        if folder.is_dir()
    ],
)
def test_real_ops_never_raise_and_products_are_known(folder: Path, least: int) -> None:
    seen: dict[str, set[OpInputs]] = defaultdict(set)
    for file in sorted(folder.rglob("*.json.gz")):
        with gzip.open(file, "rt") as stream:
            trace = json.load(stream)
        for event in trace["traceEvents"] if isinstance(trace, dict) else trace:
            args = event.get("args")
            if not isinstance(args, dict) or "Input Dims" not in args:
                continue
            kinds = args.get("Input type") or args.get("Input Types") or []
            strides = _frozen(args.get("Input Strides") or [])
            concrete = tuple(args.get("Concrete Inputs") or [])
            inputs = OpInputs(_frozen(args["Input Dims"]), tuple(kinds), strides, concrete)
            seen[event["name"]].add(inputs)
    assert len(seen) > least
    for name, forms in seen.items():
        for inputs in forms:
            work = op_work(name, inputs)
            assert work.bytes is None or work.bytes >= 0
            # Without concrete inputs the file is old, and some of those mix up the arguments.
            if name in PRODUCTS and inputs.concrete:
                assert work.flops is not None, (name, inputs)


NAMES = sorted(
    {name for name, _, _ in BY_HAND}
    | {
        "aten::scaled_dot_product_attention",
        "aten::_flash_attention_forward",
        "aten::_efficient_attention_forward",
        "aten::_cudnn_attention_forward",
        "aten::_cudnn_attention_backward",
        "aten::_flash_attention_backward",
        "aten::_efficient_attention_backward",
        "aten::cudnn_convolution",
        "aten::miopen_convolution",
        "aten::mean",
        "aten::var",
        "aten::norm",
        "aten::cudnn_batch_norm",
        "triton_per_fused_add_0",
        "triton_tem_fused_flex_attention_0",
        "unknown",
    }
)
CONCRETE = ["", "True", "False", "0", "1", "-1", "[1]", "[2, 2]", "[-9]", "0.5", "x"]
CONCRETE += ["[True, True, True]", "[-1, -1]", "999999999999999999"]
SIZES = st.lists(st.integers(-2, 5), max_size=5).map(tuple)


@settings(max_examples=1000)
@given(
    st.sampled_from(NAMES),
    st.lists(
        st.tuples(
            st.one_of(SIZES, st.lists(SIZES, max_size=2).map(tuple)),
            st.sampled_from(["float", BF16, "bool", "long int", "Scalar", "ScalarList", "", "x"]),
            SIZES,
            st.sampled_from(CONCRETE),
        ),
        max_size=16,
    ),
    st.integers(0, 16),
)
def test_odd_inputs_never_raise(name: str, arguments: list[Any], kept: int) -> None:
    parts = [tuple(part) for part in zip(*arguments, strict=True)] or [(), (), (), ()]
    dims, types, strides, concrete = parts
    work = op_work(name, OpInputs(dims, types, strides[:kept], concrete[:kept]))
    assert isinstance(work, Work)
    for figure in (work.flops, work.read, work.written):
        assert figure is None or figure >= 0


@given(st.text(max_size=30))
def test_concrete_text_never_raises(text: str) -> None:
    found = integers(text)
    assert found is None or all(isinstance(number, int) for number in found)
    Arguments(OpInputs((), (), (), (text,))).whole(0)
