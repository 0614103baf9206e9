"""Work of fused attention, forward and backward."""

from __future__ import annotations

from attntui.analysis.attention_ops import AttentionOp, Direction, attention_op
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
_LSE_BYTES = 4
"""The log-sum-exp of a row is an fp32 number."""


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


def causal_of(args: Arguments, op: AttentionOp) -> bool | None:
    """A call's own word for causal, None where its op has none or it was not recorded."""
    if op.causal is not None:
        return args.flag(op.causal)
    kind = args.whole(op.mask_type) if op.mask_type is not None else None
    return None if kind is None else kind > 0


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


def _work(args: Arguments, op: AttentionOp) -> Work:
    """A forward reads q, k, v and the bias, and writes the output. A backward reads the output's
    gradient, the output and the log-sum-exp as well, and writes gradients as large as q, k, v.
    """
    backward = op.direction is Direction.BACKWARD
    at = op.q or 0
    grad = args.tensor(0) if backward else None
    q, k, v = args.tensor(at), args.tensor(at + 1), args.tensor(at + 2)
    if q is None or k is None or v is None or (backward and grad is None):
        return MISSING
    if op.packed is not None and args.tensor(op.packed) is not None:
        return unknown("sequences of several lengths: their lengths are not recorded")
    if any(len(tensor.shape) != _DIMENSIONS for tensor in (q, k, v)):
        return unknown("not a batch of heads")
    told = causal_of(args, op)
    full = op.backend is not None and op.backend.separate
    beside = [args.tensor(place) for place in (op.mask, *(op.saved or ())) if place is not None]
    read = [tensor for tensor in (q, k, v, grad, *beside) if tensor is not None]
    if backward:
        written = sum(tensor.numel * tensor.itemsize for tensor in (q, k, v))
    else:
        rows = q.numel // q.shape[3] if q.shape[3] else 0
        lse = op.lse or (op.lse_at is not None and args.flag(op.lse_at))
        written = rows * (v.shape[3] * q.itemsize + (_LSE_BYTES if lse else 0))
    note = "the math backend computes every score; bytes as one fused kernel"
    return Work(
        _flops(q, k, v, op.heads_at, causal=bool(told) and not full, backward=backward),
        sum(tensor.bytes for tensor in read),
        written,
        note if full else _causal_note(told),
    )


def attention_work(name: str, args: Arguments) -> Work | None:
    """Work of a fused attention op, or None for another op and one that says no more than q."""
    op = attention_op(name)
    if op is None:
        return None
    if op.paged:
        return unknown("paged keys and values: the context lengths are not recorded")
    return None if op.causal is None and op.mask_type is None else _work(args, op)
