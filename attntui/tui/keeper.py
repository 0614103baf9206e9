"""Keeps opened traces for the next time, beside the screens: no key and no frame waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.kept.opening import Opened

_AFTER_S = 1.0
"""Seconds after which it begins: the first screen is drawn by then."""

_WAIT_S = 5.0
"""Seconds that the end of the program waits for what is being written to be given up."""


class Keeper:
    """Writes what was opened, one trace after the other; what is under way when the program is
    left is given up, and leaves nothing behind.
    """

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._turn = threading.Lock()
        self._threads: list[threading.Thread] = []

    def keep(self, opened: Opened, analysed: AnalysedTrace, others: Mapping[str, object]) -> None:
        """Keeps a trace soon."""

        def write() -> None:
            if not self._stopped.wait(_AFTER_S):
                with self._turn:
                    opened.keep(analysed, others, self._stopped.is_set)

        if opened.can_be_kept:
            self._begin(write)

    def _begin(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads = [*(thread for thread in self._threads if thread.is_alive()), thread]
        thread.start()

    def stop(self) -> None:
        """Gives up what is under way."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(_WAIT_S)
