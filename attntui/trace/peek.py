"""Whether a file holds a trace, by its first bytes alone."""

from __future__ import annotations

import re

from attntui.errors import InputError
from attntui.trace.source import open_source

_LIST = re.compile(rb'\[\s*\{.*"ph"\s*:', re.DOTALL)
_OBJECT = re.compile(rb'\{.*"traceEvents"\s*:\s*\[', re.DOTALL)
_BEFORE = b" \t\r\n\x00\xef\xbb\xbf"
"""What may stand before the first bracket: blanks and a byte order mark."""


def holds_trace(path: str) -> bool:
    """Whether the text that a regular file begins with, unpacked, is that of a trace."""
    try:
        text = open_source(path, lambda _done: None).read().lstrip(_BEFORE)
    except (InputError, OSError):
        return False
    return bool((_LIST if text.startswith(b"[") else _OBJECT).match(text))
