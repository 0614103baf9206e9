"""How much memory a load may take."""

from __future__ import annotations

import os
from pathlib import Path

_UNKNOWN = 8 * 1024**3
"""Assumed where the system does not say."""


def available_memory() -> int:
    """Bytes that can be taken without swapping or being killed: the least of all limits."""
    found = [limit for limit in (_machine(), _control_group()) if limit is not None]
    return min(found, default=_UNKNOWN)


def _machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _control_group() -> int | None:
    """What the container's limit (cgroup v2) leaves, if it has one."""
    root = Path("/sys/fs/cgroup")
    try:
        limit = int((root / "memory.max").read_text())
        return max(0, limit - int((root / "memory.current").read_text()))
    except (OSError, ValueError):
        return None
