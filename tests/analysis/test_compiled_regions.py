"""What compiled regions fused, and what still ran as library calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import name_of, where_real
from made import annotation, call, kernel, op, trace_of

from attntui.analysis.compiled_regions import fusion_checks
from attntui.trace import load

_GEMM = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT"
_FUSED = "triton_per_fused__softmax_masked_fill_mul_0"


def test_a_region_is_split_into_triton_kernels_and_library_calls() -> None:
    trace = trace_of(
        [
            op("Torch-Compiled Region: 0/0", 0, 100),
            op("CompiledFunction", 5, 95),
            annotation("## Call CompiledFxGraph abc ##", 10, 90),
            op("aten::mm", 20, 30),
            call("cuLaunchKernelEx", 21, 22, 1),
            kernel(_GEMM, 40, 60, 1),
            op(_FUSED, 40, 50),
            call("cuLaunchKernel", 41, 42, 2),
            kernel(_FUSED, 60, 75, 2),
            op("aten::mm", 110, 120),
            call("cuLaunchKernelEx", 111, 112, 3),
            kernel(_GEMM, 130, 140, 3),
        ]
    )
    (check,) = fusion_checks(trace)
    assert check.region == "Torch-Compiled Region: 0/0"
    assert check.graphs == ("abc",)
    assert len(check.rows) == 1
    (fused,) = check.kernels
    assert fused.ops == ("_softmax", "masked_fill", "mul")
    (library,) = check.library_calls
    assert (library.op, library.library, library.kernels) == ("aten::mm", "cuBLASLt", (_GEMM,))
    assert (check.fused_ns, check.library_ns) == (15, 20)


def test_runs_of_one_region_are_added_up() -> None:
    events = []
    for run in range(3):
        at = 100 * run
        events += [
            op("Torch-Compiled Region: 0/0", at, at + 50),
            call("cuLaunchKernel", at + 10, at + 11, run + 1),
            kernel(_FUSED, at + 20, at + 30, run + 1),
        ]
    (check,) = fusion_checks(trace_of(events))
    assert len(check.rows) == 3
    assert check.fused_ns == 30
    assert check.kernels[0].rows.tolist() == sorted(check.kernels[0].rows.tolist())


def test_triton_kernels_of_no_region_stand_alone() -> None:
    (check,) = fusion_checks(trace_of([kernel(_FUSED, 0, 10), kernel(_GEMM, 10, 20)]))
    assert (check.region, check.library_calls, check.fused_ns) == (None, (), 10)


def test_eager_traces_have_none() -> None:
    trace = trace_of(
        [op("aten::mm", 0, 10), call("cudaLaunchKernel", 1, 2, 1), kernel(_GEMM, 20, 30, 1)]
    )
    assert fusion_checks(trace) == ()


def test_a_kernel_launched_by_the_region_itself_has_no_op() -> None:
    (check,) = fusion_checks(
        trace_of(
            [
                op("CompiledFunction", 0, 50),
                call("cuLaunchKernel", 10, 11, 1),
                kernel("mystery_kernel", 20, 30, 1),
            ]
        )
    )
    assert [(c.op, c.library) for c in check.library_calls] == [(None, None)]


@pytest.mark.parametrize(
    "path",
    where_real(["compile_b8_h16_s1024_d64_bf16_h200"], ["h200/blog_naive_compile"]),
    ids=name_of,
)
def test_compiled_naive_attention_leaves_both_products_to_cublas(path: Path) -> None:
    (check,) = fusion_checks(load(path))
    assert len(check.rows) == 3
    assert {"_softmax", "masked_fill", "mul"} <= set(check.kernels[0].ops)
    assert [(c.op, c.library, len(c.rows)) for c in check.library_calls] == [
        ("aten::bmm", "cuBLASLt", 6),
        ("aten::bmm", "memory", 3),
    ]


@pytest.mark.parametrize(
    "path", where_real(["flex_b8_h16_s1024_d64_bf16_h200"], ["h200/blog_flex"]), ids=name_of
)
def test_flex_attention_leaves_nothing(path: Path) -> None:
    (check,) = fusion_checks(load(path))
    assert check.kernels[0].ops == ("flex_attention",)
    assert check.library_calls == ()


def test_a_compiled_block_on_rocm(corpus: Path) -> None:
    (check,) = fusion_checks(load(str(corpus / "tracelens_mi300_compile_triton.json.gz")))
    assert len(check.kernels) == 4
    assert {(c.op, c.library) for c in check.library_calls} == {
        ("aten::mm", "hipBLASLt"),
        ("aten::_flash_attention_forward", "Triton"),
    }
