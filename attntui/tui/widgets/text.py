"""The doors to the terminal: whatever is shown passes one of them as safe text.

A terminal acts on control characters, and Textual on markup. These functions take `Safe`
alone, which has no control characters, and show it literally. A text to copy is no
safe line, it has several: `cleaned` makes it harmless where it is pasted.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from rich.cells import cell_len
from rich.console import Console, Group
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from attntui.safe import Safe, safe

_PLAIN = Console(file=StringIO(), width=80, legacy_windows=False)
"""Rich asks a console how wide a tab is."""


class TextLine(Static):
    """A line of text, shown literally."""

    def __init__(self, text: Safe | None = None, *, id: str | None = None) -> None:
        super().__init__(text or "", id=id, markup=False)
        self._shown = text or ""

    def show(self, text: Safe) -> None:
        """Replaces the text. The screen is laid out again only if this may change its size."""
        if text == self._shown:
            return
        wider = cell_len(text) != cell_len(self._shown)
        grows = self.styles.is_auto_height or (self.styles.is_auto_width and wider)
        self._shown = text
        self.update(text, layout=grows)


class Block(Static):
    """Many lines, made of parts from `styled` or `rows`."""

    def __init__(self, content: Text | None = None, *, id: str | None = None) -> None:
        super().__init__("" if content is None else content, id=id, markup=False)

    def show(self, content: Text | Group) -> None:
        """Replaces the lines."""
        self.update(content)


def styled(text: Safe, style: Style | None = None) -> Text:
    """Text that goes on in the next line where it does not fit."""
    return Text(text, style or Style(), overflow="fold")


def wrapped(text: Safe, width: int) -> list[Safe]:
    """The lines of a text in `width` cells: broken between words, a longer word anywhere.
    Without a cell there is none.
    """
    if width < 1:
        return []
    if cell_len(text) <= width:
        return [text]
    return [safe(line.plain) for line in styled(text).wrap(_PLAIN, width)]


def rows(lines: Sequence[Safe]) -> Text:
    """Lines under one another, none of them wrapped."""
    return Text("\n".join(lines), no_wrap=True)


def under(lines: Sequence[Text]) -> Text:
    """Styled lines under one another."""
    return Text("\n").join(lines)


def segment(text: Safe, style: Style | None) -> Segment:
    """A piece of a line that a widget draws itself."""
    return Segment(text, style)


def set_title(widget: Widget, title: Safe) -> None:
    """The text in a widget's upper border. The same one again draws nothing."""
    if widget.border_title != Content(title).markup:
        widget.border_title = Text(title)


def set_subtitle(widget: Widget, subtitle: Safe) -> None:
    """The text in a widget's lower border. The same one again draws nothing."""
    if widget.border_subtitle != Content(subtitle).markup:
        widget.border_subtitle = Text(subtitle)


def cleaned(text: str) -> str:
    """Lines of tab-separated cells to copy, each cell made safe."""
    return "\n".join("\t".join(map(safe, line.split("\t"))) for line in text.split("\n"))
