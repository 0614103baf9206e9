"""Loading as a whole: progress, cancelling, bounds, and that it needs no screen."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from builders import cpu_op, launched, trace_text, write_text, write_trace

from attntui.errors import InputError, LoadCancelled
from attntui.trace import Progress, Trace, assemble, load, loading, packed
from attntui.trace.memory import available_memory

MANY = trace_text([cpu_op(f"op{n % 50}", n, 5, args={"Sequence number": n}) for n in range(30_000)])


@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
def test_progress_is_told_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(loading, "_REPORT_EVERY_S", 0)
    path = write_text(tmp_path, MANY, name)
    told: list[Progress] = []
    trace = load(path, progress=told.append)
    size = path.stat().st_size
    assert len(told) > 5
    assert all(p.bytes_total == size for p in told)
    assert [p.bytes_done for p in told] == sorted(p.bytes_done for p in told)
    assert [p.events for p in told] == sorted(p.events for p in told)
    assert (told[-1].bytes_done, told[-1].events) == (size, trace.events)
    assert any(0 < p.events < trace.events for p in told)


def test_progress_is_told_at_most_twenty_times_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(n / 1000 for n in range(10**6))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    told: list[Progress] = []
    load(write_text(tmp_path, MANY), progress=told.append)
    seconds = [p.seconds for p in told]
    assert all(later - sooner >= 0.05 for sooner, later in pairwise(seconds[:-2]))


def test_a_load_can_be_cancelled_at_once_and_midway(tmp_path: Path) -> None:
    path = write_text(tmp_path, MANY)
    with pytest.raises(LoadCancelled):
        load(path, cancelled=lambda: True)
    asked = iter([False] * 5)
    with pytest.raises(LoadCancelled):
        load(path, cancelled=lambda: next(asked, True))
    assert next(asked, None) is None


def test_progress_is_told_when_all_is_read_and_not_yet_assembled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_text(tmp_path, MANY)
    assembled: list[bool] = []
    assemble = loading.assemble

    def watched(*args: Any) -> Trace:
        trace = assemble(*args)
        assembled.append(True)
        return trace

    monkeypatch.setattr(loading, "assemble", watched)
    read: list[Progress] = []
    load(path, progress=lambda at: None if assembled else read.append(at))
    size = path.stat().st_size
    assert (read[-1].bytes_done, read[-1].bytes_total, read[-1].events) == (size, size, 30_000)


def test_a_load_can_be_cancelled_while_it_is_assembled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_trace(tmp_path, [cpu_op("a", 0, 9), cpu_op("b", 1, 1), *launched(1, 2, 3, 4)])
    steps = ("_in_order", "_nested", "_launches", "_note_content", "_arrays")
    done: list[str] = []

    def counted(step: str) -> Callable[..., Any]:
        function = getattr(assemble, step)

        def call(*args: Any) -> Any:
            done.append(step)
            return function(*args)

        return call

    for step in steps:
        monkeypatch.setattr(assemble, step, counted(step))
    for step, following in pairwise(steps):
        done.clear()
        with pytest.raises(LoadCancelled):
            load(path, cancelled=lambda step=step: step in done)
        assert step in done
        assert following not in done


def test_an_error_in_progress_is_not_swallowed(tmp_path: Path) -> None:
    def fail(_: Progress) -> None:
        raise RuntimeError("the screen is gone")

    with pytest.raises(RuntimeError, match="gone"):
        load(write_text(tmp_path, MANY), progress=fail)


def test_loading_stops_before_memory_runs_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "available_memory", lambda: 2_000_000)
    trace = load(write_text(tmp_path, MANY))
    assert 1000 < len(trace) < 15_000
    (notice,) = [n for n in trace.notices if n.kind == "memory"]
    assert "1 MB" in notice.example


@pytest.mark.parametrize(
    "event",
    [
        {"name": "long " * 2000},
        {"tid": "thread"},
        {"args": {"Input Dims": [[1]], "Concrete Inputs": ["x" * 2000]}},
        {"ph": "B"},
        {"ph": "phase"},
        {"cat": "category"},
    ],
    ids=["names", "threads", "inputs", "pairs", "phases", "categories"],
)
def test_all_that_grows_counts_as_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: dict
) -> None:
    """Every table that a file can fill is bounded."""

    def distinct(n: int) -> dict:
        text = json.dumps({**cpu_op("op", n, 5), **event})
        for part in ("long ", "thread", '"x', "phase", "category"):
            text = text.replace(part, f"{part}{n}", 1)
        return json.loads(text)

    monkeypatch.setattr(loading, "available_memory", lambda: 2_000_000)
    events = [cpu_op("first", 0, 1), *[distinct(n) for n in range(8000)]]
    trace = load(write_trace(tmp_path, events))
    assert "memory" in [notice.kind for notice in trace.notices]
    assert trace.events < 8000


@pytest.mark.parametrize("where", ["open_source", "available_memory", "assemble"])
def test_running_out_of_memory_is_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    path = write_text(tmp_path, MANY)
    monkeypatch.setattr(loading, where, fail)
    with pytest.raises(InputError) as refused:
        load(path)
    line = str(refused.value)
    assert line.startswith(f"{path}: is too large for the memory that is free")
    assert ("30,000 events, 4 MB" in line) == (where == "assemble")
    assert line.endswith("free some memory, or read a part of it: --last-steps, --window")
    assert "\n" not in line
    # Nothing holds on to the tables of the load that failed.
    assert refused.value.__context__ is None


def test_memory_is_known_here() -> None:
    assert available_memory() > 1 << 20


def test_peak_memory_stays_far_below_the_text(tmp_path: Path) -> None:
    """100 MB of text, packed into a small file, in one process of its own."""
    filler = " " * 2000
    event = json.dumps(cpu_op("a", 1, 1))
    path = tmp_path / "bomb.json.gz"
    with gzip.open(path, "wb", 1) as file:
        file.write(b"[" + event.encode())
        block = ("," + filler + event).encode() * 500
        for _ in range(95):
            file.write(block)
        file.write(b"]")
    code = (
        "import resource, sys; from attntui.trace import load;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "t = load(sys.argv[1]);"
        "print(len(t), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, check=True, text=True
    )
    rows, grown_kb = map(int, done.stdout.split())
    assert rows == 47_501
    assert grown_kb < 60_000


def test_checkpoints_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_CHECKPOINT_EVERY", 1000)
    monkeypatch.setattr(packed, "_MOST_CHECKPOINTS", 4)
    monkeypatch.setattr(packed, "BLOCK", 1000)
    trace = load(write_text(tmp_path, MANY, "t.json.gz"))
    reader = trace.reader
    assert isinstance(reader, packed._GzipReader)
    assert len(reader._checkpoints) <= 4
    for row in (0, 15_000, 29_999):
        offset, length = int(trace.columns.offset[row]), int(trace.columns.length[row])
        assert json.loads(reader.read(offset, length))["ts"] == row


def test_loading_needs_no_terminal_and_no_torch() -> None:
    code = "import sys, attntui.trace; print('textual' in sys.modules, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.split() == ["False", "False"]
