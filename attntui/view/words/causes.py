"""Causes of gaps in words and in letters."""

from __future__ import annotations

from attntui.analysis.gap_causes import Cause, CauseStretch
from attntui.safe import Safe

SPLIT_CELLS = 32

CAUSES: dict[Cause, tuple[str, str]] = {
    Cause.SYNC: ("S", "the host waited in a synchronisation"),
    Cause.COPY: ("C", "the host waited for a copy"),
    Cause.MEMORY: ("M", "allocating or freeing memory"),
    Cause.MODULE_LOAD: ("O", "loading or compiling code"),
    Cause.DATA_LOADING: ("D", "loading data"),
    Cause.RUNTIME: ("R", "in another runtime call"),
    Cause.DISPATCH: ("d", "in a CPU op, before the launch"),
    Cause.PYTHON: ("p", "in Python"),
    Cause.UNRECORDED: (".", "in nothing that was recorded"),
    Cause.LAUNCH_CALL: ("L", "inside the launch call"),
    Cause.QUEUED: ("q", "launched, not yet begun"),
    Cause.WAIT_EVENT: ("W", "waiting for another stream"),
    Cause.GRAPH: ("G", "between the nodes of a CUDA graph"),
    Cause.UNKNOWN: ("?", "no launch record"),
}
"""The letter of each cause, and what happened then."""


def split_bar(parts: tuple[CauseStretch, ...], width: int = SPLIT_CELLS) -> Safe:
    """A gap in time as one line: each cell bears the letter of what it was spent on."""
    start, span = parts[0].start, parts[-1].end - parts[0].start
    cells = []
    for cell in range(width):
        at = start + (2 * cell + 1) * span // (2 * width)
        cells.append(next(CAUSES[p.cause][0] for p in parts if at < p.end))
    return Safe("".join(cells))
