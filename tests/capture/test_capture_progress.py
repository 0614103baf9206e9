"""Progress with rich and without."""

from __future__ import annotations

import io
import sys

import pytest

from capture.progress import Progress, time_left


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_time_left_is_the_mean_of_what_is_done_times_what_is_left() -> None:
    assert time_left(10.0, 0, 4) == ""
    assert time_left(10.0, 1, 4) == "about 30s left"
    assert time_left(80.0, 2, 4) == "about 1m20s left"
    assert time_left(40.0, 4, 4) == ""


def run_two(progress: Progress) -> None:
    with progress:
        for name in ("first", "second [bold]"):
            progress.start(name)
            progress.finish(f"{name} written")


def test_lines_where_stderr_is_no_terminal(capsys) -> None:
    run_two(Progress(2))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "[1/2] first"
    assert lines[1] == "    first written"
    assert lines[2].startswith("[2/2] second [bold]")


def test_lines_on_a_terminal_without_rich(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    run_two(Progress(2))
    assert terminal.getvalue().startswith("[1/2] first\n")


def test_a_bar_on_a_terminal_with_rich(monkeypatch) -> None:
    pytest.importorskip("rich", reason="rich is not installed")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    run_two(Progress(2))
    shown = terminal.getvalue()
    assert "second [bold] written" in shown
    assert "2/2" in shown
