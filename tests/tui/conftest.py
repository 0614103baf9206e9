"""Runs the app over a made-up or a real trace and waits for what it shows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import builders
import pytest
from driver import Opened, loaded, settled
from steps_trace import two_steps
from textual.pilot import Pilot

from attntui.tui.app import AttntuiApp
from attntui.tui.screens.main import MainScreen
from attntui.view.options import Options


@pytest.fixture(autouse=True)
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each key and each size is answered before the next, however busy the machine is."""
    press, resize = Pilot.press, Pilot.resize_terminal

    async def pressed(pilot: Pilot[None], *keys: str) -> None:
        for key in keys:
            await press(pilot, key)
            await settled(pilot)

    async def resized(pilot: Pilot[None], width: int, height: int) -> None:
        await resize(pilot, width, height)
        await settled(pilot)

    monkeypatch.setattr(Pilot, "press", pressed)
    monkeypatch.setattr(Pilot, "resize_terminal", resized)


@pytest.fixture
def steps_file(tmp_path: Path) -> Path:
    return builders.write_trace(tmp_path, two_steps())


@pytest.fixture
def opened(steps_file: Path) -> Opened:
    """`async with opened() as (pilot, screen)`: the app over a file, loaded."""

    @asynccontextmanager
    async def run(
        path: Path | None = None, size: tuple[int, int] = (120, 40), **options: object
    ) -> AsyncIterator[tuple[Pilot[None], MainScreen]]:
        asked = {"pane": "timeline", **options}
        app = AttntuiApp([str(path or steps_file)], Options(**asked))  # type: ignore[arg-type]
        async with app.run_test(size=size) as pilot:
            await loaded(pilot)
            assert isinstance(app.screen, MainScreen)
            yield pilot, app.screen

    return run
