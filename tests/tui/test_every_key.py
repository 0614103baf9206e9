"""Every key of the key tables on real traces: after each, all panes tell the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from driver import Opened, compared_with, finished
from rich.cells import cell_len
from textual import events
from textual.pilot import Pilot
from textual.widgets import Static

from attntui.safe import safe
from attntui.tui.app import AttntuiApp
from attntui.tui.screens.compare import CompareScreen
from attntui.tui.screens.loading import LoadingScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.widgets.detail import DetailView
from attntui.tui.widgets.status import StatusLine
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.table_pane import TablePane
from attntui.tui.widgets.timeline import TimelineView
from attntui.view.detail import detail_of
from attntui.view.options import Options
from attntui.view.session.compare_session import CompareSession
from attntui.view.session.keys import COMPARE_KEYS, KEYS, Key
from attntui.view.session.session import Session
from attntui.view.words import status

SAMPLES = Path(__file__).parents[2] / "sample_traces"
STACKS = "prefill-naive_l4_b1_h12_s1024_d64_bf16_h200.json.gz"
GAPS = "gaps_h200.json.gz"
ON_THE_CPU = "naive_b1_h4_s256_d64_bf16_cpu.json.gz"
LEAVE = ("quit", "copy_to_file")
WORKERS = ("_load", "_find_slice", "_toggle_instances", "_align", "_search")


def drawn_as_wide(widget: TimelineView | VirtualTable) -> None:
    """Every line fills the widget, and holds nothing that a terminal acts on."""
    for y in range(widget.size.height):
        strip = widget.render_line(y)
        text = strip.text
        assert safe(text) == text
        assert cell_len(text) == strip.cell_length
        if isinstance(widget, TimelineView):
            assert strip.cell_length == widget.size.width


def timeline_tells(widget: TimelineView, session: Session) -> None:
    """The timeline draws the session, with its cursor on screen and inside the bounds."""
    timeline = session.timeline
    view = timeline.viewport
    assert widget.session is session
    assert view.low <= view.t0 < view.t1 <= view.high
    assert view.t0 <= timeline.cursor < view.t1
    lines = timeline.lines(session.tracks)
    assert 0 <= timeline.line < max(len(lines), 1)
    if widget.size.height:
        drawn_as_wide(widget)
        assert timeline.line in widget.on_screen


def main_screen_tells_the_same(screen: MainScreen) -> None:
    session = screen.session
    timeline_tells(screen.query_one(TimelineView), session)
    told = detail_of(session.slice, session.selection)
    assert screen.query_one(DetailView).items == told
    said = screen.query_one(StatusLine).said
    assert said == status.status(session)
    assert safe(said) == said
    assert str(screen.query_one("#title", Static).render()) == status.title(session)
    for pane in screen.query(TablePane):
        if pane.view is None or not pane.size.height:
            continue
        drawn_as_wide(pane)
        row = pane.view.table.row_of(session.selection)
        hidden = row is None or pane.view.position_of(row) is None
        # Of an op in a tree there are several rows.
        assert hidden or pane.row == row or pane.target == session.selection, pane.id
        # A table that does not hold what is selected marks no row of its own.
        assert pane.marked is not hidden, pane.id


def compare_screen_tells_the_same(screen: CompareScreen) -> None:
    compared = screen.compared
    for widget, session in zip(screen._timelines, compared.sessions, strict=True):
        timeline_tells(widget, session)
    if compared.tied:
        both_units_are_seen(compared)
    said = screen.query_one(StatusLine).said
    assert said == (compared.said or compared.selection_text)
    for table in screen.query(VirtualTable):
        drawn_as_wide(table)
    rows = screen.query_one("#rows", VirtualTable)
    if rows.marked and rows.row is not None:
        assert screen._changes.holds(rows.row, compared.ends)


def both_units_are_seen(compared: CompareSession) -> None:
    """Both are at one scale, and where one is on screen the other is too."""
    sides = list(zip(compared.sessions, compared.sides, strict=True))
    a, b = (session.timeline.viewport for session, _ in sides)
    scale = (b.high - b.low) / (a.high - a.low)
    assert b.span == pytest.approx(a.span * scale, rel=0.01, abs=2)
    seen = [session.timeline.viewport.shows(*side.span) for session, side in sides]
    assert seen[0] == seen[1]


async def answered(pilot: Pilot[None]) -> None:
    """Waits until nothing is being found, aligned or loaded."""
    await finished(pilot, *WORKERS)
    while isinstance(pilot.app.screen, LoadingScreen):
        await finished(pilot, *WORKERS)


async def press_all(pilot: Pilot[None], keys: tuple[Key, ...], seed: int) -> None:
    """Every key in an order of chance, now and then with Esc after it; checks each."""
    screen = pilot.app.screen
    assert isinstance(screen, MainScreen | CompareScreen)
    chance = random.Random(seed)
    names = [chance.choice(key.keys) for key in keys if key.name not in LEAVE]
    chance.shuffle(names)
    for name in names:
        pilot.app.post_message(events.Key(name, name if len(name) == 1 else None))
        await answered(pilot)
        while pilot.app.screen is not screen or chance.random() < 0.1:
            pilot.app.post_message(events.Key("escape", None))
            await answered(pilot)
        if isinstance(screen, MainScreen):
            main_screen_tells_the_same(screen)
        else:
            compare_screen_tells_the_same(screen)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        (STACKS, (120, 40)),
        (GAPS, (200, 60)),
        (ON_THE_CPU, (80, 24)),
    ],
)
async def test_the_main_screen_tells_one_thing_after_every_key(
    opened: Opened, name: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SAMPLES)
    async with opened(SAMPLES / name, size=size) as (pilot, screen):
        await press_all(pilot, KEYS, seed=size[0])
        assert screen.session.trace.path.endswith(name)


@pytest.mark.parametrize(
    ("names", "size"),
    [
        ((STACKS, STACKS.replace("naive", "sdpa")), (120, 40)),
        (("naive_b8_h16_s1024_d64_bf16_h200.json.gz", "flash_b8_h16_s1024_d64_bf16_h200.json.gz"),
         (80, 24)),
    ],
)  # fmt: skip
async def test_the_compare_screen_tells_one_thing_after_every_key(
    names: tuple[str, str], size: tuple[int, int]
) -> None:
    app = AttntuiApp([str(SAMPLES / name) for name in names], Options())
    async with app.run_test(size=size) as pilot:
        screen = await compared_with(pilot)
        await press_all(pilot, COMPARE_KEYS, seed=1)
        assert len(screen.compared.comparison.rows) > 0
