"""Which keys matter most in a pane: the last line of the screen, and the top of the help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from rich.cells import cell_len

from attntui.safe import Safe, safe
from attntui.view.session.keys import Key
from attntui.view.session.session import Session

BETWEEN = "  "


@dataclass(frozen=True, slots=True)
class Hint:
    """Keys by their names in the key table, and what they do in a word."""

    names: tuple[str, ...]
    word: str

    def text(self, keys: Sequence[Key]) -> str:
        """`< > sort`; keys one after another on the keyboard as `1-8`."""
        shown = [key.shown.split()[0] for name in self.names for key in keys if key.name == name]
        ends = "-".join((shown[0], shown[-1])) if len(shown) > 2 else " ".join(shown)
        return f"{ends} {self.word}"


def _hint(names: str, word: str) -> Hint:
    return Hint(tuple(names.split()), word)


_KEYS = _hint("help", "keys")
_TABLE = (
    _hint("sort_left sort_right", "sort"),
    _hint("filter", "filter"),
    _hint("search", "search"),
    _hint("maximise", "maximise"),
)
_TIME = (
    _hint("pan_left pan_right", "pan"),
    _hint("zoom_in zoom_out", "zoom"),
)
_ENTER = _hint("accept", "go")

HINTS: dict[str, tuple[Hint, ...]] = {
    "overview": (_ENTER, *_TABLE),
    "kernels": (
        _ENTER,
        _hint("toggle_instances", "single"),
        _hint("roofline", "roofline"),
        *_TABLE,
    ),
    "gaps": (
        _ENTER,
        _hint("next_gap previous_gap", "gap"),
        _hint("threshold_down threshold_up", "threshold"),
        _hint("toggle_instances", "streams"),
        *_TABLE,
    ),
    "attention": (_ENTER, *_TABLE),
    "ops": (_ENTER, _hint("toggle_collapse", "open"), *_TABLE),
    "steps": (_ENTER, _hint("next_step previous_step", "step"), *_TABLE),
    "timeline": (
        _hint("accept", "detail"),
        *_TIME,
        _hint("next_event previous_event", "event"),
        _hint("to_launch to_kernel", "launch, kernel"),
        _hint("next_gap previous_gap", "gap"),
        _hint("fit_selection fit_all", "fit"),
        _hint("measure", "measure"),
        _hint("toggle_collapse", "collapse"),
        _hint("legend", "legend"),
    ),
    "detail": (
        _ENTER,
        _hint("row_down row_up", "link"),
        _hint("copy", "copy"),
        _hint("maximise", "maximise"),
    ),
    "rows": (
        _ENTER,
        _hint("next_unit previous_unit", "unit"),
        _hint("next_choice", "kind"),
        _hint("toggle_instances", "single"),
        _hint("swap", "swap"),
        *_TABLE,
    ),
    "scoreboard": (
        _hint("next_unit previous_unit", "unit"),
        _hint("next_choice", "kind"),
        _hint("swap", "swap"),
    ),
    **dict.fromkeys(
        ("left", "right"),
        (
            _hint("accept", "open alone"),
            *_TIME,
            _hint("tie", "tie"),
            _hint("next_unit previous_unit", "unit"),
            _hint("full_width", "width"),
            _hint("legend", "legend"),
        ),
    ),
    "files": (
        _hint("accept", "open"),
        _hint("mark", "mark two to compare"),
        _hint("filter", "filter"),
        _hint("quit", "quit"),
        _hint("sort_left sort_right", "sort"),
    ),
}
"""By pane, the most wanted first."""


def pane_keys(keys: Sequence[Key], pane: str) -> list[Key]:
    """The keys that matter in a pane, the most wanted first."""
    by_name = {key.name: key for key in keys}
    return [by_name[name] for hint in HINTS[pane] for name in hint.names if name in by_name]


def has_no_effect(key: Key, session: Session) -> bool:
    """Whether a key's step would do no more now than say why not; a key without a step is for
    the screen to tell.
    """
    if key.step is None:
        return False
    after = key.step(session)
    parts = (part.name for part in fields(session) if part.name != "said")
    return all(getattr(after, part) == getattr(session, part) for part in parts)


def hint_line(keys: Sequence[Key], pane: str, width: int) -> Safe:
    """As many hints as `width` cells hold whole: the pane's first, how to leave the pane, how
    to learn the rest, then what else the pane has.
    """
    first, *more = HINTS[pane]
    line = ""
    for hint in (first, *_common(keys), *more):
        text = hint.text(keys)
        if not line:
            line = text
        elif cell_len(line) + len(BETWEEN) + cell_len(text) <= width:
            line += BETWEEN + text
    return safe(line if cell_len(line) <= width else _KEYS.text(keys))


def _common(keys: Sequence[Key]) -> Iterator[Hint]:
    """Panes, help and palette, as far as the screen has them."""
    panes = tuple(key.name for key in keys if key.name.startswith("pane("))
    yield _KEYS
    if panes:
        yield Hint(("next_pane",), "next")
        yield Hint(panes, "panes")
        yield _hint("palette", "actions")
