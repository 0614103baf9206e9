"""A step, or a stretch of time that is no gap."""

from __future__ import annotations

from collections.abc import Iterator

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.gpu_work import traffic
from attntui.analysis.scope import Range
from attntui.analysis.stretch import idle_by_cause, operations_by_name
from attntui.view.detail.event import event_detail
from attntui.view.detail.items import Item, ScopeTo, heading, item
from attntui.view.session.measured import measure
from attntui.view.session.selection import EventAt
from attntui.view.words.causes import CAUSES
from attntui.view.words.formats import count, counted, duration, percent, size
from attntui.view.words.measured import measured_text

MOST_NAMES = 12


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
    """A stretch of time: how busy the devices were in it, why they were not, what ran."""
    length = selected.end - selected.start
    measured = measure(analysed, selected.start, selected.end)
    items = [
        heading(f"{duration(length)} of time"),
        item("start", duration(selected.start, 9)),
        item("end", duration(selected.end, 9)),
    ]
    for device, share in measured.busy:
        text = f"{duration(share * length)}  {percent(share)}"
        items.append(item("busy", f"{text}  {analysed.labels.device(device)}"))
    items += [
        item("", measured_text(analysed.labels, measured)),
        item("scope", "restrict every table and figure to it", ScopeTo(selected)),
    ]
    return [*items, *_idle(analysed, selected), *_operations(analysed, selected)]


def _idle(analysed: AnalysedTrace, selected: Range) -> Iterator[Item]:
    idle = idle_by_cause(analysed, selected.start, selected.end)
    whole = sum(idle.values())
    if not whole:
        return
    yield heading(f"idle {duration(whole)}, by cause")
    for cause, ns in idle.items():
        mark, words = CAUSES[cause]
        yield item(f" {mark}", f"{duration(ns)}  {percent(ns / whole)}  {words}")


def _operations(analysed: AnalysedTrace, selected: Range) -> Iterator[Item]:
    found = operations_by_name(analysed, selected.start, selected.end)
    if not found:
        return
    yield heading("GPU operations by name")
    for named in found[:MOST_NAMES]:
        times = f" in {count(named.count)}" if named.count > 1 else ""
        text = f"{duration(named.ns)}{times}  {analysed.labels.names[named.name]}"
        yield item("·", text, EventAt(named.longest))
    if len(found) > MOST_NAMES:
        yield item("", f"and {counted(len(found) - MOST_NAMES, 'more name')}")
