"""Bytes and files: what a trace may be packed in, cut from, or turn out not to be."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import zstandard
from builders import cpu_op, thread_name, trace_text

from .case import BASE, OTHER, TEXT, Case, and_more, changed, opens, refused

DATA = TEXT.encode()
LAST = json.dumps(BASE[-1])
KEPT_4 = {"events": 4, "rows": 4, "gpu_ops": 1, "linked": 1, "span_ns": 130_000, "busy_ns": 30_000,
          "idle_ns": 0}  # fmt: skip
"""The figures of `BASE` without its last kernel."""

CUT = DATA.index(LAST.encode()) + 60
"""Within the last kernel."""


def _corrupt_in_gzip() -> bytes:
    """What follows the cut is of a kind of block that there is not."""
    packer = zlib.compressobj(wbits=31)
    return packer.compress(DATA[:CUT]) + packer.flush(zlib.Z_FULL_FLUSH) + b"\x07" * 100


def _cut_in_gzip() -> bytes:
    packer = zlib.compressobj(wbits=31)
    return packer.compress(DATA[:CUT]) + packer.flush(zlib.Z_FULL_FLUSH)


def _unreadable(folder: Path) -> Path:
    """A loop of links: not even root reads it."""
    path = folder / "trace.json"
    path.symlink_to(path)
    return path


def _meta(**fields: object) -> str:
    return json.dumps({**fields, "traceEvents": BASE})


def _with(text: str) -> str:
    """The trace with the text of one more event, an op within the first."""
    return "[" + ", ".join([*map(json.dumps, BASE), text]) + "]"


ODD = json.dumps(cpu_op("%s", 5, 1, args="ARGS")).replace('"ARGS"', "%s")
ONE_MORE = {"events": 6, "rows": 6}


def _named(name: str) -> str:
    return _with(ODD % (name, "{}"))


def _args(args: str) -> str:
    return _with(ODD % ("odd", args))


LARGE = {"notes": [{"text": "y" * 50}] * 20_000}
LEFT_OUT = {"bad_event": 1}
BARE_WORDS = '{"External id": %s, "Sequence number": %s, "bandwidth": %s}'

PACKED = {
    "gzip, by another name": opens(gzip.compress(DATA)),
    "zstd, by another name": opens(zstandard.compress(DATA), name="trace.json.gz"),
    "plain, called gz": opens(DATA, name="trace.json.gz"),
    "json.tmp": opens(gzip.compress(DATA), name="t.json.tmp"),
    "blanks and signs in its name": opens(DATA, name="my [bold] trace ümlaut 日.json"),
    "several members of gzip": opens(
        gzip.compress(DATA) + gzip.compress(OTHER.encode()) * 2,
        notices={"more_traces": 2},
    ),
    "gzip cut short": opens(
        _cut_in_gzip(), "cut off", notices={"truncated": 1, "damaged": 1}, **KEPT_4
    ),
    "gzip corrupt in the middle": opens(
        _corrupt_in_gzip(), "is corrupt", notices={"truncated": 1, "damaged": 1}, **KEPT_4
    ),
    "plain, cut in an event": opens(
        DATA[:CUT], notices={"truncated": 1}, **KEPT_4
    ),
    "no closing bracket": opens(TEXT[: TEXT.rindex("]")], notices={"truncated": 1}),
    "no closing brace": opens(TEXT[: TEXT.rindex("}")], notices={"truncated": 1}),
    "a bomb of blanks": opens(gzip.compress(DATA.replace(b"[", b"[" + b" " * (32 << 20), 1))),
    "more than the memory holds": opens(
        trace_text(and_more(*(cpu_op(f"op{n}", 20, 1) for n in range(3000)))),
        "stopped after 3,004 events",
        notices={"memory": 1},
        memory=1 << 20,
        # The first batch: all but the last event, which ends the list.
        events=3004,
        rows=3004,
    ),
}  # fmt: skip

NOTHING = {
    "empty": refused("", "is empty"),
    "gzip of nothing": refused(gzip.compress(b""), "holds nothing"),
    "an empty object": refused("{}", "is an empty JSON object"),
    "an empty list": refused("[]", "holds no events"),
    "names alone": refused(trace_text([thread_name("main")]), "nothing was recorded"),
}

LAYOUTS = {
    "a list": opens(json.dumps(BASE)),
    "events first": opens(json.dumps({"traceEvents": BASE, "displayTimeUnit": "ms"})),
    "events between": opens(json.dumps({"a": 1, "traceEvents": BASE, "b": [2]})),
    "events last": opens(_meta(displayTimeUnit="ms")),
    "much before": opens(_meta(**LARGE)),
    "much after": opens(json.dumps({"traceEvents": BASE, **LARGE})),
    "one line": opens(json.dumps({"traceEvents": BASE}, separators=(",", ":"))),
    "stray commas": opens(TEXT.replace(",\n  {", ",,,\n  {")),
    "a trailing comma": opens(TEXT.replace("\n]", ",\n]")),
    "a key twice": opens(
        json.dumps({"traceEvents": [cpu_op("old", 0, 1)]})[:-1] + ", " + _meta()[1:],
        untold=("old",),
        notices={"duplicate_key": 1},
    ),
    "a list of traces": opens(f"[{TEXT}, {OTHER}, {OTHER}]", notices={"more_traces": 2}),
    "a trace within": opens(f'{{"job": {{"name": "x"}}, "result": {TEXT}}}'),
    "lines of events": opens("\n".join(map(json.dumps, BASE))),
    "lines of traces": opens(
        json.dumps({"traceEvents": BASE}) + "\n" + json.dumps({"traceEvents": BASE}),
        notices={"more_traces": 1},
    ),
}

NO_TRACES = {
    "a config": refused('{"model": "gpt", "layers": 12}', "without `traceEvents` (model, layers)"),
    "an execution trace": refused(
        '{"schema": "1.1.1", "pid": 1, "nodes": [{"id": 1}]}', "execution trace"
    ),
    "plain objects": refused('[{"a": 1}, {"a": 2}]', "none of its 2 entries is a trace event"),
    "a directory": refused(lambda folder: folder, "is a directory"),
    "a binary": refused(b"\x01\x02\x00\x00" * 9, "binary data"),
    "an unreadable file": refused(_unreadable, "too many levels of symbolic links"),
    "a missing file": refused(lambda folder: folder / "absent.json", "no such file"),
}

MENDED = {
    "a raw control": opens(_named("odd\x01\x1b[2J"), r"odd\x01\x1b[2J", **ONE_MORE),
    "a raw line end": opens(_named("odd\nname"), r"odd\nname", **ONE_MORE),
    "quotes unescaped": opens(_named('odd"name'), notices=LEFT_OUT, untold=("odd",), events=6),
    "a path with bad escapes": opens(_named(r"C:\site\a.py"), r"C:\site\a.py", **ONE_MORE),
    "bytes that are no UTF-8": opens(
        _named("odd@").encode().replace(b"@", b"\xff\xc3"), "odd\ufffd\ufffd", **ONE_MORE
    ),
    "a lone surrogate": opens(_named(r"odd\ud800"), "odd\ufffd", **ONE_MORE),
}

NUMBERS = {
    f"{word} for a number": opens(_args(BARE_WORDS % (word, word, word)), "odd", **ONE_MORE)
    for word in ("NaN", "Infinity", "-Infinity", "-inf", "nan", '"inf"', '"N/A"')
}

ARGS = {
    f"args {args}": opens(_args(args), "odd", **ONE_MORE)
    for args in ("null", "[]", '"text"', "7", '{"}": "]", "[{": {"a": [{}]}}')
} | {"no args": opens(changed(0, args=None))}

CASES: dict[str, Case] = PACKED | NOTHING | LAYOUTS | NO_TRACES | MENDED | NUMBERS | ARGS
