"""Led by coverage: mutants for which the loader runs new code are kept, and damaged further.

    pip install -e '.[fuzz]'
    PYTHONPATH=tests python -m fuzz.guided FOLDER -max_total_time=3600

FOLDER keeps what was found, from run to run; an empty one gets the samples. Options are those
of libFuzzer. What fails is written to the working directory as `crash-...`, `timeout-...` or
`oom-...`; give such a file in place of FOLDER to see it fail again.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import orjson

try:
    import atheris
except ImportError:
    sys.exit("fuzz.guided needs atheris: pip install -e '.[fuzz]'")

with atheris.instrument_imports(include=["attntui.trace"]):
    from attntui.trace import load

from attntui.errors import InputError

from .mutants import CHANGES, TEXT_CHANGES
from .samples import NAMES, sample_text
from .sense import sensible_trace

LIMITS = ("-timeout=5", "-rss_limit_mb=1500", "-max_len=200000")
"""Seconds and megabytes that no file may take, and bytes of a file: before what is asked for."""

BY_STRUCTURE = 0.5
"""How many of the mutants are changed as JSON, as far as they are."""


def changed(data: bytes, most: int, seed: int) -> bytes:
    """A mutant of a mutant: an event changed, the text, or bytes as libFuzzer does."""
    rng = random.Random(seed)
    lot = rng.random()
    if lot < BY_STRUCTURE:
        try:
            trace = orjson.loads(data)
            if isinstance(trace, dict):
                rng.choice(CHANGES)(rng, trace)
                return orjson.dumps(trace)[:most]
        except (ValueError, TypeError):
            # No JSON (any more): damaged as text.
            pass
    elif lot > (1 + BY_STRUCTURE) / 2:
        return bytes(atheris.Mutate(data, most))
    return rng.choice(TEXT_CHANGES)(rng, data)[:most]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant"

        def once(data: bytes) -> None:
            path.write_bytes(data)
            try:
                trace = load(path)
            except InputError:
                return
            sensible_trace(trace)

        for given in map(Path, sys.argv[1:]):
            if given.is_dir() and not any(given.iterdir()):
                for name in NAMES:
                    (given / name).write_bytes(sample_text(name))
        arguments = [sys.argv[0], *LIMITS, *sys.argv[1:]]
        atheris.Setup(arguments, once, custom_mutator=changed)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
