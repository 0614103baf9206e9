"""Draws the README's pictures from the samples: `python docs/pictures/draw.py`."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from textual.screen import Screen

from attntui.tui.app import AttntuiApp
from attntui.tui.screens.compare import CompareScreen
from attntui.tui.screens.main import MainScreen
from attntui.view.options import Options

HERE = Path(__file__).parent
SAMPLES = HERE.parents[1] / "sample_traces"
NAIVE = "naive_b8_h16_s1024_d64_bf16_h200.json.gz"
FLASH = "flash_b8_h16_s1024_d64_bf16_h200.json.gz"
PICTURES: dict[str, tuple[list[str], type[Screen[None]]]] = {
    "triage": ([NAIVE], MainScreen),
    "compare": ([NAIVE, FLASH], CompareScreen),
}
SIZE = (118, 34)


async def draw(name: str, samples: list[str], wanted: type[Screen[None]]) -> None:
    """One picture: the samples as they open."""
    app = AttntuiApp([str(SAMPLES / sample) for sample in samples], Options())
    async with app.run_test(size=SIZE) as pilot:
        while not isinstance(app.screen, wanted):
            await pilot.pause(0.05)
        await pilot.pause()
        svg = app.export_screenshot(title=f"attntui {' '.join(samples)}", simplify=True)
    (HERE / f"{name}.svg").write_text(_without_fonts(svg), encoding="utf-8")


def _without_fonts(svg: str) -> str:
    """Without the web fonts, which no page of a repository loads."""
    return re.sub(r"@font-face\s*\{.*?\}\s*", "", svg, flags=re.DOTALL)


def main() -> None:
    for name, (samples, wanted) in PICTURES.items():
        asyncio.run(draw(name, samples, wanted))


if __name__ == "__main__":
    main()
