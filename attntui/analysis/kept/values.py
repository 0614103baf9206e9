"""Facts as JSON and arrays, and back: frozen values of the project's own classes, and no others.

A list in the JSON begins with the letter of what it stands for; whatever is no list stands for
itself. Many values of one kind lie by columns, so that thousands of calls take milliseconds.
No code is run that a file names: a class has to be a dataclass or an enum of this package, and
gets nothing but its fields.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import chain, islice
from typing import Any

import msgspec
import numpy as np

from attntui.trace.kept.container import Array, Damaged
from attntui.trace.kept.shelf import Unkept

_ROOMS = ("attntui.trace.", "attntui.analysis.", "attntui.view.")
"""Where classes of facts are defined: importing these runs nothing."""

_SMALL = 64
"""Whole numbers in an array up to which it shares one with others."""

_MANY = 16
"""Values from which a tuple lies by columns, and a dict of whole numbers is an array."""

_LARGEST_INT = 2**63


class Writer:
    """Puts values into JSON, and their arrays beside it, each once.

    `known` are values that are there when the facts are read again, by name.
    """

    def __init__(self, known: Mapping[str, object]) -> None:
        self.types: list[str] = []
        self._numbers: dict[type, int] = {}
        self._known = {id(value): name for name, value in known.items()}
        self._places: dict[int, list[Any]] = {}
        # An id names an object as long as that lives.
        self._alive: list[object] = list(known.values())
        self._arrays: list[Array] = []
        self._small: list[Array] = []
        self._small_length = 0

    @property
    def arrays(self) -> list[Array]:
        """All arrays: the first is that of the small ones."""
        return [np.concatenate([np.zeros(0, np.int64), *self._small]), *self._arrays]

    def put(self, value: object) -> Any:
        """A value as JSON. Raises Unkept where it has no such form."""
        name = self._known.get(id(value))
        if name is not None:
            return ["x", name]
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int:
            return value if -_LARGEST_INT <= value < _LARGEST_INT else ["i", str(value)]
        if type(value) is float:
            return value if math.isfinite(value) else ["f", repr(value)]
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, Enum):
            return ["e", self._type(type(value)), value.name]
        if type(value) is tuple and len(value) >= _MANY:
            return ["w", self._column(value)]
        if type(value) is tuple:
            return ["t", *map(self.put, value)]
        if type(value) is list:
            return ["l", *map(self.put, value)]
        if type(value) is frozenset:
            return ["s", *map(self.put, value)]
        if type(value) is dict:
            return self._dict(value)
        kind: type = type(value)
        if _is_of_facts(kind):
            told = (self.put(getattr(value, name)) for name in _fields(kind))
            return ["c", self._type(kind), *told]
        raise Unkept(f"no form for {type(value).__name__}")

    def _column(self, values: Sequence[Any]) -> list[Any]:
        """Many values as JSON that is read as a list of them."""
        if _whole(values):
            return ["n", self._array(np.array(values, np.int64))]
        kinds = set(map(type, values))
        kind: Any = kinds.pop() if len(kinds) == 1 else None
        if kind is tuple:
            lengths = np.array(list(map(len, values)), np.int64)
            return ["g", self._array(lengths), self._column(list(chain.from_iterable(values)))]
        if _is_of_facts(kind) and not any(id(value) in self._known for value in values):
            columns = ([getattr(v, name) for v in values] for name in _fields(kind))
            return ["o", self._type(kind), *map(self._column, columns)]
        return self._distinct(list(map(self.put, values)))

    def _distinct(self, told: list[Any]) -> list[Any]:
        """Values that are JSON already: those that repeat once, and which stands where."""
        if all(type(one) is list and one[0] == "r" for one in told):
            ends = np.array([one[1:] for one in told], np.int64).reshape(-1, 2)
            return ["p", *(self._array(column) for column in ends.T.copy())]
        numbers: dict[bytes, int] = {}
        places = [numbers.setdefault(msgspec.json.encode(one), len(numbers)) for one in told]
        if len(numbers) > len(told) // 2:
            return ["l", *told]
        once = (msgspec.Raw(text) for text in numbers)
        return ["k", self._array(np.array(places, np.int64)), ["l", *once]]

    def _type(self, kind: type) -> int:
        number = self._numbers.get(kind)
        if number is None:
            number = self._numbers[kind] = len(self.types)
            self.types.append(f"{kind.__module__}:{kind.__qualname__}")
        return number

    def _array(self, array: Array) -> list[Any]:
        place = self._places.get(id(array))
        if place is None:
            if array.dtype == np.int64 and array.ndim == 1 and len(array) <= _SMALL:
                low, self._small_length = self._small_length, self._small_length + len(array)
                self._small.append(array)
                place = ["r", low, self._small_length]
            else:
                self._arrays.append(array)
                place = ["a", len(self._arrays)]
            self._places[id(array)] = place
            self._alive.append(array)
        return place

    def _dict(self, value: dict[Any, Any]) -> list[Any]:
        if len(value) >= _MANY and _whole(value) and _whole(value.values()):
            keys, values = (np.array(list(part), np.int64) for part in (value, value.values()))
            return ["m", self._array(keys), self._array(values)]
        return ["d", *(self.put(part) for item in value.items() for part in item)]


def _whole(values: Any) -> bool:
    return all(type(v) is int and -_LARGEST_INT <= v < _LARGEST_INT for v in values)


def _is_of_facts(kind: type[Any] | None) -> bool:
    return is_dataclass(kind) and kind.__module__.startswith(_ROOMS)


@cache
def _fields(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)


class Reader:
    """Makes values of what `Writer` put into JSON."""

    def __init__(self, types: Sequence[str], arrays: Sequence[Array]) -> None:
        self._types = types
        self._arrays = arrays
        self._classes: dict[int, Any] = {}
        self._read: dict[str, Callable[[list[Any], Mapping[str, object]], object]] = {
            "x": lambda told, known: known[told[1]],
            "i": lambda told, known: int(told[1]),
            "f": lambda told, known: float(told[1]),
            "a": lambda told, known: self._arrays[told[1]],
            "r": lambda told, known: self._arrays[0][told[1] : told[2]],
            "e": lambda told, known: self._class(told[1])[told[2]],
            "t": lambda told, known: tuple(self._all(told, known)),
            "l": self._all,
            "s": lambda told, known: frozenset(self._all(told, known)),
            "w": lambda told, known: tuple(self.value(told[1], known)),
            "n": lambda told, known: self.value(told[1], known).tolist(),
            "g": self._groups,
            "p": self._parts,
            "k": self._repeated,
            "o": lambda told, known: list(
                map(self._class(told[1]), *self._all(told, known, first=2))
            ),
            "m": self._numbers,
            "d": self._dict,
            "c": lambda told, known: self._class(told[1])(*self._all(told, known, first=2)),
        }

    def value(self, told: Any, known: Mapping[str, object]) -> Any:
        """The value that `told` stands for. Raises Damaged where there is none."""
        if type(told) is not list:
            return told
        try:
            return self._read[told[0]](told, known)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise Damaged(str(error)) from error

    def _all(self, told: list[Any], known: Mapping[str, object], first: int = 1) -> list[Any]:
        read = self._read
        return [read[part[0]](part, known) if type(part) is list else part for part in told[first:]]

    def _numbers(self, told: list[Any], known: Mapping[str, object]) -> dict[int, int]:
        keys, values = (self.value(part, known).tolist() for part in told[1:])
        return dict(zip(keys, values, strict=True))

    def _groups(self, told: list[Any], known: Mapping[str, object]) -> list[tuple[Any, ...]]:
        lengths, column = self._all(told, known)
        values = iter(column)
        return [tuple(islice(values, length)) for length in lengths.tolist()]

    def _parts(self, told: list[Any], known: Mapping[str, object]) -> list[Array]:
        whole = self._arrays[0]
        lows, highs = (column.tolist() for column in self._all(told, known))
        return [whole[low:high] for low, high in zip(lows, highs, strict=True)]

    def _repeated(self, told: list[Any], known: Mapping[str, object]) -> list[Any]:
        places, once = self._all(told, known)
        return [once[place] for place in places.tolist()]

    def _dict(self, told: list[Any], known: Mapping[str, object]) -> dict[Any, Any]:
        parts = self._all(told, known)
        return dict(zip(parts[::2], parts[1::2], strict=True))

    def _class(self, number: int) -> Any:
        found = self._classes.get(number)
        if found is None:
            found = self._classes[number] = _class_of(self._types[number])
        return found


def _class_of(name: str) -> Any:
    module, _, qualified = name.partition(":")
    if not module.startswith(_ROOMS):
        raise Damaged(f"no class of this package: {name}")
    try:
        found = getattr(importlib.import_module(module), qualified)
    except (ImportError, AttributeError):
        raise Damaged(f"no such class: {name}") from None
    if not isinstance(found, type) or not (is_dataclass(found) or issubclass(found, Enum)):
        raise Damaged(f"no class of facts: {name}")
    return found
