"""Work of ops that move data: copies, fills, look-ups, views, and serving stacks' own ops."""

from __future__ import annotations

from functools import partial
from math import prod

from attntui.analysis.work.model import MISSING, Arguments, Rule, Work, unknown


def _copy(args: Arguments) -> Work:
    target, source = args.tensor(0), args.tensor(1)
    if target is None or source is None:
        return MISSING
    return Work(0, source.bytes, target.numel * target.itemsize)


def _clone(args: Arguments, *, type_at: int | None = None) -> Work:
    tensor = args.tensor(0)
    if tensor is None:
        return MISSING
    size = args.type_size(type_at) if type_at is not None else None
    return Work(0, tensor.bytes, tensor.numel * (size or tensor.itemsize))


def _fill(args: Arguments) -> Work:
    tensor = args.tensor(0)
    if tensor is None:
        return MISSING
    return Work(0, 0, tensor.numel * tensor.itemsize)


def concatenated(args: Arguments, itemsize: int | None) -> Work:
    """A list of tensors read and written once; the file does not tell the list's element type."""
    sizes = [prod(shape) for shape in args.shapes(0)]
    if itemsize is None or not sizes:
        return unknown("the element type of a list of tensors is not recorded")
    return Work(0, sum(sizes) * itemsize, sum(sizes) * itemsize)


def _cat(args: Arguments) -> Work:
    return concatenated(args, None)


def _embedding(args: Arguments) -> Work:
    table, indices = args.tensor(0), args.tensor(1)
    if table is None or indices is None or len(table.shape) != 2:
        return MISSING
    width = table.shape[1] * table.itemsize
    rows = min(indices.numel, table.shape[0])
    return Work(0, indices.bytes + rows * width, indices.numel * width)


def _embedding_backward(args: Arguments) -> Work:
    """`(grad, indices, number of rows, …)`: the whole gradient table is written."""
    grad, indices, rows = args.tensor(0), args.tensor(1), args.whole(2)
    if grad is None or indices is None or rows is None or rows < 0 or not grad.shape:
        return MISSING
    written = rows * grad.shape[-1] * grad.itemsize
    return Work(grad.numel, grad.bytes + indices.bytes, written)


def _index_select(args: Arguments) -> Work:
    tensor, axis, index = args.tensor(0), args.whole(1), args.tensor(2)
    if tensor is None or index is None:
        return MISSING
    if axis is None and len(tensor.shape) == 1:
        axis = 0
    if axis is None or not -len(tensor.shape) <= axis < len(tensor.shape):
        return unknown("the axis is not recorded")
    length = tensor.shape[axis]
    picked = tensor.numel // length * index.numel if length else 0
    written = picked * tensor.itemsize
    return Work(0, min(written, tensor.bytes) + index.bytes, written)


def _gather(args: Arguments) -> Work:
    tensor, index = args.tensor(0), args.tensor(2)
    if tensor is None or index is None:
        return MISSING
    written = index.numel * tensor.itemsize
    # An index expanded along rows still picks each element, but is itself read once.
    return Work(0, index.bytes + min(written, tensor.bytes), written)


def _scatter(args: Arguments, *, adds: bool) -> Work:
    tensor, index, source = args.tensor(0), args.tensor(2), args.tensor(3)
    if tensor is None or index is None:
        return MISSING
    touched = index.numel * tensor.itemsize
    read = index.bytes + (source.bytes if source else 0) + (touched if adds else 0)
    return Work(index.numel if adds else 0, read, touched)


def _nothing(_: Arguments) -> Work:
    return Work(0, 0, 0, "moves no memory of its own")


def _rotary(args: Arguments) -> Work:
    """vLLM's `(positions, query, key, head size, cache, is_neox)`, in place."""
    turned = args.tensors(1, 2)
    if not turned:
        return MISSING
    moved = sum(tensor.numel * tensor.itemsize for tensor in turned)
    positions, cache = args.tensor(0), args.tensor(4)
    table = 0
    if positions and cache and len(cache.shape) == 2:
        table = min(positions.numel, cache.shape[0]) * cache.shape[1] * cache.itemsize
    return Work(
        3 * sum(tensor.numel for tensor in turned),
        moved + table + (positions.bytes if positions else 0),
        moved,
    )


def _into(args: Arguments, *, source: int, target: int) -> Work:
    """`source` read and as many elements of the type of `target` written."""
    tensor, out = args.tensor(source), args.tensor(target)
    if tensor is None or out is None:
        return MISSING
    return Work(0, tensor.bytes, tensor.numel * out.itemsize)


def _cached(args: Arguments) -> Work:
    """vLLM's `(key, value, key cache, value cache, slots, …)`."""
    pairs = [(args.tensor(at), args.tensor(at + 2)) for at in (0, 1)]
    read = written = 0
    for tensor, cache in pairs:
        if tensor is None or cache is None:
            return MISSING
        read += tensor.bytes
        written += tensor.numel * cache.itemsize
    return Work(0, read, written)


_VIEWS = """alias as_strided chunk detach empty empty_like empty_strided expand expand_as item
flatten movedim narrow permute resize_ select slice split squeeze t transpose unbind unflatten
unsqueeze view view_as _local_scalar_dense _reshape_alias _unsafe_view"""
_ATEN: dict[str, Rule] = {
    "copy_": _copy,
    "clone": _clone,
    "contiguous": _clone,
    "_to_copy": partial(_clone, type_at=1),
    "to": partial(_clone, type_at=1),
    "fill_": _fill,
    "zero_": _fill,
    "uniform_": _fill,
    "normal_": _fill,
    "random_": _fill,
    "cat": _cat,
    "stack": _cat,
    "embedding": _embedding,
    "embedding_dense_backward": _embedding_backward,
    "index_select": _index_select,
    "gather": _gather,
    "scatter": partial(_scatter, adds=False),
    "scatter_": partial(_scatter, adds=False),
    "scatter_add": partial(_scatter, adds=True),
    "scatter_add_": partial(_scatter, adds=True),
    "tril": _clone,
    "tril_": _clone,
    "triu": _clone,
    "triu_": _clone,
}
RULES: dict[str, Rule] = (
    {f"aten::{name}": _nothing for name in _VIEWS.split()}
    | {f"aten::{name}": rule for name, rule in _ATEN.items()}
    | {
        # vLLM's quantisation takes the output first.
        "_C::static_scaled_fp8_quant": partial(_into, source=1, target=0),
        "_C::dynamic_scaled_fp8_quant": partial(_into, source=1, target=0),
        "_C::rotary_embedding": _rotary,
        "_C_cache_ops::reshape_and_cache_flash": _cached,
    }
)
