"""Which number formats a device has matrix units for: by capability, AMD's by name."""

from __future__ import annotations

from typing import Any

import pytest
from builders import CORPUS
from made import call, kernel, trace_of

from attntui.analysis.abilities import Abilities, abilities, common_abilities
from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import load
from attntui.trace.metadata import read_metadata

PUBLIC = CORPUS.parent / "public"


def of(name: str | None, major: Any = None, minor: Any = None, warp: int = 32) -> Abilities:
    entry = {"name": name, "computeMajor": major, "computeMinor": minor, "warpSize": warp}
    (device,) = read_metadata({"deviceProperties": [entry]}, 0).devices
    return abilities(device)


@pytest.mark.parametrize(
    ("capability", "bf16", "tf32", "fp8"),
    [
        ((6, 1), False, False, False),
        ((7, 0), False, False, False),
        ((7, 5), False, False, False),
        ((8, 0), True, True, False),
        ((8, 6), True, True, False),
        ((8, 9), True, True, True),
        ((9, 0), True, True, True),
        ((10, 3), True, True, True),
        ((12, 0), True, True, True),
        ((99, 0), None, None, None),
    ],
)
def test_by_compute_capability(
    capability: tuple[int, int], bf16: bool | None, tf32: bool | None, fp8: bool | None
) -> None:
    assert of("NVIDIA Something", *capability) == Abilities(bf16, tf32, fp8)


@pytest.mark.parametrize(
    ("name", "capability", "told"),
    [
        ("AMD Instinct MI250X", (9, 0), (True, False, False)),
        ("AMD Instinct MI210", (9, 0), (True, False, False)),
        ("AMD Instinct MI300X VF", (9, 4), (True, True, True)),
        ("AMD Instinct MI355X", (9, 5), (True, False, True)),
        ("", (9, 4), (True, True, True)),
        # Of several architectures: HIP's 9.0 is no Hopper.
        ("AMD Radeon Graphics", (9, 0), (None, None, None)),
        ("AMD Radeon RX 7900 XTX", (11, 0), (None, None, None)),
    ],
)
def test_amd_by_name_or_architecture(
    name: str, capability: tuple[int, int], told: tuple[bool | None, ...]
) -> None:
    assert of(name, *capability, warp=64) == Abilities(*told)


def test_without_a_description_nothing_is_known() -> None:
    assert of(None) == of("NVIDIA A100", None, 0) == Abilities(None, None, None)
    assert common_abilities([]) == Abilities(None, None, None)


def test_devices_together_can_do_what_each_can() -> None:
    def described(*capabilities: tuple[int, int] | None) -> Abilities:
        entries = [
            {"id": i} if c is None else {"id": i, "computeMajor": c[0], "computeMinor": c[1]}
            for i, c in enumerate(capabilities)
        ]
        return common_abilities(read_metadata({"deviceProperties": entries}, 0).devices)

    assert described((8, 0), (9, 0)) == Abilities(bf16=True, tf32=True, fp8=False)
    assert described((7, 0), None) == Abilities(bf16=False, tf32=False, fp8=False)
    assert described((9, 0), None) == Abilities(None, None, None)


def test_a_trace_tells_of_the_devices_that_ran_something() -> None:
    devices = [
        {"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0},
        {"id": 1, "name": "Tesla T4", "computeMajor": 7, "computeMinor": 5},
    ]
    events = [call("cudaLaunchKernel", 0, 10, 1), kernel("k", 20, 30, 1)]
    trace = trace_of(events, deviceProperties=devices)
    assert AnalysedTrace(trace).abilities == Abilities(bf16=True, tf32=True, fp8=True)


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="public traces do not lie beside the project")
@pytest.mark.parametrize("name", ["kineto_w0", "param_resnet"])
def test_volta_and_turing_have_neither_bf16_nor_tf32(name: str) -> None:
    found = AnalysedTrace(load(PUBLIC / f"{name}.json.gz")).abilities
    assert (found.bf16, found.tf32) == (False, False)
