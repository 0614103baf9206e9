"""Sizes of attention calls, read from the recorded inputs of their ops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from attntui.analysis.attention.model import Geometry
from attntui.analysis.attention.vocabulary import PRIMITIVES
from attntui.analysis.attention_ops import AttentionOp
from attntui.analysis.work.model import Arguments, Tensor
from attntui.trace.model import OpInputs, Shape

# The file's words for element types, as kernel names are decoded.
_DTYPES = {
    "c10::BFloat16": "bf16",
    "c10::Half": "fp16",
    "float": "fp32",
    "double": "fp64",
    "c10::Float8_e4m3fn": "fp8_e4m3",
    "c10::Float8_e4m3fnuz": "fp8_e4m3",
    "c10::Float8_e5m2": "fp8_e5m2",
    "c10::Float8_e5m2fnuz": "fp8_e5m2",
}


def dtype_of(inputs: OpInputs, at: int) -> str | None:
    """The data type of the argument at a position, None where it is no float tensor."""
    return _DTYPES.get(inputs.types[at]) if at < len(inputs.types) else None


@lru_cache(maxsize=4096)
def of_fused(inputs: OpInputs, op: AttentionOp) -> Geometry | None:
    """Sizes of a fused call, None where the op's inputs are not q, k and v."""
    if op.q is None:
        return None
    args = Arguments(inputs)
    q, k, v = (args.tensor(op.q + index) for index in range(3))
    dtype = dtype_of(inputs, op.q)
    if q is None or k is None or v is None or dtype is None:
        return None
    ranks = {len(tensor.shape) for tensor in (q, k, v)}
    told = Geometry(dtype=dtype, itemsize=q.itemsize)
    if op.tokens or (ranks == {3} and op.heads_at == 2):
        return _of_tokens(told, q, k)
    if ranks == {3} and op.heads_at == 1:
        # SDPA without an axis for heads: one head.
        sizes = [(t.shape[0], 1, *t.shape[1:]) for t in (q, k, v)]
    elif ranks == {4} and not op.heads_at:
        # Which axis has the heads is not known.
        return replace(told, batch=q.shape[0], head_dim=q.shape[3])
    elif ranks == {4}:
        length_at = 3 - op.heads_at
        sizes = [
            (t.shape[0], t.shape[op.heads_at], t.shape[length_at], t.shape[3]) for t in (q, k, v)
        ]
    else:
        return None
    (batch, heads, q_len, width), (_, kv_heads, kv_len, k_width), (*_, value) = sizes
    if width != k_width or sizes[1][:3] != sizes[2][:3] or (kv_heads and heads % kv_heads):
        return None
    return replace(
        told,
        batch=batch,
        heads=heads,
        kv_heads=kv_heads,
        q_len=q_len,
        kv_len=kv_len,
        head_dim=width,
        value_dim=value,
        products=batch * heads,
    )


def _of_tokens(told: Geometry, q: Tensor, k: Tensor) -> Geometry:
    """[tokens, heads, dim]: sequences of several lengths lie in one tensor, so the trace tells
    neither how many there are nor how long the context of each is.
    """
    if len(q.shape) != 3:
        return told
    tokens, heads, width = q.shape
    # A paged cache of keys has a shape of its own, which tells no heads for certain.
    kv_heads = k.shape[1] if len(k.shape) == 3 and k.shape[2] == width else None
    return replace(told, heads=heads, kv_heads=kv_heads, q_len=tokens, head_dim=width)


def is_tensor(inputs: OpInputs, at: int) -> bool:
    """Whether the argument at a position is a tensor."""
    return Arguments(inputs).tensor(at) is not None


@dataclass(frozen=True, slots=True)
class Factors:
    """The two factors of a product and its result's shape: [..., m, k] x [..., k, n].

    `repeated` are the leading axes along which the second factor repeats itself in memory.
    """

    a: Shape
    b: Shape
    out: Shape
    dtype: str | None
    itemsize: int
    repeated: tuple[int, ...]


def factors_of(name: str, inputs: OpInputs | None) -> Factors | None:
    """The factors of a matrix product, None where its shapes do not tell."""
    if inputs is None:
        return None
    args = Arguments(inputs)
    at = PRIMITIVES.get(name, 0)
    a, b = args.tensor(at), args.tensor(at + 1)
    if a is None or b is None or min(len(a.shape), len(b.shape)) < 2:
        return None
    if a.shape[-1] != b.shape[-2]:
        return None
    lead = a.shape[:-2] if len(a.shape) >= len(b.shape) else b.shape[:-2]
    strides = inputs.strides[at + 1] if at + 1 < len(inputs.strides) else ()
    repeated = [axis for axis, stride in enumerate(strides[: len(b.shape) - 2]) if stride == 0]
    return Factors(
        a.shape,
        b.shape,
        (*lead, a.shape[-2], b.shape[-1]),
        dtype_of(inputs, at),
        a.itemsize,
        tuple(repeated),
    )


def of_products(qk: Factors, av: Factors, shapes: list[Shape], outer: Factors | None) -> Geometry:
    """Sizes of a naive call from its two products as they ran.

    `shapes` are those of the scores as other ops saw them: a flattened [batch x heads, q, k]
    does not tell the two apart, a 4-d one does. `outer` is the first product as it was
    written, whose keys may have fewer heads.
    """
    q_len, kv_len = qk.out[-2:]
    products = prod(qk.out[:-2])
    lead = next((s[:-2] for s in shapes if len(s) >= 4 and prod(s[:-2]) == products), None)
    batch = heads = kv_heads = None
    if lead is not None:
        batch, heads = lead[0], prod(lead[1:])
        kv_heads = _kv_heads(outer, heads) if outer else heads
    elif len(qk.out) == 2 or products == 1:
        batch = heads = kv_heads = 1
    return Geometry(
        batch=batch,
        heads=heads,
        kv_heads=kv_heads,
        q_len=q_len,
        kv_len=kv_len,
        head_dim=qk.a[-1],
        value_dim=av.b[-1],
        products=products,
        dtype=qk.dtype,
        itemsize=qk.itemsize,
    )


def _kv_heads(outer: Factors, heads: int) -> int:
    """Heads of the keys: axes of size 1 or stride 0 were repeated, not stored."""
    lead = outer.b[:-2]
    if len(lead) < 2:
        return heads
    return prod(size for axis, size in enumerate(lead) if axis and axis not in outer.repeated)
