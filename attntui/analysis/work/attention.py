"""Work of fused attention, forward and backward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attntui.analysis.work.model import MISSING, Arguments, Tensor, Work, unknown


def attention_flops(
    batch: int,
    heads: int,
    q_len: int,
    kv_len: int,
    head_dim: int,
    *,
    value_dim: int | None = None,
    causal: bool = False,
    backward: bool = False,
) -> int:
    """FLOPs of one attention call's products: q k^T and the weights times v.

    2 x batch x heads x q_len x kv_len x (head_dim + value_dim). Causal counts half of it. A fused
    backward runs five products where the forward runs two (it computes the scores again, then
    the gradients of v, the weights, q and k): three of width head_dim, two of value_dim.
    """
    values = head_dim if value_dim is None else value_dim
    width = 3 * head_dim + 2 * values if backward else head_dim + values
    flops = 2 * batch * heads * q_len * kv_len * width
    return flops // 2 if causal else flops


def fused_attention_bytes(
    batch: int,
    heads: int,
    kv_heads: int,
    q_len: int,
    kv_len: int,
    head_dim: int,
    itemsize: int,
) -> int:
    """Bytes that a fused forward moves at least: q, k, v read once, the output written once."""
    rows = 2 * heads * q_len + 2 * kv_heads * kv_len
    return batch * rows * head_dim * itemsize


_DIMENSIONS = 4
_FLOATING = 2
"""The rank of floating-point types among PyTorch's."""


def sizes_alike(args: Arguments, at: int, heads_at: int) -> bool:
    """Whether the tensors at a position and the next two can be q, k and v of one type, as
    [batch, ., ., dim] with the heads on an axis.
    """
    tensors = args.tensors(at, at + 1, at + 2)
    if len(tensors) < 3 or {len(tensor.shape) for tensor in tensors} != {_DIMENSIONS}:
        return False
    if len(set(args.inputs.types[at : at + 3])) > 1 or tensors[0].rank != _FLOATING:
        return False
    q, k, v = (tensor.shape for tensor in tensors)
    same = q[0] == k[0] and q[3] == k[3] and k[:3] == v[:3]
    return same and k[heads_at] > 0 and q[heads_at] % k[heads_at] == 0


def first_of_three(args: Arguments) -> int | None:
    """The position of q where the first tensor of an op without a rule and the two beside it
    can be q, k and v in either layout, else None.
    """
    kinds = range(len(args.inputs.types))
    first = next((at for at in kinds if args.tensor(at) is not None), None)
    if first is None:
        return None
    return first if any(sizes_alike(args, first, axis) for axis in (1, 2)) else None


@dataclass(frozen=True, slots=True)
class _Form:
    """Where an attention op keeps what matters, by argument position.

    `heads_at` is the axis of the heads: 1 for (batch, heads, length, dim), 2 for (batch,
    length, heads, dim). `causal` says whether the call was causal, `lse` whether it wrote the
    log-sum-exp of each row. `packed` is a position that holds sequence offsets when sequences of
    several lengths lie in one tensor: the lengths are not in the trace then.
    """

    heads_at: int
    causal: Callable[[Arguments], bool | None]
    bias: int | None = None
    lse: Callable[[Arguments], bool | None] = lambda _: False
    packed: int | None = None
    full: bool = False


def _flag(at: int) -> Callable[[Arguments], bool | None]:
    return lambda args: args.flag(at)


def _mask_type(at: int) -> Callable[[Arguments], bool | None]:
    """Of the efficient backend: 0 no mask, 1 and 2 causal from the upper left or lower right."""

    def told(args: Arguments) -> bool | None:
        kind = args.whole(at)
        return None if kind is None else kind > 0

    return told


def _always(_: Arguments) -> bool:
    return True


# Positions as in PyTorch's native_functions.yaml and the packages' own op schemas.
_FORWARD: dict[str, _Form] = {
    "aten::scaled_dot_product_attention": _Form(1, _flag(5), bias=3),
    "aten::_scaled_dot_product_attention_math": _Form(1, _flag(5), bias=3, full=True),
    "aten::_scaled_dot_product_flash_attention": _Form(1, _flag(4), lse=_always),
    "aten::_scaled_dot_product_efficient_attention": _Form(1, _flag(6), bias=3, lse=_flag(4)),
    "aten::_scaled_dot_product_cudnn_attention": _Form(1, _flag(6), bias=3, lse=_flag(4)),
    "aten::_scaled_dot_product_fused_attention_overrideable": _Form(
        1, _flag(5), bias=3, lse=_always
    ),
    "aten::_flash_attention_forward": _Form(2, _flag(8), lse=_always, packed=3),
    "aten::_efficient_attention_forward": _Form(2, _mask_type(9), bias=3, lse=_flag(10), packed=4),
    "aten::_cudnn_attention_forward": _Form(1, _flag(10), bias=3, lse=_flag(8), packed=4),
    "flash_attn::_flash_attn_forward": _Form(2, _flag(5), lse=_always),
}


@dataclass(frozen=True, slots=True)
class _BackwardForm:
    """As `_Form`; `saved` are the positions of the output and of the log-sum-exp."""

    heads_at: int
    causal: Callable[[Arguments], bool | None]
    saved: tuple[int, int]
    bias: int | None = None
    packed: int | None = None


_BACKWARD: dict[str, _BackwardForm] = {
    "aten::_scaled_dot_product_flash_attention_backward": _BackwardForm(
        1, _flag(11), (4, 5), packed=6
    ),
    "aten::_flash_attention_backward": _BackwardForm(2, _flag(11), (4, 5), packed=6),
    "aten::_scaled_dot_product_efficient_attention_backward": _BackwardForm(
        1, _flag(11), (5, 6), bias=4
    ),
    "aten::_efficient_attention_backward": _BackwardForm(
        2, _mask_type(14), (5, 10), bias=4, packed=6
    ),
    "aten::_scaled_dot_product_cudnn_attention_backward": _BackwardForm(
        1, _flag(14), (4, 5), bias=8, packed=9
    ),
    "aten::_cudnn_attention_backward": _BackwardForm(1, _flag(14), (4, 5), bias=8, packed=9),
    "flash_attn::_flash_attn_backward": _BackwardForm(2, _flag(11), (4, 5)),
}

_PAGED = ("vllm::unified_attention", "sglang::unified_attention", "_C::paged_attention")


def _flops(q: Tensor, k: Tensor, v: Tensor, heads_at: int, *, causal: bool, backward: bool) -> int:
    length_at = 3 - heads_at
    return attention_flops(
        q.shape[0],
        q.shape[heads_at],
        q.shape[length_at],
        k.shape[length_at],
        q.shape[3],
        value_dim=v.shape[3],
        causal=causal,
        backward=backward,
    )


def _causal_note(told: bool | None) -> str:
    if told is None:
        return "whether causal is not recorded: FLOPs in full"
    return "causal: half the FLOPs" if told else ""


def _forward(args: Arguments, form: _Form) -> Work:
    q, k, v = args.tensor(0), args.tensor(1), args.tensor(2)
    if q is None or k is None or v is None:
        return MISSING
    if form.packed is not None and args.tensor(form.packed) is not None:
        return unknown("sequences of several lengths: their lengths are not recorded")
    if any(len(tensor.shape) != _DIMENSIONS for tensor in (q, k, v)):
        return unknown("not a batch of heads")
    told = form.causal(args)
    bias = args.tensor(form.bias) if form.bias is not None else None
    rows = q.numel // q.shape[3] if q.shape[3] else 0
    written = rows * v.shape[3] * q.itemsize
    if form.lse(args):
        written += rows * 4
    note = _causal_note(told)
    if form.full:
        note = "the math backend computes every score; bytes as one fused kernel"
    return Work(
        _flops(q, k, v, form.heads_at, causal=bool(told) and not form.full, backward=False),
        q.bytes + k.bytes + v.bytes + (bias.bytes if bias else 0),
        written,
        note,
    )


def _backward(args: Arguments, form: _BackwardForm) -> Work:
    grad, q, k, v = (args.tensor(at) for at in range(4))
    out, lse = (args.tensor(at) for at in form.saved)
    if grad is None or q is None or k is None or v is None:
        return MISSING
    if form.packed is not None and args.tensor(form.packed) is not None:
        return unknown("sequences of several lengths: their lengths are not recorded")
    if any(len(tensor.shape) != _DIMENSIONS for tensor in (q, k, v)):
        return unknown("not a batch of heads")
    told = form.causal(args)
    bias = args.tensor(form.bias) if form.bias is not None else None
    read = [tensor for tensor in (grad, q, k, v, out, lse, bias) if tensor is not None]
    return Work(
        _flops(q, k, v, form.heads_at, causal=bool(told), backward=True),
        sum(tensor.bytes for tensor in read),
        sum(tensor.numel * tensor.itemsize for tensor in (q, k, v)),
        _causal_note(told),
    )


def attention_work(name: str, args: Arguments) -> Work | None:
    """Work of a fused attention op, or None for another op."""
    forward = _FORWARD.get(name)
    if forward:
        return _forward(args, forward)
    backward = _BACKWARD.get(name)
    if backward:
        return _backward(args, backward)
    if name.startswith(_PAGED):
        return unknown("paged keys and values: the context lengths are not recorded")
    return None
