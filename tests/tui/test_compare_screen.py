"""The compare screen through its keys."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import builders
import pytest
from driver import Opened, compared_with, drawn, finished, loaded, picking
from steps_trace import two_steps
from textual.pilot import Pilot

from attntui.tui.app import AttntuiApp
from attntui.tui.screens.compare import CompareScreen
from attntui.tui.screens.help import HelpScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.widgets.table import VirtualTable
from attntui.tui.widgets.text import Block
from attntui.view.drawing.ascii_text import plain
from attntui.view.options import Options
from attntui.view.session.keys import COMPARE_KEYS

Compared = Callable[..., AbstractAsyncContextManager[tuple[Pilot[None], CompareScreen]]]


@pytest.fixture
def compared(steps_file: Path, tmp_path: Path) -> Compared:
    other = builders.write_trace(tmp_path, two_steps(), "other.json")

    @asynccontextmanager
    async def run(
        size: tuple[int, int] = (140, 45),
    ) -> AsyncIterator[tuple[Pilot[None], CompareScreen]]:
        app = AttntuiApp([str(steps_file), str(other)], Options())
        async with app.run_test(size=size) as pilot:
            yield pilot, await compared_with(pilot)

    return run


def test_every_binding_has_an_action_and_a_key_of_its_own() -> None:
    seen: set[str] = set()
    for key in COMPARE_KEYS:
        assert hasattr(CompareScreen, f"action_{key.action.partition('(')[0]}"), key.name
        for name in key.keys:
            assert name not in seen, name
            seen.add(name)


async def test_time_keys_move_both(compared: Compared) -> None:
    async with compared() as (pilot, screen):
        await pilot.press("w", "w", "l")
        left, right = (s.timeline.viewport for s in screen.compared.sessions)
        assert left.span == right.span < left.high - left.low
        assert left.t0 - left.low == right.t0 - right.low > 0
        await pilot.press("t", "4", "w")
        left, right = (s.timeline.viewport for s in screen.compared.sessions)
        assert right.span * 2 == left.span


async def test_a_file_against_itself_has_no_differences(compared: Compared) -> None:
    async with compared() as (_, screen):
        assert all(row.delta_gpu_ns == 0 for row in screen.compared.comparison.rows)
        assert all(row.match == "both" for row in screen.compared.comparison.rows)


async def test_rows_select_and_enter_goes(compared: Compared) -> None:
    async with compared() as (pilot, screen):
        rows = screen.query_one("#rows", VirtualTable)
        assert rows.has_focus
        await pilot.press("j")
        events = [s.event for s in screen.compared.sessions]
        assert None not in events
        await pilot.press("w", "w", "w", "w", "enter")
        for session in screen.compared.sessions:
            view, event = session.timeline.viewport, session.event
            assert event is not None
            assert view.t0 <= session.trace.start[event] < view.t1


async def test_units_kinds_swap_and_width(compared: Compared) -> None:
    async with compared() as (pilot, screen):
        before = [unit.index for unit in screen.compared.sides]
        await pilot.press("J")
        await finished(pilot, "_align")
        assert [unit.index for unit in screen.compared.sides] != before
        await pilot.press("K", "t", "J")
        await finished(pilot, "_align")
        assert not screen.compared.tied
        await pilot.press("t")
        choice = screen.compared.comparison.choice
        await pilot.press("u")
        await finished(pilot, "_align")
        assert screen.compared.comparison.choice != choice
        paths = [d.trace.path for d in screen.compared.analysed]
        await pilot.press("o")
        assert [d.trace.path for d in screen.compared.analysed] == paths[::-1]
        await pilot.press("W")
        assert screen.compared.full_width


async def test_enter_on_a_timeline_opens_that_trace_and_escape_returns(
    compared: Compared,
) -> None:
    async with compared() as (pilot, screen):
        await pilot.press("3", "enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, MainScreen)
        await pilot.press("escape", "escape")
        assert pilot.app.screen is screen


async def test_filter_and_help(compared: Compared) -> None:
    async with compared() as (pilot, screen):
        rows = screen.query_one("#rows", VirtualTable)
        assert rows.view is not None
        every = len(rows.view)
        await pilot.press("backslash", *"softmax", "enter")
        assert len(rows.view) < every
        await pilot.press("escape")
        assert len(rows.view) == every
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)


SAMPLES = Path(__file__).parents[2] / "sample_traces"
NAIVE, FLASH, PREFILL_NAIVE, PREFILL_SDPA = (
    str(next(SAMPLES.glob(f"{name}_*_bf16_h200.json.gz")))
    for name in ("naive_b8", "flash_b8", "prefill-naive", "prefill-sdpa")
)
SIZES = ((80, 24), (120, 40), (200, 60))


@asynccontextmanager
async def comparing(
    a: str, b: str, size: tuple[int, int]
) -> AsyncIterator[tuple[Pilot[None], CompareScreen]]:
    async with AttntuiApp([a, b], Options()).run_test(size=size) as pilot:
        yield pilot, await compared_with(pilot)


def line_with(lines: list[str], *words: str) -> int:
    return next(n for n, line in enumerate(lines) if all(word in line for word in words))


@pytest.mark.parametrize("size", SIZES)
async def test_it_opens_with_verdict_both_timelines_and_a_table_whole(
    size: tuple[int, int],
) -> None:
    async with comparing(NAIVE, FLASH, size) as (pilot, screen):
        lines = drawn(pilot)
        assert len(lines) == size[1]
        top = " ".join(lines[:4])
        for figure in (
            "B is 11.9x faster: span 1.09 ms → 91.5 us",
            "GPU 1.08 ms → 91.5 us, 11.8x faster",
            "CPU 238 → 81.4 us, 2.9x faster",
            "HBM 2.75 GB → 67.6 MB, 40.7x less",
            "launches 7 → 1, 7.0x fewer",
            "annotation attn_fwd 3 of 3 with 3 of 3: 3 pairs, by order among like shapes",
        ):
            assert figure in top
        a, b = (line_with(lines, f"{key} unit 3 of 3") for key in ("3 A", "4 B"))
        tied, table = line_with(lines, "tied"), line_with(lines, "2 What changed")
        assert a < tied < b < table
        # Both begin in the same column: there the axis says 0.
        zeros = [line.index("0━ns") for line in (lines[a + 1], lines[b + 1])]
        assert zeros[0] == zeros[1]
        kernels = [line for line in lines if "GPU 0 s7" in line]
        for role in ("qk", "scale", "copy", "mask", "softmax", "av"):
            assert role in kernels[0]
        assert "▸fu" in kernels[1]
        # The lines of the table in sight, under its title and header.
        assert "fused: attention forward" in " ".join(lines[table:])
        assert screen.query_one("#rows").size.height >= 5


@pytest.mark.parametrize("size", SIZES)
async def test_work_of_both_and_of_one_alone_is_marked(size: tuple[int, int]) -> None:
    async with comparing(PREFILL_NAIVE, PREFILL_SDPA, size) as (pilot, screen):
        for side, other in enumerate("BA"):
            lines = drawn(pilot)
            strip = lines[line_with(lines, f"against {other}")]
            assert "=" in strip
            alone = [row for row in screen.compared.comparison.rows if row.match != "both"]
            mine = any(row.ends[side] is not None for row in alone)
            assert mine == any(sign in strip for sign in ("-+"[side], "~"))
            assert "-+"[1 - side] not in strip


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pane", ["2", "3", "4"])
async def test_one_zoom_keeps_both_units_on_screen(size: tuple[int, int], pane: str) -> None:
    async with comparing(NAIVE, FLASH, size) as (pilot, screen):
        await pilot.press(pane)
        for key in ("w", "w", "l", "s", "H", "s", "s", "0"):
            await pilot.press(key)
            compared = screen.compared
            lines = drawn(pilot)
            spans = [session.timeline.viewport.span for session in compared.sessions]
            assert spans[0] == spans[1]
            if compared.is_in_step:
                assert any(line.strip("│ ").startswith("tied ") for line in lines)
            for session, side in zip(compared.sessions, compared.sides, strict=True):
                assert session.timeline.viewport.shows(*side.span)
        assert screen.compared.is_in_step


async def test_a_row_is_tied_from_its_kernel_to_what_answers_to_it() -> None:
    async with comparing(NAIVE, FLASH, (120, 40)) as (pilot, _):
        await pilot.press("j", "j", "j")
        lines = drawn(pilot)
        tie = lines[line_with(lines, "tied")]
        assert "mask 368.1 us → fused 91.45 us" in tie
        assert "╭" in tie
        assert "╯" in tie
        # The tie ends under the mask's bar and over the fused kernel's.
        kernels = [line for line in lines if "GPU 0 s7" in line]
        at = tie.index("╯")
        bar = kernels[0].index("▸mask")
        assert bar <= at < kernels[0].index("softmax")
        assert kernels[1].index("▸fused") <= tie.index("╭") <= kernels[1].index("▸fused") + 8
        await pilot.press("G")
        lines = drawn(pilot)
        assert "memset 800 ns, only in A" in lines[line_with(lines, "tied")]


async def test_what_is_selected_in_a_timeline_selects_what_answers_to_it() -> None:
    async with comparing(NAIVE, FLASH, (120, 40)) as (pilot, screen):
        rows = screen.query_one("#rows", VirtualTable)
        await pilot.press("3", "full_stop")
        lines = drawn(pilot)
        assert "scale 127.4 us → fused 91.45 us" in lines[line_with(lines, "tied")]
        assert rows.marked
        assert "of which scale" in rows.line_text
        await pilot.press("4", "comma", "full_stop")
        lines = drawn(pilot)
        assert "qk 85.34 us → fused 91.45 us" in lines[line_with(lines, "tied")]


@pytest.mark.parametrize("jump", [("2", "G", "enter"), ("3", "left_square_bracket"), ("J",)])
async def test_a_jump_can_be_gone_back_from(jump: tuple[str, ...]) -> None:
    async with comparing(NAIVE, FLASH, (120, 40)) as (pilot, _):
        await pilot.press("K")
        await finished(pilot, "_align")
        await pilot.press("3", "l", "l", "l", "l", "w", "w", "w", "w", *jump[:-1])
        before = drawn(pilot)[:-1]
        await pilot.press(jump[-1])
        await finished(pilot, "_align")
        assert drawn(pilot)[:-1] != before
        await pilot.press("ctrl+o")
        await finished(pilot, "_align")
        assert drawn(pilot)[:-1] == before


async def test_untied_is_said(compared: Compared) -> None:
    async with compared() as (pilot, _):
        await pilot.press("t")
        assert any(line.strip("│ ").startswith("untied") for line in drawn(pilot))


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_nothing_is_squeezed_out(compared: Compared, size: tuple[int, int]) -> None:
    async with compared(size=size) as (pilot, screen):
        assert all(t.size.height >= 3 for t in screen._timelines)
        assert screen.query_one("#rows").size.height >= 3
        await pilot.press("1")
        assert screen.query_one("#scoreboard").size.height >= 3


async def test_c_in_the_main_screen_asks_for_the_other_trace(
    steps_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = AttntuiApp([str(steps_file)], Options())
    async with app.run_test(size=(140, 45)) as pilot:
        await loaded(pilot)
        main = app.screen
        await pilot.press("c")
        await picking(pilot)
        await pilot.press("enter")
        await compared_with(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is main


async def test_the_rows_follow_what_is_selected_in_a_timeline(compared: Compared) -> None:
    async with compared() as (pilot, screen):
        rows = screen.query_one("#rows", VirtualTable)
        assert rows.marked
        await pilot.press("3", "full_stop")
        assert rows.marked
        assert rows.row is not None
        assert screen._changes.holds(rows.row, screen.compared.ends)


async def test_it_opens_on_the_largest_change(compared: Compared) -> None:
    async with compared() as (_, screen):
        rows = screen.query_one("#rows", VirtualTable)
        assert (rows.cursor, rows.marked) == (0, True)
        assert screen._ends == tuple(session.event for session in screen.compared.sessions)


@pytest.mark.parametrize("key", ["C", "question_mark"])
@pytest.mark.parametrize("ascii_only", [False, True])
async def test_legend_and_help_tell_the_signs_of_a_comparison(key: str, ascii_only: bool) -> None:
    app = AttntuiApp([NAIVE, FLASH], Options(ascii=ascii_only))
    async with app.run_test(size=(120, 150)) as pilot:
        await compared_with(pilot)
        await pilot.press(key)
        await pilot.pause()
        while not pilot.app.screen.query_one(Block).size.height:
            await pilot.pause()
        await pilot.pause()
        lines = [plain(line) for line in drawn(pilot)]
        compared = lines[line_with(lines, "Compared") :]
        for sign, words in (
            ("=", "GPU work that has its like in the other unit"),
            ("-", "GPU work that A alone has"),
            ("+", "GPU work that B alone has"),
            ("~", "several operations a cell: some of each"),
            ("tied", "both units begin in one column"),
            ("tied, shifted", "they lie apart"),
            ("untied (t)", "each moves alone"),
        ):
            told = [line.strip("│| ") for line in compared]
            assert any(line.startswith(f"{sign} ") and words in line for line in told)


async def test_a_trace_alone_has_no_legend_of_comparing(opened: Opened) -> None:
    async with opened(size=(120, 150)) as (pilot, _):
        await pilot.press("C")
        await pilot.pause()
        assert "Compared" not in " ".join(drawn(pilot))


HEADED = builders.thread_name("a_thread_with_a_rather_long_name")


async def test_long_headings_get_room_and_both_timelines_stay_cell_over_cell(
    tmp_path: Path,
) -> None:
    long = [*two_steps(), HEADED]
    paths = [
        str(builders.write_trace(tmp_path, events, name))
        for events, name in ((long, "a.json"), (two_steps(), "b.json"))
    ]
    async with AttntuiApp(paths, Options()).run_test(size=(200, 60)) as pilot:
        await compared_with(pilot)
        lines = drawn(pilot)
        assert any("a_thread_with_a_rather" in line for line in lines)
        zeros = [line.index("0━ns") for line in lines if "0━ns" in line]
        assert len(zeros) == 2
        assert zeros[0] == zeros[1]


async def test_a_table_without_rows_gives_its_room_to_the_other(tmp_path: Path) -> None:
    host = [builders.cpu_op("aten::mm", 0, 100), builders.cpu_op("aten::add", 200, 50)]
    paths = [str(builders.write_trace(tmp_path, host, name)) for name in ("a.json", "b.json")]
    async with AttntuiApp(paths, Options()).run_test(size=(200, 60)) as pilot:
        await compared_with(pilot)
        lines = drawn(pilot)
        table = line_with(lines, "1 Scoreboard")
        assert "2 What changed" not in lines[table]
        assert any("CPU time" in line for line in lines[table:])
        assert "B's window is just as long as A's: CPU 250 → 250 us" in lines[0]
        await pilot.press("2")
        await pilot.pause()
        assert any("no GPU operation in either unit" in line for line in drawn(pilot))


@pytest.mark.parametrize("height", [15, 18, 20, 24, 30, 33, 40, 60])
async def test_cautions_leave_verdict_timelines_and_a_table_on_screen(
    tmp_path: Path, height: int
) -> None:
    device = {"id": builders.DEVICE, "name": ""}
    said = {"deviceProperties": [device], "torch_version": "2.9", "cudnn": "9", "triton": "3.4"}
    other = {"deviceProperties": [device], "torch_version": "2.4", "cudnn": "8", "triton": "3.1"}
    paths = []
    for name, fields, called in (("a", said, "NVIDIA H100 80GB HBM3"), ("b", other, "AMD MI300X")):
        own = {**fields, "deviceProperties": [{**device, "name": called}]}
        paths.append(str(builders.write_trace(tmp_path, two_steps(), f"{name}.json", **own)))
    async with AttntuiApp(paths, Options()).run_test(size=(80, height)) as pilot:
        await compared_with(pilot)
        lines = drawn(pilot)
        assert "B's window is" in lines[0] or "B is" in lines[0]
        cautions = next(line for line in lines if "caution, " in line)
        assert "caution, these 4 differ: device: NVIDIA H100 80GB HBM3 / AMD MI300X" in cautions
        a, b, table = (line_with(lines, words) for words in ("3 A unit", "4 B unit", "2 What"))
        assert a < b < table < height - 2
        assert "difference" in lines[table + 1]
        assert "Enter" in lines[-1]


async def test_of_units_without_gpu_work_the_unit_is_marked_and_nothing_tied(
    tmp_path: Path,
) -> None:
    host = [builders.annotation("ProfilerStep#1", 10, 200), builders.cpu_op("aten::mm", 20, 100)]
    paths = [str(builders.write_trace(tmp_path, host, name)) for name in ("a.json", "b.json")]
    async with AttntuiApp(paths, Options()).run_test(size=(120, 40)) as pilot:
        await compared_with(pilot)
        lines = drawn(pilot)
        assert sum("┯0━ns━" in line for line in lines) == 2
        assert lines[line_with(lines, "tied")].strip() == "tied"
        assert "A: -   B: -" in lines[-1]


async def test_keys_and_sizes_before_the_second_trace_is_there_do_no_harm() -> None:
    async with AttntuiApp([NAIVE, FLASH], Options()).run_test(size=(120, 40)) as pilot:
        for key in ("j", "w", "R", "4", "l"):
            await pilot.press(key)
        await pilot.resize_terminal(80, 24)
        screen = await compared_with(pilot)
        await pilot.pause()
        lines = drawn(pilot)
        assert len(lines) == 24
        assert "B is 11.9x faster" in lines[0]
        table = line_with(lines, "2 What changed")
        assert line_with(lines, "3 A unit") < line_with(lines, "4 B unit") < table
        assert screen.compared.is_in_step


async def test_escape_while_the_second_trace_loads_ends_the_program() -> None:
    app = AttntuiApp([NAIVE, FLASH], Options())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("escape")
        await pilot.pause()
    assert not any(isinstance(screen, CompareScreen) for screen in app.screen_stack)


async def test_a_trace_against_itself_has_one_sign_alone_and_so_it_has_swapped() -> None:
    async with comparing(PREFILL_NAIVE, PREFILL_NAIVE, (120, 40)) as (pilot, screen):
        for key in ("j", "o"):
            await pilot.press(key)
            lines = drawn(pilot)
            assert "B is just as fast as A" in lines[0]
            for side, other in enumerate("BA"):
                # The heading, then signs.
                signs = lines[line_with(lines, f"against {other}")].split(f"against {other}")[1]
                assert set(signs.strip("│ ")) <= {"=", " "}
                assert "=" in signs
                assert screen.compared.ends[side] is not None
        assert screen.compared.ends[0] == screen.compared.ends[1]


@pytest.mark.parametrize("side", ["3", "4"])
async def test_a_swap_keeps_both_units_in_step_and_the_verdict_turns(side: str) -> None:
    async with comparing(NAIVE, FLASH, (120, 40)) as (pilot, screen):
        await pilot.press(side, "w", "o")
        lines = drawn(pilot)
        assert "B is 11.9x slower" in lines[0]
        assert "flash_b8" in lines[line_with(lines, "3 A unit")]
        assert screen.compared.is_in_step
        await pilot.press("escape")
        assert "B is 11.9x faster" in drawn(pilot)[0]
