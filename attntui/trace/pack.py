"""Lists of Python numbers to arrays, quickly where they are what they should be."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from attntui.trace.model import ABSENT, I64

_INTEGER = re.compile(r"\s*[-+]?(?:0[xX][0-9a-fA-F]{1,16}|\d{1,19})\s*")


def packed(values: Sequence[int], kind: str) -> npt.NDArray[Any]:
    return np.frombuffer(struct.pack(f"{len(values)}{kind}", *values), dtype=kind)


def integers(values: Sequence[Any], *, below: int | None = None) -> I64:
    """The values as integers; ABSENT for what is none, or does not lie in [0, below)."""
    try:
        array: I64 = np.frombuffer(struct.pack(f"{len(values)}q", *values), dtype=np.int64)
    except struct.error:
        array = np.array([_integer(value) for value in values], dtype=np.int64)
    if below is not None:
        array = np.where((array >= 0) & (array < below), array, ABSENT)
    return array


def _integer(value: Any) -> int:
    if isinstance(value, str):
        if _INTEGER.fullmatch(value) is None:
            return ABSENT
        value = int(value, 16 if "x" in value or "X" in value else 10)
    elif isinstance(value, float):
        value = int(value) if math.isfinite(value) and value.is_integer() else ABSENT
    elif not isinstance(value, int):
        return ABSENT
    return value if -(2**63) <= value < 2**63 else ABSENT
