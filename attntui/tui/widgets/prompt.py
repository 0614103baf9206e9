"""The one-line prompt at the foot of the screen: search and filter."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from attntui.safe import safe


class Prompt(Input):
    """Shown only while it asks. Enter answers (whoever takes the answer closes it), Esc or
    leaving drops it, and typing is told as it goes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "drop", "drop", show=False)]
    DEFAULT_CSS = """
    Prompt { display: none; height: 1; border: none; padding: 0 1; background: $surface; }
    Prompt:focus { border: none; }
    Prompt.-asking { display: block; }
    """

    class Answered(Message):
        """Enter."""

        def __init__(self, purpose: str, text: str) -> None:
            super().__init__()
            self.purpose = purpose
            self.text = text

    class Typed(Message):
        """Another text while typing."""

        def __init__(self, purpose: str, text: str) -> None:
            super().__init__()
            self.purpose = purpose
            self.text = text

    class Dropped(Message):
        """Esc, or the focus left. `before` is the text that the prompt opened with."""

        def __init__(self, purpose: str, before: str) -> None:
            super().__init__()
            self.purpose = purpose
            self.before = before

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, compact=True)
        self._purpose = ""
        self._before = ""

    def validate_value(self, value: str) -> str:
        """Pasted or typed, nothing but safe text is drawn."""
        return safe(value)

    @property
    def asking(self) -> bool:
        return self.has_class("-asking")

    def ask(self, purpose: str, text: str, placeholder: str) -> None:
        """Opens the prompt with text to change."""
        self._purpose, self._before = purpose, text
        self.placeholder = placeholder
        with self.prevent(Input.Changed):
            self.value = text
        self.add_class("-asking")
        self.focus()

    def close(self) -> None:
        """Takes the prompt away; nothing is told."""
        self.remove_class("-asking")

    def action_drop(self) -> None:
        if self.asking:
            self.close()
            self.post_message(self.Dropped(self._purpose, self._before))

    def on_blur(self) -> None:
        self.action_drop()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(self._purpose, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Answered(self._purpose, event.value))
