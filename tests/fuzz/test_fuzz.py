"""Mutants of every run: the same ones each time; `python -m fuzz` tries others."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from driver import finished, loaded
from textual import events
from textual.pilot import Pilot

from attntui.analysis.analysed import AnalysedTrace
from attntui.safe import safe
from attntui.trace import load
from attntui.tui.app import AttntuiApp
from attntui.tui.screens.compare import CompareScreen
from attntui.tui.screens.loading import LoadingScreen
from attntui.tui.screens.main import MainScreen
from attntui.view.options import Options
from attntui.view.reports import summary
from attntui.view.session.keys import COMPARE_KEYS, KEYS, Key

from .checks import check
from .mutants import mutant
from .samples import NAMES, sample_text

PORTIONS, EACH = 20, 100
WHOLE_EVERY = 40
"""One of so many is put through all, the others are loaded, analysed and made JSON of."""

LEAVES = ("quit", "copy_to_file")
KEYS_EACH = 5
COMPARED_EVERY = 5
"""One of so many is opened beside the sample that was damaged."""

WORKERS = ("_load", "_find_slice", "_toggle_instances", "_align", "_search")


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_mutants_are_refused_in_a_line_or_make_sense(portion: int, tmp_path: Path) -> None:
    for seed in range(portion * EACH, (portion + 1) * EACH):
        found = mutant(seed)
        try:
            check(found, tmp_path, whole=seed % WHOLE_EVERY == 0)
        except Exception as error:
            raise AssertionError(f"{found.words}: {error!r}") from error


def test_a_mutant_follows_from_its_number() -> None:
    assert [mutant(seed) for seed in range(40)] == [mutant(seed) for seed in range(40)]
    assert len({mutant(seed).data for seed in range(40)}) == 40


@pytest.mark.parametrize("name", NAMES)
def test_undamaged_samples_pass_whole(name: str, tmp_path: Path) -> None:
    as_it_is = next(found for found in map(mutant, range(10_000)) if found.sample == name)
    outcome = check(replace(as_it_is, data=sample_text(name)), tmp_path)
    assert outcome.refused is None
    assert not {"bad_event", "outlier", "impossible_duration", "truncated"} & {*outcome.notices}


def later(trace: dict[str, Any]) -> None:
    for event in trace["traceEvents"]:
        if "ts" in event:
            event["ts"] += 1_000_000


def with_text_ids(trace: dict[str, Any]) -> None:
    for event in trace["traceEvents"]:
        event.update((key, str(event[key])) for key in ("pid", "tid") if key in event)


def in_another_order(trace: dict[str, Any]) -> None:
    random.Random(1).shuffle(trace["traceEvents"])


@pytest.mark.parametrize("change", [later, with_text_ids, in_another_order])
@pytest.mark.parametrize("name", NAMES)
def test_figures_do_not_stand_on_how_a_trace_is_written(
    name: str, change: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    if (name, change) == ("pairs", in_another_order):
        pytest.skip("begins and ends pair in the order of the file")
    found = []
    for changes in ([], [change]):
        trace = json.loads(sample_text(name))
        for each in changes:
            each(trace)
        (tmp_path / "trace.json").write_text(json.dumps(trace))
        document = summary.document(AnalysedTrace(load(tmp_path / "trace.json")))
        found.append({key: document[key] for key in ("devices", "time_tree", "attention_kinds")})
    assert found[0] == found[1]


async def drawn(pilot: Pilot[None]) -> None:
    """Waits for what is under way; what is drawn holds nothing that a terminal acts on."""
    await finished(pilot, *WORKERS)
    await loaded(pilot)
    strips = pilot.app.screen._compositor.render_strips()
    assert not any(segment.control for strip in strips for segment in strip)
    assert [strip.text for strip in strips if safe(strip.text) != strip.text] == []


async def press(pilot: Pilot[None], keys: Sequence[Key], chance: random.Random) -> None:
    """Presses a few keys, and leaves with Esc whatever opens over the screen."""
    screen = pilot.app.screen
    for _ in range(KEYS_EACH):
        name = chance.choice(chance.choice(keys).keys)
        pilot.app.post_message(events.Key(name, name if len(name) == 1 else None))
        await drawn(pilot)
        while pilot.app.screen is not screen:
            pilot.app.post_message(events.Key("escape", None))
            await drawn(pilot)


@pytest.mark.parametrize("seed", range(40))
async def test_mutants_are_drawn_by_the_app(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found, chance = mutant(seed), random.Random(seed)
    files = {"mutant.json": found.data}
    if seed % COMPARED_EVERY == 0:
        files["sample.json"] = sample_text(found.sample)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    app = AttntuiApp([*files], Options())
    async with app.run_test(size=chance.choice([(80, 24), (120, 40)])) as pilot:
        while isinstance(app.screen, LoadingScreen):
            await loaded(pilot)
        await drawn(pilot)
        if app.failure is None:
            assert isinstance(app.screen, MainScreen | CompareScreen)
            keys = KEYS if len(files) == 1 else COMPARE_KEYS
            await press(pilot, [key for key in keys if key.name not in LEAVES], chance)
    assert app.return_code in ((None, 0) if app.failure is None else (None, 0, 2)), app.failure
    assert app.failure is None or safe(app.failure) == app.failure


def test_mutants_led_by_coverage_load_or_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    command = [sys.executable, "-m", "fuzz.guided", str(tmp_path), "-runs=60", "-seed=1"]
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), str(tests.parent), *sys.path])
    told = {**os.environ, "PYTHONPATH": path}
    run = subprocess.run(command, cwd=tmp_path, env=told, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    assert len(list(tmp_path.iterdir())) >= len(NAMES)
