"""The model of `attntui.analysis.replay`, as docs/architecture.md has it, from event to event."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from attntui.analysis.replay import Replay

Stretch = tuple[int, int]


class Clock:
    """The host's own time: what it did besides waiting and what it is spared."""

    def __init__(self, gone: Iterable[Stretch]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for low, high in sorted(stretch for stretch in gone if stretch[1] > stretch[0]):
            if self.ends and low <= self.ends[-1]:
                self.ends[-1] = max(self.ends[-1], high)
            else:
                self.starts.append(low)
                self.ends.append(high)
        self.before = [0]
        for low, high in zip(self.starts, self.ends, strict=True):
            self.before.append(self.before[-1] + high - low)

    def at(self, time: int) -> int:
        number = bisect_right(self.starts, time)
        beyond = max(0, self.ends[number - 1] - time) if number else 0
        return time - self.before[number] + beyond

    def gone(self, low: int, high: int) -> int:
        """How much of a stretch is not the host's own."""
        return high - low - (self.at(high) - self.at(low))


def simulate(
    r: Replay, own: Sequence[int], spared: Iterable[Stretch] = (), kept: Iterable[int] | None = None
) -> list[int]:
    """When each of the device's operations begins, where they take `own`, without the host's
    work in `spared` and with the waits `kept` (all by default) alone.
    """
    waits = list(zip(r.waits.start.tolist(), r.waits.end.tolist(), strict=True))
    clock = Clock([*waits, *spared])
    coming = sorted(range(len(waits)) if kept is None else kept, reverse=True)
    given, launched = r.given.tolist(), r.launched.tolist()
    latency, held = r.latency.tolist(), r.held.tolist()
    until, late = r.until.tolist(), r.late.tolist()
    put_off, ends = 0, [r.start]
    for i, ns in enumerate(own):
        ready = ends[-1]
        if launched[i]:
            while coming and waits[coming[-1]][1] <= given[i]:
                wait = coming.pop()
                # What it was for is done, and some time later the host goes on.
                done = min(until[wait] + 1, len(ends) - 1)
                if done > 0:
                    put_off = max(put_off, ends[done] + late[wait] - clock.at(waits[wait][1]))
            ready = max(ready, clock.at(given[i]) + put_off + latency[i])
        ends.append(ready + held[i] + ns)
    return [end - ns for end, ns in zip(ends[1:], own, strict=True)]


def span(
    r: Replay, own: Sequence[int], spared: Iterable[Stretch] = (), kept: Iterable[int] | None = None
) -> int:
    """The device's span in ns in that run."""
    return simulate(r, own, spared, kept)[-1] + own[-1] - r.start if own else 0
