"""What opaque CPU bars are blamed on: cuDNN's planning, its calls, a first use, or nothing told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import Event, name_of, where_real
from findings_made import LONG, SHAPED, found, quiet
from made import annotation, call, frame, kernel, op

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import load
from attntui.view.words.findings import advice_text

END = 1_000_000 + 20 * LONG
OWN = 900_000


OTHER = {"Input Dims": [[2048], [2048]], "Input type": ["float", "float"]}


def bar(name: str, number: int, launches: str = "k", **inputs: Any) -> list[Event]:
    """The `number`-th op that takes `OWN` before it launches, after a quiet trace."""
    at = END + number * 2 * OWN
    return [
        op(name, at, at + OWN, **(inputs or SHAPED)),
        call("cudaLaunchKernel", at + OWN - 3_000, at + OWN - 2_000, 100 + number),
        kernel(launches, at + OWN - 1_500, at + OWN + 1_000, 100 + number),
    ]


def short(name: str, number: int) -> list[Event]:
    """The same op once more, quick this time."""
    at = END + number * 2 * OWN
    return [
        op(name, at, at + 9_000, **SHAPED),
        call("cudaLaunchKernel", at + 4_000, at + 5_000, 100 + number),
        kernel("k", at + 6_000, at + 7_000, 100 + number),
    ]


def advice(*pieces: list[Event]) -> str:
    return advice_text(
        found([*quiet(), *(event for piece in pieces for event in piece)])["opaque-cpu"]
    )


CUDNN = pytest.mark.parametrize(
    ("name", "launches"),
    [
        ("aten::cudnn_convolution", "conv"),
        ("aten::convolution", "conv"),
        ("ConvolutionBackward0", "conv"),
        ("aten::_cudnn_attention_forward", "k"),
        ("my::conv", "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x"),
    ],
)


@CUDNN
def test_cudnn_plans_where_the_op_or_its_kernel_is_cudnn_s(name: str, launches: str) -> None:
    told = advice(bar(name, 0, launches), bar(name, 1, launches, **OTHER))
    assert "cuDNN" in told
    assert "plan" in told


@CUDNN
def test_what_is_as_slow_with_shapes_that_it_had_is_no_planning(name: str, launches: str) -> None:
    told = advice(bar(name, 0, launches), bar(name, 1, launches))
    assert "cuDNN" in told
    assert "at each call" in told
    assert "same shapes" in told
    assert "choosing a plan" not in told
    # One more that had these shapes is no news either, however quick it was.
    assert "choosing a plan" not in advice(short(name, 0), bar(name, 1, launches))


def test_shapes_that_were_not_recorded_are_not_called_new_or_known() -> None:
    untold: dict[str, Any] = {"External id": 3}
    events = [bar("aten::cudnn_convolution", number, **untold) for number in (0, 1)]
    assert "cuDNN" not in advice(*events)
    assert "choosing a plan" in advice(bar("aten::cudnn_convolution", 0, **untold))


def test_a_first_use_alone_is_loading_or_compiling() -> None:
    for told in (
        advice(bar("aten::frac", 0)),
        advice(bar("aten::frac", 0), short("aten::frac", 1)),
        advice(bar("aten::frac", 0), bar("aten::log1p", 1)),
    ):
        assert "first use" in told
        assert "CUDA_MODULE_LOADING=EAGER" in told
        assert "cuDNN" not in told


def test_what_recurs_is_not_explained() -> None:
    told = advice(bar("my::op", 0), bar("my::op", 1))
    later = advice(short("my::op", 0), bar("my::op", 1))
    norm = advice(bar("aten::cudnn_batch_norm", 0), bar("aten::cudnn_batch_norm", 1))
    for text in (told, later, norm):
        assert "cuDNN" not in text
        assert "first use" not in text
        assert "with_stack=True" in text


def test_the_kind_with_most_time_counts() -> None:
    told = advice(bar("aten::frac", 0), bar("my::op", 1), bar("my::op", 2))
    assert "first use" not in told


OF_SAMPLES = {
    # Its cuDNN attention takes as long at each of four calls with the same shapes.
    "train-sdpa_l2_b1_h4_s256_d64_bf16_h200": "at each call",
}
OF_CORPUS = {"hta_a100_nccl": "with_stack=True"}


@pytest.mark.parametrize("path", where_real(OF_SAMPLES, OF_CORPUS), ids=name_of)
def test_in_the_samples_and_the_corpus(path: Path) -> None:
    seen = {finding.id: finding for finding in AnalysedTrace(load(path)).whole.findings}
    assert (OF_SAMPLES | OF_CORPUS)[name_of(path)] in advice_text(seen["opaque-cpu"])


@pytest.mark.parametrize(
    "path",
    where_real(
        ["gaps_h200", "decode-sdpa_l4_b1_h12_s1024_d64_bf16_h200"],
        ["tracelens_b200_vllm_eager"],
    ),
    ids=name_of,
)
def test_first_uses_and_frames_leave_nothing_opaque(path: Path) -> None:
    """Code loads, cuDNN's plans of a growing cache, and custom ops that Python frames tell."""
    seen = {finding.id for finding in AnalysedTrace(load(path)).whole.findings}
    assert "opaque-cpu" not in seen
    assert "first-use-load" in seen


def test_a_first_use_is_not_opaque() -> None:
    """Slow once, then quick three times with the same shapes."""
    at = END + 10 * OWN
    slow = [
        op("my::op", at, at + 2 * OWN, **SHAPED),
        call("cudaLaunchKernel", at + 2 * OWN - 3_000, at + 2 * OWN - 2_000, 300),
        kernel("k", at + 2 * OWN - 1_500, at + 2 * OWN + 1_000, 300),
    ]
    later = [event for number in (6, 7, 8) for event in short("my::op", number)]
    assert "opaque-cpu" not in found([*quiet(), *slow, *later])
    # Two later calls tell no usual time.
    assert "opaque-cpu" in found([*quiet(), *slow, *later[:-3]])


def test_an_op_is_charged_until_the_launch_and_no_further() -> None:
    """What it does once the launch began is beside the kernel, and no cause of the gap."""
    at = END + OWN
    late = [
        # Dispatched by another op before, which is no opaque one.
        op("aten::view", END, END + 5_000, **SHAPED),
        op("my::op", at, at + OWN, **SHAPED),
        call("cudaLaunchKernel", at + OWN - 3_000, at + OWN - 2_000, 100),
        kernel("k", at + OWN - 500, at + OWN + 9_000, 100),
    ]
    seen = found([*quiet(), *late])["opaque-cpu"]
    assert seen.cost_ns == OWN - 3_000
    assert [piece.ns for piece in seen.evidence] == [OWN - 3_000]


def test_evidence_shows_no_time_of_another_finding() -> None:
    """The GPU idles in both ops; one gap is the data loader's, in which an op ran too."""
    loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    around = annotation(loader, END - 10, END + OWN - 10_000)
    seen = found([*quiet(), *bar("my::op", 0), around, *bar("my::op", 1)])
    # What the data loader leaves of the first: the end, before the launch.
    ranked = [piece.ns for piece in seen["opaque-cpu"].evidence]
    assert ranked == [OWN - 3_000, 7_000]
    assert sum(ranked) == seen["opaque-cpu"].cost_ns


def test_an_op_of_another_thread_is_not_to_blame() -> None:
    """The GPU waits for the main thread, while an op of another one, long as well, launches."""
    mine = bar("my::op", 0)
    other = [event | {"tid": 2} if event["cat"] != "kernel" else event for event in bar("x::y", 0)]
    for event in other:
        if "correlation" in event["args"]:
            event["args"]["correlation"] += 900
    other[-1]["ts"] += 1_000
    rows = found([*quiet(), *mine, *other])["opaque-cpu"]
    assert rows.figures["cpu_ops"] == 1
    assert rows.names["op"] == "my::op"


def test_a_frame_inside_explains_an_op() -> None:
    inside = frame("layer.py(3): forward", END, END + OWN - 10_000)
    assert "opaque-cpu" not in found([*quiet(), *bar("my::op", 0), inside])
    starts = (END, END + 2 * OWN)
    halves = [frame("layer.py(3): forward", start, start + OWN // 2) for start in starts]
    opaque = found([*quiet(), *bar("my::op", 0), *bar("my::op", 1), *halves])["opaque-cpu"]
    assert opaque.figures["unexplained_ns"] == 2 * (OWN // 2 - 1_000)
    assert "No Python frame ran in them" in advice_text(opaque)


def test_steps_and_annotations_are_never_opaque() -> None:
    """As an old file has them: as ops."""
    step = bar("ProfilerStep#3", 0)
    step += bar("Optimizer.step#SGD.step", 1)
    step += bar("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 2)
    assert "opaque-cpu" not in found([*quiet(), *step])
