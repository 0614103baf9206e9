"""`fact`: a property that is found once, and kept for the next time that the trace is opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from attntui.analysis.kept.values import Reader, Writer
from attntui.trace.kept.container import Array, Damaged
from attntui.trace.kept.shelf import Unkept


class Facts(Protocol):
    """The facts that were kept of one value, by name."""

    def take(self, name: str) -> Any:
        """Raises KeyError where it was not kept."""
        ...


__all__ = ["AllFacts", "Facts", "PartOfFacts", "fact", "found", "told_of"]

if TYPE_CHECKING:
    # To the type checker it is one: that knows those by their name.
    from functools import cached_property as fact
else:

    class fact(cached_property):  # noqa: N801, used as `cached_property` is
        """A `cached_property` of a value that has `facts`: what was kept is not found again."""

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
            kept: Facts | None = None if instance is None else instance.facts
            if kept is not None:
                try:
                    found = instance.__dict__[self.attrname] = kept.take(self.attrname)
                except (KeyError, Damaged):
                    pass
                else:
                    return found
            return super().__get__(instance, owner)


class AllFacts:
    """What was kept of a trace, of which each value has a part; each is read when asked for."""

    def __init__(self, told: bytes = b"", arrays: tuple[Array, ...] = ()) -> None:
        """Raises Damaged where that is not what `told_of` made."""
        try:
            kept = msgspec.json.decode(told, type=_Told) if told else _Told([], {})
        except (ValueError, RecursionError) as error:
            raise Damaged(str(error)) from None
        self._facts = kept.facts
        self._reader = Reader(kept.types, arrays)

    def names(self) -> frozenset[str]:
        return frozenset(self._facts)

    def take(self, name: str, known: Mapping[str, object]) -> Any:
        return self._reader.value(msgspec.json.decode(self._facts[name]), known)

    def of(self, part: str, **known: object) -> PartOfFacts:
        """The facts of one value; `known` are the values that they refer to."""
        return PartOfFacts(self, part, known)


class _Told(msgspec.Struct):
    types: list[str]
    facts: dict[str, msgspec.Raw]


@dataclass(frozen=True, eq=False, slots=True)
class PartOfFacts:
    """The facts of one value among all that were kept."""

    whole: AllFacts
    part: str
    known: Mapping[str, object]

    def take(self, name: str) -> Any:
        return self.whole.take(f"{self.part}.{name}", self.known)


def found(part: str, value: object) -> Iterator[tuple[str, object]]:
    """The facts of a value that are found so far, by the names under which they are kept."""
    for name, entry in vars(type(value)).items():
        if isinstance(entry, fact) and name in vars(value):
            yield f"{part}.{name}", vars(value)[name]


def told_of(facts: Mapping[str, object], known: Mapping[str, object]) -> tuple[bytes, list[Array]]:
    """Facts as JSON and arrays; one that has no such form is left out."""
    writer = Writer(known)
    told = {}
    for name, value in facts.items():
        try:
            told[name] = msgspec.Raw(msgspec.json.encode(writer.put(value)))
        except Unkept:
            continue
    return msgspec.json.encode(_Told(writer.types, told)), writer.arrays
