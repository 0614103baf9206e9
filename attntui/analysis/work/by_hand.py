"""Work of hand-written kernels: no table has their ops, but a kernel's name may say what it
does, and the inputs of the op that launched it on what.
"""

from __future__ import annotations

from attntui.analysis.names.words import Operation
from attntui.analysis.work.attention import attention_flops, first_of_three
from attntui.analysis.work.model import Arguments, Work, read_once

# As for PyTorch's own softmax, see `rows`.
_SOFTMAX, _SOFTMAX_BACKWARD = 5, 4


def work_by_hand(operation: str | None, op: str, args: Arguments) -> Work | None:
    """Work of a kernel that does `operation`, launched by an op without a rule; None where
    name and inputs do not tell.
    """
    if operation is Operation.ATTENTION_FORWARD:
        return _attention(args)
    # Only an op that says softmax too has the softmax's input among its own.
    if "softmax" not in op.lower():
        return None
    if operation is Operation.SOFTMAX:
        return _softmax(args)
    return _softmax_backward(args) if operation is Operation.SOFTMAX_BACKWARD else None


def _softmax(args: Arguments) -> Work | None:
    """The first tensor is weighed; others (a mask, a bias) are read."""
    tensors = args.tensors(*range(len(args.inputs.types)))
    if not tensors:
        return None
    size = tensors[0].numel
    note = "every score read; a kernel that skips what a causal mask hides reads half"
    return Work(_SOFTMAX * size, read_once(tensors), size * tensors[0].itemsize, note)


def _softmax_backward(args: Arguments) -> Work | None:
    """The first tensor is the gradient; the weights that the forward saved are as large."""
    tensors = args.tensors(*range(len(args.inputs.types)))
    if not tensors:
        return None
    size, moved = tensors[0].numel, tensors[0].numel * tensors[0].itemsize
    return Work(_SOFTMAX_BACKWARD * size, tensors[0].bytes + moved, moved)


def _attention(args: Arguments) -> Work | None:
    """q, k and v read once, the output written once. Which axis has the heads is not told, so
    FLOPs are known only where both axes give the same.
    """
    at = first_of_three(args)
    if at is None:
        return None
    q, k, v = args.tensors(at, at + 1, at + 2)
    alike = q.shape[1] == q.shape[2] and k.shape[1] == k.shape[2]
    batch, heads, length, dim = q.shape
    written = batch * heads * length * v.shape[3] * q.itemsize
    flops = attention_flops(batch, heads, length, k.shape[2], dim, value_dim=v.shape[3])
    return Work(
        flops if alike else None,
        q.bytes + k.bytes + v.bytes,
        written,
        "whether causal is not recorded: FLOPs in full" if alike else "heads and lengths not told",
    )
