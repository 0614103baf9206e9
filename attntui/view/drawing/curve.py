"""A quantity over time as one line of cells: memory in use, operations waiting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attntui.safe import Safe
from attntui.trace.model import I64
from attntui.view.drawing.raster import ASCII_RAMP, LOWER_BLOCKS


@dataclass(frozen=True, eq=False)
class Curve:
    """A step function: from `time[i]` on the value is `value[i]`; 0 before the first."""

    time: I64
    value: I64

    @cached_property
    def peak(self) -> int:
        return int(self.value.max()) if len(self.value) else 0

    def cell_peaks(self, edges: I64) -> I64:
        """The highest value in each cell between `edges`."""
        if not len(self.time):
            return np.zeros(len(edges) - 1, np.int64)
        first = np.searchsorted(self.time, edges[:-1], "right") - 1
        stop = np.searchsorted(self.time, edges[1:], "left")
        padded = np.concatenate((self.value, [0]))
        carried = np.where(first >= 0, self.value[np.maximum(first, 0)], 0)
        inside = np.maximum.reduceat(
            padded, np.stack((np.maximum(first, 0), np.maximum(stop, 0)), axis=1).ravel()
        )[::2]
        return np.where(stop > np.maximum(first, 0), np.maximum(inside, carried), carried)


def draw_curve(curve: Curve, edges: I64, *, ascii_only: bool = False) -> Safe:
    """One character a cell, its height the share of the curve's peak over the whole trace."""
    ramp = ASCII_RAMP if ascii_only else LOWER_BLOCKS
    levels = np.ceil(8 * curve.cell_peaks(edges) / max(curve.peak, 1)).astype(np.int64)
    return Safe("".join(ramp[level] for level in np.clip(levels, 0, 8).tolist()))
