"""The inputs that lie beside the project, each with the value that its README calls right. Figures
were counted again from the JSON of the files.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from builders import CORPUS, write_trace

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import load
from attntui.view.drawing.tracks import MOST_LANES
from attntui.view.session.session import Session

from .case import BASE
from .surfaces import Reported, Run, compared, explored, left_with, refusal, reported, runner

INPUTS = CORPUS.parent / "inputs"
FILES = {path.name.partition(".")[0]: path for path in sorted(INPUTS.glob("*.json*"))}

pytestmark = pytest.mark.skipif(not FILES, reason="no odd inputs lie beside the project")


@dataclass(frozen=True)
class Right:
    """What is right of a file: `gpu_ns` is from its first GPU operation to its last, the rest as
    in `WHOLE`. `told` and `untold` are words of the summary.
    """

    span_ns: int
    gpu_ns: int
    busy_ns: int
    gpu_ops: int
    linked: int
    notices: Mapping[str, int] = field(default_factory=dict)
    told: tuple[str, ...] = ()
    untold: tuple[str, ...] = ()


RIGHT = {
    "p01_half_zero": Right(3_950_000, 3_920_000, 800_000, 40, 40, {"outlier": 120}),
    "p02_236_years": Right(
        6_320_000, 5_920_000, 1_200_000, 60, 60, {"impossible_duration": 10}, untold=("bad_k",)
    ),
    "e4_sum_overflow_4": Right(
        5_950_000, 5_920_000, 1_200_000, 60, 60, {"impossible_duration": 4}, untold=("bad_k",)
    ),
    "z_zero_ts_5_of_195": Right(6_205_000, 5_930_000, 1_800_000, 60, 60, {"outlier": 5}),
    "p18_dup_kernels": Right(
        470_000, 430_000, 150_000, 5, 5, {"duplicate": 5}, untold=("300.0 us",)
    ),
    "p22_same_corr_copies": Right(
        630_000, 530_000, 500_000, 8, 8, {"no_cpu_ops": 1}, untold=("CUDA graph",)
    ),
    "p28_missing_tail": Right(
        850_000, 430_000, 150_000, 5, 5, told=("4 of 9 launches have no operation on the GPU",)
    ),
    "p14_nccl_profiler": Right(742_000, 0, 0, 0, 0, {"no_gpu_ops": 1}, told=("NCCL's profiler",)),
    "p29_jax": Right(
        590_000, 580_000, 360_000, 12, 0, {"no_cpu_ops": 1, "no_launch": 12},
        told=("XLA's profiler",), untold=("ProfilerActivity",),
    ),
    "h02b_list_of_obj": Right(470_000, 430_000, 150_000, 5, 5),
    "e1_min": Right(298_313, 127_328, 127_328, 1, 1),
    "e2_device_int32max": Right(15_000, 10_000, 10_000, 2, 0, {"no_cpu_ops": 1, "no_launch": 2}),
    "e3_min": Right(495_805, 495_805, 495_805, 1, 0, {"no_cpu_ops": 1, "no_launch": 1}),
    "pids5000": Right(
        5_004_000, 25_000_000, 25_000_000, 5000, 0, {"no_cpu_ops": 1, "no_launch": 5000}
    ),
    "hostile": Right(
        100_000_000, 2_630_000, 810_000, 27, 27, {"not_shown": 27, "no_time": 27},
        told=(r"GPU\x1b]52;c;UFdORUQ=\x07\x1b[2J[/x]", r"\x1b[2JPWNCLEAR", r"\u202ePWNBIDI\u202c",
              r"a\u200bb\u200d", "[bold red]PWN[/]", "[@click=app.quit]PWN[/]"),
    ),
}  # fmt: skip

REFUSED = {
    "list_of_dicts": "is JSON, but none of its 2 entries is a trace event (with a phase `ph`); "
    "not a profiler trace (export_chrome_trace writes one)",
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("sample"), BASE, "sample.json")


def gpu_ns(found: Reported) -> int:
    """From the first operation to the last, over all devices."""
    return sum(device["span_ns"] for device in found.document["devices"])


def events_of(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FILES[name].read_bytes())["traceEvents"]
    return found


def test_every_file_has_a_right_value() -> None:
    assert set(FILES) == {*RIGHT, *REFUSED}


@pytest.mark.parametrize("name", RIGHT)
async def test_the_right_values(name: str, run: Run, sample: Path) -> None:
    path, right = FILES[name], RIGHT[name]
    found = reported(run, path)
    figures = found.figures
    names = ("span_ns", "busy_ns", "gpu_ops", "linked")
    assert [figures[key] for key in names] == [getattr(right, key) for key in names]
    assert gpu_ns(found) == right.gpu_ns
    assert found.notices == right.notices
    assert [words for words in right.told if words not in found.text] == []
    assert [words for words in right.untold if words in found.text] == []
    compared(run, path, sample)
    await explored(path, (120, 40))


@pytest.mark.parametrize("name", REFUSED)
async def test_the_right_refusals(name: str, run: Run, sample: Path) -> None:
    assert refusal(run, FILES[name], sample) == REFUSED[name]
    assert await left_with(FILES[name]) == REFUSED[name]


def test_times_that_cannot_be_change_no_figure(run: Run, tmp_path: Path) -> None:
    """The file without the five events at 0 has the same figures, and nothing to note."""
    name = "z_zero_ts_5_of_195"
    rest = [event for event in events_of(name) if event["ts"] != 0]
    assert len(rest) == len(events_of(name)) - 5
    without = reported(run, write_trace(tmp_path, rest))
    with_them = reported(run, FILES[name])
    assert without.notices == {}
    for key in ("span_ns", "busy_ns", "idle_ns", "gpu_ops", "linked"):
        assert without.figures[key] == with_them.figures[key]
    assert without.document["kernels"] == with_them.document["kernels"]


@pytest.mark.parametrize("name", ["p02_236_years", "e4_sum_overflow_4"])
def test_no_sum_wraps_in_a_comparison(name: str, run: Run, tmp_path: Path) -> None:
    """With the same trace without the endless kernels: nothing of the GPU differs."""
    rest = [event for event in events_of(name) if event["dur"] < 1e9]
    found = compared(run, FILES[name], write_trace(tmp_path, rest))
    figures = {each["name"]: (each["a"], each["b"]) for each in found["metrics"]}
    assert figures["gpu_ns"] == (1_200_000, 1_200_000)
    assert figures["gpu_ops"] == (60, 60)


def test_copies_with_one_correlation_go_first_to_first() -> None:
    trace = load(FILES["p22_same_corr_copies"])
    launches = trace.launch[trace.gpu_ops].tolist()
    assert len(set(launches)) == 8
    copies = [row for row in trace.gpu_ops.tolist() if trace.name_of(row) == "CopyDeviceToHost"]
    assert len(copies) == 4
    calls = [int(trace.start[trace.launch[row]]) for row in copies]
    assert calls == sorted(calls)


def test_asynchronous_events_are_lanes() -> None:
    trace = load(FILES["p14_nccl_profiler"])
    # A begin and an end each.
    assert 2 * len(trace) == 48
    assert sorted(lane.label.split()[0] for lane in trace.lanes) == ["COLL", "GPU", "GROUP"]


async def test_lanes_of_jax_go_by_their_names() -> None:
    shown = "\n".join(await explored(FILES["p29_jax"], (120, 40)))
    assert [name for name in ("GPU 0 s20", "XLA Ops 21", "python 5") if name not in shown] == []


def test_numbers_that_cannot_be_are_absent() -> None:
    shaped = load(FILES["e1_min"])
    inputs = {shaped.name_of(row): shaped.inputs_of(row) for row in range(len(shaped))}
    product, scaled = inputs["aten::bmm"], inputs["aten::mul"]
    assert product is not None
    assert scaled is not None
    assert product.dims == ((128, 1024, 64), (128, 64, 1024))
    assert scaled.dims == ()
    # The process tells the device then.
    assert load(FILES["e2_device_int32max"]).device.tolist() == [0, 1]
    (device,) = load(FILES["e3_min"]).metadata.devices
    assert (device.max_threads_per_sm, device.compute_major) == (None, 9)


def test_the_first_of_a_list_of_traces_opens() -> None:
    """There is but one: nothing follows that would have to be said."""
    name = "h02b_list_of_obj"
    (only,) = json.loads(FILES[name].read_bytes())
    assert load(FILES[name]).events == len(only["traceEvents"])


def test_thousands_of_processes_have_a_lane_each_and_are_folded() -> None:
    path = FILES["pids5000"]
    trace = load(path)
    with gzip.open(path) as file:
        assert len(trace.lanes) == len(json.load(file)["traceEvents"]) == 5000
    labels = [track.label for track in Session.of(AnalysedTrace(trace)).tracks]
    assert f"{5000 - MOST_LANES:,} more lanes" in labels
