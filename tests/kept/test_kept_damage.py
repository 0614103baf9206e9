"""Whatever lies where a trace was kept: it opens as its file has it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keeping import SAMPLES, aged, keep
from same_trace import assert_same as assert_same_trace

from attntui.analysis.kept import opening
from attntui.analysis.kept.opening import COLUMNS, FACTS, Opened, open_trace
from attntui.trace import load
from attntui.trace.kept.shelf import ELSEWHERE, OFF, Shelf
from attntui.view.reports import summary
from attntui.view.reports.json_text import json_lines


@dataclass(frozen=True)
class Kept:
    """A trace, where it is kept, the bytes there, and what its file tells."""

    path: Path
    shelf: Shelf
    content: dict[str, bytes]
    plainly: Opened
    told: list[str]

    def assert_it_opens(self) -> Opened:
        opened = open_trace(str(self.path))
        assert_same_trace(opened.trace, self.plainly.trace)
        assert list(json_lines(summary.document(opened.analysed()))) == self.told
        return opened

    def put(self, ending: str, content: bytes) -> None:
        """Both files as they were, but for this one."""
        shutil.rmtree(self.shelf.place)
        self.shelf.place.mkdir()
        for known, own in self.content.items():
            name = next(iter(self.content)).partition(".")[0] + ending
            self.shelf.path(known).write_bytes(content if known == name else own)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    place = tmp_path_factory.mktemp("damage")
    path = aged(Path(shutil.copy(SAMPLES / "gaps_h200.json.gz", place)))
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(OFF, raising=False)
        patch.setenv(ELSEWHERE, str(place / "cache"))
        patch.setattr(opening, "LEAST_EVENTS", 1)
        keep(path)
        shelf = Shelf(place / "cache" / "attntui")
        content = {held.path.name: held.path.read_bytes() for held in shelf.held()}
        plainly = Opened(load(path))
        told = list(json_lines(summary.document(plainly.analysed())))
    return Kept(path, shelf, content, plainly, told)


@pytest.fixture(autouse=True, scope="module")
def _keeping(kept: Kept) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(OFF, raising=False)
        patch.setenv(ELSEWHERE, str(kept.shelf.place.parent))
        patch.setattr(opening, "LEAST_EVENTS", 1)
        yield None


@pytest.fixture(params=[COLUMNS, FACTS])
def ending(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@settings(max_examples=60)
@given(st.data())
@pytest.mark.parametrize("which", [COLUMNS, FACTS])
def test_damage_anywhere_changes_nothing(kept: Kept, which: str, data: st.DataObject) -> None:
    whole = next(content for name, content in kept.content.items() if name.endswith(which))
    content = bytearray(whole)
    at = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        del content[at:]
    else:
        content[at] ^= data.draw(st.integers(1, 255))
    kept.put(which, bytes(content))
    kept.assert_it_opens()


@pytest.mark.parametrize("content", [b"", b"attntui\x01", b"\x00" * 5000, b"{}"])
def test_a_foreign_file(kept: Kept, ending: str, content: bytes) -> None:
    kept.put(ending, content)
    opened = kept.assert_it_opens()
    assert opened.reopened is (ending == FACTS)
    # What was damaged is thrown away, and kept again.
    assert opened.keep(opened.analysed().find_all())
    assert kept.assert_it_opens().stored


def test_files_in_each_others_place(kept: Kept) -> None:
    columns, facts = kept.content.values() if COLUMNS in next(iter(kept.content)) else ()
    kept.put(COLUMNS, facts)
    assert not kept.assert_it_opens().reopened
    kept.put(FACTS, columns)
    assert kept.assert_it_opens().stored == frozenset()


@pytest.mark.parametrize("odd", ["folder", "link", "pipe"])
def test_no_file_at_all(kept: Kept, ending: str, odd: str) -> None:
    kept.put(ending, b"")
    path = next(held.path for held in kept.shelf.held() if held.path.suffix == ending)
    path.unlink()
    if odd == "folder":
        path.mkdir()
    elif odd == "link":
        path.symlink_to(path)
    else:
        os.mkfifo(path)
    kept.assert_it_opens()
