"""One file through what people see: both reports, a comparison, the app."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from driver import drawn, loaded, settled
from fuzz.sense import harmless, sensible_document

from attntui.cli import main
from attntui.tui.app import AttntuiApp
from attntui.tui.screens.main import MainScreen
from attntui.view.options import Options

Run = Callable[..., tuple[int, str, list[str]]]
"""Runs attntui with these arguments: exit code, what was printed, the lines of standard error."""

KEYS = ("!", "enter", "w")
"""To the first notice, to its event in the timeline, and closer."""


def runner(capsys: Any) -> Run:
    def run(*arguments: str) -> tuple[int, str, list[str]]:
        code = main(list(arguments))
        shown = capsys.readouterr()
        harmless(shown.err.splitlines())
        return code, shown.out, shown.err.splitlines()

    return run


@dataclass(frozen=True)
class Reported:
    """What the reports tell of a file that opens; `notes` are the lines of standard error."""

    text: str
    document: dict[str, Any]
    notes: list[str]

    @property
    def notices(self) -> dict[str, int]:
        return {each["kind"]: each["count"] for each in self.document["trace"]["notices"]}

    @property
    def figures(self) -> dict[str, Any]:
        """In the words of `WHOLE`, but for `rows` and `lanes`."""
        trace, devices = self.document["trace"], self.document["devices"]
        return {
            "events": trace["events"],
            "gpu_ops": trace["gpu_ops"],
            "linked": trace["gpu_ops_with_launch"],
            "devices": len(devices),
            "steps": len(self.document["steps"]),
            "span_ns": trace["span_ns"],
            "busy_ns": sum(device["busy_ns"] for device in devices),
            "idle_ns": sum(device["idle_ns"] for device in devices),
        }


def reported(run: Run, path: Path) -> Reported:
    """The summary as text and as JSON; both note the same."""
    code, text, notes = run("summary", "--top", "100", str(path))
    assert code == 0
    harmless(text.splitlines())
    code, printed, same = run("summary", "--json", str(path))
    assert (code, same) == (0, notes)
    document = json.loads(printed)
    sensible_document(document)
    found = document["trace"]["notices"]
    assert all(line.startswith("attntui: note: ") for line in notes)
    for line, notice in zip(notes, found, strict=True):
        assert f"{notice['kind'].replace('_', ' ')} ({notice['count']:,})" in line
        assert ("[byte " in line) == (notice["offset"] is not None)
    return Reported(text, document, notes)


def compared(run: Run, path: Path, other: Path) -> dict[str, Any]:
    """A comparison with another trace, as text and as JSON, either way round."""
    code, text, _ = run("diff", str(other), str(path))
    assert code == 0
    harmless(text.splitlines())
    code, printed, _ = run("diff", "--json", str(path), str(other))
    assert code == 0
    document: dict[str, Any] = json.loads(printed)
    sensible_document(document)
    return document


def refusal(run: Run, path: Path, other: Path) -> str:
    """The one line that each report of a file ends in, less its name."""
    lines = []
    for arguments in (("summary",), ("summary", "--json"), ("diff", str(other))):
        code, out, said = run(*arguments, str(path))
        assert (code, out) == (2, "")
        lines.append(said[-1])
    assert len(set(lines)) == 1
    return lines[0].partition(f"{path.name}: ")[2]


async def explored(path: Path, size: tuple[int, int] = (80, 24)) -> list[str]:
    """The first screen of the app over a file, as drawn; a few keys later it is left."""
    app = AttntuiApp([str(path)], Options())
    async with app.run_test(size=size) as pilot:
        await loaded(pilot)
        assert isinstance(app.screen, MainScreen)
        first = drawn(pilot)
        harmless(first)
        for key in KEYS:
            await pilot.press(key)
            await settled(pilot)
            harmless(drawn(pilot))
        assert app.screen.session.selection is not None
        await pilot.press("q")
    assert (app.return_code, app.failure, app.crash) == (0, None, None)
    return first


async def left_with(path: Path) -> str:
    """The line that the app ends with over a file that is no trace, less the file's name."""
    app = AttntuiApp([str(path)], Options())
    async with app.run_test(size=(80, 24)) as pilot:
        await loaded(pilot)
    assert app.failure is not None
    harmless([app.failure])
    return app.failure.partition(f"{path.name}: ")[2]
