"""Findings counted again, event by event, from the definitions in docs/architecture.md.

Shares no code with the finders. What a trace tells (gaps with causes, attention calls, the
work of an operation) is taken as found; who owns which ns, and every figure, is counted here.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from math import inf

import numpy as np
from replayed import Clock, simulate
from swept import own_times

from attntui.analysis.attention import AttentionCall
from attntui.analysis.bare_time import bare_time
from attntui.analysis.findings import Finding, thresholds
from attntui.analysis.gap_causes import Cause, Trigger
from attntui.analysis.host_activity import Activity
from attntui.analysis.runtime_calls import CallKind
from attntui.analysis.self_time import FatKind, fat_bars
from attntui.analysis.slice import Slice
from attntui.trace import Trace
from attntui.trace.model import ABSENT, Category, OpInputs

Figures = dict[str, int | float]
Idle = dict[tuple[int, Cause], int]
GIVING_OUT = (Cause.DISPATCH, Cause.PYTHON, Cause.UNRECORDED, Cause.RUNTIME, Cause.LAUNCH_CALL)


@dataclass
class Books:
    """Who owns what so far: ns left of each GPU operation, and of each gap by cause."""

    seen: Slice
    own: dict[int, int] = field(default_factory=dict)
    busy: dict[int, int] = field(default_factory=dict)
    idle: list[list[int]] = field(default_factory=list)
    owner: dict[int, str] = field(default_factory=dict)
    launch_bound: Idle = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen = self.seen
        self.own = dict.fromkeys(seen.gpu_ops.tolist(), 0)
        for device in seen.devices:
            self.own |= own_times(seen.trace, device.rows.tolist(), device.end)
        self.busy = dict(self.own)
        self.idle = seen.gaps.causes.split.tolist()

    def work(self, rows: set[int]) -> dict[int, int]:
        """What is left of some operations and of the unlaunched that bear only their names."""
        trace = self.seen.trace
        launched = {r for r in self.busy if trace.launch[r] != ABSENT}
        mine = {int(trace.name[r]) for r in rows & self.busy.keys()}
        others = {int(trace.name[r]) for r in launched - rows}
        alone = mine - others
        twins = {r for r in self.busy if r not in launched and int(trace.name[r]) in alone}
        return {r: self.busy[r] for r in (rows & self.busy.keys()) | twins}

    def of_work(self, rows: set[int]) -> tuple[dict[int, int], str | None]:
        """The same, or the whole and who owns most of it, where others own more than half."""
        own = self.own
        rows = rows & own.keys()
        taken: dict[str, int] = defaultdict(int)
        for row in rows:
            if row in self.owner:
                taken[self.owner[row]] += own[row]
        if 2 * sum(taken.values()) > sum(own[r] for r in rows):
            return {r: own[r] for r in rows}, max(taken, key=lambda name: taken[name])
        return self.work(rows), None

    def idle_of(self, *causes: Cause, when: Callable[[int], bool] = lambda _: True) -> Idle:
        return {
            (gap, cause): left[cause]
            for gap, left in enumerate(self.idle)
            for cause in causes
            if when(gap) and left[cause]
        }

    def take(self, name: str, busy: dict[int, int], idle: Idle) -> None:
        for row, ns in busy.items():
            assert 0 <= ns <= self.busy[row]
            self.busy[row] -= ns
            if ns:
                self.owner[row] = name
        if name == "launch-bound":
            self.launch_bound = idle
        for (gap, cause), ns in idle.items():
            assert 0 <= ns <= self.idle[gap][cause]
            self.idle[gap][cause] -= ns


@dataclass
class Counted:
    """A finding as counted here: its figures, and the time that it owns or shares."""

    figures: Figures
    busy: dict[int, int] = field(default_factory=dict)
    idle: Idle = field(default_factory=dict)
    under: str | None = None
    gain: int | None = None
    """Where counting the figures takes the gain already."""
    takes: dict[int, int] | None = None
    """What each product would take in ns, where that is known."""

    @property
    def work(self) -> int:
        return sum(self.busy.values())

    @property
    def cost(self) -> int:
        return self.work + sum(self.idle.values())


def names_around(trace: Trace, row: int) -> list[tuple[int, str]]:
    """The events around a row that had not ended when it began, innermost first."""
    found, at = [], int(trace.parent[row])
    while at != ABSENT:
        if trace.end[at] > trace.start[row]:
            found.append((at, trace.name_of(at)))
        at = int(trace.parent[at])
    return found


def op_around(trace: Trace, row: int) -> int:
    inside = (at for at, _ in names_around(trace, row) if trace.category_of(at) is Category.CPU_OP)
    return next(inside, ABSENT)


def launches(seen: Slice) -> dict[int, int]:
    trace = seen.trace
    return {r: int(trace.launch[r]) for r in seen.gpu_ops.tolist() if trace.launch[r] != ABSENT}


def inputs_of(seen: Slice, row: int) -> int:
    """The number of the inputs of the op that launched an operation."""
    work = seen.analysed.work
    op = int(work.launcher[np.searchsorted(seen.trace.gpu_ops, row)])
    return ABSENT if op == ABSENT else int(seen.trace.columns.inputs[op])


def is_kernel(seen: Slice, row: int) -> bool:
    return seen.trace.category_of(row) is Category.KERNEL


def decoded(seen: Slice, row: int):  # type: ignore[no-untyped-def]
    return seen.analysed.facts_by_name[int(seen.trace.name[row])].decoded


# Idle time of one cause


def idle_figures(seen: Slice, idle: Idle) -> Figures:
    whole = sum(idle.values())
    return {
        "idle_ns": whole,
        "span_ns": sum(device.end - device.start for device in seen.devices),
        "of_span_share": whole / sum(device.end - device.start for device in seen.devices),
        "gaps": len({gap for gap, _ in idle}),
    }


def one_cause(*causes: Cause) -> Callable[[Books], Counted]:
    def count(books: Books) -> Counted:
        idle = books.idle_of(*causes)
        return Counted(idle_figures(books.seen, idle), idle=idle)

    return count


def data_loading(books: Books) -> Counted:
    found = one_cause(Cause.DATA_LOADING)(books)
    found.figures["ready_batch_ns"] = 100_000
    return found


def allocating_since(seen: Slice) -> float:
    """When the program allocates as it goes on, ns; never where no steps tell."""
    kinds, start = seen.analysed.finder.host.kinds.tolist(), seen.trace.start
    calls = [row for row, kind in enumerate(kinds) if kind == CallKind.MEMORY]
    steps = seen.analysed.steps.start.tolist()
    if len(steps) < 2:
        return inf
    later = sum(start[row] >= steps[1] for row in calls)
    goes_on = later >= 0.5 * (len(calls) - later) * (len(steps) - 1)
    return -inf if goes_on else float(steps[1])


def allocation(goes_on: bool) -> Callable[[Books], Counted]:
    def count(books: Books) -> Counted:
        begun, since = books.seen.gaps.start.tolist(), allocating_since(books.seen)
        idle = books.idle_of(Cause.MEMORY, when=lambda gap: (begun[gap] >= since) == goes_on)
        return Counted(idle_figures(books.seen, idle), idle=idle)

    return count


def long_code(cause: Cause) -> Callable[[Books], Counted]:
    def count(books: Books) -> Counted:
        split = books.seen.gaps.causes.split.tolist()
        host = (Cause.PYTHON, Cause.UNRECORDED)
        both = host if cause in host else (cause,)
        idle = books.idle_of(cause, when=lambda gap: sum(split[gap][c] for c in both) >= 500_000)
        return Counted(idle_figures(books.seen, idle), idle=idle)

    return count


def unexplained(books: Books) -> Counted:
    split = books.seen.gaps.causes.split.tolist()
    idle = books.idle_of(Cause.QUEUED, when=lambda gap: split[gap][Cause.QUEUED] >= 100_000)
    return Counted(idle_figures(books.seen, idle), idle=idle)


# Attention


def calls_of(seen: Slice, backend: str) -> list[AttentionCall]:
    return [c for c in seen.attention if c.backend == backend and len(c.gpu_rows)]


def rows_of(calls: list[AttentionCall]) -> set[int]:
    return {row for call in calls for row in call.gpu_rows.tolist()}


def fused_ns(seen: Slice, call: AttentionCall) -> int:
    """What one fused kernel in place of a call takes, at most what the call took."""
    dur = seen.trace.dur
    takes: float = sum(int(dur[r.rows].sum()) for r in call.roles if r.role in ("qk", "av"))
    roofs = seen.analysed.peaks
    peak = roofs.flops(call.dtype, True) if roofs else None
    if roofs and peak and call.flops is not None and call.fused_hbm_bytes is not None:
        takes = 3e9 * max(call.flops / peak, call.fused_hbm_bytes / roofs.hbm)
    return min(round(takes), int(dur[call.gpu_rows].sum()))


def by_calls(seen: Slice, calls: list[AttentionCall]) -> Figures:
    dur = seen.trace.dur
    found: Figures = {
        "calls": len(calls),
        "gpu_time_ns": sum(int(dur[call.gpu_rows].sum()) for call in calls),
        "fused_ns": sum(fused_ns(seen, call) for call in calls),
    }
    moved = [call.hbm_bytes for call in calls]
    less = [call.fused_hbm_bytes for call in calls]
    if None not in moved and None not in less:
        found["moved_bytes"] = sum(b for b in moved if b is not None)
        found["moved_if_fused_bytes"] = sum(b for b in less if b is not None)
    return found


def naive(books: Books) -> Counted:
    seen = books.seen
    calls = calls_of(seen, "naive")
    figures = by_calls(seen, calls)
    products = sum(
        int(seen.trace.dur[share.rows].sum())
        for call in calls
        for share in call.roles
        if share.role in ("qk", "av")
    )
    figures["outside_products_ns"] = figures["gpu_time_ns"] - products
    return with_launches(books, calls, figures)


def with_launches(books: Books, calls: list[AttentionCall], figures: Figures) -> Counted:
    """The calls' operations, and the idle time before those that one launch would spare."""
    trace, seen, spared = books.seen.trace, books.seen, set()
    for call in calls:
        launched = [row for row in call.gpu_rows.tolist() if trace.launch[row] != ABSENT]
        spared |= set(sorted(launched, key=lambda row: int(trace.start[trace.launch[row]]))[1:])
    after = seen.gaps.after.tolist()
    idle = given_out(books, lambda gap: after[gap] in spared)
    if sum(idle.values()) >= 0.03 * seen.span_ns:
        figures["idle_before_ns"] = sum(idle.values())
    return Counted(figures, books.work(rows_of(calls)), idle)


def given_out(books: Books, when: Callable[[int], bool] = lambda _: True) -> Idle:
    """What the host takes to give out what ends some gaps, and that to begin after it."""
    split = books.seen.gaps.causes.split.tolist()
    idle = books.idle_of(*GIVING_OUT, when=when)
    late = {gap for gap, _ in idle}
    return idle | books.idle_of(
        Cause.QUEUED,
        when=lambda gap: (
            gap in late and split[gap][Cause.QUEUED] <= sum(split[gap][c] for c in GIVING_OUT)
        ),
    )


def math(books: Books) -> Counted:
    calls = calls_of(books.seen, "math")
    figures = by_calls(books.seen, calls)
    figures["operations_in_longest"] = len(max(calls, key=lambda call: call.gpu_ns).gpu_rows)
    return with_launches(books, calls, figures)


def upcast(books: Books) -> Counted:
    calls = [call for call in books.seen.attention if call.upcast and len(call.gpu_rows)]
    busy, under = books.of_work(rows_of(calls))
    whole = sum(int(books.seen.trace.dur[call.gpu_rows].sum()) for call in calls)
    figures: Figures = {"calls": len(calls), "gpu_time_ns": whole}
    return Counted(figures | {"casting_ns": sum(c.casts_ns for c in calls)}, busy, under=under)


def hidden_rows(seen: Slice) -> dict[int, bool]:
    """The copies that an out-of-place masked_fill makes, and whether in the backward pass."""
    found = {}
    for row, call in launches(seen).items():
        names = {name for _, name in names_around(seen.trace, call)}
        if {"aten::masked_fill", "aten::clone"} <= names:
            found[row] = any("autograd::engine::evaluate_function" in name for name in names)
    return found


def hidden(books: Books) -> Counted:
    trace, rows = books.seen.trace, hidden_rows(books.seen)
    busy, under = books.of_work(set(rows))
    copied = [int(trace.columns.copied_bytes[row]) for row in rows]
    figures: Figures = {"copies": len(rows), "copying_ns": sum(int(trace.dur[r]) for r in rows)}
    if min(copied) >= 0:
        # Read and written.
        figures["moved_bytes"] = 2 * sum(copied)
    if any(rows.values()):
        figures["in_backward"] = sum(rows.values())
    return Counted(figures, busy, under=under)


def stretched(seen: Slice, row: int) -> tuple[int, int]:
    """Elements of the largest input whose strides repeat it, and how often; zeros without."""
    number = inputs_of(seen, row)
    best = (0, 0)
    given = seen.trace.op_inputs[number] if number != ABSENT else None
    for dims, steps in zip(given.dims[:2], given.strides[:2], strict=False) if given else ():
        if not dims or len(dims) != len(steps) or not all(isinstance(n, int) for n in dims):
            continue
        size = distinct = 1
        for extent, step in zip(dims, steps, strict=True):
            assert isinstance(extent, int)
            size *= extent
            distinct *= extent if step else 1
        if distinct and size >= 2 * distinct:
            best = max(best, (size, size // distinct))
    return best


def expanded(books: Books) -> Counted:
    seen, trace = books.seen, books.seen.trace
    rows = set()
    calls = sorted((c for c in seen.attention if c.start is not None), key=lambda c: c.start or 0)
    for row, launch in launches(seen).items():
        if decoded(seen, row).kind != "copy":
            continue
        size, times = stretched(seen, row)
        lane, begun = int(trace.lane[launch]), int(trace.start[launch])
        known = (
            c
            for c in calls
            if c.lane == lane
            and (c.end or 0) > begun
            and None not in (c.batch, c.heads, c.kv_len, c.head_dim)
        )
        call = next(known, None)
        if size and call:
            whole = (
                (call.batch or 0) * (call.heads or 0) * (call.kv_len or 0) * (call.head_dim or 0)
            )
            if size == whole and times <= (call.heads or 0):
                rows.add(row)
    busy, under = books.of_work(rows)
    figures: Figures = {"copies": len(rows), "copying_ns": sum(int(trace.dur[row]) for row in rows)}
    moved = [bytes_of(seen, row) for row in rows]
    if None not in moved:
        figures["moved_bytes"] = sum(b for b in moved if b is not None)
    return Counted(figures, busy, under=under)


def bytes_of(seen: Slice, row: int) -> int | None:
    work = seen.analysed.work
    at = int(np.searchsorted(seen.trace.gpu_ops, row))
    return shaped_bytes_of(seen, row) if work.told[at] else None


def shaped_bytes_of(seen: Slice, row: int) -> int | None:
    """By its shapes, from a cache or not."""
    work = seen.analysed.work
    return work.kinds[int(work.kind[np.searchsorted(seen.trace.gpu_ops, row)])].work.bytes


# Copies and collectives


def host_copies(seen: Slice) -> list[int]:
    names = ((row, seen.trace.name_of(row)) for row in seen.gpu_ops.tolist())
    copies = [(r, n) for r, n in names if seen.trace.category_of(r) is Category.MEMCPY]
    return [row for row, name in copies if "HtoD" in name or "DtoH" in name]


def pageable_rows(seen: Slice) -> set[int]:
    trace = seen.trace
    return {
        row
        for row in host_copies(seen)
        if "Pageable" in trace.name_of(row) and trace.columns.copied_bytes[row] > 64 * 1024
    }


def pinned_rate(seen: Slice) -> int:
    """Bytes a ns."""
    oldest = min((d.compute_major or 0 for d in seen.trace.metadata.devices), default=0)
    return 40 if oldest >= 9 else 20 if oldest >= 8 else 10


def pageable(books: Books) -> Counted:
    seen, trace = books.seen, books.seen.trace
    size = trace.columns.copied_bytes
    rows = pageable_rows(seen)
    calls = {int(trace.launch[row]) for row in rows} - {ABSENT}
    ops = {op_around(trace, call) for call in calls} - {ABSENT}
    causes = seen.gaps.causes
    after, trigger = seen.gaps.after.tolist(), causes.trigger_row.tolist()

    def theirs(gap: int) -> bool:
        if after[gap] in rows and causes.split[gap, Cause.COPY] > 0:
            return True
        call = trigger[gap]
        return call != ABSENT and (call in calls or op_around(trace, call) in ops)

    idle = books.idle_of(Cause.COPY, Cause.SYNC, *GIVING_OUT, when=theirs)
    rate = pinned_rate(seen)
    figures: Figures = {
        "copies": len(rows),
        "moved_bytes": sum(int(size[row]) for row in rows),
        "copying_ns": sum(int(trace.dur[row]) for row in rows),
        "idle_afterwards_ns": sum(idle.values()),
        "pinned_ns": round(sum(min(int(trace.dur[r]), int(size[r]) / rate) for r in rows)),
    }
    return Counted(figures, books.work(rows), idle)


def exposed(books: Books) -> Counted:
    busy = books.work(set(host_copies(books.seen)))
    mine = {row: ns for row, ns in busy.items() if ns}
    figures: Figures = {
        "exposed_ns": sum(mine.values()),
        "copies": len(mine),
        "copying_ns": sum(int(books.seen.trace.dur[row]) for row in mine),
    }
    return Counted(figures, mine)


def collective_rows(seen: Slice) -> set[int]:
    return {
        row
        for row in seen.gpu_ops.tolist()
        if is_kernel(seen, row) and re.search("nccl|all_reduce|rccl", seen.trace.name_of(row))
    }


def collectives(books: Books) -> Counted:
    seen, trace = books.seen, books.seen.trace
    rows = collective_rows(seen)
    own = books.own
    figures: Figures = {
        "collectives": len(rows),
        "running_ns": sum(int(trace.dur[row]) for row in rows),
        "exposed_ns": sum(own[row] for row in rows),
    }
    return Counted(figures, books.work(rows))


# Products


def products(books: Books, rows: set[int], takes_key: str, dtype: str) -> Counted:
    seen = books.seen
    busy, under = books.of_work(rows)
    mine = {row: ns for row, ns in busy.items() if ns}
    figures: Figures = {"kernels": len(mine), "gpu_time_ns": sum(mine.values())}
    roofs, work = seen.analysed.peaks, seen.analysed.work
    peak = roofs.matrix(dtype) if roofs else None
    known: dict[int, float] = {}
    for row, ns in mine.items() if roofs and peak else ():
        at = int(np.searchsorted(seen.trace.gpu_ops, row))
        kind = work.kinds[int(work.kind[at])].work
        if work.told[at] and kind.flops is not None and kind.bytes is not None:
            assert roofs
            assert peak
            known[row] = min(ns, max(kind.flops / peak, kind.bytes / roofs.hbm) * 1e9 / 0.65)
    if known:
        part = sum(known.values()) / sum(mine[row] for row in known)
        takes = {row: round(known.get(row, ns * part)) for row, ns in mine.items()}
        figures[takes_key] = sum(takes.values())
        return Counted(figures, busy, under=under, takes=takes)
    return Counted(figures, busy, under=under)


def fp32(books: Books) -> Counted:
    seen = books.seen
    words = "sgemm|f32f32|scudnn|conv(?!ert).*float|implicit_convolve|cgemm|gemmSN_NN_kernel"
    rows = set()
    for row in seen.gpu_ops.tolist():
        fact = seen.analysed.facts_by_name[int(seen.trace.name[row])]
        name = seen.trace.name_of(row)
        if re.search(words, name) and "Offsets" not in name and "tf32" not in name:
            fact = seen.kernel_facts[seen.kernels.name.tolist().index(int(seen.trace.name[row]))]
            if fact.bound.kind not in ("memory", "latency") and fact.dtype == "fp32":
                rows.add(row)
    able = seen.analysed.abilities
    found = products(books, rows, "on_tensor_cores_ns", "tf32" if able.tf32 else "fp16")
    found.figures["of_busy_share"] = found.figures["gpu_time_ns"] / sum(books.own.values())
    return found


def unaligned(books: Books) -> Counted:
    seen, trace = books.seen, books.seen.trace
    rows, narrow = set(), set()
    for row in seen.gpu_ops.tolist():
        fact = seen.kernel_facts[seen.kernels.name.tolist().index(int(trace.name[row]))]
        if fact.decoded.operation != "gemm":
            continue
        half = fact.dtype in ("bf16", "fp16")
        by_name = re.search(r"_align([124])(?!\d)", trace.name_of(row))
        loads = int(by_name.group(1)) * (2 if half else 4) if by_name else 16
        if loads < 16 and fact.decoded.tensor_cores is not False:
            rows.add(row)
            narrow.add(fact.dtype)
        number = inputs_of(seen, row)
        if half and number != ABSENT:
            op = int(seen.analysed.work.launcher[np.searchsorted(trace.gpu_ops, row)])
            if odd_rows(trace.name_of(op), trace.op_inputs[number]):
                rows.add(row)
    dtype = "bf16" if narrow <= {"bf16", "fp16"} else "tf32"
    return products(books, rows, "aligned_ns", dtype)


def odd_rows(op: str, given: OpInputs) -> bool:
    """Whether in a product rows of a matrix (columns, if these are contiguous) lie off 16 bytes."""
    if not re.fullmatch(r"aten::(_?addmm(_|_activation)?|baddbmm_?|b?mm|matmul|linear)", op):
        return False
    at = 1 if "add" in op else 0
    matrices = []
    for dims in given.dims[at : at + 2]:
        if len(dims) < 2:
            return False
        matrices.append(np.broadcast_to(np.int8(0), dims[-2:]))
    a, b = matrices
    out = (a.shape[0], b.shape[0] if op == "aten::linear" else b.shape[1])
    lengths = [out[1]] if min(out) > 1 else []
    for index, matrix in enumerate(matrices):
        steps = given.strides[at + index] if given.strides else ()
        if min(matrix.shape) > 1:
            column_first = bool(steps) and steps[-1] != 1 and steps[-2] == 1
            lengths.append(matrix.shape[0 if column_first else 1])
            if steps and 1 in steps[-2:]:
                far = steps[-1] if column_first else steps[-2]
                assert isinstance(far, int)
                lengths.append(far)
    return any(length % 8 for length in lengths)


# Pointwise kernels and optimisers


def tensors_of(seen: Slice, number: int) -> list[int]:
    if number == ABSENT:
        return []
    sizes = []
    given = seen.trace.op_inputs[number]
    for dims, kind in zip(given.dims, given.types, strict=False):
        scalar = kind in ("", "Scalar", "ScalarList", "TensorList", "GenericList")
        if not scalar and all(isinstance(n, int) for n in dims):
            size = 1
            for extent in dims:
                assert isinstance(extent, int)
                size *= extent
            sizes.append(size)
    return sizes


def shortest_repeat(names: list[int]) -> int:
    for length in range(1, len(names) // 2 + 1):
        if all(names[i] == names[i % length] for i in range(len(names))):
            return length
    return len(names)


def chains(books: Books) -> list[list[int]]:
    seen, trace = books.seen, books.seen.trace
    work, steps = seen.analysed.work, seen.analysed.steps
    order = sorted(
        seen.gpu_ops.tolist(), key=lambda r: (int(trace.device[r]), int(trace.stream[r]), r)
    )

    def key(row: int) -> tuple[int, ...] | None:
        at = int(np.searchsorted(trace.gpu_ops, row))
        if not (is_kernel(seen, row) and books.busy[row] and (work.told[at] or work.beyond[at])):
            return None
        if decoded(seen, row).kind not in ("pointwise", "copy", "fill"):
            return None
        sizes = tensors_of(seen, inputs_of(seen, row))
        if not sizes or not max(sizes):
            return None
        owner = steps.owner_of(row)
        stream = (int(trace.device[row]), int(trace.stream[row]))
        return (max(sizes), *stream, -1 if owner is None else owner)

    found = []
    for kind, group in groupby(order, key):
        run = list(group)
        if kind is None or len(run) < 3:
            continue
        length = shortest_repeat([int(trace.name[row]) for row in run])
        parts = [run[i : i + length] for i in range(0, len(run), length)]
        found += [part for part in parts if len(part) >= 3]
    return found


def chain_bytes(books: Books) -> list[tuple[list[int], int, int]]:
    """Each chain with the bytes that it moves, and those that one kernel would."""
    seen, found = books.seen, []
    for chain in chains(books):
        moved = fused = 0
        for place, row in enumerate(chain):
            own = shaped_bytes_of(seen, row) or 0
            sizes = tensors_of(seen, inputs_of(seen, row))
            passes = sizes.count(max(sizes)) + 1
            left = passes - (place > 0) - (place < len(chain) - 1)
            moved += own
            fused += own * max(left, 0) // passes
        found.append((chain, moved, fused))
    return found


def pointwise(books: Books) -> Counted:
    found = chain_bytes(books)
    rows = {row for chain, _, _ in found for row in chain}
    busy = books.work(rows)
    figures: Figures = {
        "kernels": len(rows),
        "chains": len(found),
        "gpu_time_ns": sum(busy[row] for row in rows),
        "moved_bytes": sum(moved for _, moved, _ in found),
        "fused_bytes": sum(fused for _, _, fused in found),
        "kept_share": 0.2,
    }
    return Counted(figures, busy)


TOGETHER = "multi_tensor|foreach|fused_adam|FusedAdam|fused_sgd|triton_"


def optimizer_loops(seen: Slice) -> list[list[int]]:
    """The kernels of each optimiser step that does its tensors one by one."""
    trace, steps, talking = seen.trace, defaultdict(list), collective_rows(seen)
    for row, call in launches(seen).items():
        if not is_kernel(seen, row) or row in talking:
            continue
        around = [at for at, name in names_around(trace, call) if name.startswith("Optimizer.step")]
        if around and not re.search(TOGETHER, trace.name_of(row)):
            steps[around[0]].append(row)
    return [
        rows
        for rows in steps.values()
        if len(rows) >= 32 and max(Counter(trace.name[rows].tolist()).values()) >= 8
    ]


def optimizer(books: Books) -> Counted:
    loops, after = optimizer_loops(books.seen), books.seen.gaps.after.tolist()
    rows = {row for loop in loops for row in loop}
    busy = books.work(rows)
    idle = given_out(books, lambda gap: after[gap] in rows)
    figures: Figures = {
        "kernels": len(rows),
        "steps": len(loops),
        "gpu_time_ns": sum(busy[row] for row in rows),
        "idle_ns": sum(idle.values()),
        "kernel_floor_ns": 2_000,
        "host_kept_ns": 10_000,
    }
    return Counted(figures, busy, idle)


def small_grids(books: Books) -> dict[int, tuple[int, int]]:
    """Blocks of each kernel with few, and its device's multiprocessors."""
    seen, trace = books.seen, books.seen.trace
    sms = {device.id: device.sms or 0 for device in trace.metadata.devices}
    talking = collective_rows(seen)
    blocks: dict[int, tuple[int, int]] = {}
    for row in seen.gpu_ops.tolist():
        config = int(trace.columns.launch_config[row])
        grid = trace.launch_configs[config].grid if config != ABSENT else None
        number = trace.number_of_device(int(trace.device[row]))
        if grid and is_kernel(seen, row) and row not in talking and books.own[row] > 2_000:
            count = grid[0] * grid[1] * grid[2]
            if 0 < count < 0.5 * sms.get(number, 0):
                blocks[row] = (count, sms[number])
    return blocks


def before(idle: Idle, seen: Slice, rows: Iterable[int]) -> int:
    """Of idle time what lies right before some operations."""
    after, wanted = seen.gaps.after.tolist(), set(rows)
    return sum(ns for (gap, _), ns in idle.items() if after[gap] in wanted)


def small_grid(books: Books) -> Counted:
    seen, blocks = books.seen, small_grids(books)
    busy, under = books.of_work(set(blocks))
    idle = before(books.launch_bound, seen, blocks)
    if under is None and idle > sum(busy.values()):
        under = "launch-bound"
    worst = max(sorted(busy), key=lambda row: busy[row])
    figures: Figures = {
        "small_grids": sum(ns > 0 for ns in busy.values()),
        "small_grids_running_ns": sum(busy.values()),
        "blocks": blocks.get(worst, (0, 0))[0],
        "multiprocessors": blocks.get(worst, (0, 0))[1],
        "kernel_floor_ns": 2_000,
    }
    if idle:
        figures["before_small_grids_ns"] = idle
    return Counted(figures, busy, under=under)


# The host


def opaque(books: Books) -> Counted:
    seen = books.seen
    bars = fat_bars(seen.analysed.cpu)
    rows = [
        row
        for index, row, kind in zip(
            bars.index.tolist(), bars.rows.tolist(), bars.kind.tolist(), strict=True
        )
        if kind == FatKind.OPAQUE and seen.analysed.cpu.work.gpu_ops[index]
    ]
    bare = bare_time(seen.trace, np.array(rows, np.int64))
    trace, gaps = seen.trace, seen.gaps
    unexplained: dict[int, int] = defaultdict(int)
    stalls: set[int] = set()
    idle: Idle = {}
    for place, low, high in zip(
        bare.of.tolist(), bare.start.tolist(), bare.end.tolist(), strict=True
    ):
        lane = int(trace.lane[rows[place]])
        told = seen.analysed.finder.host.thread(lane).up_to[Activity.RUNTIME]
        explained = Clock(zip(told.start.tolist(), told.end.tolist(), strict=True))
        unexplained[place] += high - low - explained.gone(low, high)
        for gap in range(len(gaps)):
            launch = int(gaps.causes.launch[gap])
            if int(gaps.causes.lane[gap]) != lane or not books.idle[gap][Cause.DISPATCH]:
                continue
            begin = max(low, int(gaps.start[gap]))
            end = min(high, int(gaps.end[gap]), int(trace.start[launch]))
            if end > begin and (part := end - begin - explained.gone(begin, end)):
                idle[gap, Cause.DISPATCH] = idle.get((gap, Cause.DISPATCH), 0) + part
                stalls.add(place)
    figures: Figures = {
        "unexplained_ns": sum(unexplained[place] for place in stalls),
        "cpu_ops": len(stalls),
        "idle_meanwhile_ns": sum(idle.values()),
    }
    return Counted(figures, idle=idle)


def waits_gone(books: Books) -> tuple[list[int], int]:
    """Of each gap what the run without the host's waits spares, and of the whole span."""
    seen, kinds = books.seen, books.seen.analysed.finder.host.kinds
    left: dict[int, int] = {}
    shorter = 0
    for device, r in zip(seen.devices, seen.replays, strict=True):
        rows = device.rows.tolist()
        own = [books.own[row] for row in rows]
        kept = [i for i, call in enumerate(r.calls.tolist()) if kinds[call] != CallKind.SYNC]
        begins, ended = simulate(r, own, kept=kept), device.start
        for row, begin, ns in zip(rows, begins, own, strict=True):
            left[row] = begin - ended
            ended = begin + ns
        shorter += device.end - ended
    lengths, after = seen.gaps.length.tolist(), seen.gaps.after.tolist()
    spared = [max(0, ns - left[row]) for ns, row in zip(lengths, after, strict=True)]
    return spared, max(0, shorter)


def waits_own(books: Books, spared: list[int]) -> Idle:
    """Of what each gap is spared the part that is left: in waits, then of what the host does."""
    idle: Idle = {}
    for gap, ns in enumerate(spared):
        left = ns
        for cause in (Cause.SYNC, *GIVING_OUT, Cause.QUEUED):
            part = min(books.idle[gap][cause], left)
            left -= part
            if part:
                idle[gap, cause] = part
    return idle


def syncs(books: Books, told: Finding) -> Counted:
    seen, trace = books.seen, books.seen.trace
    causes = seen.gaps.causes
    trigger, calls = causes.trigger.tolist(), causes.trigger_row.tolist()
    spared, gain = waits_gone(books)
    idle = waits_own(books, spared)
    if told.under is not None or gain < 0.03 * seen.span_ns:
        gain = min(gain, sum(idle.values()))
        idle = books.idle_of(Cause.SYNC, *GIVING_OUT, when=lambda gap: trigger[gap] == Trigger.SYNC)
    waits = set()
    last: dict[int, int] = {}
    own = {gap for gap, _ in idle}
    for gap, (kind, device) in enumerate(zip(trigger, seen.gaps.device.tolist(), strict=True)):
        if kind == Trigger.SYNC:
            last[device] = calls[gap]
        if gap in own and device in last:
            waits.add(last[device])
    figures: Figures = {
        "idle_ns": sum(idle.values()),
        "waits": len(waits),
        "waiting_ns": sum(ns for (_, cause), ns in idle.items() if cause == Cause.SYNC),
        "gain_ns": min(gain, sum(idle.values())),
    }
    steps = list(zip(seen.analysed.steps.start, seen.analysed.steps.end, strict=True))
    if steps:
        hit = {
            i
            for call in waits
            for i, (low, high) in enumerate(steps)
            if low <= trace.start[call] < high
        }
        figures |= {"steps_with_waits": len(hit), "steps": len(steps)}
    return Counted(figures, idle=idle, under=told.under, gain=gain)


def launch_bound(books: Books, waits_own: bool) -> Counted:
    seen = books.seen
    idle = given_out(books)
    if not waits_own:
        idle |= books.idle_of(Cause.SYNC)
    gaps = {gap for gap, _ in idle}
    own = books.own
    whole = sum(idle.values())
    after = [own[int(seen.gaps.after[gap])] for gap in gaps]
    figures: Figures = {
        "idle_ns": whole,
        "span_ns": seen.span_ns,
        "of_span_share": whole / seen.span_ns,
        "operations": len(gaps),
        "mean_operation_ns": round(sum(after) / len(after)),
        "idle_before_each_ns": round(whole / len(gaps)),
    }
    for cause in Cause:
        part = sum(ns for (_, of), ns in idle.items() if of == cause)
        if part:
            figures[f"{cause.name.lower()}_ns"] = part
    few = small_grids(books)
    small = before(idle, seen, few)
    if small >= 0.03 * seen.span_ns:
        figures |= {"small_grids": len(few), "small_grids_running_ns": sum(own[row] for row in few)}
        figures["before_small_grids_ns"] = small
    return Counted(figures, idle=idle)


def tiny(books: Books, told: Finding) -> Counted:
    seen = books.seen
    kernels = [row for row in seen.gpu_ops.tolist() if is_kernel(seen, row)]
    short = [row for row in kernels if seen.trace.dur[row] < 5_000]
    own = books.own
    figures: Figures = {
        "tiny_kernels": len(short),
        "all_kernels": len(kernels),
        "tiny_below_ns": 5_000,
        "running_ns": sum(own[row] for row in short),
    }
    busy = {row: own[row] if told.under else books.busy[row] for row in short}
    return Counted(figures, busy, under=told.under)


# Notes


def occupancy(books: Books) -> Counted:
    seen = books.seen
    time: dict[int, int] = defaultdict(int)
    for row in seen.gpu_ops.tolist():
        time[int(seen.trace.name[row])] += int(seen.trace.dur[row])
    low = {
        name: fact
        for name, fact in zip(seen.kernels.name.tolist(), seen.kernel_facts, strict=True)
        if fact.occupancy_pct is not None
        and fact.occupancy_pct < thresholds.LOW_OCCUPANCY_PCT
        and time[name] / sum(time.values()) >= 0.05
        and (fact.bound.share or 0) >= 0.5
    }
    most = low[max(low, key=lambda name: time[name])]
    assert most.occupancy_pct is not None
    assert most.bound.share is not None
    return Counted(
        {
            "kernel_names": len(low),
            "occupancy_pct": most.occupancy_pct,
            "of_roof_share": most.bound.share,
        }
    )


def graphs(books: Books) -> Counted:
    seen, trace = books.seen, books.seen.trace
    graph = {
        row: call for row, call in launches(seen).items() if "GraphLaunch" in trace.name_of(call)
    }
    return Counted(
        {
            "in_graphs": len(graph),
            "operations": len(seen.gpu_ops),
            "running_ns": sum(int(trace.dur[row]) for row in graph),
            "graph_launches": len(set(graph.values())),
        }
    )


def unlaunched(books: Books) -> Counted:
    seen = books.seen
    alone = [row for row in seen.gpu_ops.tolist() if seen.trace.launch[row] == ABSENT]
    return Counted(
        {
            "without_launch": len(alone),
            "operations": len(seen.gpu_ops),
            "running_ns": sum(int(seen.trace.dur[row]) for row in alone),
        }
    )


LAUNCHING = re.compile(r"(cuda|cu|hip)\w*(Launch|Memcpy\w*Async|Memset|Prefetch)\w*|urEnqueue\w+")


def lost(books: Books) -> Counted:
    """Launches by name whose correlation no operation that went to them bears."""
    seen, trace = books.seen, books.seen.trace
    own = set(launches(seen).values())
    calls = [
        row
        for row in seen.rows.cpu.tolist()
        if trace.category_of(row) in (Category.RUNTIME, Category.DRIVER)
        and (row in own or LAUNCHING.match(trace.name_of(row)))
    ]
    return Counted({"lost": len(set(calls) - own), "launch_calls": len(calls)})


def foreign(trace: Trace) -> int:
    """Events of accelerators that are no GPUs, but for the host's calls to them."""
    mine = {word: count for word, count in trace.category_counts.items() if word.startswith("mtia")}
    return sum(count for word, count in mine.items() if not word.endswith("runtime"))


def ranges(trace: Trace) -> int:
    return sum(n for word, n in trace.category_counts.items() if "profiler_range" in word)


COUNT: dict[str, Callable[[Books], Counted]] = {
    "idle-data-loading": data_loading,
    "first-use-load": one_cause(Cause.MODULE_LOAD),
    "steady-allocation": allocation(goes_on=True),
    "first-allocation": allocation(goes_on=False),
    "naive-attention": naive,
    "sdpa-math": math,
    "upcast": upcast,
    "hidden-copy": hidden,
    "expanded-heads": expanded,
    "optimizer-loop": optimizer,
    "pageable-copies": pageable,
    "exposed-copies": exposed,
    "exposed-communication": collectives,
    "collectives": collectives,
    "unaligned-shapes": unaligned,
    "fp32-products": fp32,
    "unfused-pointwise": pointwise,
    "opaque-cpu": opaque,
    "idle-python": long_code(Cause.PYTHON),
    "idle-unrecorded": long_code(Cause.UNRECORDED),
    "idle-dispatch": long_code(Cause.DISPATCH),
    "idle-runtime": long_code(Cause.RUNTIME),
    "idle-launch-call": long_code(Cause.LAUNCH_CALL),
    "small-grid": small_grid,
    "idle-copy": one_cause(Cause.COPY),
    "idle-unexplained": unexplained,
    "idle-wait-event": one_cause(Cause.WAIT_EVENT),
    "idle-unknown": one_cause(Cause.UNKNOWN),
    "graph-gaps": one_cause(Cause.GRAPH),
    "kernel-starts": one_cause(Cause.QUEUED),
    "low-occupancy-fine": occupancy,
    "graph-replays": graphs,
    "no-launches": unlaunched,
    "lost-kernels": lost,
    "other-accelerator": lambda books: Counted({"events": foreign(books.seen.trace)}),
    "range-profile": lambda books: Counted({"ranges": ranges(books.seen.trace)}),
    "no-cpu-side": lambda books: Counted({"operations": len(books.seen.gpu_ops)}),
}
"""What is counted again by itself; waits, launches and tiny kernels depend on one another."""

ORDER = (
    *("idle-data-loading", "first-use-load", "steady-allocation", "first-allocation"),
    *("pageable-copies", "opaque-cpu"),
    *("idle-python", "idle-unrecorded", "idle-dispatch", "idle-runtime", "idle-launch-call"),
    *("naive-attention", "sdpa-math", "upcast", "hidden-copy", "expanded-heads"),
    *("optimizer-loop", "exposed-copies", "exposed-communication"),
    *("unaligned-shapes", "fp32-products", "unfused-pointwise"),
    *("sync-stalls", "launch-bound", "tiny-kernels", "small-grid", "idle-copy"),
    *("idle-unexplained", "idle-wait-event", "idle-unknown", "graph-gaps", "kernel-starts"),
)
"""The order in which findings take time."""
