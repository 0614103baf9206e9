"""Naive attention as people write it, profiled by the PyTorch at hand on the CPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from attntui.analysis.attention import AttentionCall, find_attention
from attntui.trace import load
from attntui.trace.model import Trace

torch = pytest.importorskip("torch", reason="profiles on the CPU, with whatever torch is there")
Tensor = torch.Tensor
ProfilerActivity, profile = torch.profiler.ProfilerActivity, torch.profiler.profile

_BATCH, _HEADS, _QUERIES, _KEYS, _DIM = 2, 4, 32, 48, 16
_SCALE = 1 / math.sqrt(_DIM)


def _inputs() -> tuple[Tensor, Tensor, Tensor]:
    shapes = ((_QUERIES, _DIM), (_KEYS, _DIM), (_KEYS, _DIM))
    q, k, v = (torch.randn(_BATCH, _HEADS, *shape) for shape in shapes)
    return q, k, v


def _scores(q: Tensor, k: Tensor) -> Tensor:
    return torch.matmul(q, k.transpose(-2, -1)) * _SCALE


def _additive(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(_scores(q, k) + torch.zeros(_QUERIES, _KEYS), -1) @ v


def _where(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    seen = torch.ones(_QUERIES, _KEYS, dtype=torch.bool)
    return torch.softmax(torch.where(seen, _scores(q, k), float("-inf")), -1) @ v


def _baddbmm(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (t.reshape(_BATCH * _HEADS, -1, _DIM) for t in (q, k, v))
    bias = torch.zeros(_BATCH * _HEADS, _QUERIES, _KEYS)
    scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=_SCALE)
    weights = torch.softmax(scores.view(_BATCH, _HEADS, _QUERIES, _KEYS), -1)
    return torch.bmm(weights.view(_BATCH * _HEADS, _QUERIES, _KEYS), v)


def _einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = torch.softmax(torch.einsum("bhqd,bhkd->bhqk", q, k) * _SCALE, -1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, v)


def _einsum_length_first(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = (t.transpose(1, 2).contiguous() for t in (q, k, v))
    weights = torch.softmax(torch.einsum("bqhd,bkhd->bhqk", q, k) * _SCALE, -1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v)


def _scaled_query(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax((q * _SCALE) @ k.transpose(-2, -1), -1) @ v


def _scaled_both(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    root = math.sqrt(_SCALE)
    return torch.softmax((q * root) @ (k / (1 / root)).transpose(-2, -1), -1) @ v


def _by_hand(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = _scores(q, k)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    return (weights / weights.sum(-1, keepdim=True)) @ v


def _by_hand_in_place(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = _scores(q, k)
    weights = scores.sub_(scores.max(-1, keepdim=True).values).exp_()
    return weights.div_(weights.sum(-1, keepdim=True)) @ v


def _by_logsumexp(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = _scores(q, k)
    return torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True)) @ v


def _without_softmax(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.sigmoid(_scores(q, k)) @ v


def _linear(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = torch.exp(q) @ torch.exp(k).transpose(-2, -1)
    return (weights / weights.sum(-1, keepdim=True)) @ v


Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def _profiled(attention: Attention, folder: Path, *, backward: bool = False) -> Trace:
    q, k, v = (t.requires_grad_(backward) for t in _inputs())
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        out = attention(q, k, v)
        if backward:
            out.sum().backward()
    path = folder / "trace.json"
    profiler.export_chrome_trace(str(path))
    return load(str(path))


def _ops(trace: Trace, call: AttentionCall) -> str:
    return trace.name_of(call.op) if call.op is not None else ""


@pytest.mark.parametrize(
    ("attention", "first", "told"),
    [
        (_additive, "aten::matmul", "aten::add"),
        (_where, "aten::matmul", "aten::where"),
        (_baddbmm, "aten::baddbmm", "aten::baddbmm -> aten::softmax"),
        (_einsum, "aten::einsum", "aten::einsum -> aten::mul"),
        (_einsum_length_first, "aten::einsum", "aten::softmax"),
        (_scaled_query, "aten::mul", "aten::mul before aten::matmul"),
        (_scaled_both, "aten::mul", "aten::mul, aten::div before aten::matmul"),
        (_by_hand, "aten::matmul", "aten::amax, aten::sub, aten::exp, aten::sum, aten::div"),
        (_by_hand_in_place, "aten::matmul", "aten::max, aten::sub_, aten::exp_"),
        (_by_logsumexp, "aten::matmul", "aten::logsumexp, aten::sub, aten::exp"),
    ],
)
def test_each_way_to_write_it_is_one_naive_call(
    attention: Attention, first: str, told: str, tmp_path: Path
) -> None:
    trace = _profiled(attention, tmp_path)
    (call,) = find_attention(trace)
    assert (call.backend, call.direction, call.dtype) == ("naive", "forward", "fp32")
    shape = (call.batch, call.heads, call.q_len, call.kv_len, call.head_dim)
    assert shape == (_BATCH, _HEADS, _QUERIES, _KEYS, _DIM)
    assert _ops(trace, call) == first
    assert told in call.evidence


@pytest.mark.parametrize("attention", [_without_softmax, _linear])
def test_what_has_no_softmax_is_none(attention: Attention, tmp_path: Path) -> None:
    assert find_attention(_profiled(attention, tmp_path)) == ()


@pytest.mark.parametrize("attention", [_baddbmm, _einsum, _scaled_query, _by_hand])
def test_the_backward_of_each_belongs_to_it(attention: Attention, tmp_path: Path) -> None:
    calls = find_attention(_profiled(attention, tmp_path, backward=True))
    assert [(call.direction, call.forward) for call in calls] == [
        ("forward", None),
        ("backward", 0),
    ]
