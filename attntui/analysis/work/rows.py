"""Work along rows: reductions, softmax, norms.

FLOPs are a convention, small beside the bytes: one an input element for a reduction; for each
element softmax 5 (maximum, subtract, exponential, sum, divide), its backward 4, layer norm 8, RMS
norm 4, and their backwards twice that.
"""

from __future__ import annotations

from functools import partial
from math import prod

from attntui.analysis.work.model import MISSING, Arguments, Rule, Work, read_once
from attntui.analysis.work.pointwise import elementwise
from attntui.trace.model import Shape

_SOFTMAX, _SOFTMAX_BACKWARD, _LAYER_NORM, _RMS_NORM = 5, 4, 8, 4


def _reduced(shape: Shape, axes: Shape) -> int | None:
    """Elements left after reducing axes (none named: all of them); None for axes out of range."""
    if not axes:
        return 1
    rank = len(shape)
    if any(not -rank <= axis < rank for axis in axes):
        return None
    gone = {axis % rank for axis in axes}
    return prod(size for axis, size in enumerate(shape) if axis not in gone)


def reduction(
    args: Arguments, *, axes_at: int = 1, itemsize: int | None = None, beside: int = 0
) -> Work:
    """The input read, one element a reduced row written (and `beside` bytes, for an index)."""
    tensor = args.tensor(0)
    if tensor is None:
        return MISSING
    axes = args.numbers(axes_at) if axes_at < len(args.inputs.types) else ()
    left = _reduced(tensor.shape, axes) if axes is not None else None
    if left is None:
        return Work(tensor.numel, tensor.bytes, None, "which axes were reduced is not recorded")
    size = itemsize or tensor.itemsize
    return Work(tensor.numel, tensor.bytes, left * (size + (beside if axes else 0)))


def _sum(args: Arguments) -> Work:
    tensor = args.tensor(0)
    # Integers and booleans are summed in 64 bits.
    wide = tensor is not None and tensor.rank < 2
    return reduction(args, itemsize=8 if wide else None)


def _extreme(args: Arguments) -> Work:
    """`max(self)`, `max(self, dim)` with an index beside each value, `max(self, other)`."""
    if args.tensor(1) is not None:
        return elementwise(args, arity=2)
    return reduction(args, beside=8)


def _softmax(args: Arguments) -> Work:
    tensor = args.tensor(0)
    if tensor is None:
        return MISSING
    # `_softmax(self, dim, half_to_float)`, `softmax(self, dim, dtype)`.
    size = 4 if args.flag(2) else args.type_size(2) or tensor.itemsize
    return Work(_SOFTMAX * tensor.numel, tensor.bytes, tensor.numel * size)


def _softmax_backward(args: Arguments) -> Work:
    grad, output = args.tensor(0), args.tensor(1)
    if grad is None or output is None:
        return MISSING
    size = args.type_size(3) or grad.itemsize
    return Work(_SOFTMAX_BACKWARD * output.numel, grad.bytes + output.bytes, output.numel * size)


def _layer_norm(args: Arguments, *, weights: tuple[int, ...], statistics: int) -> Work:
    """`statistics`: fp32 figures a row that are kept for the backward (mean, 1 / deviation)."""
    tensor = args.tensor(0)
    if tensor is None:
        return MISSING
    normalised = args.numbers(1)
    width = prod(normalised) if normalised else 0
    rows = tensor.numel // width if width > 0 else 0
    return Work(
        _LAYER_NORM * tensor.numel,
        read_once([tensor, *args.tensors(*weights)]),
        tensor.numel * tensor.itemsize + 4 * statistics * rows,
    )


def _layer_norm_backward(args: Arguments) -> Work:
    """`(grad, input, shape, mean, rstd, weight, bias, mask)`."""
    grad, tensor = args.tensor(0), args.tensor(1)
    if grad is None or tensor is None:
        return MISSING
    weights = args.tensors(5, 6)
    return Work(
        2 * _LAYER_NORM * tensor.numel,
        read_once([grad, tensor, *args.tensors(3, 4, 5)]),
        tensor.numel * tensor.itemsize + sum(w.numel * w.itemsize for w in weights),
    )


def _norm(args: Arguments, *, flops: int, read: tuple[int, ...], like: int = 0) -> Work:
    """A norm that reads its arguments at `read` and writes a tensor like the one at `like`."""
    tensor = args.tensor(like)
    if tensor is None:
        return MISSING
    return Work(
        flops * tensor.numel, read_once(args.tensors(*read)), tensor.numel * tensor.itemsize
    )


def _fused_add_rms_norm(args: Arguments) -> Work:
    """`(input, residual, weight, epsilon)`: both are written in place."""
    tensor, residual = args.tensor(0), args.tensor(1)
    if tensor is None or residual is None:
        return MISSING
    return Work(
        (_RMS_NORM + 1) * tensor.numel,
        read_once(args.tensors(0, 1, 2)),
        tensor.numel * tensor.itemsize + residual.numel * residual.itemsize,
    )


_ATEN: dict[str, Rule] = {
    "sum": _sum,
    "mean": reduction,
    "amax": reduction,
    "amin": reduction,
    "prod": reduction,
    "logsumexp": reduction,
    "var": reduction,
    "std": reduction,
    "all": partial(reduction, itemsize=1),
    "any": partial(reduction, itemsize=1),
    "max": _extreme,
    "min": _extreme,
    "argmax": partial(reduction, itemsize=8),
    "argmin": partial(reduction, itemsize=8),
    "norm": partial(reduction, axes_at=2),
    "linalg_vector_norm": partial(reduction, axes_at=2),
    "softmax": _softmax,
    "_softmax": _softmax,
    "_safe_softmax": _softmax,
    "log_softmax": _softmax,
    "_log_softmax": _softmax,
    "_softmax_backward_data": _softmax_backward,
    "_log_softmax_backward_data": _softmax_backward,
    "layer_norm": partial(_layer_norm, weights=(2, 3), statistics=0),
    "native_layer_norm": partial(_layer_norm, weights=(2, 3), statistics=2),
    "native_layer_norm_backward": _layer_norm_backward,
    "rms_norm": partial(_norm, flops=_RMS_NORM, read=(0, 2)),
    "_fused_rms_norm": partial(_norm, flops=_RMS_NORM, read=(0, 2)),
    "_fused_rms_norm_backward": partial(_norm, flops=2 * _RMS_NORM, read=(0, 1, 3, 4), like=1),
    "native_group_norm": partial(_norm, flops=_LAYER_NORM, read=(0, 1, 2)),
    "native_group_norm_backward": partial(
        _norm, flops=2 * _LAYER_NORM, read=(0, 1, 2, 3, 4), like=1
    ),
    "native_batch_norm": partial(_norm, flops=_LAYER_NORM, read=(0, 1, 2)),
    "cudnn_batch_norm": partial(_norm, flops=_LAYER_NORM, read=(0, 1, 2)),
    "miopen_batch_norm": partial(_norm, flops=_LAYER_NORM, read=(0, 1, 2)),
    "native_batch_norm_backward": partial(_norm, flops=2 * _LAYER_NORM, read=(0, 1, 2), like=1),
    "cudnn_batch_norm_backward": partial(_norm, flops=2 * _LAYER_NORM, read=(0, 1, 2)),
    "miopen_batch_norm_backward": partial(_norm, flops=2 * _LAYER_NORM, read=(0, 1, 2)),
}
RULES: dict[str, Rule] = {f"aten::{name}": rule for name, rule in _ATEN.items()} | {
    # vLLM's take the output first.
    "_C::rms_norm": partial(_norm, flops=_RMS_NORM, read=(1, 2)),
    "_C::fused_add_rms_norm": _fused_add_rms_norm,
    "_C::silu_and_mul": partial(_norm, flops=2, read=(1,)),
    "_C::gelu_and_mul": partial(_norm, flops=2, read=(1,)),
}
