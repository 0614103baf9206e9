"""Text that is broken or odd: whole events stay, and a notice says what was not."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

import numpy as np
import pytest
from builders import cpu_op, trace_text, write_text

from attntui.trace import Trace, chunks, load, read_event

EVENTS = [
    cpu_op(f"op{n}", 10 * n, 5, args={"list": [{"a": [n]}, {"b": "}, {"}]}) for n in range(50)
]


def notices(trace: Trace) -> dict[str, int]:
    return {n.kind: n.count for n in trace.notices if not n.kind.startswith("no_")}


def names(trace: Trace) -> list[str]:
    return [trace.name_of(row) for row in range(len(trace))]


def all_but(*left_out: int) -> list[str]:
    return [f"op{n}" for n in range(50) if n not in left_out]


def with_text(replaced: dict[int, str], **top_level: object) -> str:
    """A trace with the text of some events replaced."""
    events = [replaced.get(n, json.dumps(event)) for n, event in enumerate(EVENTS)]
    fields = "".join(f", {json.dumps(k)}: {json.dumps(v)}" for k, v in top_level.items())
    return '{"traceEvents": [\n' + ",\n".join(events) + "\n]" + fields + "}"


@pytest.mark.parametrize("share", [0.3, 0.5, 0.77, 0.999])
def test_a_file_cut_short_opens_to_the_cut(tmp_path: Path, share: float) -> None:
    text = trace_text(EVENTS)
    cut = int(len(text) * share)
    whole = sum(text.find(json.dumps(event)) + len(json.dumps(event)) <= cut for event in EVENTS)
    trace = load(write_text(tmp_path, text[:cut]))
    assert names(trace) == all_but()[:whole]
    (notice,) = [n for n in trace.notices if n.kind == "truncated"]
    assert f"byte {cut:,}" in notice.example


@pytest.mark.parametrize("tail", ["", "}", "]", "\n]", "]}"])
def test_missing_or_present_closing_brackets(tmp_path: Path, tail: str) -> None:
    text = '{"traceEvents": [' + ",".join(map(json.dumps, EVENTS)) + tail
    trace = load(write_text(tmp_path, text))
    assert names(trace) == all_but()
    assert ("truncated" in notices(trace)) == (tail != "]}")


def test_gzip_cut_short_opens_to_the_cut(tmp_path: Path) -> None:
    packed = gzip.compress(trace_text(EVENTS * 40).encode())
    trace = load(write_text(tmp_path, packed[: len(packed) // 2], "t"))
    assert 0 < len(trace) < 2000
    assert set(notices(trace)) == {"truncated", "damaged"}


def test_gzip_corrupt_in_the_middle_opens_to_the_damage(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    events = [cpu_op(rng.bytes(30).hex(), n, 1) for n in range(20_000)]
    packed = bytearray(gzip.compress(trace_text(events).encode()))
    middle = len(packed) // 2
    packed[middle : middle + 2000] = rng.bytes(2000)
    trace = load(write_text(tmp_path, bytes(packed), "t"))
    assert 1000 < len(trace) < 20_000
    assert "damaged" in notices(trace)
    assert read_event(trace, 900) == events[900]


def test_a_wrong_checksum_is_said(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(trace_text(EVENTS).encode()))
    packed[-8] ^= 1
    trace = load(write_text(tmp_path, bytes(packed), "t"))
    assert names(trace) == all_but()
    assert notices(trace) == {"damaged": 1}


LAYOUTS = {
    "list": lambda events, meta: json.dumps(events),
    "list without end": lambda events, meta: json.dumps(events)[:-1],
    "events first": lambda events, meta: json.dumps({"traceEvents": events, **meta}),
    "events last": lambda events, meta: json.dumps({**meta, "traceEvents": events}),
    "events between": lambda events, meta: json.dumps({"a": 1, "traceEvents": events, **meta}),
    "minified": lambda events, meta: json.dumps(
        {"traceEvents": events, **meta}, separators=(",", ":")
    ),
    "indented": lambda events, meta: json.dumps({**meta, "traceEvents": events}, indent=4),
    "windows lines": lambda events, meta: json.dumps(
        {**meta, "traceEvents": events}, indent=2
    ).replace("\n", "\r\n"),
    "trailing comma": lambda events, meta: trace_text(events, **meta).replace("\n]", ",\n]"),
    "stray commas": lambda events, meta: trace_text(events, **meta).replace(",\n  {", ",,,\n  {"),
    "tabs": lambda events, meta: json.dumps({"traceEvents": events, **meta}, indent="\t"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [1, 2, 50, 3000])
def test_every_layout_opens_the_same(tmp_path: Path, layout: str, count: int) -> None:
    events = (EVENTS * 60)[:count]
    meta = {"displayTimeUnit": "ms", "deviceProperties": [{"id": 0, "name": "H"}, {"id": 1}]}
    trace = load(write_text(tmp_path, LAYOUTS[layout](events, meta)))
    assert trace.events == len(trace) == count
    if not layout.startswith("list"):
        assert trace.metadata.display_time_unit == "ms"
        assert [device.name for device in trace.metadata.devices] == ["H", None]
    row = count // 2
    assert read_event(trace, row)["name"] == trace.name_of(row)


def test_the_separator_may_change_within_a_file(tmp_path: Path) -> None:
    parts = [",\n".join(map(json.dumps, EVENTS)), ",".join(map(json.dumps, EVENTS))]
    text = '{"traceEvents": [' + " , ".join(parts * 3000) + "]}"
    trace = load(write_text(tmp_path, text))
    assert len(trace) == 300_000
    rows = range(0, 300_000, 30_001)
    assert [read_event(trace, row)["name"] for row in rows] == [trace.name_of(row) for row in rows]


@pytest.mark.parametrize("where", ["before", "after"])
def test_huge_metadata_opens(tmp_path: Path, where: str) -> None:
    large = {"big": [{"x": "y" * 50}] * 60_000}
    huge = {"huge": "z" * (17 << 20)}
    meta = {**large, **huge, "displayTimeUnit": "ms"}
    fields = {"traceEvents": EVENTS}
    both = {**meta, **fields} if where == "before" else {**fields, **meta}
    trace = load(write_text(tmp_path, json.dumps(both)))
    assert names(trace) == all_but()
    assert trace.metadata.display_time_unit == "ms"
    assert len(trace.metadata.raw["big"]) == 60_000
    assert notices(trace) == {"large_field": 1}


def test_of_two_lists_of_events_the_last_counts(tmp_path: Path) -> None:
    first = json.dumps([cpu_op("old", 0, 1)] * 1000 + [5])
    text = f'{{"traceEvents": {first}, "a": 1, "traceEvents": {json.dumps(EVENTS)}, "a": 2}}'
    trace = load(write_text(tmp_path, text))
    assert names(trace) == all_but()
    assert trace.events == 50
    assert trace.metadata.raw["a"] == 2
    assert notices(trace)["duplicate_key"] == 1


def test_the_last_of_a_key_counts_within_an_event(tmp_path: Path) -> None:
    text = '[{"ph": "i", "ph": "X", "name": "a", "ts": 1, "dur": 1, "ts": 5, "name": "b"}]'
    trace = load(write_text(tmp_path, text))
    assert (trace.name_of(0), trace.metadata.origin_ns) == ("b", 5000)


def test_decoys_of_the_key_are_no_lists(tmp_path: Path) -> None:
    decoys = {
        "note": 'x "traceEvents": [{"ph": "X"}] y',
        "nested": {"traceEvents": [cpu_op("decoy", 0, 1)]},
    }
    text = json.dumps({**decoys, "traceEvents": EVENTS, "after": decoys})
    assert names(load(write_text(tmp_path, text))) == all_but()


def test_fields_damaged_before_the_events_are_passed_over(tmp_path: Path) -> None:
    for damage in ('"a": "x"y", ', '"path": "C:\\", ', "a: 1, ", '"a" 1, ', '"open": "'):
        text = "{" + damage + trace_text(EVENTS, traceName="t")[1:]
        trace = load(write_text(tmp_path, text))
        assert names(trace) == all_but(), damage
        assert notices(trace)["bad_metadata"] == 1, damage


def test_fields_damaged_after_the_events_are_passed_over(tmp_path: Path) -> None:
    text = trace_text(EVENTS)[:-2] + ', "a": "x"y", "b": 1}'
    trace = load(write_text(tmp_path, text))
    assert names(trace) == all_but()
    assert notices(trace) == {"bad_metadata": 1}


def odd(name: str, **more: object) -> str:
    """The text of event 20 with its name written as given."""
    event = json.dumps({**EVENTS[20], **more})
    return event.replace('"op20"', f'"{name}"')


MENDED = {
    "newline": (odd("a\nb"), "a\nb"),
    "control": (odd("a\x01\x1b[2Jb"), "a\x01\x1b[2Jb"),
    "nul": (odd("a\x00b"), "a\x00b"),
    "windows path": (odd(r"C:\site\a.py"), r"C:\site\a.py"),
    "short unicode escape": (odd(r"a\u12"), r"a\u12"),
    "surrogate": (odd(r"a\ud800b"), "a\ufffdb"),
    "low surrogate": (odd(r"a\udc00"), "a\ufffd"),
    "surrogate pair": (odd(r"a\ud83d\ude00"), "a😀"),
    "trailing comma": (odd("op20")[:-1] + ",}", "op20"),
    "number": (odd("op20").replace('"op20"', "17"), "17"),
    "null": (odd("op20").replace('"op20"', "null"), ""),
    "list": (odd("op20").replace('"op20"', "[1]"), "[1]"),
}


@pytest.mark.parametrize("case", MENDED)
def test_an_odd_name_is_mended(tmp_path: Path, case: str) -> None:
    text, name = MENDED[case]
    trace = load(write_text(tmp_path, with_text({20: text}, displayTimeUnit="ms")))
    assert names(trace) == [*all_but()[:20], name, *all_but()[21:]]
    assert trace.metadata.display_time_unit == "ms"
    assert notices(trace) == {}
    assert read_event(trace, 20)["ts"] == 200
    trace.name_of(20).encode()


def test_bytes_that_are_no_utf8_are_mended(tmp_path: Path) -> None:
    text = with_text({20: odd("a@b")}).encode().replace(b"a@b", b"a\xff\xc3b")
    trace = load(write_text(tmp_path, text))
    assert trace.name_of(20) == "a\ufffd\ufffdb"
    assert read_event(trace, 20)["name"] == "a\ufffd\ufffdb"


BROKEN = {
    "one quote": odd('x"y'),
    "two quotes": odd('x "y" z'),
    "quote and brace": odd('x"} y'),
    "path with a last backslash": odd("C:\\site\\"),
    "no value": odd("op20").replace('"op20"', ""),
    "no colon": odd("op20").replace('"name":', '"name"'),
    "a scalar": "17",
    "a string": '"},{"',
    "a list": "[{}, {}]",
    "a word": "NaN",
    "nothing": "null",
    "too deep": odd("op20").replace('"op20"', "[" * 5000 + "]" * 5000),
    "brackets crossed": odd("op20").replace('"op20"', "{]"),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("place", [20, 0, 49])
def test_a_broken_event_is_left_out_alone(tmp_path: Path, case: str, place: int) -> None:
    text = with_text({place: BROKEN[case]}, displayTimeUnit="ms")
    trace = load(write_text(tmp_path, text))
    assert names(trace) == all_but(place)
    assert trace.events == 50
    assert notices(trace) == {"bad_event": 1}
    assert trace.metadata.display_time_unit == "ms"
    assert [read_event(trace, row)["name"] for row in (0, 25, 48)] == [
        trace.name_of(row) for row in (0, 25, 48)
    ]


@pytest.mark.parametrize("place", [20, 0, 48])
def test_a_name_that_seems_to_end_the_list(tmp_path: Path, place: int) -> None:
    text = with_text({place: odd('x"}], y')}, displayTimeUnit="ms")
    trace = load(write_text(tmp_path, text))
    assert names(trace) == all_but(place)
    assert notices(trace) == {"bad_event": 1}
    assert trace.metadata.display_time_unit == "ms"


def test_many_broken_events_far_apart(tmp_path: Path) -> None:
    good = json.dumps(cpu_op("good", 1, 1, args={"x": "y" * 300}))
    broken = good.replace("good", 'go"od')
    text = "[" + ",\n".join([*[good] * 2000, broken] * 5) + "]"
    trace = load(write_text(tmp_path, text))
    assert len(trace) == 10_000
    assert notices(trace) == {"bad_event": 5}


def test_a_list_of_broken_events_ends(tmp_path: Path) -> None:
    broken = json.dumps(cpu_op('go"od', 1, 1)).replace('\\"', '"')
    text = "[" + ",\n".join([json.dumps(EVENTS[0]), *[broken] * 20_000]) + "]"
    trace = load(write_text(tmp_path, text))
    assert names(trace) == ["op0"]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "nan", "inf", "-inf"])
def test_numbers_that_are_none_are_absent(tmp_path: Path, word: str) -> None:
    args = {"a": 1, "correlation": 2, "bandwidth": 3, 'quoted \\": NaN, "': 4}
    text = json.dumps({**EVENTS[20], "args": args})
    for number in (1, 2, 3):
        text = text.replace(f'": {number},', f'": {word},')
    trace = load(write_text(tmp_path, with_text({20: text})))
    assert names(trace) == all_but()
    assert notices(trace) == {}
    assert read_event(trace, 20)["args"]["bandwidth"] is None


def test_words_in_numeric_fields_are_absent(tmp_path: Path) -> None:
    words = {"External id": "inf", "correlation": "N/A", "device": "-", "Sequence number": [1]}
    trace = load(write_text(tmp_path, with_text({20: odd("op20", args=words)})))
    assert names(trace) == all_but()
    assert trace.columns.external_id[20] == trace.columns.sequence[20] == -1


@pytest.mark.parametrize("args", [None, [], "text", 5, True, [{"}": "]"}], {"}{][": "]}"}])
def test_args_of_any_kind_open(tmp_path: Path, args: object) -> None:
    trace = load(write_text(tmp_path, with_text({20: odd("op20", args=args)})))
    assert names(trace) == all_but()
    assert notices(trace) == {}
    assert read_event(trace, 20)["args"] == args


def test_missing_args_open(tmp_path: Path) -> None:
    event = {key: value for key, value in EVENTS[20].items() if key != "args"}
    trace = load(write_text(tmp_path, with_text({20: json.dumps(event)})))
    assert names(trace) == all_but()


def test_a_long_event_opens(tmp_path: Path) -> None:
    long = odd("op20", args={"list": [{"n": n, "s": "},\n{"} for n in range(60_000)]})
    trace = load(write_text(tmp_path, with_text({20: long})))
    assert names(trace) == all_but()
    assert notices(trace) == {}
    assert len(read_event(trace, 20)["args"]["list"]) == 60_000


@pytest.mark.parametrize("filler", ['"args": {"s": "%s"}', '"args": {"s": [%s1]}'])
def test_an_event_too_long_to_hold_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filler: str
) -> None:
    monkeypatch.setattr(chunks, "LARGEST_EVENT", 1 << 20)
    inside = r"\"x\\" if '"%s"' in filler else "[1],"
    long = '{"ph": "X", ' + filler % (inside * (1 << 20)) + "}"
    trace = load(write_text(tmp_path, with_text({20: long}, displayTimeUnit="ms")))
    assert names(trace) == all_but(20)
    assert notices(trace) == {"large_event": 1}
    assert trace.metadata.display_time_unit == "ms"


def test_a_long_event_that_is_cut_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "LARGEST_EVENT", 1 << 20)
    text = with_text({49: '{"ph": "X", "name": "' + "x" * (4 << 20)})
    trace = load(write_text(tmp_path, text))
    assert names(trace) == all_but(49)
    assert "truncated" in notices(trace)


def test_a_bomb_of_blanks_takes_no_memory(tmp_path: Path) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    blanks = packer.compress(b"[") + b"".join(packer.compress(b" " * (1 << 20)) for _ in range(64))
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(blanks + packer.compress(json.dumps(EVENTS)[1:].encode()) + packer.flush())
    assert names(load(path)) == all_but()
