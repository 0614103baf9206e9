"""Every key of the key tables on real traces, at three sizes: nothing may end the program."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from driver import Opened, compared_with, finished, loaded
from textual.pilot import Pilot

from attntui.tui.app import AttntuiApp
from attntui.view.session.keys import COMPARE_KEYS, KEYS, Key
from attntui.view.options import Options

SAMPLES = Path(__file__).parents[2] / "sample_traces"
STACKS = "prefill-naive_l4_b1_h12_s1024_d64_bf16_h200.json.gz"
BACKWARD = "naive_b8_h16_s1024_d64_bf16_bwd_h200.json.gz"
GAPS = "gaps_h200.json.gz"
ON_THE_CPU = "naive_b1_h4_s256_d64_bf16_cpu.json.gz"
LEAVE = ("quit", "copy_to_file")


async def press_all(pilot: Pilot[None], keys: tuple[Key, ...], seed: int) -> None:
    """Every key in an order of chance, each followed by Esc as often as not."""
    chance = random.Random(seed)
    names = [name for key in keys if key.action not in LEAVE for name in key.keys]
    chance.shuffle(names)
    for name in names:
        await pilot.press(name)
        if chance.random() < 0.5:
            await pilot.press("escape")
        await loaded(pilot)
    for worker in ("_find_facts", "_toggle_instances", "_align"):
        await finished(pilot, worker)


@pytest.mark.parametrize("name", [STACKS, BACKWARD, GAPS, ON_THE_CPU])
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_the_main_screen_stands_every_key(
    opened: Opened, name: str, size: tuple[int, int]
) -> None:
    async with opened(SAMPLES / name, size=size) as (pilot, screen):
        await press_all(pilot, KEYS, seed=size[0])
        while pilot.app.screen is not screen:
            await pilot.press("escape")
            await pilot.pause()
        assert screen.session.trace.path.endswith(name)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_the_compare_screen_stands_every_key(size: tuple[int, int]) -> None:
    paths = [str(SAMPLES / name) for name in (STACKS, STACKS.replace("naive", "sdpa"))]
    app = AttntuiApp(paths, Options())
    async with app.run_test(size=size) as pilot:
        screen = await compared_with(pilot)
        await press_all(pilot, COMPARE_KEYS, seed=size[0])
        while app.screen is not screen:
            await pilot.press("escape")
            await pilot.pause()
        assert len(screen.compared.comparison.rows) > 0
