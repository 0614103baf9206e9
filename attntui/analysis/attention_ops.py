"""Backends of attention, and the one table of the ops that run them.

A row of the table says all that is known of an op: who does the attention, and where in its
arguments everything stands. Whoever finds attention calls, reads their sizes or counts their
work looks here. docs/adding-a-backend.md says how to add a row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from attntui.analysis.word import Word


class Backend(Word):
    """Who does an attention call; the value is the word for it on screen and in JSON."""

    NAIVE = "naive"
    FLASH = "flash"
    EFFICIENT = "efficient"
    CUDNN = "cudnn"
    MATH = "math"
    FLEX = "flex"
    TRITON = "triton"
    SAGE = "sage"
    TRTLLM = "trtllm"
    FLASHINFER = "flashinfer"
    PAGED = "paged"  # vLLM's PagedAttention
    OTHER = "other"

    @property
    def separate(self) -> bool:
        """Whether products, scaling and softmax are ops of their own, not one fused kernel."""
        return self in (Backend.NAIVE, Backend.MATH)


class Direction(Word):
    """Which way an attention call goes."""

    FORWARD = "forward"
    BACKWARD = "backward"


@dataclass(frozen=True, slots=True)
class AttentionOp:
    """What an attention op's name tells of it; positions are those of its arguments.

    `backend` is None where the op only dispatches, or its kernel tells. `heads_at` is the axis
    of the heads in 4-d tensors: 1 for [batch, heads, length, dim], 2 for [batch, length, heads,
    dim], 0 where that is not known. `q` is the position of q; k and v follow; None where they
    stand is not known, so no sizes are read. `tokens`: q is [tokens, heads, dim], the sequences
    of a batch one after another; `paged`: the keys lie in pages, so no shape tells their number.

    `causal` is the position of a flag, `mask_type` that of the efficient backend's number (0
    none, 1 and 2 causal from the upper left or lower right), `mask` that of a mask or bias
    tensor, `packed` that of sequence offsets, when sequences of several lengths lie in one
    tensor. `lse`: the op writes the log-sum-exp of each row, always or where the flag at
    `lse_at` is set. `saved` of a backward are the positions of the output and the log-sum-exp;
    the output's gradient comes first, q after it. None: the op does not say.
    """

    backend: Backend | None
    direction: Direction
    heads_at: int = 2
    q: int | None = 0
    causal: int | None = None
    mask_type: int | None = None
    mask: int | None = None
    tokens: bool = False
    paged: bool = False
    packed: int | None = None
    lse: bool = False
    lse_at: int | None = None
    saved: tuple[int, int] | None = None


_FORWARD, _BACKWARD = Direction.FORWARD, Direction.BACKWARD
_FLASH, _EFFICIENT, _CUDNN = Backend.FLASH, Backend.EFFICIENT, Backend.CUDNN

# A full name, or a pattern that matches from the name's start on; names come before patterns,
# patterns are tried in order. Positions as in PyTorch's native_functions.yaml and the packages'
# own schemas.
# fmt: off
_TABLE: tuple[tuple[str | re.Pattern[str], AttentionOp], ...] = (
    ("aten::scaled_dot_product_attention",
     AttentionOp(None, _FORWARD, 1, causal=5, mask=3)),
    ("aten::_scaled_dot_product_flash_attention",
     AttentionOp(_FLASH, _FORWARD, 1, causal=4, lse=True)),
    ("aten::_scaled_dot_product_flash_attention_for_cpu",
     AttentionOp(_FLASH, _FORWARD, 1, causal=4, mask=5, lse=True)),
    ("aten::_scaled_dot_product_efficient_attention",
     AttentionOp(_EFFICIENT, _FORWARD, 1, causal=6, mask=3, lse_at=4)),
    ("aten::_scaled_dot_product_cudnn_attention",
     AttentionOp(_CUDNN, _FORWARD, 1, causal=6, mask=3, lse_at=4)),
    ("aten::_scaled_dot_product_attention_math",
     AttentionOp(Backend.MATH, _FORWARD, 1, causal=5, mask=3)),
    ("aten::_scaled_dot_product_attention_math_for_mps",
     AttentionOp(Backend.MATH, _FORWARD, 1, causal=5, mask=3)),
    ("aten::_scaled_dot_product_fused_attention_overrideable",
     AttentionOp(Backend.OTHER, _FORWARD, 1, causal=5, mask=3, lse=True)),
    ("aten::_flash_attention_forward",
     AttentionOp(_FLASH, _FORWARD, causal=8, packed=3, lse=True)),
    ("aten::_efficient_attention_forward",
     AttentionOp(_EFFICIENT, _FORWARD, mask_type=9, mask=3, packed=4, lse_at=10)),
    ("aten::_cudnn_attention_forward",
     AttentionOp(_CUDNN, _FORWARD, 1, causal=10, mask=3, packed=4, lse_at=8)),
    ("flash_attn::_flash_attn_forward", AttentionOp(_FLASH, _FORWARD, causal=5, lse=True)),
    ("FlashAttnFunc", AttentionOp(_FLASH, _FORWARD)),
    ("_fMHA", AttentionOp(None, _FORWARD)),
    ("sgl_kernel::fwd", AttentionOp(None, _FORWARD, tokens=True)),
    (re.compile(r"flash_attn(_\w+)?::\w*(fwd|forward)\w*$"), AttentionOp(_FLASH, _FORWARD)),
    (re.compile(r"FlashAttn\w*Func$"), AttentionOp(_FLASH, _FORWARD)),
    (re.compile(r"xformers_flash\d?::flash_fwd$"), AttentionOp(_FLASH, _FORWARD)),
    (re.compile(r"xformers::efficient_attention_forward_\w+$"), AttentionOp(_EFFICIENT, _FORWARD)),
    (re.compile(r"xformers::\w*splitk\w*$", re.IGNORECASE), AttentionOp(Backend.TRITON, _FORWARD)),
    (re.compile(r"vllm::unified_\w*attention\w*$|sglang::unified_attention(_with_output)?$"),
     AttentionOp(None, _FORWARD, tokens=True, paged=True)),
    (re.compile(r"_vllm_fa\d_C::\w*fwd\w*$"), AttentionOp(_FLASH, _FORWARD, tokens=True)),
    # (out, query, …), or (out, exponent sums, maxima, scratch, query, …) where it is split.
    (re.compile(r"_C::paged_attention_v1$"),
     AttentionOp(None, _FORWARD, q=1, tokens=True, paged=True)),
    (re.compile(r"(_C::paged_attention_v2|_rocm_C::paged_attention)$"),
     AttentionOp(None, _FORWARD, q=4, tokens=True, paged=True)),
    (re.compile(r"sgl(ang|_kernel)::\w*attention\w*$"), AttentionOp(None, _FORWARD, q=None)),
    (re.compile(r"flashinfer::\w*(prefill|decode|attention|mla)\w*(?<!plan)$"),
     AttentionOp(None, _FORWARD, q=None)),
    (re.compile(r"aiter::\w*(mha|fmha|flash_attn)\w*(fwd|forward)\w*$"),
     AttentionOp(_FLASH, _FORWARD)),
    (re.compile(r"aiter::_?mha_batch_prefill\w*$"),
     AttentionOp(_FLASH, _FORWARD, causal=12, tokens=True, paged=True)),
    (re.compile(r"(sageattn|sageattention)\w*::\w*(attn|sage)\w*$"),
     AttentionOp(Backend.SAGE, _FORWARD, q=None)),
    (re.compile(r"aiter::(paged_attention|pa_fwd|mla_)\w*$"), AttentionOp(None, _FORWARD, q=None)),
    (re.compile(r"FusedAttnFunc\w*$"), AttentionOp(None, _FORWARD, q=None)),
    ("aten::_scaled_dot_product_flash_attention_backward",
     AttentionOp(_FLASH, _BACKWARD, 1, 1, causal=11, packed=6, saved=(4, 5))),
    ("aten::_scaled_dot_product_flash_attention_for_cpu_backward",
     AttentionOp(_FLASH, _BACKWARD, 1, 1, causal=7, saved=(4, 5))),
    ("aten::_scaled_dot_product_efficient_attention_backward",
     AttentionOp(_EFFICIENT, _BACKWARD, 1, 1, causal=11, mask=4, saved=(5, 6))),
    ("aten::_scaled_dot_product_cudnn_attention_backward",
     AttentionOp(_CUDNN, _BACKWARD, 1, 1, causal=14, mask=8, packed=9, saved=(4, 5))),
    ("aten::_scaled_dot_product_fused_attention_overrideable_backward",
     AttentionOp(Backend.OTHER, _BACKWARD, 1, 1)),
    ("aten::_flash_attention_backward",
     AttentionOp(_FLASH, _BACKWARD, 2, 1, causal=11, packed=6, saved=(4, 5))),
    ("aten::_efficient_attention_backward",
     AttentionOp(_EFFICIENT, _BACKWARD, 2, 1, mask_type=14, mask=4, packed=6, saved=(5, 10))),
    ("aten::_cudnn_attention_backward",
     AttentionOp(_CUDNN, _BACKWARD, 1, 1, causal=14, mask=8, packed=9, saved=(4, 5))),
    ("flash_attn::_flash_attn_backward",
     AttentionOp(_FLASH, _BACKWARD, 2, 1, causal=11, saved=(4, 5))),
    (re.compile(r"flash_attn(_\w+)?::\w*(bwd|backward)\w*$"), AttentionOp(_FLASH, _BACKWARD, 2, 1)),
    (re.compile(r"xformers_flash\d?::flash_bwd$"), AttentionOp(_FLASH, _BACKWARD, 2, 1)),
    (re.compile(r"xformers::efficient_attention_backward_\w+$"),
     AttentionOp(_EFFICIENT, _BACKWARD, 2, 1)),
    (re.compile(r"aiter::\w*(mha|fmha|flash_attn)\w*(bwd|backward)\w*$"),
     AttentionOp(_FLASH, _BACKWARD, 2, 1)),
)
# fmt: on

NODES = re.compile(
    r"(ScaledDotProduct\w*|FlashAttn\w*|_?FlashAttention\w*|EfficientAttention\w*|_fMHA|"
    r"FusedAttn\w*|FlexAttention\w*)Backward\w*$"
)
"""Autograd nodes that are the backward of an attention op, as autograd names them."""

_NAMED = {name: op for name, op in _TABLE if isinstance(name, str)}
_PATTERNS = tuple((name, op) for name, op in _TABLE if isinstance(name, re.Pattern))
_LONGEST = 200

FLEX_TEMPLATES = {way: AttentionOp(Backend.FLEX, way, 1) for way in Direction}
"""FlexAttention's Triton templates; their names are Inductor's, not those of ops."""


@lru_cache(maxsize=1 << 18)
def attention_op(name: str) -> AttentionOp | None:
    """The row of an op that does a whole attention forward or backward, None for another op."""
    if name in _NAMED:
        return _NAMED[name]
    if "aten::" in name or len(name) > _LONGEST:
        return None
    return next((op for pattern, op in _PATTERNS if pattern.match(name)), None)
