"""CPU ops and annotations by name: self time and what it went into, GPU time launched."""

from __future__ import annotations

from attntui.analysis.recorded import host_recorded
from attntui.analysis.self_time import SelfPart
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.view.session.selection import EventAt, Selection, event_of
from attntui.view.tables.model import (
    Place,
    Table,
    computed,
    data,
    drawn,
    every_row,
    figures,
    first_row,
    texts,
    times,
)

PART_MARKS: dict[SelfPart, tuple[str, str]] = {
    SelfPart.LAUNCH: ("L", "launch"),
    SelfPart.SYNC: ("S", "wait"),
    SelfPart.MEMORY: ("M", "memory"),
    SelfPart.MODULE_LOAD: ("O", "code loading"),
    SelfPart.RUNTIME: ("R", "runtime"),
    SelfPart.DISPATCH: ("d", "dispatch"),
}
"""The letter of each part of the self time, and what it is called."""

SPLIT_CELLS = 10
REPORTED = ("self_ns", "fat_bar", "total_ns", "count", "gpu_ns", "gpu_ops", "label")


def part_bar(split: list[int], width: int = SPLIT_CELLS) -> Safe:
    """Self time by part in `width` letters, largest remainders first, so that they add up."""
    whole = sum(split)
    if not whole:
        return Safe(" " * width)
    exact = [width * part / whole for part in split]
    cells = [int(share) for share in exact]
    for index in sorted(range(len(split)), key=lambda i: cells[i] - exact[i])[: width - sum(cells)]:
        cells[index] += 1
    marks = (mark for mark, _ in PART_MARKS.values())
    return Safe("".join(mark * n for mark, n in zip(marks, cells, strict=True)))


def ops_table(part: Slice) -> Table:
    """One row a name."""
    ops, labels = part.ops, part.analysed.labels
    ids = ops.name.tolist()
    fat = [part.analysed.fat.get(i) for i in ids]
    kinds = [None if kind is None else kind.name.lower() for kind in fat]

    def row_of(selected: Selection) -> int | None:
        event = event_of(part.analysed, selected)
        return None if event is None else first_row(ops.name == part.trace.name[event])

    def split(row: int) -> dict[str, int]:
        return dict(zip((p.name.lower() for p in SelfPart), ops.split[row].tolist(), strict=True))

    columns = (
        times("self_ns", "self", ops.self_ns, Place(9)),
        drawn(
            "spent on",
            lambda row: part_bar(ops.split[row].tolist()),
            ops.split[:, SelfPart.LAUNCH] / ops.self_ns.clip(1),
            Place(SPLIT_CELLS, priority=1),
        ),
        texts(
            "fat_bar",
            "fat bar",
            [None if kind is None else safe(kind.replace("_", " ")) for kind in kinds],
            Place(15, priority=2),
            values=kinds,
            absent=Safe(""),
        ),
        times("total_ns", "total", ops.total_ns, Place(9, priority=3)),
        figures("count", "count", ops.count, Place(7, priority=3)),
        times("gpu_ns", "GPU", ops.gpu_ns, Place(9)),
        figures("gpu_ops", "GPU ops", ops.gpu_ops, Place(8, priority=4)),
        texts("label", "op or annotation", [labels.names[i] for i in ids], Place(None)),
        data("name", [part.trace.names[i] for i in ids]),
        computed("split_ns", split),
    )
    return Table(
        columns,
        [labels.words[i] for i in ids],
        every_row(ids),
        sort="self_ns",
        target=lambda row: EventAt(int(ops.longest[row])),
        row_of=row_of,
        empty=Safe(
            "no CPU op in this scope"
            if host_recorded(part.trace)
            else "no CPU side recorded: profile with ProfilerActivity.CPU"
        ),
    )
