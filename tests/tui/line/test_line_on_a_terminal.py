"""On a real terminal: the screen by differences is the screen that Textual draws."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path

import pytest
from emulated import Emulated, differing

pytest.importorskip("pty", reason="needs terminals of a Unix")
from terminal import Terminal

TRACE = Path(__file__).parents[3] / "sample_traces" / "gaps_h200.json.gz"

RECORDING = """
import sys
from attntui.cli import main
from attntui.tui.line.driver import LineDriver
drawn = open(sys.argv.pop(1), "w", encoding="utf-8", newline="", buffering=1)
write = LineDriver.write
def recorded(driver, text):
    drawn.write(text)
    write(driver, text)
LineDriver.write = recorded
sys.exit(main(sys.argv[1:]))
"""
"""Keeps beside the terminal what Textual would have written to it."""

MANY = {"COLORTERM": ""}
TRUE = {"COLORTERM": "truecolor"}
SIXTEEN = {"COLORTERM": "", "TERM": "xterm"}
NONE = {"NO_COLOR": "1"}

ESC = b"\x1b[27u"
"""Escape, told apart from a key that comes right after it."""

KEYS = (
    *(b"j", b"k", b"l", b"h", b"w", b"s", b".", b",", b"}", b"{", b"\x1b[C", b"\x1b[D"),
    *(
        b"\x1b[A",
        b"\x1b[B",
        b"\x1b[6~",
        b"\x1b[5~",
        b"G",
        b"g",
        b"1",
        b"2",
        b"3",
        b"4",
        b"6",
        b"\t",
    ),
    *(
        b"x",
        b"z",
        b"i",
        b">",
        b"I",
        b"f",
        b"0",
        b"\r",
        b"?" + ESC,
        b":kern" + ESC,
        b"/gemm\r",
        b"\x0f",
    ),
    *(b"\\aten\r", b"C" + ESC, b"y", b"\x0c", b"J", b"S\r"),
)


def recorded(drawn: Path, *options: str, **more: object) -> Terminal:
    """The program over a sample, on screen."""
    terminal = Terminal(str(drawn), str(TRACE), *options, program=("-c", RECORDING), **more)  # type: ignore[arg-type]
    terminal.wait_for(b"Overview")
    return terminal


def shown(text: str, width: int, height: int) -> Emulated:
    """A terminal, large enough for any size of the walk, after all that was written."""
    emulated = Emulated(width, height)
    emulated.feed(text)
    return emulated


def suspend(terminal: Terminal) -> None:
    terminal.type(b"\x1a")
    os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)


def go_on(terminal: Terminal) -> None:
    written = len(terminal.seen)
    terminal.process.send_signal(signal.SIGCONT)
    terminal.wait_for(b"\x1b[?1049h", written)


@pytest.mark.parametrize(
    ("seed", "env", "place", "options", "sizes"),
    [
        (1, MANY, b"", (), ((80, 24), (120, 40))),
        (2, TRUE, b"2;4", (), ((120, 40), (90, 30))),
        (3, SIXTEEN, b"2;2", (), ((200, 60), (61, 16))),
        (4, NONE, b"2;4", ("--slow",), ((80, 24), (100, 50))),
    ],
)
def test_the_screen_is_what_textual_draws(
    seed: int,
    env: dict[str, str],
    place: bytes,
    options: tuple[str, ...],
    sizes: tuple[tuple[int, int], ...],
    tmp_path: Path,
) -> None:
    chance = random.Random(seed)
    drawn = tmp_path / "drawn"
    terminal = recorded(drawn, *options, env=env, place=place, size=sizes[0])
    for size in sizes[1:]:
        terminal.type(b"".join(chance.choices(KEYS, k=30)))
        terminal.resize(*size)
        terminal.type(b"".join(chance.choices(KEYS, k=10)))
        suspend(terminal)
        go_on(terminal)
        terminal.type(b"".join(chance.choices(KEYS, k=30)))
    terminal.type(b"\x03")
    assert terminal.exit_code() == 0
    most = max(size[0] for size in sizes), max(size[1] for size in sizes)
    wanted, there = (
        shown(text, *most) for text in (drawn.read_text("utf-8"), terminal.seen.decode())
    )
    assert not differing(wanted.cells(*sizes[-1]), there.cells(*sizes[-1]))
    assert sum(map(str.isalnum, "".join(there.lines()))) > 200
    assert len(terminal.seen) < drawn.stat().st_size / 3


def test_redrawn_where_others_wrote(tmp_path: Path) -> None:
    drawn = tmp_path / "drawn"
    terminal = recorded(drawn, env=MANY, size=(80, 24))
    for done in (b"\x0c", b"\x1b[8;24;80t"):
        garbled = len(terminal.seen)
        if done == b"\x0c":
            terminal.type(done)
        else:
            terminal.process.send_signal(signal.SIGWINCH)
        # The whole screen comes again, from its first line to its last.
        terminal.wait_for(b"gaps_h200", garbled)
        terminal.wait_for(b"palette", garbled)
    terminal.type(b"\x03")
    assert terminal.exit_code() == 0


def test_stopped_and_continued_by_others_it_draws_again(tmp_path: Path) -> None:
    terminal = recorded(tmp_path / "drawn", env=MANY, size=(80, 24))
    terminal.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)
    stopped = len(terminal.seen)
    go_on(terminal)
    terminal.wait_for(b"Overview", stopped)
    terminal.type(b"?")
    terminal.wait_for(b"Keys")
    terminal.type(b"\x03")
    assert terminal.exit_code() == 0
