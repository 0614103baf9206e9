"""Traces are whole or absent, and their metadata survives Kineto."""

from __future__ import annotations

import errno
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from capture import traces
from capture.errors import CaptureError

ROOT = Path(__file__).resolve().parents[2]


def export_whole(path: str) -> None:
    Path(path).write_text('{"traceEvents": []}', encoding="utf-8")


def test_a_trace_is_written_gzip_and_alone(tmp_path: Path) -> None:
    target = tmp_path / "a.json.gz"
    traces.write_trace(target, export_whole)
    assert json.loads(gzip.decompress(target.read_bytes())) == {"traceEvents": []}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json.gz"]


def test_a_cut_export_leaves_the_older_trace_and_no_scraps(tmp_path: Path) -> None:
    target = tmp_path / "a.json.gz"
    traces.write_trace(target, export_whole)
    before = target.read_bytes()
    with pytest.raises(CaptureError, match="cut short"):
        traces.write_trace(
            target, lambda path: Path(path).write_text('{"traceEvents": [', encoding="utf-8")
        )
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.json.gz"]


def test_an_exporter_that_leaves_only_its_own_scrap_is_told_and_cleaned_up(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="cut short, as on a full disk"):
        traces.write_trace(
            tmp_path / "a.json.gz",
            lambda path: Path(f"{path}.tmp").write_text("{", encoding="utf-8"),
        )
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_up_under_the_exporter_is_one_line_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    # A limit on file size fails the profiler's own writes just as a full disk does.
    script = (
        "import resource, sys\n"
        "from capture.cli import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))\n"
        "sizes = '--device cpu --batch 1 --heads 2 --seq 16 --stacks'.split()\n"
        "raise SystemExit(main(['run', 'math', *sizes, '--out', sys.argv[1]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert "as on a full disk" in done.stderr.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path: Path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(traces.shutil, "copyfileobj", full)
    with pytest.raises(CaptureError) as caught:
        traces.write_trace(tmp_path / "a.json.gz", export_whole)
    assert "No space left on device" in str(caught.value)
    assert "--out" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_in_mid_write_leaves_nothing(tmp_path: Path) -> None:
    def interrupted(path: str) -> None:
        Path(path).write_text("{", encoding="utf-8")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        traces.write_trace(tmp_path / "a.json.gz", interrupted)
    assert list(tmp_path.iterdir()) == []


def test_a_kill_in_mid_write_leaves_no_half_trace_and_its_scraps_go_next_time(
    tmp_path: Path,
) -> None:
    target = tmp_path / "a.json.gz"
    traces.write_trace(target, export_whole)
    before = target.read_bytes()
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from capture import traces\n"
        "def killed(source, sink, size):\n"
        "    sink.write(b'half'); sink.flush()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "traces.shutil.copyfileobj = killed\n"
        "traces.write_trace(Path(sys.argv[1]), lambda path: Path(path).write_text('{}'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(target)], cwd=ROOT, check=False, timeout=60
    )
    assert done.returncode == -9
    assert target.read_bytes() == before
    assert len(list(tmp_path.glob(".*.part"))) == 2
    traces.prepare_directory(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.json.gz"]


def test_scraps_of_a_running_capture_are_left_alone(tmp_path: Path) -> None:
    part = tmp_path / f".a.json.gz.json.{os.getpid()}.part"
    part.touch()
    mine = tmp_path / ".notes.part"
    mine.touch()
    traces.prepare_directory(tmp_path)
    assert part.exists()
    assert mine.exists()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.touch()
    with pytest.raises(CaptureError) as caught:
        traces.prepare_directory(blocker / "traces")
    assert str(blocker) in str(caught.value)
    assert "--out" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_metadata_needs_no_escape_that_kineto_would_break() -> None:
    text = traces.metadata_json({'say "hi"': ["C:\\temp", "line\nbreak", "naïve \u2264"], "n": 1})
    assert "\\" not in text
    assert json.loads(text) == {"say 'hi'": ["C:/temp", "line break", "naïve ≤"], "n": 1}


def test_metadata_holds_no_number_that_json_has_not() -> None:
    with pytest.raises(ValueError, match="JSON"):
        traces.metadata_json({"error": float("nan")})
