"""Attention calls: as a table, in the detail, and where the timeline marks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import load
from attntui.view.detail import detail_of
from attntui.view.detail.call_lines import call_lines
from attntui.view.drawing.lanes import Lanes
from attntui.view.drawing.tracks import TrackKind
from attntui.view.session.selection import CallAt, EventAt, call_event
from attntui.view.tables.attention import attention_table
from attntui.view.tables.order import TableView, layout, line
from attntui.view.words.attention import call_text


@pytest.fixture(scope="module")
def naive(corpus: Path) -> AnalysedTrace:
    return AnalysedTrace(load(corpus / "h200" / "blog_naive.json.gz"))


def test_the_table_has_a_row_a_call(naive: AnalysedTrace) -> None:
    view = TableView.of(attention_table(naive.whole))
    assert len(view) == 3
    text = line(view, 0, layout(view.columns, 140))
    for word in ("naive fwd 8x16x1024x64", "bf16", "1.062 ms", "2.75 GB", "67.1 MB"):
        assert word in text


def test_the_timeline_marks_calls_over_their_gpu_time(naive: AnalysedTrace) -> None:
    track = next(t for t in Lanes(naive).tracks if t.kind is TrackKind.ATTENTION)
    assert len(track.events) == 3
    call = naive.attention[0]
    assert track.rows[0].start[0] == naive.trace.start[call.gpu_rows].min()
    assert track.rows[0].rows.tolist() == [0, 1, 2]


def test_an_op_tells_its_call_and_a_kernel_its_role(naive: AnalysedTrace) -> None:
    call = naive.attention[0]
    assert call.op is not None
    labels = [item.label for item in detail_of(naive.whole, EventAt(call.op))]
    for role in ("qk", "scale", "copy", "mask", "softmax", "av", "memset"):
        assert f" {role}" in labels
    softmax = next(r for r in call.roles if r.role == "softmax").rows[0]
    told = {item.label: item for item in detail_of(naive.whole, EventAt(int(softmax)))}
    assert told["attention"].text == "softmax of naive fwd 8x16x1024x64"
    assert told["attention"].leads_to == CallAt(0)


def test_an_absent_fact_is_not_denied(naive: AnalysedTrace) -> None:
    told = {item.label: item.text for item in call_lines(naive.attention[0])}
    assert told["mask"] == "causal or not: not told"


def test_a_call_is_gone_to_by_its_op(naive: AnalysedTrace) -> None:
    target = attention_table(naive.whole).target(1)
    assert target == CallAt(1)
    call = naive.attention[1]
    assert call.op is not None
    assert call_event(call) == call.op
    told = {item.label: item for item in detail_of(naive.whole, target)}
    assert told["op"].leads_to == EventAt(call.op)
    assert detail_of(naive.whole, target)[0].text == f"attention: {call_text(call)}"
