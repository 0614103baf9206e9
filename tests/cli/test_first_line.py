"""Before the screens have been imported the terminal shows what is opened."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import builders
import pytest
from rich.cells import cell_len
from steps_trace import two_steps

if sys.platform == "win32":
    pytest.skip("needs a Unix terminal", allow_module_level=True)

from terminal import Terminal

from attntui.cli import view

SCREEN = b"\x1b[?1049h"
ERASED = b"\r\x1b[K"


def test_the_file_and_its_size_come_first_and_go_with_the_screen(tmp_path: Path) -> None:
    path = builders.write_trace(tmp_path, two_steps())
    terminal = Terminal(str(path))
    terminal.wait_for(b"Overview")
    terminal.type(b"q")
    assert terminal.exit_code() == 0
    before, _, after = terminal.seen.partition(SCREEN)
    size = path.stat().st_size
    assert before.startswith(ERASED + f"opening {path.name}, {size / 1000:.2f} kB".encode())
    assert before.endswith(ERASED)
    assert b"opening" not in after


def test_a_name_acts_on_no_terminal_and_stays_in_its_line(tmp_path: Path) -> None:
    name = "\x1b[31m" + 60 * "長" + ".json"
    path = builders.write_trace(tmp_path, two_steps()).rename(tmp_path / name)
    terminal = Terminal(str(path))
    terminal.wait_for(b"Overview")
    terminal.type(b"q")
    assert terminal.exit_code() == 0
    before = terminal.seen.partition(SCREEN)[0]
    line = before.removeprefix(ERASED).removesuffix(ERASED).decode()
    assert line.startswith("opening \\x1b[31m長")
    assert line.isprintable()
    assert cell_len(line) < 80


def test_a_file_that_is_not_there_is_told_by_its_error_alone(tmp_path: Path) -> None:
    terminal = Terminal(str(tmp_path / "none.json"))
    assert terminal.exit_code() == 2
    assert b"opening" not in terminal.seen
    assert b"none.json" in terminal.seen


def test_garbage_is_looked_for_again_once_the_screens_are_imported() -> None:
    with view._no_garbage():
        assert not gc.isenabled()
    assert gc.isenabled()
