"""The lines of the detail pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attntui.analysis.scope import Scope
from attntui.safe import Safe, safe
from attntui.view.session.selection import Selection

MAX_LABEL = 40
MAX_TEXT = 2_000
"""Cells of a line: names of templates run to thousands of characters."""


@dataclass(frozen=True, slots=True)
class ScopeTo:
    """Where a line leads that offers a scope."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class Item:
    """One line: a label and its text, or just text when the label is empty.

    `leads_to` is what the line names, where that can be gone to.
    """

    label: Safe
    text: Safe
    leads_to: Selection | ScopeTo | None = None
    heading: bool = False


def item(label: str, text: str, leads_to: Selection | ScopeTo | None = None) -> Item:
    """A line; both texts are cleaned, and cut where they are endless."""
    return Item(safe(label, MAX_LABEL), safe(text, MAX_TEXT), leads_to)


def heading(text: str) -> Item:
    """A line that stands over others."""
    return Item(Safe(""), safe(text, MAX_TEXT), heading=True)


def plain(items: Sequence[Item]) -> str:
    """The lines as text to copy: safe lines, with line ends between them."""
    return "\n".join(f"{i.label}: {i.text}" if i.label else i.text for i in items)
