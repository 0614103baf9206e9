"""The app keeps what it opened, beside the screens, and opens it from there."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from builders import SAMPLES
from driver import Opened, finished
from textual.app import App

from attntui.analysis.kept import opening
from attntui.trace.kept import notes, shelf
from attntui.trace.kept.shelf import Shelf
from attntui.trace.model import ABSENT
from attntui.tui import keeper
from attntui.tui.app import AttntuiApp
from attntui.tui.widgets.detail import DetailView
from attntui.view.detail.items import plain
from attntui.view.session.selection import EventAt


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    monkeypatch.delenv(shelf.OFF, raising=False)
    monkeypatch.setenv(shelf.ELSEWHERE, str(tmp_path / "cache"))
    monkeypatch.setenv(notes.ELSEWHERE, str(tmp_path / "state"))
    monkeypatch.setattr(opening, "LEAST_EVENTS", 1)
    monkeypatch.setattr(keeper, "_AFTER_S", 0)
    monkeypatch.setattr("attntui.trace.kept.key._SETTLED_S", -100)
    return Shelf(tmp_path / "cache" / "attntui")


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLES / "gaps_h200.json.gz", tmp_path))


def kept(app: App[None]) -> None:
    """What is being kept has been."""
    assert isinstance(app, AttntuiApp)
    for thread in app.keeper._threads:
        thread.join()


def drawn(app: App[None]) -> list[str]:
    """The lines on screen."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


async def test_a_trace_is_kept_and_opens_from_there(
    opened: Opened, place: Shelf, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(sample, pane=None) as (pilot, screen):
        kept(pilot.app)
        event = EventAt(int(screen.session.trace.gpu_ops[-1]))
        screen.step(lambda session: session.going_to(event))
        await finished(pilot)
        detail = plain(screen.query_one(DetailView).items)
        before = drawn(pilot.app)
    assert sorted(held.path.suffix for held in place.held()) == [opening.COLUMNS, opening.FACTS]
    monkeypatch.setattr(opening, "load", None)
    async with opened(sample, pane=None, fresh=True) as (pilot, again):
        await finished(pilot, "_go_through")
        again.step(lambda session: session.going_to(event))
        await finished(pilot)
        assert plain(again.query_one(DetailView).items) == detail
        assert drawn(pilot.app) == before
        assert int(again.session.trace.launch[event.row]) != ABSENT


async def test_what_is_kept_on_the_way_out_is_given_up(
    opened: Opened, place: Shelf, sample: Path
) -> None:
    async with opened(sample, pane=None) as (pilot, screen):
        assert isinstance(pilot.app, AttntuiApp)
        kept(pilot.app)
        for held in place.held():
            held.path.unlink()
        pilot.app.keeper.stop()
        screen.action_reload()
        await finished(pilot, "_load")
        assert screen.session.said == "reloaded"
        kept(pilot.app)
    assert place.held() == []
    assert not list(place.place.iterdir())


async def test_a_file_read_again_is_kept_as_it_is_now(
    opened: Opened, place: Shelf, sample: Path
) -> None:
    async with opened(sample, pane=None) as (pilot, screen):
        kept(pilot.app)
        shutil.copy(SAMPLES / "naive_b8_h16_s1024_d64_bf16_h200.json.gz", sample)
        screen.action_reload()
        await finished(pilot, "_load")
        kept(pilot.app)
        now = len(screen.session.trace)
    found = opening.open_trace(str(sample))
    assert found.reopened
    assert len(found.trace) == now


def test_without_a_thread_nothing_is_kept(
    place: Shelf, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    found = opening.open_trace(str(sample))
    monkeypatch.setattr(threading.Thread, "start", start)
    keeping = keeper.Keeper()
    keeping.keep(found, found.analysed(), {})
    keeping.stop()
    assert place.held() == []


async def test_without_a_cache_nothing_is_kept(opened: Opened, place: Shelf, sample: Path) -> None:
    async with opened(sample, pane=None, cache=False) as (pilot, _):
        kept(pilot.app)
    assert not place.place.exists()
