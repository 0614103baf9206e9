"""What each device did: span, busy and idle time, gaps; and where its idle time went."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attntui.analysis.gap_causes import GapCauses, Trigger
from attntui.analysis.idle import DeviceIdle
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.trace.model import ABSENT
from attntui.view.tables.model import (
    Column,
    Table,
    computed,
    data,
    every_row,
    figures,
    shares,
    texts,
    times,
)
from attntui.view.words.formats import ratio

LONG_GAP_NS = 10_000
"""What `gaps_over_10us` counts: gaps longer than this."""

REPORTED = (
    *("label", "gpu_ops", "span_ns", "busy_ns", "busy_share", "idle_ns", "gaps"),
    *("gaps_over_10us", "longest_gap_ns"),
)


def devices_table(part: Slice) -> Table:
    """One row a device; `launched` is the same over the operations with a launch alone."""
    found, analysed = part.devices, part.analysed
    labels = [analysed.labels.device(device.device) for device in found]
    names = [analysed.labels.name_of_device(device.device) for device in found]
    launched = [analysed.launched.get(device.device) for device in found]
    columns = (
        texts("label", "device", labels),
        *_figures(found),
        data("device", [None if d.number == ABSENT else d.number for d in found]),
        data("name", names),
        data("launched", [_launched(device) for device in launched]),
        computed("idle_by_cause_ns", lambda row: _by_cause(part.causes[row])),
        computed("idle_by_trigger_ns", lambda row: _by_trigger(part.causes[row])),
    )
    return Table(columns, labels, every_row(labels), sort="label", descending=False)


def launched_table(part: Slice) -> Table:
    """The devices over their operations with a launch alone, where that is not all of them."""
    found = [
        own
        for device in part.devices
        if (own := part.analysed.launched.get(device.device)) is not None
        and len(own.rows) < len(device.rows)
    ]
    labels = [safe(f"{part.analysed.labels.device(d.device)} launched") for d in found]
    columns = (texts("label", "device", labels), *_figures(found))
    return Table(columns, labels, every_row(labels), sort="label", descending=False)


def _figures(found: Sequence[DeviceIdle]) -> tuple[Column, ...]:
    return (
        figures("gpu_ops", "ops", [len(d.rows) for d in found]),
        times("span_ns", "span", [d.span_ns for d in found]),
        times("busy_ns", "busy", [d.busy_ns for d in found]),
        shares("busy_share", "busy %", [ratio(d.busy_ns, d.span_ns) for d in found]),
        times("idle_ns", "idle", [d.idle_ns for d in found]),
        figures("gaps", "gaps", [len(d.gaps) for d in found]),
        figures("gaps_over_10us", "> 10 us", [_long_gaps(d) for d in found]),
        times("longest_gap_ns", "longest", [d.longest_gap_ns for d in found]),
    )


def _long_gaps(device: DeviceIdle) -> int:
    return int(np.count_nonzero(device.gaps.length > LONG_GAP_NS))


def _launched(device: DeviceIdle | None) -> dict[str, int | float | None]:
    if device is None:
        nothing = dict.fromkeys((column.key for column in _figures(())), 0)
        return {**nothing, "busy_share": None}
    return {column.key: column.value(0) for column in _figures([device])}


def _by_cause(causes: GapCauses) -> dict[str, int]:
    return {cause.name.lower(): ns for cause, ns in causes.by_cause().items()}


def _by_trigger(causes: GapCauses) -> dict[str, int]:
    return {trigger.name.lower(): ns for trigger, ns in causes.by_trigger().items()}


def idle_table(idle_ns: int, causes: GapCauses) -> Table:
    """Idle time by cause, the most first, then that in gaps after what drained the queue."""
    by_cause = sorted(causes.by_cause().items(), key=lambda pair: -pair[1])
    lines = [(safe(cause.word), ns) for cause, ns in by_cause if ns]
    lines += [
        (safe(f"in gaps after: {trigger.word}"), ns)
        for trigger, ns in causes.by_trigger().items()
        if ns and trigger is not Trigger.NONE
    ]
    labels = [label for label, _ in lines]
    columns = (
        shares("share", "%", [ratio(ns, idle_ns) for _, ns in lines]),
        times("idle_ns", "idle", [ns for _, ns in lines]),
        texts("label", "cause", labels),
    )
    return Table(columns, labels, every_row(labels), sort="idle_ns", empty=Safe("never idle"))
