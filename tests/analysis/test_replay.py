"""The model that gains come from, against a simulation that goes from event to event."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from builders import CORPUS, SAMPLES, Event
from hypothesis import given, settings
from hypothesis import strategies as st
from made import call, kernel, trace_of

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.intervals import Intervals, union
from attntui.analysis.replay import Replay
from attntui.trace import load

REAL = sorted([*SAMPLES.glob("*.json.gz"), *CORPUS.parent.glob("*/*.json.gz")])
NONE = union(np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass
class Host:
    """One thread that launches: what it does between launches, and where it waits."""

    events: list[Event]
    now: int = 0
    device: int = 0
    number: int = 0

    def launch(self, think: int, run: int) -> None:
        """Thinks, launches, and the device runs that as soon as it can."""
        self.now += think
        self.number += 1
        self.events.append(call("cudaLaunchKernel", self.now, self.now + 100, self.number))
        begin = max(self.device, self.now + 500)
        self.events.append(kernel("k", begin, begin + run, self.number))
        self.device = begin + run
        self.now += 100

    def wait(self) -> None:
        """Synchronises: 50 ns after the device is done it goes on."""
        end = max(self.now, self.device) + 50
        self.events.append(call("cudaStreamSynchronize", self.now, end))
        self.now = end


Step = tuple[str, int, int]
STEPS = st.lists(
    st.tuples(st.sampled_from(["launch", "launch", "wait"]), st.integers(0, 9), st.integers(1, 9)),
    min_size=2,
    max_size=14,
)


def run(steps: list[Step]) -> Host:
    host = Host([])
    host.launch(0, 1_000)
    for kind, think, length in steps:
        if kind == "launch":
            host.launch(think * 300, length * 400)
        else:
            host.wait()
    return host


def replay_of(host: Host) -> Replay:
    (found,) = AnalysedTrace(trace_of(host.events)).whole.replays
    return found


@given(STEPS)
def test_unchanged_the_recording_comes_out(steps: list[Step]) -> None:
    host = run(steps)
    part = AnalysedTrace(trace_of(host.events)).whole
    (replayed,), (device,) = part.replays, part.devices
    assert replayed.span() == device.span_ns
    gaps = dict(zip(device.gaps.after.tolist(), device.gaps.length.tolist(), strict=True))
    everything = np.arange(len(replayed.waits), dtype=np.int64)
    again = replayed.gaps(everything).tolist()
    assert again == [gaps.get(row, 0) for row in device.rows.tolist()]


@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.name}/{path.name[:-8]}")
def test_unchanged_a_real_recording_comes_out(path: Path) -> None:
    part = AnalysedTrace(load(path)).whole
    for device, replayed in zip(part.devices, part.replays, strict=True):
        assert replayed.span() == device.span_ns
        # Less of anything is never longer.
        assert replayed.span(own=replayed.own // 2) <= device.span_ns
        assert replayed.span(kept=np.zeros(0, np.int64)) <= device.span_ns


def again(steps: list[Step], quicker: int, waits: bool) -> int:
    """The span of the same program with kernels that take a part of their time."""
    host = Host([])
    host.launch(0, 1_000 // quicker)
    for kind, think, length in steps:
        if kind == "launch":
            host.launch(think * 300, length * 400 // quicker)
        elif waits:
            host.wait()
        else:
            # The call still costs the host what it took after the device was done.
            host.now += 50
    first = next(e for e in host.events if e["cat"] == "kernel")
    return host.device - round(first["ts"] * 1000)


@given(STEPS, st.sampled_from([1, 2, 4]))
def test_shorter_kernels_gain_as_far_as_the_host_keeps_up(steps: list[Step], quicker: int) -> None:
    replayed = replay_of(run(steps))
    assert replayed.span(own=replayed.own // quicker) == again(steps, quicker, waits=True)


@given(STEPS)
def test_without_waits_the_host_runs_ahead(steps: list[Step]) -> None:
    replayed = replay_of(run(steps))
    mine = replayed.span(kept=np.zeros(0, np.int64))
    real = again(steps, 1, waits=False)
    # A wait that found the device done was none: it stays as it was.
    assert mine == real or mine <= replayed.span()
    if len(replayed.waits) == sum(kind == "wait" for kind, _, _ in steps):
        assert mine == real


def simulate(r: Replay, own: list[int], spared: Intervals, kept: list[int]) -> int:
    """The documented model, operation by operation."""

    def clock(time: int) -> int:
        """The host's own time up to a recorded one, without its waits and what is spared."""
        blocked = [(int(s), int(e)) for s, e in zip(r.waits.start, r.waits.end, strict=True)]
        gone = 0
        cuts = sorted({0, time, *(t for b in blocked for t in b),
                       *spared.start.tolist(), *spared.end.tolist()})  # fmt: skip
        for low, high in pairwise(cuts):
            if low < 0 or high > time:
                continue
            in_wait = any(s <= low and high <= e for s, e in blocked)
            is_spared = bool(spared.contains(np.array([low], np.int64))[0])
            gone += (high - low) * (in_wait or is_spared)
        return time - gone

    put_off, at, ends = 0, r.start, []
    waits = list(kept)
    for i in range(len(own)):
        given = int(r.given[i])
        while waits and r.launched[i] and int(r.waits.end[waits[0]]) <= given:
            wait = waits.pop(0)
            # What it was for is done, and some time later the host goes on.
            done = ends[int(r.until[wait])] + int(r.late[wait])
            put_off = max(put_off, done - clock(int(r.waits.end[wait])))
        free = ends[-1] if ends else r.start
        ready = clock(given) + put_off + int(r.latency[i]) if r.launched[i] else free
        at = max(free, ready) + int(r.held[i])
        ends.append(at + own[i])
    return ends[-1] - r.start


@settings(max_examples=60)
@given(STEPS, st.data())
def test_the_maxima_are_the_model(steps: list[Step], data: st.DataObject) -> None:
    host = run(steps)
    r = replay_of(host)
    own = [data.draw(st.integers(0, int(ns))) for ns in r.own.tolist()]
    kept = [i for i in range(len(r.waits)) if data.draw(st.booleans())]
    bounds = sorted(data.draw(st.lists(st.integers(0, host.now), max_size=4, unique=True)))
    pairs = list(zip(bounds[::2], bounds[1::2], strict=False))
    spared = union(
        np.array([low for low, _ in pairs], np.int64),
        np.array([high for _, high in pairs], np.int64),
    )
    mine = r.span(np.array(own, np.int64), spared, np.array(kept, np.int64))
    assert mine == simulate(r, own, spared, kept)
