"""Textual's driver, which writes what differs on the screen instead of all that was drawn."""

from __future__ import annotations

import asyncio
import re
import signal
from dataclasses import replace
from time import monotonic
from types import FrameType
from typing import Any

from textual import events
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from attntui.tui.line.abilities import PROBE, answers_probe, described, repeats
from attntui.tui.line.pens import UnreadableError
from attntui.tui.line.writer import LineWriter

_APART_S = 0.1
"""The least time between two frames on a slow line."""

_AGAIN_S = 0.01
"""When to look again whether the terminal has taken what was written."""

_LEAVES_CELLS = re.compile(
    r"(?:\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, the clipboard
    r"|\x1b\[\?(?!47[hl]|1047[hl]|1049[hl])\d+(?:[hl]|\$p)"  # modes, but those of two screens
    r"|\x1b\[[<>]\d*u|\x07)+"  # the protocol of keys, the bell
)
"""Text that changes no cell."""


class LineDriver(LinuxDriver):
    """Keeps what the terminal shows; at the end of a frame writes what differs.

    What is no frame is written as it is, and forgets what the terminal shows where it may have
    changed that. On a `slow` line, and while the terminal has not taken what was written, frames
    become one.
    """

    class Answered(Message):
        """The terminal answered, so many seconds after it was asked."""

        def __init__(self, seconds: float) -> None:
            super().__init__()
            self.seconds = seconds

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.slow = False
        self._line = LineWriter()
        self._synchronised = False
        self._asked: float | None = None
        self._written = 0.0
        self._late: asyncio.TimerHandle | None = None

    def write(self, data: str) -> None:
        if data in {SYNC_START, SYNC_END}:
            # They are written round what differs.
            self._synchronised = True
        elif _LEAVES_CELLS.fullmatch(data):
            super().write(data)
        else:
            if self._line.size != self._app.size:
                self._line.forget(*self._app.size)
            try:
                self._line.draw(data)
            except UnreadableError:
                super().write(self._line.difference() + self._line.plainly() + data)
                self._line.forget(*self._app.size)

    def flush(self) -> None:
        """The end of a frame."""
        if self._late is not None:
            return
        wait = self._written + _APART_S - monotonic() if self.slow else 0.0
        if wait > 0 or self._is_behind:
            self._late = self._loop.call_later(max(wait, _AGAIN_S), self._flush_late)
        else:
            self._write_difference()

    @property
    def _is_behind(self) -> bool:
        """Whether the terminal has not taken yet what was written before."""
        return self._writer_thread is not None and not self._writer_thread._queue.empty()

    def _flush_late(self) -> None:
        self._late = None
        self.flush()

    def _write_difference(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
        text = self._line.difference()
        if text:
            self._written = monotonic()
            super().write(f"{SYNC_START}{text}{SYNC_END}" if self._synchronised else text)

    def redraw(self) -> None:
        """Draws the whole screen again, whatever the terminal shows."""
        self._line.forget(*self._app.size)
        self._app.refresh(layout=True)

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is None:
            return
        resized = signal.getsignal(signal.SIGWINCH)

        def redraw_where_the_size_stays() -> None:
            if self._get_terminal_size() == self._app.size:
                self.redraw()

        def on_resize(number: int, frame: FrameType | None) -> None:
            # To another size and back at once: Textual would not draw, the terminal may have.
            self._app.call_later(redraw_where_the_size_stays)
            if callable(resized):
                resized(number, frame)

        signal.signal(signal.SIGWINCH, on_resize)
        self._line.abilities = described()
        self._asked = monotonic()
        self.write(PROBE)

    def resume_application_mode(self) -> None:
        super().resume_application_mode()
        self._app.call_later(self.redraw)

    def stop_application_mode(self) -> None:
        self._write_difference()
        super().stop_application_mode()

    def _sigcont_application(self, *_: object) -> None:
        # Stopped by others, nothing was left: a second writer and reader would start.
        if self._auto_restart and self._writer_thread is not None:
            if self._writer_thread.is_alive():
                self.suspend_application_mode()
            self.resume_application_mode()

    def process_message(self, message: Message) -> None:
        if (
            isinstance(message, events.CursorPosition)
            and self._asked is not None
            and answers_probe(message.y)
        ):
            answered, self._asked = monotonic() - self._asked, None
            self._line.abilities = replace(self._line.abilities, repeats=repeats(message.x))
            self.send_message(self.Answered(answered))
        else:
            super().process_message(message)
