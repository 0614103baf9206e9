"""The command line: exit codes, one-line errors, pipes, and where there is no screen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from builders import cpu_op, launched, write_trace

from attntui import __version__, cli
from attntui.cli import main, view
from attntui.view.options import Options


@pytest.fixture
def trace(tmp_path: Path) -> str:
    events = [cpu_op("aten::mm", 0, 20), *launched(1, 5, 30, 10, "gemm")]
    return str(write_trace(tmp_path, events))


def attntui(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m attntui` in a process of its own, with pipes for a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "attntui", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, **environment},
    )


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"attntui {__version__}\n"


def test_summary(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["summary", trace]) == 0
    out = capsys.readouterr().out
    assert "gemm" in out
    assert main(["summary", "--json", trace]) == 0
    assert json.loads(capsys.readouterr().out)["trace"]["gpu_ops"] == 1
    assert main(["summary", "--top", "0", trace]) == 0
    assert "gemm" not in capsys.readouterr().out


def test_without_a_screen_a_trace_is_summed_up(trace: str) -> None:
    done = attntui(trace)
    assert (done.returncode, done.stderr) == (0, "")
    assert "gemm" in done.stdout


def test_a_dumb_terminal_is_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert view.has_screen()
    monkeypatch.setenv("TERM", "dumb")
    assert not view.has_screen()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["summary", "no/such/file.json"], "no/such/file.json"),
        (["summary"], "TRACE"),
        (["summary", "--top", "-1", "x"], "whole number"),
        ([], "no terminal"),
        (["no/a.json", "no/b.json"], "no/a.json"),
        (["--at", "soon", "x"], "1.5ms"),
        (["--peak-bw", "0", "x"], "above zero"),
        (["--frobnicate"], "--frobnicate"),
    ],
)
def test_an_error_is_one_line_and_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("attntui: ")
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_a_hostile_file_name_reaches_the_terminal_as_text(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["summary", "no\x1b[2J\nfile"]) == 2
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert err.count("\n") == 1


def test_notices_go_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_trace(tmp_path, [cpu_op("\x1b[2Jbad", 0, -5), *launched(1, 5, 30, 10)])
    assert main(["summary", "--json", str(path)]) == 0
    shown = capsys.readouterr()
    notices = json.loads(shown.out)["trace"]["notices"]
    assert notices
    assert len(shown.err.splitlines()) == len(notices)
    assert all(line.startswith("attntui: note: ") for line in shown.err.splitlines())
    assert "\x1b" not in shown.err


@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_closed_pipe_ends_quietly(trace: str, unbuffered: bool) -> None:
    """Written at once, or buffered: then the pipe is found closed when all has been printed."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, *(["-u"] if unbuffered else []), "-m", "attntui", "summary", trace],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
        env=environment,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def interrupted(arguments: Sequence[str]) -> int:
    """What a command does when Ctrl+C is pressed."""
    raise KeyboardInterrupt


def code_of(*arguments: str) -> int | None:
    """The exit code; None where the interrupt went on, which would end the tests as well."""
    try:
        return main(arguments)
    except KeyboardInterrupt:
        return None


@pytest.mark.parametrize("command", ["summary", "diff", "capture"])
def test_an_interrupt_is_code_130_and_says_nothing(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(cli.COMMANDS, command, interrupted)
    assert code_of(command, "x") == 130
    assert capsys.readouterr() == ("", "")


def test_an_interrupt_while_the_screens_are_open_is_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(view, "run", interrupted)
    assert code_of("x") == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs the named pipes of a Unix")
def test_a_process_that_is_interrupted_while_it_reads_leaves_with_130(tmp_path: Path) -> None:
    pipe = tmp_path / "trace.json"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [sys.executable, "-m", "attntui", "summary", str(pipe)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Opening for writing waits until the process has opened the pipe to read.
    with process, pipe.open("w"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "")


def test_an_ascii_terminal_gets_escapes(tmp_path: Path) -> None:
    path = write_trace(tmp_path, launched(1, 5, 30, 10, "注意"))
    done = attntui("summary", str(path), PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\\u6ce8" in done.stdout


def test_options_in_si_units() -> None:
    parsed = view.parser().parse_args(
        [
            "x",
            "--step",
            "3",
            "--at",
            "1.5ms",
            "--pane",
            "gaps",
            "--ascii",
            "--peak-bw",
            "4.8",
            "--peak-tflops",
            "989",
        ]
    )
    assert view.options_of(parsed) == Options(
        step=3,
        at=1_500_000,
        pane="gaps",
        ascii=True,
        peak_bandwidth=4.8e12,
        peak_flops=989e12,
    )
    assert view.options_of(view.parser().parse_args([])) == Options()


def test_capture_without_torch_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["capture", "--help"]) == 2
    assert "needs torch" in capsys.readouterr().err


def test_capture_hands_its_arguments_and_exit_code_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], check: bool) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        return subprocess.CompletedProcess(command, 7)

    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    monkeypatch.setattr("subprocess.run", run)
    assert main(["capture", "attention", "--out", "x"]) == 7
    assert ran == [[sys.executable, "-m", "capture", "attention", "--out", "x"]]
