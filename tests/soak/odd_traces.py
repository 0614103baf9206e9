"""Traces that are odd, each in its own way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import builders
from builders import Event
from fuzz.samples import sample_text
from steps_trace import two_steps

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e[red][@click=app.quit]owned[/]\r\n"
"""A title, a clear screen, an 8-bit sequence, a bidi override, markup and a new line."""

FAR = 4_600_000_000_000_000
"""Microseconds that make 2^62 ns."""


def _launches(count: int) -> list[Event]:
    return [
        event
        for i in range(count)
        for event in builders.launched(i + 1, 50 * i, 50 * i + 20, 25, f"kernel_{i % 3}")
    ]


def _one_event() -> list[Event]:
    return [builders.kernel("alone", 10, 5)]


def _cpu_only() -> list[Event]:
    return [
        event
        for step in range(4)
        for event in (
            builders.annotation(f"ProfilerStep#{step}", 1_000 * step, 900),
            builders.cpu_op("aten::linear", 1_000 * step + 10, 500),
            builders.cpu_op("aten::addmm", 1_000 * step + 20, 400),
        )
    ]


def _many_lanes() -> list[Event]:
    return [
        builders.cpu_op(f"op {lane % 7}", 3 * lane, 40, pid=lane // 50, tid=lane)
        for lane in range(3_000)
    ]


def _hostile_names() -> list[Event]:
    return [
        builders.thread_name(HOSTILE),
        builders.annotation(f"ProfilerStep#1{HOSTILE}", 0, 900),
        builders.annotation(HOSTILE, 5, 800),
        builders.cpu_op(HOSTILE, 10, 50, args={HOSTILE: HOSTILE, "Input Dims": HOSTILE}),
        builders.launch(1, 20),
        builders.kernel(HOSTILE, 100, 50, 1, args={"device": HOSTILE}),
        builders.kernel("x" * 20_000, 300, 50, args={HOSTILE: ["x" * 20_000]}),
        builders.complete(HOSTILE, HOSTILE, 400, 5, pid=HOSTILE, tid=HOSTILE),
    ]


def _times_at_zero() -> list[Event]:
    """Half of all at ts 0, the others at the time of an epoch."""
    late = [{**event, "ts": event["ts"] + 1.7e15} for event in two_steps() if "ts" in event]
    return [*late, *({**event, "ts": 0, "dur": 0} for event in late if event["ph"] == "X")]


def _centuries() -> list[Event]:
    return [*two_steps(), *(builders.kernel("for ever", 10 + i, FAR) for i in range(10))]


MADE: dict[str, Callable[[], list[Event]]] = {
    "empty": list,
    "one_event": _one_event,
    "cpu_only": _cpu_only,
    "no_steps": lambda: _launches(200),
    "many_lanes": _many_lanes,
    "hostile": _hostile_names,
    "zeros": _times_at_zero,
    "centuries": _centuries,
}

OF_THE_FUZZER = ("async", "ranks", "memory", "compiled")

COMPARED = (("hostile", "centuries"), ("one_event", "cpu_only"), ("compiled", "zeros"))

CHOSEN_FROM = ("empty", "hostile", "zeros")
"""What lies in the folder where no trace is named; the first is refused."""

NAMES: tuple[tuple[str, ...], ...] = (
    *((name,) for name in MADE if name != "empty"),
    *COMPARED[:2],
    (),
    *((name,) for name in OF_THE_FUZZER),
    *COMPARED[2:],
)
"""What is opened: a trace, two side by side, or none, which leaves the choice to the keys."""


def written(names: tuple[str, ...], folder: Path) -> list[str]:
    """Writes odd traces into a folder that the program runs in; gives what it is called with."""
    for name in names or CHOSEN_FROM:
        path = folder / f"{name}.json"
        if name in MADE:
            builders.write_trace(folder, MADE[name](), path.name)
        else:
            path.write_bytes(sample_text(name))
    return [f"{name}.json" for name in names]
