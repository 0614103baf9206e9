"""Attention in Triton: one fused kernel, and a fused softmax for the unfused variant.

The fused forward keeps a running maximum and sum a row (online softmax: Milakov and Gimelshein,
2018; tiled as in FlashAttention-2: Dao, 2023), so that scores never reach device memory. The
backward recomputes them from the saved row statistics, a pass for dK and dV and one for dQ.
Exponentials are base 2: scores are scaled by log2(e).
"""

# ruff: noqa: N803 - compile-time constants of a Triton kernel are written in capitals

from __future__ import annotations

import math
from typing import Any

import torch
import triton
import triton.language as tl

LOG2_E = math.log2(math.e)


@triton.jit
def _load_rows(base, rows, limit, D: tl.constexpr):  # type: ignore[no-untyped-def]
    cols = tl.arange(0, D)
    return tl.load(base + rows[:, None] * D + cols[None, :], mask=rows[:, None] < limit, other=0.0)


@triton.jit
def _store_rows(base, rows, limit, value, D: tl.constexpr):  # type: ignore[no-untyped-def]
    cols = tl.arange(0, D)
    tl.store(base + rows[:, None] * D + cols[None, :], value, mask=rows[:, None] < limit)


@triton.jit
def _visible(rows, keys, q_len, kv_len, CAUSAL: tl.constexpr):  # type: ignore[no-untyped-def]
    seen = (keys[None, :] < kv_len) & (rows[:, None] < q_len)
    if CAUSAL:
        seen = seen & (keys[None, :] <= rows[:, None] + (kv_len - q_len))
    return seen


@triton.jit
def fused_attention_forward(  # type: ignore[no-untyped-def]
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    lse_ptr,
    scale_log2,
    q_len,
    kv_len,
    D: tl.constexpr,
    GROUPS: tl.constexpr,
    BLOCK_Q: tl.constexpr,
    BLOCK_K: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    block = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    rows = block * BLOCK_Q + tl.arange(0, BLOCK_Q)
    q = _load_rows(q_ptr + head * q_len * D, rows, q_len, D)
    k_base = k_ptr + head // GROUPS * kv_len * D
    v_base = v_ptr + head // GROUPS * kv_len * D
    top = tl.full([BLOCK_Q], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_Q], tl.float32)
    acc = tl.zeros([BLOCK_Q, D], tl.float32)
    end = kv_len
    if CAUSAL:
        end = tl.minimum(kv_len, (block + 1) * BLOCK_Q + kv_len - q_len)
    for start in range(0, end, BLOCK_K):
        keys = start + tl.arange(0, BLOCK_K)
        k = _load_rows(k_base, keys, kv_len, D)
        v = _load_rows(v_base, keys, kv_len, D)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale_log2
        seen = keys[None, :] < kv_len
        if CAUSAL:
            seen = seen & (keys[None, :] <= rows[:, None] + (kv_len - q_len))
        scores = tl.where(seen, scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        weights = tl.exp2(scores - new_top[:, None])
        shrink = tl.exp2(top - new_top)
        total = total * shrink + tl.sum(weights, 1)
        acc = acc * shrink[:, None]
        acc += tl.dot(weights.to(v.dtype), v, input_precision="ieee")
        top = new_top
    out = (acc / total[:, None]).to(out_ptr.dtype.element_ty)
    _store_rows(out_ptr + head * q_len * D, rows, q_len, out, D)
    tl.store(lse_ptr + head * q_len + rows, top + tl.log2(total), mask=rows < q_len)


@triton.jit
def fused_attention_backward_delta(  # type: ignore[no-untyped-def]
    out_ptr, grad_ptr, delta_ptr, rows_total, D: tl.constexpr, BLOCK: tl.constexpr
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    out = _load_rows(out_ptr, rows, rows_total, D).to(tl.float32)
    grad = _load_rows(grad_ptr, rows, rows_total, D).to(tl.float32)
    tl.store(delta_ptr + rows, tl.sum(out * grad, 1), mask=rows < rows_total)


@triton.jit
def fused_attention_backward_kv(  # type: ignore[no-untyped-def]
    q_ptr,
    k_ptr,
    v_ptr,
    grad_ptr,
    lse_ptr,
    delta_ptr,
    dk_ptr,
    dv_ptr,
    scale,
    scale_log2,
    q_len,
    kv_len,
    D: tl.constexpr,
    GROUPS: tl.constexpr,
    BLOCK_Q: tl.constexpr,
    BLOCK_K: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    block = tl.program_id(0)
    kv_head = tl.program_id(1).to(tl.int64)
    keys = block * BLOCK_K + tl.arange(0, BLOCK_K)
    k = _load_rows(k_ptr + kv_head * kv_len * D, keys, kv_len, D)
    v = _load_rows(v_ptr + kv_head * kv_len * D, keys, kv_len, D)
    dk = tl.zeros([BLOCK_K, D], tl.float32)
    dv = tl.zeros([BLOCK_K, D], tl.float32)
    first = 0
    if CAUSAL:
        first = tl.maximum(0, block * BLOCK_K - (kv_len - q_len)) // BLOCK_Q * BLOCK_Q
    for group in range(GROUPS):
        head = kv_head * GROUPS + group
        for start in range(first, q_len, BLOCK_Q):
            rows = start + tl.arange(0, BLOCK_Q)
            q = _load_rows(q_ptr + head * q_len * D, rows, q_len, D)
            grad = _load_rows(grad_ptr + head * q_len * D, rows, q_len, D)
            lse = tl.load(lse_ptr + head * q_len + rows, mask=rows < q_len, other=0.0)
            delta = tl.load(delta_ptr + head * q_len + rows, mask=rows < q_len, other=0.0)
            scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale_log2
            seen = _visible(rows, keys, q_len, kv_len, CAUSAL)
            weights = tl.where(seen, tl.exp2(scores - lse[:, None]), 0.0)
            dv += tl.dot(tl.trans(weights.to(grad.dtype)), grad, input_precision="ieee")
            pull = tl.dot(grad, tl.trans(v), input_precision="ieee")
            ds = weights * (pull - delta[:, None])
            dk += tl.dot(tl.trans(ds.to(q.dtype)), q, input_precision="ieee")
    dk = (dk * scale).to(dk_ptr.dtype.element_ty)
    _store_rows(dk_ptr + kv_head * kv_len * D, keys, kv_len, dk, D)
    dv = dv.to(dv_ptr.dtype.element_ty)
    _store_rows(dv_ptr + kv_head * kv_len * D, keys, kv_len, dv, D)


@triton.jit
def fused_attention_backward_q(  # type: ignore[no-untyped-def]
    q_ptr,
    k_ptr,
    v_ptr,
    grad_ptr,
    lse_ptr,
    delta_ptr,
    dq_ptr,
    scale,
    scale_log2,
    q_len,
    kv_len,
    D: tl.constexpr,
    GROUPS: tl.constexpr,
    BLOCK_Q: tl.constexpr,
    BLOCK_K: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    block = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64)
    rows = block * BLOCK_Q + tl.arange(0, BLOCK_Q)
    q = _load_rows(q_ptr + head * q_len * D, rows, q_len, D)
    grad = _load_rows(grad_ptr + head * q_len * D, rows, q_len, D)
    lse = tl.load(lse_ptr + head * q_len + rows, mask=rows < q_len, other=0.0)
    delta = tl.load(delta_ptr + head * q_len + rows, mask=rows < q_len, other=0.0)
    k_base = k_ptr + head // GROUPS * kv_len * D
    v_base = v_ptr + head // GROUPS * kv_len * D
    dq = tl.zeros([BLOCK_Q, D], tl.float32)
    end = kv_len
    if CAUSAL:
        end = tl.minimum(kv_len, (block + 1) * BLOCK_Q + kv_len - q_len)
    for start in range(0, end, BLOCK_K):
        keys = start + tl.arange(0, BLOCK_K)
        k = _load_rows(k_base, keys, kv_len, D)
        v = _load_rows(v_base, keys, kv_len, D)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale_log2
        seen = _visible(rows, keys, q_len, kv_len, CAUSAL)
        weights = tl.where(seen, tl.exp2(scores - lse[:, None]), 0.0)
        pull = tl.dot(grad, tl.trans(v), input_precision="ieee")
        ds = weights * (pull - delta[:, None])
        dq += tl.dot(ds.to(k.dtype), k, input_precision="ieee")
    dq = (dq * scale).to(dq_ptr.dtype.element_ty)
    _store_rows(dq_ptr + head * q_len * D, rows, q_len, dq, D)


class _Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> Any:
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        batch, heads, q_len, dim = q.shape
        kv_len, groups = k.shape[2], heads // k.shape[1]
        out = torch.empty_like(q)
        lse = torch.empty(batch, heads, q_len, device=q.device, dtype=torch.float32)
        block_q, block_k = (128, 64) if q.element_size() == 2 else (64, 32)
        fused_attention_forward[(triton.cdiv(q_len, block_q), batch * heads)](
            q,
            k,
            v,
            out,
            lse,
            LOG2_E / math.sqrt(dim),
            q_len,
            kv_len,
            D=dim,
            GROUPS=groups,
            BLOCK_Q=block_q,
            BLOCK_K=block_k,
            CAUSAL=causal,
            num_warps=4 if dim <= 64 else 8,
            num_stages=3 if q.element_size() == 2 else 2,
        )
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.causal = causal
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        q, k, v, out, lse = ctx.saved_tensors
        grad = grad.contiguous()
        batch, heads, q_len, dim = q.shape
        kv_heads, kv_len = k.shape[1], k.shape[2]
        rows = batch * heads * q_len
        delta = torch.empty_like(lse)
        fused_attention_backward_delta[(triton.cdiv(rows, 64),)](
            out, grad, delta, rows, D=dim, BLOCK=64
        )
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        block = 64 if q.element_size() == 2 else 32
        scale = 1.0 / math.sqrt(dim)
        sizes = {
            "D": dim,
            "GROUPS": heads // kv_heads,
            "BLOCK_Q": block,
            "BLOCK_K": block,
            "CAUSAL": ctx.causal,
            "num_warps": 4,
            "num_stages": 2,
        }
        shared = (scale, scale * LOG2_E, q_len, kv_len)
        fused_attention_backward_kv[(triton.cdiv(kv_len, block), batch * kv_heads)](
            q, k, v, grad, lse, delta, dk, dv, *shared, **sizes
        )
        fused_attention_backward_q[(triton.cdiv(q_len, block), batch * heads)](
            q, k, v, grad, lse, delta, dq, *shared, **sizes
        )
        return dq, dk, dv, None


def fused_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool
) -> torch.Tensor:
    """Attention in one kernel: q [B, H, Q, D], k and v [B, H / groups, K, D] to [B, H, Q, D].

    D is a power of two from 16 to 128. A causal query i sees keys up to i + K - Q.
    """
    return _Fused.apply(q, k, v, causal)


@triton.jit
def scaled_masked_softmax(  # type: ignore[no-untyped-def]
    scores_ptr,
    out_ptr,
    scale_log2,
    q_len,
    kv_len,
    BLOCK: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    line = tl.program_id(0).to(tl.int64)
    keys = tl.arange(0, BLOCK)
    seen = keys < kv_len
    if CAUSAL:
        seen = seen & (keys <= line % q_len + (kv_len - q_len))
    raw = tl.load(scores_ptr + line * kv_len + keys, mask=seen, other=float("-inf"))
    scores = raw.to(tl.float32) * scale_log2
    weights = tl.exp2(scores - tl.max(scores, 0))
    weights = weights / tl.sum(weights, 0)
    stored = weights.to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + line * kv_len + keys, stored, mask=keys < kv_len)


@triton.jit
def scaled_masked_softmax_backward(  # type: ignore[no-untyped-def]
    weights_ptr, grad_ptr, out_ptr, scale, kv_len, BLOCK: tl.constexpr
):
    line = tl.program_id(0).to(tl.int64)
    keys = tl.arange(0, BLOCK)
    held = keys < kv_len
    weights = tl.load(weights_ptr + line * kv_len + keys, mask=held, other=0.0).to(tl.float32)
    grad = tl.load(grad_ptr + line * kv_len + keys, mask=held, other=0.0).to(tl.float32)
    inner = weights * (grad - tl.sum(weights * grad, 0)) * scale
    tl.store(out_ptr + line * kv_len + keys, inner.to(out_ptr.dtype.element_ty), mask=held)


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, scale: float, causal: bool) -> Any:
        scores = scores.contiguous()
        q_len, kv_len = scores.shape[-2:]
        out = torch.empty_like(scores)
        block = triton.next_power_of_2(kv_len)
        scaled_masked_softmax[(scores.numel() // kv_len,)](
            scores, out, scale * LOG2_E, q_len, kv_len, BLOCK=block, CAUSAL=causal
        )
        ctx.save_for_backward(out)
        ctx.scale = scale
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        (weights,) = ctx.saved_tensors
        kv_len = weights.shape[-1]
        out = torch.empty_like(weights)
        scaled_masked_softmax_backward[(weights.numel() // kv_len,)](
            weights,
            grad.contiguous(),
            out,
            ctx.scale,
            kv_len,
            BLOCK=triton.next_power_of_2(kv_len),
        )
        return out, None, None


def unfused_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool
) -> torch.Tensor:
    """cuBLAS products round one Triton kernel for scale, mask and softmax; shapes as above."""
    groups = q.shape[1] // k.shape[1]
    if groups > 1:
        k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    scores = torch.matmul(q, k.transpose(-2, -1))
    return torch.matmul(_Softmax.apply(scores, 1.0 / math.sqrt(q.shape[-1]), causal), v)
