"""The one-line prompt at the foot of the screen: search and filter."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class Prompt(Input):
    """Shown only while it asks; Enter answers, Esc drops it, typing is told as it goes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "drop", "drop", show=False)]
    DEFAULT_CSS = """
    Prompt { display: none; height: 1; border: none; padding: 0 1; background: $surface; }
    Prompt:focus { border: none; }
    Prompt.-asking { display: block; }
    """

    class Answered(Message):
        """Enter, or each change while typing (`final` false); None when it was dropped."""

        def __init__(self, purpose: str, text: str | None, final: bool) -> None:
            super().__init__()
            self.purpose = purpose
            self.text = text
            self.final = final

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, compact=True)
        self._purpose = ""

    @property
    def asking(self) -> bool:
        return self.has_class("-asking")

    def ask(self, purpose: str, text: str, placeholder: str) -> None:
        """Opens the prompt with text to change."""
        self._purpose = purpose
        self.placeholder = placeholder
        with self.prevent(Input.Changed):
            self.value = text
        self.add_class("-asking")
        self.focus()

    def _close(self) -> None:
        self.remove_class("-asking")

    def action_drop(self) -> None:
        self._close()
        self.post_message(self.Answered(self._purpose, None, True))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Answered(self._purpose, event.value, False))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._close()
        self.post_message(self.Answered(self._purpose, event.value, True))
