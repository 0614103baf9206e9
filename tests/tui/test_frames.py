"""Frames and keys cost the same however many events there are: calls are counted, not time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType

import numpy as np
import pytest

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import Trace
from attntui.trace.model import (
    Category,
    Columns,
    Instants,
    Lane,
    LaneKind,
    MemoryEvents,
    Metadata,
)
from attntui.view.detail import detail_of
from attntui.view.drawing.frame import Frame
from attntui.view.panes import PANES, Shown
from attntui.view.session.links import to_launch
from attntui.view.session.marks import searching
from attntui.view.session.session import Session
from attntui.view.tables.order import TableView, layout, line

WIDTH = 150
KERNELS = next(pane for pane in PANES if pane.name == "kernels")


def even_trace(kernels: int) -> Trace:
    """So many launches and kernels, each of 600 ns every 1,000 ns, in columns at once."""
    n = 2 * kernels
    index = np.arange(n, dtype=np.int64)
    number = index // 2
    gpu = (index % 2).astype(np.bool_)
    absent64, absent32 = np.full(n, -1, np.int64), np.full(n, -1, np.int32)
    columns = Columns(
        start=number * 1_000 + np.where(gpu, 300, 0),
        dur=np.where(gpu, 600, 200),
        name=np.where(gpu, 1 + number % 7, 0).astype(np.int32),
        category=np.where(gpu, Category.KERNEL, Category.RUNTIME).astype(np.int8),
        raw_category=np.zeros(n, np.int16),
        lane=gpu.astype(np.int32),
        correlation=number + 1,
        external_id=absent64,
        device=np.where(gpu, 0, -1).astype(np.int32),
        stream=np.where(gpu, 7, -1),
        python_id=absent64,
        python_parent=absent64,
        sequence=absent64,
        forward_thread=absent64,
        launch_config=absent32,
        inputs=absent32,
        copied_bytes=absent64,
        offset=absent64,
        length=absent32,
        unfinished=np.zeros(n, np.bool_),
    )
    none, none32 = np.zeros(0, np.int64), np.zeros(0, np.int32)
    return Trace(
        path="even",
        events=n,
        category_counts={},
        columns=columns,
        parent=absent32,
        depth=np.zeros(n, np.int16),
        launch=np.where(gpu, index - 1, -1).astype(np.int32),
        names=("cudaLaunchKernel", *(f"kernel_{i}" for i in range(7))),
        raw_categories=("",),
        lanes=(
            Lane(LaneKind.CPU, "1", "1", None, None, "", 0),
            Lane(LaneKind.GPU, "0", "7", 0, 7, "", 0),
        ),
        launch_configs=(),
        op_inputs=(),
        instants=Instants(none, none32, none32),
        memory=MemoryEvents(none, none, none, none, none32),
        span=(0, kernels * 1_000),
        metadata=Metadata((), None, 0, None, {}),
        notices=(),
    )


def python_calls(work: Callable[[], object]) -> int:
    """How many functions, Python or C, a piece of work calls."""
    calls = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def sessions(kernels: int) -> list[Session]:
    """Whole, half and close views in the middle of the trace."""
    session = Session.of(AnalysedTrace(even_trace(kernels)).find_all()).resized(WIDTH)
    # The gaps last 400 ns: every one of them is over this threshold.
    session = replace(session, threshold=100)
    middle = session.cursor_to(kernels * 500)
    views = [middle]
    while views[-1].timeline.viewport.span > 100_000:
        views.append(views[-1].zoomed(0.1))
    return [views[0], views[1], views[-1]]


def frame(session: Session) -> None:
    drawn = Frame(session, WIDTH, ascii_only=False)
    _ = drawn.axis_text, drawn.minimap_text
    for lane in drawn.lines:
        drawn.pieces(lane)


def next_gap(session: Session) -> None:
    assert session.gap_moved(1).gap is not None


def detail(session: Session) -> None:
    assert detail_of(session.slice, session.selection)


KEYS: dict[str, Callable[[Session], object]] = {
    "zoom": lambda s: s.zoomed(0.5),
    "pan": lambda s: s.panned(0.1),
    "cursor": lambda s: s.cursor_moved(1),
    "next event": lambda s: s.stepped(1),
    "next gap": next_gap,
    "launch": to_launch,
    "threshold": lambda s: s.threshold_moved(1).tracks,
    "search": lambda s: searching(s, "kernel_3"),
    "lane": lambda s: s.line_moved(1),
    "step": lambda s: s.step_moved(1),
    "detail": detail,
    "frame": frame,
}


@pytest.fixture(scope="module")
def small() -> list[Session]:
    return sessions(5_000)


@pytest.fixture(scope="module")
def large() -> list[Session]:
    return sessions(500_000)


@pytest.mark.parametrize("key", KEYS)
def test_work_does_not_grow_with_events(
    small: list[Session], large: list[Session], key: str
) -> None:
    work = KEYS[key]
    for few, many in zip(small, large, strict=True):
        work(few)
        work(many)
        # Rounding moves a tick or a span more or less; a loop over events is 100 times more.
        assert python_calls(lambda: work(many)) <= 1.5 * python_calls(lambda: work(few)) + 50  # noqa: B023


def test_lanes_are_made_once_for_a_threshold(large: list[Session]) -> None:
    session = large[0]
    tracks = session.tracks
    assert session.zoomed(0.5).panned(0.1).tracks is tracks
    assert session.threshold_moved(1).threshold_moved(-1).tracks is tracks


@pytest.mark.parametrize("instances", [False, True])
def test_a_table_writes_only_the_rows_on_screen(
    small: list[Session], large: list[Session], instances: bool
) -> None:
    def page(session: Session) -> None:
        view = TableView.of(KERNELS.table(session, Shown(instances=instances))).sorted_by(1)
        plan = layout(view.columns, 100)
        for position in range(min(len(view), 40)):
            line(view, position, plan)

    page(small[0])
    page(large[0])
    assert python_calls(lambda: page(large[0])) <= 1.2 * python_calls(lambda: page(small[0])) + 50
