"""Keeps opened traces for the next time, beside the screens: no key and no frame waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.kept.opening import Opened
from attntui.trace.kept.key import Key
from attntui.trace.kept.notes import put_note
from attntui.view.session.left import Left

_AFTER_S = 1.0
"""Seconds after which it begins: the first screen is drawn by then."""

_WAIT_S = 1.0
"""Seconds that the end of the program waits at most for what is being written."""


class Keeper:
    """Writes what was opened and where it was left, in threads. A trace that is being written
    when the program is left is given up, and leaves nothing behind.
    """

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._turn = threading.Lock()
        self._note_turn = threading.Lock()
        self._left: dict[Key, Left] = {}
        self._threads: list[threading.Thread] = []

    def keep(self, opened: Opened, analysed: AnalysedTrace, others: Mapping[str, object]) -> None:
        """Keeps a trace soon."""

        def write() -> None:
            if not self._stopped.wait(_AFTER_S):
                with self._turn:
                    opened.keep(analysed, others, self._stopped.is_set)

        if opened.can_be_kept:
            self._begin(write)

    def keep_left(self, key: Key, left: Left) -> None:
        """Keeps where a trace is left; of several at once the last."""

        def write() -> None:
            with self._note_turn:
                latest = self._left.pop(key, None)
                if latest is not None:
                    put_note(key, latest.told())

        self._left[key] = left
        self._begin(write)

    def _begin(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            # No more threads may be had: nothing is kept.
            return
        self._threads = [*(thread for thread in self._threads if thread.is_alive()), thread]

    def stop(self) -> None:
        """Gives up what is under way, and ends what is soon done."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(_WAIT_S)
