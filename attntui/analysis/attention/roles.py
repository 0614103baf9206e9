"""Which part of an attention call a GPU operation plays."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from attntui.analysis.attention.fused import is_attention, kernel_in_attention, role_in_fused
from attntui.analysis.attention.model import Geometry, Role
from attntui.analysis.attention.vocabulary import (
    COPIES,
    DROPOUTS,
    MASKS,
    SCALES,
    does_attention,
    is_softmax,
)
from attntui.analysis.kernel_names import KernelName, decode
from attntui.analysis.names.words import Operation
from attntui.trace.model import Category, OpInputs

# Steps that act on a tensor in place of which a copy inside them is told apart.
_MASKED_FILL = ("aten::masked_fill", "aten::masked_fill_")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a GPU operation, or a CPU op, stands in its call.

    `outer` is the op of the call that it belongs to, directly on the call's level; `inner`
    the one that launched it, with the `elements` of its first tensor. `copied` says that
    inside `outer` a copy was made. `product` is 1 for the call's first product, 2 for its
    second, else 0. `told` is the role of the whole stretch, where that is known. `separate`:
    the steps of the call are ops of their own. `kernel` is None for a CPU op.
    """

    separate: bool
    told: Role | None
    product: int
    outer: str | None
    outer_inputs: OpInputs | None
    inner: str | None
    elements: int | None
    copied: bool
    kernel: str | None
    category: Category | None
    geometry: Geometry


def role_of(place: Place) -> Role:
    """The role that an operation plays, by what launched it and where that stands."""
    if place.category == Category.MEMSET:
        return Role.MEMSET
    if place.told is not None:
        return Role.COPY if place.copied else place.told
    kernel = decode(place.kernel) if place.kernel is not None else None
    if place.outer is None:
        return _by_kernel(kernel)
    if place.separate:
        return _step(place, kernel)
    return _in_fused(place, kernel)


def _step(place: Place, kernel: KernelName | None) -> Role:
    """In a naive or math call the op on the call's level decides, if its name is known."""
    name = place.outer or ""
    if place.product:
        role = Role.QK if place.product == 1 else Role.AV
    elif name.startswith("triton_"):
        return Role.FUSED
    elif is_softmax(name):
        role = Role.SOFTMAX
    elif name in DROPOUTS:
        role = Role.DROPOUT
    elif name in SCALES:
        role = Role.SCALE if _is_own(place) else Role.MASK
    elif name in COPIES:
        return Role.COPY if _is_own(place) else Role.MASK
    elif name in MASKS:
        role = Role.MASK
    else:
        softmax = kernel is not None and kernel.operation is Operation.SOFTMAX
        return Role.SOFTMAX if softmax else Role.OTHER
    # Making a mask may copy it; copying inside any other step moves the scores, q, k or v.
    if place.copied and (role is not Role.MASK or name in _MASKED_FILL):
        return Role.COPY
    return role


def _is_own(place: Place) -> bool:
    """Whether a step acts on the scores, q, k, v or the output, not on a mask."""
    own = place.geometry.tensor_sizes()
    dims = place.outer_inputs.dims if place.outer_inputs is not None else ()
    if not own or not dims or not dims[0]:
        return True
    return prod(size for size in dims[0] if isinstance(size, int)) in own


def _in_fused(place: Place, kernel: KernelName | None) -> Role:
    """In a fused call the kernel launched by the attention op itself is the attention."""
    own = kernel_in_attention(place.kernel) if place.kernel is not None else None
    if own is not None and is_attention(own):
        return role_in_fused(own)
    inner, outer = place.inner or "", place.outer or ""
    if does_attention(inner):
        if kernel is not None and kernel.operation is Operation.FILL:
            return Role.OTHER
        return Role.COPY if place.category == Category.MEMCPY else Role.FUSED
    if place.copied or outer in COPIES:
        return Role.COPY
    if outer in DROPOUTS:
        return Role.DROPOUT
    # A single number, such as a kernel's counter of blocks, masks nothing.
    masks = outer in MASKS and kernel is not None and place.elements != 1
    return Role.MASK if masks else Role.OTHER


_OF_KERNEL: dict[str, Role] = {
    Operation.SOFTMAX: Role.SOFTMAX,
    Operation.MASKED_FILL: Role.MASK,
    Operation.ADD: Role.MASK,
    Operation.WHERE: Role.MASK,
    Operation.TRIU_TRIL: Role.MASK,
    Operation.MUL: Role.SCALE,
    Operation.DIV: Role.SCALE,
    Operation.COPY: Role.COPY,
    Operation.MEMCPY: Role.COPY,
    Operation.DROPOUT: Role.DROPOUT,
}


def _by_kernel(kernel: KernelName | None) -> Role:
    """With no op to go by, the kernel's own name decides."""
    if kernel is None:
        return Role.OTHER
    if is_attention(kernel):
        return role_in_fused(kernel)
    if kernel.fused_ops:
        return Role.FUSED
    return _OF_KERNEL.get(kernel.operation or "", Role.OTHER)
