"""`PYTHONPATH=tests python -m bench`: makes its inputs, measures, prints a table with targets.

`--only load` (or `reopen`, `frames`, `line`) measures a part, `--quick` the small file alone.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from builders import SAMPLES

from . import frames, line, loading, reopening, tables
from .inputs import grown
from .table import Figure, lines

MB = 10**6
SIZES = {"60 MB": 60 * MB, "165 MB": 165 * MB, "1 GB": 1000 * MB}
PARTS = ("load", "reopen", "frames", "line")
SOURCE = SAMPLES / "train-sdpa_l2_b1_h4_s256_d64_bf16_h200.json.gz"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--source", type=Path, default=SOURCE, help="a trace (.json.gz) to grow")
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--quick", action="store_true", help="60 MB alone")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for text in lines(_all(options)):
        print(text, flush=True)


def _all(options: argparse.Namespace) -> Iterator[Figure]:
    parts = options.only or PARTS
    sizes = dict(list(SIZES.items())[: 1 if options.quick else None])
    with tempfile.TemporaryDirectory() as folder:
        for name, size in sizes.items():
            for suffix in (".json", ".json.gz"):
                if not {"load", "reopen"}.isdisjoint(parts):
                    path = grown(options.source, Path(folder) / f"t{suffix}", size)
                    label = name if suffix == ".json" else f"{name}, gz"
                    if "load" in parts:
                        yield from loading.measured(label, path, size, options.rounds)
                    if "reopen" in parts:
                        yield from reopening.measured(label, path, options.rounds)
                    path.unlink()
        if "frames" in parts:
            path = grown(options.source, Path(folder) / "t.json", list(sizes.values())[-1])
            yield from frames.measured(path)
            yield from tables.measured()
        if "line" in parts:
            path = grown(options.source, Path(folder) / "t.json", list(sizes.values())[:2][-1])
            yield from line.measured(path)


if __name__ == "__main__":
    main()
