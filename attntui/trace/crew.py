"""Processes that decode parts of a text side by side.

The text is cut by guess at borders of events, as `chunks` does it, only in larger parts. By
induction a part begins between two events if those before are whole events from end to end;
the first that is not ends the run, and whoever asked goes on alone from there.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass

from attntui.trace.crew_member import DONE, NO_MEMORY, READY, REQUEST, Part
from attntui.trace.raw_file import BLOCK
from attntui.trace.scan import Window
from attntui.trace.shared_block import SharedBlock
from attntui.trace.stretch import Stretch

PART = 4 * 1024 * 1024
"""Bytes of text a member gets at a time."""

TEXT_A_MEMBER = 32 * 1024 * 1024
"""Bytes of text from which one more member pays: starting one takes as long as decoding some."""

MOST_MEMBERS = 16
"""Beyond this whoever puts the parts together is what takes the time."""

LEAST_TEXT = 64 * 1024 * 1024
"""Bytes of text from which a crew pays at all."""


_BLOCKS = 2
"""Parts that a member has at once: it decodes one while the other is taken out."""

_ASK_S = 0.05
_START = "import sys; sys.path[:] = {path!r}; from attntui.trace import crew_member as m; m.main()"


def members_for(text: int) -> int:
    """How many processes to decode so many bytes of text with; 0 where one does as well."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    count = min(cores or 1, MOST_MEMBERS, text // TEXT_A_MEMBER)
    return count if count > 1 and text >= LEAST_TEXT and sys.executable else 0


class MemberLost(Exception):
    """A member of the crew ended unasked."""


@dataclass(frozen=True, slots=True)
class _Region:
    """A part of the text: whole events if the guess holds. `text` unless it is in the file."""

    start: int
    length: int
    text: bytes | None

    def after(self, separator: bytes) -> int:
        """Where the event begins that follows."""
        # A separator begins with this part's last brace and ends with the next one's first.
        return self.start + self.length - 1 + len(separator) - 1


class _Member:
    """One process, and the parts that it works at."""

    def __init__(self, file: int | None, stretch: Stretch | None) -> None:
        self.blocks = [SharedBlock.new() for _ in range(_BLOCKS)]
        given = [] if file is None else [file]
        descriptors = [block.descriptor for block in self.blocks]
        numbers = [-1 if file is None else file, *descriptors]
        arguments = [",".join(map(str, stretch or ())), *map(str, numbers)]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _START.format(path=sys.path), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                pass_fds=given + descriptors,
                # Ctrl-C is for whoever asked. numpy's threads would only take memory.
                start_new_session=True,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
            )
        except OSError:
            self._close_blocks()
            raise

    def request(self, block: int, region: _Region, separator: bytes) -> None:
        """Asks for a part, which comes into a block. Raises MemberLost."""
        place = region.start if region.text is None else -1
        if region.text is not None:
            self.blocks[block].put_text(region.text)
        head = REQUEST.pack(block, region.start, region.length, place, len(separator))
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(head + separator)
        except BrokenPipeError:
            raise self._lost() from None

    def answer(self, seconds: float) -> bytes:
        """The next answer; empty if none comes in this time. Raises MemberLost."""
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            return b""
        answer = self._process.stdout.read(1)
        if not answer:
            raise self._lost()
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._close_blocks()

    def _close_blocks(self) -> None:
        for block in self.blocks:
            os.close(block.descriptor)

    def _lost(self) -> MemberLost:
        status = self._process.wait()
        how = f"was killed (signal {-status})" if status < 0 else f"ended (status {status})"
        return MemberLost(f"a process that read a part of it {how}")


class Crew:
    """`count` processes. `file` is the descriptor of a file whose bytes are the text itself;
    without one the text is handed to them. What does not reach into `stretch` is left out.
    `pause` is called while they are waited for, and may raise.

    Raises OSError where they cannot be started.
    """

    def __init__(
        self,
        count: int,
        file: int | None,
        pause: Callable[[], None],
        stretch: Stretch | None = None,
    ) -> None:
        self._file = file
        self._pause = pause
        self._begun = False
        self._members: list[_Member] = []
        try:
            for _ in range(count):
                self._members.append(_Member(file, stretch))
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Ends all of them, whatever they do."""
        for member in self._members:
            member.end()
        self._members = []

    def parts(self, window: Window, separator: bytes) -> Generator[Part, None, int]:
        """The parts that follow, with `window` behind the last one yielded.

        What is yielded is good until the next is asked for. Returns the offset up to which
        the text is no case for a crew. There are none as long as the crew gets ready.
        """
        if not self._is_ready():
            return window.offset
        try:
            return (yield from self._parts(window, separator))
        except BaseException:
            # Their answers to what was asked would be taken for those to what comes next.
            self.end()
            raise

    def _parts(self, window: Window, separator: bytes) -> Generator[Part, None, int]:
        waiting: deque[tuple[_Region, _Member, int]] = deque()
        places = [(member, block) for block in range(_BLOCKS) for member in self._members]
        free = deque(places)
        ahead = window.offset
        more = True
        while True:
            while free and more:
                region = self._next(window, ahead, separator)
                more = region is not None
                if region is not None:
                    member, block = free.popleft()
                    member.request(block, region, separator)
                    waiting.append((region, member, block))
                    ahead = region.after(separator)
            if not waiting:
                return ahead
            region, member, block = waiting.popleft()
            answer = self._answer(member)
            if answer != DONE:
                self._back(window, region, [each for each, _, _ in waiting], separator)
                for _, other, _ in waiting:
                    self._answer(other)
                return region.after(separator)
            if self._file is not None:
                window.go_to(region.after(separator))
            yield member.blocks[block].take()
            free.append((member, block))

    def _is_ready(self) -> bool:
        """Whether they have started; nobody waits for that. Those that cannot are no crew."""
        if not self._begun and self._members:
            try:
                if self._members[-1].answer(0) != READY:
                    return False
                for member in self._members[:-1]:
                    self._answer(member)
                self._begun = True
            except MemberLost:
                self.end()
        return bool(self._members)

    def _answer(self, member: _Member) -> bytes:
        """Raises MemberLost, MemoryError, and what `pause` does."""
        while not (answer := member.answer(_ASK_S)):
            self._pause()
        if answer == NO_MEMORY:
            raise MemoryError
        return answer

    def _next(self, window: Window, ahead: int, separator: bytes) -> _Region | None:
        """The next part that ends at what looks like a border; None near the text's end."""
        if self._file is None:
            return _taken(window, separator)
        tail = ahead + PART - BLOCK
        found = os.pread(self._file, BLOCK, tail)
        cut = found.rfind(separator)
        if cut < 0 or len(found) < BLOCK:
            return None
        return _Region(ahead, tail + cut + 1 - ahead, None)

    def _back(
        self, window: Window, region: _Region, later: list[_Region], separator: bytes
    ) -> None:
        """Makes `window` show the text from a part on."""
        if region.text is None:
            window.go_to(region.start)
            return
        texts = [each.text or b"" for each in (region, *later)]
        window.put_back(b"".join(text + separator[1:-1] for text in texts))


def _taken(window: Window, separator: bytes) -> _Region | None:
    window.fill_to(PART)
    cut = -1 if window.ended else window.buffer.rfind(separator, window.at)
    if cut < 0:
        return None
    region = _Region(window.offset, cut + 1 - window.at, window.buffer[window.at : cut + 1])
    window.at = cut + len(separator) - 1
    return region
