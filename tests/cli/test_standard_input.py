"""Standard input and a keyboard at once: the whole program on a terminal of its own."""

from __future__ import annotations

import gzip

import pytest
from builders import trace_text
from steps_trace import two_steps

pytest.importorskip("pty", reason="needs terminals of a Unix")
from terminal import Terminal


def test_a_trace_from_a_pipe_is_explored_by_keyboard() -> None:
    terminal = Terminal("-", piped=True)
    terminal.pipe(gzip.compress(trace_text(two_steps()).encode()))
    terminal.wait_for(b"Overview")
    terminal.type(b"q")
    assert terminal.exit_code() == 0


def test_what_is_no_trace_ends_with_a_line_and_code_2() -> None:
    terminal = Terminal("-", piped=True)
    terminal.pipe(b"not a trace")
    assert terminal.exit_code() == 2
    terminal.wait_for(b"attntui: ")


def test_a_name_cannot_reach_the_terminal_as_a_command() -> None:
    terminal = Terminal("/no/such/\x1b]0;owned\x07.json")
    assert terminal.exit_code() == 2
    terminal.wait_for(b"owned")
    assert b"\x1b]0;owned" not in terminal.seen
