"""Which annotations are steps where none is named so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import CORPUS
from made import Event, annotation, call, kernel, op, trace_of

from attntui.analysis.steps import find_steps
from attntui.trace import load

_SHARED = CORPUS.parent


def launching(start: int, number: int = 1, tid: int = 1) -> list[Event]:
    """Launches one ns apart from `start`, each with its kernel."""
    found = []
    for at in range(start, start + number):
        found.append(call("cudaLaunchKernel", at, at + 1, at + 1, tid=tid))
        found.append(kernel("k", at + 10, at + 11, at + 1))
    return found


def family(*events: Event | list[Event]) -> str | None:
    flat = [e for event in events for e in (event if isinstance(event, list) else [event])]
    return find_steps(trace_of(flat)).family


def run(
    name: str, lengths: list[int], launches: list[int] | int = 4, at: int = 1_000
) -> list[Event]:
    """Annotations one after another, with what each launches, `#` their number."""
    events = []
    counts = launches if isinstance(launches, list) else [launches] * len(lengths)
    for number, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        events.append(annotation(name.replace("#", str(number)), at, at + length))
        events += launching(at, count)
        at += length + 10
    return events


@pytest.mark.parametrize(
    ("name", "lengths", "launches", "found"),
    [
        ("train #", [500, 500], 4, "train *"),
        ("train", [500, 520, 480], 4, "train"),
        ("train #", [500], 4, None),
        # A slow first one of four, not of three.
        ("train #", [50_000, 500, 500, 500], 4, "train *"),
        ("train #", [50_000, 500, 500], 4, None),
        # From half to twice the median.
        ("train #", [250, 500, 1_000], 4, "train *"),
        ("train #", [249, 500, 500], 4, None),
        ("train #", [500, 500, 1_001], 4, None),
        # As long, but one does the work of all.
        ("train #", [500, 500, 500], [12, 0, 0], None),
        ("train #", [500, 500, 500], [1, 2, 4], "train *"),
        # The parts that torch annotates are no steps, whatever they cover.
        ("Optimizer.step#SGD.step", [500, 500, 500], 4, None),
        ("Optimizer.zero_grad#SGD.zero_grad", [500, 500, 500], 4, None),
        ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", [500] * 3, 4, None),
        ("## Call CompiledFxGraph f00 ##", [500, 500, 500], 4, None),
    ],
)
def test_steps_are_alike(
    name: str, lengths: list[int], launches: list[int] | int, found: str | None
) -> None:
    assert family(run(name, lengths, launches)) == found


def test_steps_do_most_of_the_work_around_them() -> None:
    """Three of 4 operations: with 4 more between them it is a part, with 5 none."""
    steps = run("train #", [500] * 3)
    assert family(steps, launching(1_501, 4)) == "train *"
    assert family(steps, launching(1_501, 5)) is None
    # Launched on another thread in the step's span: the backward pass is the step's.
    backward = [launching(at, 4, tid=9) for at in (1_100, 1_610, 2_120)]
    assert family(run("train #", [500] * 3, 0), *backward) == "train *"


def test_steps_do_half_of_all_the_work() -> None:
    steps = run("train #", [500] * 3)
    assert family(steps, launching(5_000, 12)) == "train *"
    assert family(steps, launching(5_000, 13)) is None


def test_without_gpu_work_steps_cover_the_time() -> None:
    steps = [annotation(f"train {n}", 1_000 * n, 1_000 * n + 750) for n in range(4)]
    assert family(steps, op("rest", 3_750, 6_000)) == "train *"
    assert family(steps, op("rest", 3_750, 6_001)) is None
    short = [annotation(f"train {n}", 1_000 * n, 1_000 * n + 600) for n in range(4)]
    assert family(short) is None


def test_what_repeats_inside_another_annotation_makes_no_steps() -> None:
    inner = run("part #", [900] * 4)
    assert family(annotation("epoch", 0, 9_000), inner) is None
    assert family(op("not one", 0, 9_000), inner) == "part *"
    # One instance inside is enough.
    assert family(annotation("epoch", 900, 1_950), inner) is None


def test_steps_follow_one_another_on_one_thread() -> None:
    first = [annotation("train 1", 0, 1_000), *launching(0, 4)]
    assert family(first, annotation("train 2", 1_000, 2_000), launching(1_000, 4)) == "train *"
    other = annotation("train 2", 1_000, 2_000, tid=2)
    assert family(first, other, launching(1_000, 4, tid=2)) is None
    momentary = [annotation(f"now {n}", 100 * n, 100 * n) for n in range(3)]
    assert family(momentary) is None


def test_nested_generators_are_no_steps() -> None:
    """A label that is entered again before it was left, over lengths of all kinds."""
    lengths = [13, 14_715, 57, 30, 18, 16, 14]
    whole = annotation("generate 0 1", 0, 90_000)
    assert family(whole, launching(10, 50), run("generate # 2", lengths, 0, at=100_000)) is None


def test_of_two_that_could_be_the_one_that_covers_more() -> None:
    """On two threads, each with half of the work."""
    one, two = run("short #", [400] * 3), []
    for number in range(3):
        at = 1_000 + 410 * number
        two.append(annotation(f"long {number}", at, at + 409, tid=2))
    assert family(one, two) == "long *"


@pytest.mark.parametrize("name", ["param_resnet", "saf_false", "saf_true", "tl_norm"])
def test_a_real_trace_without_steps_has_none(name: str, shared: Path) -> None:
    steps = find_steps(load(shared / "public" / f"{name}.json.gz"))
    assert (steps.family, len(steps)) == (None, 0)


def _told() -> list[tuple[str, int]]:
    """Each real trace with `ProfilerStep#n` in it, and how many."""
    found = []
    for folder in ("corpus", "public", "planted", "models"):
        told = _SHARED / folder / "truth.json"
        records: list[dict[str, Any]] = json.loads(told.read_text()) if told.exists() else []
        for record in records:
            path = _SHARED / folder / record["file"]
            path = path if path.exists() else path.parent / "h200" / path.name
            found.append((path.relative_to(_SHARED).as_posix(), record["profiler_steps"]))
    return [(path, steps) for path, steps in found if steps]


@pytest.mark.parametrize(("path", "count"), _told())
def test_every_named_step_of_a_real_trace_is_found(path: str, count: int) -> None:
    steps = find_steps(load(_SHARED / path))
    assert (steps.family, len(steps)) == ("ProfilerStep#*", count)
