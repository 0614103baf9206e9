"""From the JSON text of events to typed records, quickly where it is well formed.

Three ways, each only for what the one before refuses: `Event`, whose times are floats;
`LooseEvent`, which takes any type and keeps times as text; and a lenient parse of one
event alone, which mends bad escapes, control characters and bytes that are no UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
import orjson

from attntui.trace.model import ABSENT, I64
from attntui.trace.times import EXACT_BELOW_US, ns_from_floats, ns_from_texts

Number: TypeAlias = int | float | str | None
"""What a field that ought to hold an integer may hold; `columns` makes it one."""

REFUSED = (ValueError, RecursionError)
"""What the parsers raise on text that they do not take (msgspec's are ValueErrors)."""

_EMPTY = msgspec.Raw()


class Args(msgspec.Struct, gc=False):
    """The fields of `args` that columns hold; any other is skipped."""

    correlation: Number = ABSENT
    external_id: Number = msgspec.field(default=ABSENT, name="External id")
    external_id_old: Number = msgspec.field(default=ABSENT, name="external id")
    python_id: Number = msgspec.field(default=ABSENT, name="Python id")
    python_parent: Number = msgspec.field(default=ABSENT, name="Python parent id")
    sequence: Number = msgspec.field(default=ABSENT, name="Sequence number")
    forward_thread: Number = msgspec.field(default=ABSENT, name="Fwd thread id")
    device: Number = ABSENT
    stream: Number = ABSENT
    dims: msgspec.Raw = msgspec.field(default=_EMPTY, name="Input Dims")
    types: msgspec.Raw = msgspec.field(default=_EMPTY, name="Input type")
    strides: msgspec.Raw = msgspec.field(default=_EMPTY, name="Input Strides")
    concrete: msgspec.Raw = msgspec.field(default=_EMPTY, name="Concrete Inputs")
    grid: msgspec.Raw = _EMPTY
    block: msgspec.Raw = _EMPTY
    registers: msgspec.Raw = msgspec.field(default=_EMPTY, name="registers per thread")
    shared_memory: msgspec.Raw = msgspec.field(default=_EMPTY, name="shared memory")
    occupancy: msgspec.Raw = msgspec.field(default=_EMPTY, name="est. achieved occupancy %")
    bytes: Number = ABSENT
    finished: Number | bool = True
    memory_change: Number = msgspec.field(default=ABSENT, name="Bytes")
    memory_allocated: Number = msgspec.field(default=ABSENT, name="Total Allocated")
    memory_reserved: Number = msgspec.field(default=ABSENT, name="Total Reserved")
    device_id: Number = msgspec.field(default=ABSENT, name="Device Id")
    device_type: Number = msgspec.field(default=ABSENT, name="Device Type")
    label: Number = msgspec.field(default=None, name="name")
    sort_index: Number = ABSENT


class LooseArgs(Args, gc=False):
    """`Args` whose fields may hold anything at all."""

    correlation: Any = ABSENT
    external_id: Any = msgspec.field(default=ABSENT, name="External id")
    external_id_old: Any = msgspec.field(default=ABSENT, name="external id")
    python_id: Any = msgspec.field(default=ABSENT, name="Python id")
    python_parent: Any = msgspec.field(default=ABSENT, name="Python parent id")
    sequence: Any = msgspec.field(default=ABSENT, name="Sequence number")
    forward_thread: Any = msgspec.field(default=ABSENT, name="Fwd thread id")
    device: Any = ABSENT
    stream: Any = ABSENT
    bytes: Any = ABSENT
    finished: Any = True
    memory_change: Any = msgspec.field(default=ABSENT, name="Bytes")
    memory_allocated: Any = msgspec.field(default=ABSENT, name="Total Allocated")
    memory_reserved: Any = msgspec.field(default=ABSENT, name="Total Reserved")
    device_id: Any = msgspec.field(default=ABSENT, name="Device Id")
    device_type: Any = msgspec.field(default=ABSENT, name="Device Type")
    label: Any = msgspec.field(default=None, name="name")
    sort_index: Any = ABSENT


NO_ARGS = Args()


class Event(msgspec.Struct, gc=False):
    """One entry of `traceEvents`, times in microseconds (NaN where the file has none)."""

    ph: str = ""
    cat: str = ""
    name: str = ""
    pid: Number = None
    tid: Number = None
    ts: float = nan
    dur: float = nan
    args: Args | None = None
    id: msgspec.Raw = _EMPTY
    id2: msgspec.Raw = _EMPTY


class LooseEvent(msgspec.Struct, gc=False):
    """One entry of `traceEvents` of whatever types, times as the file writes them."""

    ph: Any = ""
    cat: Any = ""
    name: Any = ""
    pid: Any = None
    tid: Any = None
    ts: msgspec.Raw = _EMPTY
    dur: msgspec.Raw = _EMPTY
    args: LooseArgs | list[Any] | str | int | float | bool | None = None
    id: msgspec.Raw = _EMPTY
    id2: msgspec.Raw = _EMPTY


_EVENTS = msgspec.json.Decoder(list[Event])
_LOOSE_EVENTS = msgspec.json.Decoder(list[LooseEvent])
_LOOSE_EVENT = msgspec.json.Decoder(LooseEvent)

# A quote with no backslash before it, a colon and a bare word: that is never in a string.
_NOT_FINITE = re.compile(rb'(?<!\\)(":\s*)[-+]?(?:nan|inf(?:inity)?)(?=\s*[,}\]])', re.IGNORECASE)
_STRING_OR_COMMA = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|,(?=\s*[}\]])', re.DOTALL)
_UNWRITABLE = re.compile(
    r'\\(?:["\\/bfnrt]'  # whole escapes
    r"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}"
    r"|(?P<lone>u[0-9a-fA-F]{4})|(?P<stray>))|(?P<control>[\x00-\x1f])"
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A run of events, and their `ts` as an array where floats are exact enough."""

    events: Sequence[Event | LooseEvent]
    microseconds: npt.NDArray[np.float64] | None

    def times(self, at: npt.NDArray[np.intp]) -> I64:
        """The `ts` of the events at these positions in ns, NO_TIME where there is none."""
        if self.microseconds is None:
            return ns_from_texts([self.events[index].ts for index in at.tolist()])
        return ns_from_floats(self.microseconds[at])


class Decoder:
    """Decodes runs of events, and remembers once times need their digits."""

    def __init__(self) -> None:
        self._digits = False

    def many(self, text: bytes) -> Decoded | None:
        """The events of a JSON array, or None where it holds something malformed."""
        if not self._digits:
            events = _decoded(_EVENTS, text)
            if events is not None:
                microseconds = np.array([event.ts for event in events], dtype=np.float64)
                if not (np.abs(microseconds) >= EXACT_BELOW_US).any():
                    return Decoded(events, microseconds)
                self._digits = True
        loose = _decoded(_LOOSE_EVENTS, text)
        if loose is None and _NOT_FINITE.search(text):
            loose = _decoded(_LOOSE_EVENTS, _NOT_FINITE.sub(rb"\1null", text))
        if loose is None:
            return None
        for event in loose:
            _tidy(event)
        return Decoded(loose, None)

    def one(self, text: bytes) -> LooseEvent | None:
        """The event of one JSON object, mended where possible, or None."""
        event: LooseEvent | None = _decoded(_LOOSE_EVENT, text)
        if event is None:
            event = _decoded(_LOOSE_EVENT, mended(text))
        if event is not None:
            _tidy(event)
        return event


def _decoded(decoder: msgspec.json.Decoder[Any], text: bytes) -> Any:
    try:
        return decoder.decode(text)
    except REFUSED:
        return None


def _tidy(event: LooseEvent) -> None:
    """Makes text of what the columns take for text, and drops args that are no object."""
    if type(event.ph) is not str:
        event.ph = _as_text(event.ph)
    if type(event.cat) is not str:
        event.cat = _as_text(event.cat)
    if type(event.name) is not str:
        event.name = _as_text(event.name)
    if type(event.args) is not LooseArgs:
        event.args = None


def _as_text(value: object) -> str:
    return "" if value is None else str(value)


def mended(text: bytes) -> bytes:
    """Makes JSON of what careless tools write.

    Raw control characters and backslashes that begin no escape are escaped; bytes that
    are no UTF-8 and lone surrogates become U+FFFD, NaN and infinities null; a comma
    before a closing bracket goes.
    """
    readable = _NOT_FINITE.sub(rb"\1null", text).decode("utf-8", "replace")
    return _STRING_OR_COMMA.sub(_mended_token, readable).encode()


def _mended_token(token: re.Match[str]) -> str:
    return "" if token[0] == "," else _UNWRITABLE.sub(_mended_character, token[0])


def _mended_character(found: re.Match[str]) -> str:
    if found["control"] is not None:
        return f"\\u{ord(found[0]):04x}"
    if found["lone"] is not None:
        return "\\ufffd"
    return r"\\" if found["stray"] is not None else found[0]


def loads_lenient(text: bytes) -> Any:
    """Parses JSON, `mended` where it must be; None where that is hopeless."""
    try:
        return orjson.loads(text)
    except ValueError:
        pass
    try:
        return orjson.loads(mended(text))
    except ValueError:
        return None
