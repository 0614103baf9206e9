"""The names of ops that do attention, or play a role in it."""

from __future__ import annotations

from attntui.analysis.attention_ops import (
    FLEX_TEMPLATES,
    NODES,
    AttentionOp,
    Backend,
    Direction,
    attention_op,
)
from attntui.analysis.kernel_names import decode
from attntui.analysis.names.words import Library, Operation

MAIN_KERNEL = {
    Direction.FORWARD: Operation.ATTENTION_FORWARD,
    Direction.BACKWARD: Operation.ATTENTION_BACKWARD,
}
"""What the kernel does that does most of a call."""
NODE_PREFIX = "autograd::engine::evaluate_function: "


def whole_op(name: str) -> AttentionOp | None:
    """What an op that does a whole attention is, forward or backward; None for another op."""
    return _flex_template(name) if name.startswith("triton_") else attention_op(name)


def fused_op(name: str, direction: Direction) -> AttentionOp | None:
    """What an op that does a whole attention in a direction is, None for another op."""
    op = whole_op(name)
    return op if op is not None and op.direction is direction else None


def forward_op(name: str) -> AttentionOp | None:
    """What an op that does a whole attention forward is, None for another op."""
    return fused_op(name, Direction.FORWARD)


def _flex_template(name: str) -> AttentionOp | None:
    """FlexAttention's forward or backward as a Triton template, None for another."""
    kernel = decode(name)
    if kernel.backend is not Backend.FLEX:
        return None
    ways = (way for way, operation in MAIN_KERNEL.items() if operation is kernel.operation)
    return next((FLEX_TEMPLATES[way] for way in ways), None)


def is_region(name: str) -> bool:
    """Whether an op stands for all of a compiled function, whatever that does."""
    return name.startswith(("Torch-Compiled Region", "CompiledFunction"))


def is_node(name: str) -> bool:
    """Whether autograd evaluates one node of the graph here; adding up a leaf's is none."""
    return name.startswith(NODE_PREFIX) and "AccumulateGrad" not in name


def is_attention_node(name: str) -> bool:
    """Whether an autograd node is the backward of a fused attention op."""
    return name.startswith(NODE_PREFIX) and bool(NODES.match(name[len(NODE_PREFIX) :]))


def does_attention(name: str) -> bool:
    """Whether a kernel launched by this very op is the attention itself."""
    return bool(whole_op(name) or NODES.match(name.removeprefix(NODE_PREFIX)[:200]))


PRIMITIVES = {"aten::mm": 0, "aten::bmm": 0, "aten::baddbmm": 1, "aten::baddbmm_": 1}
"""Products as they run, with the position of their first factor."""
_COMPOSITES = ("aten::matmul", "aten::einsum", "aten::__matmul__")


def is_product(name: str) -> bool:
    """A matrix product that can be one of attention's two; a layer's (`linear`) is none."""
    if name in PRIMITIVES or name in _COMPOSITES:
        return True
    return name.startswith("triton_tem_") and decode(name).operation is Operation.GEMM


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
    return kernel.library is Library.TRITON and kernel.operation is Operation.SOFTMAX


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
