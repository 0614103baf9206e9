"""Reads the tasks of `docs/walk.md`: the traces, the keys, and what is then on screen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

WALK = Path(__file__).parents[1] / "walk.md"

NAMED = {"Enter": "enter", "Esc": "escape", "Ctrl-O": "ctrl+o"}
"""Keys that the document writes in more than a letter; other words of it are typed."""

_TASK = re.compile(r"^## (\d+)\. (.+) \((\d+) keys?\)$", re.MULTILINE)
_COMMAND = re.compile(r"^attntui (.+)$", re.MULTILINE)
_ROW = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")
_BRACES = re.compile(r"(.*)\{(.+)\}(.*)")


@dataclass(frozen=True)
class Stage:
    """Keys as Textual's pilot presses them, and what is on screen after them; `…` there stands for
    anything on one line.
    """

    keys: tuple[str, ...]
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """A task: traces as paths from the project's root, and its stages one after another."""

    number: int
    title: str
    told_keys: int
    traces: tuple[str, ...]
    stages: tuple[Stage, ...]


def tasks() -> list[Task]:
    """Every task of the document, in its order."""
    text = WALK.read_text(encoding="utf-8")
    heads = list(_TASK.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return [_task(head, text[head.end() : end]) for head, end in zip(heads, ends, strict=True)]


def _task(head: re.Match[str], body: str) -> Task:
    command = _COMMAND.search(body)
    assert command is not None, head[0]
    rows = _ROW.findall(body)[1:]
    stages = tuple(Stage(_keys(keys), tuple(_CODE.findall(shown))) for keys, shown in rows)
    return Task(int(head[1]), head[2], int(head[3]), _traces(command[1]), stages)


def _traces(words: str) -> tuple[str, ...]:
    """The files of a command line, with a shell's braces opened."""
    braces = _BRACES.fullmatch(words)
    if braces is None:
        return tuple(words.split())
    before, each, after = braces.groups()
    return tuple(f"{before}{one}{after}" for one in each.split(","))


def _keys(cell: str) -> tuple[str, ...]:
    """The keys of a cell; a word that is no key is typed, letter by letter."""
    found: list[str] = []
    for word in _CODE.findall(cell):
        found += [NAMED[word]] if word in NAMED else word
    return tuple(found)
