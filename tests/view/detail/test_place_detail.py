"""What is told of gaps, steps, ranges and attention calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import builders
import pytest
from steps_trace import two_steps

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.scope import Range, Step
from attntui.trace import Trace, load
from attntui.trace.model import ABSENT
from attntui.view.detail import detail_of
from attntui.view.detail.call_lines import call_lines
from attntui.view.session.selection import CallAt, EventAt, GapAt

NAIVE = Path(__file__).parents[3] / "sample_traces/naive_b8_h16_s1024_d64_bf16_h200.json.gz"


@pytest.fixture
def analysed(make_trace: Callable[..., Trace]) -> AnalysedTrace:
    return AnalysedTrace(make_trace(two_steps()))


@pytest.fixture(scope="module")
def naive() -> AnalysedTrace:
    return AnalysedTrace(load(NAIVE))


@pytest.mark.parametrize("stream", [ABSENT, 7])
def test_a_gap_tells_why_and_what_stands_round_it(analysed: AnalysedTrace, stream: int) -> None:
    items = detail_of(analysed.whole, GapAt(0, stream, 800_000, 850_000))
    assert [(item.label, item.text) for item in items[3:9]] == [
        (" q", "50.00 us  100.0 %  launched, not yet begun"),
        ("running", "aten::softmax"),
        ("start", "800.000000 us"),
        ("before", "s16816gemm bf16 128x128 nn"),
        ("after", "softmax_warp_forward"),
        ("launch", "cudaLaunchKernel, 80.00 us before the gap began"),
    ]


def test_the_causes_of_a_gap_come_largest_first_with_their_share(
    make_trace: Callable[..., Trace],
) -> None:
    # The launch is called 30 us into the gap and takes 5; then the kernel waits 65.
    events = [*builders.launched(1, 0, 10, 90), *builders.launched(2, 130, 200, 10)]
    analysed = AnalysedTrace(make_trace(events))
    items = detail_of(analysed.whole, GapAt(0, ABSENT, 100_000, 200_000))
    told = {item.label: item.text for item in items}
    split = [item.text.split("  ")[:2] for item in items if item.text.count(" %  ")]
    assert split == [["65.00 us", "65.0 %"], ["30.00 us", "30.0 %"], ["5.000 us", "5.0 %"]]
    assert told["launch"] == "cudaLaunchKernel, 30.00 us after the gap began"


def test_a_gap_before_an_operation_without_a_launch_says_so(
    make_trace: Callable[..., Trace],
) -> None:
    analysed = AnalysedTrace(make_trace([builders.kernel("k", at, 10) for at in (0, 60)]))
    items = detail_of(analysed.whole, GapAt(0, ABSENT, 10_000, 60_000))
    assert items[-1].text == "no launch record for the operation after"


def test_a_gap_of_no_scope_tells_its_length(analysed: AnalysedTrace) -> None:
    (only,) = detail_of(analysed.whole, GapAt(0, ABSENT, 300_000, 350_000))
    assert only.text == "gap of 50.00 us, not one in this scope"


def test_a_step_and_a_range_tell_their_length(analysed: AnalysedTrace) -> None:
    step = [(item.label, item.text) for item in detail_of(analysed.whole, Step(1))]
    assert step[:3] == [
        ("", "ProfilerStep#2"),
        ("host", "900.0 us"),
        ("GPU", "300.0 us in 2 operations"),
    ]
    assert "an outlier among the steps" not in {text for _, text in step}
    stretch = detail_of(analysed.whole, Range(100_000, 300_000))
    assert [(item.label, item.text) for item in stretch[:3]] == [
        ("", "200.0 us of time"),
        ("start", "100.000000 us"),
        ("end", "300.000000 us"),
    ]


def test_a_call_tells_its_roles_and_goes_to_their_first_operation(naive: AnalysedTrace) -> None:
    call = naive.attention[0]
    lines = {item.label: item for item in call_lines(call)}
    assert lines["call"].text == "naive fwd 8x16x1024x64 bf16"
    assert lines["mask"].text == "causal or not: not told"
    assert lines["work"].text == "34.4 GFLOP"
    assert lines["HBM est."].text == "2.75 GB; one fused kernel 67.1 MB, 41.0 times"
    assert lines[" qk"].text == "84.64 us   7.9 % 302 MB"
    assert lines[" qk"].leads_to == EventAt(int(call.roles[0].rows[0]))
    shown = detail_of(naive.whole, CallAt(0))
    assert (shown[1].label, shown[1].text) == ("roles", "qk, scale, copy, mask, softmax, av")
    assert shown[2].text == lines["call"].text
    assert ("op", "aten::matmul", EventAt(call.op)) in {
        (i.label, i.text, i.leads_to) for i in shown
    }


def test_a_call_tells_nothing_that_is_not_known(naive: AnalysedTrace) -> None:
    call = naive.attention[0]
    share = replace(call.roles[0], hbm_bytes=None)
    bare = replace(call, dtype=None, flops=None, hbm_bytes=None, causal=True, roles=(share,))
    lines = {item.label: item.text for item in call_lines(bare)}
    assert lines["call"] == "naive fwd 8x16x1024x64"
    assert lines["mask"] == "causal"
    assert lines[" qk"] == "84.64 us   7.9 %"
    assert not {"work", "HBM est."} & set(lines)
    alone = replace(call, fused_hbm_bytes=None)
    assert "HBM est." not in {item.label for item in call_lines(alone)}
