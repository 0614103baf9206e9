"""The columnar trace: what loading makes and every analysis reads.

Rows are complete events (ph `X`, and paired `B`/`E`), sorted by start, then longer
first, then order in the file, so that a parent stands before its children and of two
identical spans the later in the file is the inner one. A row number is an event's
identity everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
I32 = npt.NDArray[np.int32]
I16 = npt.NDArray[np.int16]
I8 = npt.NDArray[np.int8]
Bool = npt.NDArray[np.bool_]

ABSENT = -1
"""What an integer column holds where the trace says nothing."""


class Category(IntEnum):
    """What kind of thing an event is, whatever its spelling in the file."""

    CPU_OP = 0
    USER_ANNOTATION = 1
    PYTHON_FUNCTION = 2
    RUNTIME = 3
    DRIVER = 4
    KERNEL = 5
    MEMCPY = 6
    MEMSET = 7
    GPU_USER_ANNOTATION = 8
    SYNC = 9
    OVERHEAD = 10
    OTHER = 11


class LaneKind(IntEnum):
    """CPU lanes are (pid, tid); GPU lanes are (device, stream); OTHER fits neither."""

    CPU = 0
    GPU = 1
    GPU_ANNOTATION = 2
    OTHER = 3


@dataclass(frozen=True, slots=True)
class Lane:
    """One row of things that happen one after another.

    `pid` and `tid` are the text of the file's values. `device` (as in `Trace.device`) and
    `stream` are set on GPU and GPU_ANNOTATION lanes. `label` is the recorded thread or
    process name.
    """

    kind: LaneKind
    pid: str
    tid: str
    device: int | None
    stream: int | None
    label: str
    sort_index: int


@dataclass(frozen=True, slots=True)
class LaunchConfig:
    """How a kernel was launched. Shared memory in bytes a block, static plus dynamic.

    `occupancy_pct` is the profiler's own estimate; None where it was not told.
    """

    grid: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    registers: int | None
    shared_memory: int | None
    occupancy_pct: float | None


Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OpInputs:
    """The recorded inputs of a CPU op, one entry an argument.

    An entry of `dims` and `strides` is a shape for a tensor, a tuple of shapes for a
    list of tensors, and `()` for the rest. `types` are the file's words
    (`c10::BFloat16`, `Scalar`, ``). `concrete` holds scalars as text.
    """

    dims: tuple[Shape | tuple[Shape, ...], ...]
    types: tuple[str, ...]
    strides: tuple[Shape | tuple[Shape, ...], ...]
    concrete: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something odd in the file: what kind, how often, one example, and the offset in the
    (unpacked) text at which that stands, where it is one place.
    """

    kind: str
    count: int
    example: str
    offset: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Instants:
    """Instant events (ph `i`, `I`, `R`, and lone markers): time, name id, lane id."""

    time: I64
    name: I32
    lane: I32


@dataclass(frozen=True, eq=False, slots=True)
class MemoryEvents:
    """The allocator's `[memory]` events, in time order.

    `change`, `allocated`, `reserved` are bytes (ABSENT where not told; `change` may be
    negative). `device` is as in `Trace.device`, ABSENT for host memory.
    """

    time: I64
    change: I64
    allocated: I64
    reserved: I64
    device: I32


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """One entry of the file's `deviceProperties`; None where the file is silent."""

    id: int
    name: str | None
    compute_major: int | None
    compute_minor: int | None
    sms: int | None
    total_memory: int | None
    max_threads_per_sm: int | None
    registers_per_sm: int | None
    shared_memory_per_sm: int | None
    warp_size: int | None


@dataclass(frozen=True, slots=True)
class Metadata:
    """The file's top-level fields besides the events.

    `base_time_ns` places the trace on the wall clock; `origin_ns` is the file's own
    time (ts in ns) at which the trace's zero lies. `raw` holds every top-level key.
    """

    devices: tuple[DeviceProperties, ...]
    base_time_ns: int | None
    origin_ns: int
    display_time_unit: str | None
    raw: Mapping[str, Any]


class ArgsReader(Protocol):
    """Reads the JSON text of one event again, for the detail pane."""

    def read(self, offset: int, length: int) -> bytes: ...


@dataclass(frozen=True, eq=False, slots=True)
class Columns:
    """The event columns, all of one length; see `Trace` for their meaning."""

    start: I64
    dur: I64
    name: I32
    category: I8
    raw_category: I16
    lane: I32
    correlation: I64
    external_id: I64
    device: I32
    stream: I64
    python_id: I64
    python_parent: I64
    sequence: I64
    forward_thread: I64
    launch_config: I32
    inputs: I32
    copied_bytes: I64
    offset: I64
    length: I32
    unfinished: Bool


@dataclass(frozen=True, eq=False)
class Trace:
    """A loaded trace. Immutable; every column is indexed by row.

    Times: `start` and `dur` in ns from the trace's origin, `end = start + dur`.
    `name`, `raw_category`, `lane`, `launch_config` and `inputs` index `names`,
    `raw_categories`, `lanes`, `launch_configs` and `op_inputs`; the last two are ABSENT
    where the event has none. `parent` and `depth` nest the events of a CPU lane
    (python frames, ops, annotations and runtime calls together); on other lanes the
    parent is ABSENT and `depth` is the display row of overlapping events.
    `launch` gives, for a GPU operation, the row of the runtime or driver call that
    launched it, else ABSENT. `device` is the file's own number, save where ranks merged
    into one file number their devices alike: `number_of_device` tells it then.
    """

    path: str
    events: int
    """Entries of `traceEvents` in the file, of every phase."""
    category_counts: Mapping[str, int]
    """Complete (ph `X`) events by the file's own category text."""
    columns: Columns
    parent: I32
    depth: I16
    launch: I32
    names: tuple[str, ...]
    raw_categories: tuple[str, ...]
    lanes: tuple[Lane, ...]
    launch_configs: tuple[LaunchConfig, ...]
    op_inputs: Sequence[OpInputs]
    instants: Instants
    memory: MemoryEvents
    span: tuple[int, int]
    """First start and last end in ns, outliers left aside; (0, 0) with no events."""
    metadata: Metadata
    notices: tuple[Notice, ...]
    reader: ArgsReader | None = field(default=None, repr=False)
    renumbered_devices: Mapping[int, int] = field(default_factory=dict)
    """The file's number of each device that goes by another one here."""

    def __len__(self) -> int:
        return len(self.columns.start)

    @property
    def start(self) -> I64:
        return self.columns.start

    @property
    def dur(self) -> I64:
        return self.columns.dur

    @cached_property
    def end(self) -> I64:
        return self.columns.start + self.columns.dur

    @property
    def name(self) -> I32:
        return self.columns.name

    @property
    def category(self) -> I8:
        return self.columns.category

    @property
    def lane(self) -> I32:
        return self.columns.lane

    @property
    def device(self) -> I32:
        return self.columns.device

    @property
    def stream(self) -> I64:
        return self.columns.stream

    @cached_property
    def gpu_ops(self) -> I64:
        """Rows of GPU operations (kernel, memcpy, memset), by start."""
        category = self.columns.category
        return np.flatnonzero((category >= Category.KERNEL) & (category <= Category.MEMSET))

    @cached_property
    def gpu_ops_by_launch(self) -> I64:
        """Rows of the GPU operations that have a launch, ordered by their launch's row."""
        ops = self.gpu_ops
        ops = ops[self.launch[ops] >= 0]
        return ops[np.argsort(self.launch[ops], kind="stable")]

    @cached_property
    def _launch_rows(self) -> I32:
        """The launch row of each of `gpu_ops_by_launch`: ascending."""
        return self.launch[self.gpu_ops_by_launch]

    def launched_by(self, row: int) -> I64:
        """Rows of the GPU operations that the runtime or driver call `row` launched."""
        return self.launched_between(row, row + 1)

    def launched_between(self, first: int, stop: int) -> I64:
        """Rows of the GPU operations launched by calls with rows in [first, stop)."""
        low, high = np.searchsorted(self._launch_rows, [first, stop])
        return self.gpu_ops_by_launch[low:high]

    def number_of_device(self, device: int) -> int:
        """The file's own number of a device."""
        return self.renumbered_devices.get(device, device)

    def name_of(self, row: int) -> str:
        return self.names[int(self.columns.name[row])]

    def row_at(self, offset: int) -> int | None:
        """The row of the event that stands at an offset in the text; None where none does."""
        found = np.flatnonzero(self.columns.offset == offset)
        return int(found[0]) if len(found) else None

    def lane_of(self, row: int) -> Lane:
        return self.lanes[int(self.columns.lane[row])]

    def category_of(self, row: int) -> Category:
        return Category(int(self.columns.category[row]))

    def inputs_of(self, row: int) -> OpInputs | None:
        index = int(self.columns.inputs[row])
        return None if index == ABSENT else self.op_inputs[index]

    def launch_config_of(self, row: int) -> LaunchConfig | None:
        index = int(self.columns.launch_config[row])
        return None if index == ABSENT else self.launch_configs[index]
