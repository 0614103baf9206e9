"""Every real trace: the project's samples, and those that may lie beside the project."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from builders import CORPUS, SAMPLES

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.slice import Slice
from attntui.trace import load

FOLDERS = {"samples": SAMPLES} | {
    name: CORPUS.parent / name for name in ("corpus", "public", "planted", "models")
}
REAL = [path for root in FOLDERS.values() for path in sorted(root.rglob("*.json.gz"))]


def name_of(path: Path) -> str:
    """Such as `corpus/h200/blog_naive`."""
    folder = next(name for name, root in FOLDERS.items() if path.is_relative_to(root))
    return f"{folder}/{path.relative_to(FOLDERS[folder]).as_posix().removesuffix('.json.gz')}"


every_real_trace = pytest.mark.parametrize("path", REAL, ids=name_of)


@cache
def observed(path: Path) -> Slice:
    """The facts of all of a trace, loaded once for all tests."""
    return AnalysedTrace(load(path)).whole
