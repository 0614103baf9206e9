"""What is known of a gap: its length, why, and what stands round it."""

from __future__ import annotations

from attntui.analysis.gap_causes import Cause, cause_stretches
from attntui.analysis.gap_list import GapList
from attntui.analysis.slice import Slice
from attntui.trace.model import ABSENT
from attntui.view.detail.event import around
from attntui.view.detail.items import Item, heading, item
from attntui.view.session.selection import EventAt, GapAt
from attntui.view.words.causes import CAUSES, split_bar
from attntui.view.words.formats import duration, percent


def gap_detail(part: Slice, gap: GapAt) -> list[Item]:
    """The lines about a gap. One that the slice does not have is told of the whole trace;
    where that has none such either (two scopes have different gaps), just its length.
    """
    found = part.find_gap(gap.device, gap.stream, gap.start, gap.end)
    if found is None:
        return [heading(f"gap of {duration(gap.end - gap.start)}, not one in this scope")]
    return _known(part, *found)


def _known(part: Slice, gaps: GapList, number: int) -> list[Item]:
    trace, labels, causes = part.trace, part.analysed.labels, gaps.causes
    length = int(gaps.length[number])
    before, after = int(gaps.before[number]), int(gaps.after[number])
    items = [
        heading(f"gap of {duration(length)} on {gaps.place(number)}"),
        item("cause", gaps.label(number)),
        item("", split_bar(cause_stretches(part.analysed.finder, causes, number))),
    ]
    split = {cause: int(causes.split[number, cause]) for cause in Cause}
    for cause, ns in sorted(split.items(), key=lambda pair: -pair[1]):
        if ns:
            mark, words = CAUSES[cause]
            items.append(item(f" {mark}", f"{duration(ns)}  {percent(ns / length)}  {words}"))
    for label, row in (
        ("drained by", int(causes.trigger_row[number])),
        ("running", int(causes.running[number])),
    ):
        if row != ABSENT:
            items.append(item(label, labels.event(row), EventAt(row)))
    items += [
        item("start", duration(int(gaps.start[number]), 9)),
        item("before", labels.event(before), EventAt(before)),
        item("after", labels.event(after), EventAt(after)),
    ]
    launch = int(causes.launch[number])
    if launch == ABSENT:
        return [*items, item("launch", "no launch record for the operation after")]
    delay = int(trace.start[launch]) - int(gaps.start[number])
    when = f"{duration(abs(delay))} {'after' if delay >= 0 else 'before'} the gap began"
    items.append(item("launch", f"{labels.event(launch)}, {when}", EventAt(launch)))
    return [*items, *around(part.analysed, after)]
