"""Sections of a report as Markdown, to paste into an issue or a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attntui.safe import Safe
from attntui.view.reports.sections import Section

# Whatever Markdown, or the HTML it passes through, would act on.
_ACTIVE = re.compile(r"([\\`*_<>\[\]|#~&])")


def markdown(sections: Sequence[Section]) -> Iterator[Safe]:
    """Lines of Markdown: a heading and a pipe table a section. Cells are literal text."""
    for number, section in enumerate(sections):
        if number:
            yield Safe("")
        yield Safe(f"### {_literal(section.title)}")
        yield Safe("")
        yield _row([column.title for column in section.columns])
        sides = (":--" if column.left else "--:" for column in section.columns)
        yield Safe("|" + "|".join(sides) + "|")
        for line in section.lines():
            yield _row(line)


def _row(cells: Sequence[Safe]) -> Safe:
    return Safe("| " + " | ".join(map(_literal, cells)) + " |")


def _literal(text: str) -> str:
    # A leading blank says "part of the row above"; Markdown would drop it.
    kept = text.lstrip(" ")
    return "\u2003" * bool(len(text) - len(kept)) + _ACTIVE.sub(r"\\\1", kept)
