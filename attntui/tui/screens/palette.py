"""The command palette: every action by name, those of the pane in focus first."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hits
from textual.message import Message
from textual.system_commands import SystemCommandsProvider

from attntui.tui.screens.base import PaneScreen
from attntui.tui.screens.once import is_too_late
from attntui.view.session.keys import Key


def title_of(key: Key) -> str:
    """What the action of a key is called in the palette."""
    return f"{key.text} ({key.shown})"


class Actions(SystemCommandsProvider):
    """The app's commands; before anything is typed in the order in which the app gives them,
    but what does nothing now last.
    """

    async def discover(self) -> Hits:
        screen, idle = self.screen, set()
        if isinstance(screen, PaneScreen):
            idle = {title_of(key) for key in screen.keys if screen.does_nothing(key)}
        commands = self.app.get_system_commands(screen)
        for command in sorted(commands, key=lambda command: command.title in idle):
            yield DiscoveryHit(command.title, command.callback, help=command.help)


class Palette(CommandPalette):
    """Like `DismissedOnce`: Textual inherits styles from the first base alone."""

    def __init__(self) -> None:
        super().__init__(providers=[Actions])

    def _action_command_list(self, action: str) -> None:
        """A list has no pages before it is drawn, nor where the terminal has no room for it."""
        if self.query_one(CommandList)._lines:
            super()._action_command_list(action)

    def dismiss(self, result: None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_active else AwaitComplete()

    async def _dispatch_message(self, message: Message) -> None:
        if not is_too_late(self.app, message):
            await super()._dispatch_message(message)
