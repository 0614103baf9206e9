"""How the screens look, cell by cell: a few, over the samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from driver import compared_with, loaded
from textual.pilot import Pilot

from attntui.tui.app import AttntuiApp
from attntui.view.options import Options

SAMPLES = Path(__file__).parents[2] / "sample_traces"
NAIVE = "naive_b8_h16_s1024_d64_bf16_h200.json.gz"
FLASH = "flash_b8_h16_s1024_d64_bf16_h200.json.gz"
DECODE = "decode-naive_l4_b1_h12_s1024_d64_bf16_h200.json.gz"

Snapshot = Callable[..., bool]


def app(*names: str, **options: object) -> AttntuiApp:
    paths = [str(SAMPLES / name) for name in names]
    return AttntuiApp(paths, Options(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
def test_overview(snap_compare: Snapshot, size: tuple[int, int]) -> None:
    assert snap_compare(app(NAIVE), terminal_size=size, run_before=loaded)


def test_a_step_of_decode_zoomed(snap_compare: Snapshot) -> None:
    async def zoomed(pilot: Pilot[None]) -> None:
        await loaded(pilot)
        await pilot.press("w", "w", "full_stop", "left_square_bracket")

    shown = app(DECODE, pane="timeline", step=5)
    assert snap_compare(shown, terminal_size=(120, 40), run_before=zoomed)


def test_ascii_alone(snap_compare: Snapshot) -> None:
    shown = app(NAIVE, pane="gaps", ascii=True)
    assert snap_compare(shown, terminal_size=(100, 30), run_before=loaded)


def test_naive_beside_flash(snap_compare: Snapshot) -> None:
    async def ready(pilot: Pilot[None]) -> None:
        await compared_with(pilot)

    assert snap_compare(app(NAIVE, FLASH), terminal_size=(160, 45), run_before=ready)
