"""The time axis: round ticks whose precision follows the zoom."""

from __future__ import annotations

from rich.cells import cell_len

from attntui.safe import Safe
from attntui.view.session.viewport import Viewport

_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns"))
_MIN_CELLS_A_TICK = 16
SHADE = "░"


def tick_step(ns_per_cell: float) -> int:
    """The smallest 1-2-5 step, in ns, that leaves room for a tick's text."""
    least = ns_per_cell * _MIN_CELLS_A_TICK
    step = 1
    while True:
        for factor in (1, 2, 5):
            if step * factor >= least:
                return step * factor
        step *= 10


def tick_text(at: int, step: int) -> str:
    """A time as text, with just the digits that tell one tick from the next."""
    size, unit = next((u for u in _UNITS if abs(at) >= u[0]), _UNITS[-1])
    decimals = 0
    while decimals < 9 and (step * 10**decimals) % size:
        decimals += 1
    whole, rest = divmod(abs(at), size)
    sign = "-" if at < 0 else ""
    if not decimals:
        return f"{sign}{whole} {unit}"
    return f"{sign}{whole}.{rest * 10**decimals // size:0{decimals}d} {unit}"


def axis(viewport: Viewport, width: int, origin: int = 0) -> Safe:
    """One line of `width` cells: a mark and the time since `origin` at each tick."""
    step = tick_step(viewport.span / width)
    line = [" "] * width
    at = -((origin - viewport.t0) // step) * step
    while at + origin < viewport.t1:
        cell = viewport.cell(at + origin, width)
        text = f"╷{tick_text(at, step)}"
        if cell + len(text) <= width:
            line[cell : cell + len(text)] = text
        at += step
    return Safe("".join(line))


def with_range(axis: Safe, first: int, last: int) -> Safe:
    """The axis with the cells from `first` to `last` marked; the ticks' text stays readable."""
    marked = axis[first : last + 1].replace(" ", "━").replace("╷", "┯")
    return Safe(axis[:first] + marked + axis[last + 1 :])


def with_shade(axis: Safe, scope: tuple[int, int]) -> Safe:
    """The axis with what lies outside the cells of the scope shaded; the text stays readable."""
    first, last = scope
    before, after = (
        axis[:first].replace(" ", SHADE),
        axis[max(last + 1, first) :].replace(" ", SHADE),
    )
    return Safe(before + axis[first : max(last + 1, first)] + after)


def with_edges(axis: Safe, left: Safe, right: Safe) -> Safe:
    """The axis with texts at its two ends, where they leave room for one another."""
    width, cells = len(axis), cell_len(left) + cell_len(right)
    if not cells or cells >= width:
        return axis
    return Safe(left + axis[cell_len(left) : width - cell_len(right)] + right)


def minimap(density: Safe, viewport: Viewport, width: int) -> Safe:
    """The whole trace in one line with the viewport in brackets.

    `density` is `width` characters that stand for [low, high).
    """
    whole = viewport.fitted()
    first = min(max(whole.cell(viewport.t0, width), 0), width - 1)
    last = min(max(whole.cell(viewport.t1 - 1, width), first), width - 1)
    line = list(density)
    line[first] = "["
    line[last] = "]"
    return Safe("".join(line))
