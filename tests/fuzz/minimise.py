"""Makes a failing trace smaller as long as it fails in the same place."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

MOST_TRIES = 400


def minimised(data: bytes, fails_alike: Callable[[bytes], bool]) -> bytes:
    """Fewer events, then fewer keys of these, then of the top level; as it is where it is no
    JSON object with events.
    """
    try:
        trace: Any = json.loads(data)
        events = trace["traceEvents"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return data
    if not isinstance(events, list):
        return data
    tries = [MOST_TRIES]

    def still(candidate: Any) -> bool:
        tries[0] -= 1
        return tries[0] >= 0 and fails_alike(json.dumps(candidate).encode())

    if not still(trace):
        return data
    kept = _fewer(events, lambda part: still({**trace, "traceEvents": part}))
    trace = {**trace, "traceEvents": kept}
    for name in [name for name in trace if name != "traceEvents"]:
        less = {key: value for key, value in trace.items() if key != name}
        trace = less if still(less) else trace
    for event in filter(lambda event: isinstance(event, dict), kept):
        _without_keys(event, lambda: still(trace))
        if isinstance(event.get("args"), dict):
            _without_keys(event["args"], lambda: still(trace))
    return json.dumps(trace, indent=1).encode()


def _without_keys(holder: dict[str, Any], still: Callable[[], bool]) -> None:
    """Takes the keys away whose absence changes nothing."""
    for name in list(holder):
        value = holder.pop(name)
        if not still():
            holder[name] = value


def _fewer(items: list[Any], still: Callable[[list[Any]], bool]) -> list[Any]:
    """The items without those whose absence changes nothing: halves first, single ones last."""
    size = max(len(items) // 2, 1)
    while True:
        at = 0
        while at < len(items):
            less = items[:at] + items[at + size :]
            if still(less):
                items = less
            else:
                at += size
        if size == 1:
            return items
        size = max(size // 2, 1)
