"""What a file may be packed in, called, or turn out not to be."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import zstandard
from builders import cpu_op, thread_name, trace_text, write_text, write_trace

from attntui.errors import InputError
from attntui.trace import load, read_event

EVENTS = [cpu_op(f"op{number}", 10 * number, 5) for number in range(20)]
TEXT = trace_text(EVENTS, traceName="t").encode()


def kinds(trace) -> list[str]:
    return [notice.kind for notice in trace.notices if not notice.kind.startswith("no_")]


@pytest.mark.parametrize(
    "name", ["t.json", "t.json.gz", "t.json.tmp", "t", "my trace ümlaut 日.pt"]
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_packing_is_told_from_the_bytes_not_the_name(tmp_path: Path, name: str, pack) -> None:
    path = tmp_path / name
    path.write_bytes(pack(TEXT))
    trace = load(path)
    assert trace.events == len(trace) == 20
    assert [trace.name_of(row) for row in (0, 19)] == ["op0", "op19"]
    assert read_event(trace, 19) == EVENTS[19]
    assert trace.path == str(path)
    assert kinds(trace) == []


def test_standard_input_is_kept_for_the_details(tmp_path: Path) -> None:
    code = (
        "from attntui.trace import load, read_event; t = load('-');"
        "print(len(t), read_event(t, 3)['name'], t.path)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=gzip.compress(TEXT), capture_output=True, check=True
    )
    assert done.stdout.split() == [b"20", b"op3", b"-"]


def test_a_pipe_opens_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(TEXT,))
    writer.start()
    trace = load(pipe)
    writer.join()
    assert read_event(trace, 7)["name"] == "op7"


def test_a_zstd_file_without_the_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.json.zst"
    path.write_bytes(zstandard.compress(TEXT))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError, match=r"pip install 'attntui\[zstd\]'"):
        load(path)


def test_of_several_whole_traces_the_first_opens(tmp_path: Path) -> None:
    other = trace_text([cpu_op("other", 0, 1)]).encode()
    path = tmp_path / "ranks.json.gz"
    path.write_bytes(gzip.compress(TEXT) + gzip.compress(other) + gzip.compress(other))
    trace = load(path)
    assert len(trace) == 20
    (notice,) = [n for n in trace.notices if n.kind == "more_traces"]
    assert notice.count == 2


def test_one_trace_in_several_members_is_one_trace(tmp_path: Path) -> None:
    path = tmp_path / "blocks.json.gz"
    path.write_bytes(
        b"".join(gzip.compress(TEXT[at : at + 100]) for at in range(0, len(TEXT), 100))
    )
    trace = load(path)
    assert len(trace) == 20
    assert kinds(trace) == []
    assert [read_event(trace, row)["name"] for row in (0, 9, 19)] == ["op0", "op9", "op19"]


def test_bytes_after_a_gzip_stream_are_let_be(tmp_path: Path) -> None:
    path = tmp_path / "padded.json.gz"
    path.write_bytes(gzip.compress(TEXT) + bytes(1000))
    assert kinds(load(path)) == []


def test_text_after_the_trace_is_named(tmp_path: Path) -> None:
    trace = load(write_text(tmp_path, TEXT + b'{"events": []}'))
    assert len(trace) == 20
    assert kinds(trace) == ["trailing_text"]


def test_zeros_after_the_trace_are_let_be(tmp_path: Path) -> None:
    assert kinds(load(write_text(tmp_path, TEXT + bytes(512)))) == []


OTHER = trace_text([cpu_op("other", 0, 1)]).encode()
WRAPPED = b'{"job": {"name": "x", "tags": [{}]}, "result": {"more": 1, "profile": %b}, "ok": {}}'


@pytest.mark.parametrize(
    ("data", "more"),
    [
        (b"[%b]" % TEXT, 0),
        (b"[%b,\n %b, %b]\n" % (TEXT, OTHER, OTHER), 2),
        (b"%b\n%b\n" % (TEXT, OTHER), 1),
        (json.dumps(EVENTS).encode() + OTHER + b"[" + OTHER + b"]", 2),
        (WRAPPED % TEXT, 0),
        (b"[" + WRAPPED % TEXT + b"," + WRAPPED % OTHER + b"]", 1),
    ],
    ids=["a list of one", "a list", "lines", "lists", "nested", "a list of nested"],
)
def test_a_trace_among_others_or_in_another_object_opens(
    tmp_path: Path, data: bytes, more: int
) -> None:
    trace = load(write_text(tmp_path, data))
    assert len(trace) == 20
    assert [read_event(trace, row)["name"] for row in (0, 19)] == ["op0", "op19"]
    assert kinds(trace) == ["more_traces"] * bool(more)
    assert sum(n.count for n in trace.notices if n.kind == "more_traces") == more


def test_what_another_field_holds_is_no_nested_trace(tmp_path: Path) -> None:
    """The key stands after the object, not in it."""
    text = b'{"distributedInfo": {"rank": 3}, ' + TEXT[1:]
    trace = load(write_text(tmp_path, text))
    assert len(trace) == 20
    assert trace.metadata.raw["distributedInfo"] == {"rank": 3}


@pytest.mark.parametrize("end", [b"\n", b"", b"\r\n\n"])
@pytest.mark.parametrize("between", [b"\n", b"\r\n", b"\n\n"])
def test_lines_of_events_open(tmp_path: Path, between: bytes, end: bytes) -> None:
    lines = [json.dumps(cpu_op(f"op{n}", 10 * n, 5)).encode() for n in range(5000)]
    trace = load(write_text(tmp_path, between.join(lines) + end))
    assert len(trace) == trace.events == 5000
    assert kinds(trace) == []
    assert [read_event(trace, row)["name"] for row in (0, 4999)] == ["op0", "op4999"]


def test_lines_of_events_cut_short_open_to_the_cut(tmp_path: Path) -> None:
    lines = b"\n".join(json.dumps(cpu_op(f"op{n}", 10 * n, 5)).encode() for n in range(50))
    trace = load(write_text(tmp_path, lines[:-9]))
    assert (len(trace), kinds(trace)) == (49, ["truncated"])


REFUSED = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n ", "holds nothing"),
    "empty gzip": (gzip.compress(b""), "holds nothing"),
    "object": (b"{}", "empty JSON object"),
    "list": (b"[]", "holds no events"),
    "no events": (b'{"traceEvents": []}', "nothing was recorded"),
    "only names": (trace_text([thread_name("main")]).encode(), "nothing was recorded"),
    "events null": (b'{"traceEvents": null}', "no list"),
    "events object": (b'{"traceEvents": {"a": [1]}}', "no list"),
    "config": (b'{"model": "gpt", "layers": 12}', r"JSON without `traceEvents` \(model, layers\)"),
    "execution trace": (
        b'{"schema": "1.1.1-chakra.0.0.4", "nodes": [{"id": 1}]}',
        "execution trace",
    ),
    "numbers": (json.dumps(list(range(5000))).encode(), "no trace events"),
    "some numbers": (b"[1, 2, 3]", "none of its 3 entries is a trace event"),
    "plain objects": (
        b'[{"model": "a"}, {"model": "b"}]',
        "none of its 2 entries is a trace event",
    ),
    "lines of plain objects": (
        b'{"model": "a"}\n{"model": "b"}',
        r"without `traceEvents` \(model\)",
    ),
    "text": (b"hello", "not JSON"),
    "a word": (b"null", "not JSON"),
    "binary": (b"\x01\x02\x00\x00" * 9, "binary data"),
    "zip": (b"PK\x03\x04....", "zip archive"),
    "sqlite": (b"SQLite format 3\x00....", "SQLite"),
    "utf-16": (TEXT.decode().encode("utf-16"), "UTF-16"),
    "cut before events": (b'{"schemaVersion": 1, "deviceProp', "cut off before"),
    "cut in a field": (b'{"schemaVersion": 1, "traceName": "a', "no `traceEvents` list"),
    "cut in the first event": (TEXT[:60], "cut off before its first whole event"),
    "gzip of garbage": (b"\x1f\x8b\x08\x00" + b"\xff" * 50, "corrupt"),
    "gzip cut at once": (gzip.compress(TEXT)[:15], "cut short"),
    "zstd of garbage": (b"\x28\xb5\x2f\xfd" + b"\xff" * 50, "corrupt"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_trace_is_refused_in_one_line(tmp_path: Path, case: str) -> None:
    data, why = REFUSED[case]
    path = tmp_path / "input"
    path.write_bytes(data)
    with pytest.raises(InputError, match=why) as refused:
        load(path)
    line = str(refused.value)
    assert line.startswith(str(path))
    assert "\n" not in line


def test_a_directory_or_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory"):
        load(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "absent.json")
    with pytest.raises(InputError, match="not a directory"):
        load(write_trace(tmp_path, EVENTS) / "below")


def test_an_unreadable_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match="permission denied"):
        load(tmp_path / "secret.json")


def test_an_open_trace_survives_its_file_being_replaced(tmp_path: Path) -> None:
    path = write_trace(tmp_path, EVENTS)
    trace = load(path)
    other = write_trace(tmp_path, [cpu_op("other", 0, 1)] * 40, "new.json")
    other.replace(path)
    assert read_event(trace, 5) == EVENTS[5]
    assert load(path).name_of(0) == "other"


def test_details_of_a_file_overwritten_in_place_are_absent(tmp_path: Path) -> None:
    path = write_trace(tmp_path, EVENTS)
    trace = load(path)
    with path.open("r+b") as file:
        file.truncate(10)
    assert read_event(trace, 5) == {}


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_details_are_read_from_anywhere_in_a_long_file(tmp_path: Path, pack) -> None:
    filler = {"note": "x" * 2000}
    events = [cpu_op(f"op{n}", 10 * n, 5, args=filler) for n in range(6000)]
    path = tmp_path / "long"
    path.write_bytes(pack(trace_text(events).encode()))
    trace = load(path)
    for row in (5999, 0, 4100, 2050, 2051):
        assert read_event(trace, row) == events[row]


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    assert len(load(write_text(tmp_path, b"\xef\xbb\xbf" + TEXT))) == 20


def test_gzip_header_with_a_name_opens(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with gzip.GzipFile("trace.json", "wb", fileobj=packed) as file:
        file.write(TEXT)
    assert len(load(write_text(tmp_path, packed.getvalue()))) == 20
