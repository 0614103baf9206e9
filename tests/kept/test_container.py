"""A file that is kept gives what was put into it, or is refused."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attntui.trace.kept.container import Array, Contents, Damaged, header_key, packed, unpacked
from attntui.trace.kept.key import Key

KEY = Key("/a/trace.json", 100, 1, 2, "probe", "code")
ARRAYS: list[Array] = [
    np.arange(20_000, dtype=np.int64),
    np.full(1000, -3, np.int32),
    np.zeros(0, np.float64),
    np.array([True, False, True]),
    np.arange(12, dtype=np.int16).reshape(3, 4),
    np.frombuffer(b"some text", np.uint8),
]


def bytes_of(arrays: list[Array] = ARRAYS) -> bytes:
    return b"".join(packed(KEY, b'{"told":[1,2]}', arrays))


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def is_what_was_put(contents: Contents) -> bool:
    return (
        contents.key == KEY
        and contents.told == b'{"told":[1,2]}'
        and len(contents.arrays) == len(ARRAYS)
        and all(
            one.dtype == other.dtype and one.shape == other.shape and np.array_equal(one, other)
            for one, other in zip(contents.arrays, ARRAYS, strict=True)
        )
    )


def test_it_gives_what_was_put_in(tmp_path: Path) -> None:
    path = written(tmp_path / "file", bytes_of())
    contents = unpacked(path)
    assert is_what_was_put(contents)
    assert not any(array.flags.writeable for array in contents.arrays)
    assert header_key(path) == KEY


def test_an_array_of_one_number_takes_no_room() -> None:
    alike, various = np.full(100_000, 7, np.int64), np.arange(100_000)
    assert len(bytes_of([alike])) < 1000
    assert len(bytes_of([various])) > 800_000


def test_objects_are_never_put_in() -> None:
    with pytest.raises(TypeError):
        packed(KEY, b"{}", [np.array([object()])])


def test_no_arrays(tmp_path: Path) -> None:
    path = written(tmp_path / "file", b"".join(packed(KEY, b"[1]")))
    assert unpacked(path).told == b"[1]"


def test_it_stays_readable_when_it_is_thrown_away(tmp_path: Path) -> None:
    path = written(tmp_path / "file", bytes_of())
    contents = unpacked(path)
    os.replace(written(tmp_path / "other", bytes_of([])), path)
    path.unlink()
    assert is_what_was_put(contents)


WHOLE = bytes_of()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """The file with bytes flipped or zeroed somewhere, cut short, longer, or in two halves."""
    places = st.one_of(st.integers(0, len(WHOLE) - 1), st.integers(0, 2000))
    content = bytearray(WHOLE)
    kind = draw(st.sampled_from(("flip", "zero", "cut", "longer", "moved")))
    at = draw(places)
    if kind == "flip":
        for where in {at, *draw(st.lists(places, max_size=3))}:
            content[where] ^= draw(st.integers(1, 255))
    elif kind == "zero":
        length = draw(st.integers(1, 5000))
        content[at : at + length] = bytes(len(content[at : at + length]))
    elif kind == "cut":
        del content[at:]
    elif kind == "longer":
        content += draw(st.binary(min_size=1, max_size=100))
    else:
        content = content[at:] + content[:at]
    return bytes(content)


@given(damaged())
def test_what_is_damaged_is_refused_or_makes_no_difference(place: Path, content: bytes) -> None:
    path = written(place / "file", content)
    try:
        contents = unpacked(path)
    except Damaged:
        return
    assert is_what_was_put(contents)


@given(st.binary(max_size=300))
def test_what_is_no_such_file_is_refused(place: Path, content: bytes) -> None:
    for text in (content, WHOLE[:8] + content, WHOLE[:100] + content):
        path = written(place / "file", text)
        with pytest.raises(Damaged):
            unpacked(path)
        assert header_key(path) is None


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples."""
    return tmp_path_factory.mktemp("damaged")


def test_every_single_byte_of_an_array_counts(tmp_path: Path) -> None:
    arrays: list[Array] = [np.arange(40, dtype=np.int16), np.arange(21, dtype=np.uint8)]
    whole = bytes_of(arrays)
    read = unpacked(written(tmp_path / "whole", whole)).arrays
    refused = 0
    for at in range(len(whole)):
        content = bytearray(whole)
        content[at] ^= 0x10
        path = written(tmp_path / "file", bytes(content))
        try:
            found = unpacked(path).arrays
        except Damaged:
            refused += 1
            continue
        assert all(np.array_equal(a, b) for a, b in zip(found, read, strict=True))
    assert refused >= len(whole) - 2 * 64


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "file", bytes_of())
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(Damaged):
        unpacked(path)


def test_another_key_is_told(tmp_path: Path) -> None:
    other = replace(KEY, size=101)
    path = written(tmp_path / "file", b"".join(packed(other, b"{}")))
    assert header_key(path) == other != KEY
