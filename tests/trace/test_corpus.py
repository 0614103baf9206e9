"""Every real trace against figures made without the code of the product."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import plainly
import pytest
from builders import CORPUS, SAMPLES, name_of

from attntui.trace import load, read_event

TRUTH = CORPUS / "truth.json"
RECORDS: list[dict[str, Any]] = json.loads(TRUTH.read_text()) if TRUTH.exists() else []


def find(name: str) -> Path:
    return next(path for path in (CORPUS / name, CORPUS / "h200" / name) if path.exists())


def paths() -> list[Path]:
    return [*sorted(SAMPLES.glob("*.json.gz")), *(find(record["file"]) for record in RECORDS)]


@pytest.mark.parametrize("path", paths(), ids=name_of)
def test_counts_agree_with_the_truth(path: Path) -> None:
    """The truth of the corpus lies beside it; that of a sample is counted here."""
    told = {record["file"]: record for record in RECORDS}
    record: dict[str, Any] = plainly.record(path) if path.parent == SAMPLES else told[path.name]
    trace = load(path)
    ops = trace.gpu_ops
    devices = trace.metadata.devices
    assert {
        "events": trace.events,
        "complete_events": sum(trace.category_counts.values()),
        "categories": dict(trace.category_counts),
        "gpu_ops": len(ops),
        "gpu_ops_with_launch": int((trace.launch[ops] >= 0).sum()),
        "gpu_time_total_ns": int(trace.dur[ops].sum()),
        "streams": sorted(str(stream) for stream in np.unique(trace.stream[ops])),
        "device_name": devices[0].name if devices else None,
    } == {
        key: record[key]
        for key in (
            "events",
            "complete_events",
            "categories",
            "gpu_ops",
            "gpu_ops_with_launch",
            "gpu_time_total_ns",
            "streams",
            "device_name",
        )
    }
    for device, expected in record["devices"].items():
        rows = ops[trace.device[ops] == int(device)]
        assert len(rows) == expected["ops"]
        assert trace.end[rows].max() - trace.start[rows].min() == expected["span_ns"]


@pytest.mark.parametrize("path", paths(), ids=name_of)
def test_rows_are_ordered_and_point_into_the_file(path: Path) -> None:
    trace = load(path)
    start, dur = trace.start, trace.dur
    assert np.all((start[1:] > start[:-1]) | (dur[1:] <= dur[:-1]))
    assert start[0] >= 0
    rows = np.arange(0, len(trace), max(1, len(trace) // 40))
    assert [read_event(trace, row)["name"] for row in rows] == [trace.name_of(row) for row in rows]


def test_corpus_is_whole(corpus: Path) -> None:
    assert len(RECORDS) == 33
