"""The top-level fields of a trace that have a meaning here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attntui.trace.devices import MOST_DEVICES
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
        base_time_ns=_whole(fields, "baseTimeNanoseconds", most=2**63 - 1),
        origin_ns=origin_ns,
        display_time_unit=unit if isinstance(unit, str) else None,
        raw=fields,
    )


def _device(entry: Mapping[str, Any], number: int) -> DeviceProperties:
    name = entry.get("name")
    identity = _whole(entry, "id", most=MOST_DEVICES)
    return DeviceProperties(
        id=number if identity is None else identity,
        name=name if isinstance(name, str) else None,
        compute_major=_whole(entry, "computeMajor", most=99),
        compute_minor=_whole(entry, "computeMinor", most=99),
        sms=_whole(entry, "numSms", least=1, most=2**16),
        total_memory=_whole(entry, "totalGlobalMem", least=1, most=2**50),
        max_threads_per_sm=_whole(entry, "maxThreadsPerMultiprocessor", least=32, most=2**16),
        registers_per_sm=_whole(entry, "regsPerMultiprocessor", least=1, most=2**24),
        shared_memory_per_sm=_whole(
            entry,
            "sharedMemPerMultiprocessor",
            "maxSharedMemoryPerMultiProcessor",
            least=1,
            most=2**30,
        ),
        warp_size=_whole(entry, "warpSize", least=1, most=1024),
    )


def _whole(entry: Mapping[str, Any], *spellings: str, least: int = 0, most: int) -> int | None:
    """The first integer under one of the keys; None where it is more or less than can be."""
    for spelling in spellings:
        value = entry.get(spelling)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
    return None
