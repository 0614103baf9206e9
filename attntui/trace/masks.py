"""From positions to a mask, and from positions to their places among one another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attntui.trace.model import ABSENT, I64, Bool

Indices = npt.NDArray[np.signedinteger] | list[int]


def mask_of(size: int, chosen: Indices) -> Bool:
    """A mask of `size` entries that is true at the chosen ones."""
    mask = np.zeros(size, np.bool_)
    mask[chosen] = True
    return mask


def places_of(size: int, chosen: Indices) -> I64:
    """For each of `size` entries its place among the chosen ones, else ABSENT."""
    places = np.full(size, ABSENT, np.int64)
    places[chosen] = np.arange(len(chosen))
    return places
