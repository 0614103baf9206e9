"""Facts that must be equal, down to the types of arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from attntui.trace import Trace


def assert_same(one: Any, other: Any, where: str = "") -> None:
    """Asserts that two values are equal in everything they hold."""
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        assert np.array_equal(one, other), where
    elif isinstance(one, Trace):
        return
    elif isinstance(one, tuple | list):
        assert len(one) == len(other), where
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{where}[{number}]")
    elif isinstance(one, Mapping):
        assert list(one) == list(other), where
        for key in one:
            assert_same(one[key], other[key], f"{where}[{key!r}]")
    elif is_dataclass(one) and not isinstance(one, Enum):
        for field in fields(one):
            if field.name not in ("facts", "kept"):
                assert_same(
                    getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}"
                )
    elif isinstance(one, float) and math.isnan(one):
        assert math.isnan(other), where
    else:
        assert one == other, where
