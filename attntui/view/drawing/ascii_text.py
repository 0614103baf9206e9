"""Text for terminals that have ASCII alone: one cell for one cell."""

from __future__ import annotations

from rich.cells import cell_len

_MARKS = {
    "─": "-",
    "━": "=",
    "│": "|",
    "╷": "'",
    "╵": "|",
    "┯": "'",
    "▸": ">",
    "▾": "v",
    "▼": "v",
    "▲": "^",
    "◆": "*",
    "●": "*",
    "◀": "<",
    "▶": ">",
    "░": ":",
    "…": "~",
    "·": ".",
    "≥": ">",
    "×": "x",
    "←": "<",
    "→": ">",
    "↑": "^",
    "↓": "v",
    "⇧": "^",
    "μ": "u",
    "µ": "u",
    "█": "#",
}
_CORNERS = "╭╮╰╯┌┐└┘├┤┬┴┼"
_BLOCKS = "▁▂▃▄▅▆▇▏▎▍▌▋▊▉▐▔▕▖▗▘▙▚▛▜▝▞▟"


class _Plain(dict[int, str]):
    """A table for `str.translate` that decides on each code point once."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if code < 128:
            plain = character
        elif character in _MARKS:
            plain = _MARKS[character]
        elif character in _CORNERS:
            plain = "+"
        elif character in _BLOCKS:
            plain = "#"
        else:
            plain = "?" * cell_len(character)
        self[code] = plain
        return plain


_PLAIN = _Plain()


def plain(text: str) -> str:
    """`text` in ASCII, as many cells wide; what has no likeness becomes `?`."""
    return text if text.isascii() else text.translate(_PLAIN)
