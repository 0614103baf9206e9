"""Files that may be kept, and keeping them."""

from __future__ import annotations

import os
from pathlib import Path

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.kept.opening import Opened, open_trace
from attntui.view.drawing.lanes import Lanes
from attntui.view.reports import summary
from attntui.view.reports.text import plain

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def aged(path: Path, seconds: int = 100) -> Path:
    """A file that was changed so long ago."""
    when = path.stat().st_mtime_ns - seconds * 10**9
    os.utime(path, ns=(when, when))
    return path


def found_in(opened: Opened) -> tuple[AnalysedTrace, Lanes]:
    """All that screens and reports ask for."""
    analysed = opened.analysed().find_all()
    lanes = Lanes(analysed).find_all()
    list(plain(summary.sections(analysed, 10)))
    return analysed, lanes


def keep(path: Path) -> None:
    opened = open_trace(str(path))
    analysed, lanes = found_in(opened)
    assert opened.keep(analysed, {"lanes": lanes})
