"""`attntui cache` lists what is kept of traces, and removes it; `--no-cache` keeps nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from attntui.analysis.kept import opening
from attntui.cli import main
from attntui.trace.kept import notes, shelf
from attntui.trace.kept.key import key_of

SAMPLES = Path(__file__).parents[2] / "sample_traces"


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    found = tmp_path / "cache" / "attntui", tmp_path / "state" / "attntui"
    monkeypatch.delenv(shelf.OFF, raising=False)
    monkeypatch.setenv(shelf.ELSEWHERE, str(found[0].parent))
    monkeypatch.setenv(notes.ELSEWHERE, str(found[1].parent))
    monkeypatch.setattr(opening, "LEAST_EVENTS", 1)
    monkeypatch.setattr("attntui.trace.kept.key._SETTLED_S", -100)
    return found


def sample(place: Path, name: str = "trace.json.gz") -> str:
    return str(shutil.copy(SAMPLES / "gaps_h200.json.gz", place / name))


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    capsys.readouterr()
    assert main(["cache", "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_a_summary_is_kept_and_printed_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sample(tmp_path)
    told = []
    for form in ("--json", "--json", "--markdown"):
        assert main(["summary", path, form]) == 0
        told.append(capsys.readouterr().out)
        monkeypatch.setattr(opening, "load", None)
    assert told[0] == told[1]
    monkeypatch.undo()
    assert main(["summary", path, "--markdown", "--no-cache"]) == 0
    assert capsys.readouterr().out == told[2]


def test_diff_keeps_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [sample(tmp_path, name) for name in ("a.json.gz", "b.json.gz")]
    assert main(["diff", *paths]) == 0
    first = capsys.readouterr().out
    assert {one["path"] for one in listed(capsys)["traces"]} == set(paths)  # type: ignore[attr-defined]
    assert main(["diff", *paths]) == 0
    assert capsys.readouterr().out == first


@pytest.mark.parametrize("command", [["summary"], ["diff", "--top", "3"]])
def test_no_cache_keeps_nothing(
    tmp_path: Path, places: tuple[Path, Path], command: list[str]
) -> None:
    paths = [sample(tmp_path, name) for name in ("a.json.gz", "b.json.gz")]
    assert main([*command, "--no-cache", *paths[: 1 if command == ["summary"] else 2]]) == 0
    assert not any(place.exists() for place in places)


def test_the_list_tells_of_each_trace(
    tmp_path: Path, places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = sample(tmp_path, "odd \x1b[31mname.json.gz")
    main(["summary", path])
    key = key_of(path)
    assert key is not None
    notes.put_note(key, b"{}")
    found = listed(capsys)
    (one,) = found["traces"]  # type: ignore[misc]
    assert one["path"] == path
    kept = [file for place in (places[0], places[1] / "left") for file in place.iterdir()]
    assert one["bytes"] == found["bytes"] == sum(file.stat().st_size for file in kept)
    assert found["most_bytes"] <= 2_000_000_000  # type: ignore[operator]
    assert main(["cache"]) == 0
    text = capsys.readouterr().out
    assert "odd \\x1b[31mname.json.gz" in text
    assert "1 trace in " in text


def test_clear_removes_one_or_all(
    tmp_path: Path, places: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = (sample(tmp_path, name) for name in ("a.json.gz", "b.json.gz"))
    for path in (a, b):
        main(["summary", path])
        key = key_of(path)
        assert key is not None
        notes.put_note(key, b"{}")
    (places[0] / "foreign.columns").write_text("not of a trace")
    assert main(["cache", "clear", a]) == 0
    assert [one["path"] for one in listed(capsys)["traces"] if one["path"]] == [b]  # type: ignore[attr-defined]
    assert notes.note(key_of(a)) is None  # type: ignore[arg-type]
    assert notes.note(key_of(b)) == b"{}"  # type: ignore[arg-type]
    assert main(["cache", "clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["traces"] == 2
    assert listed(capsys)["traces"] == []
    assert list(places[0].iterdir()) == []


def test_an_empty_cache(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    assert "0 traces in " in capsys.readouterr().out
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == "removed 0 B of 0 traces\n"


def test_errors_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["cache", "list", "a.json"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    monkeypatch.setattr(shelf, "directory", lambda: None)
    assert main(["cache"]) == 2
    assert "ATTNTUI_CACHE_DIR" in capsys.readouterr().err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["cache", "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert f"{shelf.MOST_MB} MB" in text
