"""Draws the pictures of README and walk from the samples: `python docs/pictures/draw.py`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from walk import WALK, tasks

from attntui.tui.app import AttntuiApp
from attntui.tui.screens.base import PaneScreen
from attntui.view.options import Options

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAIVE = "naive_b8_h16_s1024_d64_bf16_h200.json.gz"
FLASH = "flash_b8_h16_s1024_d64_bf16_h200.json.gz"
SIZE = (118, 34)


@dataclass(frozen=True)
class Picture:
    """A screen to draw: its file's name, the traces, the keys, and columns and rows."""

    name: str
    traces: Sequence[str]
    keys: Sequence[str] = ()
    size: tuple[int, int] = SIZE


README = (
    Picture("triage", (f"sample_traces/{NAIVE}",)),
    Picture("compare", (f"sample_traces/{NAIVE}", f"sample_traces/{FLASH}")),
)


def of_the_walk() -> Iterator[Picture]:
    """The pictures that the walk shows: of a task, before its last stage."""
    by_number = {task.number: task for task in tasks()}
    for name, number, width, height in re.findall(
        r"\(pictures/(walk-(\d+)-(\d+)x(\d+))\.svg\)", WALK.read_text(encoding="utf-8")
    ):
        task = by_number[int(number)]
        keys = [key for stage in task.stages[:-1] for key in stage.keys]
        yield Picture(name, task.traces, keys, (int(width), int(height)))


async def draw(picture: Picture) -> None:
    app = AttntuiApp([str(ROOT / trace) for trace in picture.traces], Options())
    async with app.run_test(size=picture.size) as pilot:
        while not isinstance(app.screen, PaneScreen):
            await pilot.pause(0.05)
        for key in picture.keys:
            await pilot.press(key)
        await pilot.pause()
        names = (Path(trace).name for trace in picture.traces)
        svg = app.export_screenshot(title=f"attntui {' '.join(names)}", simplify=True)
    (HERE / f"{picture.name}.svg").write_text(_without_fonts(svg), encoding="utf-8")


def _without_fonts(svg: str) -> str:
    """Without the web fonts, which no page of a repository loads."""
    return re.sub(r"@font-face\s*\{.*?\}\s*", "", svg, flags=re.DOTALL)


def main() -> None:
    for picture in (*README, *of_the_walk()):
        asyncio.run(draw(picture))


if __name__ == "__main__":
    main()
