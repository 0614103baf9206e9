"""The rows of the overview: idle time by cause with its shares, notices, what each costs."""

from __future__ import annotations

from pathlib import Path

import made
import pytest
from builders import kernel, launched, trace_text, write_text
from paused_trace import paused

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import load
from attntui.trace.model import Notice
from attntui.view.session.selection import EventAt, FindingAt
from attntui.view.tables.findings import finding_rows, findings_table, notice_text, remarks


@pytest.fixture(scope="module")
def analysed() -> AnalysedTrace:
    return AnalysedTrace(made.trace_of(paused()))


def test_time_is_split_by_what_it_went_into_the_most_first(analysed: AnalysedTrace) -> None:
    told = [remark for remark in remarks(analysed.whole) if remark.key.startswith("time ")]
    assert [(remark.word, str(remark.text), remark.cost_ns) for remark in told] == [
        ("busy", "57.9 % of the span: other 57.9 %", 54_999),
        (
            "idle",
            "42.1 % of the span: queued 15.8 %, unknown 10.5 %, unrecorded 8.4 %, "
            "launch call 5.3 %, sync 2.1 %",
            40_001,
        ),
    ]


def test_without_idle_time_nothing_is_split() -> None:
    part = AnalysedTrace(made.trace_of(launched(1, 0, 10, 10))).whole
    assert all(remark.word != "idle" for remark in remarks(part))


def test_findings_cost_what_their_rows_say(analysed: AnalysedTrace) -> None:
    part = analysed.whole
    table, rows = findings_table(part), remarks(part)
    of_findings = finding_rows(part)
    assert len(of_findings) == len(part.findings) > 0
    for number, finding in zip(of_findings, part.findings, strict=True):
        assert rows[number].finding is finding
        assert table.column("cost_ns").value(number) == finding.cost_ns
        assert table.column("severity").value(number) == finding.severity.word
        assert table.column("id").value(number) == finding.id
        assert table.column("figures").value(number) == dict(finding.figures)
    idle = next(i for i, row in enumerate(rows) if row.key == "time idle")
    cells = [str(table.column(key).text(idle)) for key in ("severity", "cost_ns")]
    assert cells == ["idle", "40.00 us"]
    words = [str(row.word) for row in rows]
    assert words.index("idle") > max(of_findings)
    assert words[-1] == "notice"
    assert str(table.column("cost_ns").text(len(rows) - 1)) == "-"


def test_a_cut_file_is_told_before_all_else(tmp_path: Path) -> None:
    text = trace_text([*paused(), kernel("lost", 200, 1)])
    part = AnalysedTrace(load(write_text(tmp_path, text[: text.rindex('"lost"')]))).whole
    keys = [remark.key for remark in remarks(part)]
    assert keys[0] == "notice truncated"
    assert "notice no_launch" in keys[1:]
    assert keys.index("notice no_launch") > keys.index("time idle")


def test_a_notice_tells_how_often() -> None:
    text = notice_text(Notice("clock_skew", 1_234, "k: before its launch"))
    assert text == "clock skew (1,234): k: before its launch"


def test_a_compiled_region_that_launched_nothing_leads_to_its_run() -> None:
    events = [made.op("Torch-Compiled Region: 0/0", 0, 50), made.kernel("k", 60, 70)]
    part = AnalysedTrace(made.trace_of(events)).whole
    table, rows = findings_table(part), remarks(part)
    region = next(i for i, row in enumerate(rows) if row.check is not None)
    target = table.target(region)
    assert isinstance(target, FindingAt)
    assert target.place == EventAt(made.row(part.trace, "Torch-Compiled Region: 0/0"))
