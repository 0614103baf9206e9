"""The command's answers: lists, failure lines, exit statuses, a machine without torch."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from capture import suite
from capture.cli import main
from capture.errors import Refusal

ROOT = Path(__file__).resolve().parents[2]
SMALL = ["--device", "cpu", "--batch", "1", "--heads", "2", "--seq", "16", "--head-dim", "16"]
no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a CUDA device")


def bare(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the package with an interpreter that sees no installed package."""
    return subprocess.run(
        [sys.executable, "-S", "-m", "capture", *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_list_needs_no_package_at_all() -> None:
    done = bare("list")
    assert done.returncode == 0
    for name in ("naive-inplace", "hub-flash", "decode-sdpa", "gaps", "suite attention"):
        assert name in done.stdout


def test_without_torch_one_line_says_what_to_install() -> None:
    done = bare("run", "naive")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install torch" in done.stderr
    assert sys.executable in done.stderr


@no_gpu
@pytest.mark.parametrize("command", [["run", "naive"], ["suite", "gaps"], ["ceilings"]])
def test_without_cuda_one_line_names_the_way_out(
    command: list[str], tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--device cpu" in said
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_name_is_told(capsys) -> None:
    assert main(["run", "naive", "flsh", *SMALL]) == 2
    assert "flsh" in capsys.readouterr().err


def test_a_device_that_is_none_is_told(capsys) -> None:
    assert main(["info", "--device", "toaster"]) == 2
    assert "toaster" in capsys.readouterr().err


def test_a_folder_that_takes_no_files_is_told(tmp_path: Path, capsys) -> None:
    (tmp_path / "file").touch()
    assert main(["run", "math", *SMALL, "--out", str(tmp_path / "file" / "x")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "--out" in said


def test_refusals_alone_are_a_failure_with_their_reason(tmp_path: Path, capsys) -> None:
    assert main(["run", "triton", *SMALL, "--out", str(tmp_path)]) == 2
    assert "nothing was captured: triton: the Triton kernels need" in capsys.readouterr().err


def test_out_of_memory_is_recorded_and_the_next_still_runs(
    tmp_path: Path, monkeypatch, capsys
) -> None:
    real = suite.attention_workload

    def hungry(name: str, *rest: object, **more: object) -> object:
        if name == "naive":
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 64.00 GiB.")
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(suite, "attention_workload", hungry)
    assert main(["run", "naive", "math", *SMALL, "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "out of GPU memory at naive b1_h2_s16_d16_bf16" in said
    assert "lower --batch" in said
    assert [path.name for path in tmp_path.glob("*.gz")] == ["math_b1_h2_s16_d16_bf16_cpu.json.gz"]


def test_a_full_disk_ends_the_run_with_one_line(tmp_path: Path, monkeypatch, capsys) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("capture.traces.shutil.copyfileobj", full)
    assert main(["run", "math", "naive", *SMALL, "--out", str(tmp_path)]) == 2
    assert "No space left on device" in capsys.readouterr().err.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_traces_leaves_whole_files_and_a_true_manifest(
    number: signal.Signals, tmp_path: Path, monkeypatch, capsys
) -> None:
    real = suite.attention_workload

    def interrupted(name: str, *rest: object, **more: object) -> object:
        if name == "auto":
            signal.raise_signal(number)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(suite, "attention_workload", interrupted)
    before = signal.getsignal(number)
    assert main(["run", "math", "auto", *SMALL, "--out", str(tmp_path)]) == 130
    assert signal.getsignal(number) is before
    assert "interrupted" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "math_b1_h2_s16_d16_bf16_cpu.json.gz",
        "run_cpu.json",
    ]
    told = json.loads((tmp_path / "run_cpu.json").read_text(encoding="utf-8"))
    assert told["jobs"] == 2
    assert [one["file"] for one in told["outcomes"]] == ["math_b1_h2_s16_d16_bf16_cpu.json.gz"]


@pytest.mark.parametrize("wrap", [False, True], ids=["swallowed", "made another error"])
def test_an_interrupt_that_a_compiler_swallows_still_ends_the_run(
    wrap: bool, tmp_path: Path, monkeypatch, capsys
) -> None:
    real = suite.attention_workload

    def swallowing(name: str, *rest: object, **more: object) -> object:
        if name == "auto":
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                if wrap:
                    raise Refusal("compiler failed") from None
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(suite, "attention_workload", swallowing)
    assert main(["run", "math", "auto", "naive", *SMALL, "--out", str(tmp_path)]) == 130
    assert "interrupted" in capsys.readouterr().err
    told = json.loads((tmp_path / "run_cpu.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in told["outcomes"]] == ["math"]


@no_gpu
def test_info_without_a_gpu_is_of_the_cpu(capsys) -> None:
    assert main(["info"]) == 0
    assert json.loads(capsys.readouterr().out)["device"] == "cpu"


def test_a_run_ends_with_what_to_type_next(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "capture", "run", "naive", "math", *SMALL, "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    last = done.stdout.splitlines()[-1]
    assert last.startswith("next: attntui ")
    files = shlex.split(last)[2:]
    assert [Path(file).name.split("_")[0] for file in files] == ["naive", "math"]
    assert all(Path(file).is_file() for file in files)
    # Nothing of Kineto's own.
    assert "USDT" not in done.stdout + done.stderr


def test_info_and_ceilings_speak_of_the_cpu_too(capsys) -> None:
    assert main(["info", "--device", "cpu"]) == 0
    assert json.loads(capsys.readouterr().out)["torch"] == torch.__version__
    assert main(["ceilings", "--device", "cpu", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["copy_gbps"] > 0
    assert told["fp32_tflops"] > 0


def test_ceilings_go_into_the_trace(tmp_path: Path) -> None:
    assert main(["run", "math", *SMALL, "--ceilings", "--out", str(tmp_path)]) == 0
    told = json.loads((tmp_path / "run_cpu.json").read_text(encoding="utf-8"))
    assert told["ceilings"]["copy_gbps"] > 0
