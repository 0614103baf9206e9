"""A trace's columns, names and notices as JSON and arrays, and back.

Everything that a `Trace` holds is there but its path and its reader, which are those of the
file that is opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar, cast

import msgspec

from attntui.trace.interned import OpInputsTable
from attntui.trace.kept.container import Array, Damaged
from attntui.trace.kept.texts import Texts, joined, split
from attntui.trace.model import (
    ArgsReader,
    Columns,
    DeviceProperties,
    Instants,
    Lane,
    LaunchConfig,
    MemoryEvents,
    Metadata,
    Notice,
    Trace,
)

T = TypeVar("T")

_OWN = ("parent", "depth", "launch")
_TEXTS = 4
"""The arrays that hold text stand first."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """What of a trace is no array."""

    events: int
    category_counts: dict[str, int]
    raw_categories: tuple[str, ...]
    lanes: tuple[Lane, ...]
    launch_configs: tuple[LaunchConfig, ...]
    span: tuple[int, int]
    devices: tuple[DeviceProperties, ...]
    base_time_ns: int | None
    origin_ns: int
    display_time_unit: str | None
    raw: dict[str, Any]
    notices: tuple[Notice, ...]
    renumbered_devices: tuple[tuple[int, int], ...]


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(_Rest)


def told_of(trace: Trace) -> tuple[bytes, list[Array]]:
    """A trace as JSON and arrays.

    Raises TypeError, ValueError or OverflowError where something in it has no such form.
    """
    inputs = cast(OpInputsTable, trace.op_inputs)
    metadata = trace.metadata
    rest = _Rest(
        events=trace.events,
        category_counts=dict(trace.category_counts),
        raw_categories=trace.raw_categories,
        lanes=trace.lanes,
        launch_configs=trace.launch_configs,
        span=trace.span,
        devices=metadata.devices,
        base_time_ns=metadata.base_time_ns,
        origin_ns=metadata.origin_ns,
        display_time_unit=metadata.display_time_unit,
        raw=dict(metadata.raw),
        notices=trace.notices,
        renumbered_devices=tuple(trace.renumbered_devices.items()),
    )
    arrays = [
        *joined(name.encode() for name in trace.names),
        *joined(inputs.keys),
        *_of_group(trace.columns),
        *_of_group(trace.instants),
        *_of_group(trace.memory),
        *(getattr(trace, name) for name in _OWN),
    ]
    return _ENCODER.encode(rest), arrays


def _of_group(group: Columns | Instants | MemoryEvents) -> Iterator[Array]:
    return (getattr(group, field.name) for field in fields(group))


def trace_of(path: str, told: bytes, arrays: Sequence[Array], reader: ArgsReader) -> Trace:
    """The trace of `told_of`, under the path that it is opened by.

    Raises Damaged where that is not what was told.
    """
    try:
        rest = _DECODER.decode(told)
        names = tuple(name.decode() for name in split(*arrays[:2]))
    except (ValueError, RecursionError) as error:
        raise Damaged(str(error)) from None
    rows = iter(arrays[_TEXTS:])
    columns, instants = _group(Columns, rows), _group(Instants, rows)
    memory = _group(MemoryEvents, rows)
    parent, depth, launch = rows
    return Trace(
        path=path,
        events=rest.events,
        category_counts=rest.category_counts,
        columns=columns,
        parent=parent,
        depth=depth,
        launch=launch,
        names=names,
        raw_categories=rest.raw_categories,
        lanes=rest.lanes,
        launch_configs=rest.launch_configs,
        op_inputs=OpInputsTable(Texts(arrays[2], arrays[3])),
        instants=instants,
        memory=memory,
        span=rest.span,
        metadata=Metadata(
            devices=rest.devices,
            base_time_ns=rest.base_time_ns,
            origin_ns=rest.origin_ns,
            display_time_unit=rest.display_time_unit,
            raw=rest.raw,
        ),
        notices=rest.notices,
        reader=reader,
        renumbered_devices=dict(rest.renumbered_devices),
    )


def _group(kind: type[T], rows: Iterator[Array]) -> T:
    return kind(*(next(rows) for _ in fields(cast(Any, kind))))
