"""What an op read, wrote and computed at least, and the tensors that its inputs describe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from attntui.trace.model import OpInputs, Shape


@dataclass(frozen=True, slots=True)
class Work:
    """The least work of an op or kernel: what its shapes and types imply, not a measurement.

    `flops` counts a multiply-add as two. `read` and `written` are bytes of device memory,
    each input read once and each output written once. None where the trace does not tell;
    `note` says what was assumed or is missing.
    """

    flops: int | None
    read: int | None
    written: int | None
    note: str = ""

    @property
    def bytes(self) -> int | None:
        """Bytes read plus written, None where either is not known."""
        if self.read is None or self.written is None:
            return None
        return self.read + self.written

    def divided(self, parts: int) -> Work:
        """The even share of each of several kernels that do this work together."""

        def share(figure: int | None) -> int | None:
            return None if figure is None else figure // parts

        note = self.note or f"shared by {parts} kernels"
        return Work(share(self.flops), share(self.read), share(self.written), note)


def unknown(note: str) -> Work:
    """Work that the trace does not tell."""
    return Work(None, None, None, note)


MISSING = unknown("shapes not recorded")


# The file's words for element types: bytes an element, and the rank of PyTorch's type promotion
# (bool, integer, floating point, complex).
_TYPES: dict[str, tuple[int, int]] = {
    "bool": (1, 0),
    "unsigned char": (1, 1),
    "signed char": (1, 1),
    "char": (1, 1),
    "short": (2, 1),
    "short int": (2, 1),
    "int": (4, 1),
    "long": (8, 1),
    "long int": (8, 1),
    "long long": (8, 1),
    "unsigned short": (2, 1),
    "unsigned int": (4, 1),
    "unsigned long": (8, 1),
    "c10::Half": (2, 2),
    "c10::BFloat16": (2, 2),
    "float": (4, 2),
    "double": (8, 2),
    "c10::Float8_e4m3fn": (1, 2),
    "c10::Float8_e4m3fnuz": (1, 2),
    "c10::Float8_e5m2": (1, 2),
    "c10::Float8_e5m2fnuz": (1, 2),
    "c10::complex<c10::Half>": (4, 3),
    "c10::complex<float>": (8, 3),
    "c10::complex<double>": (16, 3),
}

# c10::ScalarType, as `_to_copy` and others record a data type: bytes an element.
_SCALAR_TYPES = {
    0: 1,
    1: 1,
    2: 2,
    3: 4,
    4: 8,
    5: 2,
    6: 4,
    7: 8,
    8: 4,
    9: 8,
    10: 16,
    11: 1,
    15: 2,
    23: 1,
    24: 1,
    25: 1,
    26: 1,
}


DTYPE_BYTES = {
    "fp64": 8,
    "int64": 8,
    "fp32": 4,
    "int32": 4,
    "bf16": 2,
    "fp16": 2,
    "int16": 2,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}
"""Bytes an element of a data type, as decoded kernel names spell it."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor argument. `distinct` counts the elements in memory: an expanded one has fewer.
    `strides` are in elements, None where they are not recorded.
    """

    shape: Shape
    itemsize: int
    rank: int
    distinct: int
    strides: Shape | None = None

    @property
    def numel(self) -> int:
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        """Bytes in memory, each element once."""
        return self.distinct * self.itemsize


def _distinct(shape: Shape, strides: Shape | None) -> int:
    """Elements in memory: a dimension of stride 0 repeats one element."""
    if strides is None:
        return prod(shape)
    return prod(
        size for size, stride in zip(shape, strides, strict=True) if stride != 0 or not size
    )


@dataclass(frozen=True, slots=True)
class Arguments:
    """The recorded inputs of an op by position; what is not recorded reads as absent."""

    inputs: OpInputs

    def tensor(self, at: int) -> Tensor | None:
        """The tensor argument at a position, None for a scalar, a list or nothing."""
        inputs = self.inputs
        if at >= len(inputs.types) or at >= len(inputs.dims):
            return None
        found = _TYPES.get(inputs.types[at])
        shape = _shape(inputs.dims[at])
        if found is None or shape is None:
            return None
        strides = _shape(inputs.strides[at]) if at < len(inputs.strides) else None
        if strides is not None and len(strides) != len(shape):
            strides = None
        return Tensor(shape, *found, _distinct(shape, strides), strides)

    def shapes(self, at: int) -> list[Shape]:
        """The shapes of a list of tensors; empty for any other argument."""
        dims = self.inputs.dims[at] if at < len(self.inputs.dims) else ()
        found = [_shape(part) for part in dims if isinstance(part, tuple)]
        return [shape for shape in found if shape is not None]

    def tensors(self, *positions: int) -> list[Tensor]:
        """Those of the positions that hold tensors."""
        return [found for at in positions if (found := self.tensor(at)) is not None]

    def text(self, at: int) -> str | None:
        """A concrete scalar as text, None where concrete inputs were not recorded."""
        return self.inputs.concrete[at] if 0 <= at < len(self.inputs.concrete) else None

    def flag(self, at: int) -> bool | None:
        """A concrete boolean; None where it is not recorded."""
        return {"True": True, "False": False}.get(self.text(at) or "")

    def whole(self, at: int) -> int | None:
        """A concrete integer; None where it is not recorded."""
        numbers = integers(self.text(at))
        return numbers[0] if numbers and len(numbers) == 1 else None

    def numbers(self, at: int) -> Shape | None:
        """A concrete list of integers; None where it is not recorded."""
        return integers(self.text(at))

    def type_size(self, at: int) -> int | None:
        """Bytes an element of the data type recorded at a position."""
        code = self.whole(at)
        return None if code is None else _SCALAR_TYPES.get(code)


Rule = Callable[[Arguments], Work]
"""How the work of one op follows from its arguments."""


def _shape(value: Shape | tuple[Shape, ...]) -> Shape | None:
    """The shape or strides of one tensor, None for a list's or for nonsense."""
    sizes = tuple(size for size in value if isinstance(size, int) and size >= 0)
    return sizes if len(sizes) == len(value) else None


_LONGEST_LIST = 1000


def integers(text: str | None) -> Shape | None:
    """`[1, -2]` or `3` as integers; an empty text or list is no integers; None for other text."""
    if text is None or len(text) > _LONGEST_LIST:
        return None
    parts = [part.strip() for part in text.strip("[]() ").split(",") if part.strip()]
    if not all(part.removeprefix("-").isdecimal() and len(part) < 20 for part in parts):
        return None
    return tuple(int(part) for part in parts)


def broadcast(tensors: list[Tensor]) -> Shape | None:
    """The shape that the tensors broadcast to, None where they do not."""
    out: list[int] = []
    for tensor in tensors:
        shape = tensor.shape
        out = [1] * (len(shape) - len(out)) + out
        for index in range(-len(shape), 0):
            size = shape[index]
            if out[index] == 1:
                out[index] = size
            elif size not in (1, out[index]):
                return None
    return tuple(out)


def promoted(tensors: list[Tensor]) -> int:
    """Bytes an element of the result type: a tensor of no dimensions only lifts the kind."""
    shaped = [tensor for tensor in tensors if tensor.shape] or tensors
    rank = max(tensor.rank for tensor in tensors)
    same = [tensor.itemsize for tensor in shaped if tensor.rank == rank]
    # An integer tensor with a floating-point number gives the default type, fp32.
    return max(same) if same else 4


def read_once(tensors: list[Tensor]) -> int:
    """Bytes to read them, each distinct element once; a lone number beside tensors is none."""
    shaped = [tensor for tensor in tensors if tensor.shape] or tensors
    return sum(tensor.bytes for tensor in shaped)
