"""The ops pane as a table."""

from __future__ import annotations

import numpy as np

from attntui.analysis.self_time import OpTable, SelfPart
from attntui.view.document import Document
from attntui.view.words.formats import count, duration
from attntui.view.tables.kernels import event_target
from attntui.view.tables.order import Column, Table, name_keys

PART_MARKS = {
    SelfPart.LAUNCH: ("L", "launch"),
    SelfPart.SYNC: ("S", "wait"),
    SelfPart.MEMORY: ("M", "memory"),
    SelfPart.MODULE_LOAD: ("O", "code loading"),
    SelfPart.RUNTIME: ("R", "runtime"),
    SelfPart.DISPATCH: ("d", "dispatch"),
}
SPLIT_CELLS = 10


def part_bar(split: list[int], width: int = SPLIT_CELLS) -> str:
    """Own time by part in `width` letters, largest remainders first, so that they add up."""
    whole = sum(split)
    if not whole:
        return " " * width
    exact = [width * part / whole for part in split]
    cells = [int(share) for share in exact]
    for index in sorted(range(len(split)), key=lambda i: cells[i] - exact[i])[: width - sum(cells)]:
        cells[index] += 1
    return "".join(mark * n for (mark, _), n in zip(PART_MARKS.values(), cells, strict=True))


def ops_table(document: Document, ops: OpTable) -> Table:
    """CPU ops and annotations by name: own time and what it went into, GPU time launched."""
    names = [document.short[i] for i in ops.name.tolist()]
    rows = np.arange(len(ops), dtype=np.int64)
    fat = [document.analyses.fat.get(i) for i in ops.name.tolist()]

    def fat_text(row: int) -> str:
        kind = fat[row]
        return "" if kind is None else kind.name.lower().replace("_", " ")

    columns = (
        Column("own", lambda row: duration(int(ops.self_ns[row])), ops.self_ns, 9),
        Column(
            "spent on",
            lambda row: part_bar(ops.split[row].tolist()),
            ops.split[:, SelfPart.LAUNCH] / np.maximum(ops.self_ns, 1),
            SPLIT_CELLS,
            right=False,
            priority=1,
        ),
        Column(
            "fat bar",
            fat_text,
            np.array([-1 if kind is None else int(kind) for kind in fat], np.int64),
            15,
            right=False,
            priority=2,
        ),
        Column("total", lambda row: duration(int(ops.total_ns[row])), ops.total_ns, 9, priority=3),
        Column("count", lambda row: count(int(ops.count[row])), ops.count, 7, priority=3),
        Column("GPU", lambda row: duration(int(ops.gpu_ns[row])), ops.gpu_ns, 9),
        Column("GPU ops", lambda row: count(int(ops.gpu_ops[row])), ops.gpu_ops, 8, priority=4),
        Column(
            "op or annotation",
            lambda row: document.short[int(ops.name[row])],
            name_keys(names, rows),
            None,
            right=False,
        ),
    )
    return Table(
        columns,
        [document.words[i] for i in ops.name.tolist()],
        rows,
        lambda row: event_target(document, int(ops.longest[row])),
        empty="no CPU ops recorded: profile with ProfilerActivity.CPU",
    )
