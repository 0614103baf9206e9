"""`attntui diff`: two traces, more than two, units, orders, and errors of one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import SAMPLES, annotation, cpu_op, launched, name_of, where_real, write_trace

from attntui.cli import main


@pytest.fixture
def traces(tmp_path: Path) -> list[str]:
    """Three traces of two steps, each with one annotated op of 40, 10 and 20 us."""
    paths = []
    for number, dur in enumerate((40, 10, 20)):
        events = []
        for step in range(2):
            now = step * 200
            events += [
                annotation(f"ProfilerStep#{step}", now, 150),
                annotation("attn_fwd", now + 1, 100),
                cpu_op("aten::mm", now + 2, 20),
                *launched(step + 1, now + 3, now + 30, dur, "gemm"),
            ]
        paths.append(str(write_trace(tmp_path, events, f"t{number}.json")))
    return paths


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["diff", *arguments]) == 0
    return capsys.readouterr().out


def data(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(capsys, *arguments, "--json"))
    return found


def test_two_traces(traces: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, *traces[:2])
    assert "Compared by annotation attn_fwd" in text
    assert "4.0x faster" in text
    assert "\x1b" not in text
    assert "| GPU time | 40.00 us | 10.00 us |" in printed(capsys, *traces[:2], "--markdown")
    metrics = data(capsys, *traces[:2])["metrics"]
    assert [metric["name"] for metric in metrics[:3]] == ["span_ns", "gpu_ns", "cpu_ns"]
    assert metrics[1] == {
        "name": "gpu_ns",
        "label": "GPU time",
        "a": 40_000,
        "b": 10_000,
        "delta": -30_000,
        "ratio": 0.25,
        "verdict": "4.0x faster",
        "covers": None,
        "a_gpu_time_covered": None,
        "b_gpu_time_covered": None,
    }


def test_swapped_it_is_mirrored(traces: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    there, back = data(capsys, *traces[:2]), data(capsys, *traces[1::-1])
    assert [(m["a"], m["b"]) for m in there["metrics"]] == [
        (m["b"], m["a"]) for m in back["metrics"]
    ]


@pytest.mark.parametrize(
    ("unit", "kind", "count"),
    [("attn_fwd", "annotation", 2), ("step", "step", 2), ("window", "window", 1)],
)
def test_the_unit_can_be_chosen(
    traces: list[str], capsys: pytest.CaptureFixture[str], unit: str, kind: str, count: int
) -> None:
    found = data(capsys, *traces[:2], "--unit", unit)["unit"]
    assert (found["kind"], found["a_count"]) == (kind, count)


def test_more_than_two_traces(traces: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, *traces).splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["t0", "t1", "t2"]
    assert "the first" in lines[2]
    assert "2.0x faster" in lines[4]
    lines = printed(capsys, *traces, "--sort", "gpu").splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["t1", "t2", "t0"]
    found = data(capsys, *traces, "--sort", "gpu")
    assert Path(found["traces"][0]["path"]).name == "t1.json"
    assert Path(found["base"]["path"]).name == "t0.json"


def test_rows_can_be_cut_and_sorted(traces: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, *traces[:2], "--top", "0", "--sort", "name")
    assert "1 more" in text
    assert "aten::mm" not in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["A"], "two traces"),
        ([], "TRACE"),
        (["A", "B", "--unit", "nothing"], "they share attn_fwd, step, window"),
        (["A", "B", "--sort", "gpu"], "delta, a, b, name, order"),
        (["A", "B", "A", "--sort", "delta"], "given, span, name, gpu"),
        (["A", "B", "--json", "--markdown"], "not allowed with"),
        (["A", "no/such.json"], "no/such.json"),
    ],
)
def test_errors_are_one_line_and_code_two(
    traces: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    named = {"A": traces[0], "B": traces[1]}
    assert main(["diff", *(named.get(word, word) for word in arguments)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_help_names_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "attntui diff A B" in capsys.readouterr().out


@pytest.mark.parametrize(
    "paths",
    [
        pair
        for pair in (
            where_real(f"{name}_b8_h16_s1024_d64_bf16_h200" for name in ("naive", "flash")),
            where_real((), ("h200/blog_naive", "h200/blog_sdpa_flash")),
        )
        if pair
    ],
    ids=lambda paths: name_of(paths[0]),
)
def test_the_example_of_the_guide(paths: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, *map(str, paths))
    metrics = {metric["name"]: metric for metric in found["metrics"]}
    assert (metrics["gpu_ops"]["a"], metrics["gpu_ops"]["b"]) == (7, 1)
    memsets = [row for row in found["rows"] if row["role"] == "memset"]
    assert [(row["a_ops"], row["match"]) for row in memsets] == [(1, "only_a")]
    assert sum(row["delta_gpu_ns"] for row in found["rows"]) == metrics["gpu_ns"]["delta"]
    # Every figure can be had from the two summaries.
    for side, path in zip("ab", paths, strict=True):
        assert main(["summary", "--json", str(path)]) == 0
        summary = json.loads(capsys.readouterr().out)["annotations"]["attn_fwd"]
        unit = summary[found[side]["unit_index"]]
        for figure in ("gpu_ns", "cpu_ns", "gpu_ops"):
            assert metrics[figure][side] == unit[figure]


def test_the_samples(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [SAMPLES / f"{name}_b8_h16_s1024_d64_bf16_h200.json.gz" for name in ("naive", "flash")]
    found = data(capsys, *map(str, paths))
    metrics = {metric["name"]: metric for metric in found["metrics"]}
    assert (metrics["gpu_ops"]["a"], metrics["gpu_ops"]["b"]) == (7, 1)
    assert metrics["memsets"]["a"] == 1
    assert metrics["hbm_bytes"]["a"] == pytest.approx(2.75e9, rel=0.002)
    assert metrics["hbm_bytes"]["b"] == pytest.approx(0.0675e9, rel=0.01)
    assert [row["match"] for row in found["rows"]] == ["both", "only_a"]
