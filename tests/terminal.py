"""The whole program on a terminal of its own, by keyboard and signals. Needs a Unix."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Mapping, Sequence

PATIENCE_S = 60
_LOOK_S = 0.1
_WHERE = b"\x1b[6n"


def _plain(env: Mapping[str, str]) -> dict[str, str]:
    """Without what tells another size than the terminal has."""
    return {name: value for name, value in env.items() if name not in ("COLUMNS", "LINES")}


class Terminal:
    """attntui on a new terminal. Its keyboard is standard input, unless that is a pipe.

    `program` runs instead where it is given. `size` is columns and rows. Asked where its cursor
    is, the terminal says what `place` has: row and column, from 1.
    """

    def __init__(
        self,
        *arguments: str,
        piped: bool = False,
        program: Sequence[str] = ("-m", "attntui"),
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        size: tuple[int, int] | None = None,
        place: bytes = b"",
    ) -> None:
        self._near, far = pty.openpty()
        self._place, self._answers = place, 0
        if size is not None:
            self.resize(*size)
        self.before = termios.tcgetattr(self._near)
        self.seen = b""
        self._changed = threading.Condition()
        self.flows = threading.Event()
        """Nothing is taken from the program while this is not set."""
        self.flows.set()

        def take_the_terminal() -> None:
            # The first terminal that a new session opens is its controlling one: /dev/tty.
            os.close(os.open(os.ttyname(far), os.O_RDWR))

        self.process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdin=subprocess.PIPE if piped else far,
            stdout=far,
            stderr=far,
            env={**_plain(os.environ), "TERM": "xterm-256color", **(env or {})},
            cwd=cwd,
            start_new_session=True,
            preexec_fn=take_the_terminal,  # noqa: PLW1509, no threads run in the parent yet
        )
        os.close(far)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while self.flows.wait():
            try:
                got = os.read(self._near, 65_536)
            except OSError:
                return
            with self._changed:
                self.seen += got
                self._changed.notify_all()
            if self._place:
                asked = self.seen.count(_WHERE)
                self.type(b"\x1b[%bR" % self._place * (asked - self._answers))
                self._answers = asked

    def pipe(self, data: bytes) -> None:
        assert self.process.stdin is not None
        with self.process.stdin as pipe:
            pipe.write(data)

    def wait_for(self, text: bytes, after: int = 0) -> None:
        """Waits until `text` is drawn, after the first so many bytes of what was."""
        self.wait_until(lambda: text in self.seen[after:])

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Waits until something holds."""
        for _ in range(int(PATIENCE_S / _LOOK_S)):
            with self._changed:
                if holds():
                    return
                # It may also change without anything drawn.
                self._changed.wait(_LOOK_S)
        raise AssertionError(self.seen[-999:])

    def type(self, keys: bytes) -> None:
        os.write(self._near, keys)

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self._near, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def go_away(self) -> None:
        """Closes the terminal under the program, as a broken connection does."""
        # A read in another thread would keep it open.
        self.type(b"\x00")
        os.close(self._near)

    def exit_code(self) -> int:
        """Waits for the end, and for all that was drawn by then."""
        try:
            code = self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
        self._reader.join(PATIENCE_S)
        return code

    @property
    def modes(self) -> dict[bytes, bool]:
        """The private modes that were set or reset, each as it was left."""
        found = re.findall(rb"\x1b\[\?(\d+)([hl])", self.seen)
        return {mode: letter == b"h" for mode, letter in found}

    @property
    def attributes(self) -> list[object]:
        """What the terminal does with keys, as `stty` shows it."""
        return termios.tcgetattr(self._near)
