"""A program on a terminal of its own: when it first shows some words."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Sequence

SIZE = (120, 40)
_PATIENCE_S = 300
_SEQUENCE = re.compile(rb"\x1b\[[0-9;?>]*[A-Za-z]")


def shows(command: Sequence[str], words: str, then: Callable[[], bool] = lambda: True) -> float:
    """Seconds from the start of a program until its screen has these words; the program is ended
    when `then` returns True. Raises TimeoutError.
    """
    pid, terminal = pty.fork()
    if not pid:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
        os.execvp(command[0], command)
    began = time.perf_counter()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
    drawn, seconds = b"", None
    try:
        while seconds is None or not then():
            if time.perf_counter() - began > _PATIENCE_S:
                raise TimeoutError(f"{words!r} is not on screen")
            if select.select([terminal], [], [], 0.01)[0]:
                drawn += os.read(terminal, 65536)
            if seconds is None and words.encode() in _SEQUENCE.sub(b"", drawn):
                seconds = time.perf_counter() - began
        return seconds
    finally:
        os.kill(pid, signal.SIGTERM)
        os.close(terminal)
        os.waitpid(pid, 0)
