"""From a trace file to columns. No analysis, no terminal."""

from attntui.trace.loading import Progress, load, read_event, text_at
from attntui.trace.model import (
    ABSENT,
    ArgsReader,
    Category,
    Columns,
    DeviceProperties,
    Instants,
    Lane,
    LaneKind,
    LaunchConfig,
    MemoryEvents,
    Metadata,
    Notice,
    OpInputs,
    Shape,
    Trace,
)
from attntui.trace.nesting import nest, pack_rows

__all__ = [
    "ABSENT",
    "ArgsReader",
    "Category",
    "Columns",
    "DeviceProperties",
    "Instants",
    "Lane",
    "LaneKind",
    "LaunchConfig",
    "MemoryEvents",
    "Metadata",
    "Notice",
    "OpInputs",
    "Progress",
    "Shape",
    "Trace",
    "load",
    "nest",
    "pack_rows",
    "read_event",
    "text_at",
]
