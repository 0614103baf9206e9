"""`--peak-bw` and `--peak-tflops` of the summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import memcpy, write_trace

from attntui.cli import main


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """A copy of 1 MB within the device in 1 us: 2 TB/s read plus written."""
    name = "Memcpy DtoD (Device -> Device)"
    return str(write_trace(tmp_path, [memcpy(name, 0, 1, args={"bytes": 1_000_000})]))


def share(trace: str, capsys: pytest.CaptureFixture[str], *options: str) -> float | None:
    assert main(["summary", trace, "--json", *options]) == 0
    found: float | None = json.loads(capsys.readouterr().out)["kernels"][0]["roof_share"]
    return found


def test_the_bandwidth_is_in_terabytes_a_second(
    trace: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert share(trace, capsys) is None
    assert share(trace, capsys, "--peak-bw", "4", "--peak-tflops", "100") == pytest.approx(0.5)


@pytest.mark.parametrize("option", ["--peak-bw", "--peak-tflops"])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "fast"])
def test_nonsense_is_refused_in_one_line(
    trace: str, option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["summary", trace, f"{option}={value}"]) == 2
    error = capsys.readouterr().err
    assert "not a number above zero" in error
    assert error.count("\n") == 1
