"""The roofline of a device with its kernels, in text: both axes logarithmic.

A kernel's mark is a letter, A for the one with the most time. A kernel without FLOPs (a
copy, a gather) has no place on the axes, nor one of which the FLOPs or bytes are unknown;
the legend says so. Where two fall on one cell, the legend says which letter stands there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from attntui.analysis.devices import DevicePeaks
from attntui.analysis.kernel_facts import KernelFact
from attntui.safe import ELLIPSIS, Safe, safe
from attntui.view.words.formats import percent, rate, ratio

LEAST_WIDTH, LEAST_HEIGHT = 40, 10
_AXIS_CELLS = 7
"""Cells left of the picture: a rate of up to four digits, and the axis."""


@dataclass(frozen=True, slots=True)
class _Signs:
    slope: str
    flat: str
    axis: str
    corner: str
    tick: str


_UNICODE = _Signs("╱", "─", "│", "└", "┴")
_ASCII = _Signs("/", "-", "|", "+", "+")


@dataclass(frozen=True, slots=True)
class _Mark:
    """A kernel in the picture: FLOPs a byte, FLOP/s; both above zero."""

    letter: str
    intensity: float
    flops: float


@dataclass(frozen=True, slots=True)
class _Scale:
    """A logarithmic axis over `cells` cells, in powers of ten from `low` to `high`."""

    low: float
    high: float
    cells: int

    def cell(self, value: float) -> int:
        """The cell of a value; outside the axis the number lies outside too."""
        part = (math.log10(value) - self.low) / (self.high - self.low)
        return math.floor(part * self.cells)

    def value(self, cell: float) -> float:
        """The value at a place along the axis, counted in cells."""
        return float(10 ** (self.low + cell / self.cells * (self.high - self.low)))

    def decades(self) -> range:
        return range(math.ceil(self.low), math.floor(self.high) + 1)


@dataclass(frozen=True, slots=True)
class Entry:
    """A kernel of the legend: its place among those given, what bounds it, its line, and line
    and cell of its letter in the picture (None where it has none of its own).
    """

    kernel: int
    bound: str | None
    line: int
    dot: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Roofline:
    """A drawn roofline: its lines, and the kernels that the legend lists."""

    lines: tuple[Safe, ...]
    entries: tuple[Entry, ...] = ()


Named = Sequence[tuple[Safe, KernelFact]]
"""Kernels with what they are called."""


def roofline_plot(
    kernels: Named,
    peaks: DevicePeaks | None,
    width: int,
    height: int,
    *,
    ascii_only: bool = False,
) -> Roofline:
    """`height` lines of at most `width` cells: the roofs, a letter a kernel, and a legend.

    `kernels` are ranked by time here, whatever their order. Where the picture does not fit,
    or no kernel has known work, one line says so and the rest are empty.
    """
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        text = f"roofline needs {LEAST_WIDTH}x{LEAST_HEIGHT} cells"
        lines = [text, *[""] * (height - 1)][: max(height, 0)]
        return Roofline(_shown(lines, width, ascii_only))
    by_time = sorted(range(len(kernels)), key=lambda number: -kernels[number][1].gpu_ns)
    ranked = [kernels[number] for number in by_time]
    known = [number for number in by_time if _is_known(kernels[number][1])]
    if not known:
        text = "no kernel's work is known: record_shapes=True has the roofline drawn"
        if not kernels:
            text = "no GPU operation here: there is nothing to draw under the roofs"
        return Roofline(_shown([text, *[""] * (height - 1)], width, ascii_only))
    chosen = known[: min(len(ascii_uppercase), max(2, (height - 4) // 2))]
    listed = [kernels[number] for number in chosen]
    facts = [fact for _, fact in listed]
    marks = _marks(facts)
    signs = _ASCII if ascii_only else _UNICODE
    picture = height - len(listed) - 4
    tops = _tops(facts, peaks)
    grid = _Picture(marks, peaks, tops, width - _AXIS_CELLS - 1, picture, signs)
    whole = sum(fact.gpu_ns for _, fact in ranked)
    lines = [
        _heading(peaks, tops),
        *grid.lines(),
        *(
            _entry(letter, *kernel, whole, grid)
            for letter, kernel in zip(ascii_uppercase, listed, strict=False)
        ),
        _rest(ranked, listed, whole),
    ]
    first = len(lines) - 1 - len(listed)
    entries = [
        Entry(number, fact.bound.kind, first + at, grid.dots.get(ascii_uppercase[at]))
        for at, (number, fact) in enumerate(zip(chosen, facts, strict=True))
    ]
    return Roofline(_shown(lines, width, ascii_only), tuple(entries))


def _is_known(fact: KernelFact) -> bool:
    return fact.bound.tflops is not None or bool(fact.bound.gbps)


def _shown(lines: Sequence[str], width: int, ascii_only: bool) -> tuple[Safe, ...]:
    """The lines cut to a width, harmless, the cut marked by a sign that may be shown."""
    cut = [safe(line.rstrip(), max(width, 0)) for line in lines]
    return tuple(Safe(line.replace(ELLIPSIS, "~")) if ascii_only else line for line in cut)


def _marks(listed: Sequence[KernelFact]) -> tuple[_Mark, ...]:
    found = []
    for letter, fact in zip(ascii_uppercase, listed, strict=False):
        intensity, tflops = fact.bound.intensity, fact.bound.tflops
        if intensity and tflops:
            found.append(_Mark(letter, intensity, tflops * 1e12))
    return tuple(found)


def _tops(listed: Sequence[KernelFact], peaks: DevicePeaks | None) -> dict[float, str]:
    """The compute roofs that apply to the kernels listed, and what each is of."""
    found: dict[float, str] = {}
    for fact in listed:
        tensor = fact.decoded.tensor_cores
        top = peaks.flops(fact.dtype, tensor) if peaks and fact.bound.tflops else None
        if top is not None:
            found.setdefault(top, "fp32" if tensor is False else fact.dtype or "?")
    return found


def _heading(peaks: DevicePeaks | None, tops: dict[float, str]) -> str:
    if peaks is None:
        return "FLOP/s over FLOPs a byte; this device's roofs are not known"
    roofs: list[str] = [rate(peaks.hbm, "B/s")]
    roofs += [f"{rate(top, 'FLOP/s')} {word}" for top, word in sorted(tops.items())]
    return f"FLOP/s over FLOPs a byte; roofs {', '.join(roofs)}: {peaks.source}"


class _Picture:
    """The cells of the picture: roofs first, marks over them, the first letter on top."""

    def __init__(
        self,
        marks: Sequence[_Mark],
        peaks: DevicePeaks | None,
        tops: dict[float, str],
        width: int,
        height: int,
        signs: _Signs,
    ) -> None:
        self.signs = signs
        self.x, self.y = _axes(marks, peaks, tops, width, height)
        self.cells = [[" "] * width for _ in range(height)]
        self.behind: dict[str, str] = {}
        self.dots: dict[str, tuple[int, int]] = {}
        """Line and cell of each letter among all lines, of which the first is the heading."""
        if peaks is not None:
            self._draw_roofs(peaks.hbm, sorted(tops))
        self._draw_marks(marks)

    def _put(self, column: int, row: int, sign: str) -> None:
        """Draw a cell; `row` counts from the bottom. What lies outside is left out."""
        if 0 <= row < len(self.cells) and 0 <= column < len(self.cells[0]):
            self.cells[-1 - row][column] = sign

    def _draw_roofs(self, bandwidth: float, tops: Sequence[float]) -> None:
        highest = tops[-1] if tops else math.inf
        for column in range(self.x.cells):
            low, high = (min(bandwidth * self.x.value(column + step), highest) for step in (0, 1))
            if low < highest:
                # A slope steeper than a row a column takes several rows of it.
                first, last = self.y.cell(low), self.y.cell(high)
                for row in range(first, max(first + 1, last)):
                    self._put(column, row, self.signs.slope)
            for top in tops:
                if bandwidth * self.x.value(column + 0.5) >= top:
                    self._put(column, self.y.cell(top), self.signs.flat)

    def _draw_marks(self, marks: Sequence[_Mark]) -> None:
        shown: dict[tuple[int, int], str] = {}
        for mark in marks:
            place = self.x.cell(mark.intensity), self.y.cell(mark.flops)
            if place in shown:
                self.behind[mark.letter] = shown[place]
            else:
                shown[place] = mark.letter
                self._put(*place, mark.letter)
                line = len(self.cells) - place[1]
                self.dots[mark.letter] = line, _AXIS_CELLS + 1 + place[0]

    def lines(self) -> list[str]:
        """The picture with its axes: the rows, the axis below, its labels."""
        labels = {self.y.cell(10.0**power): power for power in self.y.decades()}
        height = len(self.cells)
        drawn = []
        for index, row in enumerate(self.cells):
            power = labels.get(height - 1 - index)
            label = "" if power is None else _power(power)
            drawn.append(f"{label:>{_AXIS_CELLS - 1}} {self.signs.axis}{''.join(row)}")
        ticks = [self.signs.flat] * self.x.cells
        numbers = [" "] * self.x.cells
        for power in self.x.decades():
            at = min(self.x.cell(10.0**power), self.x.cells - 1)
            ticks[at] = self.signs.tick
            text = f"{10.0**power:g}"
            if at + len(text) <= self.x.cells:
                numbers[at : at + len(text)] = text
        left = " " * _AXIS_CELLS
        return [*drawn, f"{left}{self.signs.corner}{''.join(ticks)}", f"{left} {''.join(numbers)}"]


def _power(power: int) -> str:
    """A power of ten of FLOP/s: `10 T`."""
    return rate(10.0**power, "").replace(".00", "").replace(".0", "").strip()


def _axes(
    marks: Sequence[_Mark],
    peaks: DevicePeaks | None,
    tops: dict[float, str],
    width: int,
    height: int,
) -> tuple[_Scale, _Scale]:
    """Axes that hold every mark, every roof, and the ridges where roofs meet."""
    xs = [mark.intensity for mark in marks]
    ys = [mark.flops for mark in marks] + list(tops)
    if peaks is not None:
        xs += [top / peaks.hbm for top in tops]
    x_low, x_high = _decades(xs or [1.0])
    y_low, y_high = _decades(ys or [1e12])
    return _Scale(x_low, x_high, width), _Scale(y_low, y_high, height)


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Half a power of ten of room beside the values, at least two powers in all."""
    low, high = math.log10(min(values)) - 0.5, math.log10(max(values)) + 0.5
    return low, max(high, low + 2)


def _entry(letter: str, name: Safe, fact: KernelFact, whole: int, picture: _Picture) -> str:
    bound = fact.bound
    tflops = None if bound.tflops is None else bound.tflops * 1e12
    gbps = None if bound.gbps is None else bound.gbps * 1e9
    of_roof = "" if bound.share is None else f"{percent(bound.share)} of roof"
    where = ""
    if not (bound.intensity and bound.tflops):
        where = "no FLOPs" if bound.tflops == 0 else "work half known"
    elif letter in picture.behind:
        where = f"at {picture.behind[letter]}"
    figures = (
        f"{letter} {percent(ratio(fact.gpu_ns, whole)):>7} {rate(tflops, 'FLOP/s'):>12} "
        f"{rate(gbps, 'B/s'):>9} {of_roof:>15}"
    )
    words = [bound.kind or "", where, name]
    return f"{figures}  {', '.join(word for word in words if word)}"


def _rest(ranked: Named, listed: Named, whole: int) -> str:
    names = len(ranked) - len(listed)
    if not names:
        return ""
    left = whole - sum(fact.gpu_ns for _, fact in listed)
    return f"{names:,} other names, {percent(ratio(left, whole))} of the time, are not shown"
