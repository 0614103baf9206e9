"""What the command line asks of the screens and reports."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from attntui.extent import WHOLE, Extent

PANE_NAMES = (
    *("overview", "kernels", "gaps", "attention", "ops", "steps"),
    *("timeline", "detail"),
)
"""What `--pane` takes: the tables, then the two panes that are none."""

TABLE_PANES = PANE_NAMES[:-2]
"""The panes that are tables."""

COMPARE_PANES = ("rows", "scoreboard", "left", "right")
"""What `--pane` takes where two traces are compared: the tables, then the timelines."""

COMPARE_TABLES = COMPARE_PANES[:-2]

TABLE_NAMES = (
    *("devices", "findings", "time", "kernels", "gaps", "attention", "ops", "steps"),
    *("annotations", "regions", "operations", "stream_gaps"),
)
"""What `--csv` takes: the tables of the summary."""

STANDARD_INPUT = "/dev/fd/"
"""Under this name standard input is kept, so that the keyboard is free."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one timeline opens; None where nothing was asked.

    Of a trace alone times are in ns from its origin, of a compared one from the beginning of
    its unit. `span` is how many ns to show round `at`, or from `start` on; `select` and `lanes`
    are words as `attntui/view/session/spelling.py` has them; `threshold` is the least gap in ns.
    """

    at: int | None = None
    start: int | None = None
    span: int | None = None
    select: str | None = None
    threshold: int | None = None
    lanes: str | None = None


@dataclass(frozen=True, slots=True)
class Options(Spot):
    """Where to open and how to draw; None where nothing was asked.

    `step` is the number in the step's name, `pane` a pane's name, `scope` a word as `select` is.
    What a `Spot` has is, of two traces, the first's; `other` is the second's.
    `tables` are those on screen, the last used first; `sorts` and `filters` a pane each with the
    column (`-` before one that is sorted downwards) or the pattern; `instances` the panes that
    show them; `tops` how many rows a pane has scrolled out of sight, `rows` how many are above
    its cursor. Of two traces `unit` is what is compared, as `attntui diff --unit` has it, `pair`
    which of A's and of B's, from 0; `untied` lets the timelines move alone, `full_width` scales
    each unit to the screen. `maximised` shows the pane alone. `peak_bandwidth` (bytes/s) and
    `peak_flops` (FLOP/s) win over the device table. `ascii` draws with ASCII alone, `slow`
    draws fewer frames and nothing that moves by itself. `extent` says which part of a trace is
    read. Without `cache` nothing is taken from what was kept of a trace, nor kept. `fresh` leaves
    aside where a trace was left the last time.
    """

    step: int | None = None
    pane: str | None = None
    scope: str | None = None
    tables: tuple[str, ...] = ()
    sorts: tuple[tuple[str, str], ...] = ()
    filters: tuple[tuple[str, str], ...] = ()
    instances: tuple[str, ...] = ()
    tops: tuple[tuple[str, int], ...] = ()
    rows: tuple[tuple[str, int], ...] = ()
    other: Spot = Spot()
    unit: str | None = None
    pair: tuple[int, int] | None = None
    untied: bool = False
    full_width: bool = False
    maximised: bool = False
    ascii: bool = False
    slow: bool = False
    peak_bandwidth: float | None = None
    peak_flops: float | None = None
    extent: Extent = WHOLE
    cache: bool = True
    fresh: bool = False

    @property
    def drawing(self) -> Options:
        """How to draw and how much to read, whichever trace is opened and wherever."""
        return self.shown_at(Options())

    def shown_at(self, view: Options) -> Options:
        """A view, drawn and read as these options say."""
        return replace(
            view,
            ascii=self.ascii,
            slow=self.slow,
            peak_bandwidth=self.peak_bandwidth,
            peak_flops=self.peak_flops,
            extent=self.extent,
            cache=self.cache,
            fresh=self.fresh,
        )

    def of_panes(self, panes: Collection[str]) -> Options:
        """Without what is asked of panes that are not among these."""
        return replace(
            self,
            pane=self.pane if self.pane in panes else None,
            tables=tuple(pane for pane in self.tables if pane in panes),
            sorts=tuple(of for of in self.sorts if of[0] in panes),
            filters=tuple(of for of in self.filters if of[0] in panes),
            instances=tuple(pane for pane in self.instances if pane in panes),
            tops=tuple(of for of in self.tops if of[0] in panes),
            rows=tuple(of for of in self.rows if of[0] in panes),
        )
