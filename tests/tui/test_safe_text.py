"""Nothing of a file reaches the terminal but as safe text: by the doors, and as drawn."""

from __future__ import annotations

import ast
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import builders
import pytest
from driver import Opened, finished, loaded, picking
from rich.text import Text
from textual import events
from textual.app import App
from textual.widgets import Static
from textual.widgets._toast import Toast

import attntui
from attntui.analysis.kept import opening
from attntui.errors import LoadCancelled
from attntui.safe import safe
from attntui.tui.app import AttntuiApp
from attntui.tui.screens.bookmarks import BookmarksScreen
from attntui.tui.screens.loading import LoadingScreen
from attntui.tui.screens.picker import PickerScreen
from attntui.tui.widgets.timeline import TimelineView
from attntui.view.options import Options

PACKAGE = Path(attntui.__file__).parent
DOORS = {"tui/widgets/text.py"}
TO_TERMINAL = {"notify", "update", "copy_to_clipboard", "Segment", "Text", "Static", "Label"}
TITLES = {"border_title", "border_subtitle"}
MAKES_SAFE = (
    "safe.py",
    "view/words/",
    "view/tables/",
    "view/drawing/",
    "view/reports/",
    "view/detail/items.py",
)

CLIPBOARD = "\x1b]52;c;ZXZpbA==\x07"
"""What makes a terminal put `evil` into the clipboard."""

EVIL = f"{CLIPBOARD}\u202e[red]evil"


def sources(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def called(node: ast.AST) -> str | None:
    """The last name of what a node calls."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else None


def test_screens_write_through_the_doors_alone() -> None:
    found = []
    for name, tree in sources(PACKAGE / "tui"):
        if name in DOORS:
            continue
        for node in ast.walk(tree):
            if called(node) in TO_TERMINAL:
                found.append(f"{name}: {called(node)}")
            for target in node.targets if isinstance(node, ast.Assign) else ():
                if isinstance(target, ast.Attribute) and target.attr in TITLES:
                    found.append(f"{name}: {target.attr}")
    # One place each, which takes safe text or cleans what it is given.
    assert found == ["tui/app.py: notify", "tui/screens/base.py: copy_to_clipboard"]


def test_safe_text_is_claimed_only_where_text_is_made() -> None:
    claimed = {
        name
        for name, tree in sources(PACKAGE)
        if any(called(node) == "Safe" for node in ast.walk(tree))
    }
    assert [name for name in sorted(claimed) if not name.startswith(MAKES_SAFE)] == []


def drawn(app: App[None]) -> str:
    """All cells of the screen, notifications too."""
    strips = app.screen._compositor.render_strips()
    assert not any(segment.control for strip in strips for segment in strip)
    text = "\n".join(strip.text for strip in strips)
    assert [line for line in text.split("\n") if safe(line) != line] == []
    return text


@pytest.fixture
def evil_file(tmp_path: Path) -> Path:
    """A trace in which every name that can be shown would act on a terminal."""
    events = [
        builders.thread_name(f"thread 100 ({EVIL})"),
        builders.annotation(EVIL, 0, 900),
        builders.cpu_op(f"aten::{EVIL}", 10, 50, args={EVIL: EVIL}),
        builders.launch(1, 20),
        builders.kernel(f"kernel {EVIL}", 100, 50, 1),
        builders.kernel("k", 300, 50),
        builders.complete(EVIL, EVIL, 400, 5, tid=EVIL),
    ]
    return builders.write_trace(tmp_path, events, f"{EVIL}.json")


async def test_a_trace_of_evil_names_is_drawn_safely(opened: Opened, evil_file: Path) -> None:
    async with opened(evil_file, size=(200, 60)) as (pilot, screen):
        assert "evil" in drawn(pilot.app).splitlines()[0]
        timeline = screen.query_one(TimelineView)
        headings = [timeline.render_line(y).text for y in range(timeline.size.height)]
        assert any(heading.startswith(r" \x1b]52;c;ZX") for heading in headings)
        keys = ["1", "2", "4", "5", "6", "8", "7", "3", ",", "m", ".", "[", "S"]
        for key in (*keys, "right_curly_bracket", "slash", *"evil", "enter", "n", "J", "v", "v"):
            await pilot.press(
                {",": "comma", ".": "full_stop", "[": "left_square_bracket"}.get(key, key)
            )
            if key == "S":
                # The list of scopes names the trace's own; back to the panes.
                await pilot.pause()
                assert "evil" in drawn(pilot.app)
                await pilot.press("escape")
            await finished(pilot, "_find_slice")
            assert "evil" in drawn(pilot.app)
        await pilot.press("apostrophe")
        assert isinstance(pilot.app.screen, BookmarksScreen)
        assert "evil" in drawn(pilot.app)
        await pilot.press("escape", "2", "y")
        for line in pilot.app.clipboard.replace("\t", "").split("\n"):
            assert safe(line) == line
        await pilot.press("3", "n", "y")
        assert "evil" in pilot.app.clipboard
        for line in pilot.app.clipboard.split("\n"):
            assert safe(line) == line
        screen.action_copy_command()
        assert CLIPBOARD not in pilot.app.clipboard


async def test_titles_are_no_markup(opened: Opened, evil_file: Path) -> None:
    async with opened(evil_file) as (pilot, screen):
        await pilot.press("full_stop")
        for title in (r"a\[red]b", "[/]", "[red]", "\\"):
            screen.query_one(TimelineView).heading = safe(title)
            screen.query_one(TimelineView)._show_titles()
            await pilot.pause()
            assert title in drawn(pilot.app)


async def test_the_picker_and_a_failure_are_drawn_safely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / EVIL).mkdir()
    (tmp_path / EVIL / f"{EVIL}.json").write_text('{"traceEvents": [1')
    app = AttntuiApp([], Options())
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await picking(pilot)
        # In its folder's name, in its own, and there again in the border.
        assert drawn(app).count("evil") == 3
        await pilot.press("enter")
        await loaded(pilot)
        while not app.screen.query(Toast):
            await pilot.pause()
        await pilot.pause()
        assert isinstance(app.screen, PickerScreen)
        assert "[red]evil" in str(app.screen.query_one(Toast).render())
        assert drawn(app).count("evil") > 2


async def test_a_file_of_the_command_line_fails_safely(tmp_path: Path) -> None:
    path = tmp_path / f"{EVIL}.json"
    path.write_text("{}")
    app = AttntuiApp([str(path)], Options())
    async with app.run_test() as pilot:
        await loaded(pilot)
    assert app.failure is not None
    assert "evil" in app.failure
    assert safe(app.failure) == app.failure


async def test_a_load_is_drawn_safely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    def endless(path: str, *, cancelled: Any, **_: Any) -> None:
        begun.set()
        while not cancelled():
            threading.Event().wait(0.001)
        raise LoadCancelled

    monkeypatch.setattr(opening, "load", endless)
    app = AttntuiApp([str(tmp_path / f"{EVIL}.json")], Options())
    async with app.run_test(size=(120, 40)) as pilot:
        while not begun.is_set():
            await pilot.pause()
        assert isinstance(app.screen, LoadingScreen)
        assert "evil" in drawn(app).replace("\n", "")
        await pilot.press("escape")


PASTED = "\x1b]0;evil\x07\x9b2J\u202eevil"


@pytest.mark.parametrize("key", ["S", "colon"])
async def test_what_is_pasted_into_any_input_is_drawn_safely(opened: Opened, key: str) -> None:
    async with opened(size=(120, 40)) as (pilot, _):
        await pilot.press(key)
        pilot.app.post_message(events.Paste(PASTED))
        await finished(pilot)
        assert "]0;evil2Jevil" in drawn(pilot.app)


async def test_nothing_that_a_widget_draws_acts_on_the_terminal(opened: Opened) -> None:
    async with opened(size=(120, 40)) as (pilot, screen):
        # Round all doors.
        screen.query_one("#title", Static).update(Text(f"round {EVIL} the doors"))
        await pilot.pause()
        assert "round ]52;c;ZXZpbA==[red]evil the doors" in drawn(pilot.app)
