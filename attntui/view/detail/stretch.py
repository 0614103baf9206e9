"""A step, or a stretch of time that is no gap."""

from __future__ import annotations

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.kernel_facts import traffic
from attntui.analysis.scope import Range
from attntui.view.detail.event import event_detail
from attntui.view.detail.items import Item, heading, item
from attntui.view.words.formats import count, duration, percent, size


def step_detail(analysed: AnalysedTrace, index: int) -> list[Item]:
    """A step's time on the host and the GPU, then all of its annotation."""
    steps, trace = analysed.steps, analysed.trace
    owned = steps.owned(index)
    moved = traffic(analysed.work, owned)
    told = f"{size(moved.moved)}, known of {percent(moved.coverage)} of the GPU time"
    items = [
        heading(analysed.labels.event(int(steps.rows[index]))),
        item("host", duration(int(steps.duration[index]))),
        item("GPU", f"{duration(int(trace.dur[owned].sum()))} in {count(len(owned))} operations"),
        item("HBM est.", told),
    ]
    if steps.outlier[index]:
        items.append(item("", "an outlier among the steps"))
    return [*items, *event_detail(analysed, int(steps.rows[index]))[1:]]


def range_detail(analysed: AnalysedTrace, selected: Range) -> list[Item]:
    """A stretch of time."""
    return [
        heading(f"{duration(selected.end - selected.start)} of time"),
        item("start", duration(selected.start, 9)),
        item("end", duration(selected.end, 9)),
    ]
