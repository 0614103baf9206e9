"""Reports as JSON: integers in nanoseconds, absent facts null, keys an interface."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from attntui.safe import Safe

SCHEMA = 2
"""The number of the shape that `schema.py` writes down; another shape gets the next."""


def dumps(value: Any) -> Safe:
    """One line of pure ASCII, so that no text of a trace reaches a terminal as a control."""
    return Safe(json.dumps(value, ensure_ascii=True, allow_nan=False))


def json_lines(document: Mapping[str, Any]) -> Iterator[Safe]:
    """A document line by line: each entry of a top-level list or dict on a line of its own."""
    entries = list(document.items())
    yield Safe("{")
    for number, (key, value) in enumerate(entries):
        end = "" if number == len(entries) - 1 else ","
        if isinstance(value, list) and value:
            yield Safe(f" {dumps(key)}: [")
            yield from _inner([dumps(item) for item in value])
            yield Safe(f" ]{end}")
        elif isinstance(value, dict) and value:
            yield Safe(f" {dumps(key)}: {{")
            yield from _inner([f"{dumps(name)}: {dumps(item)}" for name, item in value.items()])
            yield Safe(f" }}{end}")
        else:
            yield Safe(f" {dumps(key)}: {dumps(value)}{end}")
    yield Safe("}")


def _inner(items: list[Any]) -> Iterator[Safe]:
    for number, item in enumerate(items):
        yield Safe(f"  {item}{'' if number == len(items) - 1 else ','}")
