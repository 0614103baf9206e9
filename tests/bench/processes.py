"""Fresh processes, timed in turns, with the memory of all that they start."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_LOOK_S = 0.02


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds by the clock and of all processors, and bytes: the most that a process and its
    children held at once, what they share counted once.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int


def in_turns(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Cost]:
    """The cheapest run of each command: all of them once a round."""
    best: dict[str, Cost] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            cost = once(command)
            known = best.get(name, cost)
            best[name] = Cost(
                min(known.seconds, cost.seconds),
                min(known.cpu_seconds, cost.cpu_seconds),
                min(known.peak_bytes, cost.peak_bytes),
            )
    return best


def once(command: Sequence[str]) -> Cost:
    """One run. Raises CalledProcessError."""
    before = os.times()
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while True:
        peak = max(peak, sum(map(_held, _family(process.pid))))
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_S)
            break
    seconds = time.perf_counter() - began
    after = os.times()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    return Cost(seconds, used, peak)


def python(code: str, *arguments: object) -> list[str]:
    """The command that runs some Python."""
    return [sys.executable, "-c", code, *map(str, arguments)]


def _family(pid: int) -> list[int]:
    """A process and all that it started, as far as they live."""
    found = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += _family(int(child))
    except OSError:
        pass
    return found


def _held(pid: int) -> int:
    """Bytes of a process, its part of what it shares."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next(
        (int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:")), 0
    )
