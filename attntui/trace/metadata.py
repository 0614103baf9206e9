"""The top-level fields of a trace that have a meaning here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attntui.trace.model import DeviceProperties, Metadata


def read_metadata(fields: Mapping[str, Any], origin_ns: int) -> Metadata:
    devices = fields.get("deviceProperties")
    entries = devices if isinstance(devices, list) else []
    unit = fields.get("displayTimeUnit")
    return Metadata(
        devices=tuple(
            _device(entry, number)
            for number, entry in enumerate(entries)
            if isinstance(entry, Mapping)
        ),
        base_time_ns=_whole(fields, "baseTimeNanoseconds"),
        origin_ns=origin_ns,
        display_time_unit=unit if isinstance(unit, str) else None,
        raw=fields,
    )


def _device(entry: Mapping[str, Any], number: int) -> DeviceProperties:
    name = entry.get("name")
    identity = _whole(entry, "id")
    return DeviceProperties(
        id=number if identity is None else identity,
        name=name if isinstance(name, str) else None,
        compute_major=_whole(entry, "computeMajor"),
        compute_minor=_whole(entry, "computeMinor"),
        sms=_whole(entry, "numSms"),
        total_memory=_whole(entry, "totalGlobalMem"),
        max_threads_per_sm=_whole(entry, "maxThreadsPerMultiprocessor"),
        registers_per_sm=_whole(entry, "regsPerMultiprocessor"),
        shared_memory_per_sm=_whole(
            entry, "sharedMemPerMultiprocessor", "maxSharedMemoryPerMultiProcessor"
        ),
        warp_size=_whole(entry, "warpSize"),
    )


def _whole(entry: Mapping[str, Any], *spellings: str) -> int | None:
    for spelling in spellings:
        value = entry.get(spelling)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None
