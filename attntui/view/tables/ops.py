"""CPU ops and annotations by name: self time and what it went into, GPU time launched; what
is inside them below each.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from attntui.analysis.recorded import host_recorded, recorded_by
from attntui.analysis.self_time import OpTable, SelfPart, op_table
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.trace.model import I64
from attntui.view.session.selection import EventAt, Selection, event_of
from attntui.view.tables.model import (
    Place,
    Table,
    computed,
    data,
    drawn,
    figures,
    texts,
    times,
)

Path = tuple[int, ...]
"""Name ids from an op of the table down to one inside it."""

PART_MARKS: dict[SelfPart, tuple[str, str]] = {
    SelfPart.LAUNCH: ("L", "launch"),
    SelfPart.SYNC: ("S", "wait"),
    SelfPart.MEMORY: ("M", "memory"),
    SelfPart.MODULE_LOAD: ("O", "code loading"),
    SelfPart.RUNTIME: ("R", "runtime"),
    SelfPart.DISPATCH: ("d", "dispatch"),
}
"""The letter of each part of the self time, and what it is called."""

AWAITED = "A"
"""The letter of the time in which an op awaits autograd's thread: none of its self time."""

AWAITS = Safe("awaits autograd")
SPLIT_CELLS = 10
REPORTED = ("self_ns", "fat_bar", "total_ns", "count", "gpu_ns", "gpu_ops", "label")


def part_bar(split: list[int], awaited: int = 0, width: int = SPLIT_CELLS) -> Safe:
    """Self time by part, and the time awaited, in `width` letters, largest remainders first,
    so that they add up.
    """
    parts = [*split, awaited]
    whole = sum(parts)
    if not whole:
        return Safe(" " * width)
    exact = [width * part / whole for part in parts]
    cells = [int(share) for share in exact]
    for index in sorted(range(len(parts)), key=lambda i: cells[i] - exact[i])[: width - sum(cells)]:
        cells[index] += 1
    marks = (*(mark for mark, _ in PART_MARKS.values()), AWAITED)
    return Safe("".join(mark * n for mark, n in zip(marks, cells, strict=True)))


def _lines(part: Slice, opened: Collection[Path]) -> Iterator[tuple[Path, OpTable, int]]:
    """The ops by name, below each opened one those directly inside it, and so on."""

    def below(path: Path, table: OpTable) -> Iterator[tuple[Path, OpTable, int]]:
        for index, name in enumerate(table.name.tolist()):
            here = (*path, name)
            yield here, table, index
            if here in opened:
                cpu = part.analysed.cpu
                yield from below(here, op_table(cpu, cpu.inner(table.instances(index))))

    return below((), part.ops)


def ops_table(part: Slice, opened: Collection[Path] = ()) -> Table:
    """One row a name, and below those of `opened` one for each name inside."""
    lines, analysed = list(_lines(part, opened)), part.analysed
    labels = analysed.labels
    paths = [path for path, _, _ in lines]
    ids = [path[-1] for path in paths]
    tops = {path[0]: row for row, path in enumerate(paths) if len(path) == 1}
    shown = [labels.names[i] for i in ids]
    fat = [analysed.fat.get(i) for i in ids]
    kinds = [None if kind is None else kind.name.lower() for kind in fat]
    self_ns, total_ns, awaited = (
        _figures([getattr(table, key)[index] for _, table, index in lines])
        for key in ("self_ns", "total_ns", "awaited_ns")
    )
    count, gpu_ns, gpu_ops, longest = (
        _figures([getattr(table, key)[index] for _, table, index in lines])
        for key in ("count", "gpu_ns", "gpu_ops", "longest")
    )

    def row_of(selected: Selection) -> int | None:
        event = event_of(analysed, selected)
        return None if event is None else tops.get(int(part.trace.name[event]))

    def split_at(row: int) -> list[int]:
        _, table, index = lines[row]
        found: list[int] = table.split[index].tolist()
        return found

    def label(row: int) -> Safe:
        path, table, index = lines[row]
        mark = " "
        if analysed.with_inner[table.instances(index)].any():
            mark = "▾" if path in opened else "▸"
        return safe(f"{'  ' * (len(path) - 1)}{mark} {shown[row]}")

    def why_fat(row: int) -> Safe | None:
        if awaited[row] > self_ns[row]:
            return AWAITS
        kind = kinds[row]
        return None if kind is None else safe(kind.replace("_", " "))

    launch = [split_at(row)[SelfPart.LAUNCH] for row in range(len(lines))]
    columns = (
        times("self_ns", "self", self_ns, Place(9)),
        drawn(
            "spent on",
            lambda row: part_bar(split_at(row), int(awaited[row])),
            np.array(launch, np.int64) / self_ns.clip(1),
            Place(SPLIT_CELLS, priority=1),
        ),
        texts(
            "fat_bar",
            "fat bar",
            [why_fat(row) for row in range(len(lines))],
            Place(15, priority=2),
            values=kinds,
            absent=Safe(""),
        ),
        times("total_ns", "total", total_ns, Place(9, priority=3)),
        figures("count", "count", count, Place(7, priority=3)),
        times("gpu_ns", "GPU", gpu_ns, Place(9)),
        figures("gpu_ops", "GPU ops", gpu_ops, Place(8, priority=4)),
        replace(texts("label", "op or annotation", shown, Place(None)), text=label),
        times("awaited_ns", "awaited", awaited),
        data("name", [part.trace.names[i] for i in ids]),
        computed(
            "split_ns",
            lambda row: dict(zip((p.name.lower() for p in SelfPart), split_at(row), strict=True)),
        ),
    )
    roots = [path[0] for path in paths]
    return Table(
        columns,
        labels.words,
        np.array(roots, np.int64),
        sort="self_ns",
        target=lambda row: EventAt(int(longest[row])),
        row_of=row_of,
        empty=_no_op(part),
        paths=paths,
    )


def _figures(values: list[int]) -> I64:
    return np.array(values, np.int64)


def _no_op(part: Slice) -> Safe:
    """Why no op is shown, and what would show some."""
    if host_recorded(part.trace):
        return Safe("no CPU op in this scope: S widens it")
    if recorded_by(part.trace) is not None:
        return Safe("no CPU op: not a trace of PyTorch's profiler")
    return Safe("no CPU side recorded: profile with ProfilerActivity.CPU")
