"""Attention calls in words: backend, direction, shape, mask."""

from __future__ import annotations

from attntui.analysis.attention import AttentionCall
from attntui.analysis.attention_ops import Direction
from attntui.safe import Safe, safe
from attntui.view.words.formats import ABSENT

_DIRECTIONS = {Direction.FORWARD: "fwd", Direction.BACKWARD: "bwd"}


def shape_text(call: AttentionCall) -> Safe:
    """Batch x heads x length x head dim; `q/kv` where lengths or heads differ."""

    def one(value: int | None) -> str:
        return "?" if value is None else str(value)

    def two(first: int | None, second: int | None) -> str:
        return one(first) if second is None or first == second else f"{one(first)}/{one(second)}"

    heads, length = two(call.heads, call.kv_heads), two(call.q_len, call.kv_len)
    return Safe("x".join((one(call.batch), heads, length, one(call.head_dim))))


def call_text(call: AttentionCall) -> Safe:
    """A call in a few words: `naive fwd 8x16x1024x64`."""
    return safe(f"{call.backend} {_DIRECTIONS[call.direction]} {shape_text(call)}")


def causal_text(call: AttentionCall) -> Safe:
    """Whether the mask is causal; a trace that does not tell is no `no`."""
    return ABSENT if call.causal is None else Safe("causal" if call.causal else "full")


def kind_text(call: AttentionCall) -> Safe:
    """A call with all that makes calls alike: shape, data type, mask."""
    return safe(f"{call_text(call)} {call.dtype or '?'}, mask {causal_text(call)}")


def ops_text(gpu_ops: int, memsets: int) -> Safe:
    """Kernels and copies, and memsets apart: `6 + 1`, or `6` without one."""
    return Safe(f"{gpu_ops - memsets:,} + {memsets:,}" if memsets else f"{gpu_ops:,}")
