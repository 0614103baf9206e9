"""Real traces for tests over all of them: the samples, and what lies beside the project."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import CORPUS

from attntui.analysis.analysed import AnalysedTrace
from attntui.trace import load

SAMPLES = Path(__file__).parents[2] / "sample_traces"
FOLDERS = (SAMPLES, CORPUS, CORPUS / "h200", *(CORPUS.parent / n for n in ("public", "planted")),
           CORPUS.parent / "models")  # fmt: skip
FILES = [path for folder in FOLDERS for path in sorted(folder.glob("*.json.gz"))]


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the traces that come with the project."""
    return SAMPLES


@pytest.fixture(scope="session", params=FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def real(request: pytest.FixtureRequest) -> AnalysedTrace:
    """Each real trace that is here, analysed."""
    return AnalysedTrace(load(request.param))
