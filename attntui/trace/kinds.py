"""What a file is that is no trace, by its first bytes: a line that says what to do instead.

Nothing is unpacked or run to find out, a pickle least of all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePath

HEAD = 4096
"""Bytes that are enough to tell."""

_EXPORT = "export_chrome_trace writes a trace"
_PACKED = "is packed with {}; unpack it first"
_TWICE = "is packed twice; unpack it once"
_ARCHIVE = "is a {} archive; unpack it and open the trace in it"
_DATA = f"is {{}}, not a profiler trace ({_EXPORT})"
_PROFILE = "is a report of {}; open it there, or profile with torch.profiler"

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", _TWICE),
    (b"\x28\xb5\x2f\xfd", _TWICE),
    (b"BZh", _PACKED.format("bzip2")),
    (b"\xfd7zXZ\x00", _PACKED.format("xz")),
    (b"\x5d\x00\x00", _PACKED.format("lzma")),
    (b"\x04\x22\x4d\x18", _PACKED.format("lz4")),
    (b"\x02\x21\x4c\x18", _PACKED.format("lz4")),
    (b"\xff\x06\x00\x00sNaPpY", _PACKED.format("snappy")),
    (b"\x1f\x9d", _PACKED.format("compress")),
    (b"PK\x05\x06", _ARCHIVE.format("zip")),
    (b"PK\x07\x08", _ARCHIVE.format("zip")),
    (b"7z\xbc\xaf\x27\x1c", _ARCHIVE.format("7z")),
    (b"Rar!\x1a\x07", _ARCHIVE.format("rar")),
    (b"NVR\x00", _PROFILE.format("Nsight Compute")),
    (b"PAR1", _DATA.format("a Parquet file")),
    (b"ARROW1", _DATA.format("an Arrow file")),
    (b"FEA1", _DATA.format("a Feather file")),
    (b"\x89HDF\r\n\x1a\n", _DATA.format("an HDF5 file")),
    (b"\x93NUMPY", _DATA.format("an array of NumPy")),
    (b"\x7fELF", _DATA.format("a program")),
    (b"\x89PNG", _DATA.format("a picture")),
    (b"\xff\xd8\xff", _DATA.format("a picture")),
    (b"%PDF", _DATA.format("a PDF")),
    (b"version https://git-lfs", "is a pointer of Git LFS, not the file itself; run git lfs pull"),
    (b"/annex/objects/", "is a pointer of git-annex, not the file itself; run git annex get"),
    (b"[<FunctionEvent", _DATA.format("the printed averages of a profile")),
    (b"Traceback (most recent call last)", _DATA.format("an error message of Python")),
)
"""What a file begins with, and what is said of it."""

_ENDINGS = {
    ".nsys-rep": _PROFILE.format("Nsight Systems"),
    ".qdrep": _PROFILE.format("Nsight Systems"),
    ".qdstrm": _PROFILE.format("Nsight Systems"),
    ".ncu-rep": _PROFILE.format("Nsight Compute"),
    ".xplane.pb": "is an XPlane; open the trace.json.gz that lies beside it",
}
"""What the name ends in, where the bytes are no JSON and do not tell."""

_PICKLE = re.compile(
    rb"""\x80[\x02-\x05]                                # the protocol is told from 2 on
    | \(*(?:
        [dl](?:p\d+)?\r?\n                            # 0: a dict or list
      | [}\]](?:q[\x00-\x08]|\(|\.\Z)                  # 1: a dict or list
      | [ci][A-Za-z_][\w.]*\r?\n[A-Za-z_]\w*\r?\n      # both: a class
        (?:p\d+\r?\n|q[\x00-\x08]|\()
      | I-?\d+\r?\n | K[\x00-\x1f] | X..\x00\x00      # a number, a text
    )""",
    re.VERBOSE | re.DOTALL,
)
_MARK = re.compile(rb"\xff\xfe|\xfe\xff|\x00\x00\xfe\xff")
_LITTLE = re.compile(rb'[\[{](?:\x00|\x00{3})[\s"\[{\]}]')
_BIG = re.compile(rb"(?:\x00|\x00{3})[\[{]\x00")
_HOLLOW = re.compile(rb"[\s\x00]{%d}" % HEAD)
_HTML = re.compile(rb"\s*<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
_XML = re.compile(rb"\s*<(?:\?xml|svg)\b", re.IGNORECASE)
_TABLE = re.compile(rb"\s*-{5}[\s\S]*# of Calls")
_EVENT_FILE = b"brain.Event:"
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def other_kind(head: bytes, path: str) -> str | None:
    """What is said of text that begins with `head`, or None where it may be a trace's.

    The line follows the file's name: `is packed with xz; unpack it first`.
    """
    for start, said in _STARTS:
        if head.startswith(start):
            return said
    for look in _LOOKS:
        if (told := look(head)) is not None:
            return told
    if head.lstrip(b" \t\r\n\x00\xef\xbb\xbf")[:1] in (b"{", b"["):
        return None
    name = PurePath(path).name.lower()
    return next((said for ending, said in _ENDINGS.items() if name.endswith(ending)), None)


def _zip(head: bytes) -> str | None:
    if not head.startswith(b"PK\x03\x04"):
        return None
    if b"/data.pkl" in head or b"/byteorder" in head:
        return _DATA.format("what torch.save wrote")
    return _ARCHIVE.format("zip")


def _tar(head: bytes) -> str | None:
    return _ARCHIVE.format("tar") if head[257:262] == b"ustar" else None


def _sqlite(head: bytes) -> str | None:
    if not head.startswith(b"SQLite format 3\x00"):
        return None
    return "is an SQLite database (of Nsight Systems?); profile with torch.profiler"


def _pickle(head: bytes) -> str | None:
    if not _PICKLE.match(head):
        return None
    if b"segments" in head or b"device_traces" in head:
        return "is a snapshot of torch's memory; open it at pytorch.org/memory_viz"
    return _DATA.format("a pickle")


def _wide(head: bytes) -> str | None:
    if _MARK.match(head):
        order = ""
    elif _LITTLE.match(head):
        order = "LE"
    elif _BIG.match(head):
        order = "BE"
    else:
        return None
    name = f"UTF-{32 if bytes(2) in head[:4] else 16}{order}"
    return f"is {name} text; a trace is UTF-8: iconv -f {name} -t UTF-8"


def _event_file(head: bytes) -> str | None:
    if _EVENT_FILE not in head[:64]:
        return None
    return "is an event file of TensorBoard; the trace lies beside it, as .pt.trace.json"


def _protobuf(head: bytes) -> str | None:
    """Perfetto's packets, or an XPlane: both are field 1, length first, over and over."""
    if head[:1] != b"\x0a" or not _CONTROL.search(head, 1):
        return None
    length, at = _varint(head, 1)
    inside = head[at : at + length]
    # A message begins with a tag: no group, and no field 0.
    if not inside or inside[0] & 7 not in (0, 1, 2, 5) or inside[0] < 8:
        return None
    following = head[at + length : at + length + 1]
    if following not in (b"", b"\x0a"):
        return None
    if re.search(rb"/(?:host|device):", head):
        return _ENDINGS[".xplane.pb"]
    return "is a binary trace of Perfetto; open it at ui.perfetto.dev"


def _varint(head: bytes, at: int) -> tuple[int, int]:
    """The number that is written at `at`, seven bits a byte, and where it ends."""
    value = 0
    for place, byte in enumerate(head[at : at + 10]):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    return 0, at


def _hollow(head: bytes) -> str | None:
    if not _HOLLOW.match(head):
        return None
    return "begins with nothing but blanks or zeros; it was not written whole (a full disk?)"


def _markup(head: bytes) -> str | None:
    if _HTML.match(head):
        return "is a web page (a login or an error?); download the file itself"
    return _DATA.format("XML") if _XML.match(head) else None


def _table(head: bytes) -> str | None:
    return _DATA.format("the printed table of a profile") if _TABLE.match(head) else None


_LOOKS: tuple[Callable[[bytes], str | None], ...] = (
    *(_zip, _tar, _sqlite, _wide, _event_file, _protobuf, _pickle, _markup, _table, _hollow),
)
