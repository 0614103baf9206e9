"""The names of ops that do attention, or play a role in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from attntui.analysis.kernel_names import decode


@dataclass(frozen=True, slots=True)
class FusedOp:
    """What an attention op's name tells.

    `backend` is None where the op only dispatches. `heads_at` is the axis of the heads in
    4-d tensors: 1 for [batch, heads, length, dim], 2 for [batch, length, heads, dim], 0 where
    that is not known.
    `q` is the position of q; k and v follow. `tokens`: q is [tokens, heads, dim], the sequences
    of a batch one after another. `causal` is the position of a flag, `mask_type`
    that of the efficient backend's number (0 none, 1 and 2 causal), `mask` that of a mask or
    bias tensor. None: the op does not say.
    """

    backend: str | None
    heads_at: int = 2
    q: int | None = 0
    causal: int | None = None
    mask_type: int | None = None
    mask: int | None = None
    tokens: bool = False


# Positions as in PyTorch's native_functions.yaml and the packages' own schemas.
_ATEN = {
    "scaled_dot_product_attention": FusedOp(None, 1, causal=5, mask=3),
    "_scaled_dot_product_flash_attention": FusedOp("flash", 1, causal=4),
    "_scaled_dot_product_flash_attention_for_cpu": FusedOp("flash", 1, causal=4, mask=5),
    "_scaled_dot_product_efficient_attention": FusedOp("efficient", 1, causal=6, mask=3),
    "_scaled_dot_product_cudnn_attention": FusedOp("cudnn", 1, causal=6, mask=3),
    "_scaled_dot_product_attention_math": FusedOp("math", 1, causal=5, mask=3),
    "_scaled_dot_product_attention_math_for_mps": FusedOp("math", 1, causal=5, mask=3),
    "_scaled_dot_product_fused_attention_overrideable": FusedOp("other", 1, causal=5, mask=3),
    "_flash_attention_forward": FusedOp("flash", causal=8),
    "_efficient_attention_forward": FusedOp("efficient", mask_type=9, mask=3),
    "_cudnn_attention_forward": FusedOp("cudnn", 1, causal=10, mask=3),
}
_ATEN_BACKWARD = {
    "_scaled_dot_product_flash_attention_backward": FusedOp("flash", 1, 1, causal=11),
    "_scaled_dot_product_flash_attention_for_cpu_backward": FusedOp("flash", 1, 1, causal=7),
    "_scaled_dot_product_efficient_attention_backward": FusedOp(
        "efficient", 1, 1, causal=11, mask=4
    ),
    "_scaled_dot_product_cudnn_attention_backward": FusedOp("cudnn", 1, 1, causal=14, mask=8),
    "_scaled_dot_product_fused_attention_overrideable_backward": FusedOp("other", 1, 1),
    "_flash_attention_backward": FusedOp("flash", 2, 1, causal=11),
    "_efficient_attention_backward": FusedOp("efficient", 2, 1, mask_type=14, mask=4),
    "_cudnn_attention_backward": FusedOp("cudnn", 1, 1, causal=14, mask=8),
}
_EXACT = {
    **{f"aten::{name}": op for name, op in _ATEN.items()},
    "flash_attn::_flash_attn_forward": FusedOp("flash", causal=5),
    "FlashAttnFunc": FusedOp("flash"),
    "_fMHA": FusedOp(None),
    "vllm::unified_attention": FusedOp(None, tokens=True),
    "vllm::unified_attention_with_output": FusedOp(None, tokens=True),
    "sglang::unified_attention": FusedOp(None, tokens=True),
    "sglang::unified_attention_with_output": FusedOp(None, tokens=True),
    "sgl_kernel::fwd": FusedOp(None, tokens=True),
}
_EXACT_BACKWARD = {
    **{f"aten::{name}": op for name, op in _ATEN_BACKWARD.items()},
    "flash_attn::_flash_attn_backward": FusedOp("flash", 2, 1, causal=11),
}
# (pattern, what it is) for ops of packages, tried in order. q None: where q, k and v stand is
# not known, so no sizes are read.
_PATTERNS: tuple[tuple[re.Pattern[str], FusedOp], ...] = (
    (re.compile(r"flash_attn(_\w+)?::\w*(fwd|forward)\w*$"), FusedOp("flash")),
    (re.compile(r"FlashAttn\w*Func$"), FusedOp("flash")),
    (re.compile(r"xformers_flash\d?::flash_fwd$"), FusedOp("flash")),
    (re.compile(r"xformers::efficient_attention_forward_\w+$"), FusedOp("efficient")),
    (re.compile(r"xformers::\w*splitk\w*$", re.IGNORECASE), FusedOp("triton")),
    (re.compile(r"vllm::unified_\w*attention\w*$"), FusedOp(None, tokens=True)),
    (re.compile(r"_vllm_fa\d_C::\w*fwd\w*$"), FusedOp("flash", tokens=True)),
    # (out, query, …), or (out, exponent sums, maxima, scratch, query, …) where it is split.
    (re.compile(r"_C::paged_attention_v1$"), FusedOp(None, q=1, tokens=True)),
    (
        re.compile(r"(_C::paged_attention_v2|_rocm_C::paged_attention)$"),
        FusedOp(None, q=4, tokens=True),
    ),
    (re.compile(r"sgl(ang|_kernel)::\w*attention\w*$"), FusedOp(None, q=None)),
    (
        re.compile(r"flashinfer::\w*(prefill|decode|attention|mla)\w*(?<!plan)$"),
        FusedOp(None, q=None),
    ),
    (re.compile(r"aiter::\w*(mha|fmha|flash_attn)\w*(fwd|forward)\w*$"), FusedOp("flash")),
    (re.compile(r"aiter::(paged_attention|pa_fwd|mla_)\w*$"), FusedOp(None, q=None)),
    (re.compile(r"FusedAttnFunc\w*$"), FusedOp(None, q=None)),
)
_BACKWARD_PATTERNS: tuple[tuple[re.Pattern[str], FusedOp], ...] = (
    (re.compile(r"flash_attn(_\w+)?::\w*(bwd|backward)\w*$"), FusedOp("flash", 2, 1)),
    (re.compile(r"xformers_flash\d?::flash_bwd$"), FusedOp("flash", 2, 1)),
    (re.compile(r"xformers::efficient_attention_backward_\w+$"), FusedOp("efficient", 2, 1)),
    (re.compile(r"aiter::\w*(mha|fmha|flash_attn)\w*(bwd|backward)\w*$"), FusedOp("flash", 2, 1)),
)
NODE_PREFIX = "autograd::engine::evaluate_function: "
_NODE = re.compile(
    r"(ScaledDotProduct\w*|FlashAttn\w*|_?FlashAttention\w*|EfficientAttention\w*|_fMHA|"
    r"FusedAttn\w*|FlexAttention\w*)Backward\w*$"
)


@lru_cache(maxsize=16384)
def fused_op(name: str) -> FusedOp | None:
    """What an op that does a whole attention forward is, None for another op."""
    if name in _EXACT:
        return _EXACT[name]
    if name.startswith("triton_"):
        flex = flex_direction(name)
        return FusedOp("flex", 1) if flex == "forward" else None
    if "aten::" in name or len(name) > 200:
        return None
    return next((op for pattern, op in _PATTERNS if pattern.match(name)), None)


@lru_cache(maxsize=16384)
def fused_backward_op(name: str) -> FusedOp | None:
    """What an op that does a whole attention backward is, None for another op."""
    if name in _EXACT_BACKWARD:
        return _EXACT_BACKWARD[name]
    if name.startswith("triton_"):
        return FusedOp("flex", 1) if flex_direction(name) == "backward" else None
    if "aten::" in name or len(name) > 200:
        return None
    return next((op for pattern, op in _BACKWARD_PATTERNS if pattern.match(name)), None)


def flex_direction(name: str) -> str | None:
    """Whether a Triton template is FlexAttention's forward or backward, None for neither."""
    kernel = decode(name)
    if not any(op.startswith("flex_") for op in kernel.fused_ops):
        return None
    if kernel.operation == "attention forward":
        return "forward"
    return "backward" if kernel.operation == "attention backward" else None


def is_region(name: str) -> bool:
    """Whether an op stands for all of a compiled function, whatever that does."""
    return name.startswith(("Torch-Compiled Region", "CompiledFunction"))


def is_node(name: str) -> bool:
    """Whether autograd evaluates one node of the graph here; adding up a leaf's is none."""
    return name.startswith(NODE_PREFIX) and "AccumulateGrad" not in name


def is_attention_node(name: str) -> bool:
    """Whether an autograd node is the backward of a fused attention op."""
    return name.startswith(NODE_PREFIX) and bool(_NODE.match(name[len(NODE_PREFIX) :]))


def does_attention(name: str) -> bool:
    """Whether a kernel launched by this very op is the attention itself."""
    return bool(
        fused_op(name)
        or fused_backward_op(name)
        or _NODE.match(name.removeprefix(NODE_PREFIX)[:200])
    )


PRIMITIVES = {"aten::mm": 0, "aten::bmm": 0, "aten::baddbmm": 1, "aten::baddbmm_": 1}
"""Products as they run, with the position of their first factor."""
_COMPOSITES = ("aten::matmul", "aten::einsum", "aten::__matmul__")


def is_product(name: str) -> bool:
    """A matrix product that can be one of attention's two; a layer's (`linear`) is none."""
    if name in PRIMITIVES or name in _COMPOSITES:
        return True
    return name.startswith("triton_tem_") and decode(name).operation == "gemm"


def is_softmax(name: str) -> bool:
    """A softmax as an op of its own, whoever wrote it, or fused by Inductor."""
    if name.startswith("triton_"):
        ops = decode(name).fused_ops
        return any("softmax" in op and _plain_softmax(op) for op in ops)
    return "softmax" in name.lower() and _plain_softmax(name) and not name.startswith(NODE_PREFIX)


def is_softmax_kernel(name: str) -> bool:
    """A softmax kernel of Triton's, fused by Inductor or written by hand."""
    if name.startswith("triton_"):
        return is_softmax(name)
    kernel = decode(name)
    return kernel.library == "Triton" and kernel.operation == "softmax"


def _plain_softmax(name: str) -> bool:
    return not any(word in name.lower() for word in ("log", "backward", "gumbel", "grad"))


def is_softmax_backward(name: str) -> bool:
    """The backward of a softmax as an op, or fused by Inductor."""
    if name.startswith("triton_"):
        return "_softmax_backward_data" in decode(name).fused_ops
    return name == "aten::_softmax_backward_data"


def _aten(names: str) -> frozenset[str]:
    return frozenset(f"aten::{name}" for name in names.split())


COPIES = _aten(
    "to _to_copy clone copy_ contiguous type_as repeat repeat_interleave cat pad constant_pad_nd "
    "reshape flatten index_select"
)
SCALES = _aten("mul mul_ div div_ true_divide divide multiply sqrt")
_MASK_SHAPING = _aten(
    "sub sub_ rsub masked_fill masked_fill_ masked_scatter where ones zeros full empty fill_ zero_ "
    "ones_like zeros_like full_like new_ones new_zeros new_full triu triu_ tril tril_ arange "
    "ge le gt lt eq ne logical_not logical_and logical_or logical_xor bitwise_not bitwise_and "
    "bitwise_or scalar_tensor any all clamp_min clamp nan_to_num lift_fresh isneginf"
)
MASK_BUILDING = _MASK_SHAPING - _aten("sub sub_")
"""What makes a mask, when it comes just before the first product."""
MASKS = _MASK_SHAPING | _aten("add add_ index")
"""What makes a mask, or puts one or a bias on the scores."""
DROPOUTS = _aten(
    "dropout dropout_ native_dropout _fused_dropout bernoulli bernoulli_ feature_dropout "
    "alpha_dropout"
)
VIEWS = _aten(
    "view transpose permute expand as_strided unsqueeze squeeze slice select t numpy_T mT narrow "
    "unflatten detach alias expand_as view_as unbind split chunk _unsafe_view _reshape_alias "
    "swapaxes movedim reshape contiguous flatten"
)
WHOLE_COPIES = frozenset(("aten::copy_", "aten::clone", "aten::contiguous", "aten::_to_copy"))
"""Inside another op these move a tensor for it: to another layout or type, or to keep it."""
