"""The summary as text: the same facts as the JSON, in sections of tables."""

from __future__ import annotations

from itertools import islice

import numpy as np

from attntui.analysis.gap_causes import Cause, GapCauses, Trigger
from attntui.analysis.kernel_names import decode
from attntui.analysis.launches import parent_ops
from attntui.safe import safe
from attntui.trace.model import ABSENT
from attntui.view.facts import Facts
from attntui.view.words.findings import findings_section
from attntui.view.words.formats import count, duration, percent, ratio
from attntui.view.tables.regions import fusion_section
from attntui.view.reports.sections import Column, Section, name_column
from attntui.view.reports.summary_json import LONG_GAP_NS
from attntui.view.reports.summary_work import attention_sections, work_sections

NAME_CELLS = 200
"""Names are cut here in reports; a screen cuts them to its own width."""


GAP_NAME_CELLS = 48


def sections(facts: Facts, top: int = 10) -> list[Section]:
    """The summary of a trace; tables that rank things show the first `top`."""
    parts = [_trace(facts)]
    if facts.findings:
        parts.append(findings_section(facts.findings))
    if facts.devices:
        parts += [_devices(facts), *_idle(facts), _kernels(facts, top)]
        parts += [*work_sections(facts, top), *_gaps(facts, top)]
    if facts.attention:
        parts += attention_sections(facts, top)
    parts += fusion_section(facts.fusion)
    if len(facts.steps):
        parts.append(_steps(facts))
    if len(facts.annotations):
        parts.append(_annotations(facts, top))
    return parts


def _name(text: str) -> str:
    return safe(text, NAME_CELLS)


def _short(text: str) -> str:
    """A GPU operation's decoded short name."""
    return _name(decode(text).short)


def _of(shown: int, whole: int) -> str:
    """Says how much of a ranked table is shown, where it is not all."""
    return f"{shown:,} of {whole:,}" if shown < whole else f"{whole:,}"


def _trace(facts: Facts) -> Section:
    trace = facts.trace
    ops, linked = len(trace.gpu_ops), len(trace.gpu_ops_by_launch)
    rows = [
        ("file", safe(trace.path)),
        ("device", safe(facts.device_name) if facts.device_name else "-"),
        ("span", duration(trace.span[1] - trace.span[0])),
        ("events", f"{count(trace.events)} ({count(len(trace))} with a duration)"),
        ("GPU operations", f"{count(ops)} ({count(linked)} with a launch)"),
    ]
    if not ops:
        rows.append(("note", "no GPU operation was recorded"))
    return Section("Trace", (Column(""), name_column("")), tuple(rows))


def _devices(facts: Facts) -> Section:
    columns = ("device", "ops", "span", "busy", "busy %", "idle", "gaps", "> 10 us", "longest")
    rows = []
    for idle in facts.devices:
        figures = [len(idle.gaps), int(np.count_nonzero(idle.gaps.length > LONG_GAP_NS))]
        rows.append(
            (
                str(idle.device),
                count(len(idle.rows)),
                duration(idle.span_ns),
                duration(idle.busy_ns),
                percent(ratio(idle.busy_ns, idle.span_ns)),
                duration(idle.idle_ns),
                *(count(figure) for figure in figures),
                duration(idle.longest_gap_ns),
            )
        )
        launched = facts.launched.get(idle.device)
        if launched is not None and len(launched.rows) < len(idle.rows):
            rows.append(
                (
                    "launched",
                    count(len(launched.rows)),
                    duration(launched.span_ns),
                    duration(launched.busy_ns),
                    percent(ratio(launched.busy_ns, launched.span_ns)),
                    duration(launched.idle_ns),
                    count(len(launched.gaps)),
                    count(int(np.count_nonzero(launched.gaps.length > LONG_GAP_NS))),
                    duration(launched.longest_gap_ns),
                )
            )
    title = "Devices; idle is the part of the span in which no GPU operation runs"
    return Section(title, tuple(map(Column, columns)), tuple(rows))


def _kernels(facts: Facts, top: int) -> Section:
    table = facts.kernels
    shown = min(top, len(table))
    rows = tuple(
        (
            percent(float(table.share[i])),
            duration(int(table.total[i])),
            count(int(table.count[i])),
            duration(float(table.mean[i])),
            duration(int(table.min[i])),
            duration(int(table.max[i])),
            ",".join(map(str, table.streams[i])),
            _short(facts.trace.names[table.name[i]]),
        )
        for i in range(shown)
    )
    headings = ("share", "total", "count", "mean", "min", "max", "stream")
    columns = (*map(Column, headings), name_column("name"))
    return Section(f"GPU operations by name: {_of(shown, len(table))}", columns, rows)


def _idle(facts: Facts) -> list[Section]:
    """Where the idle time of each device went, and what had drained its queue."""
    found = []
    for idle, causes in zip(facts.devices, facts.causes, strict=True):
        if not idle.idle_ns:
            continue
        by_cause = sorted(causes.by_cause().items(), key=lambda pair: -pair[1])
        rows = [_idle_row(idle.idle_ns, ns, words(cause)) for cause, ns in by_cause if ns]
        by_trigger = causes.by_trigger().items()
        rows += [
            _idle_row(idle.idle_ns, ns, f"in gaps after: {words(trigger)}")
            for trigger, ns in by_trigger
            if ns and trigger is not Trigger.NONE
        ]
        columns = (Column("share"), Column("idle"), name_column("cause"))
        found.append(Section(f"Idle time of device {idle.device}", columns, tuple(rows)))
    return found


def words(member: Cause | Trigger) -> str:
    """A cause or trigger in words: `launch call`."""
    return member.name.lower().replace("_", " ")


def _idle_row(whole: int, ns: int, label: str) -> tuple[str, str, str]:
    return percent(ratio(ns, whole)), duration(ns), label


def _gaps(facts: Facts, top: int) -> list[Section]:
    """The longest gaps of each device."""
    found = []
    for idle, causes in zip(facts.devices, facts.causes, strict=True):
        longest = causes.take(np.argsort(-causes.gaps.length, kind="stable")[:top])
        if not len(longest):
            continue
        title = f"Longest gaps of device {idle.device}: {_of(len(longest), len(causes))}"
        columns = (Column("start"), Column("length"), Column("cause", left=True), *_GAP_NAMES)
        found.append(Section(title, columns, tuple(_gap_rows(facts, longest))))
    return found


_GAP_NAMES = tuple(map(name_column, ("launched by", "before", "after")))


def _gap_rows(facts: Facts, causes: GapCauses) -> list[tuple[str, ...]]:
    trace, gaps = facts.trace, causes.gaps
    parents = parent_ops(trace, gaps.after).tolist()
    rows: list[tuple[str, ...]] = []
    for i, parent in enumerate(parents):
        trigger = Trigger(int(causes.trigger[i]))
        after = "" if trigger is Trigger.NONE else f" after {words(trigger)}"
        rows.append(
            (
                duration(int(gaps.start[i])),
                duration(int(gaps.length[i])),
                words(Cause(int(causes.main[i]))) + after,
                "-" if parent == ABSENT else safe(trace.name_of(parent), GAP_NAME_CELLS),
                _short(trace.name_of(int(gaps.before[i]))),
                _short(trace.name_of(int(gaps.after[i]))),
            )
        )
    return rows


def _steps(facts: Facts) -> Section:
    steps = facts.steps
    length = steps.duration
    outliers = [_name(facts.trace.name_of(row)) for row in steps.rows[steps.outlier].tolist()]
    row = (
        count(len(steps)),
        duration(float(np.median(length))),
        duration(int(length.min())),
        duration(int(length.max())),
        ", ".join(islice(outliers, 5)) + (" …" if len(outliers) > 5 else "") if outliers else "-",
    )
    columns = (*map(Column, ("steps", "median", "min", "max")), name_column("outliers"))
    return Section(f"Steps: {_name(steps.family or '')}", columns, (row,))


def _annotations(facts: Facts, top: int) -> Section:
    found = facts.annotations
    labels = np.arange(len(found.labels))
    number = np.bincount(found.label, minlength=len(labels))
    # Sums by label in integers: float weights would lose nanoseconds.
    cpu, gpu_ops, gpu_ns = (np.zeros(len(labels), np.int64) for _ in range(3))
    np.add.at(cpu, found.label, found.cpu_ns)
    np.add.at(gpu_ops, found.label, found.work.gpu_ops_any_thread)
    np.add.at(gpu_ns, found.label, found.work.gpu_ns_any_thread)
    order = np.lexsort((labels, -cpu))[:top].tolist()
    rows = tuple(
        (
            count(int(number[i])),
            duration(int(cpu[i])),
            duration(float(cpu[i] / number[i])),
            count(int(gpu_ops[i])),
            duration(int(gpu_ns[i])),
            _name(found.labels[i]),
        )
        for i in order
    )
    headings = ("count", "CPU total", "CPU mean", "GPU ops", "GPU time")
    title = f"Annotations by CPU time, with the GPU work launched: {_of(len(order), len(labels))}"
    return Section(title, (*map(Column, headings), name_column("label")), rows)
