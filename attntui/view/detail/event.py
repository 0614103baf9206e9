"""Everything known of one event: time, link, decoded name, stack, args."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.kernel_names import decode
from attntui.analysis.launches import launch_delay, op_stack
from attntui.trace import read_event
from attntui.trace.kept.reader import is_at_hand
from attntui.trace.model import ABSENT, Category, OpInputs
from attntui.view.detail.call_lines import call_lines
from attntui.view.detail.items import Item, heading, item
from attntui.view.session.selection import CallAt, EventAt
from attntui.view.words.attention import call_text
from attntui.view.words.formats import duration, rate, size
from attntui.view.words.roofline import ZERO_IS_NO_OCCUPANCY, bound_sentence

MAX_LIST = 12


def event_detail(analysed: AnalysedTrace, row: int) -> list[Item]:
    """All of an event, its part in attention before its link. Reads the args again."""
    return _detail(analysed, row, list(_attention(analysed, row)))


def op_detail(analysed: AnalysedTrace, row: int) -> list[Item]:
    """All of an event but its part in attention and its name, which stand above it."""
    return _detail(analysed, row, [])[1:]


def _detail(analysed: AnalysedTrace, row: int, attention: list[Item]) -> list[Item]:
    trace = analysed.trace
    items = [heading(analysed.labels.event(row))]
    items.extend(_about(analysed, row))
    items.extend(_work(analysed, row))
    items.extend(attention)
    items.extend(link(analysed, row))
    items.extend(_launch_config(analysed, row))
    items.extend(_inputs(trace.inputs_of(row)))
    items.extend(around(analysed, row))
    items.extend(_args(analysed, row))
    full = item("", trace.name_of(row))
    if full.text != items[0].text:
        items += [heading("full name"), full]
    return items


def _about(analysed: AnalysedTrace, row: int) -> Iterator[Item]:
    trace = analysed.trace
    category = trace.category_of(row)
    raw = trace.raw_categories[int(trace.columns.raw_category[row])]
    if category is Category.KERNEL:
        name = decode(trace.name_of(row))
        known = [name.library or "unknown library", name.operation or ""]
        if name.tensor_cores is not None:
            known.append("tensor cores" if name.tensor_cores else "no tensor cores")
        yield item("kernel", " · ".join(word for word in known if word))
        if name.fused_ops:
            yield item("fused", ", ".join(name.fused_ops))
        for label, text in name.facts():
            yield item(label, text)
    yield item("time", duration(int(trace.dur[row])))
    yield item("start", duration(int(trace.start[row]), 9))
    if trace.columns.unfinished[row]:
        yield item("", "unfinished: closed when the profiler stopped")
    copied = int(trace.columns.copied_bytes[row])
    if copied != ABSENT:
        seconds = int(trace.dur[row]) / 1e9
        speed = f", {rate(copied / seconds, 'B/s')}" if seconds else ""
        yield item("bytes", size(copied) + speed)
    yield item("lane", analysed.labels.lane(trace.lane_of(row)))
    yield item("category", raw)


def _work(analysed: AnalysedTrace, row: int) -> Iterator[Item]:
    """Rates and bound of the kernel's name, over all its instances whose work is known."""
    fact = analysed.facts_by_name.get(int(analysed.trace.name[row]))
    if fact is None or (fact.flops is None and fact.moved is None and not fact.beyond_ns):
        return
    yield heading("all of this name")
    if fact.bound.tflops is not None and fact.flops:
        yield item("FLOP rate", rate(fact.bound.tflops * 1e12, "FLOP/s"))
    if fact.bound.gbps is not None:
        yield item("HBM rate", f"{rate(fact.bound.gbps * 1e9, 'B/s')} by shapes")
    if fact.bound.intensity is not None and fact.flops:
        yield item("intensity", f"{fact.bound.intensity:.3g} FLOP a byte")
    yield item("bound by", bound_sentence(fact))


def _attention(analysed: AnalysedTrace, row: int) -> Iterator[Item]:
    index = analysed.calls_by_event.get(row)
    if index is None:
        return
    call = analysed.attention[index]
    if call.op == row:
        yield heading("attention call")
        yield from call_lines(call)
        return
    role = next((share.role for share in call.roles if row in share.rows), None)
    if role is not None:
        yield item("attention", f"{role} of {call_text(call)}", CallAt(index))


def link(analysed: AnalysedTrace, row: int) -> Iterator[Item]:
    """What launched a GPU operation, or what a call launched."""
    trace = analysed.trace
    if trace.category_of(row) in (Category.KERNEL, Category.MEMCPY, Category.MEMSET):
        launch, delay = int(trace.launch[row]), launch_delay(trace, row)
        if delay is None:
            yield item("launch", "no launch record")
            return
        yield item("launch", analysed.labels.event(launch), EventAt(launch))
        told = f"clock skew of {duration(-delay)}" if delay < 0 else duration(delay)
        yield item("delay", told)
        return
    ops = trace.launched_by(row)
    for op in ops[:MAX_LIST].tolist():
        yield item(
            "launched", f"{analysed.labels.event(op)}  {duration(int(trace.dur[op]))}", EventAt(op)
        )
    if len(ops) > MAX_LIST:
        yield item("", f"and {len(ops) - MAX_LIST:,} more GPU operations")


def _launch_config(analysed: AnalysedTrace, row: int) -> Iterator[Item]:
    config = analysed.trace.launch_config_of(row)
    if config is None:
        return
    if config.grid:
        yield item("grid", " x ".join(map(str, config.grid)))
    if config.block:
        yield item("block", " x ".join(map(str, config.block)))
    if config.registers is not None:
        yield item("registers", f"{config.registers} a thread")
    if config.shared_memory is not None:
        yield item("shared", f"{config.shared_memory:,} bytes a block")
    fact = analysed.facts_by_name.get(int(analysed.trace.name[row]))
    if fact is not None and fact.occupancy_pct is not None:
        limit = f", limited by {', '.join(fact.limited_by)}" if fact.limited_by else ""
        yield item("occupancy", f"{fact.occupancy_pct:.1f} % at most{limit}")
    if config.occupancy_pct is not None:
        told = f"{config.occupancy_pct:g} % as the profiler estimates"
        yield item("", told if config.occupancy_pct else ZERO_IS_NO_OCCUPANCY)


def _inputs(inputs: OpInputs | None) -> Iterator[Item]:
    if inputs is None:
        return
    yield heading("inputs")
    for number, dims in enumerate(inputs.dims):
        kind = inputs.types[number] if number < len(inputs.types) else ""
        value = inputs.concrete[number] if number < len(inputs.concrete) else ""
        shape = str(list(dims)) if dims else ""
        strides = inputs.strides[number] if number < len(inputs.strides) else ()
        told = " ".join(x for x in (kind.replace("c10::", ""), shape, value) if x)
        if strides:
            told += f" strides {list(strides)}"
        yield item(str(number), told or "none")


def around(analysed: AnalysedTrace, row: int) -> Iterator[Item]:
    """What an event, or its launch, was called from."""
    stack = op_stack(analysed.trace, row)
    if not stack:
        return
    yield heading("called from, innermost first")
    for event in stack:
        yield item("·", analysed.labels.event(event), EventAt(event))


def _args(analysed: AnalysedTrace, row: int) -> Iterator[Item]:
    if not is_at_hand(analysed.trace, row):
        yield item("args", "the packed file is being read")
        return
    args: Any = read_event(analysed.trace, row).get("args")
    if not isinstance(args, dict) or not args:
        return
    yield heading("args")
    for key, value in args.items():
        yield item(str(key), str(value))
