"""Backward calls: matched by sequence number and thread, by regions, or by their own ops."""

from __future__ import annotations

from recorder import GEMM, MUL, SOFTMAX, Recorder, accumulate, matmul, naive, node, sdpa

from attntui.analysis.attention import AttentionCall, find_attention, within

_BACKWARD = "aten::_scaled_dot_product_flash_attention_backward"
_KERNEL = "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<x>"


def _ops(call: AttentionCall) -> dict[str, int]:
    return {share.role: share.gpu_ops for share in call.roles}


def _naive_nodes(rec: Recorder, seq: int, forward: int = 1) -> None:
    """The nodes of `recorder.naive` with its sequence numbers, in autograd's order."""
    scores, wide = [8, 16, 16], [8, 16, 8]
    with node(rec, "BmmBackward0", seq + 4, forward):
        rec.leaf("aten::bmm", wide, [8, 8, 16], kernel=GEMM)
        rec.leaf("aten::bmm", scores, wide, kernel=GEMM)
    accumulate(rec)
    with node(rec, "SoftmaxBackward0", seq + 3, forward):
        rec.leaf("aten::_softmax_backward_data", scores, scores, [], [], kernel=SOFTMAX)
    with node(rec, "MaskedFillBackward0", seq + 2, forward):
        rec.leaf("aten::masked_fill", scores, [16, 16], [], kernel=MUL)
    with node(rec, "MulBackward0", seq + 1, forward):
        rec.leaf("aten::mul", scores, [], kernel=MUL)
    with node(rec, "BmmBackward0", seq, forward):
        rec.leaf("aten::bmm", scores, wide, kernel=GEMM)
        rec.leaf("aten::bmm", scores, wide, kernel=GEMM)


def _flash_node(rec: Recorder, seq: int, forward: int = 1) -> None:
    with node(rec, "ScaledDotProductFlashAttentionBackward0", seq, forward):
        rec.leaf(_BACKWARD, *[[2, 4, 16, 8]] * 5, kernel=_KERNEL)


_ROLES = {"qk": 2, "scale": 1, "mask": 1, "softmax": 1, "av": 2}


def test_nodes_take_the_roles_of_their_forward_ops() -> None:
    rec = Recorder()
    naive(rec, seq=10)
    rec.tid = 2
    _naive_nodes(rec, 10)
    forward, backward = find_attention(rec.trace())
    assert (backward.direction, backward.backend, backward.forward) == ("backward", "naive", 0)
    assert _ops(backward) == _ROLES
    assert (backward.batch, backward.q_len) == (forward.batch, forward.q_len)
    assert forward.flops is not None
    assert backward.flops == 2 * forward.flops
    assert forward.fused_hbm_bytes is not None
    assert backward.fused_hbm_bytes == 2 * forward.fused_hbm_bytes


def test_a_fused_backward_computes_five_products() -> None:
    rec = Recorder()
    sdpa(rec, seq=3, causal="False")
    rec.tid = 2
    _flash_node(rec, 3)
    accumulate(rec)
    forward, backward = find_attention(rec.trace())
    assert _ops(backward) == {"fused": 1}
    assert forward.flops is not None
    assert backward.flops == forward.flops // 2 * 5


def test_layers_are_matched_in_reverse() -> None:
    rec = Recorder()
    for layer in range(3):
        sdpa(rec, seq=layer)
    rec.tid = 2
    for layer in reversed(range(3)):
        _flash_node(rec, layer)
    calls = find_attention(rec.trace())
    assert [call.forward for call in calls] == [None, None, None, 2, 1, 0]
    assert [call.forward for call in within(calls, calls[3].gpu_rows)] == [None]
    kept = within(calls, calls[5].gpu_rows), within(calls, rec.trace().gpu_ops)
    assert kept[0][0].forward is None
    assert [call.forward for call in kept[1]] == [None, None, None, 2, 1, 0]


def test_a_second_backward_through_one_forward_is_a_call_of_its_own() -> None:
    rec = Recorder()
    naive(rec, seq=10)
    rec.tid = 2
    _naive_nodes(rec, 10)
    _naive_nodes(rec, 10)
    calls = find_attention(rec.trace())
    assert [call.forward for call in calls] == [None, 0, 0]
    assert [_ops(call) for call in calls[1:]] == [_ROLES] * 2


def test_threads_that_number_alike_are_told_apart_by_names() -> None:
    rec = Recorder()
    # Both threads use 10 to 14: one for attention, the other for a perceptron.
    naive(rec, seq=10)
    rec.tid = 2
    for seq in range(10, 15):
        rec.leaf("aten::relu", [4, 4], kernel=MUL, seq=seq)
    rec.tid = 3
    for seq in reversed(range(10, 15)):
        with node(rec, "ReluBackward0", seq, forward=7):
            rec.leaf("aten::threshold_backward", [4, 4], [4, 4], [], kernel=MUL)
    _naive_nodes(rec, 10, forward=1)
    calls = find_attention(rec.trace())
    assert [call.direction for call in calls] == ["forward", "backward"]
    assert _ops(calls[1]) == _ROLES


def test_an_op_that_no_gradient_reaches_does_not_take_the_number() -> None:
    rec = Recorder()
    # The call's last op bears number 14; an op before it bore the same, without a node.
    rec.leaf("aten::detach", [2, 4, 16, 8], seq=10)
    naive(rec, seq=10)
    rec.tid = 2
    with node(rec, "BmmBackward0", 10):
        rec.leaf("aten::bmm", [8, 16, 16], [8, 16, 8], kernel=GEMM)
    assert len(find_attention(rec.trace())) == 2


def test_recomputed_forwards_are_forward_calls() -> None:
    rec = Recorder()
    rec.tid = 2
    with node(rec, "CheckpointFunctionBackward", 5):
        naive(rec, seq=20)
        _naive_nodes(rec, 20, forward=2)
    calls = find_attention(rec.trace())
    assert [call.direction for call in calls] == ["forward", "backward"]
    assert calls[1].forward == 0


def test_a_backward_whose_forward_lies_outside_the_trace() -> None:
    rec = Recorder()
    _flash_node(rec, 3)
    (call,) = find_attention(rec.trace())
    assert (call.direction, call.backend, call.forward) == ("backward", "flash", None)
    assert (call.batch, call.heads, call.q_len) == (2, 4, 16)


def test_calls_of_a_compiled_region_pair_in_reverse() -> None:
    rec = Recorder()
    with rec.op("CompiledFunction", seq=3):
        sdpa(rec, (2, 4, 16, 8), outer=False)
        sdpa(rec, (2, 4, 32, 8), outer=False)
    rec.tid = 2
    with node(rec, "CompiledFunctionBackward", 3):
        rec.leaf(_BACKWARD, *[[2, 4, 32, 8]] * 5, kernel=_KERNEL)
        rec.leaf(_BACKWARD, *[[2, 4, 16, 8]] * 5, kernel=_KERNEL)
    calls = find_attention(rec.trace())
    assert [(call.q_len, call.forward) for call in calls] == [
        (16, None),
        (32, None),
        (32, 1),
        (16, 0),
    ]


def test_the_backward_of_a_compiled_naive_call() -> None:
    rec = Recorder()
    fused, backward = (
        "triton_per_fused__softmax_mul_0",
        "triton_per_fused__softmax_backward_data_mul_0",
    )
    scores, wide = [8, 16, 16], [8, 16, 4]
    with rec.op("CompiledFunction", seq=3):
        rec.leaf("aten::bmm", wide, [8, 4, 16], scores, kernel=GEMM)
        rec.leaf(fused, scores, [], kernel=fused)
        rec.leaf("aten::bmm", scores, wide, wide, kernel=GEMM)
    rec.tid = 2
    with node(rec, "CompiledFunctionBackward", 3):
        rec.leaf("aten::mm", [64, 64], [64, 64], [64, 64], kernel=GEMM)
        rec.leaf("aten::bmm", scores, wide, wide, kernel=GEMM)
        rec.leaf("aten::bmm", wide, [8, 4, 16], scores, kernel=GEMM)
        rec.leaf(backward, scores, scores, [], kernel=backward)
        rec.leaf("aten::bmm", scores, wide, wide, kernel=GEMM)
        rec.leaf("aten::bmm", scores, wide, wide, kernel=GEMM)
        rec.leaf("aten::mm", [64, 64], [64, 64], [64, 64], kernel=GEMM)
    calls = find_attention(rec.trace())
    assert [(call.direction, call.forward) for call in calls] == [
        ("forward", None),
        ("backward", 0),
    ]
    assert calls[1].gpu_ops == 5
    assert _ops(calls[1])["fused"] == 1


def test_backward_products_are_no_forward_of_their_own() -> None:
    rec = Recorder()
    with node(rec, "BmmBackward0", 1):
        matmul(rec, [2, 4, 16, 8], [2, 4, 8, 16])
    with node(rec, "SoftmaxBackward0", 0):
        rec.leaf("aten::_softmax_backward_data", [2, 4, 16, 16], kernel=SOFTMAX)
    with node(rec, "BmmBackward0", 0):
        matmul(rec, [2, 4, 16, 16], [2, 4, 16, 8])
    assert find_attention(rec.trace()) == ()


def test_a_forward_recomputed_inside_a_node_is_not_the_nodes_work() -> None:
    rec = Recorder()
    naive(rec, seq=10)
    rec.tid = 2
    # Checkpointing without re-entry: the first node that needs a tensor computes all again.
    with node(rec, "BmmBackward0", 14):
        rec.leaf("aten::bmm", [8, 16, 8], [8, 8, 16], kernel=GEMM)
        naive(rec, seq=20)
        rec.leaf("aten::bmm", [8, 16, 16], [8, 16, 8], kernel=GEMM)
    calls = find_attention(rec.trace())
    assert [(call.direction, call.forward) for call in calls] == [
        ("forward", None),
        ("backward", 0),
        ("forward", None),
    ]
    assert [call.gpu_ops for call in calls] == [6, 2, 6]
