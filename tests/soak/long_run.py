"""The long run: `PYTHONPATH=tests:tests/tui python -m soak --keys 10000 [FILE ...]`.

Presses so many keys on each odd trace, and on each FILE, each in a process of its own, and
prints what became of them. A run follows from its seed and the number of its keys.
"""

from __future__ import annotations

import argparse
import asyncio
import faulthandler
import os
import sys
import tempfile
import time
import traceback
from multiprocessing import get_context
from pathlib import Path

from .odd_traces import NAMES, written
from .soak import Outcome, soak

LIMIT_S = 1800
"""Seconds after which a run has hung: where it stands is printed, and its process ends."""


def _one(traces: tuple[str, ...], keys: int, seed: int) -> None:
    """One run in a process of its own; exits 1 where it failed."""
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    began, outcome = time.monotonic(), Outcome()
    failed = None
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        given = [trace for trace in traces if os.path.isabs(trace)]
        paths = given or written(traces, Path(folder))
        try:
            asyncio.run(soak(paths, keys, seed, outcome=outcome))
        except Exception as error:  # whatever it is, it is what is looked for
            failed = "".join(traceback.format_exception(error))
    faulthandler.cancel_dump_traceback_later()
    what = " and ".join(Path(trace).name for trace in traces) or "(no trace named)"
    print(
        f"{outcome.keys:7,} keys {outcome.opened:4} opened {outcome.memory / 1e6:6,.0f} MB "
        f"{time.monotonic() - began:6,.0f} s  {'FAILED' if failed else 'alive'}  {what}",
        flush=True,
    )
    if failed:
        print(failed, flush=True)
        sys.exit(1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m soak", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE", help="more traces")
    parser.add_argument("--keys", type=int, default=10_000, help="how many on each trace")
    parser.add_argument("--seed", type=int, default=1, help="the first trace's")
    parser.add_argument("--only", metavar="NAME", help="this odd trace, or two as A+B, alone")
    asked = parser.parse_args()
    odd = NAMES if asked.only is None else (tuple(asked.only.split("+")),)
    runs = [*odd, *((os.path.abspath(file),) for file in asked.files)]
    context, failures = get_context("spawn"), 0
    for number, traces in enumerate(runs):
        process = context.Process(target=_one, args=(traces, asked.keys, asked.seed + number))
        process.start()
        process.join()
        failures += process.exitcode != 0
    print(f"{len(runs)} runs, {failures} failed")
    return 1 if failures else 0
