"""What a load and a summary cost, beside a plain parser and the least that reading takes."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

from .processes import Cost, in_turns, python
from .table import Figure

_READ = "import sys; f = open(sys.argv[1], 'rb')\nwhile f.read(1 << 18): pass"
_INFLATE = "import sys, gzip; f = gzip.open(sys.argv[1], 'rb')\nwhile f.read(1 << 18): pass"
_ORJSON = "import sys, orjson; orjson.loads(open(sys.argv[1], 'rb').read())"
_ORJSON_GZ = "import sys, gzip, orjson; orjson.loads(gzip.open(sys.argv[1], 'rb').read())"
_LOAD = "import sys; from attntui.trace import load; load(sys.argv[1])"
_ALONE = (
    "import sys; from attntui.trace import load, loading; loading.members_for = lambda text: 0;"
    "load(sys.argv[1])"
)
_SUMMARY = "import sys; from attntui.cli import main; main(['summary', '--no-cache', sys.argv[1]])"
_HTA = (
    "import sys; from hta.common.trace import parse_trace_dataframe;"
    "parse_trace_dataframe(sys.argv[1])"
)

LOAD_TARGETS = {"165 MB": 0.35, "1 GB": 0.20}
SUMMARY_TARGET = 1.25
MEMORY_TARGET = 0.6


def measured(name: str, path: Path, text_bytes: int, rounds: int) -> Iterator[Figure]:
    """The costs of one file; ratios are those of one run, in turns."""
    packed = path.suffix == ".gz"
    commands = {
        "read": python(_INFLATE if packed else _READ, path),
        "orjson": python(_ORJSON_GZ if packed else _ORJSON, path),
        "load": python(_LOAD, path),
        "load, one process": python(_ALONE, path),
        "summary": python(_SUMMARY, path),
    }
    if importlib.util.find_spec("hta") is not None:
        commands["HolisticTraceAnalysis"] = python(_HTA, path)
    costs: dict[str, Cost] = in_turns(commands, rounds)
    plain, load = costs["orjson"], costs["load"]
    for what, cost in costs.items():
        yield Figure(f"{name}: {what}", "s", cost.seconds)
        yield Figure(f"{name}: {what}, of all processors", "s", cost.cpu_seconds)
    ratio = load.seconds / plain.seconds
    yield Figure(f"{name}: load / orjson", "x", ratio, LOAD_TARGETS.get(name))
    summary = costs["summary"].seconds / load.seconds
    yield Figure(f"{name}: summary / load", "x", summary, SUMMARY_TARGET)
    memory = load.peak_bytes / text_bytes
    yield Figure(f"{name}: memory of all processes / text", "x", memory, MEMORY_TARGET)
