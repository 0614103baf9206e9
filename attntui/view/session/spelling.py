"""Selections, scopes and the order of lanes as words of a command line, and back."""

from __future__ import annotations

from dataclasses import replace

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import WHOLE, Annotation, Call, Range, Scope, Step
from attntui.analysis.slice import Slice
from attntui.trace.model import ABSENT
from attntui.view.session.selection import (
    NOTHING,
    CallAt,
    EventAt,
    FindingAt,
    GapAt,
    RoleAt,
    Selection,
)
from attntui.view.session.timeline import Timeline
from attntui.view.tables.findings import findings_table

Spelled = Selection | Scope


def spelled(thing: Spelled) -> str:
    """A selection or a scope as one word: `event:12`, `gap:0:-:800000:850000`, `step:1`."""
    if isinstance(thing, EventAt):
        return f"event:{thing.row}"
    if isinstance(thing, GapAt):
        stream = "-" if thing.stream == ABSENT else thing.stream
        return f"gap:{thing.device}:{stream}:{thing.start}:{thing.end}"
    if isinstance(thing, CallAt | Call):
        return f"call:{thing.index}"
    if isinstance(thing, RoleAt):
        return f"role:{thing.call}:{thing.row}"
    if isinstance(thing, FindingAt):
        return f"finding:{thing.key}"
    if isinstance(thing, Step):
        return f"step:{thing.index}"
    if isinstance(thing, Range):
        return f"range:{thing.start}:{thing.end}"
    if isinstance(thing, Annotation):
        return f"annotation:{thing.row}"
    return "none" if thing == NOTHING else "whole"


def read_selection(part: Slice, text: str) -> Selection | None:
    """What a word selects; None where it is no such word, or the trace has no such thing."""
    analysed, kind, rest = part.analysed, *text.partition(":")[::2]
    if kind == "finding":
        for table in map(findings_table, (part, analysed.whole)):
            row = table.row_of(FindingAt(rest))
            if row is not None:
                return table.target(row)
        return None
    rows, calls = len(analysed.trace), len(analysed.attention)
    match kind, _numbers(rest):
        case "event", [row] if row < rows:
            return EventAt(row)
        case "gap", [device, stream, start, end] if start < end:
            return GapAt(device, stream, start, end)
        case "call", [index] if index < calls:
            return CallAt(index)
        case "role", [index, row] if index < calls and row in analysed.attention[index].gpu_rows:
            return RoleAt(index, row)
        case "none", _:
            return NOTHING
    found = read_scope(analysed, text)
    return found if isinstance(found, Step | Range) else None


def read_scope(analysed: AnalysedTrace, text: str) -> Scope | None:
    """The scope of a word, likewise."""
    kind, _, rest = text.partition(":")
    match kind, _numbers(rest):
        case "step", [index] if index < len(analysed.steps):
            return Step(index)
        case "range", [start, end] if start < end:
            return Range(start, end)
        case "call", [index] if index < len(analysed.attention):
            return Call(index)
        case "annotation", [row] if row < len(analysed.trace):
            return Annotation(row)
        case "whole", _:
            return WHOLE
    return None


def _numbers(text: str) -> list[int]:
    """Numbers between colons, `-` for one that is absent; none where something else stands."""
    words = text.split(":")
    if not all(word == "-" or (word.isascii() and word.isdigit()) for word in words):
        return []
    return [ABSENT if word == "-" else int(word) for word in words]


def spelled_lanes(timeline: Timeline, usual: Timeline) -> str:
    """How the lanes of a timeline are arranged and which line is the current one, as far as
    that is not as in the `usual` one: `line:3,top:1,closed:4+5`.
    """
    told = (
        ("line", [timeline.line], [usual.line]),
        ("top", [timeline.top], [usual.top]),
        ("closed", sorted(timeline.collapsed), sorted(usual.collapsed)),
        ("hidden", sorted(timeline.hidden), sorted(usual.hidden)),
        ("order", list(timeline.order), list(usual.order)),
        ("empty", [int(timeline.hide_empty)], [int(usual.hide_empty)]),
    )
    return ",".join(
        f"{name}:{'+'.join(map(str, numbers))}" for name, numbers, first in told if numbers != first
    )


def read_lanes(timeline: Timeline, text: str, tracks: int) -> Timeline | None:
    """A timeline of so many `tracks` with its lanes as a word says; None where it is no such
    word, or there are no such lanes.
    """
    for word in filter(None, text.split(",")):
        name, _, rest = word.partition(":")
        numbers = [int(number) for number in rest.split("+") if number.isdecimal()]
        if rest != "+".join(map(str, numbers)):
            return None
        match name, numbers:
            case "line", [line]:
                timeline = replace(timeline, line=line)
            case "top", [top]:
                timeline = replace(timeline, top=top)
            case "empty", [0 | 1 as hide]:
                timeline = replace(timeline, hide_empty=bool(hide))
            case "order", _ if sorted(numbers) == list(range(tracks)):
                timeline = replace(timeline, order=tuple(numbers))
            case "closed", _ if all(number < tracks for number in numbers):
                timeline = replace(timeline, collapsed=frozenset(numbers))
            case "hidden", _ if all(number < tracks for number in numbers):
                timeline = replace(timeline, hidden=frozenset(numbers))
            case _:
                return None
    return timeline
