"""Work of matrix products and convolutions."""

from __future__ import annotations

from math import prod

from attntui.analysis.work.model import (
    MISSING,
    Arguments,
    Tensor,
    Work,
    broadcast,
    read_once,
    unknown,
)
from attntui.trace.model import Shape

_MISMATCH = unknown("shapes do not fit a product")


def _product(
    a: Tensor, b: Tensor, added: Tensor | None = None, *, itemsize: int | None = None
) -> Work:
    """`a @ b` by the rules of torch.matmul, plus what is added to it.

    2 x batch x m x n x k FLOPs; the addition is not counted, as PyTorch's counter does not.
    """
    rows = a.shape if len(a.shape) > 1 else (1, *a.shape)
    columns = b.shape if len(b.shape) > 1 else (*b.shape, 1)
    if len(a.shape) < 1 or len(b.shape) < 1 or rows[-1] != columns[-2]:
        return _MISMATCH
    lead = [Tensor(shape, 1, 0, prod(shape)) for shape in (rows[:-2], columns[:-2])]
    batch = broadcast(lead)
    if batch is None:
        return _MISMATCH
    m, k, n = rows[-2], rows[-1], columns[-1]
    elements = prod(batch) * m * n
    read = a.bytes + b.bytes + (added.bytes if added else 0)
    return Work(2 * elements * k, read, elements * (itemsize or a.itemsize))


def _plain(args: Arguments) -> Work:
    a, b = args.tensor(0), args.tensor(1)
    return MISSING if a is None or b is None else _product(a, b)


def _added(args: Arguments) -> Work:
    added, a, b = args.tensor(0), args.tensor(1), args.tensor(2)
    if a is None or b is None:
        return MISSING
    # With beta 0 the added tensor is not read.
    unused = args.text(3) in ("0", "0.", "0.0")
    return _product(a, b, None if unused else added)


def _linear(args: Arguments) -> Work:
    x, weight, bias = args.tensor(0), args.tensor(1), args.tensor(2)
    if x is None or weight is None:
        return MISSING
    turned = Tensor(weight.shape[::-1], weight.itemsize, weight.rank, weight.distinct)
    return _product(x, turned, bias)


def _scaled(args: Arguments) -> Work:
    """`_scaled_mm(a, b, scale_a, scale_b, bias, scale_result, out_dtype, …)`."""
    a, b = args.tensor(0), args.tensor(1)
    if a is None or b is None:
        return MISSING
    return _product(a, b, args.tensor(4), itemsize=args.type_size(6))


def _integer(args: Arguments) -> Work:
    a, b = args.tensor(0), args.tensor(1)
    return MISSING if a is None or b is None else _product(a, b, itemsize=4)


_PRODUCTS = {
    "aten::mm": _plain,
    "aten::bmm": _plain,
    "aten::mv": _plain,
    "aten::dot": _plain,
    "aten::vdot": _plain,
    "aten::matmul": _plain,
    "aten::addmm": _added,
    "aten::addmm_": _added,
    "aten::_addmm_activation": _added,
    "aten::addmv": _added,
    "aten::baddbmm": _added,
    "aten::baddbmm_": _added,
    "aten::linear": _linear,
    "aten::_scaled_mm": _scaled,
    "aten::_int_mm": _integer,
}

# Convolutions: positions of bias, stride, padding, dilation, transposed, output padding, groups.
_Positions = tuple[int | None, int, int, int, int | None, int | None, int]
_CONVOLUTIONS: dict[str, _Positions] = {
    "aten::convolution": (2, 3, 4, 5, 6, 7, 8),
    "aten::_convolution": (2, 3, 4, 5, 6, 7, 8),
    "aten::convolution_overrideable": (2, 3, 4, 5, 6, 7, 8),
    "aten::conv1d": (2, 3, 4, 5, None, None, 6),
    "aten::conv2d": (2, 3, 4, 5, None, None, 6),
    "aten::conv3d": (2, 3, 4, 5, None, None, 6),
    "aten::cudnn_convolution": (None, 3, 2, 4, None, None, 5),
    "aten::miopen_convolution": (2, 4, 3, 5, None, None, 6),
}


def _spread(numbers: Shape | None, axes: int) -> Shape | None:
    """One number an axis; PyTorch takes a single one for all."""
    if numbers is None:
        return None
    return numbers * axes if len(numbers) == 1 else numbers if len(numbers) == axes else None


def _convolution(args: Arguments, at: _Positions) -> Work:
    """2 x batch x out channels x out positions x in channels / groups x kernel positions FLOPs."""
    x, weight = args.tensor(0), args.tensor(1)
    if x is None or weight is None:
        return MISSING
    axes = len(weight.shape) - 2
    if axes < 1 or len(x.shape) != len(weight.shape):
        return _MISMATCH
    stride, padding, dilation = (_spread(args.numbers(position), axes) for position in at[1:4])
    groups = args.whole(at[6])
    if stride is None or padding is None or dilation is None or groups is None:
        return unknown("stride, padding or groups not recorded")
    if min(*stride, *dilation, groups) < 1:
        return _MISMATCH
    spatial, kernel = x.shape[2:], weight.shape[2:]
    reach = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    if at[4] is not None and args.flag(at[4]):
        extra = _spread(args.numbers(at[5]), axes) if at[5] is not None else None
        sizes = zip(spatial, stride, padding, reach, extra or (0,) * axes, strict=True)
        out = [(i - 1) * s - 2 * p + r + e + 1 for i, s, p, r, e in sizes]
        channels, positions, depth = weight.shape[1] * groups, prod(spatial), weight.shape[1]
        flops = 2 * x.shape[0] * x.shape[1] * positions * depth * prod(kernel)
    else:
        sizes_ = zip(spatial, stride, padding, reach, strict=True)
        out = [(i + 2 * p - r - 1) // s + 1 for i, s, p, r in sizes_]
        channels = weight.shape[0]
        flops = 2 * x.shape[0] * channels * prod(out) * weight.shape[1] * prod(kernel)
    if min(out) < 0:
        return _MISMATCH
    bias = args.tensor(at[0]) if at[0] is not None else None
    read = read_once([x, weight] + ([bias] if bias else []))
    return Work(flops, read, x.shape[0] * channels * prod(out) * x.itemsize)


def _convolution_backward(args: Arguments) -> Work:
    """`(grad, input, weight, bias sizes, …, transposed at 7, …, groups, output mask)`.

    The gradients of input and weight each take the forward's FLOPs.
    """
    grad, x, weight = args.tensor(0), args.tensor(1), args.tensor(2)
    wanted = (args.text(10) or "").strip("[]() ").split(",")
    if grad is None or x is None or weight is None:
        return MISSING
    if len(weight.shape) < 3 or not len(grad.shape) == len(x.shape) == len(weight.shape):
        return _MISMATCH
    if len(wanted) != 3:
        return unknown("which gradients were wanted is not recorded")
    of_input, of_weight, of_bias = (part.strip() == "True" for part in wanted)
    # The weight of a transposed convolution is (in, out / groups, …): its input has the positions.
    walked = x if args.flag(7) else grad
    flops = 2 * walked.numel * prod(weight.shape[1:])
    return Work(
        flops * (of_input + of_weight),
        grad.bytes + (weight.bytes if of_input else 0) + (x.bytes if of_weight else 0),
        (x.numel * x.itemsize if of_input else 0)
        + (weight.numel * weight.itemsize if of_weight else 0)
        + (grad.shape[1] * grad.itemsize if of_bias else 0),
    )


def row_lengths(name: str, args: Arguments) -> tuple[int, ...]:
    """What tells where the rows of a product's matrices begin, in elements: of both operands the
    length of a row and the way from one row to the next as far as recorded (of the columns,
    where these lie in a row), and the length of the result's rows. A vector has none; nor has
    an op that is no product.
    """
    product = _PRODUCTS.get(name)
    first = 1 if product is _added else 0
    operands = args.tensors(first, first + 1)
    if product is None or len(operands) < 2 or min(len(t.shape) for t in operands) < 2:
        return ()
    a, b = operands
    columns = b.shape[-2] if product is _linear else b.shape[-1]
    result = (columns,) if a.shape[-2] > 1 and columns > 1 else ()
    return (*_rows(a), *_rows(b), *result)


def _rows(matrix: Tensor) -> tuple[int, ...]:
    rows, columns = matrix.shape[-2:]
    if rows < 2 or columns < 2:
        return ()
    by_row, by_column = (matrix.strides or (columns, 1))[-2:]
    if by_column == 1:
        return columns, by_row
    # What is contiguous in neither way is copied first.
    return (rows, by_column) if by_row == 1 else (columns,)


def gemm_work(name: str, args: Arguments) -> Work | None:
    """Work of a matrix product or convolution, or None for another op."""
    product = _PRODUCTS.get(name)
    if product:
        return product(args)
    positions = _CONVOLUTIONS.get(name)
    if positions:
        return _convolution(args, positions)
    return _convolution_backward(args) if name == "aten::convolution_backward" else None
