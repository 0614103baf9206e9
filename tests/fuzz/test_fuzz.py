"""Mutants of every run: the same ones each time; `python -m fuzz` tries others."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from driver import finished, loaded
from textual import events
from textual.pilot import Pilot

from attntui.safe import safe
from attntui.tui.app import AttntuiApp
from attntui.tui.screens.main import MainScreen
from attntui.view.options import Options
from attntui.view.session.keys import KEYS

from .checks import check
from .mutants import mutant
from .samples import NAMES, sample_text

PORTIONS, EACH = 20, 100
WHOLE_EVERY = 25
"""One of so many is put through all, the others are loaded, analysed and made JSON of."""

LEAVES = ("quit", "copy_to_file")
KEYS_EACH = 6
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


async def drawn(pilot: Pilot[None]) -> None:
    """Waits for what is under way; what is drawn holds nothing that a terminal acts on."""
    await finished(pilot, *WORKERS)
    await loaded(pilot)
    strips = pilot.app.screen._compositor.render_strips()
    assert not any(segment.control for strip in strips for segment in strip)
    assert [strip.text for strip in strips if safe(strip.text) != strip.text] == []


@pytest.mark.parametrize("portion", range(8))
async def test_mutants_are_drawn_by_the_app(portion: int, tmp_path: Path) -> None:
    path = tmp_path / "mutant.json"
    keys = [key for key in KEYS if key.name not in LEAVES]
    for seed in range(5 * portion, 5 * portion + 5):
        found, chance = mutant(seed), random.Random(seed)
        path.write_bytes(found.data)
        app = AttntuiApp([str(path)], Options())
        async with app.run_test(size=chance.choice([(80, 24), (120, 40)])) as pilot:
            await loaded(pilot)
            if app.failure is not None:
                assert safe(app.failure) == app.failure
                continue
            screen = app.screen
            assert isinstance(screen, MainScreen), found.words
            await drawn(pilot)
            for _ in range(KEYS_EACH):
                name = chance.choice(chance.choice(keys).keys)
                app.post_message(events.Key(name, name if len(name) == 1 else None))
                await drawn(pilot)
                while app.screen is not screen:
                    app.post_message(events.Key("escape", None))
                    await drawn(pilot)
        assert app.return_code in (None, 0), found.words


def test_mutants_led_by_coverage_load_or_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    command = [sys.executable, "-m", "fuzz.guided", str(tmp_path), "-runs=60", "-seed=1"]
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), str(tests.parent), *sys.path])
    told = {**os.environ, "PYTHONPATH": path}
    run = subprocess.run(command, cwd=tmp_path, env=told, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    assert len(list(tmp_path.iterdir())) >= len(NAMES)
