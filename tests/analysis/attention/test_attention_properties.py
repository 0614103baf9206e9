"""What holds of every attention call, on made-up traces of all sorts."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from recorder import FLASH, GEMM, MUL, SOFTMAX, Recorder, matmul, naive, node, sdpa

from attntui.analysis.attention import find_attention
from attntui.analysis.attention.model import ROLES
from attntui.trace.model import Trace

_NAMES = st.sampled_from(
    [
        "aten::matmul",
        "aten::bmm",
        "aten::softmax",
        "aten::mul",
        "aten::masked_fill",
        "aten::scaled_dot_product_attention",
        "aten::_flash_attention_forward",
        "aten::_scaled_dot_product_flash_attention_backward",
        "aten::linear",
        "aten::add",
        "triton_per_fused__softmax_mul_0",
        "autograd::engine::evaluate_function: MulBackward0",
        "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
        "autograd::engine::evaluate_function: ScaledDotProductFlashAttentionBackward0",
        "CompiledFunction",
        "_attention",
        "_attentionBackward",
        "_Softmax",
        "aten::exp",
        "aten::sum",
        "aten::div",
    ]
)
_KERNELS = st.sampled_from(
    [
        GEMM,
        MUL,
        SOFTMAX,
        FLASH,
        "attn_fwd",
        "bwd_kernel_dq",
        "fused_attention_forward",
        "_fwd_kernel",
        "_bwd_kernel",
        "_bwd_preprocess",
        "softmax_kernel",
        "mystery",
    ]
)
_SIZES = st.sampled_from([1, 2, 3])
_SHAPES = st.lists(st.lists(_SIZES, min_size=0, max_size=4), max_size=4)


@st.composite
def _traces(draw: st.DrawFn) -> Trace:
    rec = Recorder()

    def part(depth: int) -> None:
        rec.tid = draw(st.integers(1, 2)) if depth == 0 else rec.tid
        kind = draw(st.integers(0, 7))
        seq = draw(st.one_of(st.none(), st.integers(0, 8)))
        if kind == 0:
            naive(rec, q=2, k=3, seq=seq, shapes=draw(st.booleans()))
        elif kind == 1:
            sdpa(rec, seq=seq)
        elif kind == 2:
            matmul(rec, [2, 2, 3], [2, 3, 2])
        elif kind == 3:
            category = draw(st.sampled_from(["kernel", "gpu_memset", "gpu_memcpy"]))
            rec.kernel(draw(_KERNELS), category=category, launched=draw(st.booleans()), bytes=4)
        elif kind == 4:
            with node(rec, "BmmBackward0", seq or 0):
                rec.kernel(GEMM)
        elif kind == 5:
            matmul(rec, [2, 4, 2, 8], [2, 4, 8, 3])
            for step in draw(st.permutations(["amax", "sub", "exp", "sum", "div"])):
                rec.leaf(f"aten::{step}", [2, 4, 2, 3], [2, 4, 2, 1], kernel=MUL, seq=seq)
                if draw(st.booleans()):
                    rec.kernel(draw(_KERNELS))
            matmul(rec, [2, 4, 2, 3], [2, 4, 3, 8])
        else:
            forward = draw(st.integers(0, 2))
            with rec.op(draw(_NAMES), *draw(_SHAPES), seq=seq, forward=forward):
                if draw(st.booleans()):
                    rec.kernel(draw(_KERNELS), grid=draw(st.lists(_SIZES, min_size=3, max_size=3)))
                for _ in range(draw(st.integers(0, 3)) if depth < 3 else 0):
                    part(depth + 1)

    for _ in range(draw(st.integers(1, 8))):
        part(0)
    return rec.trace()


@settings(max_examples=150, deadline=None)
@given(_traces())
def test_roles_split_each_call_and_no_operation_is_in_two(trace: Trace) -> None:
    calls = find_attention(trace)
    owned = np.concatenate([call.gpu_rows for call in calls] or [trace.gpu_ops[:0]])
    assert len(np.unique(owned)) == len(owned)
    assert np.isin(owned, trace.gpu_ops).all()
    for call in calls:
        parts = np.concatenate([share.rows for share in call.roles] or [owned[:0]])
        assert sorted(parts.tolist()) == call.gpu_rows.tolist()
        assert call.gpu_ns == trace.dur[call.gpu_rows].sum()
        assert call.gpu_ns == sum(share.gpu_ns for share in call.roles)
        for share in call.roles:
            assert share.gpu_ns == trace.dur[share.rows].sum()
        order = [ROLES.index(share.role) for share in call.roles]
        assert order == sorted(set(order))
        if call.forward is not None:
            assert call.direction == "backward"
            assert calls[call.forward].direction == "forward"
        if call.hbm_bytes is not None:
            assert call.hbm_bytes == sum(share.hbm_bytes or 0 for share in call.roles)
    starts = [call.start for call in calls if call.start is not None]
    assert starts == sorted(starts)
