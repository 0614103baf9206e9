"""The command palette: every action by name, those of the pane in focus first."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.command import CommandPalette, DiscoveryHit, Hits
from textual.system_commands import SystemCommandsProvider


class Actions(SystemCommandsProvider):
    """The app's commands; before anything is typed in the order in which the app gives them."""

    async def discover(self) -> Hits:
        for command in self.app.get_system_commands(self.screen):
            yield DiscoveryHit(command.title, command.callback, help=command.help)


class Palette(CommandPalette):
    """Dismissed once, like `DismissedOnce`."""

    def __init__(self) -> None:
        super().__init__(providers=[Actions])

    def dismiss(self, result: None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_active else AwaitComplete()
