"""What an input is, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builders import Event, cpu_op, launched, trace_text

GEMM, SOFTMAX = "ampere_bf16_s16816gemm_bf16_128x128_nn", "softmax_warp_forward"

BASE: list[Event] = [
    cpu_op("aten::mm", 0, 50),
    *launched(1, 10, 100, 30, GEMM),
    *launched(2, 20, 150, 30, SOFTMAX),
]
"""An op that launches two kernels of 30 us, 20 us apart."""

TEXT = trace_text(BASE)
OTHER = trace_text([cpu_op("other", 0, 1)])

Figures = Mapping[str, Any]

WHOLE: Figures = {
    "events": 5,
    "rows": 5,
    "gpu_ops": 2,
    "linked": 2,
    "lanes": 2,
    "devices": 1,
    "steps": 0,
    "span_ns": 180_000,
    "busy_ns": 60_000,
    "idle_ns": 20_000,
}
"""The figures of `BASE`, counted by hand. `rows` are events with a duration, `busy_ns` and
`idle_ns` the sums over all devices.
"""

MakesInput = Callable[[Path], Path]
"""Makes a file (or what stands for one) in a folder: its path."""


@dataclass(frozen=True)
class Case:
    """An input: its bytes under `name`, or what makes it where it is no plain file.

    It opens with `notices` by kind and with the figures of `BASE` but for `figures`, or is
    `refused` with these words. `told` stands in the text of the summary, and `untold` nowhere
    in it. `memory` is what is free while it is loaded.
    """

    data: bytes | MakesInput
    notices: Mapping[str, int] = field(default_factory=dict)
    figures: Figures = field(default_factory=dict)
    told: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()
    refused: str = ""
    name: str = "trace.json"
    memory: int | None = None

    def made(self, folder: Path) -> Path:
        if not isinstance(self.data, bytes):
            return self.data(folder)
        path = folder / self.name
        path.write_bytes(self.data)
        return path


def opens(
    data: str | bytes | Sequence[Event] | MakesInput,
    *told: str,
    notices: Mapping[str, int] | None = None,
    untold: tuple[str, ...] = (),
    name: str = "trace.json",
    memory: int | None = None,
    **figures: int | str,
) -> Case:
    """An input that opens: text, bytes, events, or what makes it."""
    made = trace_text(data) if isinstance(data, list) else data
    if isinstance(made, str):
        made = made.encode()
    assert isinstance(made, bytes) or callable(made)
    return Case(made, notices or {}, figures, told, untold, name=name, memory=memory)


def refused(data: str | bytes | MakesInput, why: str, name: str = "trace.json") -> Case:
    """An input that is refused in a line with the words `why`."""
    return Case(data.encode() if isinstance(data, str) else data, refused=why, name=name)


def and_more(*events: Event) -> list[Event]:
    """`BASE`, and other events."""
    return [*BASE, *events]


def changed(number: int, **fields: Any) -> list[Event]:
    """`BASE` with fields of one event changed; those of None are left out."""
    events = list(BASE)
    event = {**events[number], **fields}
    events[number] = {key: value for key, value in event.items() if value is not None}
    return events


def each(change: Callable[[Event], Event]) -> list[Event]:
    """`BASE` with each event changed."""
    return [change(event) for event in BASE]
