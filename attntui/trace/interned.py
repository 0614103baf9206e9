"""Values that repeat, each kept once and known by a small number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any, Generic, TypeVar, overload

import numpy as np

from attntui.trace.event_json import loads_lenient
from attntui.trace.model import ABSENT, I32, LaunchConfig, OpInputs, Shape

K = TypeVar("K")

BETWEEN = b"\0"
"""What stands in no JSON text, between those that make a key: one object is looked up faster
than a tuple of several.
"""

InputsKey = bytes
"""The JSON text of an op's input dims, types, strides and concrete inputs."""

ConfigKey = bytes
"""The JSON text of grid, block, registers, shared memory and occupancy."""

NO_INPUTS: InputsKey = BETWEEN * 3
NO_CONFIG: ConfigKey = BETWEEN * 4

_MOST_ELEMENTS = 2**44
_MOST_BLOCKS = 2**44
_MOST_THREADS = 2**16
"""What no tensor, grid or block has."""

_KEY_BYTES = 120
"""About what a key takes beside its text: its object and its place in the table."""


class Interner(dict[K, int], Generic[K]):
    """Numbers values in the order in which they are first looked up."""

    def __init__(self, *absent: K) -> None:
        super().__init__(dict.fromkeys(absent, ABSENT))
        self.values_seen: list[K] = []
        self.memory = 0

    def __missing__(self, value: K) -> int:
        number = len(self.values_seen)
        self.values_seen.append(value)
        self[value] = number
        self.memory += _KEY_BYTES + _text_length(value)
        return number

    def numbers(self, values: Iterable[K]) -> I32:
        """The number of each value, and ABSENT at last, for what has none."""
        return np.array([*(self[value] for value in values), ABSENT], dtype=np.int32)


def _text_length(value: object) -> int:
    return len(value) if isinstance(value, str | bytes) else 8


def by_first_use(
    numbers: I32, values: Sequence[K], later: I32 | None = None
) -> tuple[I32, tuple[K, ...]]:
    """The numbers that values get in the order in which they are used, and the values so
    ordered: first by `numbers`, then by those `later`. What is not used gets ABSENT.

    So the numbers do not depend on how the text was cut. The table of new numbers ends with
    ABSENT, which that stands for itself.
    """
    used = numbers if later is None else np.concatenate((numbers, later))
    used = used[used != ABSENT]
    first = np.full(len(values), len(used), np.int64)
    # Of several values for one place the last is kept: backwards, the first use.
    first[used[::-1]] = np.arange(len(used) - 1, -1, -1)
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(used))]
    table = np.full(len(values) + 1, ABSENT, np.int32)
    table[order] = np.arange(len(order))
    return table, tuple(values[number] for number in order.tolist())


class OpInputsTable(Sequence[OpInputs]):
    """The distinct inputs of ops, each parsed when it is first asked for."""

    def __init__(self, keys: Sequence[InputsKey]) -> None:
        self.keys = keys
        self._parsed: dict[int, OpInputs] = {}

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> OpInputs: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[OpInputs]: ...
    def __getitem__(self, index: int | slice) -> OpInputs | Sequence[OpInputs]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        number = range(len(self))[index]
        entry = self._parsed.get(number)
        if entry is None:
            entry = self._parsed[number] = parse_inputs(self.keys[number])
        return entry

    def __iter__(self) -> Iterator[OpInputs]:
        return (self[index] for index in range(len(self)))


def parse_inputs(key: InputsKey) -> OpInputs:
    """Reads the four lists; what is no list counts as empty.

    Of dims or strides with a length that cannot be, nothing is told: a figure that stands
    on part of the shapes would be wrong.
    """
    dims, types, strides, concrete = map(_list, _values(key))
    return OpInputs(
        dims=_shapes(dims, _MOST_ELEMENTS),
        types=tuple(_text(entry) for entry in types),
        strides=_shapes(strides, None),
        concrete=tuple(_text(entry) for entry in concrete),
    )


def parse_config(key: ConfigKey) -> LaunchConfig:
    grid, block, registers, shared_memory, occupancy = _values(key)
    return LaunchConfig(
        grid=_extent(grid, _MOST_BLOCKS),
        block=_extent(block, _MOST_THREADS),
        registers=_integer(registers, 2**16),
        shared_memory=_integer(shared_memory, 2**30),
        occupancy_pct=_number(occupancy, 100),
    )


def _values(key: bytes) -> Iterator[Any]:
    """What the texts of a key say, None where there is none."""
    return (loads_lenient(text) if text else None for text in key.split(BETWEEN))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _shapes(entries: list[Any], most: int | None) -> tuple[Shape | tuple[Shape, ...], ...]:
    """The shape, or the shapes of a list of tensors, of each argument; none if one cannot be.

    `most` is the most elements of a tensor; without it the entries are strides.
    """
    found: list[Shape | tuple[Shape, ...]] = []
    for entry in map(_list, entries):
        several = any(isinstance(part, list) for part in entry)
        shapes = tuple(tuple(_list(part)) for part in entry) if several else (tuple(entry),)
        if not all(_can_be(shape, most) for shape in shapes):
            return ()
        found.append(shapes if several else shapes[0])
    return tuple(found)


def _can_be(shape: tuple[Any, ...], most: int | None) -> bool:
    if not all(type(length) is int and 0 <= length < _MOST_ELEMENTS for length in shape):
        return False
    return most is None or prod(shape) < most


def _extent(value: Any, most: int) -> tuple[int, int, int] | None:
    """A grid or a block of less than `most` in all; missing axes are 1."""
    axes = tuple(_list(value))
    if not 1 <= len(axes) <= 3 or not _can_be(axes, most) or 0 in axes:
        return None
    x, y, z = (*axes, 1, 1)[:3]
    return x, y, z


def _number(value: Any, most: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        return None
    return float(value)


def _integer(value: Any, most: int) -> int | None:
    number = _number(value, most)
    return int(number) if number is not None and number.is_integer() else None
