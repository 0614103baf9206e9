"""A load by several processes gives what one alone gives, or ends in a line."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from builders import SAMPLES, cpu_op, launched, thread_name, write_text
from fuzz.mutants import TEXT_CHANGES
from real_traces import REAL
from same_trace import assert_same

from attntui.errors import InputError, LoadCancelled
from attntui.extent import WHOLE, Extent
from attntui.trace import Trace, crew, load, loading
from attntui.trace.chunks import Unclear
from attntui.trace.crew_member import DONE, NO_MEMORY, READY, UNCLEAR, decoded
from attntui.trace.shared_block import SharedBlock
from attntui.trace.stretch import Stretch


class Beside:
    """A member of a crew in this process, which keeps count of what it is asked."""

    asked = 0
    unclear = 0

    def __init__(self, file: int | None, stretch: Stretch | None) -> None:
        self._stretch = stretch
        self.blocks = [SharedBlock.new(), SharedBlock.new()]
        self._file = file
        self._answers = deque([READY])

    def request(self, block: int, region: Any, separator: bytes) -> None:
        Beside.asked += 1
        text = region.text
        if text is None:
            assert self._file is not None
            text = os.pread(self._file, region.length, region.start)
        try:
            self.blocks[block].put(decoded(text, region.start, separator, self._stretch))
            self._answers.append(DONE)
        except Unclear:
            Beside.unclear += 1
            self._answers.append(UNCLEAR)

    def answer(self, seconds: float) -> bytes:
        return self._answers.popleft()

    def end(self) -> None:
        for block in self.blocks:
            os.close(block.descriptor)


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> type[Beside]:
    """Loads by three members, in small parts."""
    monkeypatch.setattr(crew, "_Member", Beside)
    monkeypatch.setattr(crew, "PART", 20_000)
    monkeypatch.setattr(crew, "BLOCK", 9_000)
    monkeypatch.setattr(loading, "members_for", lambda text: 3)
    Beside.asked = Beside.unclear = 0
    return Beside


def alone(path: Path, extent: Extent = WHOLE) -> Trace:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "members_for", lambda text: 0)
        return load(path, extent=extent)


def whole_text(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


@pytest.mark.parametrize("path", [p for p in REAL if p.stat().st_size < 600_000], ids=str)
@pytest.mark.parametrize("packed", [True, False], ids=["gz", "plain"])
def test_every_real_trace_is_the_same_to_the_bit(
    beside: type[Beside], tmp_path: Path, path: Path, packed: bool
) -> None:
    if not packed:
        path = write_text(tmp_path, whole_text(path), "t.json")
    assert_same(load(path), alone(path))
    # Of a packed text that is short all is unpacked before a border is known.
    if path.stat().st_size > (200_000 if packed else 60_000):
        assert beside.asked > 0


SAMPLE = whole_text(SAMPLES / "gaps_h200.json.gz")


@pytest.mark.parametrize("seed", range(80))
def test_a_damaged_text_is_the_same_to_the_bit(
    beside: type[Beside], tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    text = rng.choice(TEXT_CHANGES)(rng, SAMPLE)
    for name in ("t.json", "t.json.gz"):
        path = write_text(tmp_path, text, name)
        try:
            expected = alone(path)
        except InputError as error:
            with pytest.raises(InputError, match="^" + re.escape(str(error))):
                load(path)
        else:
            assert_same(load(path), expected)


def of_every_phase(count: int) -> list[dict[str, Any]]:
    """Events of every phase, many at one time, whose halves lie far apart in the text."""
    events: list[dict[str, Any]] = [thread_name("first", 1, 2)]
    for n in range(count):
        ts, thread = n // 3, {"pid": n % 4, "tid": n % 7}
        events += [
            cpu_op(f"aten::op{n % 40}", ts, 3, args={"Input Dims": [[n % 9, 2]]}, **thread),
            {"ph": "B", "cat": "user_annotation", "name": f"b{n % 5}", "ts": ts, **thread},
            {"ph": "b", "cat": "async", "name": "a", "id": str(n % 6), "ts": ts, **thread},
            {"ph": "i", "name": f"mark{n % 3}", "ts": ts, **thread},
            {"ph": "i", "name": "[memory]", "ts": ts, "args": {"Bytes": n}, **thread},
            *launched(n + 1, ts, ts + 1, 1),
        ]
    for n in range(count):
        ts, thread = n // 3 + 5, {"pid": n % 4, "tid": n % 7}
        events += [
            {"ph": "E", "name": f"b{n % 5}", "ts": ts, **thread},
            {"ph": "e", "cat": "async", "name": "a", "id": str(n % 6), "ts": ts, **thread},
            {"ph": "?", "name": f"odd{n}", "ts": ts},
            cpu_op("no time", "", 3),
        ]
    events.append(thread_name("last", 1, 2))
    return events


MANY = json.dumps({"traceEvents": of_every_phase(1500)}).encode()


@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
def test_events_of_every_phase_are_the_same_to_the_bit(
    beside: type[Beside], tmp_path: Path, name: str
) -> None:
    path = write_text(tmp_path, MANY, name)
    trace = load(path)
    assert_same(trace, alone(path))
    assert beside.asked >= 4
    assert beside.unclear <= 3
    assert {notice.kind for notice in trace.notices} >= {"not_shown", "no_time"}
    assert any(lane.label == "last" for lane in trace.lanes)


def test_what_follows_the_events_is_no_part_of_them(beside: type[Beside], tmp_path: Path) -> None:
    events = [cpu_op(f"op{n}", n, 1) for n in range(2000)]
    later = {"traceEvents": events, "extra": events, "traceName": "t"}
    path = write_text(tmp_path, json.dumps(later).encode(), "t.json")
    trace = load(path)
    assert_same(trace, alone(path))
    assert trace.events == 2000
    assert beside.unclear > 0


def test_the_last_of_two_lists_counts(beside: type[Beside], tmp_path: Path) -> None:
    first = json.dumps([cpu_op(f"op{n}", n, 1) for n in range(2000)])
    last = json.dumps([cpu_op(f"other{n}", n, 1) for n in range(1500)])
    text = f'{{"traceEvents": {first}, "traceEvents": {last}}}'.encode()
    path = write_text(tmp_path, text, "t.json")
    trace = load(path)
    assert_same(trace, alone(path))
    assert trace.events == 1500


def test_a_broken_event_is_passed_over_and_the_crew_goes_on(
    beside: type[Beside], tmp_path: Path
) -> None:
    events = [json.dumps(cpu_op(f"op{n}", n, 1)) for n in range(5000)]
    events[3200] = events[3200].replace('"name"', "name")
    path = write_text(tmp_path, f'{{"traceEvents": [{", ".join(events)}]}}'.encode(), "t.json")
    trace = load(path)
    assert trace.events == 5000
    assert len(trace.columns.start) == 4999
    assert beside.unclear >= 1
    assert beside.asked > 20


def test_a_member_without_memory_ends_the_load_in_a_line(
    beside: type[Beside], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def request(self: Beside, block: int, region: Any, separator: bytes) -> None:
        self._answers.append(NO_MEMORY)

    monkeypatch.setattr(Beside, "request", request)
    path = write_text(tmp_path, SAMPLE, "t.json")
    with pytest.raises(InputError, match="too large for the memory"):
        load(path)


# By real processes


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Loads by two processes, which are waited for; the members that were started."""
    started: list[Any] = []
    made, answer = crew._Member.__init__, crew._Member.answer

    def kept(self: Any, file: int | None, stretch: Stretch | None) -> None:
        made(self, file, stretch)
        started.append(self)

    monkeypatch.setattr(crew._Member, "__init__", kept)
    monkeypatch.setattr(crew._Member, "answer", lambda self, s: answer(self, s or 60))
    monkeypatch.setattr(crew, "PART", 100_000)
    monkeypatch.setattr(crew, "BLOCK", 9_000)
    monkeypatch.setattr(loading, "members_for", lambda text: 2)
    return started


def all_ended(members: list[Any]) -> bool:
    return len(members) == 2 and all(m._process.poll() is not None for m in members)


@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
def test_processes_give_the_same_to_the_bit(
    processes: list[Any], tmp_path: Path, name: str
) -> None:
    path = write_text(tmp_path, MANY, name)
    taken = []
    take = SharedBlock.take

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SharedBlock, "take", lambda self: taken.append(1) or take(self))
        trace = load(path)
    assert_same(trace, alone(path))
    assert len(taken) >= 4
    assert all_ended(processes)


def test_events_far_apart_are_the_same_to_the_bit(processes: list[Any], tmp_path: Path) -> None:
    far = ("," + " " * 40_000).join(json.dumps(cpu_op(f"op{n}", n, 1)) for n in range(60))
    path = write_text(tmp_path, f'{{"traceEvents": [{far}]}}', "t.json.gz")
    assert_same(load(path), alone(path))
    assert all_ended(processes)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_a_member_that_is_killed_ends_the_load_in_a_line(
    processes: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: signal.Signals
) -> None:
    path = write_text(tmp_path, MANY, "t.json")
    take = SharedBlock.take

    def kills(self: SharedBlock) -> Any:
        if processes[1]._process.poll() is None:
            os.kill(processes[1]._process.pid, sent)
            processes[1]._process.wait()
        return take(self)

    monkeypatch.setattr(SharedBlock, "take", kills)
    with pytest.raises(InputError, match=rf"t.json: .* was killed \(signal {int(sent)}\)"):
        load(path)
    assert all_ended(processes)


def test_cancelling_ends_the_members(
    processes: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_text(tmp_path, MANY, "t.json")
    cancelled: list[bool] = []
    take = SharedBlock.take
    monkeypatch.setattr(SharedBlock, "take", lambda self: cancelled.append(True) or take(self))
    with pytest.raises(LoadCancelled):
        load(path, cancelled=lambda: bool(cancelled))
    assert all_ended(processes)


def shared_blocks() -> int:
    """How many this process has open."""
    opened = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return sum("memfd:attntui" in os.readlink(link) for link in opened)


def test_without_processes_it_goes_alone(
    processes: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_text(tmp_path, SAMPLE, "t.json")
    expected = alone(path)
    monkeypatch.setattr(crew, "_START", "raise SystemExit(3)")
    assert_same(load(path), expected)
    assert all_ended(processes)

    def refused(*args: Any, **more: Any) -> Any:
        raise OSError("Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refused)
    before = shared_blocks()
    assert_same(load(path), expected)
    assert shared_blocks() == before


def test_members_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    code = (
        "import os, sys; from attntui.trace.crew import _Member; m = _Member(None, None);"
        "m.answer(60); print(m._process.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    pid = int(done.stdout)
    until = Path(f"/proc/{pid}/stat")
    for _ in range(600):
        if not until.exists() or ") Z " in until.read_text():
            return
        os.sched_yield()
        signal.sigtimedwait([], 0.05)
    pytest.fail("the member lives on")


@pytest.mark.parametrize(
    ("text", "cores", "members"),
    [(60 << 20, 8, 0), (64 << 20, 8, 2), (1 << 30, 8, 8), (1 << 34, 64, 16), (1 << 30, 1, 0)],
)
def test_how_many_members(
    monkeypatch: pytest.MonkeyPatch, text: int, cores: int, members: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)), raising=False)
    assert crew.members_for(text) == members
