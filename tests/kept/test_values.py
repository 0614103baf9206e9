"""Facts come back from JSON and arrays as they were, and nothing else does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from same_facts import assert_same

from attntui.analysis.attention.model import Role, RoleShare
from attntui.analysis.attention_ops import Backend
from attntui.analysis.findings.model import Severity
from attntui.analysis.gpu_work import Traffic
from attntui.analysis.kept.values import Reader, Writer
from attntui.trace.kept.container import Damaged
from attntui.trace.kept.shelf import Unkept
from attntui.trace.model import Lane, LaneKind


def again(value: object, **known: object) -> Any:
    """A value after it was written and read."""
    writer = Writer(known)
    told = msgspec.json.encode(writer.put(value))
    return Reader(writer.types, writer.arrays).value(msgspec.json.decode(told), known)


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from([*Severity, *Role, *Backend]),
    st.lists(st.integers(-9, 9), max_size=70).map(lambda numbers: np.array(numbers, np.int64)),
    st.builds(lambda n: np.arange(n, dtype=np.int32), st.integers(0, 5)),
)
some = st.recursive(
    plain,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.integers(), st.text(max_size=2)), inner, max_size=3),
    ),
    max_leaves=8,
)


@given(some)
def test_any_value_comes_back(value: object) -> None:
    assert_same(again(value), value)


@given(st.lists(some, min_size=1, max_size=4), st.integers(16, 60))
def test_many_values_come_back(values: list[object], length: int) -> None:
    many = tuple((values * length)[:length])
    assert_same(again(many), many)
    pairs = tuple((value, index) for index, value in enumerate(many))
    assert_same(again(pairs), pairs)


def shares(number: int) -> tuple[RoleShare, ...]:
    roles = list(Role)
    return tuple(
        RoleShare(roles[index % len(roles)], np.arange(index % 4, dtype=np.int64), index * 10, None)
        for index in range(number)
    )


def test_many_of_a_class_come_back_in_little_text() -> None:
    many = shares(1000)
    assert_same(again(many), many)
    writer = Writer({})
    assert len(msgspec.json.encode(writer.put(many))) < 1000
    nested = tuple((share,) * (index % 3) for index, share in enumerate(many))
    assert_same(again(nested), nested)


def test_numbers_that_are_equal_are_not_the_same() -> None:
    many = (1, 1.0, True, (1,), (1.0,), (True,), 0.0, -0.0) * 10
    found = again(many)
    assert_same(found, many)
    assert [type(value) for value in found] == [type(value) for value in many]
    assert math.copysign(1, found[7]) == -1


def test_what_is_known_is_the_thing_itself() -> None:
    lane = Lane(LaneKind.CPU, "1", "1", None, None, "", 0)
    assert again(lane, lane=lane) is lane
    many = again((lane,) * 100, lane=lane)
    assert all(found is lane for found in many)


@dataclass(frozen=True)
class Foreign:
    number: int = 1


class ForeignKind(Enum):
    ONE = 1


@pytest.mark.parametrize("value", [Foreign(), object(), {1, 2}, b"bytes", (Foreign(),) * 20, [1j]])
def test_what_is_no_fact_is_not_kept(value: object) -> None:
    with pytest.raises(Unkept):
        Writer({}).put(value)


@pytest.mark.parametrize(
    "told",
    [
        ["?"],
        [],
        [1],
        ["c", 5],
        ["a", 7],
        ["x", "nothing"],
        ["c", 0, 1],
        ["o", 0],
        ["e", 1, "NONE"],
        ["k", ["a", 1], ["l"]],
        ["g", ["a", 1], 3],
    ],
)
def test_other_json_is_refused(told: list[object]) -> None:
    types = [
        f"{Traffic.__module__}:{Traffic.__qualname__}",
        f"{Severity.__module__}:{Severity.__qualname__}",
    ]
    with pytest.raises(Damaged):
        Reader(types, [np.zeros(0, np.int64), np.arange(3)]).value(told, {})


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "subprocess:Popen",
        "attntui.__main__:main",
        "attntui.cli:main",
        "attntui.trace.loading:load",
        "attntui.trace.nowhere:Nothing",
        "attntui.trace.model:Nothing",
        "attntui.trace.kept.shelf:os.system",
    ],
)
def test_no_other_class_is_made(name: str) -> None:
    with pytest.raises(Damaged):
        Reader([name], []).value(["c", 0, "true"], {})
