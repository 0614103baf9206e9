"""Screens that are dismissed once, and that come to nothing when the program is left."""

from __future__ import annotations

from typing import Any

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.message import Message
from textual.screen import Screen, ScreenResultType


def is_too_late(app: App[Any], message: Message) -> bool:
    """Whether a screen is told that it has its widgets, or room for them, and has none: once
    the program is left Textual mounts no more.
    """
    return app._exit and isinstance(message, events.Mount | events.Resize)


class DismissedOnce(Screen[ScreenResultType]):
    """Textual pops whatever is on top at a second `dismiss`: two quick presses of Enter, or
    Esc just as a load ends, would take away the screen below. A screen that has done while
    another stands over it goes when that one has gone.
    """

    _done: tuple[ScreenResultType | None] | None = None

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        if self.is_active:
            return super().dismiss(result)
        if self._done is None and self in self.app.screen_stack:
            self._done = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        if self._done is not None:
            self.dismiss(*self._done)

    async def _dispatch_message(self, message: Message) -> None:
        if not is_too_late(self.app, message):
            await super()._dispatch_message(message)
