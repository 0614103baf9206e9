"""Fixtures for all tests. Makers of events and files are in `builders`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import CORPUS, write_trace
from hypothesis import settings

from attntui.trace import Trace, load

# Every run tries the same examples and none fails for being slow, so that a red run says
# something of the code; `pytest --hypothesis-profile=default` looks for new examples.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: one process more than there are cores, since many tests wait for a terminal."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session", autouse=True)
def _own_places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is kept beside what the user has, and nothing from one test to the next."""
    place = tmp_path_factory.mktemp("places")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTNTUI_NO_CACHE", "1")
        patch.setenv("ATTNTUI_CACHE_DIR", str(place / "cache"))
        patch.setenv("ATTNTUI_STATE_DIR", str(place / "state"))
        yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real traces beside the project; skips where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus of real traces does not lie beside the project")
    return CORPUS


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real traces of all kinds beside the project; skips where it is absent."""
    if not (CORPUS.parent / "public").is_dir():
        pytest.skip("no folder of real traces lies beside the project")
    return CORPUS.parent


@pytest.fixture
def make_trace(tmp_path: Path) -> Callable[..., Trace]:
    """`make_trace(events, **top_level)` writes a trace file and loads it."""

    def make(events: list[dict[str, Any]], **top_level: Any) -> Trace:
        return load(write_trace(tmp_path, events, **top_level))

    return make
