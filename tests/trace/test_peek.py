"""Which files hold a trace, told by how they begin, whatever they are called."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from builders import kernel, trace_text

from attntui.trace.peek import holds_trace

TRACE = trace_text([kernel("k", 0, 1)])


@pytest.mark.parametrize(
    ("name", "data", "is_one"),
    [
        ("trace.json", TRACE.encode(), True),
        ("trace", TRACE.encode(), True),
        ("trace.json", gzip.compress(TRACE.encode(), mtime=0), True),
        ("trace.json.gz", b"\xef\xbb\xbf \n" + TRACE.encode(), True),
        ("list.json", b'[{"name": "k", "ph": "X", "ts": 1, "dur": 1}]', True),
        ("cut.json", TRACE.encode()[:60], True),
        ("report.json", b'{"ph": 7, "events": []}', False),
        ("report.json", b'{"traceEvents": "see trace.json"}', False),
        ("list.json", b'[{"name": "k"}, {"name": "ph"}]', False),
        ("numbers.json", b"[1, 2, 3]", False),
        ("notes.json", b'say "traceEvents": [', False),
        ("empty.json", b"", False),
        ("broken.json.gz", b"\x1f\x8bnothing", False),
        ("archive.json.zip", b"PK\x03\x04" + TRACE.encode(), False),
    ],
)
def test_the_first_bytes_decide(tmp_path: Path, name: str, data: bytes, is_one: bool) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert holds_trace(str(path)) is is_one


def test_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    assert not holds_trace(str(tmp_path / "nowhere.json"))
    assert not holds_trace(str(tmp_path))
