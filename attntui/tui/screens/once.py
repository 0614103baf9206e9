"""Screens that are dismissed once, however often and by whomever it is asked."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import Screen, ScreenResultType


class DismissedOnce(Screen[ScreenResultType]):
    """Textual pops whatever is on top at a second `dismiss`: two quick presses of Enter, or
    Esc just as a load ends, would take away the screen below.
    """

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_active else AwaitComplete()
