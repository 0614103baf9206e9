"""Values that repeat, each kept once and known by a small number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from attntui.trace.event_json import loads_lenient
from attntui.trace.model import ABSENT, LaunchConfig, OpInputs, Shape

K = TypeVar("K")

InputsKey = tuple[bytes, bytes, bytes, bytes]
"""The JSON text of an op's input dims, types, strides and concrete inputs."""

ConfigKey = tuple[bytes, bytes, bytes, bytes, bytes]
"""The JSON text of grid, block, registers, shared memory and occupancy."""

NO_INPUTS: InputsKey = (b"", b"", b"", b"")
NO_CONFIG: ConfigKey = (b"", b"", b"", b"", b"")

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


def _text_length(value: object) -> int:
    if isinstance(value, tuple):
        return sum(map(_text_length, value))
    return len(value) if isinstance(value, str | bytes) else 8


class OpInputsTable(Sequence[OpInputs]):
    """The distinct inputs of ops, each parsed when it is first asked for."""

    def __init__(self, keys: list[InputsKey]) -> None:
        self._entries: list[InputsKey | OpInputs] = list(keys)

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> OpInputs: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[OpInputs]: ...
    def __getitem__(self, index: int | slice) -> OpInputs | Sequence[OpInputs]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        entry = self._entries[index]
        if not isinstance(entry, OpInputs):
            entry = self._entries[index] = parse_inputs(entry)
        return entry

    def __iter__(self) -> Iterator[OpInputs]:
        return (self[index] for index in range(len(self)))


def parse_inputs(key: InputsKey) -> OpInputs:
    """Reads the four lists; what is no list counts as empty."""
    dims, types, strides, concrete = (_list(loads_lenient(text) if text else None) for text in key)
    return OpInputs(
        dims=tuple(_shape_or_shapes(entry) for entry in dims),
        types=tuple(_text(entry) for entry in types),
        strides=tuple(_shape_or_shapes(entry) for entry in strides),
        concrete=tuple(_text(entry) for entry in concrete),
    )


def parse_config(key: ConfigKey) -> LaunchConfig:
    grid, block, registers, shared_memory, occupancy = (
        loads_lenient(text) if text else None for text in key
    )
    return LaunchConfig(
        grid=_extent(grid),
        block=_extent(block),
        registers=_integer(registers),
        shared_memory=_integer(shared_memory),
        occupancy_pct=_number(occupancy),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _shape(value: list[Any]) -> Shape:
    return tuple(extent for extent in value if isinstance(extent, int))


def _shape_or_shapes(value: Any) -> Shape | tuple[Shape, ...]:
    entries = _list(value)
    if any(isinstance(entry, list) for entry in entries):
        return tuple(_shape(_list(entry)) for entry in entries)
    return _shape(entries)


def _extent(value: Any) -> tuple[int, int, int] | None:
    """A grid or a block; missing axes are 1."""
    axes = _shape(_list(value))
    if not 1 <= len(axes) <= 3:
        return None
    x, y, z = (*axes, 1, 1)[:3]
    return x, y, z


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _integer(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number.is_integer() else None
