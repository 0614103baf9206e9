"""Text from traces and paths made harmless: one line, no control characters, sure widths.

`Safe` is the type of what may reach a terminal, and `safe` the only function that makes it
of other text. Text put together from safe parts is cleaned again, which changes nothing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import NewType

from rich.cells import cell_len, set_cell_size

Safe = NewType("Safe", str)
"""One line that a terminal shows literally. Whatever draws or prints asks for this type."""

ELLIPSIS = "…"

# Control, format (bidi overrides, zero-width), surrogate, private and unassigned code
# points, line and paragraph separators: each could act on a terminal or has no sure width.
_UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NAMED_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def _is_variation_selector(code: int) -> bool:
    """Variation selectors change the width of the character before them."""
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF


def _escape(code: int) -> str:
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


class _Shown(dict[int, str]):
    """A table for `str.translate` that decides on each code point once."""

    def __init__(self, instead: Callable[[str], str]) -> None:
        """`instead` gives what is shown of a character that is not safe."""
        super().__init__()
        self._instead = instead

    def __missing__(self, code: int) -> str:
        character = chr(code)
        unsafe = unicodedata.category(character) in _UNSAFE_CATEGORIES
        unsafe = unsafe or _is_variation_selector(code)
        self[code] = shown = self._instead(character) if unsafe else character
        return shown


_ESCAPED = _Shown(lambda character: _NAMED_ESCAPES.get(character) or _escape(ord(character)))
_IN_PLACE = _Shown(lambda character: "?" * cell_len(character))


def safe(text: str, limit: int | None = None) -> Safe:
    """`text` as one line that a terminal shows literally, in at most `limit` cells.

    Whatever could act on the terminal or has no certain width is written as its Python
    escape (`\\x1b`, `\\n`, `\\u202e`). Text cut at `limit` ends in an ellipsis. The result
    is plain text: callers must not parse it as markup.
    """
    # Four characters a cell leave room for combining marks, and 100 kB names stay cheap.
    head = text if limit is None else text[: 4 * limit + 1]
    shown = head if head.isascii() and head.isprintable() else head.translate(_ESCAPED)
    if limit is None or (len(head) == len(text) and cell_len(shown) <= limit):
        return Safe(shown)
    if limit <= 0:
        return Safe("")
    return Safe(set_cell_size(shown, limit - 1).rstrip() + ELLIPSIS)


def inert(text: str) -> Safe:
    """`text` in as many cells, what `safe` would write as an escape gone or a question mark: for
    lines that have their width already.
    """
    return Safe(text.translate(_IN_PLACE))
