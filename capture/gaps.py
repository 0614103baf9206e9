"""GPU idle planted on purpose: one labelled phase a cause, the truth for whoever reads gaps.

Each phase starts on a drained device, outside its label, so that what lies inside the label was
planted there. Causes and triggers: a cause is where the host was while the GPU waited (`sync`,
`copy`, `memory`, `module_load`, `data_loading`, `runtime`, `dispatch`, `python`, `launch_call`,
`queued`, `wait_event`, `graph`, `unrecorded`); a trigger is the blocking call that drained the
queue (`sync`, `copy`, `wait_event`, `none`).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.profiler import record_function
from torch.utils.data import DataLoader, Dataset

from capture.errors import Refusal
from capture.shapes import Method
from capture.workload import Workload

SLEEP_S = 0.002
ITEMS = 8
TINY_KERNELS = 64
GRAPH_KERNELS = 8
ALLOCATION_BYTES = 64 << 20
COPY_BYTES = 16 << 20
SPIN_CYCLES = 4_000_000

# Kernels nothing else here uses, one a step: with lazy loading the first launch loads its code.
_FIRST_USES: tuple[Callable[..., torch.Tensor], ...] = (
    torch.atanh,
    torch.asinh,
    torch.acosh,
    torch.expm1,
    torch.log1p,
    torch.frac,
    torch.trunc,
    torch.tan,
    torch.sinh,
    torch.cosh,
    torch.asin,
    torch.logit,
)

# Kernels nothing else here uses either, but of modules that other types have loaded before.
# The longest code comes last, where a profile records: it takes the longest to load.
_IN_USE: tuple[Callable[..., torch.Tensor], ...] = (
    torch.neg,
    torch.abs,
    torch.sign,
    torch.tanh,
    torch.sin,
    torch.cos,
    torch.atan,
)
_OTHER_TYPES = (torch.float64, torch.float16, torch.bfloat16)
_LATER_USES = tuple(itertools.product(_IN_USE, _OTHER_TYPES))
LATER_USES_A_STEP = 3


@dataclass(frozen=True, slots=True)
class Planted:
    """What a phase plants: the label, in words, and what a reader of gaps should say.

    `causes`: what may be told of the largest gap that ends with an operation of the phase other
    than its first, the likeliest first; `triggers`: likewise what drained the queue before it.
    """

    label: str
    what: str
    causes: tuple[str, ...]
    triggers: tuple[str, ...]

    def facts(self) -> dict[str, Any]:
        """The planting as JSON facts."""
        return {
            "label": self.label,
            "planted": self.what,
            "causes": list(self.causes),
            "triggers": list(self.triggers),
        }


class _SlowDataset(Dataset[torch.Tensor]):
    """Three items, each a sleep away."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> torch.Tensor:
        if index >= len(self):
            raise IndexError(index)
        time.sleep(SLEEP_S)
        return torch.ones(4)


class _Bench:
    """What the phases work on, made before the profile begins."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.wide = torch.rand(4 << 20, device=device)
        self.spare = torch.empty_like(self.wide)
        self.one = torch.rand(1, device=device)
        self.pageable = torch.rand(COPY_BYTES // 4)
        self.landing = torch.empty(COPY_BYTES // 4, device=device)
        self.side = torch.cuda.Stream(device)
        self.values = {
            dtype: torch.ones(1024, device=device, dtype=dtype) for dtype in _OTHER_TYPES
        }
        self.results = {dtype: torch.empty_like(ones) for dtype, ones in self.values.items()}
        for function in _IN_USE:
            function(self.one)
        self.loader = DataLoader(_SlowDataset(), batch_size=1)
        self.graph = torch.cuda.CUDAGraph()
        warm = torch.cuda.Stream(device)
        warm.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(warm):
            self.one.add_(1.0)
        torch.cuda.current_stream(device).wait_stream(warm)
        with torch.cuda.graph(self.graph):
            for _ in range(GRAPH_KERNELS):
                self.one.add_(1.0)

    def kernel(self) -> None:
        """Some microseconds of work on the current stream."""
        self.wide.add_(1.0)


def _host_sleep(bench: _Bench, step: int) -> None:
    bench.kernel()
    time.sleep(SLEEP_S)
    bench.kernel()


def _item_sync(bench: _Bench, step: int) -> None:
    for _ in range(ITEMS):
        bench.wide.sum().item()


def _pageable_copy(bench: _Bench, step: int) -> None:
    # The spin outlasts the dispatch, so that it is the copy that finds the queue full.
    torch.cuda._sleep(SPIN_CYCLES)
    bench.landing.copy_(bench.pageable)
    bench.kernel()


def _staged_copy(bench: _Bench, step: int) -> None:
    bench.kernel()
    bench.landing.copy_(bench.pageable)


def _cuda_malloc(bench: _Bench, step: int) -> None:
    for _ in range(4):
        fresh = torch.empty(ALLOCATION_BYTES // 4, device=bench.device)
        fresh.fill_(1.0)
        del fresh
        torch.cuda.empty_cache()


def _tiny_kernels(bench: _Bench, step: int) -> None:
    for _ in range(TINY_KERNELS):
        bench.one.add_(1.0)


def _event_wait(bench: _Bench, step: int) -> None:
    # Each spin outlasts the calls after it, so the host is ahead and only the events hold up.
    main = torch.cuda.current_stream(bench.device)
    torch.cuda._sleep(SPIN_CYCLES)
    with torch.cuda.stream(bench.side):
        bench.kernel()
    bench.side.wait_stream(main)
    with torch.cuda.stream(bench.side):
        torch.cuda._sleep(SPIN_CYCLES)
    main.wait_stream(bench.side)
    bench.kernel()


def _data_loading(bench: _Bench, step: int) -> None:
    for batch in bench.loader:
        bench.wide.add_(float(batch.shape[0]))


def _graph_replay(bench: _Bench, step: int) -> None:
    bench.graph.replay()


def _module_load(bench: _Bench, step: int) -> None:
    bench.kernel()
    if step < len(_FIRST_USES):
        _FIRST_USES[step](bench.wide, out=bench.spare)
    bench.kernel()


def _function_load(bench: _Bench, step: int) -> None:
    bench.kernel()
    first = step * LATER_USES_A_STEP
    for function, dtype in _LATER_USES[first : first + LATER_USES_A_STEP]:
        function(bench.values[dtype], out=bench.results[dtype])


PHASES: tuple[tuple[Planted, Callable[[_Bench, int], None]], ...] = (
    (
        Planted(
            "gap:host_sleep",
            "a kernel, 2 ms of time.sleep, a kernel",
            ("unrecorded", "python"),
            ("none",),
        ),
        _host_sleep,
    ),
    (
        Planted(
            "gap:item_sync",
            f"{ITEMS} sums, each read with .item()",
            ("dispatch", "launch_call", "sync", "runtime", "unrecorded", "python"),
            ("sync",),
        ),
        _item_sync,
    ),
    (
        Planted(
            "gap:pageable_copy",
            "a kernel that spins, a blocking 16 MiB copy from pageable memory, a kernel: the"
            " host launches the last only when the copy is done",
            ("dispatch", "unrecorded", "launch_call", "python", "runtime"),
            ("copy",),
        ),
        _pageable_copy,
    ),
    (
        Planted(
            "gap:staged_copy",
            "a kernel, a blocking 16 MiB copy from pageable memory: the kernel has ended before"
            " the copy is staged",
            ("copy",),
            ("none",),
        ),
        _staged_copy,
    ),
    (
        Planted(
            "gap:cuda_malloc",
            "four times: allocate 64 MiB, fill it, free it, empty the allocator's cache",
            ("memory",),
            ("none", "sync"),
        ),
        _cuda_malloc,
    ),
    (
        Planted(
            "gap:tiny_kernels",
            f"{TINY_KERNELS} kernels on one element: the host launches slower than they run",
            ("launch_call", "dispatch", "unrecorded", "python", "runtime"),
            ("none",),
        ),
        _tiny_kernels,
    ),
    (
        Planted(
            "gap:event_wait",
            "a kernel that spins; on another stream a kernel and one that waits for the first and"
            " spins; one that waits for that: each stream idles two milliseconds, the device some"
            " microseconds",
            ("wait_event",),
            ("none", "wait_event"),
        ),
        _event_wait,
    ),
    (
        Planted(
            "gap:data_loading",
            "three batches of a DataLoader that sleeps 2 ms for each, a kernel after each",
            ("data_loading",),
            ("none",),
        ),
        _data_loading,
    ),
    (
        Planted(
            "gap:graph_replay",
            f"one replay of a CUDA graph of {GRAPH_KERNELS} kernels on one element",
            ("graph",),
            ("none",),
        ),
        _graph_replay,
    ),
    (
        Planted(
            "gap:module_load",
            "a kernel, the first use in this process of another, a kernel: the code is loaded in"
            " part before the launch call, where a profiler sees the op and no more, and in part"
            " inside it, where it records the overhead",
            ("dispatch", "module_load"),
            ("none",),
        ),
        _module_load,
    ),
    (
        Planted(
            "gap:function_load",
            f"a kernel, then {LATER_USES_A_STEP} that are used for the first time in this process,"
            " of modules in use: their code is loaded inside the launch call, as the profiler"
            " records",
            ("module_load",),
            ("none",),
        ),
        _function_load,
    ),
)


def gaps_workload(device: torch.device, method: Method) -> Workload:
    """Every phase in turn, once a step. Raises Refusal without a CUDA device."""
    if device.type != "cuda":
        raise Refusal("the planted idle is idle of a GPU; it needs a CUDA device")
    bench = _Bench(device)

    def step(index: int) -> None:
        for planted, phase in PHASES:
            torch.cuda.synchronize(device)
            with record_function(planted.label):
                phase(bench, index)

    return Workload(
        name="gaps",
        stem="gaps",
        labels=tuple(planted.label for planted, _ in PHASES),
        step=step,
        timed=None,
        check=lambda: None,
        facts={"planted": [planted.facts() for planted, _ in PHASES]},
        sync_events=True,
    )
