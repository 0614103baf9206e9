"""Names, arguments and contents that would act on a terminal: no sequence written stems from them.

Each run is made twice, on harmless text and on hostile text of as many characters. What the
terminal is sent must hold the same kinds of sequences, and nothing of the hostile ones.
"""

from __future__ import annotations

import re
from base64 import b64decode
from codecs import getincrementaldecoder
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import builders
import pytest

pytest.importorskip("pty", reason="needs terminals of a Unix")
from emulated import Emulated
from terminal import Terminal

MARK = "hostilemark"
"""In each of the sequences, so that one that comes through is known again."""

HOSTILE = "".join(
    (
        f"\x1b]0;{MARK}\x07",  # a title
        f"\x1b]52;c;{MARK}\x1b\\",  # the clipboard
        f"\x1b]8;;{MARK}\x07",  # a link
        f"\x1bP{MARK}\x1b\\",  # a device control string
        "\x1b[31;5m\x1b[2J\x1b[?1047h\x1bc",  # colours, a clear screen, another screen, a reset
        "\x9b2J\x9d0;t\x9c\x90q\x9c",  # the same in 8 bits
        "\u202e\u2066\u200b\ufeff",  # bidi, invisible
        "\x07\x08\x0b\x0c\r\n\x7f",
        "[bold]x[/] [@click=app.quit]x[/] [link=x]",  # markup
    )
)
HARMLESS = re.sub(r"[^\w\[\]@=.;/ ]", "-", HOSTILE)
"""Of the same length and width in characters."""

SEQUENCE = re.compile(
    rb"\x1b\](?P<osc>.*?)(?:\x07|\x1b\\)"
    rb"|\x1b[PX^_](?P<string>.*?)\x1b\\"
    rb"|\x1b\[(?P<csi>[0-?]*[ -/]*[@-~])"
    rb"|\x1b(?P<escape>[ -/]*[0-~])",
    re.DOTALL,
)
C1 = re.compile("[\x80-\x9f]")
INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")


CLIPBOARD = b"52;c;"
"""Begins what a terminal is to put into the clipboard, in base 64: what `y` copies."""


def copied(recording: bytes) -> str:
    """All that was copied."""
    found = (match["osc"] or b"" for match in SEQUENCE.finditer(recording))
    return "".join(
        b64decode(osc.removeprefix(CLIPBOARD)).decode()
        for osc in found
        if osc.startswith(CLIPBOARD)
    )


def kinds(recording: bytes) -> set[bytes]:
    """The kinds of sequences in what a terminal was sent: their letters, and whole those that set
    modes; figures, as of cursors and colours, apart.
    """
    found = set()
    for match in SEQUENCE.finditer(recording):
        if (osc := match["osc"]) is not None and osc.startswith(CLIPBOARD):
            found.add(CLIPBOARD)
        elif match["csi"] is None:
            found.add(match[0])
        else:
            found.add(match[0] if b"?" in match["csi"] else b"\x1b[" + match["csi"][-1:])
    return found


def assert_nothing_acts(recording: bytes, harmless: bytes) -> None:
    """No sequence of a recording, or of what it copies, stems from what the program was given."""
    assert kinds(recording) - kinds(harmless) == set()
    own = {match[0] for match in SEQUENCE.finditer(HOSTILE.encode())}
    assert {sequence for sequence in own if sequence in recording} <= {
        sequence for sequence in own if sequence in harmless
    }
    for match in SEQUENCE.finditer(recording):
        assert MARK.encode() not in match[0]
    rest = SEQUENCE.sub(b"", recording)
    assert b"\x1b" not in rest
    assert set(CONTROLS.findall(rest)) <= set(CONTROLS.findall(SEQUENCE.sub(b"", harmless)))
    text = rest.decode() + copied(recording).replace("\t", "").replace("\n", "")
    assert CONTROLS.search(copied(recording).encode()) is None
    assert C1.search(text) is None
    assert INVISIBLE.search(text) is None


def events(text: str) -> list[builders.Event]:
    """Every name, key and value of a trace made of some text."""
    return [
        builders.thread_name(text),
        {"ph": "M", "name": "process_name", "pid": builders.PID, "args": {"name": text}},
        builders.annotation(f"ProfilerStep#1 {text}", 0, 900),
        builders.annotation(text, 5, 800),
        builders.cpu_op(f"aten::{text}", 10, 50, args={text: text, "Input type": [text]}),
        builders.python_function(f"{text}.py(3): {text}", 6, 700),
        builders.launch(1, 20),
        builders.kernel(f"kernel {text}", 100, 50, 1, args={"grid": text, text: [text]}),
        builders.memcpy(f"Memcpy {text}", 200, 50),
        builders.kernel(text * 40, 300, 50, args={"kernel_file": text}),
        builders.complete(text, text, 400, 5, pid=text, tid=text),
    ]


def made(folder: Path, text: str) -> str:
    """A trace in a folder, both called after a text; gives its path."""
    # A file's name ends before a NUL and at a slash, and has at most 255 bytes.
    name = text.replace("/", "|")
    inside = folder / name
    inside.mkdir(parents=True)
    told: dict[str, Any] = {"deviceProperties": [{"id": 0, "name": text}], text: text}
    return str(builders.write_trace(inside, events(text), f"{name}.json", **told))


Keys = Sequence[tuple[bytes, bytes]]
"""Keys, and what is on screen once they are answered."""

ONE = (b"", b"Overview")
TWO = (b"", b"Scoreboard")
LAST = (b"?", b"Keys")
"""What stands on screen once the keys before it are answered."""
PANES: Keys = [
    *((b"2i", b"2 Kernels"), (b"y", b"copied"), (b"\r", b"3 Timeline"), (b"4", b"4 Gaps")),
    *((b"5", b"5 Attention"), (b"6", b"6 Ops"), (b"8", b"8 Steps"), (b"7", b"7 Detail")),
    (b"y", b"copied"),
]
OVER: Keys = [
    *((b"R", b"reloaded"), (b"S", b"type to find"), (b":", b"earch for"), (b"?", b"Keys")),
    *((b"C", b"Legend"), (b"p", b"oofline"), (b"c", b"H200")),
]
"""What opens over the panes, each in a run of its own."""

RUNS: dict[str, Keys] = {
    "panes": [ONE, *PANES],
    "bookmarks": [ONE, (b"m", b"ookmark"), (b"'", b"Bookmarks")],
    "search": [ONE, (b"/", b"search"), (b"mark", b"mark"), (b"\r", b"/mark/"), LAST],
    **{shown.decode(): [ONE, (key, shown)] for key, shown in OVER},
    "compared": [TWO, (b"2y", b"copied"), (b"3y", b"unit"), (b"4", b"B"), LAST],
}


def recorded(arguments: Sequence[str], keys: Keys = (), **options: Any) -> bytes:
    """All that a terminal is sent from the start to the end of a run."""
    terminal = Terminal(*arguments, **options)
    screen, decoder, fed = Emulated(80, 24), getincrementaldecoder("utf-8")(), 0

    def on_screen(shown: bytes) -> bool:
        nonlocal fed
        new, fed = terminal.seen[fed:], len(terminal.seen)
        screen.feed(decoder.decode(new))
        return shown.decode() in "\n".join(screen.lines())

    for key, shown in keys:
        terminal.type(key)
        terminal.wait_until(partial(on_screen, shown))
    if keys:
        terminal.type(b"\x03")
    terminal.exit_code()
    return terminal.seen


@pytest.fixture
def pair(tmp_path: Path) -> tuple[str, str]:
    """The paths of a harmless and a hostile trace."""
    return made(tmp_path / "a", HARMLESS), made(tmp_path / "b", HOSTILE)


def test_the_recording_tells_what_came_through(pair: tuple[str, str]) -> None:
    """The check itself: each hostile sequence, put raw into what a harmless run wrote, is found."""
    harmless = recorded(["summary", pair[0]])
    assert_nothing_acts(harmless, harmless)
    for part in re.findall(r"\x1b\]8[^\x07]*\x07|\x1b.[^\x1b]*(?:\x1b\\)?|[^ -~]", HOSTILE):
        if part in "\r\n":
            continue
        with pytest.raises((AssertionError, UnicodeDecodeError)):
            assert_nothing_acts(harmless + part.encode() + b"x", harmless)


@pytest.mark.parametrize("run", RUNS)
def test_no_sequence_comes_from_a_trace_in_the_app(pair: tuple[str, str], run: str) -> None:
    times, keys = 2 if run == "compared" else 1, RUNS[run]
    found = [recorded([path] * times, keys, cwd=str(Path(path).parent)) for path in pair]
    assert MARK.encode() in found[1]
    assert_nothing_acts(found[1], found[0])


@pytest.mark.parametrize(
    "command",
    [
        ["summary", "{}"],
        ["summary", "--markdown", "{}"],
        ["summary", "--json", "{}"],
        ["summary", "--csv", "kernels", "{}"],
        ["diff", "{}", "{}"],
        ["diff", "--json", "{}", "{}"],
        ["diff", "--unit", "{text}", "{}", "{}"],
        ["summary", "{}.none"],
        ["{}.none"],
        ["summary", "--top", "{text}", "x"],
        ["summary", "--csv", "{text}", "x"],
        ["summary", "x", "{text}"],
        ["--{text}"],
        ["--pane", "{text}"],
        ["--at", "{text}", "x"],
        ["--filter", "{text}:{text}", "x"],
        ["--pair", "{text}"],
        ["diff", "--sort", "{text}", "x", "y"],
        ["capture", "run", "{text}"],
        ["capture", "{text}"],
        ["capture", "--{text}"],
    ],
    ids=" ".join,
)
def test_no_sequence_comes_from_what_a_command_is_given(
    pair: tuple[str, str], command: list[str]
) -> None:
    found = [
        recorded([word.format(path, text=text) for word in command])
        for path, text in zip(pair, (HARMLESS, HOSTILE), strict=True)
    ]
    assert found[1]
    assert_nothing_acts(found[1], found[0])


def test_no_sequence_comes_from_the_environment(pair: tuple[str, str], tmp_path: Path) -> None:
    names = ("TERM", "COLORTERM", "HOME", "XDG_STATE_HOME", "TMPDIR", "LANG", "EDITOR", "SHELL")
    found = [
        recorded([pair[0]], [ONE], env=dict.fromkeys(names, text)) for text in (HARMLESS, HOSTILE)
    ]
    assert_nothing_acts(found[1], found[0])
