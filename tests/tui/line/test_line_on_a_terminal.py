"""On a real terminal: the screen by differences is the screen that Textual draws."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from emulated import Emulated, differing
from textual._ansi_sequences import SYNC_END, SYNC_START

pytest.importorskip("pty", reason="needs terminals of a Unix")
from terminal import PATIENCE_S, Terminal

from attntui.tui.line.pace import QUESTION

TRACE = Path(__file__).parents[3] / "sample_traces" / "gaps_h200.json.gz"

RECORDING = """
import json, sys
from attntui.cli import main
from attntui.tui.line.driver import LineDriver
from attntui.tui.line.writer import LineWriter
from textual.drivers.linux_driver import LinuxDriver
log = open(sys.argv.pop(1), "w", encoding="utf-8", buffering=1)
def noting(owner, name, note):
    method = getattr(owner, name)
    def noted(self, *words):
        found = method(self, *words)
        print(json.dumps(note(*words)), file=log)
        return found
    setattr(owner, name, noted)
noting(LineWriter, "resize", lambda width, height: ("unknown", width, height))
noting(LineWriter, "whole", lambda text: ("whole",))
noting(LineDriver, "write", lambda text: ("drawn", text))
noting(LinuxDriver, "write", lambda text: ("written", text))
noting(LineDriver, "go_slow", lambda: ("slow",))
noting(LineDriver, "_write_difference", lambda: ("frame",))
sys.exit(main(sys.argv[1:]))
"""
"""Keeps a log: what Textual draws, what goes to the terminal, where a frame ends, when the
driver knows nothing of the screen, and when the line is known to be slow.
"""

MANY = {"COLORTERM": ""}
TRUE = {"COLORTERM": "truecolor"}
SIXTEEN = {"COLORTERM": "", "TERM": "xterm"}
NONE = {"NO_COLOR": "1"}

OTHER_SCREEN = "\x1b[?1049h"
BLANK = "\x1b[m\x1b[2J"

ESC = b"\x1b[27u"
"""Escape, told apart from a key that comes right after it."""

KEYS = (
    *(b"j", b"k", b"l", b"h", b"w", b"s", b".", b",", b"}", b"{", b"g", b"G", b"\t"),
    *(b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[5~", b"\x1b[6~"),
    *(b"1", b"2", b"3", b"4", b"6", b"x", b"z", b"i", b">", b"I", b"f", b"0", b"y", b"J"),
    *(b"\r", b"S\r", b"?" + ESC, b":kern" + ESC, b"C" + ESC, b"/gemm\r", b"\\aten\r"),
    *(b"\x0c", b"\x0f"),
)


class Recorded:
    """The program over a sample on a terminal, with its log."""

    def __init__(self, log: Path, *options: str, first: str = "", **more: Any) -> None:
        self._log = log
        program = "-c", f"{first}\n{RECORDING}"
        self.terminal = Terminal(str(log), str(TRACE), *options, program=program, **more)
        self.terminal.wait_for(b"Overview")

    @property
    def log(self) -> list[list[Any]]:
        """What was noted, but for a line that is not whole yet."""
        lines = self._log.read_text("utf-8").splitlines(keepends=True)
        return [json.loads(line) for line in lines if line[-1] == "\n"]

    def size(self, kind: str) -> int:
        """Characters that were drawn, or written."""
        return sum(len(words[1]) for words in self.log if words[0] == kind)

    def walk(self, chance: random.Random, count: int) -> None:
        """Types so many keys in threes; ^L draws a frame at once, in the middle of their work."""
        for _ in range(count // 3):
            frames = self.log.count(["frame"])
            self.terminal.type(b"".join(chance.choices(KEYS, k=3)) + b"\x0c")
            self.terminal.wait_until(lambda known=frames: self.log.count(["frame"]) > known)

    def quit(self) -> None:
        """Leaves whatever is open, and the program. Keys that come while a screen closes do
        nothing: they come again.
        """
        process = self.terminal.process
        for _ in range(PATIENCE_S):
            self.terminal.type(3 * ESC + b"q")
            with suppress(subprocess.TimeoutExpired):
                process.wait(1)
                break
        assert self.terminal.exit_code() == 0


def suspend(terminal: Terminal) -> None:
    terminal.type(b"\x1a")
    os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)


def resume(terminal: Terminal) -> None:
    written = len(terminal.seen)
    terminal.process.send_signal(signal.SIGCONT)
    # Asked last, when keys come one by one again.
    terminal.wait_for(QUESTION.encode(), written)


@pytest.mark.parametrize(
    ("seed", "env", "place", "options", "sizes"),
    [
        (1, MANY, b"", (), ((80, 24), (120, 40))),
        (2, TRUE, b"2;4", (), ((120, 40), (90, 30))),
        (3, SIXTEEN, b"2;4", (), ((200, 60), (61, 16))),
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
    app = Recorded(tmp_path / "log", *options, env=env, place=place, size=sizes[0])
    for size in sizes[1:]:
        app.walk(chance, 30)
        app.terminal.resize(*size)
        app.walk(chance, 12)
        suspend(app.terminal)
        resume(app.terminal)
        app.walk(chance, 30)
    app.quit()
    assert replayed(app.log) > 20
    assert app.size("written") < app.size("drawn")


def replayed(log: list[list[Any]]) -> int:
    """Compares both screens at the end of each frame; returns how many were full of text."""
    size, frames, passed, started = [1, 1], 0, False, False
    wanted, there = Emulated(*size), Emulated(*size)
    for kind, *words in log:
        if kind == "unknown" or (kind == "drawn" and passed):
            size, passed = words if kind == "unknown" else size, False
            wanted, there = Emulated(*size), Emulated(*size)
        elif kind == "whole":
            passed = True
        elif kind == "drawn":
            wanted.feed(*words)
        elif kind == "written":
            if OTHER_SCREEN in words[0]:
                there.feed(BLANK)
                started = False
            started |= QUESTION in words[0]
            there.feed(*words)
        elif kind == "frame":
            assert not started or not differing(wanted.cells(), there.cells())
            frames += sum(map(str.isalnum, "".join(there.lines()))) > 200
    return frames


@pytest.mark.parametrize("asked", ["key", "resize"])
def test_the_whole_screen_is_drawn_again(asked: str, tmp_path: Path) -> None:
    app = Recorded(tmp_path / "log", env=MANY, size=(80, 24))
    terminal = app.terminal
    before, again = len(terminal.seen), Emulated(80, 24)
    if asked == "key":
        terminal.type(b"\x0c")
    else:
        # The size is what it was: terminals draw anew when it has changed there and back.
        terminal.process.send_signal(signal.SIGWINCH)

    def is_whole() -> bool:
        whole = Emulated(80, 24)
        whole.feed(terminal.seen.decode(errors="replace"))
        again.feed("\x1b[2J" + terminal.seen[before:].decode(errors="replace"))
        return again.lines() == whole.lines()

    terminal.wait_until(is_whole)
    app.quit()


def test_stopped_and_continued_by_others_it_draws_again(tmp_path: Path) -> None:
    app = Recorded(tmp_path / "log", env=MANY, size=(80, 24))
    terminal = app.terminal
    terminal.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)
    stopped = len(terminal.seen)
    resume(terminal)
    terminal.wait_for(b"Overview", stopped)
    terminal.type(b"?")
    terminal.wait_for(b"Keys")
    app.quit()


def test_held_keys_on_a_line_that_takes_nothing_become_one_frame(tmp_path: Path) -> None:
    app = Recorded(tmp_path / "log", "--pane", "timeline", env=MANY, size=(200, 60))
    app.terminal.flows.clear()
    begin, pressed = len(app.log), 60

    def drawn() -> int:
        later = app.log[begin:]
        return sum(words[0] == "drawn" and len(words[1]) > 1000 for words in later)

    for number in range(pressed):
        app.terminal.type(b"w" if number % 4 < 2 else b"s")
        known = drawn()
        app.terminal.wait_until(lambda known=known: drawn() > known)
    written = sum(words[0] == "frame" for words in app.log[begin:])
    app.terminal.flows.set()
    app.quit()
    assert written < pressed / 2
    assert replayed(app.log)


@pytest.mark.parametrize("answers", [True, False])
def test_a_terminal_that_answers_slowly_gets_fewer_frames(answers: bool, tmp_path: Path) -> None:
    # Every answer is a slow one.
    first = "from attntui.tui.line import pace; pace.SLOW_ANSWER_S = 0"
    place = b"2;4" if answers else b""
    app = Recorded(tmp_path / "log", first=first, env=MANY, size=(80, 24), place=place)
    app.walk(random.Random(5), 12)
    if answers:
        app.terminal.wait_until(lambda: ["slow"] in app.log)
    app.quit()
    assert (["slow"] in app.log) is answers


def test_frames_are_synchronised_where_the_terminal_can(tmp_path: Path) -> None:
    app = Recorded(tmp_path / "log", env=MANY, size=(80, 24), place=b"2;4")
    app.terminal.type(b"\x1b[?2026;2$y")
    app.walk(random.Random(6), 18)
    app.quit()
    known = app.log.index(["drawn", SYNC_START])
    frames = [words[1] for words, after in pairwise(app.log[known:]) if after == ["frame"]]
    frames = [text for text in frames if "H" in text]
    assert len(frames) > 5
    for text in frames:
        assert text.startswith(SYNC_START)
        assert text.removesuffix(QUESTION).endswith(SYNC_END)
        assert text.count(SYNC_START) == 1
