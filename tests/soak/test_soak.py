"""A small portion of the soak in every run; `python -m soak` presses more."""

from __future__ import annotations

from pathlib import Path

import pytest

from .odd_traces import written
from .soak import soak

KEYS = 150


@pytest.mark.parametrize("names", [(), ("hostile",), ("one_event", "cpu_only")])
async def test_random_keys_leave_the_app_alive(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = await soak(written(names, tmp_path), KEYS, seed=len(names))
    assert outcome.keys == KEYS
