"""Work of elementwise ops and of Inductor's fused kernels.

Outside the products FLOPs are a convention, small beside the bytes: one an output element.
"""

from __future__ import annotations

from functools import partial
from math import prod

from attntui.analysis.work.model import (
    MISSING,
    Arguments,
    Rule,
    Work,
    broadcast,
    promoted,
    read_once,
    unknown,
)


def elementwise(
    args: Arguments, *, arity: int, in_place: bool = False, itemsize: int | None = None
) -> Work:
    """Operands read, the broadcast result written; tensors past the arity are `out=`."""
    operands = args.tensors(*range(arity))
    if not operands:
        return MISSING
    shape = operands[0].shape if in_place else broadcast(operands)
    if shape is None:
        return unknown("shapes do not broadcast")
    size = operands[0].itemsize if in_place else itemsize or promoted(operands)
    return Work(prod(shape), read_once(operands), prod(shape) * size)


def _divide(args: Arguments, *, in_place: bool = False) -> Work:
    """True division of integers gives fp32."""
    operands = args.tensors(0, 1)
    whole = bool(operands) and all(tensor.rank < 2 for tensor in operands)
    return elementwise(args, arity=2, in_place=in_place, itemsize=4 if whole else None)


def _where(args: Arguments) -> Work:
    condition, chosen = args.tensor(0), args.tensors(1, 2)
    if condition is None:
        return MISSING
    shape = broadcast([condition, *chosen])
    if shape is None:
        return unknown("shapes do not broadcast")
    size = promoted(chosen) if chosen else 4
    return Work(prod(shape), read_once([condition, *chosen]), prod(shape) * size)


def _masked_fill(args: Arguments, *, in_place: bool) -> Work:
    tensor, mask = args.tensor(0), args.tensor(1)
    if tensor is None or mask is None:
        return MISSING
    shape = tensor.shape if in_place else broadcast([tensor, mask])
    if shape is None:
        return unknown("shapes do not broadcast")
    return Work(prod(shape), tensor.bytes + mask.bytes, prod(shape) * tensor.itemsize)


def _dropout(args: Arguments) -> Work:
    tensor = args.tensor(0)
    if tensor is None:
        return MISSING
    return Work(tensor.numel, tensor.bytes, tensor.numel * (tensor.itemsize + 1), "with its mask")


def triton(name: str, args: Arguments) -> Work:
    """An Inductor kernel: each pointer once, the fewest that its arguments allow.

    Inductor passes what it overwrites first, then inputs, then outputs, then the sizes of the
    iteration. In a pointwise or reduction kernel whose last tensor cannot be an output (it has
    neither the elements of the iteration nor one a row) the first one is overwritten, so it is
    read and written. Otherwise the last is taken for the output.
    """
    kinds = args.inputs.types
    tensors = args.tensors(*range(len(kinds)))
    if not tensors:
        return MISSING
    total = sum(tensor.bytes for tensor in tensors)
    first, last = tensors[0], tensors[-1]
    sizes = [args.whole(at) or 0 for at, kind in enumerate(kinds) if kind == "Scalar"][-2:]
    iterates = name.startswith(("triton_poi_", "triton_per_", "triton_red_"))
    if iterates and sizes and last.numel not in (*sizes, prod(sizes)):
        return Work(None, total, first.bytes, "the first pointer is overwritten in place")
    note = "each pointer once; what is overwritten in place would be read too"
    return Work(None, total - last.bytes, last.bytes, note)


_UNARY = """abs acos asin atan bitwise_not ceil clamp clamp_max clamp_min cos cosh cumprod cumsum
elu erf erfc exp exp2 expm1 flip floor frac gelu hardsigmoid hardswish hardtanh leaky_relu lgamma
log log10 log1p log2 log_sigmoid_forward logit mish nan_to_num neg positive reciprocal relu relu6
roll round rsqrt sgn sigmoid sign silu sin sinh softplus sqrt square tan tanh threshold trunc"""
_PREDICATES = "isfinite isinf isnan isneginf isposinf logical_not signbit"
_BINARY = """add atan2 bitwise_and bitwise_or bitwise_xor copysign floor_divide fmod gelu_backward
hardsigmoid_backward hardswish_backward hardtanh_backward leaky_relu_backward logit_backward
maximum minimum mul multiply pow remainder rsub sigmoid_backward silu_backward
softplus_backward sub subtract tanh_backward threshold_backward xlogy"""
_COMPARISONS = """eq ge greater greater_equal gt le less less_equal logical_and logical_or
logical_xor lt ne not_equal"""
_TERNARY = "addcdiv addcmul lerp"


def _rules() -> dict[str, Rule]:
    rules: dict[str, Rule] = {
        "where": _where,
        "masked_fill": partial(_masked_fill, in_place=False),
        "masked_fill_": partial(_masked_fill, in_place=True),
        "native_dropout": _dropout,
    }
    for name in ("div", "divide", "true_divide"):
        rules[name] = _divide
        rules[f"{name}_"] = partial(_divide, in_place=True)
    for names, arity, itemsize in (
        (_UNARY, 1, None),
        (_PREDICATES, 1, 1),
        (_BINARY, 2, None),
        (_COMPARISONS, 2, 1),
        (_TERNARY, 3, None),
    ):
        for name in names.split():
            rules[name] = partial(elementwise, arity=arity, itemsize=itemsize)
            rules[f"{name}_"] = partial(elementwise, arity=arity, in_place=True)
    return {f"aten::{name}": rule for name, rule in rules.items()}


RULES = _rules()
