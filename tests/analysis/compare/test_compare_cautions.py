"""Cautions: what keeps two traces from being compared like with like."""

from __future__ import annotations

from typing import Any

import pytest
from made_script import GEMM, Script, stack

from attntui.analysis.compare import Comparison, compare, prepare
from attntui.trace import Trace


def cautions(a: Trace, b: Trace) -> list[tuple[str, str, str]]:
    found: Comparison = compare(prepare(a), prepare(b))
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
