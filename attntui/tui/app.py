"""The application: opens traces and moves between screens."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import partial

from textual import work
from textual.app import App, SystemCommand
from textual.filter import LineFilter
from textual.screen import Screen

from attntui.tui.plain import PlainFilter
from attntui.tui.screens.loading import LoadingScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.screens.picker import PickerScreen
from attntui.view.document import Document
from attntui.view.keys import KEYS
from attntui.view.options import Options


class AttntuiApp(App[None]):
    """Loads the traces named, or lets the user choose one, and shows them."""

    TITLE = "attntui"
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, paths: list[str], options: Options) -> None:
        super().__init__()
        self.paths = paths
        self.options = options
        self.failure: str | None = None

    def on_mount(self) -> None:
        self._open()

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = super().get_line_filters()
        return [*filters, PlainFilter()] if self.options.ascii else filters

    @work
    async def _open(self) -> None:
        if self.paths:
            document = await self._load(self.paths[0])
            if document is None:
                self.exit(return_code=2 if self.failure else 0)
                return
            await self.push_screen_wait(MainScreen(document, self.options))
            self.exit()
        while True:
            picker = PickerScreen()
            path = await self.push_screen_wait(picker)
            if path is None:
                continue
            document = await self._load(path)
            if document is not None:
                await self.push_screen_wait(MainScreen(document, self.options, closable=True))
            elif self.failure:
                self.notify(self.failure, severity="error", timeout=10, markup=False)

    async def _load(self, path: str) -> Document | None:
        loaded = await self.push_screen_wait(LoadingScreen(path))
        self.failure = loaded.error
        return loaded.document

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action of the key table by name, and what Textual itself offers."""
        if isinstance(screen, MainScreen):
            for key in KEYS:
                title = f"{key.text} ({key.shown})"
                yield SystemCommand(title, key.group, partial(screen.run_action, key.action))
            yield SystemCommand(
                "copy the command line for this view",
                "opens the same trace at the same place",
                screen.action_copy_command,
            )
        yield from super().get_system_commands(screen)


def run(paths: list[str], options: Options) -> int:
    """Runs the application; its exit code is 2 where the trace named could not be opened."""
    app = AttntuiApp(paths, options)
    app.run()
    if app.failure and app.return_code:
        print(f"attntui: {app.failure}", file=sys.stderr)
    return app.return_code or 0
