"""The directory of what is kept: whole files or none, for several processes, within its room."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from attntui.trace.kept.shelf import ELSEWHERE, MOST_MB, SIZE, Shelf, Unkept, directory, most_bytes


def put(shelf: Shelf, name: str, content: bytes, age: float = 0) -> None:
    shelf.write(name, [memoryview(content)])
    when = time.time() - age
    os.utime(shelf.path(name), (when, when))


def names(shelf: Shelf) -> list[str]:
    return sorted(path.name for path in shelf.place.iterdir())


@pytest.fixture
def small(tmp_path: Path) -> Shelf:
    """A directory that may hold a thousand bytes."""
    return Shelf(tmp_path / "small", 1000)


def test_only_the_user_can_read_it(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "deep" / "cache")
    put(shelf, "a", b"content")
    assert stat.S_IMODE(shelf.place.stat().st_mode) == 0o700
    assert stat.S_IMODE(shelf.path("a").stat().st_mode) == 0o600
    assert shelf.path("a").read_bytes() == b"content"


def test_a_file_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    put(shelf, "a", b"one")
    with shelf.path("a").open("rb") as reader:
        put(shelf, "a", b"two")
        assert reader.read() == b"one"
    assert shelf.path("a").read_bytes() == b"two"
    assert names(shelf) == ["a"]


def test_the_longest_unused_go_first(small: Shelf) -> None:
    for age, name in ((30, "old"), (20, "older than it looks"), (10, "young")):
        put(small, name, bytes(300), age)
    small.used("old")
    put(small, "new", bytes(300))
    assert names(small) == ["new", "old", "young"]


def test_what_is_spared_stays(small: Shelf) -> None:
    put(small, "a.columns", bytes(500), 30)
    put(small, "b.columns", bytes(400), 10)
    small.write("a.facts", [memoryview(bytes(300))], spared="a")
    assert names(small) == ["a.columns", "a.facts"]


def test_what_is_too_large_is_not_kept_and_nothing_goes_for_it(small: Shelf) -> None:
    put(small, "a", bytes(600))
    with pytest.raises(Unkept):
        put(small, "b", bytes(1001))
    assert names(small) == ["a"]


def test_a_full_disk_holds_less(small: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    system = os.statvfs(small.place.parent)
    free = os.statvfs_result((*(1,) * 2, *tuple(system)[2:4], 4000, *tuple(system)[5:]))
    monkeypatch.setattr(os, "statvfs", lambda _: free)
    assert small.room() == 400
    with pytest.raises(Unkept):
        put(small, "b", bytes(500))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_write_that_fails_leaves_nothing(
    small: Shelf, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    put(small, "a", b"before")
    write, blocks = os.write, iter(range(10))

    def failing(descriptor: int, block: memoryview) -> int:
        if next(blocks) < 2:
            return write(descriptor, block[: len(block) // 2])
        raise OSError(number, "no")

    monkeypatch.setattr(os, "write", failing)
    with pytest.raises(Unkept):
        put(small, "a", bytes(100))
    assert names(small) == ["a"]
    assert small.path("a").read_bytes() == b"before"


def test_a_limit_on_the_size_of_files_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from attntui.trace.kept.shelf import Shelf, Unkept\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "try: Shelf(Path(sys.argv[1])).write('a', [memoryview(bytes(50_000))])\n"
        "except Unkept: sys.exit(7)"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "cache"], check=False)
    assert done.returncode == 7
    assert names(Shelf(tmp_path / "cache")) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(Unkept):
        put(Shelf(tmp_path / "cache"), "a", b"")


def test_a_file_where_the_directory_should_be(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("mine")
    shelf = Shelf(tmp_path / "cache")
    with pytest.raises(Unkept):
        put(shelf, "a", b"")
    assert shelf.held() == []
    shelf.sweep()
    assert (tmp_path / "cache").read_text() == "mine"


def test_a_writer_that_gives_up_leaves_nothing(small: Shelf) -> None:
    asked = iter((False, True))
    with pytest.raises(Unkept):
        small.write("a", [memoryview(b"1"), memoryview(b"2")], lambda: next(asked))
    assert names(small) == []


_WRITER = """
import sys, time
from pathlib import Path
from attntui.trace.kept.shelf import Shelf
def stuck():
    print("writing", flush=True)
    time.sleep(600)
Shelf(Path(sys.argv[1])).write("a", [memoryview(b"half"), memoryview(b"whole")], stuck)
"""


def test_what_a_killed_writer_left_is_never_read_and_goes(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    command = [sys.executable, "-c", _WRITER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        shelf.sweep()
        # Its writer lives: it is let be.
        assert len(names(shelf)) == 1
        assert shelf.held() == []
        writer.send_signal(signal.SIGKILL)
    assert len(names(shelf)) == 1
    put(shelf, "b", b"")
    assert names(shelf) == ["b"]


def test_foreign_files_are_let_be(small: Shelf) -> None:
    put(small, "a", bytes(100))
    (small.place / "folder.part").mkdir()
    (small.place / "link.part").symlink_to("nowhere")
    small.sweep()
    assert names(small) == ["a", "folder.part", "link.part"]
    assert [held.path.name for held in small.held()] == ["a"]


_TWO = """
import sys
from pathlib import Path
import numpy as np
from attntui.trace.kept.container import Damaged, packed, unpacked
from attntui.trace.kept.key import Key
from attntui.trace.kept.shelf import Shelf, Unkept
shelf, own = Shelf(Path(sys.argv[1]), 60_000), int(sys.argv[2])
read = 0
for turn in range(60):
    name, number = f"{turn % 4}.columns", own * 1000 + turn
    key = Key(name, number, 0, 0, "", "")
    try:
        shelf.write(name, packed(key, b"{}", [np.arange(number, number + 2500)]))
    except Unkept:
        pass
    for other in range(4):
        try:
            found = unpacked(shelf.path(f"{other}.columns"))
        except FileNotFoundError:
            continue
        assert found.key.path == f"{other}.columns"
        assert found.arrays[0][0] == found.key.size
        read += 1
    shelf.drop(f"{(turn + 2) % 4}.columns")
print(read)
"""


def test_two_processes_write_read_and_drop_at_once(tmp_path: Path) -> None:
    commands: Sequence[list[str]] = [
        [sys.executable, "-c", _TWO, str(tmp_path), str(number)] for number in (1, 2)
    ]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    read = [int(process.communicate()[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert min(read) > 0
    assert not [name for name in names(Shelf(tmp_path)) if name.endswith(".part")]
    assert sum(held.size for held in Shelf(tmp_path).held()) <= 60_000 + 25_000


def test_the_place_is_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(ELSEWHERE, str(tmp_path / "else"))
    assert directory() == tmp_path / "else" / "attntui"
    monkeypatch.delenv(ELSEWHERE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    found = directory()
    assert found is not None
    assert found.name == "attntui"
    if sys.platform == "linux":
        assert found == tmp_path / "xdg" / "attntui"


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ELSEWHERE, raising=False)
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    import pwd

    def unknown(_: int) -> None:
        raise KeyError("no such user")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    place = directory()
    # A path that begins with ~ would be made in the current directory.
    assert place is None or place.is_absolute()


@pytest.mark.parametrize(
    ("asked", "mb"), [("", MOST_MB), ("5", 5), ("0", 0), ("-1", MOST_MB), ("much", MOST_MB)]
)
def test_how_much_is_kept_can_be_said(monkeypatch: pytest.MonkeyPatch, asked: str, mb: int) -> None:
    monkeypatch.setenv(SIZE, asked)
    assert most_bytes() == mb * 10**6
