"""A key draws what it changes: lines are counted, and how often the screen is laid out."""

from __future__ import annotations

from pathlib import Path

import pytest
from driver import Opened
from textual.geometry import Region
from textual.strip import Strip

from attntui.safe import safe
from attntui.tui.widgets.detail import DetailView
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.text import set_title
from attntui.tui.widgets.timeline import TimelineView

SAMPLES = Path(__file__).parents[2] / "sample_traces"
DECODE = SAMPLES / "decode-naive_l4_b1_h12_s1024_d64_bf16_h200.json.gz"
KEYS = ("l", "w", "s", "h", "right", "left", "full_stop", "comma", "right_square_bracket")


async def test_no_key_that_moves_lays_the_screen_out_anew(opened: Opened) -> None:
    async with opened(DECODE, size=(200, 60)) as (pilot, screen):
        await pilot.press("full_stop", "w", "w")
        layouts: list[object] = []
        screen.screen_layout_refresh_signal.subscribe(screen, layouts.append)
        for key in KEYS:
            before = screen.session
            await pilot.press(key)
            assert screen.session != before, key
            assert not layouts, key


class Drawn:
    """Which lines of a kind of widget are drawn from now on."""

    def __init__(self, patch: pytest.MonkeyPatch, kind: type, name: str) -> None:
        self.lines: set[int] = set()
        draw = kind.render_line  # type: ignore[attr-defined]

        def drawn(widget: VirtualTable, y: int) -> Strip:
            if widget.id == name:
                self.lines.add(y)
            return draw(widget, y)  # type: ignore[no-any-return]

        patch.setattr(kind, "render_line", drawn)

    @property
    def rows(self) -> list[int]:
        return sorted(self.lines)


async def test_a_row_down_draws_two_rows(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(DECODE, pane="kernels") as (pilot, screen):
        await pilot.press("g", "j")
        drawn = Drawn(monkeypatch, VirtualTable, "kernels")
        await pilot.press("j")
        assert screen.query_one("#kernels", VirtualTable).cursor == 2
        assert drawn.rows == [2, 3]


async def test_a_key_that_changes_nothing_draws_nothing(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(DECODE, pane="kernels") as (pilot, _):
        await pilot.press("g")
        tables = Drawn(monkeypatch, VirtualTable, "kernels")
        timeline = Drawn(monkeypatch, TimelineView, "timeline")
        detail = Drawn(monkeypatch, DetailView, "detail")
        await pilot.press("g")
        assert not tables.rows
        assert not timeline.rows
        assert not detail.rows


async def test_of_the_detail_the_lines_that_differ_are_drawn(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(DECODE) as (pilot, screen):
        await pilot.press("full_stop", "full_stop")
        view = screen.query_one(DetailView)
        before = [strip.text for strip in view.render_lines(Region(0, 0, *view.outer_size))]
        drawn = Drawn(monkeypatch, DetailView, "detail")
        await pilot.press("full_stop")
        counted = drawn.rows
        after = [strip.text for strip in view.render_lines(Region(0, 0, *view.outer_size))]
        differing = [y - 1 for y, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
        assert counted == differing
        assert 0 < len(counted) < len(after) - 2


async def test_the_same_title_again_draws_nothing(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(DECODE) as (pilot, screen):
        view = screen.query_one(DetailView)
        set_title(view, safe("[a] title"))
        await pilot.pause()
        drawn = Drawn(monkeypatch, DetailView, "detail")
        set_title(view, safe("[a] title"))
        await pilot.pause()
        assert not drawn.rows
        set_title(view, safe("[b] title"))
        await pilot.pause()
        assert drawn.rows
