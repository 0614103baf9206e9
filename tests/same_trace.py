"""Two traces that must be one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from attntui.trace import Trace
from attntui.trace.interned import OpInputsTable


def assert_same(one: Trace, other: Trace) -> None:
    """Asserts that everything is equal but the reader."""
    for field in fields(Trace):
        if field.name != "reader":
            _same(getattr(one, field.name), getattr(other, field.name), field.name)


def _same(one: Any, other: Any, where: str) -> None:
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        assert np.array_equal(one, other), where
    elif isinstance(one, OpInputsTable):
        assert list(one) == list(other), where
    elif where in ("columns", "instants", "memory"):
        for field in fields(one):
            _same(getattr(one, field.name), getattr(other, field.name), f"{where}.{field.name}")
    else:
        assert one == other, where
