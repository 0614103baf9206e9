"""Findings about attention on traces made for them."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Event
from findings_made import found
from made import call, copy, kernel, op

from attntui.analysis.findings import thresholds
from attntui.view.words.findings import advice_text, title_text

Q, K = [2, 4, 128, 64], [2, 4, 64, 128]
SCORES = [2, 4, 128, 128]
BYTES = 2 * 4 * 128 * 128 * 2
"""Of the scores in bf16."""


def shaped(*shapes: list[int]) -> dict[str, Any]:
    strides = []
    for shape in shapes:
        steps, size = [], 1
        for extent in reversed(shape):
            steps.insert(0, size)
            size *= extent
        strides.append(steps)
    return {
        "Input Dims": list(shapes),
        "Input type": ["c10::BFloat16"] * len(shapes),
        "Input Strides": strides,
    }


FILL = {
    "Input Dims": [SCORES, [128, 128], []],
    "Input type": ["c10::BFloat16", "bool", "Scalar"],
}


class Script:
    """Ops one after another, each with kernels of a given length that run back to back."""

    def __init__(self, busy_until: int = 1_000_000) -> None:
        self.events: list[Event] = []
        self.host, self.device, self.number = 0, busy_until, 0

    def op(self, name: str, *shapes: list[int], inside: tuple[str, ...] = (), run: int) -> None:
        """An op with others nested in it, the innermost of which launches a kernel."""
        start, depth = self.host, len(inside)
        self.number += 1
        self.events.append(op(name, start, start + 20_000, **shaped(*shapes)))
        for level, inner in enumerate(inside, 1):
            span = start + 100 * level, start + 20_000 - 100 * level
            self.events.append(op(inner, *span, **shaped(*shapes)))
        at = start + 100 * depth + 1_000
        self.events.append(call("cudaLaunchKernel", at, at + 2_000, self.number))
        self.events.append(self._ran(f"{name} kernel", run))
        self.host += 25_000

    def masked_fill(self, copied: int, run: int) -> None:
        """An out-of-place masked_fill: clone, then fill in place."""
        start = self.host
        self.number += 2
        self.events += [
            op("aten::masked_fill", start, start + 20_000, **shaped(SCORES)),
            op("aten::clone", start + 100, start + 9_000, **shaped(SCORES)),
            op("aten::copy_", start + 200, start + 8_000, **shaped(SCORES, SCORES)),
            call("cudaMemcpyAsync", start + 1_000, start + 3_000, self.number - 1),
            op("aten::masked_fill_", start + 10_000, start + 19_000, **FILL),
            call("cudaLaunchKernel", start + 11_000, start + 13_000, self.number),
        ]
        moved = copy("Memcpy DtoD (Device -> Device)", *self._next(copied), self.number - 1)
        moved["args"]["bytes"] = BYTES
        self.events += [moved, self._ran("masked_fill kernel", run)]
        self.host += 25_000

    def _next(self, run: int) -> tuple[int, int]:
        """When the next operation runs: as soon as the device is free and its op has begun."""
        begin = max(self.device, self.host + 5_000)
        self.device = begin + run
        return begin, self.device

    def _ran(self, name: str, run: int) -> Event:
        return kernel(name, *self._next(run), self.number)


def naive(calls: int = 1) -> Script:
    script = Script()
    for _ in range(calls):
        script.op("aten::matmul", Q, K, inside=("aten::bmm",), run=10_000)
        script.op("aten::mul", SCORES, run=20_000)
        script.masked_fill(copied=30_000, run=40_000)
        script.op("aten::softmax", SCORES, inside=("aten::_softmax",), run=50_000)
        script.op("aten::matmul", SCORES, Q, inside=("aten::bmm",), run=10_000)
    return script


def test_naive_attention_and_its_hidden_copy() -> None:
    seen = found(naive(2).events)
    assert set(seen) == {"naive-attention", "hidden-copy"}
    attention, hidden = seen["naive-attention"], seen["hidden-copy"]
    assert attention.figures["calls"] == 2
    assert attention.figures["gpu_time_ns"] == 2 * 160_000
    # A fused kernel does them all; of the time all but the two products is spared at least.
    assert attention.cost_ns == attention.figures["gpu_time_ns"]
    assert attention.figures["outside_products_ns"] == 2 * 140_000
    assert attention.gain_ns == attention.cost_ns - attention.figures["fused_ns"]
    assert attention.gain_ns >= 2 * 140_000
    assert hidden.under == "naive-attention"
    # q, k, v read and the output written, once each, in both calls.
    assert attention.figures["moved_if_fused_bytes"] == 2 * 4 * (2 * 4 * 128 * 64 * 2)
    assert dict(hidden.figures) == {
        "copies": 2,
        "copying_ns": 60_000,
        "moved_bytes": 2 * 2 * BYTES,
    }
    assert len(attention.evidence) == len(hidden.evidence) == 2


@pytest.mark.parametrize(("forward", "backward"), [(True, False), (False, True), (True, True)])
def test_a_copy_that_autograd_makes_is_not_told_to_fill_in_place(
    forward: bool, backward: bool
) -> None:
    script = Script()
    for inside, node in ((forward, False), (backward, True)):
        begun = script.host
        if inside:
            script.masked_fill(copied=300_000, run=40_000)
        if inside and node:
            name = "autograd::engine::evaluate_function: MaskedFillBackward0"
            script.events.append(op(name, begun, script.host))
    finding = found(script.events)["hidden-copy"]
    advice = advice_text(finding)
    assert ("Use masked_fill_" in advice) == forward
    assert ("Autograd fills" in advice) == backward
    assert ("in the backward pass" in title_text(finding)) == backward


def test_without_shapes_of_every_call_no_bytes_are_claimed() -> None:
    events = naive().events
    for event in events:
        if event["name"] == "aten::masked_fill_":
            event["args"] = {}
    attention = found(events).get("naive-attention")
    assert attention is not None
    assert "moved_bytes" not in attention.figures
    assert "moves" not in title_text(attention)


def test_naive_attention_owns_what_the_host_takes_to_launch_its_operations() -> None:
    """Kernels of 2 us, an op of 25 us each: one fused call is launched instead of four."""
    script = Script(busy_until=0)
    for _ in range(3):
        script.op("aten::matmul", Q, K, inside=("aten::bmm",), run=2_000)
        script.op("aten::mul", SCORES, run=2_000)
        script.op("aten::softmax", SCORES, inside=("aten::_softmax",), run=2_000)
        script.op("aten::matmul", SCORES, Q, inside=("aten::bmm",), run=2_000)
    seen = found(script.events)
    finding = seen["naive-attention"]
    # Before three of each call's operations, but not before the first.
    assert finding.figures["idle_before_ns"] == 9 * 23_000
    assert finding.cost_ns == 12 * 2_000 + 9 * 23_000
    assert "idle" in title_text(finding)
    assert seen["launch-bound"].cost_ns == 2 * 23_000
    # The host begins each next call three ops earlier; what follows the last is nothing.
    assert finding.gain_ns is not None
    assert finding.gain_ns >= 9 * 23_000
    assert next(iter(seen)) == "naive-attention"


def test_long_host_code_inside_a_call_is_no_cost_of_its_launches() -> None:
    script = Script(busy_until=0)
    script.op("aten::matmul", Q, K, inside=("aten::bmm",), run=2_000)
    script.host += thresholds.HOST_CODE_NS
    script.op("aten::softmax", SCORES, inside=("aten::_softmax",), run=2_000)
    script.op("aten::matmul", SCORES, Q, inside=("aten::bmm",), run=2_000)
    seen = found(script.events)
    assert seen["idle-unrecorded"].cost_ns == thresholds.HOST_CODE_NS + 5_000
    assert seen["naive-attention"].figures["idle_before_ns"] < 2 * 25_000


def test_sdpa_on_the_math_backend() -> None:
    script = Script()
    begin = script.host
    script.op("aten::matmul", Q, K, inside=("aten::bmm",), run=10_000)
    script.op("aten::_softmax", SCORES, run=50_000)
    script.op("aten::matmul", SCORES, Q, inside=("aten::bmm",), run=10_000)
    end = script.host
    inner = op("aten::_scaled_dot_product_attention_math", begin - 20, end, **shaped(Q, Q, Q))
    outer = op("aten::scaled_dot_product_attention", begin - 40, end + 20, **shaped(Q, Q, Q))
    seen = found([outer, inner, *script.events])
    assert set(seen) == {"sdpa-math"}
    finding = seen["sdpa-math"]
    assert finding.cost_ns == 70_000
    assert (finding.figures["calls"], finding.figures["operations_in_longest"]) == (1, 3)
    assert "_scaled_dot_product_attention_math" in title_text(finding)
