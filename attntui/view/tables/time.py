"""Where the devices' time went: the leaves of the slice's time tree."""

from __future__ import annotations

from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.view.tables.model import Place, Table, computed, every_row, shares, texts, times

REPORTED = ("label", "trigger", "ns", "share")


def time_table(part: Slice) -> Table:
    """Busy time by kind of work, idle time by cause and by what had drained the queue."""
    leaves = part.time_tree
    labels = [safe(f"{'busy' if leaf.busy else 'idle'}: {leaf.word}") for leaf in leaves]
    triggers = [None if leaf.trigger is None else safe(leaf.trigger.word) for leaf in leaves]
    return Table(
        (
            texts("label", "time", labels, Place(None)),
            texts("trigger", "after", triggers, Place(12)),
            times("ns", "ns", [leaf.ns for leaf in leaves], Place(9)),
            shares("share", "%", [leaf.ns / part.span_ns for leaf in leaves], Place(8)),
            computed("branch", lambda row: "busy" if leaves[row].busy else "idle"),
            computed("what", lambda row: leaves[row].word),
        ),
        labels,
        every_row(labels),
        sort="ns",
        empty=Safe("no GPU operation"),
    )
