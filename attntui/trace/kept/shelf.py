"""The directory of what is kept: where it is, how much it may hold, what goes when it is full."""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MOST_MB = 2000
"""What all that is kept takes at most, where nothing else is asked; MB are 10^6 bytes."""

_SHARE_OF_DISK = 10
"""Nor does it take more than one part in so many of the disk that is free without it."""

_BLOCK = 4 * 1024 * 1024
"""Bytes that are written before it is asked whether to go on."""

_SYNC_EVERY = 8
"""Blocks after which they are sent to the disk, so that no end has long to wait for."""

_DEAD_AFTER_S = 24 * 3600
"""An unfinished file that old has no writer, where locks do not tell."""

_UNFINISHED = ".part"

OFF = "ATTNTUI_NO_CACHE"
"""The environment variable that turns all keeping off, whatever its value."""

ELSEWHERE = "ATTNTUI_CACHE_DIR"
"""The environment variable that names another directory."""

SIZE = "ATTNTUI_CACHE_MB"
"""The environment variable that says how much may be kept."""


class Unkept(Exception):
    """Something could not be kept. Nothing is wrong: it will be found again."""


def is_on() -> bool:
    return not os.environ.get(OFF)


def most_bytes() -> int:
    """What all that is kept may take on a disk of any size."""
    asked = os.environ.get(SIZE, "")
    return 10**6 * (int(asked) if asked.isdecimal() else MOST_MB)


def directory() -> Path | None:
    """Where columns and facts are kept; None where the user has no such place."""
    return users("user_cache_dir", ELSEWHERE)


def users(kind: str, variable: str) -> Path | None:
    """The directory `attntui` in one of the user, as platformdirs calls it, or in one that the
    environment names; None where there is no such place. All in it is attntui's own.
    """
    named = os.environ.get(variable)
    if named:
        return Path(named).absolute() / "attntui"
    import platformdirs

    try:
        place = Path(getattr(platformdirs, kind)("attntui", appauthor=False))
    except (OSError, RuntimeError):
        return None
    # Without a home it begins with ~.
    return place if place.is_absolute() else None


@dataclass(frozen=True, slots=True)
class Held:
    """One file that is kept: its size in bytes, and when it was last used (seconds)."""

    path: Path
    size: int
    used: float

    @property
    def name(self) -> str:
        """What the files kept of one trace begin with."""
        return self.path.name.partition(".")[0]


class Shelf:
    """Files in one directory, each whole or not there, of `most` bytes in all."""

    def __init__(self, place: Path, most: int | None = None) -> None:
        self.place = place
        self.most = most_bytes() if most is None else most

    def path(self, name: str) -> Path:
        return self.place / name

    def held(self) -> list[Held]:
        """What is there, the longest unused first."""
        found = []
        for entry in self._entries():
            if not entry.name.endswith(_UNFINISHED):
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    found.append(Held(Path(entry.path), status.st_size, status.st_mtime))
        return sorted(found, key=lambda held: (held.used, held.path))

    def _entries(self) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self.place) as entries:
                return [entry for entry in entries if entry.is_file(follow_symlinks=False)]
        except OSError:
            return []

    def used(self, name: str) -> None:
        """Says that a file was of use just now."""
        with suppress(OSError):
            os.utime(self.path(name))

    def drop(self, name: str) -> None:
        """Throws a file away; whoever has it mapped keeps what is mapped."""
        with suppress(OSError):
            self.path(name).unlink()

    def room(self) -> int:
        """Bytes that all files together may take; none where the disk cannot be asked."""
        try:
            system = os.statvfs(next(p for p in (self.place, *self.place.parents) if p.exists()))
        except (OSError, StopIteration):
            return 0
        held = sum(held.size for held in self.held())
        return min(self.most, (system.f_bavail * system.f_frsize + held) // _SHARE_OF_DISK)

    def write(
        self,
        name: str,
        parts: Sequence[memoryview],
        cancelled: Callable[[], bool] = lambda: False,
        spared: str = "",
    ) -> None:
        """Puts a file there, whole, in place of one of that name, and makes room for it: what
        was longest unused goes, but for files that begin with `spared`.

        Raises:
            Unkept: there is no room or no such place, or `cancelled` returned True.
        """
        try:
            self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.sweep()
            self._make_room(sum(map(len, parts)), name, spared)
            self._write(name, parts, cancelled)
        except OSError as error:
            raise Unkept from error

    def _write(self, name: str, parts: Sequence[memoryview], cancelled: Callable[[], bool]) -> None:
        unfinished = self.place / f"{name}.{secrets.token_hex(4)}{_UNFINISHED}"
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            # As long as it is locked its writer lives.
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for number, block in enumerate(_blocks(parts), 1):
                if cancelled():
                    raise Unkept
                _write_all(descriptor, block)
                if number % _SYNC_EVERY == 0:
                    os.fsync(descriptor)
            # Else a crash of the machine might leave the name, and not what was written.
            os.fsync(descriptor)
            if cancelled():
                raise Unkept
            os.replace(unfinished, self.path(name))
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise
        finally:
            os.close(descriptor)

    def _make_room(self, size: int, name: str, spared: str) -> None:
        room = self.room() - size
        if room < 0:
            raise Unkept
        others = [held for held in self.held() if held.path.name != name]
        needed = sum(held.size for held in others) - room
        for held in others:
            if needed <= 0:
                return
            if not (spared and held.path.name.startswith(spared)):
                self.drop(held.path.name)
                needed -= held.size
        if needed > 0:
            raise Unkept

    def sweep(self) -> None:
        """Removes what writers that were killed left unfinished."""
        for entry in self._entries():
            if entry.name.endswith(_UNFINISHED):
                with suppress(OSError):
                    if _is_dead(entry):
                        os.unlink(entry.path)


def _is_dead(entry: os.DirEntry[str]) -> bool:
    """Whether nobody writes an unfinished file any more."""
    descriptor = os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError:
        return time.time() - entry.stat().st_mtime > _DEAD_AFTER_S
    finally:
        os.close(descriptor)


def _blocks(parts: Sequence[memoryview]) -> Iterator[memoryview]:
    for part in parts:
        for at in range(0, len(part), _BLOCK):
            yield part[at : at + _BLOCK]


def _write_all(descriptor: int, block: memoryview) -> None:
    while len(block):
        block = block[os.write(descriptor, block) :]
