"""The application: opens traces and moves between screens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from rich.console import RenderableType
from textual import events, on, work
from textual.actions import ActionParseResult
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import WorkerFailed

from attntui.errors import InputError
from attntui.safe import Safe, safe
from attntui.trace.kept.key import Key
from attntui.tui.abandoned import Abandoned
from attntui.tui.filters import InertFilter, PlainFilter
from attntui.tui.keeper import Keeper
from attntui.tui.line.driver import LineDriver
from attntui.tui.screens.base import PaneScreen
from attntui.tui.screens.compare import CompareScreen
from attntui.tui.screens.loading import AligningScreen, Loaded, LoadingScreen
from attntui.tui.screens.main import MainScreen
from attntui.tui.screens.palette import Palette, title_of
from attntui.tui.screens.picker import Facts, PickerScreen
from attntui.tui.terminal import TerminalDriver
from attntui.view.options import Options
from attntui.view.session.hints import pane_keys
from attntui.view.session.left import Left, opened_as_left
from attntui.view.session.session import Session


class AttntuiApp(App[None]):
    """Loads the traces named, or lets the user choose one, and shows them."""

    TITLE = "attntui"
    # On a terminal of a few cells no cell would be left, and Textual cannot wrap text to none.
    CSS = "OptionList { min-width: 10; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
        Binding("ctrl+c", "quit", show=False, priority=True),
        Binding("ctrl+l", "redraw", show=False, priority=True),
    ]

    def __init__(self, paths: list[str], options: Options) -> None:
        super().__init__()
        self.paths = paths
        self.options = options
        self.failure: Safe | None = None
        self.keeper = Keeper()
        self._comparing = False
        self._facts: Facts = {}
        # The same ones each time: Textual keeps what a filter has made of a line.
        last: list[LineFilter] = [InertFilter()]
        self._last_filters = [*last, PlainFilter()] if options.ascii else last

    def get_driver_class(self) -> type[Driver]:
        chosen = super().get_driver_class()
        return TerminalDriver if chosen is LinuxDriver else chosen

    @property
    def crash(self) -> Exception | None:
        """The first exception that nothing took, in a handler, a worker or a frame."""
        found = self._exception
        if isinstance(found, WorkerFailed) and isinstance(found.error, Exception):
            return found.error
        return found

    def _fatal_error(self) -> None:
        """Textual would print the traceback, with the values of all variables."""
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        """The command line tells of a crash, in one line."""
        self._exit_renderables.clear()

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Keys pressed before a screen has its widgets wait for them. Those that are answered
        when another screen has opened over theirs, or the program is left, do nothing.
        """
        asked = action, default_namespace, namespaces
        if self._exit or not self._is_on_top(default_namespace):
            return False
        if isinstance(default_namespace, Screen) and not default_namespace.is_mounted:
            return default_namespace.call_later(self.run_action, *asked)
        return await super().run_action(*asked)

    def _is_on_top(self, node: DOMNode | None) -> bool:
        """Whether what a key acts on is the app, or on the screen that has the keys now."""
        return node is None or node is self or self.screen in node.ancestors_with_self

    def on_mount(self) -> None:
        # A load or an analysis under way is not waited for when the program is left.
        asyncio.get_running_loop().set_default_executor(Abandoned())
        if self.options.slow:
            self._go_slow()
        if self.paths:
            self._open()
        else:
            self._pick()

    # The line to the terminal

    @on(LineDriver.Slow)
    def _go_slow(self) -> None:
        """Fewer frames, and nothing that moves by itself."""
        self.animation_level = "none"
        if isinstance(self._driver, LineDriver):
            self._driver.go_slow()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if isinstance(event.widget, Input):
            event.widget.cursor_blink = self.animation_level != "none"

    def action_redraw(self) -> None:
        """The whole screen again: others may have written over it."""
        if isinstance(self._driver, LineDriver):
            self._driver.redraw()
        else:
            self.refresh(layout=True)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *self._last_filters]

    @work
    async def _open(self) -> None:
        """The traces of the command line; one that cannot be opened ends the program."""
        loaded = await self._load_all(self.paths)
        if loaded is None or not await self._show(loaded, self.options, closable=False):
            self.exit()

    @work
    async def _pick(self) -> None:
        """A trace to choose; back here when the user has done with it."""
        loaded = await self._choose(safe("Open a trace, or compare two"), closable=False)
        if loaded and not await self._show(loaded, self.options, closable=True, then=self._pick):
            self._pick()

    async def _show(
        self,
        loaded: list[Loaded],
        options: Options,
        *,
        closable: bool,
        then: Callable[[], object] | None = None,
    ) -> bool:
        """Puts one trace, or two side by side, on screen where `options` ask; one alone, where
        they ask for no place, where it was left. False when that was cancelled.

        The list is emptied: a trace must not be kept by whoever opened it.
        """
        screen: Screen[None]
        if len(loaded) == 1:
            one = loaded.pop()
            assert one.session is not None
            session, options = opened_as_left(one.session, options, one.left)
            screen = MainScreen(session, options, closable=closable, leave=self._leave(one.key))
        else:
            b, a = (one.session for one in (loaded.pop(), loaded.pop()))
            assert a is not None
            assert b is not None
            compared = await self.push_screen_wait(AligningScreen(a, b, options))
            if compared is None:
                return False
            screen = CompareScreen(compared, options, closable=closable)

        def closed(_: None) -> None:
            if then is not None:
                then()

        self.push_screen(screen, closed)
        return True

    def _leave(self, key: Key | None) -> Callable[[Left], None]:
        """What takes the place at which the trace of a file is left."""

        def leave(left: Left) -> None:
            if key is not None:
                self.keeper.keep_left(key, left)

        return leave

    async def _choose(self, purpose: Safe, *, closable: bool) -> list[Loaded]:
        """Traces picked by the user, none where that was left; where one that is no trace is
        among them this is said, and the list is shown again.
        """
        while True:
            paths = await self.push_screen_wait(
                PickerScreen(purpose, self._facts, closable=closable)
            )
            loaded = await self._load_all(paths)
            if loaded is not None:
                return loaded
            if self.failure:
                self.tell(self.failure)

    async def _load_all(self, paths: list[str]) -> list[Loaded] | None:
        """Traces with fresh sessions; None where one was not to be had."""
        found = []
        for path in paths:
            loaded = await self._load(path)
            if loaded.session is None:
                return None
            found.append(loaded)
        return found

    def tell(self, message: Safe) -> None:
        """Puts a failure before the user, over whatever is on screen."""
        self.notify(message, severity="error", timeout=10, markup=False)

    async def _load(self, path: str) -> Loaded:
        loaded = await self.push_screen_wait(LoadingScreen(path, self.options))
        self.failure = loaded.error
        self._keep(loaded)
        return loaded

    def _keep(self, loaded: Loaded) -> None:
        """Keeps what was opened for the next time, when it is on screen."""
        if loaded.opened is not None and loaded.session is not None:
            session = loaded.session
            self.keeper.keep(loaded.opened, session.analysed, {"lanes": session.lanes})

    @on(MainScreen.Reopened)
    def _reopened(self, message: MainScreen.Reopened) -> None:
        self._keep(message.loaded)
        message.screen.leave = self._leave(message.loaded.key)

    def exit(
        self, result: None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Leaves the program; where its traces are left is told first."""
        for screen in self.screen_stack:
            if isinstance(screen, MainScreen):
                screen.tell_place()
        super().exit(result, return_code, message)

    def action_command_palette(self) -> None:
        """The palette, over panes alone: a load or a question must stay on top."""
        if isinstance(self.screen, PaneScreen):
            self.push_screen(Palette())

    @on(MainScreen.CompareWanted)
    def _compare_wanted(self, message: MainScreen.CompareWanted) -> None:
        if not self._comparing:
            self._comparing = True
            self._compare(message.fresh)

    # The description would else be the text of the whole session.
    @work(description="compare")
    async def _compare(self, session: Session) -> None:
        others = await self._choose(safe("Compare with"), closable=True)
        self._comparing = False
        if others:
            both = [Loaded(session), *others]
            await self._show(both, self.options.drawing, closable=True)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action of the key table by name, first those of the pane last used."""
        if not isinstance(screen, PaneScreen):
            return
        for key in dict.fromkeys((*pane_keys(screen.keys, screen.last_pane), *screen.keys)):
            yield SystemCommand(title_of(key), key.group, partial(screen.run_action, key.action))
        yield SystemCommand(
            "copy the command line for this view",
            "opens the same at the same place",
            screen.action_copy_command,
        )


def run(paths: list[str], options: Options) -> None:
    """Runs the application; the terminal is as it was when this returns or raises.

    Raises:
        InputError: a trace named could not be opened.
        Exception: whatever the application failed by.
    """
    app = AttntuiApp(paths, options)
    try:
        app.run()
    finally:
        app.keeper.stop()
    if app.crash is not None:
        raise app.crash
    if app.failure is not None and paths:
        raise InputError(app.failure)
