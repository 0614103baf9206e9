"""Softmax written by hand between two products: Triton's, or ops of their own."""

from __future__ import annotations

import pytest
from recorder import BF16, MUL, Recorder, matmul, node

from attntui.analysis.attention import AttentionCall, find_attention
from attntui.analysis.attention.model import Role


def _ops(call: AttentionCall) -> dict[str, int]:
    return {share.role: share.gpu_ops for share in call.roles}


def _one(rec: Recorder) -> AttentionCall:
    (call,) = find_attention(rec.trace())
    return call


def test_a_triton_softmax_between_products_is_naive_and_its_bytes_are_known() -> None:
    rec = Recorder()
    scores = [2, 4, 16, 32]
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 32])
    with rec.op("_Softmax", scores, [], [], concrete=["", "0.125", "True"]):
        rec.leaf("aten::empty_like", scores)
        rec.kernel("scaled_masked_softmax")
    matmul(rec, scores, [2, 4, 32, 8])
    call = _one(rec)
    assert (call.backend, call.batch, call.heads) == ("naive", 2, 4)
    softmax = call.role(Role.SOFTMAX)
    assert softmax is not None
    assert softmax.hbm_bytes == 2 * 2 * 4 * 16 * 32 * 2
    assert call.hbm_bytes is not None


@pytest.mark.parametrize("op", [None, "mine::weigh"])
def test_a_triton_softmax_that_no_op_of_the_name_launched(op: str | None) -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 32])
    if op is None:
        rec.kernel("softmax_kernel")
    else:
        rec.leaf(op, [2, 4, 16, 32], kernel="softmax_kernel")
    matmul(rec, [2, 4, 16, 32], [2, 4, 32, 8])
    call = _one(rec)
    assert _ops(call) == {"qk": 1, "softmax": 1, "av": 1}
    softmax = call.role(Role.SOFTMAX)
    assert softmax is not None
    # The products tell the scores that it read and wrote.
    assert softmax.hbm_bytes == 2 * 2 * 4 * 16 * 32 * 2


def test_a_triton_softmax_of_something_else_is_none() -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 32])
    with rec.op("_Softmax", [2, 4, 16, 16], [], []):
        rec.kernel("softmax_kernel")
    matmul(rec, [2, 4, 16, 32], [2, 4, 32, 8])
    assert find_attention(rec.trace()) == ()


_STEPS = {
    "amax": ["amax", "sub", "exp", "sum", "div"],
    "max": ["max", "sub_", "exp_", "sum", "div_"],
    "no maximum": ["exp", "sum", "div"],
    "reciprocal": ["amax", "sub", "exp", "sum", "reciprocal", "mul"],
    "base two": ["amax", "sub", "exp2", "sum", "div"],
    "logsumexp": ["logsumexp", "sub", "exp"],
}


def _by_hand(rec: Recorder, steps: list[str], *, shapes: bool = True, axis: str = "[-1]") -> None:
    scores, row = [2, 4, 16, 32], [2, 4, 16, 1]
    for step in steps:
        name = f"aten::{step}"
        if step in ("amax", "sum", "logsumexp", "max"):
            told = ["", axis, "True"]
            types = [BF16, "ScalarList", "Scalar"]
            rec.leaf(name, scores, [], [], concrete=told, types=types, kernel=MUL, shapes=shapes)
        elif step == "reciprocal":
            rec.leaf(name, row, kernel=MUL, shapes=shapes)
        elif step in ("exp", "exp_", "exp2"):
            rec.leaf(name, scores, kernel=MUL, shapes=shapes)
        else:
            rec.leaf(name, scores, row, kernel=MUL, shapes=shapes)


@pytest.mark.parametrize("steps", list(_STEPS.values()), ids=list(_STEPS))
@pytest.mark.parametrize("shapes", [True, False])
def test_a_softmax_in_ops_of_its_own_is_naive_attention(steps: list[str], shapes: bool) -> None:
    rec = Recorder()
    scores = [2, 4, 16, 32]
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 32], shapes=shapes)
    rec.leaf("aten::mul", scores, [], kernel=MUL, shapes=shapes)
    rec.leaf("aten::add", scores, [16, 32], kernel=MUL, shapes=shapes)
    _by_hand(rec, steps, shapes=shapes)
    matmul(rec, scores, [2, 4, 32, 8], shapes=shapes)
    call = _one(rec)
    assert call.backend == "naive"
    assert _ops(call) == {"qk": 1, "scale": 1, "mask": 1, "softmax": len(steps), "av": 1}
    assert steps[0] in call.evidence
    assert call.gpu_ns == sum(share.gpu_ns for share in call.roles)


@pytest.mark.parametrize(
    "steps",
    [
        ["exp"],
        ["exp", "sum"],
        ["sum", "div", "exp"],
        ["amax", "sub"],
        ["exp", "div"],
        ["sub", "exp"],
    ],
)
def test_part_of_a_softmax_is_none(steps: list[str]) -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 32])
    _by_hand(rec, steps)
    matmul(rec, [2, 4, 16, 32], [2, 4, 32, 8])
    assert find_attention(rec.trace()) == ()


def test_a_sum_over_another_axis_is_no_softmax() -> None:
    rec = Recorder()
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 32])
    _by_hand(rec, ["exp", "sum", "div"], axis="[1]")
    matmul(rec, [2, 4, 16, 32], [2, 4, 32, 8])
    assert find_attention(rec.trace()) == ()


def test_backward_of_a_softmax_in_ops_of_its_own() -> None:
    rec = Recorder()
    scores = [2, 4, 16, 32]
    matmul(rec, [2, 4, 16, 8], [2, 4, 8, 32], seq=1)
    rec.leaf("aten::exp", scores, kernel=MUL, seq=2)
    rec.leaf("aten::sum", scores, [], [], concrete=["", "[-1]", "True"], kernel=MUL, seq=3)
    rec.leaf("aten::div", scores, [2, 4, 16, 1], kernel=MUL, seq=4)
    matmul(rec, scores, [2, 4, 32, 8], seq=5)
    rec.tid = 2
    for name, seq in (("Bmm", 5), ("Div", 4), ("Sum", 3), ("Exp", 2), ("Bmm", 1)):
        with node(rec, f"{name}Backward0", seq):
            rec.leaf("aten::mul", scores, scores, kernel=MUL)
    _, backward = find_attention(rec.trace())
    assert _ops(backward) == {"qk": 1, "softmax": 3, "av": 1}
