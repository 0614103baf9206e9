"""A trace that is opened from what was kept of it is the one that the file holds."""

from __future__ import annotations

import errno
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pytest
from builders import CORPUS
from keeping import SAMPLES, aged, found_in, keep
from same_facts import assert_same
from same_trace import assert_same as assert_same_trace

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.kept import opening
from attntui.analysis.kept.fact import found
from attntui.analysis.kept.opening import COLUMNS, FACTS, Opened, open_trace
from attntui.errors import InputError
from attntui.extent import Extent
from attntui.trace import Category, load, read_event
from attntui.trace.kept import key as keys
from attntui.trace.kept.key import Key, key_of
from attntui.trace.kept.reader import LateReader, is_at_hand
from attntui.trace.kept.shelf import ELSEWHERE, OFF, Shelf
from attntui.view.reports import summary
from attntui.view.reports.json_text import json_lines
from attntui.view.reports.text import plain
from attntui.view.session.session import Session

Sample = Callable[..., Path]

BESIDE = ("corpus", "public", "planted", "models", "inputs")
REAL = sorted(
    path
    for folder in (SAMPLES, *(CORPUS.parent / name for name in BESIDE))
    for path in folder.rglob("*.json*")
    if path.name not in ("truth.json", "expected.json")
)


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_everything_is_as_the_file_has_it(path: Path, shelf: Shelf, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    aged(copy)
    try:
        first = open_trace(str(copy))
    except InputError:
        pytest.skip("no trace")
    if not first.can_be_kept:
        assert {notice.kind for notice in first.trace.notices} & {"damaged", "memory"}
        pytest.skip("cut short: not kept")
    keep(copy)
    plainly, kept = Opened(load(copy)), open_trace(str(copy))
    assert kept.reopened
    assert_same_trace(plainly.trace, kept.trace)
    (one, one_lanes), (other, other_lanes) = found_in(plainly), found_in(kept)
    told = dict((*found("a", one), *found("w", one.whole), *found("n", one.labels)))
    again = dict((*found("a", other), *found("w", other.whole), *found("n", other.labels)))
    told |= found("l", one_lanes)
    again |= found("l", other_lanes)
    # What another fact was made of needs not be found again.
    assert again.keys() <= told.keys()
    for name, value in again.items():
        assert_same(value, told[name], name)
    assert list(json_lines(summary.document(one))) == list(json_lines(summary.document(other)))
    assert list(plain(summary.sections(one, 10))) == list(plain(summary.sections(other, 10)))


def test_nothing_that_was_kept_is_found_again(
    shelf: Shelf, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample()
    keep(path)
    opened = open_trace(str(path))
    for name in ("find_findings", "kernel_facts", "device_idle"):
        monkeypatch.setattr(f"attntui.analysis.slice.{name}", None)
    for name in ("find_attention", "gpu_work", "cause_finder", "self_times"):
        monkeypatch.setattr(f"attntui.analysis.analysed.{name}", None)
    analysed, lanes = found_in(opened)
    Session.of(analysed, lanes)
    assert not opened.keep(analysed, {"lanes": lanes})


def test_other_roofs_find_their_own_facts(shelf: Shelf, sample: Sample) -> None:
    path = sample("naive_b8_h16_s1024_d64_bf16_h200.json.gz")
    keep(path)
    kept = open_trace(str(path)).analysed(peak_bandwidth=1e12)
    plainly = AnalysedTrace(load(path), peak_bandwidth=1e12)
    assert kept.peaks == plainly.peaks
    assert [f.bound for f in kept.whole.kernel_facts] == [
        f.bound for f in plainly.whole.kernel_facts
    ]


def test_facts_that_come_later_are_kept_with_those_before(shelf: Shelf, sample: Sample) -> None:
    path = sample()
    opened = open_trace(str(path))
    analysed = opened.analysed()
    _ = analysed.whole.devices
    assert opened.keep(analysed)
    again = open_trace(str(path))
    later = again.analysed()
    _ = later.attention
    assert again.keep(later)
    assert {"whole.devices", "analysed.attention"} <= open_trace(str(path)).stored


# What is told of a file


@pytest.mark.parametrize("way", ["longer", "same size", "same size and time"])
def test_a_file_that_changed_is_read(shelf: Shelf, sample: Sample, way: str) -> None:
    path = sample()
    text = gzip.decompress(path.read_bytes())
    plain_path = path.with_suffix("")
    plain_path.write_bytes(text)
    keep(aged(plain_path))
    before = plain_path.stat()
    changed = text.replace(b'"name": "', b'"name": "z' if way == "longer" else b'"nbme": "', 50)
    with plain_path.open("r+b") as file:
        file.write(changed)
    if way == "same size and time":
        os.utime(plain_path, ns=(before.st_atime_ns, before.st_mtime_ns))
    else:
        aged(plain_path)
    opened = open_trace(str(plain_path))
    assert not opened.reopened
    assert_same_trace(opened.trace, load(plain_path))


def test_a_block_that_changed_is_seen_where_no_time_tells(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(1_000_000))
    with path.open("r+b") as file:
        before = keys.probe(file.fileno(), 1_000_000)
        for place in (0, 999_999, 500_000 // 15 * 15):
            file.seek(place)
            file.write(b"x")
            file.flush()
            after = keys.probe(file.fileno(), 1_000_000)
            assert after != before or place == 500_000 // 15 * 15
            before = after


def test_other_code_and_another_form_are_other_keys(
    shelf: Shelf, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample()
    keep(path)
    assert open_trace(str(path)).reopened
    monkeypatch.setattr(opening, "key_of", lambda p: _other_code(key_of(p)))
    assert not open_trace(str(path)).reopened


def _other_code(key: Key | None) -> Key:
    assert key is not None
    return Key(key.path, key.size, key.modified, key.changed, key.probe, "other")


def test_the_path_is_the_one_that_was_named(
    shelf: Shelf, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample()
    keep(path)
    monkeypatch.chdir(path.parent)
    opened = open_trace(path.name)
    assert opened.reopened
    assert opened.trace.path == path.name


def test_a_file_being_written_is_not_kept(shelf: Shelf, sample: Sample) -> None:
    path = sample()
    os.utime(path)
    opened = open_trace(str(path))
    assert not opened.keep(opened.analysed())
    assert shelf.held() == []


def test_a_file_that_changed_while_it_was_read_is_not_kept(shelf: Shelf, sample: Sample) -> None:
    path = sample()
    opened = open_trace(str(path))
    with gzip.open(path, "ab") as file:
        file.write(b" ")
    aged(path)
    assert not opened.keep(opened.analysed())
    assert shelf.held() == []


def test_what_is_not_kept(shelf: Shelf, sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sample()
    assert not open_trace(str(path), cache=False).can_be_kept
    assert not open_trace(str(path), extent=Extent(last_steps=1)).can_be_kept
    monkeypatch.setattr(opening, "LEAST_EVENTS", 10**9)
    assert not open_trace(str(path)).can_be_kept
    monkeypatch.setattr(opening, "LEAST_EVENTS", 1)
    assert open_trace(str(path)).can_be_kept
    monkeypatch.setenv(OFF, "1")
    assert not open_trace(str(path)).can_be_kept
    monkeypatch.delenv(OFF)
    cut = path.with_name("cut.json.gz")
    cut.write_bytes(path.read_bytes()[:-2000])
    assert not open_trace(str(aged(cut))).can_be_kept


@pytest.mark.parametrize("place", ["/dev/null/cache", "/proc/cache", "file"])
def test_a_directory_that_cannot_be_had_is_done_without(
    shelf: Shelf, sample: Sample, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    path = sample()
    monkeypatch.setenv(ELSEWHERE, str(path) if place == "file" else place)
    opened = open_trace(str(path))
    assert not opened.keep(opened.analysed().find_all())
    assert not open_trace(str(path)).reopened


def test_without_a_home_a_trace_opens(
    shelf: Shelf, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "directory", lambda: None)
    path = sample()
    opened = open_trace(str(path))
    assert not opened.can_be_kept
    assert not opened.keep(opened.analysed())


def test_a_disk_that_fills_up_leaves_nothing(
    shelf: Shelf, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space left on device")

    path = sample()
    opened = open_trace(str(path))
    analysed = opened.analysed().find_all()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        assert not opened.keep(analysed)
    assert list(shelf.place.iterdir()) == []
    # There is room again.
    assert opened.keep(analysed)
    assert open_trace(str(path)).reopened


def test_keeping_that_is_given_up_leaves_nothing(shelf: Shelf, sample: Sample) -> None:
    opened = open_trace(str(sample()))
    assert not opened.keep(opened.analysed().find_all(), cancelled=lambda: True)
    assert list(shelf.place.iterdir()) == []


_SUMMARY = """
import sys
from attntui.analysis.kept import opening
from attntui.cli import main
opening.LEAST_EVENTS = 1
for turn in range(4):
    main(["summary", sys.argv[1], "--json"])
    if turn % 2 == int(sys.argv[2]):
        main(["cache", "clear"])
"""


def test_processes_keep_read_and_clear_the_same_trace_at_once(shelf: Shelf, sample: Sample) -> None:
    path = sample()
    whole = json.loads("\n".join(json_lines(summary.document(Opened(load(path)).analysed()))))
    command = [sys.executable, "-c", _SUMMARY, str(path)]
    both = [
        subprocess.Popen([*command, str(n)], stdout=PIPE, stderr=PIPE, text=True) for n in (0, 1)
    ]
    for process in both:
        told, errors = process.communicate()
        assert process.returncode == 0
        assert "Traceback" not in errors
        decoder, at = json.JSONDecoder(), 0
        found = []
        while at < len(told):
            if told[at] == "{":
                one, at = decoder.raw_decode(told, at)
                found.append(one)
            else:
                at = told.index("\n", at) + 1
        assert len(found) == 4
        assert all({**one, "path": ""} == {**whole, "path": ""} for one in found)


def test_no_cache_reads_nothing_of_it(shelf: Shelf, sample: Sample) -> None:
    path = sample()
    keep(path)
    assert not open_trace(str(path), cache=False).reopened


# Arguments


@pytest.mark.parametrize("packed", [False, True])
def test_arguments_are_read_from_the_file(shelf: Shelf, sample: Sample, packed: bool) -> None:
    path = sample()
    if not packed:
        text = gzip.decompress(path.read_bytes())
        path = path.with_suffix("")
        path.write_bytes(text)
        aged(path)
    keep(path)
    opened, trace = open_trace(str(path)), load(path)
    assert opened.reopened
    for row in (0, len(trace) - 1, len(trace) // 2, 1):
        assert read_event(opened.trace, row) == read_event(trace, row) != {}


def test_a_packed_file_is_inflated_when_it_is_asked_for(shelf: Shelf, sample: Sample) -> None:
    path = sample()
    keep(path)
    trace = open_trace(str(path)).trace
    reader = trace.reader
    assert isinstance(reader, LateReader)
    last = int(np.argmax(trace.columns.offset))
    assert reader.reached == 0
    assert not is_at_hand(trace, last)
    reader.go_through(lambda: True)
    assert reader.reached == 0
    reader.go_through(lambda: False)
    assert is_at_hand(trace, last)
    assert read_event(trace, last)["name"] == trace.name_of(last)


def test_a_file_that_is_replaced_is_still_read_as_it_was(shelf: Shelf, sample: Sample) -> None:
    path = sample()
    keep(path)
    opened = open_trace(str(path))
    kernel = int(np.flatnonzero(opened.trace.category == Category.KERNEL)[-1])
    os.replace(sample("naive_b8_h16_s1024_d64_bf16_h200.json.gz"), path)
    assert read_event(opened.trace, kernel)["name"] == opened.trace.name_of(kernel)


def test_progress_ends_at_the_whole_file(shelf: Shelf, sample: Sample) -> None:
    path = sample()
    keep(path)
    told = []
    opened = open_trace(str(path), progress=told.append)
    assert [(at.bytes_done, at.bytes_total, at.events) for at in told] == [
        (path.stat().st_size, path.stat().st_size, opened.trace.events)
    ]


def test_the_endings_are_those_of_the_files(shelf: Shelf, sample: Sample) -> None:
    keep(sample())
    assert sorted(held.path.suffix for held in shelf.held()) == [COLUMNS, FACTS]
    assert time.time() - min(held.used for held in shelf.held()) < 3600
