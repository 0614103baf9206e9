"""What was odd in a file: how often, where first, and how it is written there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import builders

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import Trace, load
from attntui.view.detail import detail_of
from attntui.view.session.selection import EventAt, FindingAt
from attntui.view.tables.findings import findings_table, remarks


def told(trace: Trace, kind: str) -> dict[str, str]:
    items = detail_of(AnalysedTrace(trace).whole, FindingAt(f"notice {kind}"))
    return {item.label: item.text for item in items}


def test_a_notice_leads_to_its_event_and_shows_it_as_written(
    make_trace: Callable[..., Trace],
) -> None:
    calls = [builders.launch(5, 0), builders.launch(6, 10), builders.cpu_op("op", 0, 20)]
    trace = make_trace([*calls, builders.kernel("early", 5, 3, 6), builders.kernel("k", 9, 1, 5)])
    part = AnalysedTrace(trace).whole
    items = detail_of(part, FindingAt("notice clock_skew"))
    (event,) = [item.leads_to for item in items if item.label == "event"]
    assert event == EventAt(trace.gpu_ops[0])
    assert trace.name_of(event.row) == "early"
    (text,) = [item.text for item in items if item.label == "as written"]
    assert text.startswith('{"ph": "X"')
    assert '"early"' in text
    number = [remark.key for remark in remarks(part)].index("notice clock_skew")
    selected = findings_table(part).target(number)
    assert isinstance(selected, FindingAt)
    assert selected.place == event


def test_what_was_left_out_is_shown_from_the_file(make_trace: Callable[..., Trace]) -> None:
    rest = [builders.cpu_op(f"op{n}", 6e12 + 10 * n, 5) for n in range(20)]
    trace = make_trace([*rest, builders.cpu_op("stray", 0, 5)])
    shown = told(trace, "outlier")
    assert shown["how often"] == "1"
    assert shown["first"].startswith("byte ")
    assert '"stray"' in shown["as written"]
    assert "event" not in shown


def test_a_broken_event_is_shown_as_it_stands(tmp_path: Path) -> None:
    ops = [builders.cpu_op(f"op{n}", 10 * n, 5) for n in range(20)]
    text = builders.trace_text(ops).replace('"op7"', '"op"7"')
    shown = told(load(builders.write_text(tmp_path, text)), "bad_event")
    assert '"op"7"' in shown["as written"]
    assert shown["as written"].startswith("{")


def test_text_of_a_file_that_is_gone_is_not_shown(make_trace: Callable[..., Trace]) -> None:
    rest = [builders.cpu_op(f"op{n}", 6e12 + 10 * n, 5) for n in range(20)]
    trace = make_trace([*rest, builders.cpu_op("stray", 0, 5)])
    Path(trace.path).write_text("")
    assert "as written" not in told(trace, "outlier")
