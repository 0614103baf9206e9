"""Traces damaged by chance. A mutant follows from one number, on any machine, at any time."""

from __future__ import annotations

import copy
import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from .samples import NAMES, sample_text

Trace = dict[str, Any]

NUMBERS: tuple[Any, ...] = (
    *(0, -1, 1, 2, 7, 2**15, 2**31 - 1, 2**31, 2**32, 2**53, 2**53 + 1, 2**61, 2**62, 2**63 - 1),
    *(2**63, 2**64, 10**30, -(2**31), -(2**53), -(2**63), 10**400),
    *(0.5, -0.5, 1e-300, 1e15, 1e18, 1e300, 1e308, -1e308),
    *(float("nan"), float("inf"), float("-inf")),
    *("0", "-1", "12.5", "1e308", "0x10", " 7 ", "nan", "9" * 30, ""),
)
"""Numbers at the edge of what 32 bits, 64 bits and a float hold, and text that may be one."""

TYPES: tuple[Any, ...] = (
    *(None, True, False, "", "text", [], {}, [[]], [1, 2, 3], {"a": 1}, [None], [{"a": []}]),
    *(0, -1, 1.5, "1", [[1, 2], [3, 4]], [-1, -1, -1], ["a", 1, None, [2]]),
)

NAMES_THAT_ACT = (
    *("\x1b[2J\x1b[31mred", "\x1b]52;c;ZXZpbA==\x07", "\x1b]0;title\x07", "\x9b2J", "\r\n\n"),
    *("\x00", "\u202eright to left", "\u2066\u2069", "zero\u200bwidth\u200d", "e\u0301" * 50),
    *("\U0001f468\u200d\U0001f469", "[red]markup[/red]", "[/]", "[@click=quit]x[/]", "\ud800"),
    *("{0}{key}{}", "%s%n", "x" * 10_000, "漢" * 300, "", " ", "../../etc", "::", "<"),
    *("ProfilerStep#", "ProfilerStep#99999999999999999999", "ProfilerStep#1", "aten::"),
    *("void a<b<c<d<", "aten::bmm", "aten::softmax", "cudaGraphLaunch", "cudaLaunchKernel"),
    *("flash_fwd_kernel", "ncclDevKernel_AllReduce", "triton_poi_fused_0", "[memory]", "Trace"),
    *("Memcpy DtoH (Device -> Pinned)", "Torch-Compiled Region: 0/0", "execute_context_1(3)"),
)

PHASES = (
    "X",
    "B",
    "E",
    "b",
    "e",
    "n",
    "s",
    "t",
    "f",
    "i",
    "I",
    "M",
    "C",
    "N",
    "O",
    "D",
    "P",
    "R",
    "?",
)
CATEGORIES = (
    *("cpu_op", "user_annotation", "python_function", "cuda_runtime", "cuda_driver", "kernel"),
    *(
        "gpu_memcpy",
        "gpu_memset",
        "gpu_user_annotation",
        "cuda_sync",
        "overhead",
        "Operator",
        "x",
        "",
    ),
)


@dataclass(frozen=True)
class Mutant:
    """A damaged trace: what was done to which sample, and the bytes of the file."""

    seed: int
    sample: str
    steps: tuple[str, ...]
    data: bytes

    @property
    def words(self) -> str:
        return f"seed {self.seed}: {self.sample}, {', '.join(self.steps) or 'as it is'}"


# Changes of the events


def _events(trace: Trace) -> list[Any]:
    found = trace.get("traceEvents")
    return found if isinstance(found, list) else []


def _some(rng: random.Random, trace: Trace) -> list[Any]:
    """Some events that are objects: one, a few, or all of a kind."""
    objects = [event for event in _events(trace) if isinstance(event, dict)]
    if not objects:
        return []
    one = rng.choice(objects)
    lot = rng.random()
    if lot < 0.6:
        return [one]
    if lot < 0.75:
        return rng.sample(objects, min(len(objects), rng.randint(2, 12)))
    kind = (one.get("ph"), str(one.get("cat")))
    return [event for event in objects if (event.get("ph"), str(event.get("cat"))) == kind]


def _one_of(rng: random.Random, values: Sequence[Any]) -> Any:
    """One of some values, its own copy: later changes may reach into it."""
    return copy.deepcopy(rng.choice(values))


Spot = tuple[Any, Any]
"""A dict or list, and a key of it."""


def _spots(value: Any, wanted: Callable[[Any], bool], depth: int = 6) -> Iterator[Spot]:
    """All places in a value that hold something wanted."""
    if not depth:
        return
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(entries):
        if wanted(inner):
            yield value, key
        if isinstance(inner, dict | list):
            yield from _spots(inner, wanted, depth - 1)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_time(value: Any) -> bool:
    """Whether a value can be reckoned with: no integer beyond all floats."""
    return _is_number(value) and abs(value) < 1e300


def _put(rng: random.Random, chosen: list[Any], wanted: Callable[[Any], bool], new: Any) -> str:
    """Puts a value (drawn anew for each, if it can be called) at one key of all chosen."""
    spots = [spot for event in chosen[:1] for spot in _spots(event, wanted)]
    if not spots:
        return ""
    holder, key = rng.choice(spots)
    holder[key] = new() if callable(new) else copy.deepcopy(new)
    for event in chosen[1:]:
        args = event.get("args")
        for other in (event, args if isinstance(args, dict) else {}):
            if key in other and wanted(other[key]):
                other[key] = new() if callable(new) else copy.deepcopy(new)
    return f"{key} of {len(chosen)}"


def number(rng: random.Random, trace: Trace) -> str:
    """A number at the edge of what can be."""
    value = rng.choice(NUMBERS)
    return f"number {_put(rng, _some(rng, trace), _is_number, value)} = {str(value)[:20]}"


def numbers(rng: random.Random, trace: Trace) -> str:
    """Numbers at the edge of what can be, another for each event."""
    where = _put(rng, _some(rng, trace), _is_number, lambda: rng.choice(NUMBERS))
    return f"numbers {where}"


def scaled(rng: random.Random, trace: Trace) -> str:
    """A key of events times a factor, plus something."""
    factor, offset = rng.choice([-1, 0, 1, 1e3, 1e9, 1e12, 1e-6]), rng.choice([0, 1, -5e6, 1e15])
    key = rng.choice(["ts", "dur"])
    chosen = _some(rng, trace)
    for event in chosen:
        if _is_time(event.get(key)):
            event[key] = event[key] * factor + offset
    return f"scaled {key} of {len(chosen)} by {factor:g}, {offset:+g}"


def kind(rng: random.Random, trace: Trace) -> str:
    """A value of another type."""
    value = _one_of(rng, TYPES)
    return f"type {_put(rng, _some(rng, trace), lambda _: True, value)} = {str(value)[:20]}"


def named(rng: random.Random, trace: Trace) -> str:
    """Text that would act on a terminal, or that means something."""
    value = rng.choice(NAMES_THAT_ACT)
    return (
        f"name {_put(rng, _some(rng, trace), lambda v: isinstance(v, str), value)} = {value[:12]!r}"
    )


def key(rng: random.Random, trace: Trace) -> str:
    """A key removed or renamed."""
    chosen = _some(rng, trace)
    if not chosen:
        return "no key"
    holders = [spot for spot in _spots(chosen[0], lambda _: True) if isinstance(spot[0], dict)]
    old = rng.choice(holders)[1] if holders else "ts"
    renamed = rng.choice(["", "ts", "dur", "args", "correlation", "device", *NAMES_THAT_ACT[:3]])
    drop = rng.random() < 0.6
    for event in chosen:
        args = event.get("args")
        for holder in (event, args if isinstance(args, dict) else {}):
            if old in holder:
                value = holder.pop(old)
                if not drop:
                    holder[renamed] = value
    return f"key {old} of {len(chosen)} {'removed' if drop else 'renamed'}"


def phase(rng: random.Random, trace: Trace) -> str:
    """Events of another phase or category."""
    chosen, field = _some(rng, trace), rng.choice(["ph", "cat"])
    value = rng.choice(PHASES if field == "ph" else CATEGORIES)
    for event in chosen:
        event[field] = value
        if rng.random() < 0.5:
            event.setdefault("id", rng.randint(0, 3))
    return f"{field} of {len(chosen)} = {value}"


def swap(rng: random.Random, trace: Trace) -> str:
    """Two events, or one key of theirs, in each other's place."""
    events = _events(trace)
    if len(events) < 2:
        return "no swap"
    a, b = rng.sample(range(len(events)), 2)
    field = rng.choice(["", "ts", "dur", "args", "name", "pid", "tid", "cat"])
    first, second = events[a], events[b]
    if not field or not isinstance(first, dict) or not isinstance(second, dict):
        events[a], events[b] = second, first
    elif field in first and field in second:
        first[field], second[field] = second[field], first[field]
    return f"swap {field or 'events'}"


def moved(rng: random.Random, trace: Trace) -> str:
    """Events elsewhere: on another lane, at another time, as long as another."""
    chosen = _some(rng, trace)
    field = rng.choice(["pid", "tid", "device", "stream", "correlation", "ts"])
    value = rng.choice([0, 1, 7, 20, 100, 1000, "7"])
    for event in chosen:
        args = event.get("args")
        if field in event:
            event[field] = value
        elif isinstance(args, dict) and field in args:
            args[field] = value
    return f"{field} of {len(chosen)} = {value}"


def drop(rng: random.Random, trace: Trace) -> str:
    """Events left out."""
    events = _events(trace)
    begin = rng.randint(0, len(events))
    stop = begin + rng.choice([1, 1, 5, 40, 10_000])
    del events[begin:stop]
    return f"events {begin} to {stop} dropped"


def double(rng: random.Random, trace: Trace) -> str:
    """Events written twice or more often, some of them shifted."""
    events = _events(trace)
    begin = rng.randint(0, len(events))
    part = events[begin : begin + rng.choice([1, 5, 40])]
    by = rng.choice([0, 0, 1, 1000, 1e9, 1e13])
    copies = rng.choice([1, 1, 2, 8])
    for n in range(copies):
        copied = json.loads(json.dumps(part))
        for event in copied:
            if isinstance(event, dict) and _is_time(event.get("ts")):
                event["ts"] += by * (n + 1)
        events += copied
    return f"{len(part)} events {copies} times more, {by:g} later"


def splice(rng: random.Random, trace: Trace) -> str:
    """Events of another sample among these, at their own times or at these ones'."""
    name = rng.choice(NAMES)
    other = _events(orjson.loads(sample_text(name)))
    begin = rng.randint(0, len(other))
    part, events = other[begin : begin + 60], _events(trace)
    if rng.random() < 0.6:
        own, new = ([e["ts"] for e in side if _has_time(e)] for side in (events, part))
        by = min(own, default=0) - min(new, default=0)
        for event in part:
            if _has_time(event):
                event["ts"] += by
    at = rng.randint(0, len(events))
    events[at:at] = part
    return f"{len(part)} events of {name}"


def _has_time(event: Any) -> bool:
    return isinstance(event, dict) and _is_time(event.get("ts"))


def odd_entry(rng: random.Random, trace: Trace) -> str:
    """Something among the events that is none, or a list of them."""
    events = _events(trace)
    value = _one_of(rng, [*TYPES, events[:3], [events[:2]]])
    events.insert(rng.randint(0, len(events)), value)
    return "an odd entry"


def top_level(rng: random.Random, trace: Trace) -> str:
    """The fields beside the events: damaged, gone, doubled devices."""
    fields = [name for name in trace if name != "traceEvents"]
    chosen = rng.choice([*fields, "deviceProperties", "deviceProperties", "traceEvents"])
    lot = rng.random()
    if lot < 0.2:
        trace.pop(chosen, None)
        return f"no {chosen}"
    if lot < 0.4 or chosen == "traceEvents":
        trace[chosen] = _one_of(rng, TYPES) if lot < 0.3 else rng.choice(NUMBERS)
        return f"{chosen} another"
    where = _put(rng, [{chosen: trace.get(chosen, 0)}], _is_number, rng.choice(NUMBERS))
    return f"{chosen}: {where}"


_EXTENTS = (0, 1, 1, 2, 3, 4, 32, 64, 128, 1024, 2**20, 2**31, 2**40)
_DTYPES = ("c10::BFloat16", "c10::Half", "float", "double", "long int", "Scalar", "ScalarList", "")
_CAPABILITIES = (0, 1, 3, 7, 8, 9, 10, 12, 99)


def shapes(rng: random.Random, trace: Trace) -> str:
    """Inputs of ops as no framework records them: of any rank and size, of any type."""
    told = [event for event in _events(trace) if _has_args(event, "Input Dims")]
    chosen = rng.sample(told, min(len(told), rng.choice([1, 2, 8, 100])))

    def shape() -> list[int]:
        return [rng.choice(_EXTENTS) for _ in range(rng.choice([0, 1, 2, 3, 4, 4, 6]))]

    same = shape()
    for event in chosen:
        args, inputs = event["args"], rng.choice([0, 1, 2, 3, 3, 8])
        dims: list[Any] = [rng.choice([same, shape(), []]) for _ in range(inputs)]
        if rng.random() < 0.2:
            dims.append([shape(), shape()])
        args["Input Dims"] = dims
        if rng.random() < 0.5:
            args["Input type"] = [rng.choice(_DTYPES) for _ in range(rng.choice([inputs, 2]))]
        if rng.random() < 0.5:
            args["Input Strides"] = [shape() for _ in range(inputs)]
        if rng.random() < 0.5:
            args["Concrete Inputs"] = [str(rng.choice(NUMBERS)) for _ in range(inputs)]
    return f"shapes of {len(chosen)}"


def _has_args(event: Any, key: str) -> bool:
    return isinstance(event, dict) and isinstance(event.get("args"), dict) and key in event["args"]


def hardware(rng: random.Random, trace: Trace) -> str:
    """Another device, and kernels launched on it as nothing is."""
    devices = trace.get("deviceProperties")
    for device in devices if isinstance(devices, list) else ():
        if isinstance(device, dict):
            device["computeMajor"] = rng.choice(_CAPABILITIES)
            device["name"] = rng.choice(["NVIDIA A100-SXM4-80GB", "AMD Instinct MI300X", "", "x"])
            device["numSms"] = rng.choice([0, 1, 132, 10_000, None])
            device["warpSize"] = rng.choice([0, 1, 32, 64])
    kernels = [event for event in _events(trace) if _has_args(event, "device")]
    for event in rng.sample(kernels, min(len(kernels), rng.choice([1, 10, 200]))):
        args = event["args"]
        for name in ("grid", "block"):
            args[name] = [rng.choice([0, 1, 2, 32, 1024, 2**31]) for _ in range(3)]
        args["registers per thread"] = rng.choice([0, 1, 32, 255, 256, 2**16])
        args["shared memory"] = rng.choice([0, 1, 2**14, 2**18, 2**31, -1])
        args["est. achieved occupancy %"] = rng.choice([0, 1, 50, 100, 101, -1, None, "7"])
        args["bytes"] = rng.choice([0, 1, 2**16, 2**44, 2**62])
    return "another device"


def nested(rng: random.Random, trace: Trace) -> str:
    """Lists or objects in each other."""
    depth = rng.choice([3, 20, 60, 120])
    value: Any = 1
    for _ in range(depth):
        value = [value] if rng.random() < 0.5 else {"a": value}
    for event in _some(rng, trace)[:3]:
        event[rng.choice(["args", "name", "ts", "pid", "more"])] = copy.deepcopy(value)
    return f"nested {depth} deep"


CHANGES = (
    *(number, number, number, numbers, scaled, kind, kind, named, key, phase, swap, moved, moved),
    *(drop, double, splice, odd_entry, top_level, top_level, nested, shapes, shapes, hardware),
)

# Changes of the text

_NUMBER = re.compile(rb"(?<=[:,\[ ])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?=[,}\] ])")
_PAIR = re.compile(rb'"(?:ts|dur|ph|cat|name|pid|tid|args|correlation|device|stream)": ')
_TOKENS = (
    *(b"1e999", b"-", b"00", b"1e-400", b"9" * 5000, b"+1", b".5", b"1.", b"0x1", b"NaN"),
    *(b"-Infinity", b"null", b'"', b"'1'", b""),
)
_BYTES = (
    *(b"\x00", b"\xff", b"\x1b", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\n"),
    *(b"\xed\xa0\x80", b"\\u0000", b"\\ud800", b"\xef\xbb\xbf"),
)


def flip(rng: random.Random, text: bytes) -> bytes:
    """Some bits turned."""
    data = bytearray(text)
    for _ in range(rng.choice([1, 1, 3, 20]) if data else 0):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def cut(rng: random.Random, text: bytes) -> bytes:
    """The end, the beginning or something between left out."""
    a, b = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
    return rng.choice([text[:b], text[:b], text[a:], text[:a] + text[b:]])


def patch(rng: random.Random, text: bytes) -> bytes:
    """Bytes put in or over others."""
    at, new = rng.randint(0, len(text)), rng.choice(_BYTES) * rng.choice([1, 1, 4])
    return text[:at] + new + text[at + rng.choice([0, len(new)]) :]


def token(rng: random.Random, text: bytes) -> bytes:
    """What is no JSON number, or one that no parser holds, in a number's place."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    at = rng.choice(found)
    return text[: at.start()] + rng.choice(_TOKENS) + text[at.end() :]


def doubled_key(rng: random.Random, text: bytes) -> bytes:
    """A key that stands twice, with another value first."""
    found = list(_PAIR.finditer(text))
    if not found:
        return text
    at = rng.choice(found)
    value = json.dumps(rng.choice([*TYPES, *NUMBERS[:6]])).encode()
    return text[: at.start()] + at[0] + value + b", " + text[at.start() :]


def two_texts(rng: random.Random, text: bytes) -> bytes:
    """The beginning of this text and the end of another sample's, or both whole."""
    other = sample_text(rng.choice(NAMES))
    if rng.random() < 0.3:
        return text + rng.choice([b"", b"\n", b",", b"\x00"]) + other
    return text[: rng.randint(0, len(text))] + other[rng.randint(0, len(other)) :]


def deep_text(rng: random.Random, text: bytes) -> bytes:
    """Brackets in each other, deeper than parsers go, in the middle of the text."""
    at, depth = rng.randint(0, len(text)), rng.choice([10, 300, 900, 2_000, 50_000])
    opened = rng.choice([b"[", b'{"a":', b"[{"]) * depth
    return text[:at] + opened + rng.choice([b"", b"]" * depth]) + text[at:]


TEXT_CHANGES = (flip, flip, cut, cut, patch, token, token, doubled_key, two_texts, deep_text)

# The whole file


def _layout(rng: random.Random, trace: Trace) -> bytes:
    """The text of a trace in one of the layouts that tools write."""
    lot = rng.random()
    if lot < 0.75:
        return json.dumps(trace).encode("utf-8", "replace")
    events = trace.get("traceEvents")
    if lot < 0.82:
        return json.dumps(events, ensure_ascii=False).encode("utf-8", "replace")
    if lot < 0.88:
        return json.dumps(trace, indent=2, ensure_ascii=False).encode("utf-8", "replace")
    if lot < 0.93:
        return json.dumps(trace, separators=(",", ":")).encode()
    if lot < 0.97:
        return "\n".join(map(json.dumps, _events(trace))).encode()
    return json.dumps([trace, trace] if lot < 0.985 else {"trace": trace}).encode()


def _packed(rng: random.Random, text: bytes) -> tuple[str, bytes]:
    lot = rng.random()
    if lot < 0.8:
        return "", text
    data = gzip.compress(text, 1, mtime=0)
    if lot < 0.86:
        return "gzip", data
    if lot < 0.9:
        return "gzip of two members", data + gzip.compress(text[:200], 1, mtime=0)
    change = rng.choice([flip, cut, patch])
    return f"gzip, {change.__name__}", change(rng, data)


def mutant(seed: int) -> Mutant:
    """The mutant of a number: the same bytes each time."""
    rng = random.Random(seed)
    name = rng.choice(NAMES)
    trace: Trace = orjson.loads(sample_text(name))
    steps = []
    textual = rng.random()
    for _ in range(0 if textual < 0.15 else rng.choice([1, 1, 1, 2, 3, 6, 12])):
        steps.append(rng.choice(CHANGES)(rng, trace))
    text = _layout(rng, trace)
    for _ in range(rng.choice([1, 1, 2, 4]) if textual < 0.3 else 0):
        change = rng.choice(TEXT_CHANGES)
        steps.append(change.__name__)
        text = change(rng, text)
    packing, data = _packed(rng, text)
    return Mutant(seed, name, tuple(filter(None, [*steps, packing])), data)
