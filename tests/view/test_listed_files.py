"""Which files are listed to choose from, and what each is called."""

from __future__ import annotations

import os
import re
from pathlib import Path

import builders
import pytest
from rich.cells import cell_len
from steps_trace import two_steps

from attntui.errors import LoadCancelled
from attntui.safe import safe
from attntui.view.files import FileFacts, facts_of, find_traces, short_names
from attntui.view.tables.files import MARK, files_table
from attntui.view.tables.order import TableView, layout, line
from attntui.view.words.formats import age


def test_files_are_called_by_their_stem_where_that_tells_them_apart(tmp_path: Path) -> None:
    for folder, name in (("a", "run.json.gz"), ("b", "run.json"), ("b", "other.pt.trace.json")):
        (tmp_path / folder).mkdir(exist_ok=True)
        builders.write_trace(tmp_path / folder, two_steps(), name)
    found = [file for file in find_traces(tmp_path) if not file.sample]
    assert sorted(short_names(found, tmp_path)) == [
        os.path.join("a", "run.json.gz"),
        os.path.join("b", "run.json"),
        "other.pt.trace",
    ]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    assert [file for file in find_traces(tmp_path) if not file.sample] == []


def test_what_is_told_of_a_trace(tmp_path: Path) -> None:
    path = builders.write_trace(
        tmp_path, two_steps(), deviceProperties=[{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}]
    )
    facts = facts_of(path, lambda: False)
    # The GPU works 610 of the 1,950 us from its first operation to its last one's end.
    assert facts == FileFacts("NVIDIA A100-SXM4-40GB", 2, 610 / 1950)
    with pytest.raises(LoadCancelled):
        facts_of(path, lambda: True)
    (file,) = (file for file in find_traces(tmp_path) if not file.sample)
    table = files_table([file], tmp_path, file.changed + 7200, {file: facts}, [file.path])
    texts = {column.title: column.text(0) for column in table.columns}
    assert texts["device"] == "A100"
    assert (texts["steps"], texts["busy"], texts["age"]) == ("2", "31.3 %", "2 h")
    assert texts[""] == MARK
    unread = files_table([file], tmp_path, file.changed)
    assert [unread.column(key).text(0) for key in ("device", "steps", "busy_share")] == ["-"] * 3


@pytest.mark.parametrize("device", ["NVIDIA A100-PG509-200", "NVIDIA GeForce RTX 4090"])
def test_a_long_name_costs_no_column_at_80_cells(tmp_path: Path, device: str) -> None:
    name = f"{'llama_8b_prefill_' * 5}rank0_of_8.json"
    builders.write_trace(tmp_path, two_steps(), name)
    builders.write_trace(tmp_path, two_steps(), "short.json")
    found = [file for file in find_traces(tmp_path) if not file.sample]
    facts = dict.fromkeys(found, FileFacts(safe(device), 2, 0.313))
    view = TableView.of(files_table(found, tmp_path, found[0].changed, facts))
    plan = layout(view.columns, 76)
    shown = [view.columns[i].key for i in plan.columns]
    # The size goes first: it tells less than the name.
    assert shown == ["", "trace", "device", "steps", "busy_share", "changed"]
    rows = [line(view, position, plan) for position in range(2)]
    long = next(row for row in rows if "llama" in row)
    # Both ends of a name tell it from others.
    assert re.match(r" *llama_8b_prefill_\w*…\w*rank0_of_8 ", long)
    assert all(cell_len(row) <= 76 for row in rows)


def test_ages() -> None:
    day = 86_400
    assert [age(s) for s in (-5, 59, 60, 3_600, day, 400 * day)] == [
        *("now", "now", "1 min", "1 h", "1 d", "1 y"),
    ]
