"""Attention written by hand: kernels of one's own, launched by ops that no table names."""

from __future__ import annotations

import pytest
from recorder import FLASH, GEMM, Recorder, node

from attntui.analysis.attention import AttentionCall, find_attention

_FUSED = "fused_attention_forward"


def _ops(call: AttentionCall) -> dict[str, int]:
    return {share.role: share.gpu_ops for share in call.roles}


def _one(rec: Recorder) -> AttentionCall:
    (call,) = find_attention(rec.trace())
    return call


def _shape(call: AttentionCall) -> tuple[int | None, ...]:
    return (call.batch, call.heads, call.kv_heads, call.q_len, call.kv_len, call.head_dim)


def fused(rec: Recorder, *shapes: list[int], grid: list[int], op: str = "_Fused") -> None:
    """An autograd function round one kernel, as `capture` runs its own."""
    with rec.op(op, *shapes, [], concrete=["", "", "", "True"]):
        rec.leaf("aten::empty_like", shapes[0])
        rec.kernel(_FUSED, grid=grid)


def test_an_op_that_launches_an_attention_kernel_is_the_call() -> None:
    rec = Recorder()
    q = [2, 4, 512, 64]
    fused(rec, q, q, q, grid=[4, 8, 1])
    trace = rec.trace()
    (call,) = find_attention(trace)
    assert (call.backend, call.direction, call.dtype) == ("triton", "forward", "bf16")
    assert call.op is not None
    assert trace.name_of(call.op) == "_Fused"
    assert call.cpu_ns == trace.dur[call.op]
    assert _shape(call) == (2, 4, 4, 512, 512, 64)
    assert _ops(call) == {"fused": 1}
    assert call.hbm_bytes == call.fused_hbm_bytes == 4 * 2 * 4 * 512 * 64 * 2
    # The flag among the inputs may mean anything.
    assert call.causal is None
    assert _FUSED in call.evidence
    assert "grid 4x8x1" in call.evidence
    assert "FLOPs in full" in call.evidence


@pytest.mark.parametrize(
    ("q", "k", "grid", "shape"),
    [
        ([2, 4, 512, 64], [2, 2, 512, 64], [4, 8, 1], (2, 4, 2, 512, 512, 64)),
        ([2, 512, 4, 64], [2, 512, 2, 64], [4, 8, 1], (2, 4, 2, 512, 512, 64)),
        ([2, 512, 4, 64], [2, 256, 4, 64], [8, 4, 2], (2, 4, 4, 512, 256, 64)),
        ([2, 4, 512, 64], [2, 4, 256, 64], [2, 4, 32], (2, 4, 4, 512, 256, 64)),
        # Alike in either layout.
        ([2, 8, 8, 64], [2, 8, 8, 64], [7, 7, 7], (2, 8, 8, 8, 8, 64)),
        # The grid fits neither layout, or both: heads and lengths are not told.
        ([2, 4, 512, 64], [2, 4, 512, 64], [7, 7, 1], (2, None, None, None, None, 64)),
        ([2, 4, 32, 64], [2, 4, 32, 64], [1, 8, 64], (2, None, None, None, None, 64)),
    ],
)
def test_the_grid_tells_heads_from_length(
    q: list[int], k: list[int], grid: list[int], shape: tuple[int | None, ...]
) -> None:
    rec = Recorder()
    fused(rec, q, k, k, grid=grid)
    call = _one(rec)
    assert _shape(call) == shape
    assert (call.flops is None) == (shape[1] is None)


@pytest.mark.parametrize(
    "shapes",
    [
        ([2, 4, 512, 64], [2, 4, 512, 64], [2, 4, 256, 64]),  # k and v differ
        ([2, 4, 512, 64], [2, 4, 512, 32], [2, 4, 512, 32]),
        ([2, 4, 512, 64], [1, 4, 512, 64], [1, 4, 512, 64]),
        ([2, 4, 512, 64], [64, 64], [64]),
    ],
)
def test_inputs_that_are_not_q_k_and_v_tell_no_shape(shapes: tuple[list[int], ...]) -> None:
    rec = Recorder()
    fused(rec, *shapes, grid=[4, 8, 1])
    call = _one(rec)
    assert (call.backend, call.gpu_ops) == ("triton", 1)
    assert _shape(call) == (None,) * 6
    assert (call.flops, call.hbm_bytes, call.fused_hbm_bytes) == (None, None, None)


def test_without_shapes_the_kernel_alone_is_told() -> None:
    rec = Recorder()
    with rec.op("_Fused"):
        rec.kernel(_FUSED)
    call = _one(rec)
    assert (call.backend, call.dtype, *_shape(call)) == ("triton", *(None,) * 7)


@pytest.mark.parametrize(
    ("made", "grid", "heads", "q_len"),
    [
        ([2, 4, 512, 64], [4, 8, 1], 4, 512),
        ([2, 512, 4, 64], [4, 8, 1], 4, 512),
        ([2, 4, 512, 64], [3, 7, 1], None, None),  # the grid is not that tensor's
        ([4, 512, 64], [4, 8, 1], None, None),
    ],
)
def test_of_a_launch_by_no_op_the_output_made_before_tells_the_queries(
    made: list[int], grid: list[int], heads: int | None, q_len: int | None
) -> None:
    rec = Recorder()
    with rec.op("attn_fwd", category="user_annotation"):
        rec.leaf("aten::empty_like", made)
        rec.leaf("aten::empty", [], [])
        rec.kernel(_FUSED, grid=grid)
    call = _one(rec)
    assert (call.backend, call.op, call.gpu_ops) == ("triton", None, 1)
    known = heads is not None
    assert _shape(call) == (2 if known else None, heads, None, q_len, None, 64 if known else None)
    assert call.dtype == ("bf16" if known else None)
    assert (call.flops, call.fused_hbm_bytes) == (None, None)
    assert ("aten::empty_like" in call.evidence) is known


def test_an_output_made_for_another_kernel_tells_nothing() -> None:
    rec = Recorder()
    rec.leaf("aten::empty_like", [2, 4, 512, 64])
    rec.kernel("mystery")
    rec.kernel(_FUSED, grid=[4, 8, 1])
    with rec.op("aten::foo"):
        rec.leaf("aten::empty_like", [2, 4, 512, 64])
    rec.kernel(_FUSED, grid=[4, 8, 1])
    rec.leaf("aten::empty_like", [2, 4, 512, 64])
    rec.tid = 2
    rec.kernel(_FUSED, grid=[4, 8, 1])
    calls = find_attention(rec.trace())
    assert [_shape(call) for call in calls] == [(None,) * 6] * 3


def test_layout_copies_inside_the_op_are_part_of_the_call() -> None:
    rec = Recorder()
    q = [2, 4, 512, 64]
    with rec.op("mine::attend", q, q, q):
        with rec.op("aten::contiguous", q), rec.op("aten::clone", q, []):
            rec.leaf("aten::copy_", q, q, [], kernel="copy")
        rec.kernel(_FUSED, grid=[4, 8, 1])
    assert _ops(_one(rec)) == {"copy": 1, "fused": 1}


def test_a_region_round_several_things_is_no_attention_op() -> None:
    rec = Recorder()
    q = [2, 4, 512, 64]
    with rec.op("Torch-Compiled Region: 0/0", q, q, q):
        rec.kernel("triton_poi_fused_add_0")
        rec.kernel(_FUSED, grid=[4, 8, 1])
    with rec.op("mine::block", q, q, q):
        rec.leaf("aten::mm", [16, 16], [16, 16], kernel=GEMM)
        rec.kernel(_FUSED, grid=[4, 8, 1])
    with rec.op("mine::layers", q, q, q):
        rec.kernel(_FUSED, grid=[4, 8, 1])
        rec.kernel(_FUSED, grid=[4, 8, 1])
    calls = find_attention(rec.trace())
    assert [(call.gpu_ops, call.batch) for call in calls] == [(1, None)] * 4


@pytest.mark.parametrize(
    ("op", "category", "backend"),
    [
        ("_attention", "cpu_op", "triton"),  # the older Triton tutorial
        ("FlashAttnFunc", "cpu_op", "triton"),  # FlashAttention's Triton port
        ("vllm::unified_attention_with_output", "cpu_op", "triton"),
        ("attn_fwd", "user_annotation", "triton"),
        ("_LayerNorm", "cpu_op", None),
        ("block", "user_annotation", None),
        ("unattended", "user_annotation", None),
    ],
)
def test_a_name_that_leaves_it_open_counts_where_what_launched_it_says_attention(
    op: str, category: str, backend: str | None
) -> None:
    rec = Recorder()
    with rec.op(op, *[[2, 512, 4, 64]] * 3, category=category):
        rec.kernel("_fwd_kernel", grid=[4, 8, 1])
    calls = find_attention(rec.trace())
    assert [call.backend for call in calls] == ([] if backend is None else [backend])
    assert [_ops(call) for call in calls] == [{"fused": 1}] * len(calls)


def test_the_innermost_label_decides() -> None:
    rec = Recorder()
    with (
        rec.op("attention", category="user_annotation"),
        rec.op("norm", category="user_annotation"),
    ):
        rec.kernel("_fwd_kernel")
    assert find_attention(rec.trace()) == ()


def test_a_packages_own_library_wins_over_triton() -> None:
    rec = Recorder()
    rec.leaf("FlashAttnFunc", *[[2, 512, 4, 64]] * 3, kernel=FLASH)
    rec.leaf("aten::_flash_attention_forward", *[[2, 512, 4, 64]] * 3, kernel="attn_fwd")
    assert [call.backend for call in find_attention(rec.trace())] == ["flash", "flash"]


def _backward(rec: Recorder, seq: int, op: str = "_FusedBackward") -> None:
    with node(rec, op, seq):
        rec.leaf("aten::empty_like", [2, 4, 512, 64])
        for part in ("delta", "kv", "q"):
            rec.kernel(f"fused_attention_backward_{part}")


def test_its_backward_belongs_to_it() -> None:
    rec = Recorder()
    q = [2, 4, 512, 64]
    with rec.op("_Fused", q, q, q, [], seq=7):
        rec.kernel(_FUSED, grid=[4, 8, 1])
    rec.tid = 2
    _backward(rec, 7)
    forward, backward = find_attention(rec.trace())
    assert (backward.backend, backward.direction, backward.forward) == ("triton", "backward", 0)
    assert _shape(backward) == _shape(forward)
    assert _ops(backward) == {"fused": 3}
    assert backward.fused_hbm_bytes == 2 * (forward.fused_hbm_bytes or 0)


def test_a_backward_whose_forward_lies_outside_the_trace() -> None:
    rec = Recorder()
    _backward(rec, 7)
    _backward(rec, 8)
    calls = find_attention(rec.trace())
    assert [(call.backend, call.direction) for call in calls] == [("triton", "backward")] * 2
    assert [_ops(call) for call in calls] == [{"fused": 3}] * 2
    assert [call.forward for call in calls] == [None, None]
