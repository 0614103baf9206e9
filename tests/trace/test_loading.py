"""Loading as a whole: progress, cancelling, bounds, and that it needs no screen."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from builders import cpu_op, trace_text, write_text, write_trace

from attntui.errors import LoadCancelled
from attntui.trace import Progress, load, loading, source
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
    assert 0 < told[len(told) // 2].events < trace.events


def test_progress_is_told_at_most_twenty_times_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(n / 1000 for n in range(10**6))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    told: list[Progress] = []
    load(write_text(tmp_path, MANY), progress=told.append)
    seconds = [p.seconds for p in told]
    assert all(later - sooner >= 0.05 for sooner, later in pairwise(seconds[:-1]))


def test_a_load_can_be_cancelled_at_once_and_midway(tmp_path: Path) -> None:
    path = write_text(tmp_path, MANY)
    with pytest.raises(LoadCancelled):
        load(path, cancelled=lambda: True)
    asked = iter([False] * 5)
    with pytest.raises(LoadCancelled):
        load(path, cancelled=lambda: next(asked, True))
    assert next(asked, None) is None


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
    monkeypatch.setattr(source, "_CHECKPOINT_EVERY", 1000)
    monkeypatch.setattr(source, "_MOST_CHECKPOINTS", 4)
    monkeypatch.setattr(source, "BLOCK", 1000)
    trace = load(write_text(tmp_path, MANY, "t.json.gz"))
    reader = trace.reader
    assert isinstance(reader, source._GzipReader)
    assert len(reader._checkpoints) <= 4
    for row in (0, 15_000, 29_999):
        offset, length = int(trace.columns.offset[row]), int(trace.columns.length[row])
        assert json.loads(reader.read(offset, length))["ts"] == row


def test_loading_needs_no_terminal_and_no_torch() -> None:
    code = "import sys, attntui.trace; print('textual' in sys.modules, 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.split() == ["False", "False"]
