"""A comparison as text: cautions, what was compared, the scoreboard, and the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from attntui.analysis.compare.compare import Comparison, Side
from attntui.analysis.compare.metrics import Metric, Unit
from attntui.analysis.compare.rows import RowGroup
from attntui.analysis.compare.units import UnitChoice, UnitKind
from attntui.safe import safe
from attntui.view.tables.change_rows import MATCH_WORDS, role_lines, sorted_groups, title
from attntui.view.words.comparison import METRIC_WORDS, difference, figure, standing, verdict
from attntui.view.words.formats import ABSENT, count, duration, percent
from attntui.view.reports.sections import Column, Section, name_column

LABEL_CELLS = 60


def sections(comparison: Comparison, top: int, sort: str = "delta") -> list[Section]:
    """The comparison of two traces; of the rows the first `top` groups, and the rest summed."""
    return [
        *cautions(comparison),
        _sides(comparison),
        _scoreboard(comparison),
        _rows(comparison, top, sort),
    ]


def cautions(comparison: Comparison) -> list[Section]:
    """A section with what keeps the two from being alike, or none."""
    if not comparison.cautions:
        return []
    rows = tuple(
        (caution.what, safe(caution.a, LABEL_CELLS), safe(caution.b, LABEL_CELLS))
        for caution in comparison.cautions
    )
    columns = (Column("", left=True), name_column("A"), name_column("B"))
    return [Section("Caution: these differ", columns, rows)]


def unit_words(choice: UnitChoice) -> str:
    """The kind of unit with its label, as safe text: `annotation attn_fwd`."""
    label = safe(choice.label, LABEL_CELLS)
    named = choice.kind in (UnitKind.ANNOTATION, UnitKind.STEP)
    return f"{choice.kind.value} {label}" if named else label


def trace_words(side: Side) -> str:
    """A trace's file name without the ends that all of them have, as safe text."""
    name = PurePath(side.subject.trace.path).name
    return safe(name.removesuffix(".gz").removesuffix(".json"))


def place_words(side: Side) -> str:
    """Which of a side's units is shown, and how the GPU time varies over all of them."""
    if len(side.units) == 1:
        return "the only one"
    spread = f"{duration(side.gpu_ns_min)} to {duration(side.gpu_ns_max)}"
    return f"{side.index + 1} of {len(side.units)}, GPU time {spread}"


def backend_words(side: Side) -> str:
    """The backends of the unit's attention calls: `naive x12`; `-` without attention."""
    backends = side.figures.backends
    return ", ".join(n if c == 1 else f"{n} x{c}" for n, c in backends) or ABSENT


def coverage_words(metric: Metric) -> str:
    """How much of the GPU time an estimate covers on each side; empty where all of it."""
    shares = metric.a_share, metric.b_share
    if all(share is None or share == 1 for share in shares):
        return ""
    return f"covers {percent(shares[0])} and {percent(shares[1])} of GPU time"


def _sides(comparison: Comparison) -> Section:
    rows = tuple(
        (
            letter,
            trace_words(side),
            place_words(side),
            count(side.left_out),
        )
        for letter, side in (("A", comparison.a), ("B", comparison.b))
    )
    columns = (
        Column("", left=True),
        name_column("trace"),
        Column("unit", left=True),
        Column("ops in no unit"),
    )
    return Section(f"Compared by {unit_words(comparison.choice)}", columns, rows)


def scoreboard_rows(comparison: Comparison) -> tuple[tuple[str, ...], ...]:
    """A line for each metric: name, A, B, difference, B against A, and what it covers; then
    the attention backends.
    """
    return (
        *(
            (
                METRIC_WORDS[metric.name],
                figure(metric.a, metric.unit),
                figure(metric.b, metric.unit),
                difference(metric.delta, metric.unit),
                verdict(metric),
                coverage_words(metric),
            )
            for metric in comparison.metrics
        ),
        ("attention", backend_words(comparison.a), backend_words(comparison.b), "", "", ""),
    )


def _scoreboard(comparison: Comparison) -> Section:
    rows = scoreboard_rows(comparison)
    columns = (
        Column("", left=True),
        *map(Column, ("A", "B", "difference")),
        Column("B against A", left=True),
        Column("", left=True),
    )
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], tuple(row[:-1] for row in rows)
    return Section("Scoreboard", columns, rows)


_Line = tuple[str, ...]


def _rows(comparison: Comparison, top: int, sort: str) -> Section:
    groups = sorted_groups(comparison.rows, sort)
    shown, rest = groups[:top], groups[top:]
    lines = [line for group in shown for line in _group_lines(group)]
    if rest:
        lines.append(_sum_line(f"{len(rest):,} more", rest))
    lines.append(_sum_line("total", groups))
    headings = ("difference", "A ops", "A time", "B ops", "B time", "rows")
    columns = (*map(Column, headings), Column("match", left=True), name_column("role or op"))
    return Section("What changed, by GPU time", columns, tuple(lines))


def _line(figures: tuple[int, int, int, int], rows: str, match: str, name: str) -> tuple[str, ...]:
    a_ops, a_ns, b_ops, b_ns = figures
    return (
        difference(b_ns - a_ns, Unit.TIME),
        count(a_ops),
        duration(a_ns),
        count(b_ops),
        duration(b_ns),
        rows,
        match,
        name,
    )


def _group_lines(group: RowGroup) -> list[_Line]:
    """A group's line, and under it the roles that one kernel does on the other side."""
    sums = group.a_ops, group.a_gpu_ns, group.b_ops, group.b_gpu_ns
    lines = [_line(sums, count(len(group.rows)), MATCH_WORDS[group.match], title(group.rows[0]))]
    for role in role_lines(group.rows):
        a = (count(role.a_ops), duration(role.a_gpu_ns)) if role.a_ops else ("", "")
        b = (count(role.b_ops), duration(role.b_gpu_ns)) if role.b_ops else ("", "")
        lines.append(("", *a, *b, "", "", f"  of which {role.role}"))
    return lines


def _sum_line(name: str, groups: Sequence[RowGroup]) -> _Line:
    sums = (
        sum(group.a_ops for group in groups),
        sum(group.a_gpu_ns for group in groups),
        sum(group.b_ops for group in groups),
        sum(group.b_gpu_ns for group in groups),
    )
    return _line(sums, count(sum(len(group.rows) for group in groups)), "", name)


def _partly_known(side: Side) -> bool:
    """Whether the HBM bytes are an estimate of a part of the GPU time alone."""
    moved = side.figures.hbm_bytes
    return moved.total is not None and moved.known_ns < side.figures.gpu_ns


def _bytes_words(side: Side) -> str:
    """A unit's estimated HBM bytes, and of how much of its GPU time where not of all."""
    moved = side.figures.hbm_bytes
    text = figure(moved.total, Unit.BYTES)
    return f"{text} of {percent(moved.share(side.figures.gpu_ns))}" if _partly_known(side) else text


_OVERVIEW_KEYS: Mapping[str, Callable[[Side], Any]] = {
    "given": lambda side: 0,
    "name": lambda side: PurePath(side.subject.trace.path).name,
    "gpu": lambda side: side.figures.gpu_ns,
    "cpu": lambda side: side.figures.cpu_ns,
    "ops": lambda side: side.figures.gpu_ops,
    "hbm": lambda side: side.figures.hbm_bytes.total,
    "backend": backend_words,
    "occupancy": lambda side: side.figures.occupancy_pct,
}
OVERVIEW_SORTS = tuple(_OVERVIEW_KEYS)
"""What the table of more than two traces can be sorted by."""


def overview(comparisons: Sequence[Comparison], sort: str = "given") -> list[Section]:
    """All traces against the first: `comparisons` are base against itself, then the others."""
    base = comparisons[0].a
    found = [section for comparison in comparisons for section in _named_cautions(comparison)]
    columns = (
        name_column("trace"),
        Column("backend", left=True),
        *map(Column, ("ops", "GPU time")),
        Column("vs first", left=True),
        *map(Column, ("CPU time", "HBM bytes", "occupancy")),
    )
    sides = sorted_sides([comparison.b for comparison in comparisons], sort)
    rows = tuple(
        (
            trace_words(side),
            backend_words(side),
            count(side.figures.gpu_ops),
            duration(side.figures.gpu_ns),
            "the first" if side is base else standing(base.figures.gpu_ns, side.figures.gpu_ns),
            duration(side.figures.cpu_ns),
            _bytes_words(side),
            figure(side.figures.occupancy_pct, Unit.PERCENT),
        )
        for side in sides
    )
    head = f"Compared by {unit_words(comparisons[0].choice)}, one real unit of each"
    if any(map(_partly_known, sides)):
        head += "; HBM bytes are of the share of GPU time that shapes tell"
    return [*found, Section(head, columns, rows)]


def sorted_sides(sides: Sequence[Side], sort: str) -> list[Side]:
    """Sides in the order of one of `OVERVIEW_SORTS`, small first; absent figures last."""
    key = _OVERVIEW_KEYS[sort]
    known = [side for side in sides if key(side) is not None]
    return [*sorted(known, key=key), *(side for side in sides if key(side) is None)]


def _named_cautions(comparison: Comparison) -> list[Section]:
    name = trace_words(comparison.b)
    return [
        Section(f"Caution: {name} (B) differs from the first (A)", section.columns, section.rows)
        for section in cautions(comparison)
    ]
