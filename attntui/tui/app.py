"""The application: opens traces and moves between screens."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Sequence
from functools import partial

from textual import on, work
from textual.app import App, SystemCommand
from textual.filter import LineFilter
from textual.screen import Screen

from attntui.tui.plain import PlainFilter
from attntui.tui.screens.compare import CompareScreen
from attntui.tui.screens.loading import LoadingScreen, WaitScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.screens.picker import PickerScreen
from attntui.view.compare_session import CompareSession
from attntui.view.document import Document
from attntui.view.keys import COMPARE_KEYS, KEYS
from attntui.view.options import Options
from attntui.view.reopen import arrange
from attntui.view.session import Session


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
            documents = []
            for path in self.paths[:2]:
                document = await self._load(path)
                if document is None:
                    self.exit(return_code=2 if self.failure else 0)
                    return
                documents.append(document)
            await self._show(*documents, closable=False)
            return
        while True:
            document = await self._choose("Open a trace")
            if document is not None:
                await self._show(document, closable=True)

    async def _show(self, *documents: Document, closable: bool) -> None:
        """One document alone, or two side by side, until the user goes back."""
        first, *others = documents
        screen: Screen[None]
        if others:
            self.push_screen(WaitScreen("aligning the two traces"))
            compared = await asyncio.to_thread(CompareSession.of, first, others[0])
            self.pop_screen()
            screen = CompareScreen(compared, self.options, closable=closable)
        else:
            session = arrange(Session.of(first), self.options)
            screen = MainScreen(session, self.options, closable=closable)
        await self.push_screen_wait(screen)

    async def _choose(self, purpose: str) -> Document | None:
        """A document picked by the user; a file that is no trace is said and picked again."""
        while True:
            path = await self.push_screen_wait(PickerScreen(purpose))
            if path is None:
                return None
            document = await self._load(path)
            if document is not None:
                return document
            if self.failure:
                self.notify(self.failure, severity="error", timeout=10, markup=False)

    async def _load(self, path: str) -> Document | None:
        loaded = await self.push_screen_wait(LoadingScreen(path, self.options))
        self.failure = loaded.error
        return loaded.document

    @on(MainScreen.CompareWanted)
    def _compare_wanted(self, message: MainScreen.CompareWanted) -> None:
        self._compare(message.document)

    # The description would else be the text of the whole document.
    @work(description="compare")
    async def _compare(self, document: Document) -> None:
        other = await self._choose("Compare with")
        if other is not None:
            await self._show(document, other, closable=True)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action of the key table by name, and what Textual itself offers."""
        keys = COMPARE_KEYS if isinstance(screen, CompareScreen) else KEYS
        if isinstance(screen, MainScreen | CompareScreen):
            for key in keys:
                title = f"{key.text} ({key.shown})"
                yield SystemCommand(title, key.group, partial(screen.run_action, key.action))
        if isinstance(screen, MainScreen):
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
