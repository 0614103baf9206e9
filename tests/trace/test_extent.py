"""A part of a trace: what overlaps a window, or the last steps, in the times of the whole."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from builders import (
    SAMPLES,
    Event,
    annotation,
    cpu_op,
    instant,
    launched,
    memory,
    write_text,
    write_trace,
)
from same_trace import assert_same
from test_crew import Beside, alone, beside  # noqa: F401

from attntui.analysis.analysed import AnalysedTrace
from attntui.cli import main
from attntui.errors import InputError
from attntui.extent import Extent
from attntui.trace import Trace, load

US = 1000


def steps(count: int) -> list[Event]:
    """Steps of 100 us, 1 ms after the first mark: an op, a kernel that outlives the step."""
    events: list[Event] = [instant("begin", 9_000)]
    for n in range(count):
        ts = 10_000 + 100 * n
        events += [
            annotation(f"ProfilerStep#{n}", ts, 100),
            cpu_op(f"op{n}", ts + 10, 30),
            *launched(n + 1, ts + 20, ts + 90, 30),
            instant(f"mark{n}", ts + 50),
            memory(ts + 60, 8, 8 * n, 1024),
        ]
    return events


def names(trace: Trace) -> set[str]:
    return {trace.name_of(row) for row in range(len(trace.columns.start))}


def outside(trace: Trace) -> int:
    return sum(notice.count for notice in trace.notices if notice.kind == "outside")


def test_what_overlaps_a_window_is_read_in_the_times_of_the_whole(tmp_path: Path) -> None:
    path = write_trace(tmp_path, steps(20))
    whole = load(path)
    # From the middle of the kernel of step 4 to the begin of step 7.
    low, high = 1_500 * US, 1_700 * US
    part = load(path, extent=Extent(window=(low, high)))
    end = whole.columns.start + whole.columns.dur
    inside = (whole.columns.start < high) & (end > low)
    assert part.columns.start.tolist() == whole.columns.start[inside].tolist()
    assert [part.name_of(r) for r in range(len(part.columns.start))] == [
        whole.name_of(row) for row in np.flatnonzero(inside).tolist()
    ]
    assert outside(part) == int((~inside).sum()) > 50
    assert part.instants.time.tolist() == [1_550 * US, 1_650 * US]
    assert part.memory.time.tolist() == [1_560 * US, 1_660 * US]
    assert part.events == whole.events


def test_the_last_steps_with_all_that_follows(tmp_path: Path) -> None:
    path = write_trace(tmp_path, [*steps(20), cpu_op("after all", 13_000, 10)])
    part = load(path, extent=Extent(last_steps=2))
    assert {name for name in names(part) if name.startswith("Profiler")} == {
        "ProfilerStep#18",
        "ProfilerStep#19",
    }
    assert "after all" in names(part)
    assert [int(t) for t in AnalysedTrace(part).steps.start] == [2_800 * US, 2_900 * US]
    # The kernel of the step before runs into it; its launch lies outside.
    assert len(part.gpu_ops) == 3
    whole = load(path, extent=Extent(last_steps=99))
    assert outside(whole) == 0
    assert len(whole.columns.start) == len(load(path).columns.start)


def test_launches_at_the_windows_end_are_not_called_lost(tmp_path: Path) -> None:
    path = write_trace(tmp_path, steps(20))
    part = load(path, extent=Extent(window=(1_000 * US, 1_050 * US)))
    assert len(part.gpu_ops) == 0
    assert "lost-kernels" not in {f.id for f in AnalysedTrace(part).whole.findings}


def test_begin_and_end_pairs_and_stray_times(tmp_path: Path) -> None:
    events = [
        *steps(20),
        {"ph": "B", "cat": "cpu_op", "name": "early", "pid": 1, "tid": 1, "ts": 10_010},
        {"ph": "E", "name": "early", "pid": 1, "tid": 1, "ts": 10_020},
        {"ph": "B", "cat": "cpu_op", "name": "across", "pid": 1, "tid": 1, "ts": 10_030},
        {"ph": "E", "name": "across", "pid": 1, "tid": 1, "ts": 11_000},
        cpu_op("never set", 0, 5),
    ]
    path = write_trace(tmp_path, [{**e, "ts": e["ts"] + 1e15} if e["ts"] else e for e in events])
    part = load(path, extent=Extent(window=(1_500 * US, 1_700 * US)))
    assert names(part) >= {"across", "op5"}
    assert not names(part) & {"early", "never set", "op3"}
    assert part.columns.start[[part.name_of(r) for r in range(len(part.name))].index("op5")] == (
        1_510 * US
    )


@pytest.mark.parametrize(
    ("extent", "said"),
    [
        (Extent(window=(10**12, 2 * 10**12)), "has nothing in that window; it lasts 3.020 ms"),
        (Extent(window=(0, 10)), "has nothing in that window"),
    ],
)
def test_what_is_not_there_is_said(tmp_path: Path, extent: Extent, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load(write_trace(tmp_path, steps(20)), extent=extent)


def test_a_trace_without_steps_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no steps \(ProfilerStep#n\); .* --window"):
        load(write_trace(tmp_path, [cpu_op("op", 0, 5)]), extent=Extent(last_steps=1))


def test_the_most_memory_stops_the_load(tmp_path: Path) -> None:
    path = write_text(tmp_path, json.dumps([cpu_op(f"op{n}", n, 1) for n in range(20_000)]))
    part = load(path, extent=Extent(memory=4_000_000))
    assert 0 < len(part.columns.start) < 20_000
    assert [n.kind for n in part.notices if "--last-steps" in n.example] == ["memory"]


@pytest.mark.parametrize("name", ["t.json", "t.json.gz"])
def test_several_processes_read_the_same_part(
    beside: type[Beside],  # noqa: F811
    tmp_path: Path,
    name: str,
) -> None:
    path = write_text(tmp_path, json.dumps({"traceEvents": steps(4000)}).encode(), name)
    extent = Extent(last_steps=1000)
    trace = load(path, extent=extent)
    asked = beside.asked
    assert asked > 4
    assert_same(trace, alone(path, extent))


def test_the_command_line_reads_a_part(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(write_trace(tmp_path, steps(20)))
    assert main(["summary", "--json", "--window", "1.5ms..1700us", path]) == 0
    out, err = capsys.readouterr()
    assert len(json.loads(out)["steps"]) <= 3
    assert "outside (" in err
    assert main(["diff", "--last-steps", "2", path, path]) == 0
    for words in (["--window", "5ms..1ms"], ["--last-steps", "0"], ["--max-memory", "lots"]):
        capsys.readouterr()
        assert main(["summary", *words, path]) == 2
        assert words[0] in capsys.readouterr().err


def test_a_real_trace_in_two_halves_is_the_whole() -> None:
    path = SAMPLES / "gaps_h200.json.gz"
    whole = load(path)
    middle = (whole.span[0] + whole.span[1]) // 2
    parts = [
        load(path, extent=Extent(window=w)) for w in ((0, middle), (middle, whole.span[1] + 1))
    ]
    both = set(whole.columns.offset.tolist())
    assert set().union(*(part.columns.offset.tolist() for part in parts)) == both
