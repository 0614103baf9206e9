"""Each kind of odd input through loader, reports, comparison and app: what is whole is right, what
was odd is said, and what is no trace is refused in a line.
"""

from __future__ import annotations

from pathlib import Path

import builders
import pytest

from attntui.trace import load, loading

from . import events, files, times
from .case import BASE, WHOLE, Case
from .surfaces import Run, compared, explored, left_with, refusal, reported, runner

CASES = {**files.CASES, **times.CASES, **events.CASES}
OPENED = {name: case for name, case in CASES.items() if not case.refused}
REFUSED = {name: case for name, case in CASES.items() if case.refused}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What each input is compared with."""
    return builders.write_trace(tmp_path_factory.mktemp("sample"), BASE, "sample.json")


@pytest.fixture
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Case:
    found: Case = CASES[request.param]
    if found.memory is not None:
        monkeypatch.setattr(loading, "available_memory", lambda: found.memory)
    return found


def test_no_two_inputs_go_by_one_name() -> None:
    assert len(CASES) == sum(len(each.CASES) for each in (files, times, events))


@pytest.mark.parametrize("case", OPENED, indirect=True)
async def test_what_opens(case: Case, tmp_path: Path, sample: Path, run: Run) -> None:
    path = case.made(tmp_path)
    found = reported(run, path)
    assert found.notices == case.notices
    trace = load(path)
    figures = {**found.figures, "rows": len(trace), "lanes": len(trace.lanes)}
    assert figures == {**WHOLE, **case.figures}
    everything = "\n".join((found.text, *found.notes))
    assert [words for words in case.told if words not in everything] == []
    assert [words for words in case.untold if words in found.text] == []
    diff = compared(run, path, sample)
    (ops,) = (metric for metric in diff["metrics"] if metric["name"] == "gpu_ops")
    assert ops["a"] + diff["a"]["gpu_ops_in_no_unit"] == figures["gpu_ops"]
    assert ops["b"] == WHOLE["gpu_ops"]
    title = (await explored(path))[0]
    count = len(case.notices)
    assert (f"! {count} notice" in title) == (count > 0)


@pytest.mark.parametrize("case", REFUSED, indirect=True)
async def test_what_is_refused(case: Case, tmp_path: Path, sample: Path, run: Run) -> None:
    path = case.made(tmp_path)
    said = refusal(run, path, sample)
    assert case.refused in said
    assert await left_with(path) == said
