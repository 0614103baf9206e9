"""How much memory a load may take: what the machine has free, or the least that a limit leaves.

Every function takes the root of the file system, so that tests can make one up.
"""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_UNKNOWN = 8 * 1024**3
"""Assumed where the system does not say."""

_ROOT = Path("/")
_SELF = "proc/self"
_IN_MEMORY = frozenset({"tmpfs", "ramfs"})


def available_memory(root: Path = _ROOT) -> int:
    """Bytes that can be taken without swapping, being killed or refused: the least of all
    limits.
    """
    machine = _machine(root)
    free = _UNKNOWN if machine is None else machine
    return max(0, min((free, *_control_groups(root), *_limits(root))))


def lies_in_memory(descriptor: int, root: Path = _ROOT) -> bool:
    """Whether an open file takes memory and no disk, as one in /dev/shm does."""
    device = os.fstat(descriptor).st_dev
    place = f"{os.major(device)}:{os.minor(device)}"
    return any(mount.device == place and mount.kind in _IN_MEMORY for mount in _mounts(root))


@dataclass(frozen=True, slots=True)
class _Mount:
    """A mounted file system: `top` is the part of it that is seen at `point`."""

    device: str
    top: str
    point: str
    kind: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Hierarchy:
    """The names that a version of control groups has for its files."""

    limit: str
    usage: str
    inactive: str


_V1 = _Hierarchy("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_V2 = _Hierarchy("memory.max", "memory.current", "inactive_file")


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _machine(root: Path) -> int | None:
    for line in _text(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return None


def _limits(root: Path) -> Iterator[int]:
    """What `ulimit -v` and `ulimit -d` leave of the address space and of data.

    Of addresses only half counts: what is freed is not always given back, and where none are
    left, libraries in C may end the process without a word to Python.
    """
    pages = _text(root / _SELF / "statm").split()
    for limit, field, share in ((resource.RLIMIT_AS, 0, 2), (resource.RLIMIT_DATA, 5, 1)):
        most, _ = resource.getrlimit(limit)
        if most != resource.RLIM_INFINITY and len(pages) > field:
            yield (most - int(pages[field]) * resource.getpagesize()) // share


def _control_groups(root: Path) -> Iterator[int]:
    """What the limit of each group that the process is in leaves, up to the mount."""
    mounts = list(_mounts(root))
    for line in _text(root / _SELF / "cgroup").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if not controllers:
            seen, names = [m for m in mounts if m.kind == "cgroup2"], _V2
        elif "memory" in controllers.split(","):
            seen = [m for m in mounts if m.kind == "cgroup" and "memory" in m.options]
            names = _V1
        else:
            continue
        for mount in seen:
            for directory in _groups(root, mount, path):
                if (left := _left(directory, names)) is not None:
                    yield left


def _groups(root: Path, mount: _Mount, path: str) -> Iterator[Path]:
    """The directory of the group at `path`, then those of its parents, as far as they are seen.

    Within a container the path may be one of the host's, of which the mount shows the end or
    nothing but its own group.
    """
    top = root / mount.point.lstrip("/")
    inside = PurePosixPath(path)
    if inside.is_relative_to(mount.top):
        inside = PurePosixPath("/") / inside.relative_to(mount.top)
    if ".." in inside.parts:
        inside = PurePosixPath("/")
    for group in (inside, *inside.parents):
        yield top / str(group).lstrip("/")


def _left(directory: Path, names: _Hierarchy) -> int | None:
    """Of the limit, what is neither used nor held by files that can be dropped."""
    try:
        limit = int(_text(directory / names.limit))
        used = int(_text(directory / names.usage))
    except ValueError:
        return None
    statistics = _text(directory / "memory.stat")
    inactive = re.search(rf"^{names.inactive} (\d+)$", statistics, re.MULTILINE)
    return limit - used + min(used, int(inactive[1]) if inactive else 0)


def _mounts(root: Path) -> Iterator[_Mount]:
    for line in _text(root / _SELF / "mountinfo").splitlines():
        fields, _, rest = line.partition(" - ")
        place, system = fields.split(), rest.split()
        if len(place) >= 5 and len(system) >= 3:
            top, point = _unescaped(place[3]), _unescaped(place[4])
            yield _Mount(place[2], top, point, system[0], tuple(system[2].split(",")))


def _unescaped(path: str) -> str:
    """A path with the blanks that the kernel writes as `\\040`."""
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), path)
