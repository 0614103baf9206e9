"""The driver of the terminal: whatever ends the process, the terminal is left as it was."""

from __future__ import annotations

import os
import select
import selectors
import signal
import termios
import threading
from codecs import getincrementaldecoder
from contextlib import suppress
from itertools import chain
from types import FrameType
from typing import Any

from textual._xterm_parser import XTermParser

from attntui.tui.line.driver import SCREEN, LineDriver

_ENDING = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1),
    *(signal.SIGUSR2, signal.SIGALRM, signal.SIGXCPU, signal.SIGABRT),
)
"""Signals that end a process, and that one may still act on."""

_LEAVE = (
    b"\x18"  # ends a sequence that was cut off
    b"\x1b[?2026l"  # draw at once again
    b"\x1b[?2004l\x1b[?2048l\x1b[?1004l"  # no reports of pastes, sizes, focus
    b"\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # none of the mouse
    b"\x1b[<u"  # keys as before
    b"\x1b[?7h\x1b[0m\x1b[?1049l\x1b[?25h"  # lines wrap, the first screen, the cursor
)

_READ = 4096
"""Bytes of keys that are taken at once."""

_TICK_S = 0.1
"""After so long an Esc that nothing follows is the key."""

_PATIENCE_MS = 1000
"""How long a terminal that takes no more text may keep the process."""


class TerminalDriver(LineDriver):
    """The driver of the line, which also acts on signals and on a terminal that goes away."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._watched = False
        self._handlers: dict[int, Any] = {}

    def start_application_mode(self) -> None:
        try:
            super().start_application_mode()
            self._watch()
        except Exception:
            # A thread could not start: Textual would leave the screen as it is by now.
            if self._writer_thread is not None and self._writer_thread.is_alive():
                self.stop_application_mode()
                self.close()
            self._writer_thread = None
            raise

    def _watch(self) -> None:
        for number in _ENDING:
            before = signal.getsignal(number)
            if before not in (signal.SIG_IGN, None) and number not in self._handlers:
                self._handlers[number] = before
                signal.signal(number, self._end)
        if not self._watched:
            threading.Thread(target=self._end_with_terminal, daemon=True).start()
            self._watched = True

    def stop_application_mode(self) -> None:
        super().stop_application_mode()
        while self._handlers:
            signal.signal(*self._handlers.popitem())

    def run_input_thread(self) -> None:
        try:
            self._read_keys()
        except Exception as error:
            self._app.call_later(self._app._handle_exception, error)

    def _read_keys(self) -> None:
        """As Textual's own, but for bytes that are no UTF-8: a paste, a terminal of another
        encoding or noise on the line is no reason to end.
        """
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.DefaultSelector() as keyboard:
            keyboard.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                text = decode(os.read(self.fileno, _READ)) if keyboard.select(_TICK_S) else ""
                for event in chain(parser.feed(text) if text else (), parser.tick()):
                    self.process_message(event)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        """Leaves the screen and ends as the signal would have, without waiting for anything:
        a load or an analysis may be under way.
        """
        terminal = os.dup(SCREEN)
        # What Textual still has to write goes nowhere; what it is writing now comes first.
        os.dup2(os.open(os.devnull, os.O_WRONLY), SCREEN)
        _put_back(terminal, self.fileno, self.attrs_before)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def _end_with_terminal(self) -> None:
        """Ends the process when its terminal is gone: reads and writes would fail for ever."""
        terminal = select.poll()
        terminal.register(self.fileno, 0)
        if any(event & select.POLLHUP for _, event in terminal.poll()):
            os._exit(128 + signal.SIGHUP)


def _put_back(screen: int, keyboard: int, attributes: list[Any] | None) -> None:
    # In the background the change would stop the process.
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    ready = select.poll()
    ready.register(screen, select.POLLOUT)
    with suppress(OSError, termios.error):
        if ready.poll(_PATIENCE_MS):
            os.write(screen, _LEAVE)
        if attributes is not None:
            termios.tcsetattr(keyboard, termios.TCSANOW, attributes)
            termios.tcflush(keyboard, termios.TCIFLUSH)
