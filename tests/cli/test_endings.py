"""However the program ends, the terminal is as it was, and one line says why."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from builders import write_trace
from steps_trace import two_steps

pytest.importorskip("pty", reason="needs terminals of a Unix")
from terminal import PATIENCE_S, Terminal

LEFT = {b"25": True, b"7": True}
"""Modes of a terminal that are on when no program has it: the cursor, the wrapping of lines."""

FAILING = """
import sys
from attntui.cli import main
{patch}
sys.exit(main(sys.argv[1:]))
"""
SECRET = "hidden-in-a-variable"
BROKEN = f"secret = {SECRET!r}; raise ZeroDivisionError('broken on purpose')"


@pytest.fixture
def trace(tmp_path: Path) -> str:
    return str(write_trace(tmp_path, two_steps()))


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files of crashes go."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "attntui"


def opened(*arguments: str, **options: object) -> Terminal:
    terminal = Terminal(*arguments, **options)  # type: ignore[arg-type]
    terminal.wait_for(b"Overview")
    return terminal


def assert_left_as_it_was(terminal: Terminal) -> None:
    modes = terminal.modes
    assert b"1049" in modes
    assert {mode: on for mode, on in modes.items() if on} == LEFT
    assert terminal.attributes == terminal.before
    assert terminal.seen.count(b"\x1b[<u") == terminal.seen.count(b"\x1b[>")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGALRM"])
def test_a_signal_leaves_the_terminal_and_is_the_exit_status(trace: str, name: str) -> None:
    number = signal.Signals[name]
    terminal = opened(trace)
    terminal.process.send_signal(number)
    assert terminal.exit_code() == -number
    assert_left_as_it_was(terminal)


def test_a_signal_during_a_load_is_not_kept_waiting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    terminal = Terminal(str(pipe))
    terminal.wait_for(b"reading")
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.exit_code() == -signal.SIGTERM
    assert_left_as_it_was(terminal)


@pytest.mark.parametrize("noise", [b"\xff", b"\xe1j", b"\x1b[200~\xc3(\x1b[201~"])
def test_bytes_that_are_no_utf8_end_nothing(trace: str, noise: bytes) -> None:
    terminal = opened(trace)
    terminal.type(noise + b"q")
    assert terminal.exit_code() == 0
    assert_left_as_it_was(terminal)


@pytest.mark.parametrize("key", [b"q", b"\x03"])
def test_leaving_does_not_wait_for_an_analysis(trace: str, key: bytes) -> None:
    patch = (
        "import threading\n"
        "import attntui.tui.screens.loading as m\n"
        "def analysed(*_):\n    threading.Event().wait()\n"
        "m.analysed = analysed"
    )
    terminal = Terminal(trace, program=("-c", FAILING.format(patch=patch)))
    terminal.wait_for(b"analysing")
    terminal.type(key)
    assert terminal.exit_code() == 0
    assert_left_as_it_was(terminal)


def test_a_signal_that_was_ignored_stays_so(trace: str) -> None:
    code = FAILING.format(patch="import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)")
    terminal = opened(trace, program=("-c", code))
    terminal.process.send_signal(signal.SIGHUP)
    terminal.type(b"q")
    assert terminal.exit_code() == 0
    assert_left_as_it_was(terminal)


@pytest.mark.parametrize("ignored", [False, True])
def test_a_terminal_that_is_gone_ends_the_program(trace: str, ignored: bool) -> None:
    patch = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)" if ignored else ""
    terminal = opened(trace, program=("-c", FAILING.format(patch=patch)))
    terminal.go_away()
    assert terminal.process.wait(PATIENCE_S) in {-signal.SIGHUP, 128 + signal.SIGHUP}


def test_suspended_and_continued_it_draws_again(trace: str) -> None:
    terminal = opened(trace)
    terminal.type(b"\x1a")
    os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)
    terminal.wait_for(b"\x1b[?1004l")
    assert_left_as_it_was(terminal)
    drawn = len(terminal.seen)
    terminal.process.send_signal(signal.SIGCONT)
    terminal.wait_for(b"\x1b[?1049h", drawn)
    terminal.wait_for(b"GPU busy", drawn)
    terminal.type(b"q")
    assert terminal.exit_code() == 0
    assert_left_as_it_was(terminal)


def but_notes(errors: str) -> list[str]:
    """The lines on standard error that tell of no oddity of the file."""
    return [line for line in errors.splitlines() if not line.startswith("attntui: note: ")]


def crash_file(said: str, state: Path) -> str:
    """The details of the one crash that `said` tells of."""
    (path,) = state.iterdir()
    assert str(path) in said
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    text = path.read_text()
    assert "ZeroDivisionError: broken on purpose" in text
    assert f"{SECRET}\n" not in text
    return text


def last_lines(terminal: Terminal) -> list[str]:
    """What stands on the terminal after the screen was left."""
    shown = terminal.seen.rsplit(b"\x1b[?1049l")[-1].decode()
    text = re.sub(r"\x1b\[[?<]?[\d;]*\w|\x1b\].*?\x07", "", shown)
    return [line for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(
    "place",
    [
        "attntui.tui.screens.main.MainScreen.on_mount",
        "attntui.tui.app.AttntuiApp.on_mount",
        "attntui.tui.widgets.timeline.TimelineView.render_line",
        "attntui.tui.screens.loading.analysed",
        "attntui.tui.screens.base.PaneScreen.action_step",
        "attntui.tui.terminal.TerminalDriver.process_message",
    ],
    ids=["screen", "startup", "frame", "worker", "key", "input"],
)
def test_a_crash_in_the_app_is_one_line_and_a_file(trace: str, state: Path, place: str) -> None:
    module, *names = re.split(r"\.(?=[A-Z]|analysed)", place, maxsplit=1)
    holder, _, name = names[0].rpartition(".")
    target = f"m.{holder}" if holder else "m"
    patch = (
        f"import {module} as m\n"
        f"def broken(*_, **__):\n    {BROKEN}\n"
        f"assert hasattr({target}, {name!r})\n"
        f"setattr({target}, {name!r}, broken)"
    )
    terminal = Terminal(trace, program=("-c", FAILING.format(patch=patch)))
    if "action" in name:
        terminal.wait_for(b"Overview")
    if "action" in name or "message" in name:
        terminal.wait_for(b"\x1b[?1049h")
        terminal.type(b"}")
    assert terminal.exit_code() == 70
    assert_left_as_it_was(terminal)
    (line,) = last_lines(terminal)
    assert line.startswith("attntui: stopped by a bug (ZeroDivisionError: broken on purpose)")
    crash_file(line, state)
    assert SECRET.encode() not in terminal.seen


@pytest.mark.parametrize("command", [["summary"], ["diff"]])
def test_a_crash_in_a_report_is_one_line_and_a_file(
    trace: str, state: Path, command: list[str]
) -> None:
    patch = (
        "import attntui.analysis.analysed as m\n"
        f"def broken(*_):\n    {BROKEN}\n"
        "m.AnalysedTrace.steps = property(broken)"
    )
    traces = [trace] * (2 if command == ["diff"] else 1)
    done = subprocess.run(
        [sys.executable, "-c", FAILING.format(patch=patch), *command, *traces],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 70
    (said,) = but_notes(done.stderr)
    assert said.startswith("attntui: stopped by a bug (ZeroDivisionError")
    crash_file(said, state)


def test_a_crash_that_no_file_can_be_written_of(trace: str) -> None:
    patch = (
        "import attntui.cli.crash as c, attntui.cli.summary as m\n"
        "c._places = lambda: []\n"
        f"def broken(*_, **__):\n    {BROKEN}\n"
        "m.print_summary = broken"
    )
    done = subprocess.run(
        [sys.executable, "-c", FAILING.format(patch=patch), "summary", trace],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 70
    assert "no file" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "patch",
    [
        "import threading\n"
        'def start(self):\n    raise RuntimeError("can\'t start new thread")\n'
        "import attntui.cli.view, attntui.tui.app\n"
        "threading.Thread.start = start",
        "import threading\n"
        "started = threading.Thread.start\n"
        "def start(self):\n"
        "    if self.name.startswith('textual-input'):\n"
        '        raise RuntimeError("can\'t start new thread")\n'
        "    started(self)\n"
        "threading.Thread.start = start",
        "import threading\n"
        "started = threading.Thread.start\n"
        "def start(self):\n"
        "    if '_end_with_terminal' in self.name:\n"
        '        raise RuntimeError("can\'t start new thread")\n'
        "    started(self)\n"
        "threading.Thread.start = start",
        "from attntui.tui.widgets.timeline import TimelineView\n"
        "def render_line(*_):\n    raise MemoryError\n"
        "TimelineView.render_line = render_line",
        "import attntui.tui.screens.loading as m\n"
        "def analysed(*_):\n    raise MemoryError\n"
        "m.analysed = analysed",
    ],
    ids=["no thread", "no thread for keys", "no thread to watch", "frame", "analysis"],
)
def test_where_memory_runs_out_the_app_ends_in_a_line(trace: str, patch: str) -> None:
    terminal = Terminal(trace, program=("-c", FAILING.format(patch=patch)))
    assert terminal.exit_code() == 2
    (line,) = last_lines(terminal)
    assert line.startswith("attntui: ")
    assert "memory" in line
    assert {mode: on for mode, on in terminal.modes.items() if on}.items() <= LEFT.items()
    assert terminal.attributes == terminal.before


@pytest.mark.skipif(sys.platform != "linux", reason="the limit holds on Linux alone")
@pytest.mark.parametrize("megabytes", [200, 260, 400])
def test_the_app_opens_or_says_why_in_little_address_space(trace: str, megabytes: int) -> None:
    most = megabytes * 1024**2
    patch = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({most}, {most}))"
    terminal = Terminal(trace, program=("-c", FAILING.format(patch=patch)))
    terminal.type(b"q")
    code = terminal.exit_code()
    assert_left_as_it_was(terminal)
    assert code == 0 or (code == 2 and "memory" in last_lines(terminal)[-1])


def test_a_deleted_directory_is_no_crash(trace: str, tmp_path: Path) -> None:
    """The directory goes after the program has come into it."""
    gone = tmp_path / "gone"
    gone.mkdir()
    patch = "import os; os.rmdir(os.getcwd())"
    program = ("-c", FAILING.format(patch=patch))
    terminal = opened(trace, program=program, cwd=str(gone))
    terminal.type(b"q")
    assert terminal.exit_code() == 0
    gone.mkdir()
    done = subprocess.run(
        [sys.executable, *program, "summary", trace], capture_output=True, check=False, cwd=gone
    )
    assert (done.returncode, but_notes(done.stderr.decode())) == (0, [])
    gone.mkdir()
    choosing = Terminal(program=program, cwd=str(gone))
    choosing.wait_for(b"Open a trace")
    choosing.type(b"q")
    assert choosing.exit_code() == 0


@pytest.mark.parametrize(
    "command",
    [
        *("summary {0}", "summary --json {0}", "summary --markdown {0}", "diff {0} {0}"),
        *("--help", "--version", "summary --help", "diff --help"),
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("where", [">/dev/full", ">&-"])
def test_output_that_cannot_be_written_is_said(
    trace: str, command: str, unbuffered: str, where: str
) -> None:
    line = f"{sys.executable} -m attntui {command.format(trace)} {where}"
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert done.returncode == 74
    (said,) = but_notes(done.stderr)
    assert said.startswith("attntui: standard output")


def test_errors_with_nowhere_to_go_are_no_output(tmp_path: Path) -> None:
    line = f"{sys.executable} -m attntui summary {tmp_path}/none 2>&-"
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
