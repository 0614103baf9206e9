"""The model that gains come from, against a simulation that goes from event to event."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from builders import Event
from hypothesis import given, settings
from hypothesis import strategies as st
from made import call, kernel, trace_of
from made_programs import programs
from real_traces import every_real_trace, observed
from replayed import simulate, span

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.intervals import union
from attntui.analysis.queue_depth import FULL_QUEUE
from attntui.analysis.replay import Replay
from attntui.trace.model import I64


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


@every_real_trace
def test_unchanged_a_real_recording_comes_out(path: Path) -> None:
    part = observed(path)
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


def bounds_of(data: st.DataObject, high: int) -> list[tuple[int, int]]:
    """Disjoint stretches of host work to be spared."""
    cuts = sorted(data.draw(st.lists(st.integers(0, high), max_size=6, unique=True)))
    return list(zip(cuts[::2], cuts[1::2], strict=False))


def changed(data: st.DataObject, r: Replay) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """Own times, spared host work and kept waits, drawn at random."""
    own = [data.draw(st.integers(0, ns)) for ns in r.own.tolist()]
    kept = [i for i in range(len(r.waits)) if data.draw(st.booleans())]
    return own, bounds_of(data, r.start + r.span()), kept


@settings(max_examples=60, deadline=None)
@given(STEPS, st.data())
def test_the_maxima_are_the_model(steps: list[Step], data: st.DataObject) -> None:
    same_as_the_model(data, replay_of(run(steps)))


@settings(max_examples=100, deadline=None)
@given(programs(devices=2), st.data())
def test_the_maxima_are_the_model_for_any_program(events: list[Event], data: st.DataObject) -> None:
    for r in AnalysedTrace(trace_of(events)).whole.replays:
        same_as_the_model(data, r)


def same_as_the_model(data: st.DataObject, r: Replay) -> None:
    own, spared, kept = changed(data, r)
    some, waits = union(*sides(spared)), np.array(kept, np.int64)
    begins = r.begins(np.array(own, np.int64), some, waits)
    assert begins.tolist() == simulate(r, own, spared, kept)
    assert r.span(np.array(own, np.int64), some, waits) == span(r, own, spared, kept)


@settings(max_examples=100, deadline=None)
@given(programs(devices=2))
def test_unchanged_any_program_comes_out(events: list[Event]) -> None:
    part = AnalysedTrace(trace_of(events)).whole
    for device, r in zip(part.devices, part.replays, strict=True):
        assert r.span() == device.span_ns
        gaps = dict(zip(device.gaps.after.tolist(), device.gaps.length.tolist(), strict=True))
        again = r.gaps(np.arange(len(r.waits), dtype=np.int64)).tolist()
        assert again == [gaps.get(row, 0) for row in device.rows.tolist()]


@settings(max_examples=100, deadline=None)
@given(programs(), st.data())
def test_to_spare_more_is_never_longer(events: list[Event], data: st.DataObject) -> None:
    for r in AnalysedTrace(trace_of(events)).whole.replays:
        own, spared, kept = changed(data, r)
        less = [data.draw(st.integers(0, ns)) for ns in own]
        more = [*spared, *bounds_of(data, r.start + r.span())]
        fewer = [wait for wait in kept if data.draw(st.booleans())]
        before, after = (
            r.span(np.array(ns, np.int64), union(*sides(part)), np.array(waits, np.int64))
            for ns, part, waits in ((own, spared, kept), (less, more, fewer))
        )
        assert after <= before <= r.span()


def sides(stretches: list[tuple[int, int]]) -> tuple[I64, I64]:
    """Starts and ends, by start."""
    ordered = np.array(sorted(stretches), np.int64).reshape(-1, 2)
    return ordered[:, 0], ordered[:, 1]


def test_a_launch_right_at_a_wait_s_end_comes_after_the_wait() -> None:
    events = [
        call("cudaLaunchKernel", 0, 100, 1),
        kernel("k", 500, 10_500, 1),
        call("cudaStreamSynchronize", 200, 10_500),
        call("cudaLaunchKernel", 10_500, 10_600, 2),
        kernel("k", 11_000, 12_000, 2),
    ]
    (replayed,) = AnalysedTrace(trace_of(events)).whole.replays
    assert replayed.begins(replayed.own, None, None).tolist() == [500, 11_000]
    # The kernel ends 6 us sooner, so does the wait for it, and all that follows.
    own = replayed.own - np.array([6_000, 0])
    assert replayed.begins(own, None, None).tolist() == [500, 5_000]


def test_an_operation_that_began_before_its_launch_still_waits_for_the_one_before() -> None:
    """Clock skew: it may be as early again, but not begin while the other runs."""
    events = [
        call("cudaLaunchKernel", 0, 100, 1),
        kernel("k", 500, 1_500, 1),
        call("cudaLaunchKernel", 2_000, 2_100, 2),
        kernel("k", 1_800, 2_800, 2),
    ]
    (replayed,) = AnalysedTrace(trace_of(events)).whole.replays
    sparing = union(*sides([(300, 1_900)]))
    assert replayed.begins(replayed.own, sparing, None).tolist() == [500, 1_500]


def ahead(launches: int) -> Host:
    """A host that gives out work far faster than the device does it."""
    host = Host([])
    for _ in range(launches):
        long_launch(host, 1_000)
    return host


def long_launch(host: Host, ns: int) -> None:
    """A launch call that takes some time."""
    host.launch(0, 20_000)
    host.events[-2]["dur"] = ns / 1000
    host.now += ns - 100


def test_a_launch_call_that_found_the_queue_full_waited_for_room() -> None:
    host = ahead(FULL_QUEUE + 100)
    # Some kernels end meanwhile: the call waited for those.
    long_launch(host, 90_000)
    host.launch(0, 20_000)
    assert len(replay_of(host).waits) == 1
    host = ahead(FULL_QUEUE)
    long_launch(host, 90_000)
    host.launch(0, 20_000)
    assert len(replay_of(host).waits) == 0


def test_launch_calls_are_judged_by_their_like() -> None:
    """Many short calls that wait for nothing make no launch call a slow one."""
    host = ahead(FULL_QUEUE + 100)
    for _ in range(4 * FULL_QUEUE):
        host.events.append(call("cudaEventSynchronize", host.now, host.now + 10))
        host.now += 20
    for _ in range(100):
        long_launch(host, 1_000)
    assert len(replay_of(host).waits) == 0


def test_work_without_a_launch_does_not_stand_in_the_queue() -> None:
    host = ahead(10)
    long_launch(host, 90_000)
    for i in range(FULL_QUEUE):
        host.events.append(kernel("early", host.device + i * 1_000, host.device + i * 1_000 + 900))
    assert len(replay_of(host).waits) == 0
