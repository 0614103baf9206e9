"""The long run: `PYTHONPATH=tests python -m fuzz --count 30000 --seed 1 --jobs 2`.

Prints what became of the mutants, and writes each that failed, with a smaller one that fails
alike, to a folder. `--only SEED` puts one mutant through again and shows how it fails.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path

from .checks import check
from .minimise import minimised
from .mutants import Mutant, mutant

MEMORY = 1 << 30
"""Bytes that a process may take beyond what it has when it starts."""

PORTION = 250


@dataclass
class Failure:
    """A mutant that failed: where, and how."""

    seed: int
    place: str
    trace: str


@dataclass
class Report:
    """What became of some mutants."""

    mutants: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    notices: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, 0)
    most_memory: tuple[int, int] = (0, 0)
    """Bytes at most beyond those at the start, and the mutant that reached them."""

    def add(self, other: Report) -> None:
        self.mutants += other.mutants
        self.refused += other.refused
        self.notices += other.notices
        self.failures += other.failures
        self.slowest = max(self.slowest, other.slowest)
        self.most_memory = max(self.most_memory, other.most_memory)

    def lines(self) -> Iterator[str]:
        refused, failed = self.refused.total(), len(self.failures)
        opened = self.mutants - refused - failed
        parts = f"{opened:,} opened, {refused:,} refused, {failed:,} failed"
        yield f"{self.mutants:,} mutants: {parts}"
        yield f"slowest {self.slowest[0]:.2f} s (seed {self.slowest[1]})"
        yield f"most memory {self.most_memory[0] / 1e6:,.0f} MB (seed {self.most_memory[1]})"
        for title, counts in (("notice", self.notices), ("refusal", self.refused)):
            for words, count in counts.most_common(60):
                yield f"{count:9,} {title} {words[:90]!a}"
        for place, count in Counter(failure.place for failure in self.failures).most_common():
            seeds = [failure.seed for failure in self.failures if failure.place == place]
            yield f"{count:9,} FAILED {place}  seeds {seeds[:5]}"


def place_of(error: BaseException) -> str:
    """Where in attntui, else in the checks, an error was raised, and what it was."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "/attntui/" in frame.filename] or list(frames)
    last = inside[-1]
    file = Path(last.filename)
    said = str(error).splitlines() or [""]
    what = said[0].split(":")[0] if isinstance(error, AssertionError) else ""
    return f"{type(error).__name__} {what} {file.parent.name}/{file.name}:{last.lineno}"


def limit_memory() -> None:
    """Holds this process to what it has now and `MEMORY` more."""
    if sys.platform == "linux":
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, resource.RLIM_INFINITY))


def _most_used() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def portion(first: int, count: int, whole_every: int, out: Path) -> Report:
    """Puts the mutants of some seeds through, in this process."""
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = _most_used()
        for seed in range(first, first + count):
            found, whole = mutant(seed), seed % whole_every == 0
            report.mutants += 1
            began, before = time.perf_counter(), _most_used()
            try:
                outcome = check(found, folder, whole=whole)
            except Exception as error:  # whatever it is, it is what is looked for
                report.failures.append(_failed(found, error, folder, whole, out))
                continue
            report.slowest = max(report.slowest, (time.perf_counter() - began, seed))
            if _most_used() > before:
                report.most_memory = (_most_used() - start, seed)
            if outcome.refused is not None:
                report.refused[outcome.refused] += 1
            report.notices.update(outcome.notices)
    return report


def _failed(found: Mutant, error: Exception, folder: Path, whole: bool, out: Path) -> Failure:
    """Writes a mutant that failed and one as small as can be that fails in the same place."""
    place = place_of(error)
    text = f"{found.words}\n{place}\n\n{''.join(traceback.format_exception(error))}"
    (out / f"{found.seed}.txt").write_text(text, "utf-8", "backslashreplace")
    (out / f"{found.seed}.trace").write_bytes(found.data)

    def fails_alike(data: bytes) -> bool:
        try:
            check(replace(found, data=data), folder, whole=whole)
        except Exception as other:
            return place_of(other) == place
        return False

    if not list(out.glob(f"*.{_file_name(place)}.json")):
        small = minimised(found.data, fails_alike)
        (out / f"{found.seed}.{_file_name(place)}.json").write_bytes(small)
    return Failure(found.seed, place, text)


def _file_name(place: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in place)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=30_000, help="how many mutants")
    parser.add_argument("--seed", type=int, default=1_000_000, help="the first one's number")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    more = "of how many one is reported, compared and drawn too (default 1: all)"
    parser.add_argument("--whole-every", type=int, default=1, metavar="N", help=more)
    parser.add_argument("--only", type=int, metavar="SEED", help="one mutant again")
    parser.add_argument("--out", type=Path, default=Path("fuzz-failures"), help="for what fails")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.only is not None:
        return _again(mutant(asked.only), asked.out)
    report, began = Report(), time.monotonic()
    with ProcessPoolExecutor(asked.jobs, get_context("spawn"), initializer=limit_memory) as pool:
        starts = range(asked.seed, asked.seed + asked.count, PORTION)
        stop = asked.seed + asked.count
        parts = [
            pool.submit(portion, at, min(PORTION, stop - at), asked.whole_every, asked.out)
            for at in starts
        ]
        for part in parts:
            report.add(part.result())
            if sys.stderr.isatty():
                print(
                    f"\r{report.mutants:,} {len(report.failures)} failed", end="", file=sys.stderr
                )
    print(f"\nseeds {asked.seed} to {stop - 1}, {time.monotonic() - began:,.0f} s")
    print("\n".join(report.lines()))
    return 1 if report.failures else 0


def _again(found: Mutant, out: Path) -> int:
    print(found.words)
    (out / f"{found.seed}.trace").write_bytes(found.data)
    with tempfile.TemporaryDirectory() as folder:
        print(check(found, Path(folder)))
    return 0
