"""`record` round the user's own step."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from trace_facts import annotations, load

from capture import record
from capture.errors import CaptureError


def test_a_loop_is_labelled_warmed_up_and_described(tmp_path: Path) -> None:
    model = torch.nn.Linear(8, 8)
    seen = []
    with record(
        "my step", out=tmp_path, steps=2, warmup=1, device="cpu", metadata={"batch": 4}
    ) as trace:
        for index in trace.steps():
            seen.append(index)
            model(torch.ones(4, 8))
    assert seen == [0, 1, 2, 3]
    assert trace.written
    assert trace.path == tmp_path / "my-step_cpu.json.gz"
    held = load(trace.path)
    assert len(annotations(held, "my step")) == 2
    assert held["attntui"]["user"] == {"batch": 4}
    assert held["attntui"]["workload"] == "my step"


def test_items_of_a_loader_are_the_steps(tmp_path: Path) -> None:
    with record("s", out=tmp_path, steps=1, warmup=1, wait=0, device="cpu") as trace:
        assert list(trace.steps("abc")) == ["a", "b"]
    assert trace.path.exists()


def test_a_loop_too_short_writes_nothing_and_says_so(tmp_path: Path) -> None:
    with (
        pytest.raises(CaptureError, match=r"saw 2 of 7 steps"),
        record("s", out=tmp_path, device="cpu") as trace,
    ):
        list(trace.steps("ab"))
    assert list(tmp_path.iterdir()) == []


def test_an_exception_of_the_users_passes_through(tmp_path: Path) -> None:
    def loop() -> None:
        with record("s", out=tmp_path, device="cpu") as trace:
            for _ in trace.steps():
                raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        loop()
    assert list(tmp_path.iterdir()) == []


def test_a_decorated_step_records_its_first_calls_then_runs_plain(tmp_path: Path) -> None:
    recorder = record("train", out=tmp_path, steps=2, warmup=1, device="cpu")

    @recorder
    def step(value: int) -> int:
        """Doubles."""
        torch.ones(2).add_(1)
        return 2 * value

    assert [step(value) for value in range(6)] == [0, 2, 4, 6, 8, 10]
    assert step.__doc__ == "Doubles."
    assert len(annotations(load(recorder.path), "train")) == 2


def test_a_decorated_step_that_fails_ends_the_recording_and_no_more(tmp_path: Path) -> None:
    @record("train", out=tmp_path, device="cpu")
    def step(batch: int) -> int:
        if batch == 1:
            raise ValueError("bad batch")
        return batch

    assert step(0) == 0
    with pytest.raises(ValueError, match="bad batch"):
        step(1)
    assert [step(batch) for batch in range(2, 12)] == list(range(2, 12))
    assert list(tmp_path.iterdir()) == []


def test_metadata_that_is_no_json_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="JSON values"):
        record("s", out=tmp_path, device="cpu", metadata={"dtype": torch.float32})
