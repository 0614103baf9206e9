"""The documents are what the schema says, key by key, and its files are what the types give."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare import available, compare
from attntui.trace import load
from attntui.view.reports import diff, schema, schema_files, summary
from attntui.view.reports.json_text import SCHEMA, json_lines

DOCS = Path(__file__).parents[3] / "docs"

PAIRS = (
    ("naive_b8_h16_s1024_d64_bf16_h200", "flash_b8_h16_s1024_d64_bf16_h200"),
    ("naive_b8_h16_s1024_d64_bf16_bwd_h200", "flash_b8_h16_s1024_d64_bf16_bwd_h200"),
    ("prefill-naive_l4_b1_h12_s1024_d64_bf16_h200", "prefill-sdpa_l4_b1_h12_s1024_d64_bf16_h200"),
    ("naive_b1_h4_s256_d64_bf16_cpu", "flash_b8_h16_s1024_d64_bf16_h200"),
    ("gaps_h200", "train-sdpa_l2_b1_h4_s256_d64_bf16_h200"),
)


def read(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document as a program reads it."""
    data: dict[str, Any] = json.loads("\n".join(json_lines(document)))
    return data


def checked(document: Mapping[str, Any], shape: type[schema.Part]) -> dict[str, Any]:
    """A document as read, of which no key is missing and none unknown."""
    data = read(document)
    msgspec.convert(data, type=shape)
    assert next(iter(data)) == "schema"
    assert data["schema"] == SCHEMA == 2
    return data


def test_every_summary_has_the_shape_of_the_schema(real: AnalysedTrace) -> None:
    data = checked(summary.document(real), schema.Summary)
    for name in ("kernels", "devices", "gaps", "ops", "steps"):
        for entry in data[name]:
            whole = {key: value for key, value in entry.items() if key.endswith(("_ns", "_bytes"))}
            means = ("mean_ns",)
            assert all(
                value is None or key in means or isinstance(value, int | dict)
                for key, value in whole.items()
            )


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_comparisons_have_the_shape_of_the_schema(samples: Path, first: str, second: str) -> None:
    a, b = (AnalysedTrace(load(samples / f"{name}.json.gz")) for name in (first, second))
    for choice in available((a, b)):
        found = compare(a, b, choice)
        data = checked(diff.document(found), schema.Diff)
        assert len({row["key"] for row in data["rows"]}) == len(data["rows"])
        checked(diff.overview_document([compare(a, a, choice), found, found]), schema.Overview)


def test_real_neighbours_compared_have_the_shape_of_the_schema(corpus: Path) -> None:
    files = sorted((corpus / "h200").glob("*.json.gz"))
    for a, b in pairwise(AnalysedTrace(load(path)) for path in files):
        checked(diff.document(compare(a, b)), schema.Diff)


def test_a_wrong_key_and_a_missing_one_are_refused(samples: Path) -> None:
    data = read(summary.document(AnalysedTrace(load(samples / "gaps_h200.json.gz"))))
    for wrong in (data | {"more": 1}, {k: v for k, v in data.items() if k != "gaps"}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wrong, type=schema.Summary)
    del data["gaps"][0]["cause"]
    with pytest.raises(msgspec.ValidationError, match="cause"):
        msgspec.convert(data, type=schema.Summary)


def test_words_are_the_analysis_own() -> None:
    assert get_args(schema.summary.Trigger) == ("sync", "copy", "wait_event", "none")
    assert "launch_call" in get_args(schema.summary.Cause)


@pytest.mark.parametrize("name", schema_files.FILES)
def test_the_schema_files_are_what_the_types_give(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == schema_files.file_text(name), (
        "write them again: python -m attntui.view.reports.schema_files docs"
    )


def test_the_command_writes_every_file(tmp_path: Path) -> None:
    schema_files.main([str(tmp_path / "new")])
    written = {path.name: path.read_text("utf-8") for path in (tmp_path / "new").iterdir()}
    assert written == {name: schema_files.file_text(name) for name in schema_files.FILES}
    for text in written.values():
        for part in json.loads(text)["$defs"].values():
            if "enum" in part:
                continue
            assert part["additionalProperties"] is False
            assert set(part["required"]) == set(part["properties"])
            assert part["description"]
