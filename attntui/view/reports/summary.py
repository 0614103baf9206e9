"""The summary of a trace: its tables as sections for people, and as a document for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.annotations import STEP_LABEL
from attntui.analysis.labels import NAME_CELLS
from attntui.analysis.slice import Slice
from attntui.safe import Safe, safe
from attntui.view.reports.json_text import SCHEMA
from attntui.view.reports.sections import Cells, Section, of_how_many, ranked, whole
from attntui.view.tables import (
    annotation_labels,
    attention,
    devices,
    findings,
    gaps,
    kernels,
    ops,
    regions,
    steps,
    time,
)
from attntui.view.tables.model import Table, every_row, records, texts
from attntui.view.words.findings import advice_text
from attntui.view.words.formats import ABSENT, count, duration, percent, rate, size
from attntui.view.words.roofline import ZERO_IS_NO_OCCUPANCY

STEP_CELLS = 5
"""Outlying steps that are named; of more there is a mark that they go on."""


def tables(part: Slice) -> Mapping[str, Callable[[], Table]]:
    """The tables of a trace by name, each made when it is asked for."""
    analysed = part.analysed
    return {
        "devices": lambda: devices.devices_table(part),
        "findings": lambda: findings.findings_table(part),
        "time": lambda: time.time_table(part),
        "kernels": lambda: kernels.kernels_table(part),
        "gaps": lambda: gaps.gaps_table(part, part.gaps),
        "operations": lambda: kernels.instances_table(part),
        "stream_gaps": lambda: gaps.gaps_table(part, part.stream_gaps),
        "attention": lambda: attention.attention_table(part),
        "ops": lambda: ops.ops_table(part),
        "steps": lambda: steps.steps_table(analysed),
        "annotations": lambda: annotation_labels.annotations_table(analysed.annotations),
        "regions": lambda: regions.regions_table(analysed.fusion),
    }


def table_rows(analysed: AnalysedTrace, name: str) -> tuple[Table, list[int] | None]:
    """A table of the whole trace by name, and which of its rows are data (None: all)."""
    part = analysed.whole
    table = tables(part)[name]()
    return table, findings.finding_rows(part) if name == "findings" else None


# For people


def sections(analysed: AnalysedTrace, top: int = 10) -> list[Section]:
    """The summary of a whole trace; tables that rank things show the first `top`."""
    part = analysed.whole
    parts: list[Section] = [_trace(analysed)]
    if part.findings:
        parts.append(_findings(part))
    if part.devices:
        parts += [
            _devices(part),
            _time(part),
            *_idle(part),
            *_kernels(part, top),
            *_gaps(part, top),
        ]
    if part.attention:
        parts += _attention(part, top)
    if analysed.fusion:
        table = regions.regions_table(analysed.fusion)
        title = Safe(f"Compiled regions: {len(analysed.fusion)}")
        parts.append(whole(title, table, regions.REPORTED))
    if len(part.ops):
        parts.append(
            ranked("CPU ops and annotations by self time", ops.ops_table(part), ops.REPORTED, top)
        )
    if len(analysed.steps):
        parts.append(_steps(analysed, top))
    if len(analysed.annotations):
        table = annotation_labels.annotations_table(analysed.annotations)
        words = "Annotations by CPU time, with the GPU work launched"
        parts.append(ranked(words, table, annotation_labels.REPORTED, top))
    return parts


def _trace(analysed: AnalysedTrace) -> Section:
    trace, labels = analysed.trace, analysed.labels
    gpu_ops, linked = len(trace.gpu_ops), len(trace.gpu_ops_by_launch)
    moved = analysed.whole.traffic
    facts = {
        "file": safe(trace.path),
        "device": labels.devices,
        "span": duration(trace.span[1] - trace.span[0]),
        "events": safe(f"{count(trace.events)} ({count(len(trace))} with a duration)"),
        "GPU operations": safe(f"{count(gpu_ops)} ({count(linked)} with a launch)"),
        "HBM traffic": safe(
            f"{size(moved.moved)} by shapes, known of {percent(moved.coverage)} of the GPU time"
        ),
    }
    if not gpu_ops:
        facts["note"] = kernels.no_gpu(analysed.whole)
    table = Table(
        (
            texts("name", "", [safe(name) for name in facts]),
            texts("label", "", list(facts.values())),
        ),
        list(facts),
        every_row(list(facts)),
        sort="name",
    )
    return whole(Safe("Trace"), table, ("name", "label"))


def _findings(part: Slice) -> Section:
    advice = zip(findings.finding_rows(part), part.findings, strict=True)
    said = {row: advice_text(found) for row, found in advice}
    rows = sorted(said)

    def below(row: int) -> tuple[Cells, ...]:
        return ({"title": safe(f"  try: {said[row]}")},)

    title = Safe("Findings, the best gain first; '- ' stands before a symptom of the one above")
    table = findings.findings_table(part)
    return Section(title, table, findings.REPORTED, rows, below, wraps=frozenset({"title"}))


def _devices(part: Slice) -> Section:
    launched = devices.launched_table(part)
    columns = [launched.column(key) for key in devices.REPORTED]
    footer = [{column.key: column.text(row) for column in columns} for row in range(len(launched))]
    title = Safe("Devices; idle is the part of the span in which no GPU operation runs")
    table = devices.devices_table(part)
    return Section(title, table, devices.REPORTED, range(len(table)), footer=footer)


def _time(part: Slice) -> Section:
    """Every ns of the devices' spans, in one place."""
    return whole(Safe("Where the time of the devices went"), time.time_table(part), time.REPORTED)


def _idle(part: Slice) -> list[Section]:
    """Where the idle time of each device went, and what had drained its queue."""
    return [
        whole(
            safe(f"Idle time of {part.analysed.labels.device(device.device)}"),
            devices.idle_table(device.idle_ns, causes),
            ("share", "idle_ns", "label"),
        )
        for device, causes in zip(part.devices, part.causes, strict=True)
        if device.idle_ns
    ]


def _kernels(part: Slice, top: int) -> list[Section]:
    """The kernels with the most time: their times, what bounds them, how they fill the SMs."""
    table, peaks = kernels.kernels_table(part), part.analysed.peaks
    roofs = "not known" if peaks is None else f"{rate(peaks.hbm, 'B/s')}, {peaks.source}"
    times = ranked("GPU operations by name", table, kernels.TOTALS, top)
    bounds = safe(f"What bounds the GPU operations; roofs: {roofs}")
    fill = Safe("How they fill the device: theoretical occupancy, the profiler's beside it")
    unmeasured = any(part.kernel_facts[row].unmeasured for row in times.rows)
    if unmeasured:
        fill = safe(f"{fill} ({ZERO_IS_NO_OCCUPANCY})")
    return [
        times,
        Section(bounds, table, kernels.BOUNDS, times.rows),
        Section(fill, table, kernels.OCCUPANCIES, times.rows),
    ]


def _gaps(part: Slice, top: int) -> list[Section]:
    """The longest gaps of each device."""
    table, found = gaps.gaps_table(part, part.gaps), []
    for device in part.devices:
        own = np.flatnonzero(part.gaps.device == device.device)
        rows = own[np.argsort(-part.gaps.length[own], kind="stable")[:top]].tolist()
        if not rows:
            continue
        place = part.analysed.labels.device(device.device)
        title = of_how_many(f"Longest gaps of {place}", len(rows), len(own))
        names = frozenset({"launched_by", "before", "after"})
        found.append(Section(title, table, gaps.REPORTED, rows, gives_way=names))
    return found


def _attention(part: Slice, top: int) -> list[Section]:
    """Attention calls by kind, and the roles that their GPU time went into."""
    kinds = attention.kinds_of(part.attention)
    shown = dict(list(kinds.items())[:top])
    table = attention.kinds_table(kinds)
    roles = attention.roles_table(shown)
    return [
        ranked("Attention calls by kind", table, attention.KINDS, top),
        whole(Safe("Roles of attention's GPU operations"), roles, [c.key for c in roles.columns]),
    ]


def _steps(analysed: AnalysedTrace, top: int) -> Section:
    found = analysed.steps
    length = found.duration
    outliers = [analysed.labels.event(row) for row in found.rows[found.outlier].tolist()]
    named = ", ".join(outliers[:STEP_CELLS]) + (" …" if len(outliers) > STEP_CELLS else "")
    median, least, most = np.median(length), length.min(), length.max()
    title = (
        f"Steps {safe(found.family or '', NAME_CELLS)}, host median {duration(float(median))}, "
        f"{duration(int(least))} to {duration(int(most))}, outliers {named or ABSENT}"
    )
    table = steps.steps_table(analysed)
    return ranked(safe(title), table, steps.REPORTED, top)


# For programs


def document(analysed: AnalysedTrace) -> dict[str, Any]:
    """The summary as plain dicts, lists, strings and numbers; `schema.Summary` is its shape."""
    part = analysed.whole
    made = tables(part)
    kinds = attention.kinds_of(part.attention)
    return {
        "schema": SCHEMA,
        "trace": _trace_facts(analysed),
        "devices": records(made["devices"]()),
        "kernels": records(made["kernels"]()),
        "attention": records(made["attention"]()),
        "findings": records(made["findings"](), findings.finding_rows(part)),
        "time_tree": records(made["time"]()),
        "annotations": _instances(analysed),
        "gaps": records(made["gaps"]()),
        "steps": records(made["steps"]()),
        "ops": records(made["ops"]()),
        "attention_kinds": records(attention.kinds_table(kinds)),
        "attention_roles": records(attention.roles_table(kinds)),
        "annotation_labels": records(made["annotations"]()),
        "compiled_regions": records(made["regions"]()),
    }


def _trace_facts(analysed: AnalysedTrace) -> dict[str, Any]:
    trace, peaks, found = analysed.trace, analysed.peaks, analysed.annotations
    steps_of = found.labels.index(STEP_LABEL) if STEP_LABEL in found.labels else None
    moved, edges = analysed.whole.traffic, analysed.edges
    return {
        "path": trace.path,
        "events": trace.events,
        "complete_events": sum(trace.category_counts.values()),
        "categories": dict(trace.category_counts),
        "gpu_ops": len(trace.gpu_ops),
        "gpu_ops_with_launch": len(trace.gpu_ops_by_launch),
        "device_name": analysed.labels.device_name,
        "devices": analysed.labels.devices,
        "span_ns": trace.span[1] - trace.span[0],
        "profiler_steps": 0 if steps_of is None else len(found.instances(steps_of)),
        "step_family": analysed.steps.family,
        "before_first_gpu_op_ns": edges[0],
        "after_last_gpu_op_ns": edges[1],
        "hbm_bytes": moved.moved,
        "hbm_coverage": moved.coverage,
        "roofs": None if peaks is None else {name: getattr(peaks, name) for name in _ROOFS},
        "roofs_source": None if peaks is None else peaks.source,
        "notices": [
            {
                "kind": notice.kind,
                "count": notice.count,
                "example": notice.example,
                "offset": notice.offset,
            }
            for notice in trace.notices
        ],
    }


_ROOFS = ("hbm", "bf16", "fp16", "tf32", "fp32", "fp8")
"""Of `DevicePeaks`: bytes/s, then FLOP/s by data type."""


def _instances(analysed: AnalysedTrace) -> dict[str, list[dict[str, int]]]:
    found, work = analysed.annotations, analysed.annotations.work
    columns = {
        "cpu_ns": found.cpu_ns,
        "gpu_ops": work.gpu_ops,
        "gpu_ns": work.gpu_ns,
        "gpu_ops_any_thread": work.gpu_ops_any_thread,
        "gpu_ns_any_thread": work.gpu_ns_any_thread,
    }
    by_label: dict[str, list[dict[str, int]]] = {label: [] for label in found.labels}
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    for label, own in zip(found.label.tolist(), values, strict=True):
        by_label[found.labels[label]].append(dict(zip(columns, own, strict=True)))
    return by_label
