"""Textual's driver, which writes what differs on the screen instead of all that was drawn."""

from __future__ import annotations

import asyncio
import re
import select
import signal
from time import monotonic
from types import FrameType
from typing import Any

from textual import events
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from attntui.tui.line.abilities import described
from attntui.tui.line.pace import AGAIN_S, Pace
from attntui.tui.line.pens import UnreadableError
from attntui.tui.line.writer import LineWriter

SCREEN = 2
"""The descriptor that Textual draws on."""

_LEAVES_CELLS = re.compile(
    r"(?:\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, the clipboard
    r"|\x1b\[\?\d+(?:[hl]|\$p)"  # modes
    r"|\x1b\[[<>]\d*u|\x07)+"  # the protocol of keys, the bell
)
"""Text that changes no cell, but at the start and the end."""


class LineDriver(LinuxDriver):
    """Keeps what the terminal shows; at the end of a frame writes what differs.

    What is no frame is written as it is, and forgets what the terminal shows where it may have
    changed that. While the terminal is not ready, frames become one: it is never behind the
    keyboard.
    """

    class Slow(Message):
        """The terminal answers slowly."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._line = LineWriter()
        self._pace = Pace()
        self._synchronised = False
        self._late: asyncio.TimerHandle | None = None
        self._ready = select.poll()
        self._ready.register(SCREEN, select.POLLOUT)

    def go_slow(self) -> None:
        """Writes fewer frames from now on."""
        self._pace.slow = True

    def write(self, data: str) -> None:
        if data in {SYNC_START, SYNC_END}:
            # They are written round what differs.
            self._synchronised = True
        elif _LEAVES_CELLS.fullmatch(data):
            super().write(data)
        else:
            if self._line.size != self._app.size:
                self._line.resize(*self._app.size)
            try:
                self._line.draw(data)
            except UnreadableError:
                super().write(self._line.whole(data))

    def flush(self) -> None:
        """The end of a frame, or of several: it is written when the terminal is ready."""
        if self._late is not None:
            return
        wait = self._pace.wait(monotonic()) or (0.0 if self._ready.poll(0) else AGAIN_S)
        if wait:
            self._late = self._loop.call_later(wait, self._flush_late)
        else:
            self._write_difference()

    def _flush_late(self) -> None:
        self._late = None
        self.flush()

    def _write_difference(self) -> None:
        text = self._line.difference()
        if text:
            if self._synchronised:
                text = f"{SYNC_START}{text}{SYNC_END}"
            super().write(text + self._pace.wrote(monotonic(), len(text.encode())))

    def redraw(self) -> None:
        """Writes the whole screen: the terminal may show anything now."""
        self._line.forget()
        self.flush()

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is None:
            # Started in the background, it is about to stop.
            return
        resized = signal.getsignal(signal.SIGWINCH)

        def on_resize(number: int, frame: FrameType | None) -> None:
            # To another size and back at once, Textual sees no change; the terminal did.
            self._loop.call_soon_threadsafe(self.redraw)
            if callable(resized):
                resized(number, frame)

        signal.signal(signal.SIGWINCH, on_resize)
        self._line.abilities = described()
        super().write(self._pace.begin(monotonic()))
        self.redraw()

    def stop_application_mode(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
        super().write(self._line.finish())
        self._pace.finish(monotonic())
        super().stop_application_mode()

    def _sigcont_application(self, *_: object) -> None:
        if self._writer_thread is None or not self._writer_thread.is_alive():
            super()._sigcont_application()
        elif self._auto_restart:
            # Stopped by others, nothing was left. This may be in the middle of a write.
            self._loop.call_soon_threadsafe(self._restart)

    def _restart(self) -> None:
        self.suspend_application_mode()
        self.resume_application_mode()

    def process_message(self, message: Message) -> None:
        """Called in the thread that reads keys."""
        if isinstance(message, events.CursorPosition):
            # The terminal has drawn what was written before a question.
            if self._pace.answered(monotonic()):
                self.send_message(self.Slow())
        else:
            super().process_message(message)
