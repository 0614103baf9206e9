"""What it costs to sort and to filter a long table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from attntui.safe import safe
from attntui.view.tables.model import Column, Place, Table
from attntui.view.tables.order import TableView

from .table import Figure

ROWS = 1_000_000
MOST_S = 0.2
ROUNDS = 3


def measured() -> Iterator[Figure]:
    view = TableView.of(_by_chance())
    sort = _least(lambda: view.sorted_by(1))
    yield Figure(f"sort of {ROWS:,} rows", "s", sort, MOST_S)
    found = _least(lambda: view.filtered("kernel_.*7$"))
    yield Figure(f"filter of {ROWS:,} rows", "s", found, MOST_S)


def _by_chance() -> Table:
    """Two columns of figures in no order, and names that repeat as those of kernels do."""
    chance = np.random.default_rng(1)
    columns = [_column(name, chance.permutation(ROWS)) for name in ("start", "duration")]
    words = [f"kernel_{number}" for number in range(200)]
    return Table(tuple(columns), words, chance.integers(0, len(words), ROWS), "start")


def _column(name: str, order: np.ndarray) -> Column:
    return Column(
        name, safe(name), lambda row: int(order[row]), lambda _: safe(""), order, place=Place(10)
    )


def _least(work: Callable[[], TableView]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        assert len(work())
        times.append(time.process_time() - began)
    return min(times)
