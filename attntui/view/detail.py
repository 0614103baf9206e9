"""The detail pane's text: everything known of one event, or of one gap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from attntui.analysis.gap_causes import Cause, CauseStretch, cause_stretches
from attntui.analysis.kernel_names import decode
from attntui.analysis.launches import launch_delay, op_stack
from attntui.safe import safe
from attntui.trace import read_event
from attntui.trace.model import ABSENT, Category, OpInputs
from attntui.view.analyses import GapList
from attntui.view.attention import attention_lines, call_text
from attntui.view.document import Document
from attntui.view.formats import duration, percent, rate, size
from attntui.view.tracks import device_text

MAX_NAME = 2_000
MAX_VALUE = 1_000
MAX_LIST = 12


@dataclass(frozen=True, slots=True)
class Item:
    """One line: a label and its text, or just text when the label is empty.

    `event` is set where the line names another event that can be gone to, `span` where it
    names a stretch of time.
    """

    label: str
    text: str
    event: int | None = None
    heading: bool = False
    span: tuple[int, int] | None = None

    @property
    def leads_on(self) -> bool:
        return self.event is not None or self.span is not None


def _heading(text: str) -> Item:
    return Item("", text, heading=True)


def gap_detail(document: Document, gaps: GapList, number: int) -> list[Item]:
    """What is known of a gap: its length, why, and what stands round it."""
    trace, causes = document.trace, gaps.causes
    length = int(gaps.length[number])
    before, after = int(gaps.before[number]), int(gaps.after[number])
    items = [
        _heading(f"gap of {duration(length)} on {gap_place(gaps, number)}"),
        Item("cause", gaps.label(number)),
        Item("", split_bar(cause_stretches(document.finder, causes, number))),
    ]
    split = {cause: int(causes.split[number, cause]) for cause in Cause}
    for cause, part in sorted(split.items(), key=lambda item: -item[1]):
        if part:
            words = f"{duration(part)}  {percent(part / length)}  {CAUSE_WORDS[cause]}"
            items.append(Item(f" {CAUSE_MARKS[cause]}", words))
    trigger = int(causes.trigger_row[number])
    if trigger != ABSENT:
        items.append(Item("drained by", document.short_of(trigger), trigger))
    running = int(causes.running[number])
    if running != ABSENT:
        items.append(Item("running", document.short_of(running), running))
    items += [
        Item("start", duration(int(gaps.start[number]), 9)),
        Item("before", document.short_of(before), before),
        Item("after", document.short_of(after), after),
    ]
    launch = int(causes.launch[number])
    if launch == ABSENT:
        return [*items, Item("launch", "no launch record for the operation after")]
    delay = int(trace.start[launch]) - int(gaps.start[number])
    when = f"{duration(abs(delay))} {'after' if delay >= 0 else 'before'} the gap began"
    items.append(Item("launch", f"{document.short_of(launch)}, {when}", launch))
    items.extend(_stack(document, after))
    return items


def gap_place(gaps: GapList, number: int) -> str:
    """Where a gap is: `GPU 0`, or `GPU 0 stream 7`."""
    place = device_text(gaps.trace, int(gaps.device[number]))
    stream = int(gaps.stream[number])
    return place if stream == ABSENT else f"{place} stream {stream}"


SPLIT_CELLS = 32

CAUSE_MARKS = {
    Cause.SYNC: "S",
    Cause.COPY: "C",
    Cause.MEMORY: "M",
    Cause.MODULE_LOAD: "O",
    Cause.DATA_LOADING: "D",
    Cause.RUNTIME: "R",
    Cause.DISPATCH: "d",
    Cause.PYTHON: "p",
    Cause.UNRECORDED: ".",
    Cause.LAUNCH_CALL: "L",
    Cause.QUEUED: "q",
    Cause.WAIT_EVENT: "W",
    Cause.GRAPH: "G",
    Cause.UNKNOWN: "?",
}

CAUSE_WORDS = {
    Cause.SYNC: "the host waited in a synchronisation",
    Cause.COPY: "the host waited for a copy",
    Cause.MEMORY: "allocating or freeing memory",
    Cause.MODULE_LOAD: "loading or compiling code",
    Cause.DATA_LOADING: "loading data",
    Cause.RUNTIME: "in another runtime call",
    Cause.DISPATCH: "in a CPU op, before the launch",
    Cause.PYTHON: "in Python",
    Cause.UNRECORDED: "in nothing that was recorded",
    Cause.LAUNCH_CALL: "inside the launch call",
    Cause.QUEUED: "launched, not yet begun",
    Cause.WAIT_EVENT: "waiting for another stream",
    Cause.GRAPH: "between the nodes of a CUDA graph",
    Cause.UNKNOWN: "no launch record",
}


def split_bar(parts: tuple[CauseStretch, ...], width: int = SPLIT_CELLS) -> str:
    """A gap in time as one line: each cell bears the mark of what it was spent on."""
    start, span = parts[0].start, parts[-1].end - parts[0].start
    cells = []
    for cell in range(width):
        at = start + (2 * cell + 1) * span // (2 * width)
        cells.append(next(CAUSE_MARKS[p.cause] for p in parts if at < p.end))
    return "".join(cells)


def event_detail(document: Document, row: int) -> list[Item]:
    """All of an event: time, link, decoded name, stack, args. Reads the args again."""
    trace = document.trace
    items = [Item("", document.short_of(row), heading=True)]
    items.extend(_about(document, row))
    items.extend(_work(document, row))
    items.extend(_attention(document, row))
    items.extend(_link(document, row))
    items.extend(_launch_config(document, row))
    items.extend(_inputs(trace.inputs_of(row)))
    items.extend(_stack(document, row))
    items.extend(_args(document, row))
    full = safe(trace.name_of(row), MAX_NAME)
    if full != items[0].text:
        items += [_heading("full name"), Item("", full)]
    return items


def _about(document: Document, row: int) -> Iterator[Item]:
    trace = document.trace
    category = trace.category_of(row)
    raw = trace.raw_categories[int(trace.columns.raw_category[row])]
    if category is Category.KERNEL:
        name = decode(trace.name_of(row))
        known = [name.library or "unknown library", name.operation or ""]
        if name.tensor_cores is not None:
            known.append("tensor cores" if name.tensor_cores else "no tensor cores")
        yield Item("kernel", " · ".join(safe(word, 60) for word in known if word))
        if name.fused_ops:
            yield Item("fused", safe(", ".join(name.fused_ops), MAX_VALUE))
        for label, text in name.facts():
            yield Item(label, safe(text, MAX_VALUE))
    yield Item("time", duration(int(trace.dur[row])))
    yield Item("start", duration(int(trace.start[row]), 9))
    if trace.columns.unfinished[row]:
        yield Item("", "unfinished: closed when the profiler stopped")
    copied = int(trace.columns.copied_bytes[row])
    if copied != ABSENT:
        seconds = int(trace.dur[row]) / 1e9
        speed = f", {rate(copied / seconds, 'B/s')}" if seconds else ""
        yield Item("bytes", size(copied) + speed)
    lane = trace.lane_of(row)
    if lane.stream is not None:
        yield Item("lane", f"{device_text(trace, lane.device)} stream {lane.stream}")
    else:
        label = f" {lane.label}" if lane.label else ""
        yield Item("lane", safe(f"process {lane.pid} thread {lane.tid}{label}", MAX_VALUE))
    yield Item("category", safe(raw, 60))


def _work(document: Document, row: int) -> Iterator[Item]:
    """Rates and bound of the kernel's name, over all its instances whose work is known."""
    fact = document.facts_by_name.get(int(document.trace.name[row]))
    if fact is None or (fact.flops is None and fact.moved is None):
        return
    yield _heading("all of this name")
    if fact.bound.tflops is not None and fact.flops:
        yield Item("FLOP rate", rate(fact.bound.tflops * 1e12, "FLOP/s"))
    if fact.bound.gbps is not None:
        yield Item("HBM rate", f"{rate(fact.bound.gbps * 1e9, 'B/s')} by shapes")
    if fact.bound.intensity is not None and fact.flops:
        yield Item("intensity", f"{fact.bound.intensity:.3g} FLOP a byte")
    share = "" if fact.bound.share is None else f", {percent(fact.bound.share)} of that roof"
    yield Item("bound by", (fact.bound.kind or "not told") + share)


def _attention(document: Document, row: int) -> Iterator[Item]:
    call = document.calls_by_event.get(row)
    if call is None:
        return
    if call.op == row:
        yield _heading("attention call")
        for label, text in attention_lines(call):
            yield Item(label, text)
        return
    role = next((share.role for share in call.roles if row in share.rows), None)
    if role is not None:
        yield Item("attention", f"{role} of {call_text(call)}", call.op)


def _link(document: Document, row: int) -> Iterator[Item]:
    trace = document.trace
    if trace.category_of(row) in (Category.KERNEL, Category.MEMCPY, Category.MEMSET):
        launch, delay = int(trace.launch[row]), launch_delay(trace, row)
        if delay is None:
            yield Item("launch", "no launch record")
            return
        yield Item("launch", document.short_of(launch), launch)
        told = f"clock skew of {duration(-delay)}" if delay < 0 else duration(delay)
        yield Item("delay", told)
        return
    ops = trace.launched_by(row)
    for op in ops[:MAX_LIST].tolist():
        yield Item("launched", f"{document.short_of(op)}  {duration(int(trace.dur[op]))}", op)
    if len(ops) > MAX_LIST:
        yield Item("", f"and {len(ops) - MAX_LIST:,} more GPU operations")


def _launch_config(document: Document, row: int) -> Iterator[Item]:
    config = document.trace.launch_config_of(row)
    if config is None:
        return
    if config.grid:
        yield Item("grid", " x ".join(map(str, config.grid)))
    if config.block:
        yield Item("block", " x ".join(map(str, config.block)))
    if config.registers is not None:
        yield Item("registers", f"{config.registers} a thread")
    if config.shared_memory is not None:
        yield Item("shared", f"{config.shared_memory:,} bytes a block")
    fact = document.facts_by_name.get(int(document.trace.name[row]))
    if fact is not None and fact.occupancy_pct is not None:
        limit = f", limited by {', '.join(fact.limited_by)}" if fact.limited_by else ""
        yield Item("occupancy", f"{fact.occupancy_pct:.1f} % at most{limit}")
    if config.occupancy_pct is not None:
        told = f"{config.occupancy_pct:g} % as the profiler estimates"
        yield Item("", told if config.occupancy_pct else "not measured by the profiler")


def _inputs(inputs: OpInputs | None) -> Iterator[Item]:
    if inputs is None:
        return
    yield _heading("inputs")
    for number, dims in enumerate(inputs.dims):
        kind = inputs.types[number] if number < len(inputs.types) else ""
        value = inputs.concrete[number] if number < len(inputs.concrete) else ""
        shape = str(list(dims)) if dims else ""
        strides = inputs.strides[number] if number < len(inputs.strides) else ()
        told = " ".join(x for x in (kind.replace("c10::", ""), shape, value) if x)
        if strides:
            told += f" strides {list(strides)}"
        yield Item(str(number), safe(told or "none", MAX_VALUE))


def _stack(document: Document, row: int) -> Iterator[Item]:
    stack = op_stack(document.trace, row)
    if not stack:
        return
    yield _heading("called from, innermost first")
    for event in stack:
        yield Item("·", document.short_of(event), event)


def _args(document: Document, row: int) -> Iterator[Item]:
    args: Any = read_event(document.trace, row).get("args")
    if not isinstance(args, dict) or not args:
        return
    yield _heading("args")
    for key, value in args.items():
        yield Item(safe(str(key), 40), safe(str(value), MAX_VALUE))


def plain(items: list[Item]) -> str:
    """The detail as text to copy."""
    return "\n".join(f"{i.label}: {i.text}" if i.label else i.text for i in items)
