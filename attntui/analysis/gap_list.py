"""The gaps of a slice in one list: of its devices, or of single streams."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attntui.analysis.gap_causes import Cause, GapCauses, Trigger, joined
from attntui.analysis.labels import Labels
from attntui.analysis.launches import parent_ops
from attntui.safe import Safe, safe
from attntui.trace.model import ABSENT, I64


@dataclass(frozen=True, eq=False)
class GapList:
    """Gaps by start, with their causes; `device` is the number of each.

    The gaps of devices have stream ABSENT; those of single streams bear its number.
    """

    labels: Labels
    causes: GapCauses
    device: I64
    stream: I64

    @classmethod
    def of(cls, labels: Labels, places: list[tuple[int, int]], parts: list[GapCauses]) -> GapList:
        """The gaps of several places, each a device and a stream (ABSENT: any), by start."""
        causes = joined(parts)
        lengths = [len(part) for part in parts]
        device, stream = (
            np.repeat(np.array(numbers, np.int64), lengths)
            for numbers in ([d for d, _ in places], [s for _, s in places])
        )
        order = np.argsort(causes.gaps.start, kind="stable")
        return cls(labels, causes.take(order), device[order], stream[order])

    def __len__(self) -> int:
        return len(self.device)

    @property
    def start(self) -> I64:
        return self.causes.gaps.start

    @property
    def length(self) -> I64:
        return self.causes.gaps.length

    @property
    def before(self) -> I64:
        """Rows of the operations that ended last before each gap."""
        return self.causes.gaps.before

    @property
    def after(self) -> I64:
        """Rows of the operations that end each gap."""
        return self.causes.gaps.after

    @cached_property
    def end(self) -> I64:
        return self.causes.gaps.end

    @cached_property
    def launching_ops(self) -> I64:
        """The op or annotation that launched what ends each gap, ABSENT where not told."""
        return parent_ops(self.labels.trace, self.after)

    @cached_property
    def main(self) -> I64:
        """The main `Cause` of each."""
        return self.causes.main

    def over(self, threshold: int, low: int | None = None, high: int | None = None) -> I64:
        """Numbers of the gaps of at least `threshold` ns, by start; with bounds only those
        that lie partly in [low, high).
        """
        chosen = self.length >= threshold
        if low is not None and high is not None:
            chosen &= (self.start < high) & (self.end > low)
        return np.flatnonzero(chosen)

    def beside(self, chosen: I64, number: int | None, time: int, direction: int) -> int | None:
        """Of the gaps `chosen`, the next (1) or previous (-1) one: from gap `number` where
        there is one (another device may have a gap that begins with it), else from a time.
        """
        if number is not None:
            places, here = chosen, number
        else:
            places, here = self.start[chosen], time
        if direction > 0:
            at = int(np.searchsorted(places, here, "right"))
        else:
            at = int(np.searchsorted(places, here, "left")) - 1
        return int(chosen[at]) if 0 <= at < len(chosen) else None

    def number_of(
        self, device: int | None, start: int, end: int, stream: int | None = None
    ) -> int | None:
        """The number of the gap [start, end) of a device and a stream (None: of any)."""
        low, high = np.searchsorted(self.start, [start, start + 1]).tolist()
        same = self.end[low:high] == end
        for numbers, wanted in ((self.device, device), (self.stream, stream)):
            if wanted is not None:
                same &= numbers[low:high] == wanted
        found = np.flatnonzero(same)
        return low + int(found[0]) if len(found) else None

    def label(self, number: int) -> Safe:
        """A gap's cause in words, with what drained the queue where that is another thing."""
        cause = Cause(int(self.main[number])).word
        trigger = Trigger(int(self.causes.trigger[number]))
        if trigger is Trigger.NONE or trigger.word == cause:
            return safe(cause)
        return safe(f"{cause} after {trigger.word}")

    def place(self, number: int) -> Safe:
        """Where a gap is: `GPU 0`, or `GPU 0 s7`."""
        device, stream = int(self.device[number]), int(self.stream[number])
        if stream == ABSENT:
            return self.labels.device(device)
        return self.labels.stream(device, stream)
