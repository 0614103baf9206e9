"""Which file something was kept of: any other content, or other code, is another key."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FORMAT = 1
"""The next number whenever what is written changes."""

_PROBES = 16
_PROBE_BYTES = 16 * 1024
"""So many blocks of a file, spread evenly, first and last among them, are looked at."""

_SETTLED_S = 5
"""Seconds after its last change in which a file may still be being written."""

_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Key:
    """A file as it was: where, how large, when it changed (ns since the epoch), a digest of
    blocks of it, and a digest of the code that read it.

    `changed` is the inode's time of change, which nobody can set back.
    """

    path: str
    size: int
    modified: int
    changed: int
    probe: str
    code: str

    @property
    def name(self) -> str:
        """What the files kept of this path begin with."""
        return path_name(self.path)

    @property
    def settled(self) -> bool:
        """Whether the last change lies so far back that nobody is writing any more."""
        return time.time() - self.modified / 1e9 >= _SETTLED_S


def digest(*parts: bytes | memoryview) -> str:
    """A digest as text."""
    found = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        found.update(part)
    return found.hexdigest()


def path_name(path: str) -> str:
    """What the files kept of an absolute path begin with."""
    return digest(os.fsencode(path))


def absolute(path: str) -> str:
    """One text for a file, whatever the way that it is named by."""
    return os.path.realpath(path)


def key_of(path: str) -> Key | None:
    """The key of a file as it is now; None of what is no regular file, or cannot be read."""
    try:
        # A pipe that is opened and closed again ends whoever writes to it.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        return Key(
            path=absolute(path),
            size=status.st_size,
            modified=status.st_mtime_ns,
            changed=status.st_ctime_ns,
            probe=probe(descriptor, status.st_size),
            code=code_digest(),
        )
    except OSError:
        return None
    finally:
        os.close(descriptor)


def probe(descriptor: int, size: int) -> str:
    """A digest of blocks of an open file; of a small one, of all of it."""
    last = max(0, size - _PROBE_BYTES)
    places = [last * number // (_PROBES - 1) for number in range(_PROBES)]
    return digest(*(os.pread(descriptor, _PROBE_BYTES, place) for place in places))


@cache
def code_digest() -> str:
    """A digest of what facts follow from beside the file: the form in which they are kept, the
    version, which `attntui/__init__.py` has, and when the code was changed, which in a checkout
    is more often.
    """
    package = Path(__file__).resolve().parents[2]
    version = (package / "__init__.py").read_text("utf-8")
    parts = [version, str(FORMAT), sys.byteorder]
    for root, names, files in os.walk(package):
        names.sort()
        for name in sorted(files):
            if name.endswith(".py"):
                status = os.stat(os.path.join(root, name))
                parts.append(f"{root}/{name} {status.st_size} {status.st_mtime_ns}")
    return digest("\n".join(parts).encode("utf-8", "surrogateescape"))
