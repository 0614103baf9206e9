"""Busy time shared out and the time tree, against a sweep from edge to edge."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from builders import CORPUS, SAMPLES, Event
from hypothesis import given
from hypothesis import strategies as st
from made import call, complete, kernel, trace_of

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import Trace, load

COLLECTIVE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
SHARED = CORPUS.parent
REAL = sorted([*SAMPLES.glob("*.json.gz"), *SHARED.glob("*/*.json.gz")])
KINDS = ("kernel", "collective", "copy", "memset")


def made(kind: str, start: int, length: int, stream: int, number: int) -> list[Event]:
    if kind in ("kernel", "collective"):
        event = kernel("k" if kind == "kernel" else COLLECTIVE, start, start + length, number)
    else:
        category, name = (
            ("gpu_memcpy", "Memcpy HtoD") if kind == "copy" else ("gpu_memset", "Memset")
        )
        event = complete(category, name, start, start + length, pid=0, tid=stream)
        event["args"] = {"device": 0, "correlation": number}
    event["args"]["stream"] = stream
    return [call("cudaLaunchKernel", 0, 1, number), event]


def swept(trace: Trace) -> dict[int, int]:
    """By row its own time: each stretch between two edges goes to the first in order."""
    ops = trace.gpu_ops.tolist()

    def rank(row: int) -> tuple[int, int]:
        name = trace.name_of(row)
        order = ("nccl" in name) + 2 * name.startswith("Memcpy") + 3 * name.startswith("Memset")
        return order, row

    edges = sorted({int(t) for row in ops for t in (trace.start[row], trace.end[row])})
    own = dict.fromkeys(ops, 0)
    for low, high in pairwise(edges):
        running = [r for r in ops if trace.start[r] <= low and trace.end[r] >= high]
        if running:
            own[min(running, key=rank)] += high - low
    return own


@given(
    st.lists(
        st.tuples(
            st.sampled_from(KINDS), st.integers(0, 60), st.integers(0, 30), st.integers(7, 9)
        ),
        min_size=1,
        max_size=10,
    )
)
def test_each_instant_has_one_owner(ops: list[tuple[str, int, int, int]]) -> None:
    events = [
        event
        for number, (kind, start, length, stream) in enumerate(ops, 1)
        for event in made(kind, start * 1000, length * 1000, stream, number)
    ]
    part = AnalysedTrace(trace_of(events)).whole
    own = dict(zip(part.gpu_ops.tolist(), part.own.tolist(), strict=True))
    by_rank: dict[tuple[int, ...], int] = {}
    expected = swept(part.trace)

    # Of operations of one rank that overlap, which has an instant is told by their starts
    # alone: what they have together is what counts.
    def group(row: int) -> tuple[int, ...]:
        name = part.trace.name_of(row)
        return ("nccl" in name, name.startswith("Memcpy"), name.startswith("Memset"))

    for row, ns in own.items():
        by_rank[group(row)] = by_rank.get(group(row), 0) + ns - expected[row]
    assert set(by_rank.values()) == {0}
    assert all(0 <= ns <= part.trace.dur[row] for row, ns in own.items())
    assert sum(own.values()) == part.busy_ns


def test_of_equal_ones_the_earlier_has_the_time() -> None:
    events = [*made("kernel", 0, 10_000, 7, 1), *made("kernel", 4_000, 10_000, 8, 2)]
    part = AnalysedTrace(trace_of(events)).whole
    assert part.own.tolist() == [10_000, 4_000]


def test_what_is_hidden_has_no_time_of_its_own() -> None:
    events = [*made("copy", 0, 10_000, 8, 1), *made("kernel", 2_000, 5_000, 7, 2)]
    part = AnalysedTrace(trace_of(events)).whole
    assert part.own.tolist() == [5_000, 5_000]
    collective = [*made("collective", 0, 10_000, 8, 1), *made("copy", 2_000, 10_000, 7, 2)]
    assert AnalysedTrace(trace_of(collective)).whole.own.tolist() == [10_000, 2_000]


@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.name}/{path.name[:-8]}")
def test_the_tree_holds_every_ns_once(path: Path) -> None:
    part = AnalysedTrace(load(path)).whole
    busy = sum(leaf.ns for leaf in part.time_tree if leaf.busy)
    idle = sum(leaf.ns for leaf in part.time_tree if not leaf.busy)
    assert (busy, idle) == (part.busy_ns, part.idle_ns)
    leaves = [(leaf.kind, leaf.cause, leaf.trigger) for leaf in part.time_tree]
    assert len(set(leaves)) == len(leaves)
    assert all(leaf.ns > 0 for leaf in part.time_tree)
    assert np.all(part.own >= 0)
