"""Files that are no traces: each is named, with what to do, and never unpickled."""

from __future__ import annotations

import bz2
import collections
import gzip
import io
import json
import lzma
import pickle
import sqlite3
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard
from builders import cpu_op, trace_text

from attntui.errors import InputError
from attntui.trace import load

TRACE = trace_text([cpu_op("op", 0, 5)])
BYTES = TRACE.encode()
SNAPSHOT = {
    "segments": [{"device": 0, "address": 140_000_000, "blocks": []}],
    "device_traces": [[{"action": "alloc", "size": 512}]],
    "allocator_settings": {},
}


def zipped(name: str, data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(name, data)
    return made.getvalue()


def tarred(mode: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:
        entry = tarfile.TarInfo("rank0/trace.json")
        entry.size = len(BYTES)
        archive.addfile(entry, io.BytesIO(BYTES))
    return made.getvalue()


def message(*fields: tuple[int, bytes | int]) -> bytes:
    """A protobuf message of numbers and of bytes, by field."""
    made = b""
    for number, value in fields:
        if isinstance(value, int):
            made += varint(number << 3) + varint(value)
        else:
            made += varint(number << 3 | 2) + varint(len(value)) + value
    return made


def varint(value: int) -> bytes:
    made = b""
    while value >= 0x80:
        made += bytes([value & 0x7F | 0x80])
        value >>= 7
    return made + bytes([value])


PACKETS = [message((8, 10**12 + n), (10, 1), (11, b"\x08\x01name")) for n in range(9)]
PERFETTO = message(*((1, packet) for packet in PACKETS))
XPLANE = message((1, message((1, 2), (2, b"/host:CPU"), (3, b"\x08\x01"))))
EVENT_FILE = struct.pack("<QI", 24, 77) + b"\x09" + bytes(8) + b"\x1a\x0dbrain.Event:2"
TABLE = f"""{"-" * 55}  {"-" * 12}  {"-" * 12}  {"-" * 12}
{"Name":>55}  {"Self CPU %":>12}  {"Self CPU":>12}  {"# of Calls":>12}
{"-" * 55}  {"-" * 12}  {"-" * 12}  {"-" * 12}
{"aten::mm":>55}  {"99.0%":>12}  {"1.000ms":>12}  {"9":>12}
"""
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
LZ4 = b"\x04\x22\x4d\x18\x64\x40\xa7" + BYTES[:40]
NODES = {"pid": 1, "time": "2026", "start_ts": 7, "nodes": [{"id": 1, "name": "[root]"}]}

REFUSED = {
    "bzip2": (bz2.compress(BYTES), "is packed with bzip2; unpack it first"),
    "xz": (lzma.compress(BYTES), "is packed with xz; unpack it first"),
    "lzma": (lzma.compress(BYTES, lzma.FORMAT_ALONE), "is packed with lzma; unpack it"),
    "lz4": (LZ4, "is packed with lz4; unpack it"),
    "gzip in gzip": (gzip.compress(gzip.compress(BYTES)), "is packed twice; unpack it once"),
    "zstd in gzip": (gzip.compress(zstandard.compress(BYTES)), "is packed twice"),
    "gzip in zstd": (zstandard.compress(gzip.compress(BYTES)), "is packed twice"),
    "zip": (zipped("trace.json", BYTES), "is a zip archive; unpack it and open the trace in it"),
    "empty zip": (b"PK\x05\x06" + bytes(18), "is a zip archive"),
    "torch.save": (zipped("archive/data.pkl", b"\x80\x02}q\x00."), "what torch.save wrote"),
    "tar": (tarred("w"), "is a tar archive; unpack it and open the trace in it"),
    "tar.gz": (tarred("w:gz"), "is a tar archive"),
    "parquet": (b"PAR1\x15\x04\x15" + bytes(40), "a Parquet file"),
    "arrow": (b"ARROW1\x00\x00\xff\xff\xff\xff", "an Arrow file"),
    "ncu": (b"NVR\x00\x10\x00\x00\x00", "a report of Nsight Compute"),
    "perfetto": (PERFETTO, "a binary trace of Perfetto; open it at ui.perfetto.dev"),
    "perfetto.gz": (gzip.compress(PERFETTO), "a binary trace of Perfetto"),
    "a large packet": (message((1, message((8, 5), (11, bytes(9000))))), "trace of Perfetto"),
    "xplane": (XPLANE, "is an XPlane"),
    "event file": (EVENT_FILE, "an event file of TensorBoard"),
    "git lfs": (LFS, "run git lfs pull"),
    "web page": (b"\n<!DOCTYPE html>\n<html><body>Sign in", "is a web page"),
    "web page, bare": (b'<html lang="en">', "is a web page"),
    "xml": (b'<?xml version="1.0"?><a/>', "is XML"),
    "table": (TABLE.encode(), "the printed table of a profile"),
    "averages": (b"[<FunctionEventAvg key=aten::mm self_cpu_time=1.0us>", "printed averages"),
    "empty gzip": (gzip.compress(b""), "holds nothing"),
    "execution trace": (json.dumps(NODES).encode(), "is an execution trace"),
    "execution trace 2": (json.dumps({"schema": "1.0.1", **NODES}).encode(), "execution trace"),
}
WIDE = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")
PICKLED = [{}, [], {"a": 1}, [1.5], (1, 2), collections.OrderedDict(a=1), frozenset("a")]


def refusal(path: Path, data: bytes) -> str:
    """The line that a file of these bytes is refused with, less its name."""
    path.write_bytes(data)
    with pytest.raises(InputError) as refused:
        load(path)
    line = str(refused.value)
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    return line.removeprefix(f"{path}: ")


@pytest.mark.parametrize("case", REFUSED)
def test_another_kind_is_named_with_what_to_do(tmp_path: Path, case: str) -> None:
    data, said = REFUSED[case]
    assert said in refusal(tmp_path / "trace.json", data)


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("value", PICKLED, ids=repr)
def test_a_pickle_of_every_protocol_is_told(tmp_path: Path, value: object, protocol: int) -> None:
    data = pickle.dumps(value, protocol)
    assert "is a pickle" in refusal(tmp_path / "trace.pickle", data)
    assert "is a pickle" in refusal(tmp_path / "trace.pickle.gz", gzip.compress(data))


@pytest.mark.parametrize("protocol", range(6))
def test_a_snapshot_of_memory_is_told_from_other_pickles(tmp_path: Path, protocol: int) -> None:
    said = refusal(tmp_path / "snapshot.pickle", pickle.dumps(SNAPSHOT, protocol))
    assert said == "is a snapshot of torch's memory; open it at pytorch.org/memory_viz"


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_is_never_unpickled(tmp_path: Path, protocol: int) -> None:
    trap = tmp_path / "sprung"
    assert "is a pickle" in refusal(tmp_path / "t", pickle.dumps(Trap(trap), protocol))
    assert not trap.exists()
    pickle.loads(pickle.dumps(Trap(trap), protocol))
    assert trap.exists()


@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize("text", [TRACE, json.dumps([cpu_op("op", 0, 5)]), json.dumps({"a": 1})])
def test_wide_text_is_told_with_how_to_narrow_it(tmp_path: Path, encoding: str, text: str) -> None:
    said = refusal(tmp_path / "trace.json", text.encode(encoding))
    name = encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
    assert said == f"is {name} text; a trace is UTF-8: iconv -f {name} -t UTF-8"


def test_a_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "report.sqlite"
    with sqlite3.connect(path) as made:
        made.execute("create table CUPTI_ACTIVITY_KIND_KERNEL (start integer)")
    assert "is an SQLite database" in refusal(path, path.read_bytes())


@pytest.mark.parametrize("name", ["run.nsys-rep", "RUN.QDREP", "run.qdstrm"])
def test_a_report_whose_bytes_do_not_tell_is_known_by_its_name(tmp_path: Path, name: str) -> None:
    said = refusal(tmp_path / name, b"\x13\x37\x00\x42" * 20)
    assert said.startswith("is a report of Nsight Systems")


@pytest.mark.parametrize(
    "data",
    [
        b"\n" + BYTES,
        b"\x00\x00\x00" + BYTES,
        b"\r\n\t " + BYTES,
        b"\xef\xbb\xbf\n" + BYTES,
        BYTES.replace(b'"op"', b'"brain.Event:2 ustar /host: # of Calls"'),
        BYTES.replace(b'"op"', b'"\x01\x02raw"'),
    ],
)
def test_a_trace_is_taken_for_no_other_kind(tmp_path: Path, data: bytes) -> None:
    for name in ("trace.json", "trace.nsys-rep"):
        path = tmp_path / name
        path.write_bytes(data)
        assert len(load(path)) == 1


@pytest.mark.parametrize(
    "text",
    ["hello", "(I am no pickle)", "config\nname\nquick\n", "import torch\n", "d\xe9j\xe0 vu"],
)
def test_other_text_is_called_no_more_than_it_is(tmp_path: Path, text: str) -> None:
    assert refusal(tmp_path / "notes", text.encode()).startswith("is not JSON")
