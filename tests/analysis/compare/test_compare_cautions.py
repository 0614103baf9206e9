"""Cautions: what keeps two traces from being compared like with like."""

from __future__ import annotations

from typing import Any

import pytest
from made_script import GEMM, Script, stack

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import Comparison, compare
from attntui.trace import Trace


def cautions(a: Trace, b: Trace) -> list[tuple[str, str, str]]:
    found: Comparison = compare(AnalysedTrace(a), AnalysedTrace(b))
    return [(caution.what, caution.a, caution.b) for caution in found.cautions]


def attention(shape: tuple[int, ...] = (2, 4, 128, 64), **top: Any) -> Trace:
    script = Script()
    script.sdpa(shape=shape)
    return script.trace(**top)


def device(name: str) -> list[dict[str, Any]]:
    return [{"id": 0, "name": name}, {"id": 1, "name": "another that ran nothing"}]


def test_alike_traces_have_none() -> None:
    assert cautions(stack(fused=True), stack(fused=True)) == []


def test_devices_that_ran_the_units() -> None:
    a, b = (attention(deviceProperties=device(name)) for name in ("H100", "H200"))
    assert cautions(a, b) == [("device", "H100", "H200")]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ({"pytorch_version": "2.4"}, {"torch_version": "2.5"}, ("torch version", "2.4", "2.5")),
        (
            {"attntui": {"environment": {"torch": "2.11.0"}}},
            {"attntui": {"environment": {"torch": "2.12.0"}}},
            ("torch version", "2.11.0", "2.12.0"),
        ),
        (
            {"cuda_runtime_version": 12040},
            {"cuda_runtime_version": 13000},
            ("CUDA runtime", "12040", "13000"),
        ),
    ],
)
def test_versions(a: dict[str, Any], b: dict[str, Any], expected: tuple[str, str, str]) -> None:
    assert cautions(attention(**a), attention(**b)) == [expected]


@pytest.mark.parametrize("fields", [{"attntui": [1]}, {"attntui": {"environment": "x"}}, {}])
def test_what_one_side_does_not_tell_differs_from_nothing(fields: dict[str, Any]) -> None:
    assert cautions(attention(torch_version="2.5"), attention(**fields)) == []


def test_shapes_of_attention_calls() -> None:
    found = cautions(attention((2, 4, 128, 64)), attention((2, 4, 256, 64)))
    assert found == [("attention shapes", "2x4x128:128x64", "2x4x256:256x64")]


def test_shapes_of_ops_where_there_is_no_attention() -> None:
    def script(size: int) -> Trace:
        made = Script()
        made.op("aten::mm", (GEMM, 4), dims=([size, 8], [8, 8]))
        made.op("aten::mm", (GEMM, 4), dims=([8, 8], [8, 8]))
        return made.trace()

    assert cautions(script(16), script(32)) == [("op shapes", "1 of 2 matched ops", "other shapes")]


def test_data_types() -> None:
    half = Script()
    half.sdpa()
    for event in half.events:
        types = event["args"].get("Input type", [])
        types[:] = ["c10::Half" if name == "c10::BFloat16" else name for name in types]
    assert cautions(attention(), half.trace()) == [("data type", "bf16", "fp16")]


def test_data_types_of_kernels_where_there_is_no_attention() -> None:
    def script(kind: str) -> Trace:
        made = Script()
        made.op("aten::mm", (f"ampere_{kind}_s16816gemm_{kind}_128x128_ldg8_stages_32x5_nn", 9))
        return made.trace()

    assert cautions(script("bf16"), script("fp16")) == [("data type", "bf16", "fp16")]


def test_the_type_of_the_kernels_with_the_most_time_in_all() -> None:
    def script(*kernels: tuple[str, float]) -> Trace:
        made = Script()
        for kind, dur in kernels:
            name = f"ampere_{kind}_s16816gemm_{kind}_128x128_ldg8_stages_32x5_nn"
            made.op("aten::mm", ("of no type", 50), (name, dur))
        return made.trace()

    # Nine are less than five and five; the longest of all tells no type.
    a = script(("bf16", 5), ("fp16", 9), ("bf16", 5))
    b = script(("bf16", 4), ("fp16", 9), ("bf16", 4))
    assert cautions(a, b) == [("data type", "bf16", "fp16")]


def test_causal_against_not() -> None:
    script = Script()
    script.sdpa(causal=True)
    causal = script.trace()
    assert cautions(attention(), causal) == [("causal", "no", "yes")]
    assert cautions(causal, attention()) == [("causal", "yes", "no")]
    assert cautions(causal, causal) == []


def test_calls_that_are_causal_and_others_that_are_not_tell_nothing() -> None:
    def step(*causal: bool) -> Trace:
        script = Script()
        with script.inside("ProfilerStep#0"):
            for told in causal:
                script.sdpa(causal=told)
        return script.trace()

    assert cautions(step(True, False), step(False, False)) == []
    assert cautions(step(True, True), step(False, False)) == [("causal", "yes", "no")]


def test_a_device_that_the_file_does_not_number_is_its_first() -> None:
    def properties(*names: str) -> list[dict[str, Any]]:
        return [{"id": 7 + n, "name": name} for n, name in enumerate(names)]

    a = attention(deviceProperties=properties("H100", "A100"))
    b = attention(deviceProperties=properties("H200", "A100"))
    assert cautions(a, b) == [("device", "H100", "H200")]


def test_of_the_devices_in_the_file_only_those_that_ran_the_unit() -> None:
    a = attention(deviceProperties=device("H100")[::-1])
    b = attention(deviceProperties=[{"id": 0, "name": "H100"}])
    assert cautions(a, b) == []


def test_a_file_without_devices_differs_from_none() -> None:
    named = attention(deviceProperties=device("H100"))
    assert cautions(attention(), named) == []
    assert cautions(named, attention()) == []


def test_only_ops_of_both_sides_with_recorded_shapes_are_counted() -> None:
    def script(size: int, *extra: str) -> Trace:
        made = Script()
        made.op("aten::mm", (GEMM, 4), dims=([size, 8], [8, 8]))
        made.op("aten::sum", (GEMM, 4))
        made.op("aten::mm", (GEMM, 4), dims=([8, 8], [8, 8]))
        for name in extra:
            made.op(name, (GEMM, 4), dims=([size, 9], [9, 9]))
        return made.trace()

    expected = ("op shapes", "1 of 2 matched ops", "other shapes")
    assert cautions(script(16, "aten::bmm"), script(32)) == [expected]
    assert cautions(script(16), script(32, "aten::baddbmm")) == [expected]
    assert cautions(script(16, "aten::bmm"), script(16)) == []
