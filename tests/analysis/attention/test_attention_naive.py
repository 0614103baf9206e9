"""Naive attention in made-up traces: what counts, what does not, and its roles."""

from __future__ import annotations

import pytest
from recorder import FLASH, GEMM, MUL, SOFTMAX, Recorder, matmul, naive, sdpa

from attntui.analysis.attention import AttentionCall, find_attention
from attntui.analysis.attention.model import Role


def _ops(call: AttentionCall) -> dict[str, int]:
    return {share.role: share.gpu_ops for share in call.roles}


def _one(rec: Recorder) -> AttentionCall:
    (call,) = find_attention(rec.trace())
    return call


def test_products_round_a_softmax_are_a_call() -> None:
    rec = Recorder()
    naive(rec, batch=2, heads=4, q=16, k=32, d=8)
    call = _one(rec)
    assert (call.backend, call.direction, call.causal) == ("naive", "forward", None)
    assert (call.batch, call.heads, call.kv_heads) == (2, 4, 4)
    assert (call.q_len, call.kv_len, call.head_dim, call.dtype) == (16, 32, 8, "bf16")
    assert _ops(call) == {"qk": 1, "scale": 1, "mask": 1, "copy": 1, "softmax": 1, "av": 1}
    assert call.flops == 4 * 2 * 4 * 16 * 32 * 8
    assert call.fused_hbm_bytes == 2 * 2 * (2 * 4 * 16 * 8 + 2 * 4 * 32 * 8)
    assert "scores of 2x4x16x32" in call.evidence


def test_its_time_on_the_host_runs_from_the_first_op_to_the_last() -> None:
    rec = Recorder()
    naive(rec)
    trace = rec.trace()
    (call,) = find_attention(trace)
    assert call.op is not None
    assert trace.name_of(call.op) == "aten::matmul"
    assert call.start == trace.start[call.op]
    assert call.cpu_ns == trace.end[trace.name == trace.names.index("aten::matmul")].max()


def test_two_layers_are_two_calls() -> None:
    rec = Recorder()
    naive(rec)
    rec.leaf("aten::linear", [2, 16, 32], [32, 32], kernel=GEMM)
    naive(rec)
    calls = find_attention(rec.trace())
    assert [call.gpu_ops for call in calls] == [6, 6]


def test_calls_back_to_back_share_no_product() -> None:
    rec = Recorder()
    naive(rec, q=8, k=8, d=8)
    naive(rec, q=8, k=8, d=8)
    assert len(find_attention(rec.trace())) == 2


def test_python_frames_between_the_ops_do_not_matter() -> None:
    rec = Recorder()
    with rec.op("model.py(1): forward", category="python_function"):
        with rec.op("torch.matmul", category="python_function"):
            matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16])
        with rec.op("functional.py(2): softmax", category="python_function"):
            rec.leaf("aten::softmax", [2, 4, 16, 16], [], [], kernel=SOFTMAX)
        with rec.op("torch.matmul", category="python_function"):
            matmul(rec, [2, 4, 16, 16], [2, 4, 16, 8])
    assert _ops(_one(rec)) == {"qk": 1, "softmax": 1, "av": 1}


def test_dropout_layout_copies_and_a_bias_have_their_roles() -> None:
    rec = Recorder()
    scores = [2, 4, 16, 16]
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16], copies=2)
    rec.leaf("aten::div", scores, [], kernel=MUL)
    rec.leaf("aten::add", scores, [2, 1, 1, 16], [], kernel=MUL)
    with rec.op("aten::softmax", scores, [], []):
        rec.leaf("aten::_softmax", scores, [], [], kernel=SOFTMAX)
    with rec.op("aten::dropout", scores, [], []):
        rec.leaf("aten::native_dropout", scores, [], [], kernel="dropout")
    rec.leaf("aten::to", scores, [], kernel="copy")
    matmul(rec, scores, [2, 4, 16, 8])
    roles = {"qk": 1, "scale": 1, "mask": 1, "copy": 3, "softmax": 1, "dropout": 1, "av": 1}
    assert _ops(_one(rec)) == roles


def test_work_on_the_mask_is_no_scaling() -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16])
    rec.leaf("aten::rsub", [2, 1, 1, 16], [], [], kernel=MUL)
    rec.leaf("aten::mul", [2, 1, 1, 16], [], kernel=MUL)
    rec.leaf("aten::mul", [2, 4, 16, 16], [], kernel=MUL)
    rec.leaf("aten::softmax", [2, 4, 16, 16], [], [], kernel=SOFTMAX)
    matmul(rec, [2, 4, 16, 16], [2, 4, 16, 8])
    assert _ops(_one(rec)) == {"qk": 1, "scale": 1, "mask": 2, "softmax": 1, "av": 1}


def test_making_the_mask_belongs_to_the_call() -> None:
    rec = Recorder()
    rec.leaf("aten::layer_norm", [2, 16, 32], kernel=MUL)
    rec.leaf("aten::ones", [], kernel="fill")
    rec.leaf("aten::triu", [16, 16], [], kernel="triu")
    rec.leaf("aten::transpose", [2, 4, 16, 8], [], [])
    naive(rec)
    call = _one(rec)
    assert _ops(call)["mask"] == 3
    assert call.gpu_ops == 8


def test_filling_something_else_before_does_not() -> None:
    rec = Recorder()
    rec.leaf("aten::zeros", [], kernel="fill")
    rec.leaf("aten::fill_", [3, 5], [], kernel="fill")
    naive(rec)
    assert _one(rec).gpu_ops == 6


def test_a_projection_between_the_products_is_left_out() -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16])
    rec.leaf("aten::softmax", [2, 4, 16, 16], [], [], kernel=SOFTMAX)
    with rec.op("aten::linear", [2, 16, 32], [32, 32]):
        rec.leaf("aten::addmm", [32], [32, 32], [32, 32], kernel=GEMM)
    matmul(rec, [2, 4, 16, 16], [2, 4, 16, 8])
    assert _ops(_one(rec)) == {"qk": 1, "softmax": 1, "av": 1}


def test_relative_positions_add_a_product_that_is_neither() -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 24])
    rec.leaf("aten::gather", [2, 4, 16, 24], [], [2, 4, 16, 24], kernel="gather")
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 40])
    rec.leaf("aten::add", [2, 4, 16, 24], [2, 4, 16, 24], [], kernel=MUL)
    rec.leaf("aten::softmax", [2, 4, 16, 24], [], [], kernel=SOFTMAX)
    matmul(rec, [2, 4, 16, 24], [2, 4, 24, 8])
    call = _one(rec)
    assert (call.q_len, call.kv_len) == (16, 24)
    assert _ops(call) == {"qk": 1, "mask": 1, "softmax": 1, "av": 1, "other": 1}


def test_grouped_queries_have_fewer_key_heads() -> None:
    rec = Recorder()
    matmul(rec, [2, 2, 4, 16, 8], [2, 2, 1, 8, 16])
    # matmul expands the keys; what runs has all heads.
    rec.events[-3]["args"]["Input Dims"] = [[16, 16, 8], [16, 8, 16]]
    rec.leaf("aten::softmax", [2, 2, 4, 16, 16], [], [], kernel=SOFTMAX)
    matmul(rec, [2, 2, 4, 16, 16], [2, 2, 4, 16, 8])
    call = _one(rec)
    assert (call.batch, call.heads, call.kv_heads) == (2, 8, 2)


def test_flattened_heads_leave_batch_and_heads_untold() -> None:
    rec = Recorder()
    rec.leaf("aten::bmm", [8, 16, 4], [8, 4, 16], kernel=GEMM)
    rec.leaf("aten::softmax", [8, 16, 16], [], [], kernel=SOFTMAX)
    rec.leaf("aten::bmm", [8, 16, 16], [8, 16, 4], kernel=GEMM)
    call = _one(rec)
    assert (call.batch, call.heads, call.kv_heads) == (None, None, None)
    assert (call.q_len, call.kv_len, call.flops) == (16, 16, 4 * 8 * 16 * 16 * 4)


def test_an_einsum_and_a_baddbmm_are_products() -> None:
    rec = Recorder()
    with rec.op("aten::einsum", []):
        rec.leaf("aten::bmm", [8, 16, 4], [8, 4, 16], kernel=GEMM)
    rec.leaf("aten::softmax", [2, 4, 16, 16], [], [], kernel=SOFTMAX)
    with rec.op("aten::einsum", []):
        rec.leaf("aten::bmm", [8, 16, 16], [8, 16, 4], kernel=GEMM)
    rec.leaf("aten::baddbmm", [8, 16, 16], [8, 16, 4], [8, 4, 16], [], [], kernel=GEMM)
    rec.leaf("aten::softmax", [8, 16, 16], [], [], kernel=SOFTMAX)
    rec.leaf("aten::bmm", [8, 16, 16], [8, 16, 4], kernel=GEMM)
    first, second = find_attention(rec.trace())
    assert (first.batch, first.heads) == (2, 4)
    assert second.head_dim == 4


def test_a_query_of_one_token() -> None:
    rec = Recorder()
    naive(rec, batch=1, heads=4, q=1, k=300, d=64)
    call = _one(rec)
    assert (call.q_len, call.kv_len) == (1, 300)


@pytest.mark.parametrize(
    ("softmax", "second"),
    [
        ([2, 4, 16, 16], [2, 4, 12, 16]),  # a product of something else
        ([2, 4, 16, 12], [2, 4, 16, 16]),  # a softmax of something else
        ([2, 4, 32], [2, 4, 16, 16]),
    ],
)
def test_shapes_that_do_not_agree_are_no_attention(softmax: list[int], second: list[int]) -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16])
    rec.leaf("aten::softmax", softmax, [], [], kernel=SOFTMAX)
    matmul(rec, second, [2, 4, second[-1], 8])
    assert find_attention(rec.trace()) == ()


def test_a_softmax_over_another_axis_is_no_attention() -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16])
    rec.leaf("aten::softmax", [2, 4, 16, 16], [], [], concrete=["", "1"], kernel=SOFTMAX)
    matmul(rec, [2, 4, 16, 16], [2, 4, 16, 8])
    assert find_attention(rec.trace()) == ()


def test_a_router_or_a_classifier_is_no_attention() -> None:
    rec = Recorder()
    for _ in range(2):
        with rec.op("aten::linear", [16, 32], [8, 32]):
            rec.leaf("aten::mm", [16, 32], [32, 8], kernel=GEMM)
        rec.leaf("aten::softmax", [16, 8], [], [], kernel=SOFTMAX)
        rec.leaf("aten::topk", [16, 8], [], [], kernel="topk")
        rec.leaf("aten::mm", [16, 32], [32, 64], kernel=GEMM)
    assert find_attention(rec.trace()) == ()


def test_a_log_softmax_is_none() -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16])
    rec.leaf("aten::log_softmax", [2, 4, 16, 16], [], [], kernel=SOFTMAX)
    matmul(rec, [2, 4, 16, 16], [2, 4, 16, 8])
    assert find_attention(rec.trace()) == ()


def test_without_shapes_the_sequence_alone_decides() -> None:
    rec = Recorder()
    naive(rec, shapes=False)
    call = _one(rec)
    assert (call.batch, call.q_len, call.flops, call.hbm_bytes) == (None, None, None, None)
    assert _ops(call) == {"qk": 1, "scale": 1, "mask": 1, "copy": 1, "softmax": 1, "av": 1}
    assert "shapes unknown" in call.evidence


def test_without_shapes_a_stranger_in_between_is_a_reason_against() -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16], shapes=False)
    rec.leaf("aten::softmax", kernel=SOFTMAX)
    rec.leaf("aten::topk", kernel="topk")
    matmul(rec, [2, 4, 16, 16], [2, 4, 16, 8], shapes=False)
    assert find_attention(rec.trace()) == ()


def test_ops_on_another_thread_are_not_between() -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16])
    rec.tid = 2
    rec.leaf("aten::mul", [2, 4, 16, 16], [], kernel=MUL)
    rec.tid = 1
    rec.leaf("aten::softmax", [2, 4, 16, 16], [], [], kernel=SOFTMAX)
    matmul(rec, [2, 4, 16, 16], [2, 4, 16, 8])
    assert _ops(_one(rec)) == {"qk": 1, "softmax": 1, "av": 1}


def test_inside_another_op_and_beside_fused_calls() -> None:
    rec = Recorder()
    with rec.op("aten::_native_multi_head_attention"):
        naive(rec)
    sdpa(rec)
    assert [call.backend for call in find_attention(rec.trace())] == ["naive", "flash"]


_FUSED = "triton_per_fused__softmax_masked_fill_mul_0"


def test_a_compiled_call_stays_naive() -> None:
    rec = Recorder()
    with rec.op("Torch-Compiled Region: 0/0"):
        rec.leaf("aten::bmm", [8, 16, 4], [8, 4, 16], [8, 16, 16], kernel=GEMM)
        rec.leaf(_FUSED, [2, 4, 16, 16], [16, 16], [], [], kernel=_FUSED)
        rec.leaf("aten::bmm", [8, 16, 16], [8, 16, 4], [8, 16, 4], kernel=GEMM)
    call = _one(rec)
    assert call.backend == "naive"
    assert (call.batch, call.heads) == (2, 4)
    assert _ops(call) == {"qk": 1, "av": 1, "fused": 1}


def test_older_inductor_launches_its_kernels_with_no_op_of_their_own() -> None:
    rec = Recorder()
    with rec.op("CompiledFunction"):
        rec.leaf("aten::bmm", [8, 16, 4], [8, 4, 16], [8, 16, 16], kernel=GEMM)
        rec.kernel(_FUSED)
        rec.leaf("aten::bmm", [8, 16, 16], [8, 16, 4], [8, 16, 4], kernel=GEMM)
        rec.kernel("triton_poi_fused_add_1")
    assert _ops(_one(rec)) == {"qk": 1, "av": 1, "fused": 1}


def test_products_of_inductors_own_templates() -> None:
    rec = Recorder()
    product = "triton_tem_fused_bmm_3"
    rec.leaf(product, [8, 16, 4], [8, 4, 16], [8, 16, 16], kernel=product)
    rec.leaf(_FUSED, [8, 16, 16], [], kernel=_FUSED)
    rec.leaf(product, [8, 16, 16], [8, 16, 4], [8, 16, 4], kernel=product)
    assert _ops(_one(rec)) == {"qk": 1, "av": 1, "fused": 1}


def test_a_call_without_a_gpu_has_no_operations() -> None:
    rec = Recorder()
    rec.leaf("aten::bmm", [8, 16, 4], [8, 4, 16])
    rec.leaf("aten::softmax", [8, 16, 16], [], [])
    rec.leaf("aten::bmm", [8, 16, 16], [8, 16, 4])
    call = _one(rec)
    assert (call.gpu_ops, call.gpu_ns, call.roles, call.hbm_bytes) == (0, 0, (), None)


def test_attention_inside_a_naive_window_is_counted_once() -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16])
    rec.leaf("my::flash", kernel=FLASH)
    rec.leaf("aten::softmax", [2, 4, 16, 16], [], [], kernel=SOFTMAX)
    matmul(rec, [2, 4, 16, 16], [2, 4, 16, 8])
    calls = find_attention(rec.trace())
    assert sorted(call.backend for call in calls) == ["flash", "naive"]
    assert sum(call.gpu_ops for call in calls) == 4


def test_a_scale_folded_into_a_factor_belongs_to_the_call() -> None:
    rec = Recorder()
    rec.leaf("aten::linear", [2, 16, 32], [32, 32], kernel=GEMM)
    rec.leaf("aten::mul", [2, 4, 16, 8], [], kernel=MUL)
    rec.leaf("aten::div", [2, 4, 32, 8], [], kernel=MUL)
    rec.leaf("aten::transpose", [2, 4, 32, 8], [], [])
    naive(rec, k=32)
    call = _one(rec)
    assert _ops(call) == {"qk": 1, "scale": 3, "mask": 1, "copy": 1, "softmax": 1, "av": 1}
    assert "aten::mul, aten::div before aten::matmul" in call.evidence


@pytest.mark.parametrize(
    ("shape", "by"),
    [
        ([2, 4, 16, 8], [2, 1, 16, 8]),  # by a tensor: an embedding of positions
        ([2, 4, 16, 16], []),  # of another tensor
    ],
)
def test_another_product_of_elements_before_does_not(shape: list[int], by: list[int]) -> None:
    rec = Recorder()
    rec.leaf("aten::mul", shape, by, kernel=MUL)
    naive(rec, k=32)
    assert _one(rec).gpu_ops == 6


def test_boolean_and_additive_masks_have_the_masks_role() -> None:
    rec = Recorder()
    scores = [2, 4, 16, 32]
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 32])
    with rec.op("aten::where", [2, 1, 16, 32], scores, []):
        rec.leaf("aten::scalar_tensor", [], kernel="fill")
        rec.kernel("where")
    rec.leaf("aten::add", scores, [16, 32], [], kernel=MUL)
    rec.leaf("aten::softmax", scores, [], [], kernel=SOFTMAX)
    matmul(rec, scores, [2, 4, 32, 8])
    assert _ops(_one(rec)) == {"qk": 1, "mask": 3, "softmax": 1, "av": 1}


def test_scores_by_baddbmm_and_products_by_einsum() -> None:
    rec = Recorder()
    rec.leaf("aten::baddbmm", [8, 16, 32], [8, 16, 8], [8, 8, 32], [], [], kernel=GEMM)
    rec.leaf("aten::softmax", [2, 4, 16, 32], [], [], kernel=SOFTMAX)
    with rec.op("aten::einsum", [], [], []):
        with rec.op("aten::reshape", [2, 4, 32, 8, 1], []), rec.op("aten::clone", [2, 4, 32, 8]):
            rec.leaf("aten::copy_", [2, 4, 32, 8], [2, 4, 32, 8], kernel="copy")
        rec.leaf("aten::bmm", [8, 16, 32], [8, 32, 8], kernel=GEMM)
    call = _one(rec)
    assert (call.batch, call.heads, call.kv_len, call.head_dim) == (2, 4, 32, 8)
    assert _ops(call) == {"qk": 1, "copy": 1, "softmax": 1, "av": 1}
    qk = call.role(Role.QK)
    assert qk is not None
    # The bias that it adds is read too.
    assert qk.hbm_bytes == 8 * (2 * 16 * 32 + 16 * 8 + 8 * 32) * 2
