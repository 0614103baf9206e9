"""Standard input and a keyboard at once: the whole program on a terminal of its own."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading

import pytest
from builders import trace_text
from steps_trace import two_steps

pty = pytest.importorskip("pty", reason="needs terminals of a Unix")
PATIENCE_S = 60


class Terminal:
    """attntui on a new terminal, with a pipe as its standard input."""

    def __init__(self, *arguments: str) -> None:
        self._near, far = pty.openpty()
        self.seen = b""
        self._changed = threading.Condition()

        def take_the_terminal() -> None:
            # The first terminal that a new session opens is its controlling one: /dev/tty.
            os.close(os.open(os.ttyname(far), os.O_RDWR))

        self.process = subprocess.Popen(
            [sys.executable, "-m", "attntui", *arguments],
            stdin=subprocess.PIPE,
            stdout=far,
            stderr=far,
            env={**os.environ, "TERM": "xterm-256color"},
            start_new_session=True,
            preexec_fn=take_the_terminal,  # noqa: PLW1509, no threads run in the parent yet
        )
        os.close(far)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                got = os.read(self._near, 65_536)
            except OSError:
                return
            with self._changed:
                self.seen += got
                self._changed.notify_all()

    def pipe(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with self.process.stdin as pipe:
            pipe.write(data)

    def wait_for(self, text: bytes) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: text in self.seen, PATIENCE_S), self.seen[-999:]

    def type(self, keys: bytes) -> None:
        os.write(self._near, keys)

    def exit_code(self) -> int:
        try:
            return self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()


def test_a_trace_from_a_pipe_is_explored_by_keyboard() -> None:
    terminal = Terminal("-")
    terminal.pipe(gzip.compress(trace_text(two_steps()).encode()))
    terminal.wait_for(b"Overview")
    terminal.type(b"q")
    assert terminal.exit_code() == 0


def test_what_is_no_trace_ends_with_a_line_and_code_2() -> None:
    terminal = Terminal("-")
    terminal.pipe(b"not a trace")
    assert terminal.exit_code() == 2
    terminal.wait_for(b"attntui: ")


def test_a_name_cannot_reach_the_terminal_as_a_command() -> None:
    terminal = Terminal("/no/such/\x1b]0;owned\x07.json")
    assert terminal.exit_code() == 2
    terminal.wait_for(b"owned")
    assert b"\x1b]0;owned" not in terminal.seen
