"""The key table: bindings, the help screen and the README all come from here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attntui.safe import Safe, safe
from attntui.view.session import calls, jumps, links, marks, notices
from attntui.view.session.jumps import jump
from attntui.view.session.session import Session

ZOOM = 0.5
PAN = 0.1
PAGE = 0.9

Step = Callable[[Session], Session]

_Row = tuple[str, str, str, str] | tuple[str, str, str, str, Step]
"""Name, keys in Textual's spelling, keys as people read them, what they do, the step."""


@dataclass(frozen=True, slots=True)
class Key:
    """What keys do: its name, the keys in Textual's spelling, and what people read.

    `shown` is how the keys are written for people, `group` the heading it stands under.
    `step` makes the next session of the present one; without it the screen acts itself.
    """

    name: str
    keys: tuple[str, ...]
    shown: str
    text: str
    group: str
    step: Step | None = None

    @property
    def action(self) -> str:
        """The screen's action in Textual's spelling."""
        return self.name if self.step is None else f"step({self.name!r})"


def _keys(group: str, *rows: _Row) -> tuple[Key, ...]:
    """The keys under one heading; a row's keys are separated by blanks."""
    return tuple(
        Key(row[0], tuple(row[1].split()), row[2], row[3], group, *row[4:]) for row in rows
    )


KEYS: tuple[Key, ...] = (
    *_keys(
        "Time",
        ("cursor_left", "left", "←", "time cursor left, scrolls at the edge",
         lambda s: s.cursor_moved(-1)),
        ("cursor_right", "right", "→", "time cursor right, scrolls at the edge",
         lambda s: s.cursor_moved(1)),
        ("pan_left", "h a", "h a", "pan left", lambda s: s.panned(-PAN)),
        ("pan_right", "l d", "l d", "pan right", lambda s: s.panned(PAN)),
        ("page_left", "H shift+left", "H ⇧←", "page left", lambda s: s.panned(-PAGE)),
        ("page_right", "L shift+right", "L ⇧→", "page right", lambda s: s.panned(PAGE)),
        ("zoom_in", "w plus equals_sign", "w + =", "zoom in at the selection, else the cursor",
         lambda s: s.zoomed(ZOOM)),
        ("zoom_out", "s minus", "s -", "zoom out, likewise", lambda s: s.zoomed(1 / ZOOM)),
        ("fit_all", "0", "0", "fit the GPU's work, again the whole trace",
         Session.fitted_to_work),
        ("fit_selection", "f", "f", "fit the selection", Session.fitted_to_selection),
    ),
    *_keys(
        "Move",
        ("go_start", "home g", "Home g", "first row, or start of the trace"),
        ("go_end", "end G", "End G", "last row, or end of the trace"),
        ("row_up", "up k", "↑ k", "lane or row up"),
        ("row_down", "down j", "↓ j", "lane or row down"),
        ("page_up", "pageup", "PgUp", "a page of rows up"),
        ("page_down", "pagedown", "PgDn", "a page of rows down"),
        ("accept", "enter", "Enter", "table: go to the thing; timeline: its detail"),
    ),
    *_keys(
        "Events",
        ("next_event", "full_stop", ".", "next event in the lane, or role of the attention call",
         lambda s: calls.stepped(s, 1)),
        ("previous_event", "comma", ",", "previous event or role", lambda s: calls.stepped(s, -1)),
        ("to_launch", "left_square_bracket", "[", "kernel to its launch",
         jump(links.to_launch)),
        ("to_kernel", "right_square_bracket", "]", "launch or attention call to its kernel",
         jump(links.to_kernel)),
        ("next_gap", "right_curly_bracket", "}", "next gap", jump(lambda s: s.gap_moved(1))),
        ("previous_gap", "left_curly_bracket", "{", "previous gap",
         jump(lambda s: s.gap_moved(-1))),
        ("threshold_down", "left_parenthesis", "(", "lower the gap threshold",
         lambda s: s.threshold_moved(-1)),
        ("threshold_up", "right_parenthesis", ")", "raise the gap threshold",
         lambda s: s.threshold_moved(1)),
        ("next_step", "J", "J", "next step or unit", jump(lambda s: s.step_moved(1))),
        ("previous_step", "K", "K", "previous step or unit", jump(lambda s: s.step_moved(-1))),
        ("go_back", "ctrl+o alt+left", "^O Alt-←", "back to before the last jump", jumps.back),
        ("go_forward", "alt+right", "Alt-→", "forward again", jumps.forward),
    ),
    *_keys(
        "Scope",
        ("scope", "S", "S", "choose the scope: whole, step, annotation, range, attention call"),
        ("measure", "v", "v … v", "measure a range", jump(marks.measuring)),
        ("measure_selection", "r", "r", "measure what is selected",
         jump(marks.measuring_selection)),
        ("bookmark", "m", "m", "set a bookmark", marks.bookmarked),
        ("bookmarks", "apostrophe", "'", "list bookmarks: go to one, name it"),
    ),
    *_keys(
        "Find",
        ("search", "slash", "/", "search names (regular expression)"),
        ("search_next", "n", "n", "next match", jump(lambda s: marks.search_moved(s, 1))),
        ("search_previous", "N", "N", "previous match",
         jump(lambda s: marks.search_moved(s, -1))),
        ("filter", "backslash", "\\", "filter the table (regular expression)"),
    ),
    *_keys(
        "Tables",
        ("sort_left", "less_than_sign", "<", "sort by the column to the left"),
        ("sort_right", "greater_than_sign", ">", "sort by the column to the right"),
        ("sort_invert", "I", "I", "invert the order"),
        ("toggle_instances", "i", "i", "names or instances, gaps by device or stream"),
    ),
    *_keys(
        "Lanes",
        ("toggle_collapse", "space", "Space", "collapse or open the lane; ops: the row (also → ←)",
         Session.toggled_collapse),
        ("toggle_empty", "z", "z", "hide or show lanes empty on screen", Session.toggled_empty),
        ("lane_up", "U shift+up", "U ⇧↑", "move the lane up", lambda s: s.lane_moved(-1)),
        ("lane_down", "D shift+down", "D ⇧↓", "move the lane down", lambda s: s.lane_moved(1)),
        ("hide_lane", "Z", "Z", "hide the lane", Session.lane_hidden),
        ("show_lanes", "A", "A", "show the lanes hidden by Z", Session.all_lanes_shown),
    ),
    *_keys(
        "Panes",
        ("pane('overview')", "1", "1", "overview"),
        ("pane('kernels')", "2", "2", "kernels"),
        ("pane('timeline')", "3", "3", "timeline"),
        ("pane('gaps')", "4", "4", "gaps"),
        ("pane('attention')", "5", "5", "attention"),
        ("pane('ops')", "6", "6", "ops (CPU)"),
        ("pane('detail')", "7", "7", "detail"),
        ("pane('steps')", "8", "8", "steps"),
        ("next_notice", "exclamation_mark", "!", "overview: next notice, what was odd in the file",
         jump(notices.next_notice)),
        ("roofline", "p", "p", "roofline picture of the kernels"),
        ("legend", "C", "C", "legend: what colours and signs mean"),
        ("compare", "c", "c", "compare with another trace"),
        ("next_pane", "tab", "Tab", "next pane"),
        ("previous_pane", "shift+tab", "⇧Tab", "previous pane"),
        ("maximise", "x", "x", "maximise the pane"),
    ),
    *_keys(
        "File",
        ("copy", "y", "y", "copy the row or event (OSC 52)"),
        ("copy_to_file", "Y", "Y", "write the row or event to a file"),
        ("reload", "R", "R", "reload the file in place"),
        ("redraw", "ctrl+l", "^L", "draw the whole screen again"),
        ("help", "question_mark f1", "? F1", "help"),
        ("palette", "colon", ":", "command palette"),
        ("back", "escape", "Esc", "undo one thing, the last jump first"),
        ("quit", "q", "q", "close this screen, quit on the first (Ctrl-C quits anywhere)"),
    ),
)  # fmt: skip

_MAIN_ONLY = (
    *("accept", "next_step", "previous_step", "roofline", "compare", "copy_to_file", "reload"),
    *("next_notice", "fit_all", "fit_selection", "go_back", "go_forward"),
)
"""Keys that mean nothing, or something else, where two traces are compared; so do panes and
what stands under Scope.
"""

COMPARE_KEYS: tuple[Key, ...] = (
    *(
        key
        for key in KEYS
        if key.name not in _MAIN_ONLY and key.group != "Scope" and not key.name.startswith("pane(")
    ),
    *_keys(
        "Compare",
        ("accept", "enter", "Enter", "row: to both ends; timeline: open that trace"),
        ("fit_all", "0", "0", "fit the units, again all that belongs to them"),
        ("fit_selection", "f", "f", "fit what is selected on both sides"),
        ("next_unit", "J", "J", "next unit on both sides"),
        ("previous_unit", "K", "K", "previous unit on both sides"),
        ("next_choice", "u", "u", "compare by another kind of unit"),
        ("tie", "t", "t", "tie or untie the timelines"),
        ("swap", "o", "o", "swap A and B"),
        ("full_width", "W", "W", "each unit at full width, or one scale"),
        ("go_back", "ctrl+o alt+left", "^O Alt-←", "back to before the last jump"),
        ("go_forward", "alt+right", "Alt-→", "forward again"),
    ),
    *_keys(
        "Panes",
        ("pane('scoreboard')", "1", "1", "scoreboard"),
        ("pane('rows')", "2", "2", "what changed, row by row"),
        ("pane('left')", "3", "3", "timeline of A"),
        ("pane('right')", "4", "4", "timeline of B"),
    ),
)
"""The compare screen's keys: those of the main screen that mean something there, and its own."""


PICKER_KEYS: tuple[Key, ...] = (
    *_keys(
        "Traces",
        ("accept", "enter", "Enter", "open the trace, or compare the two marked"),
        ("mark", "space", "Space", "mark the trace: two are compared"),
        ("filter", "slash backslash", "/ \\", "filter by name (regular expression)"),
        ("back", "escape", "Esc", "drop the filter, then leave"),
        ("quit", "q", "q", "quit"),
    ),
    *(
        key
        for key in KEYS
        if key.name.startswith(("row_", "page_up", "page_down", "go_start", "go_end", "sort_"))
        or key.name == "help"
    ),
)
"""The keys of the list of traces."""

MOUSE: tuple[Key, ...] = _keys(
    "Mouse",
    ("", "", "click", "timeline: cursor and event; table: row, its header: sort; detail: link"),
    ("", "", "double click", "table: go to the thing, as Enter"),
    ("", "", "wheel", "timeline: zoom there, over the headings: lanes; else scroll"),
    ("", "", "drag", "timeline: measure a range"),
)
"""What the mouse does, for those who read of the keys; none of it is only done so."""


def pane_title(keys: Sequence[Key], name: str, title: str = "") -> Safe:
    """A pane's title with the key that leads to it: `2 Kernels`, or another title."""
    key = next(key for key in keys if key.name == f"pane({name!r})")
    return safe(f"{key.shown} {title or key.text[0].upper() + key.text[1:]}")


def groups(keys: Sequence[Key] = KEYS) -> dict[str, list[Key]]:
    """The keys under their headings, in the table's order."""
    found: dict[str, list[Key]] = {}
    for key in keys:
        found.setdefault(key.group, []).append(key)
    return found


def markdown(keys: Sequence[Key] = (*KEYS, *MOUSE)) -> str:
    """The README's table."""
    lines = ["| keys | action |", "|---|---|"]
    for key in keys:
        shown = key.shown.replace("\\", "\\\\").replace("|", "\\|")
        lines.append(f"| `{shown}` | {key.text} |")
    return "\n".join(lines)
