"""What a device's tensor cores can compute with, as far as the trace describes it."""

from __future__ import annotations

from dataclasses import dataclass

from attntui.trace.model import Trace


@dataclass(frozen=True, slots=True)
class Abilities:
    """Data types that the tensor cores know; None where the trace does not tell."""

    bf16: bool | None = None
    tf32: bool | None = None


def abilities(trace: Trace) -> Abilities:
    """By the least compute capability: bf16 and TF32 came with 8.0."""
    majors = [d.compute_major for d in trace.metadata.devices if d.compute_major]
    if not majors:
        return Abilities()
    ampere = min(majors) >= 8
    return Abilities(bf16=ampere, tf32=ampere)
