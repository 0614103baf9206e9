"""Where the part of a trace that is to be read lies in the file's time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from attntui.errors import InputError
from attntui.extent import Extent
from attntui.trace.batch import Batch
from attntui.trace.columns import PackedStore, Store
from attntui.trace.model import I64
from attntui.trace.notices import Notices
from attntui.trace.span import beside, far_off
from attntui.trace.stretch import Stretch

_STEP = "ProfilerStep#"


class _Times(NamedTuple):
    """Starts and ends of some events, in ns of the file."""

    start: I64
    end: I64


@dataclass(slots=True)
class Survey:
    """Takes what a `Store` does and keeps the times alone: a fifth of the memory."""

    events: int = 0
    _spans: list[_Times] = field(default_factory=list)
    _steps: list[_Times] = field(default_factory=list)
    _marks: list[I64] = field(default_factory=list)

    @property
    def memory(self) -> int:
        return 16 * self.events

    def add(self, batch: Batch) -> None:
        store = Store(Notices())
        store.add(batch)
        self.absorb(store.packed())

    def absorb(self, packed: PackedStore) -> None:
        self.events += packed.events
        is_step = np.array([name.startswith(_STEP) for name in packed.names], np.bool_)
        for columns in packed.tables.values():
            times = _Times(columns["start"].copy(), columns["start"] + columns["dur"])
            self._spans.append(times)
            steps = is_step[columns["name"]] if len(is_step) else is_step
            if "device" not in columns and steps.any():
                self._steps.append(_Times(times.start[steps], times.end[steps]))
        halves = np.array([half.time for half in packed.phases.halves], np.int64)
        self._spans.append(_Times(halves, halves))
        self._marks += [packed.phases.instants[:, 0].copy(), packed.phases.memory[:, 0].copy()]

    def stretch(self, extent: Extent, path: str) -> Stretch:
        """Where what is asked for lies.

        Raises:
            InputError: the trace has nothing there.
        """
        spans = _together(self._spans)
        if not len(spans.start):
            # The load itself says what the file is.
            return Stretch(0, 0, 0)
        far = far_off(spans.start, spans.end)
        first, last = int(spans.start[~far][0]), int(spans.end[~far].max())
        marks = np.concatenate([*self._marks, np.empty(0, np.int64)])
        origin = int(marks[~beside(marks, first, last)].min(initial=first))
        low, high = origin, last + 1
        if extent.last_steps is not None:
            steps = _together(self._steps)
            if not len(steps.start):
                raise InputError(f"{path}: has no steps ({_STEP}n); name a time with --window")
            low = int(steps.start[-min(extent.last_steps, len(steps.start))])
        if extent.window is not None:
            low, high = (origin + time for time in extent.window)
        if low >= last or high <= first:
            lasts = (last - origin) / 1e6
            raise InputError(f"{path}: has nothing in that window; it lasts {lasts:,.3f} ms")
        return Stretch(low, high, origin)


def _together(times: list[_Times]) -> _Times:
    """All in one, in order of their starts."""
    none = np.empty(0, np.int64)
    start = np.concatenate([*(each.start for each in times), none])
    end = np.concatenate([*(each.end for each in times), none])
    order = np.argsort(start, kind="stable")
    return _Times(start[order], end[order])
