"""Walks through a trace by keys and reads the screen as the terminal gets it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from builders import SAMPLES
from driver import compared_with, finished, loaded
from textual.pilot import Pilot

from attntui.tui.app import AttntuiApp
from attntui.tui.screens.main import MainScreen
from attntui.view.options import Options

WORKERS = ("_load", "_find_slice", "_toggle_instances")
PREFILL = "prefill-naive_l4_b1_h12_s1024_d64_bf16_h200"
DECODE = "decode-sdpa_l4_b1_h12_s1024_d64_bf16_h200"
TRAIN = "train-sdpa_l2_b1_h4_s256_d64_bf16_h200"
NAIVE = "naive_b8_h16_s1024_d64_bf16_h200"
FLASH = "flash_b8_h16_s1024_d64_bf16_h200"
GAPS = "gaps_h200"
SMALL, WIDE, HUGE = (80, 24), (120, 40), (200, 60)
SIZES = (SMALL, WIDE, HUGE)


class Walker:
    """Presses keys and reads the screen."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self._pilot = pilot
        self.keys = 0

    async def press(self, *keys: str) -> str:
        """The screen's text after keys, each answered before the next."""
        for key in keys:
            self.keys += 1
            await self._pilot.press(key)
            await finished(self._pilot, *WORKERS)
        return self.text

    async def type(self, text: str) -> str:
        names = {" ": "space", "_": "underscore", "-": "minus", ":": "colon"}
        return await self.press(*(names.get(letter, letter) for letter in text))

    @property
    def text(self) -> str:
        # What the terminal gets, line by line: widgets, borders and all.
        strips = self._pilot.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    @property
    def footer(self) -> str:
        return self.text.splitlines()[-1]

    def line(self, word: str) -> str:
        """The line of the screen with a word; empty where there is none."""
        return next((line for line in self.text.splitlines() if word in line), "")

    @property
    def screen(self) -> MainScreen:
        screen = self._pilot.app.screen
        assert isinstance(screen, MainScreen)
        return screen


@asynccontextmanager
async def walking(
    trace: str | Path, size: tuple[int, int] = SMALL, options: Options | None = None
) -> AsyncIterator[Walker]:
    """Over a sample by its name, or over a file."""
    path = trace if isinstance(trace, Path) else SAMPLES / f"{trace}.json.gz"
    async with walking_over([path], size, options) as walker:
        yield walker


@asynccontextmanager
async def walking_over(
    paths: Sequence[Path], size: tuple[int, int], options: Options | None = None
) -> AsyncIterator[Walker]:
    """Over a trace, or over two side by side."""
    app = AttntuiApp([str(path) for path in paths], options or Options())
    async with app.run_test(size=size) as pilot:
        await (loaded(pilot) if len(paths) == 1 else compared_with(pilot))
        await finished(pilot, *WORKERS)
        yield Walker(pilot)
