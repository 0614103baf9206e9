"""The shape of `attntui diff --json`, of two traces and of more."""

from __future__ import annotations

from typing import Literal

from attntui.analysis.attention.model import Role
from attntui.analysis.attention_ops import Backend
from attntui.analysis.compare.pairing import Likeness
from attntui.analysis.compare.rows import Match
from attntui.analysis.compare.units import UnitKind
from attntui.view.reports.schema.part import Part


class UnitChoice(Part, kw_only=True):
    """What is compared, one real unit of each trace."""

    kind: UnitKind
    label: str


class PairUnit(UnitChoice, kw_only=True):
    """The same, with how many such units each trace has."""

    a_count: int
    b_count: int


class Side(Part, kw_only=True):
    """The unit taken of one trace; `gpu_ns_min` and `gpu_ns_max` are over all of its units."""

    path: str
    label: str
    unit_index: int
    unit_count: int
    start_ns: int
    end_ns: int
    gpu_ns_min: int
    gpu_ns_max: int
    gpu_ops_in_no_unit: int
    attention_backends: dict[Backend, int]


class Verdict(Part, kw_only=True):
    """How B stands to A: `ratio` is b / a of `metric`, the unit's span where both have one.
    `alike` tells whether the units did like work; the sentence says no more than that allows.
    """

    text: str
    metric: str | None
    a: int | float | None
    b: int | float | None
    ratio: float | None
    alike: bool


class Pairing(Part, kw_only=True):
    """Which units were paired and how: `number` is the pair compared of all `pairs`, null
    where the two are none. `passed_over` is the unit that whole windows stand in for.
    """

    text: str
    by: Likeness
    pairs: int
    number: int | None
    passed_over: str | None


class Metric(Part, kw_only=True):
    """A figure of A and of B. The end of `name` tells the unit: `_ns`, `_bytes`, `_per_s`,
    `_pct`; others are counts. `covers` and the shares say how much of the GPU time an
    estimate is of.
    """

    name: str
    label: str
    a: int | float | None
    b: int | float | None
    delta: int | float | None
    ratio: float | None
    verdict: str | None
    covers: str | None
    a_gpu_time_covered: float | None
    b_gpu_time_covered: float | None


class RolePart(Part, kw_only=True):
    """One role in a row that holds several, many to one."""

    role: Role
    ops: int
    gpu_ns: int


class DiffRow(Part, kw_only=True):
    """What answers to what; `key` is unique. A side without an operation has 0 `ops`."""

    key: str
    label: str
    name: str
    role: Role | None
    match: Match
    delta_gpu_ns: int
    a_ops: int
    a_gpu_ns: int
    b_ops: int
    b_gpu_ns: int
    a_parts: list[RolePart] | None
    b_parts: list[RolePart] | None


class Diff(Part, kw_only=True):
    """`attntui diff --json` of two traces; the rows' times sum to the metrics'."""

    schema: Literal[2]
    unit: PairUnit
    verdict: Verdict
    pairing: Pairing
    a: Side
    b: Side
    metrics: list[Metric]
    rows: list[DiffRow]
    cautions: list[str]


class OverviewTrace(Side, kw_only=True):
    """One trace against the first; `verdict` is how it stands to the first."""

    backend: str | None
    gpu_ops: int
    span_ns: int | None
    verdict: str
    gpu_ns: int
    cpu_ns: int | None
    hbm_bytes: int | None
    occupancy_pct: float | None
    pairing: Pairing
    metrics: list[Metric]
    cautions: list[str]


class Overview(Part, kw_only=True):
    """`attntui diff --json` of three traces or more, each against the first."""

    schema: Literal[2]
    unit: UnitChoice
    base: Side
    traces: list[OverviewTrace]
