"""A slow line: nothing moves by itself."""

from __future__ import annotations

import pytest
from driver import Opened, settled
from textual.widgets import Input

from attntui.tui.line.driver import LineDriver


@pytest.mark.parametrize("slow", ["asked for", "found", "no"])
async def test_nothing_moves_on_a_slow_line(opened: Opened, slow: str) -> None:
    async with opened(slow=slow == "asked for") as (pilot, screen):
        if slow == "found":
            pilot.app.post_message(LineDriver.Slow())
            await settled(pilot)
        await pilot.press("slash")
        search = screen.query_one("*:focus", Input)
        moves = slow == "no"
        assert search.cursor_blink is moves
        assert (pilot.app.animation_level != "none") is moves
