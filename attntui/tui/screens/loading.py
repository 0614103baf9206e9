"""The load: a thread reads the file while this screen shows how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import ProgressBar
from textual.worker import get_current_worker

from attntui.analysis.kept.opening import Opened, open_trace
from attntui.errors import NO_MEMORY, AttntuiError, LoadCancelled, out_of_memory
from attntui.safe import Safe, safe
from attntui.trace import Progress
from attntui.trace.kept.key import Key
from attntui.tui.screens.once import DismissedOnce
from attntui.tui.widgets.text import TextLine
from attntui.view.drawing.lanes import Lanes
from attntui.view.options import Options
from attntui.view.session.compare_session import CompareSession
from attntui.view.session.left import Left, left_of
from attntui.view.session.reopen_compared import opened_compared
from attntui.view.session.session import Session
from attntui.view.words.progress import progress_text


@dataclass(frozen=True, slots=True)
class Loaded:
    """How a load ended: a fresh session, an error's line, or neither when it was cancelled.

    `opened` is what the session is over, `left` where that trace was left the last time.
    """

    session: Session | None = None
    error: Safe | None = None
    opened: Opened | None = None
    left: Left | None = None

    @property
    def key(self) -> Key | None:
        return None if self.opened is None else self.opened.key


def analysed(opened: Opened, options: Options) -> Session:
    """A session over an opened trace, with all that its screens need found."""
    found = opened.analysed(options.peak_bandwidth, options.peak_flops).find_all()
    return Session.of(found, Lanes(found).find_all())


class AligningScreen(DismissedOnce[CompareSession | None], ModalScreen[CompareSession | None]):
    """Aligns two traces, each in a fresh session; dismissed with the comparison, or None on Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "cancel")]
    DEFAULT_CSS = """
    AligningScreen { align: center middle; }
    AligningScreen > TextLine {
        width: auto; padding: 1 2; border: round $primary; background: $surface;
    }
    """

    def __init__(self, a: Session, b: Session, options: Options) -> None:
        """`options` say what of the two is compared and shown."""
        super().__init__()
        self._sessions = [a, b]
        self._options = options

    def compose(self) -> ComposeResult:
        yield TextLine(safe("aligning the two traces …   Esc cancels"))

    def on_mount(self) -> None:
        self._align()

    @work(thread=True, description="aligning")
    def _align(self) -> None:
        worker = get_current_worker()
        # What a finished worker refers to lives on: it must not hold the traces.
        b, a = self._sessions.pop(), self._sessions.pop()
        compared = opened_compared(a, b, self._options)
        del a, b
        if not worker.is_cancelled:
            self.app.call_from_thread(self.dismiss, compared)


class LoadingScreen(DismissedOnce[Loaded], ModalScreen[Loaded]):
    """Loads one file; dismissed with the outcome. Esc cancels."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "cancel", "cancel")]
    DEFAULT_CSS = """
    LoadingScreen { align: center middle; }
    LoadingScreen > Vertical {
        width: 64; max-width: 90%; height: auto; padding: 1 2;
        border: round $primary; background: $surface;
    }
    LoadingScreen ProgressBar { margin: 1 0; width: 100%; }
    LoadingScreen Bar { width: 1fr; }
    """

    def __init__(self, path: str, options: Options) -> None:
        super().__init__()
        self.path = path
        self.options = options
        self._dropped = False

    def compose(self) -> ComposeResult:
        with Vertical():
            yield TextLine(safe(f"reading {safe(self.path, 200)}"))
            yield ProgressBar(total=None, show_eta=False, id="bar")
            yield TextLine(safe("Esc cancels"), id="figures")

    def on_mount(self) -> None:
        self._load()

    @work(thread=True)
    def _load(self) -> None:
        worker = get_current_worker()

        def cancelled() -> bool:
            return worker.is_cancelled or self._dropped

        def progress(at: Progress) -> None:
            if not cancelled():
                self.app.call_from_thread(self._show, at)

        def analysing() -> None:
            self._tell("analysing")

        outcome = Loaded()
        try:
            opened = open_trace(
                self.path,
                extent=self.options.extent,
                cache=self.options.cache,
                progress=progress,
                cancelled=cancelled,
            )
            if not cancelled():
                self.app.call_from_thread(analysing)
                session, told = analysed(opened, self.options), left_of(opened.key)
                outcome = Loaded(session=session, opened=opened, left=told)
        except LoadCancelled:
            pass
        except AttntuiError as error:
            outcome = Loaded(error=safe(str(error)))
        except Exception as error:
            if not out_of_memory(error):
                raise
            outcome = Loaded(error=safe(f"{self.path}: {NO_MEMORY}"))
        if not cancelled():
            self.app.call_from_thread(self.dismiss, outcome)

    def _show(self, at: Progress) -> None:
        bar = self.query_one("#bar", ProgressBar)
        bar.total, bar.progress = at.bytes_total, at.bytes_done
        self._tell(progress_text(at))

    def _tell(self, figures: str) -> None:
        self.query_one("#figures", TextLine).show(safe(f"{figures}   Esc cancels"))

    def action_cancel(self) -> None:
        self._dropped = True
        self.dismiss(Loaded())
