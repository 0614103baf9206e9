"""Inputs without an end, devices and pipes: bounded in time and room, and cleaned up."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from builders import cpu_op, trace_text

from attntui.errors import InputError, LoadCancelled
from attntui.trace import Progress, load, loading, read_event

EVENTS = [cpu_op(f"op{number}", 10 * number, 5) for number in range(20)]
TEXT = trace_text(EVENTS).encode()
LARGEST_COPY = 4 * 1024**2


def endless(part: bytes, first: bytes = b"") -> Callable[[int], None]:
    """Writes `part` over and over until nobody reads it any more."""

    def write(descriptor: int) -> None:
        with os.fdopen(descriptor, "wb", buffering=0) as pipe:
            try:
                pipe.write(first)
                while True:
                    pipe.write(part * (65_536 // len(part)))
            except BrokenPipeError:
                pass

    return write


@contextmanager
def piped(write: Callable[[int], None]) -> Iterator[str]:
    """A path that reads what `write` puts into a pipe; at last its writer must have ended."""
    reader, writer = os.pipe()
    thread = threading.Thread(target=write, args=(writer,))
    thread.start()
    try:
        yield f"/dev/fd/{reader}"
    finally:
        os.close(reader)
        thread.join()


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of temporary files, with room for `LARGEST_COPY` bytes in this process."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def room(descriptor: int) -> SimpleNamespace:
        free = LARGEST_COPY - os.fstat(descriptor).st_size
        return SimpleNamespace(f_frsize=1, f_blocks=0, f_bavail=free)

    monkeypatch.setattr(os, "fstatvfs", room)
    return tmp_path


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom", "/dev/null", "/dev/tty"])
def test_a_device_is_refused(path: str) -> None:
    with pytest.raises(InputError, match=f"{path}: is a (device|terminal)|no such device"):
        load(path)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (b"y\n", "is not JSON"),
        (b"\x00", "blanks or zeros"),
        (b" \n", "blanks or zeros"),
        (b"\x80\x04\x95", "a pickle"),
        (b"\x8f\x11\xc3", "binary data|not JSON"),
    ],
)
def test_the_first_block_is_judged_before_more_is_copied(
    copied: Path, part: bytes, said: str
) -> None:
    seen: list[int] = []
    with piped(endless(part)) as path, pytest.raises(InputError, match=said):
        load(path, progress=lambda at: seen.append(at.bytes_done))
    assert max(seen) < 1024**2
    assert list(copied.iterdir()) == []


EVENT = b'{"ph": "X", "ts": 1, "dur": 1, "name": "op", "pid": 1, "tid": 1},'


def stored(text: bytes) -> bytes:
    """A gzip stream that goes on after `text`, which it holds as it is."""
    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    return packer.compress(text) + packer.flush(zlib.Z_FULL_FLUSH)


def stored_part(text: bytes) -> bytes:
    """More of a gzip stream."""
    packer = zlib.compressobj(0, zlib.DEFLATED, -15)
    return packer.compress(text) + packer.flush(zlib.Z_FULL_FLUSH)


@pytest.mark.parametrize(
    "write",
    [
        endless(EVENT, b"["),
        endless(stored_part(EVENT * 99), stored(b"[" + EVENT)),
        endless(b'"a": 1,', b"{"),
    ],
    ids=["events", "packed", "fields"],
)
def test_a_copy_leaves_room_and_says_where_it_lies(
    copied: Path, write: Callable[[int], None]
) -> None:
    with piped(write) as path, pytest.raises(InputError) as refused:
        load(path)
    line = str(refused.value)
    assert f"does not fit in {copied}" in line
    assert "4 MB so far" in line
    assert "TMPDIR" in line
    assert list(copied.iterdir()) == []


@pytest.mark.parametrize(
    "part",
    [b" \n", b",", b"\x00", b"x", b"\\u0041", b"["],
    ids=["blanks", "commas", "zeros", "letters", "escapes", "brackets"],
)
@pytest.mark.parametrize("first", [b"[", b"{", b'{"a": "', b'[{"name": "', TEXT])
def test_what_never_becomes_an_event_ends(
    monkeypatch: pytest.MonkeyPatch, first: bytes, part: bytes
) -> None:
    monkeypatch.setattr(loading, "LONGEST_BARREN", 2 * 1024**2)
    seen: list[int] = []

    def progress(at: Progress) -> None:
        seen.append(at.bytes_done)

    with piped(endless(part, first)) as path:
        if first == TEXT:
            assert len(load(path, progress=progress)) == len(EVENTS)
        else:
            with pytest.raises(InputError):
                load(path, progress=progress)
    assert max(seen) < 16 * 1024**2


def test_events_before_an_endless_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "LONGEST_BARREN", 2 * 1024**2)
    with piped(endless(b" ", TEXT[: TEXT.rindex(b"]")])) as path:
        trace = load(path)
        assert len(trace) == len(EVENTS)
        assert "endless" in [notice.kind for notice in trace.notices]
        assert read_event(trace, 7)["name"] == "op7"


def test_a_silent_pipe_can_be_cancelled(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > 2

    with pytest.raises(LoadCancelled):
        load(path, cancelled=cancelled)


@pytest.mark.parametrize("arguments", [("summary", "-"), ("summary", "/dev/stdin")])
def test_a_file_or_a_pipe_as_standard_input_opens(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(TEXT)
    command = [sys.executable, "-m", "attntui", *arguments]
    with path.open("rb") as file:
        from_file = subprocess.run(command, stdin=file, capture_output=True, check=True)
    from_pipe = subprocess.run(command, input=TEXT, capture_output=True, check=True)
    assert from_file.stdout == from_pipe.stdout != b""


def test_a_file_too_large_to_copy_ends_in_a_line(tmp_path: Path) -> None:
    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = subprocess.run(
        [sys.executable, "-m", "attntui", "summary", "-"],
        input=b"[" + b'{"ph": "X", "ts": 1, "dur": 1, "name": "op"},' * 9_000,
        capture_output=True,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=bounded,
    )
    assert done.returncode == 2
    assert b"TMPDIR" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_an_interrupted_copy_leaves_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(TEXT[:200])
    process.stdin.flush()
    assert process.stdout.readline() == b"200\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    process.stdin.close()
    process.stdout.close()
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import sys
from attntui.trace import loading

class Told(loading._Watch):
    def look(self, done, *rest, **more):
        super().look(done, *rest, **more)
        if done:
            print(done, flush=True)

loading._Watch = Told
from attntui.cli import main
sys.exit(main(["summary", "-"]))
"""
