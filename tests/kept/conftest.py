"""Traces that may be kept, in a directory of the test's own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from keeping import SAMPLES, aged

from attntui.analysis.kept import opening
from attntui.trace.kept.shelf import ELSEWHERE, OFF, Shelf


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """The directory in which traces of any size are kept."""
    monkeypatch.delenv(OFF, raising=False)
    monkeypatch.setenv(ELSEWHERE, str(tmp_path / "cache"))
    monkeypatch.setattr(opening, "LEAST_EVENTS", 1)
    return Shelf(tmp_path / "cache" / "attntui")


@pytest.fixture
def sample(tmp_path: Path) -> Callable[..., Path]:
    """`sample(name)` copies a sample, as one that was written long ago."""

    def copied(name: str = "gaps_h200.json.gz") -> Path:
        return aged(Path(shutil.copy(SAMPLES / name, tmp_path / name)))

    return copied
