"""The shape of `attntui summary --json`."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from attntui.analysis.attention.model import Role
from attntui.analysis.attention_ops import Backend, Direction
from attntui.analysis.findings import Severity as FindingSeverity
from attntui.analysis.gap_causes import Cause as GapCause
from attntui.analysis.gap_causes import Trigger as GapTrigger
from attntui.analysis.roofline import Kind as Bound
from attntui.analysis.roofline import Reason as FarReason
from attntui.analysis.self_time import FatKind
from attntui.analysis.self_time import SelfPart as PartOfSelfTime
from attntui.view.reports.schema.part import Part


def _words(members: type[IntEnum]) -> Any:
    """The names of an enum's members as JSON has them: `launch_call`."""
    return Literal[tuple(member.name.lower() for member in members)]


if TYPE_CHECKING:
    Cause: TypeAlias = str
    Trigger: TypeAlias = str
    SelfPart: TypeAlias = str
    FatBar: TypeAlias = str
    Severity: TypeAlias = str
else:
    Cause, Trigger = _words(GapCause), _words(GapTrigger)
    SelfPart, FatBar, Severity = _words(PartOfSelfTime), _words(FatKind), _words(FindingSeverity)


class Notice(Part, kw_only=True):
    """What was odd in the file: how often, and one example as it stands there."""

    kind: str
    count: int
    example: str


class Roofs(Part, kw_only=True):
    """What the device can do at most: `hbm` in bytes/s, the others in FLOP/s."""

    hbm: float
    bf16: float | None
    fp16: float | None
    tf32: float | None
    fp32: float | None
    fp8: float | None


class TraceFacts(Part, kw_only=True):
    """The trace as a whole. `hbm_coverage` is the share of
    the GPU time whose bytes shapes tell.
    """

    path: str
    events: int
    complete_events: int
    categories: dict[str, int]
    gpu_ops: int
    gpu_ops_with_launch: int
    device_name: str | None
    devices: str
    span_ns: int
    profiler_steps: int
    step_family: str | None
    before_first_gpu_op_ns: int
    after_last_gpu_op_ns: int
    hbm_bytes: int | None
    hbm_coverage: float | None
    roofs: Roofs | None
    roofs_source: str | None
    notices: list[Notice]


class DeviceTimes(Part, kw_only=True):
    """What a device did from its first operation to its last; `busy_share` is of one."""

    gpu_ops: int
    span_ns: int
    busy_ns: int
    busy_share: float | None
    idle_ns: int
    gaps: int
    gaps_over_10us: int
    longest_gap_ns: int


class Device(DeviceTimes, kw_only=True):
    """A device. `device` is its number in the file; `launched` is the same over the
    operations with a launch record alone. The idle times by cause, and those by trigger, sum
    to `idle_ns`.
    """

    label: str
    device: int | None
    name: str | None
    launched: DeviceTimes
    idle_by_cause_ns: dict[Cause, int]
    idle_by_trigger_ns: dict[Trigger, int]


class Kernel(Part, kw_only=True):
    """All GPU operations of one name. Shares are of one, `_pct` are percent.

    `share` is of the GPU time; `roof_share` of the roof that bounds it; `coverage` is the
    share of its time whose work is known. `far_from_roof` tells whether it reaches less than
    half of the roof, `far_reasons` what of the launch or the work keeps it there; `flops`,
    `hbm_bytes`, `tflops` (TFLOP/s) and `gbps` (GB/s) are of the part whose work is known.
    What ran for `beyond_roof_ns` is not: by its shapes it would be faster than the device.
    """

    label: str
    name: str
    share: float
    total_ns: int
    count: int
    mean_ns: float
    min_ns: int
    max_ns: int
    bound: Bound | None
    roof_share: float | None
    occupancy_pct: float | None
    profiler_occupancy_pct: float | None
    far_from_roof: bool | None
    far_reasons: list[FarReason]
    limited_by: str | None
    tflops: float | None
    gbps: float | None
    coverage: float | None
    beyond_roof_ns: int
    intensity: float | None
    flops: int | None
    hbm_bytes: int | None
    tensor_cores: bool | None
    library: str | None
    streams: list[int]


class RoleShare(Part, kw_only=True):
    """The GPU operations of one attention call that play one role."""

    role: Role
    gpu_ops: int
    gpu_ns: int
    hbm_bytes: int | None


class AttentionCall(Part, kw_only=True):
    """One attention call. `fused_hbm_bytes` is what one fused kernel would have moved;
    `casts_ns` the time of what only converts data types, `upcast` whether 16-bit inputs are
    computed with in 32; of `gpu_ops`, `memsets` are no kernels and no copies;
    `evidence` says why this counts as an attention call; the roles sum to the call.
    """

    label: str
    mask: str | None
    dtype: str | None
    start_ns: int
    gpu_ns: int
    gpu_ops: int
    cpu_ns: int | None
    hbm_bytes: int | None
    fused_hbm_bytes: int | None
    casts_ns: int
    upcast: bool | None
    memsets: int
    flops: int | None
    flops_per_s: float | None
    backend: Backend
    direction: Direction
    batch: int | None
    heads: int | None
    kv_heads: int | None
    q_len: int | None
    kv_len: int | None
    head_dim: int | None
    causal: bool | None
    evidence: str
    roles: list[RoleShare]


class Finding(Part, kw_only=True):
    """Something that costs time, or a note (no `cost_ns`); the best gain first.

    `gain_ns` is what the trace would be shorter by if it were mended, `gain_share` that part of
    its span, `assumes` the rule. `under` is the id of the finding that this one is a symptom
    of; costs of findings under no other have no ns in common. `in_use` says what the program
    does already. The end of a figure's key tells its unit: `_ns`, `_bytes`, `_share` (of one),
    `_pct`; others are counts. `evidence` are rows of events, and stretches as [start, end] in
    ns.
    """

    id: str
    severity: Severity
    cost_ns: int | None
    title: str
    advice: str
    figures: dict[str, int | float]
    evidence: list[int | tuple[int, int]]
    gain_ns: int | None
    gain_share: float | None
    assumes: str
    in_use: list[str]
    under: str | None


class TimeLeaf(Part, kw_only=True):
    """A leaf of the tree of the devices' time: busy with a kind of work, or idle by a cause
    after a trigger. The leaves sum to the devices' spans.
    """

    label: str
    branch: Literal["busy", "idle"]
    what: str
    trigger: str | None
    ns: int
    share: float


class AnnotationInstance(Part, kw_only=True):
    """One annotation: what its own thread launched in it, and what any thread did."""

    cpu_ns: int
    gpu_ops: int
    gpu_ns: int
    gpu_ops_any_thread: int
    gpu_ns_any_thread: int


class Gap(Part, kw_only=True):
    """A time in which a device ran nothing, between two operations (by their labels).

    `device` is the device's number in the file; `stream` is null for a gap of the whole
    device. `cause` is the main one, `by_cause_ns` sums to the length.
    """

    start_ns: int
    length_ns: int
    device: int | None
    device_label: str
    stream: int | None
    cause: Cause
    trigger: Trigger
    cause_label: str
    by_cause_ns: dict[Cause, int]
    before: str
    after: str
    launched_by: str | None


class StepRow(Part, kw_only=True):
    """A step: its time on the host, and the GPU work that it launched; `coverage` is the
    share of its GPU time whose bytes shapes tell.
    """

    label: str
    name: str
    start_ns: int
    host_ns: int
    gpu_ns: int
    gpu_ops: int
    hbm_bytes: int | None
    coverage: float | None
    outlier: bool


class Op(Part, kw_only=True):
    """All CPU ops or annotations of one name; `split_ns` sums to the self time."""

    label: str
    name: str
    self_ns: int
    total_ns: int
    count: int
    gpu_ns: int
    gpu_ops: int
    fat_bar: FatBar | None
    split_ns: dict[SelfPart, int]
    awaited_ns: int


class AttentionKind(Part, kw_only=True):
    """Attention calls that are alike in backend, direction, shape, data type and mask. `upcast`
    is null where it is not told or they differ.
    """

    label: str
    calls: int
    gpu_ns: int
    gpu_ops: int
    mean_gpu_ops: float
    mean_gpu_ns: float
    mean_cpu_ns: float | None
    hbm_bytes: int | None
    fused_hbm_bytes: int | None
    casts_ns: int
    upcast: bool | None
    memsets: int


class AttentionRole(RoleShare, kw_only=True):
    """A role in all calls of one kind (`label`); `share` is of their GPU time."""

    label: str
    share: float | None


class AnnotationLabel(Part, kw_only=True):
    """All annotations of one name, with the GPU work that any thread launched in them."""

    label: str
    name: str
    count: int
    cpu_ns: int
    mean_cpu_ns: float
    gpu_ops: int
    gpu_ns: int


class RegionLine(Part, kw_only=True):
    """A kernel that fused ops, or library calls beside it, of one compiled region."""

    kind: Literal["fused", "beside"]
    label: str
    region: str
    region_name: str | None
    gpu_ns: int
    gpu_ops: int


class Summary(Part, kw_only=True):
    """`attntui summary --json`: the facts of one trace."""

    schema: Literal[2]
    trace: TraceFacts
    devices: list[Device]
    kernels: list[Kernel]
    attention: list[AttentionCall]
    findings: list[Finding]
    time_tree: list[TimeLeaf]
    annotations: dict[str, list[AnnotationInstance]]
    gaps: list[Gap]
    steps: list[StepRow]
    ops: list[Op]
    attention_kinds: list[AttentionKind]
    attention_roles: list[AttentionRole]
    annotation_labels: list[AnnotationLabel]
    compiled_regions: list[RegionLine]
