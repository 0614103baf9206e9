"""What the command line asks of the screens and reports."""

from __future__ import annotations

from dataclasses import dataclass

PANE_NAMES = (
    *("overview", "kernels", "gaps", "attention", "ops", "steps"),
    *("timeline", "detail"),
)
"""What `--pane` takes: the tables, then the two panes that are none."""

TABLE_PANES = PANE_NAMES[:-2]
"""The panes that are tables."""

TABLE_NAMES = (
    *("devices", "findings", "time", "kernels", "gaps", "attention", "ops", "steps"),
    *("annotations", "regions", "operations", "stream_gaps"),
)
"""What `--csv` takes: the tables of the summary."""

STANDARD_INPUT = "/dev/fd/"
"""Under this name standard input is kept, so that the keyboard is free."""


@dataclass(frozen=True, slots=True)
class Options:
    """Where to open and how to draw; None where nothing was asked.

    `step` is the number in the step's name, `at` a time in ns from the trace's origin,
    `span` how many ns to show round it, or from `start` on, `pane` a pane's name. `scope` and
    `select` are words as `attntui/view/session/spelling.py` has them. `tables` are those on
    screen, the last used first; `sorts` and `filters` a pane each with the column (`-` before
    one that is sorted downwards) or the pattern; `instances` the panes that show them; `tops`
    how many rows a pane has scrolled out of sight; `threshold` the least gap in ns.
    `peak_bandwidth` (bytes/s) and `peak_flops` (FLOP/s) win over the device table. `ascii`
    draws with ASCII alone.
    """

    step: int | None = None
    at: int | None = None
    span: int | None = None
    pane: str | None = None
    start: int | None = None
    scope: str | None = None
    select: str | None = None
    tables: tuple[str, ...] = ()
    sorts: tuple[tuple[str, str], ...] = ()
    filters: tuple[tuple[str, str], ...] = ()
    instances: tuple[str, ...] = ()
    tops: tuple[tuple[str, int], ...] = ()
    threshold: int | None = None
    ascii: bool = False
    peak_bandwidth: float | None = None
    peak_flops: float | None = None
