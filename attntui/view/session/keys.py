"""The key table: bindings, the help screen and the README all come from here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attntui.view.session import marks
from attntui.view.session.session import Session

ZOOM = 0.5
PAN = 0.1
PAGE = 0.9

Step = Callable[[Session], Session]


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


KEYS: tuple[Key, ...] = (
    Key(
        "cursor_left",
        ("left",),
        "←",
        "time cursor left, scrolls at the edge",
        "Time",
        lambda s: s.cursor_moved(-1),
    ),
    Key(
        "cursor_right",
        ("right",),
        "→",
        "time cursor right, scrolls at the edge",
        "Time",
        lambda s: s.cursor_moved(1),
    ),
    Key("pan_left", ("h", "a"), "h a", "pan left", "Time", lambda s: s.panned(-PAN)),
    Key("pan_right", ("l", "d"), "l d", "pan right", "Time", lambda s: s.panned(PAN)),
    Key("page_left", ("H", "shift+left"), "H ⇧←", "page left", "Time", lambda s: s.panned(-PAGE)),
    Key("page_right", ("L", "shift+right"), "L ⇧→", "page right", "Time", lambda s: s.panned(PAGE)),
    Key(
        "zoom_in",
        ("w", "plus", "equals_sign"),
        "w + =",
        "zoom in at the cursor",
        "Time",
        lambda s: s.zoomed(ZOOM),
    ),
    Key(
        "zoom_out",
        ("s", "minus"),
        "s -",
        "zoom out at the cursor",
        "Time",
        lambda s: s.zoomed(1 / ZOOM),
    ),
    Key("fit_all", ("0",), "0", "fit the whole trace", "Time", Session.fitted),
    Key("fit_selection", ("f",), "f", "fit the selection", "Time", Session.fitted_to_selection),
    Key("go_start", ("home", "g"), "Home g", "first row, or start of the trace", "Move"),
    Key("go_end", ("end", "G"), "End G", "last row, or end of the trace", "Move"),
    Key("row_up", ("up", "k"), "↑ k", "lane or row up", "Move"),
    Key("row_down", ("down", "j"), "↓ j", "lane or row down", "Move"),
    Key("page_up", ("pageup",), "PgUp", "a page of rows up", "Move"),
    Key("page_down", ("pagedown",), "PgDn", "a page of rows down", "Move"),
    Key("accept", ("enter",), "Enter", "table: go to the thing; timeline: its detail", "Move"),
    Key(
        "next_event",
        ("full_stop",),
        ".",
        "next event in the lane",
        "Events",
        lambda s: s.stepped(1),
    ),
    Key(
        "previous_event",
        ("comma",),
        ",",
        "previous event in the lane",
        "Events",
        lambda s: s.stepped(-1),
    ),
    Key(
        "to_launch",
        ("left_square_bracket",),
        "[",
        "kernel to its launch",
        "Events",
        Session.to_launch,
    ),
    Key(
        "to_kernel",
        ("right_square_bracket",),
        "]",
        "launch to its kernel",
        "Events",
        Session.to_kernel,
    ),
    Key("next_gap", ("right_curly_bracket",), "}", "next gap", "Events", lambda s: s.gap_moved(1)),
    Key(
        "previous_gap",
        ("left_curly_bracket",),
        "{",
        "previous gap",
        "Events",
        lambda s: s.gap_moved(-1),
    ),
    Key(
        "threshold_down",
        ("left_parenthesis",),
        "(",
        "lower the gap threshold",
        "Events",
        lambda s: s.threshold_moved(-1),
    ),
    Key(
        "threshold_up",
        ("right_parenthesis",),
        ")",
        "raise the gap threshold",
        "Events",
        lambda s: s.threshold_moved(1),
    ),
    Key("next_step", ("J",), "J", "next step or unit", "Events", lambda s: s.step_moved(1)),
    Key(
        "previous_step", ("K",), "K", "previous step or unit", "Events", lambda s: s.step_moved(-1)
    ),
    Key(
        "cycle_scope",
        ("S",),
        "S",
        "scope: whole, step, annotation, range",
        "Scope",
        Session.scope_cycled,
    ),
    Key("measure", ("v",), "v … v", "measure a range", "Scope", marks.measuring),
    Key(
        "measure_selection",
        ("r",),
        "r",
        "measure what is selected",
        "Scope",
        marks.measuring_selection,
    ),
    Key("bookmark", ("m",), "m", "set a bookmark", "Scope", marks.bookmarked),
    Key("bookmarks", ("apostrophe",), "'", "list bookmarks", "Scope"),
    Key("search", ("slash",), "/", "search names (regular expression)", "Find"),
    Key("search_next", ("n",), "n", "next match", "Find", lambda s: marks.search_moved(s, 1)),
    Key(
        "search_previous",
        ("N",),
        "N",
        "previous match",
        "Find",
        lambda s: marks.search_moved(s, -1),
    ),
    Key("filter", ("backslash",), "\\", "filter the table (regular expression)", "Find"),
    Key("sort_left", ("less_than_sign",), "<", "sort by the column to the left", "Tables"),
    Key("sort_right", ("greater_than_sign",), ">", "sort by the column to the right", "Tables"),
    Key("sort_invert", ("I",), "I", "invert the order", "Tables"),
    Key("toggle_instances", ("i",), "i", "names or instances, gaps by device or stream", "Tables"),
    Key(
        "toggle_collapse",
        ("space",),
        "Space",
        "collapse or open the lane",
        "Lanes",
        Session.toggled_collapse,
    ),
    Key(
        "toggle_empty",
        ("z",),
        "z",
        "hide or show lanes empty on screen",
        "Lanes",
        Session.toggled_empty,
    ),
    Key("pane('overview')", ("1",), "1", "overview", "Panes"),
    Key("pane('kernels')", ("2",), "2", "kernels", "Panes"),
    Key("pane('timeline')", ("3",), "3", "timeline", "Panes"),
    Key("pane('gaps')", ("4",), "4", "gaps", "Panes"),
    Key("pane('attention')", ("5",), "5", "attention", "Panes"),
    Key("pane('ops')", ("6",), "6", "ops (CPU)", "Panes"),
    Key("pane('detail')", ("7",), "7", "detail", "Panes"),
    Key("pane('steps')", ("8",), "8", "steps", "Panes"),
    Key("roofline", ("p",), "p", "roofline picture of the kernels", "Panes"),
    Key("compare", ("c",), "c", "compare with another trace", "Panes"),
    Key("next_pane", ("tab",), "Tab", "next pane", "Panes"),
    Key("previous_pane", ("shift+tab",), "⇧Tab", "previous pane", "Panes"),
    Key("maximise", ("x",), "x", "maximise the pane", "Panes"),
    Key("copy", ("y",), "y", "copy the row or event (OSC 52)", "File"),
    Key("copy_to_file", ("Y",), "Y", "write the row or event to a file", "File"),
    Key("reload", ("R",), "R", "reload the file in place", "File"),
    Key("help", ("question_mark", "f1"), "? F1", "help", "File"),
    Key("palette", ("colon",), ":", "command palette", "File"),
    Key("back", ("escape",), "Esc", "undo one thing, the innermost first", "File"),
    Key("quit", ("q",), "q", "quit", "File"),
)

_SHARED = (
    *("cursor_left", "cursor_right", "pan_left", "pan_right", "page_left", "page_right"),
    *("zoom_in", "zoom_out", "fit_all", "go_start", "go_end", "row_up", "row_down"),
    *("page_up", "page_down", "next_event", "previous_event", "to_launch", "to_kernel"),
    *("next_gap", "previous_gap", "threshold_down", "threshold_up"),
    *(
        "sort_left",
        "sort_right",
        "sort_invert",
        "toggle_instances",
        "filter",
        "toggle_collapse",
        "toggle_empty",
    ),
    *("search", "search_next", "search_previous", "fit_selection"),
    *("next_pane", "previous_pane", "maximise", "copy", "help", "palette", "back", "quit"),
)

COMPARE_KEYS: tuple[Key, ...] = (
    *(key for key in KEYS if key.name in _SHARED),
    Key("accept", ("enter",), "Enter", "row: to both ends; timeline: open that trace", "Compare"),
    Key("next_unit", ("J",), "J", "next unit on both sides", "Compare"),
    Key("previous_unit", ("K",), "K", "previous unit on both sides", "Compare"),
    Key("next_choice", ("u",), "u", "compare by another kind of unit", "Compare"),
    Key("tie", ("t",), "t", "tie or untie the timelines", "Compare"),
    Key("swap", ("o",), "o", "swap A and B", "Compare"),
    Key("full_width", ("W",), "W", "each unit at full width, or one scale", "Compare"),
    Key("pane('scoreboard')", ("1",), "1", "scoreboard", "Panes"),
    Key("pane('rows')", ("2",), "2", "what changed, row by row", "Panes"),
    Key("pane('left')", ("3",), "3", "timeline of A", "Panes"),
    Key("pane('right')", ("4",), "4", "timeline of B", "Panes"),
)
"""The compare screen's keys: those of the main screen that mean something there, and its own."""


def groups(keys: tuple[Key, ...] = KEYS) -> dict[str, list[Key]]:
    """The keys under their headings, in the table's order."""
    found: dict[str, list[Key]] = {}
    for key in keys:
        found.setdefault(key.group, []).append(key)
    return found


def markdown(keys: tuple[Key, ...] = KEYS) -> str:
    """The README's table."""
    lines = ["| keys | action |", "|---|---|"]
    for key in keys:
        shown = key.shown.replace("\\", "\\\\").replace("|", "\\|")
        lines.append(f"| `{shown}` | {key.text} |")
    return "\n".join(lines)
