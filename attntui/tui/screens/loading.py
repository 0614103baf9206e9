"""The load: a thread reads the file while this screen shows how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import ProgressBar, Static
from textual.worker import get_current_worker

from attntui.errors import AttntuiError, LoadCancelled
from attntui.safe import safe
from attntui.trace import Progress, load
from attntui.tui.screens.once import DismissedOnce
from attntui.view.session.compare_session import CompareSession
from attntui.view.document import Document
from attntui.view.words.formats import count, size
from attntui.view.options import Options


@dataclass(frozen=True, slots=True)
class Loaded:
    """How a load ended: a document, an error's line, or neither when it was cancelled."""

    document: Document | None = None
    error: str | None = None


class AligningScreen(DismissedOnce[CompareSession | None], ModalScreen[CompareSession | None]):
    """Aligns two traces; dismissed with the comparison, or None on Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "cancel")]
    DEFAULT_CSS = """
    AligningScreen { align: center middle; }
    AligningScreen > Static {
        width: auto; padding: 1 2; border: round $primary; background: $surface;
    }
    """

    def __init__(self, a: Document, b: Document) -> None:
        super().__init__()
        self._documents = [a, b]

    def compose(self) -> ComposeResult:
        yield Static("aligning the two traces …   Esc cancels", markup=False)

    def on_mount(self) -> None:
        self._align()

    @work(thread=True, description="aligning")
    def _align(self) -> None:
        worker = get_current_worker()
        # What a finished worker refers to lives on: it must not hold the traces.
        b, a = self._documents.pop(), self._documents.pop()
        compared = CompareSession.of(a, b)
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
            yield Static(f"reading {safe(self.path, 200)}", markup=False)
            yield ProgressBar(total=None, show_eta=False, id="bar")
            yield Static("Esc cancels", id="figures", markup=False)

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
            self.query_one("#figures", Static).update("analysing   Esc cancels")

        outcome = Loaded()
        try:
            trace = load(self.path, progress=progress, cancelled=cancelled)
            if not cancelled():
                self.app.call_from_thread(analysing)
                outcome = Loaded(document=Document.build(trace, self.options))
        except LoadCancelled:
            pass
        except AttntuiError as error:
            outcome = Loaded(error=str(error))
        except MemoryError:
            outcome = Loaded(error=f"{self.path}: does not fit in this machine's memory")
        if not cancelled():
            self.app.call_from_thread(self.dismiss, outcome)

    def _show(self, at: Progress) -> None:
        bar = self.query_one("#bar", ProgressBar)
        bar.update(total=at.bytes_total, progress=at.bytes_done)
        figures = f"{size(at.bytes_done)}   {count(at.events)} events   {at.seconds:.1f} s"
        self.query_one("#figures", Static).update(f"{figures}   Esc cancels")

    def action_cancel(self) -> None:
        self._dropped = True
        self.dismiss(Loaded())
