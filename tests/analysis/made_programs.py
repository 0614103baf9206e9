"""Random programs as traces: hosts that launch, wait, copy and talk, and the devices they feed.

    @given(programs())
    def test_...(events: list[Event]) -> None: ...

A program is simulated well enough that its trace looks recorded: streams run in order, waits
end when their work is done. Times in ns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from builders import Event
from hypothesis import strategies as st
from made import annotation, call, complete, copy, frame, kernel, op

COLLECTIVE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
DEVICE = {
    "id": 0,
    "name": "NVIDIA H200",
    "computeMajor": 9,
    "computeMinor": 0,
    "numSms": 132,
}
SHAPES = ([[30, 7], [7, 30]], [[4096, 4096], [4096, 4096]], [[1 << 20], [1 << 20]])
KINDS = (
    *("add", "mul", "mm", "odd", "fill", "few", "collective", "graph", "early"),
    *("to_host", "pageable", "pinned", "memset", "sync", "item", "malloc", "load", "batch"),
    *("think", "python", "optimizer", "masked", "held", "chain", "skewed"),
)
NAMES = {
    "add": "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
    "mul": "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, "
    "float, float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >()",
    "mm": "ampere_sgemm_128x64_tn",
    "odd": "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_nn_align2",
    "few": "reduce_kernel",
    "collective": COLLECTIVE,
}


@dataclass
class Program:
    """What ran so far: the host's time by thread, and when each stream is free."""

    events: list[Event] = field(default_factory=list)
    host: dict[int, int] = field(default_factory=dict)
    free: dict[tuple[int, int], int] = field(default_factory=dict)
    number: int = 0

    def give(
        self,
        thread: int,
        name: str,
        run: int,
        place: tuple[int, int],
        *,
        category: str = "kernel",
        shapes: list[list[int]] | None = None,
        late: int = 500,
        launch: bool = True,
        kind: str = "aten::op",
        **args: Any,
    ) -> tuple[int, int]:
        """One op that launches one operation; the operation's start and end."""
        self.number += 1
        now = self.host[thread]
        device, stream = place
        if launch:
            told = {"Input Dims": shapes, "Input type": ["float"] * len(shapes)} if shapes else {}
            self.events.append(op(kind, now, now + 3_000, tid=thread, **told))
            called = now + 1_000
            self.events.append(
                call("cudaLaunchKernel", called, called + 1_000, self.number, tid=thread)
            )
            self.host[thread] = now + 3_000
        begin = max(self.free.get(place, 0), now + 1_000 + late)
        event = kernel(name, begin, begin + run, self.number, stream=stream, device=device,
                       category=category)  # fmt: skip
        event["args"] |= args
        self.events.append(event)
        self.free[place] = begin + run
        return begin, begin + run

    def blocked(self, thread: int, name: str, until: int, number: int = 0) -> None:
        now = self.host[thread]
        end = max(now + 200, until + 300)
        self.events.append(call(name, now, end, number, tid=thread))
        self.host[thread] = end

    def busy(self, thread: int, event: Event, until: int) -> None:
        self.events.append(event)
        self.host[thread] = until


Turn = tuple[str, int, int, int, int]
"""Kind, thread, stream, how long the host thinks before, how long the device runs."""


def play(turns: list[Turn], devices: int = 1) -> list[Event]:
    """The trace's events of a program."""
    p = Program(host={1: 0, 2: 0})
    p.give(1, "first", 5_000, (0, 7))
    for kind, thread, stream, think, run in turns:
        now = p.host[thread] = p.host[thread] + think
        place = (stream % devices, stream)
        shapes = SHAPES[stream % len(SHAPES)]
        if kind in ("add", "mul", "mm", "odd"):
            p.give(thread, NAMES[kind], run, place, shapes=shapes, kind=f"aten::{kind}")
        elif kind == "chain":
            for name in ("mul", "add", "mul", "mul"):
                p.give(thread, NAMES[name], run, place, shapes=shapes, kind=f"aten::{name}")
        elif kind == "fill":
            p.give(thread, "FillFunctor", run, place, shapes=shapes, late=run)
        elif kind == "few":
            p.give(thread, NAMES[kind], run, place, grid=[1, 2, 1], block=[32, 1, 1])
        elif kind == "held":
            # This stream waits for what all others run.
            p.busy(thread, call("cudaStreamWaitEvent", now, now + 500, tid=thread), now + 500)
            p.free[place] = max(p.free.values())
            p.give(thread, NAMES["few"], run, place)
        elif kind == "collective":
            p.give(thread, NAMES[kind], run, place, shapes=shapes)
        elif kind == "skewed":
            p.give(thread, NAMES["add"], run, place, late=-1_500)
        elif kind == "early":
            p.give(thread, NAMES["add"], run, place, launch=False)
        elif kind == "graph":
            p.give(thread, "node", run, place)
            begin = p.free[place] + 700
            p.events.append(kernel("node", begin, begin + run, p.number, stream=stream,
                                   device=place[0]))  # fmt: skip
            p.free[place] = begin + run
        elif kind in ("pinned", "memset"):
            name = "Memcpy HtoD (Pinned -> Device)" if kind == "pinned" else "Memset (Device)"
            category = "gpu_memcpy" if kind == "pinned" else "gpu_memset"
            p.give(thread, name, run, place, category=category, bytes=run * 40)
        elif kind in ("pageable", "to_host", "item"):
            p.number += 1
            words = "HtoD (Pageable -> Device)" if kind == "pageable" else (
                "DtoH (Device -> Pageable)")  # fmt: skip
            begin = max(p.free.get(place, 0), now + 500)
            size = 4 if kind == "item" else 100_000
            event = copy(f"Memcpy {words}", begin, begin + run, p.number, stream=stream,
                         device=place[0])  # fmt: skip
            event["args"]["bytes"] = size
            p.events.append(event)
            p.free[place] = begin + run
            p.blocked(thread, "cudaMemcpyAsync", begin + run, p.number)
            p.blocked(thread, "cudaStreamSynchronize", begin + run)
            p.events.append(op("aten::copy_", now, p.host[thread] + 100, tid=thread))
            p.host[thread] += 200
        elif kind == "sync":
            p.blocked(thread, "cudaDeviceSynchronize", max(p.free.values()))
        elif kind in ("malloc", "load"):
            name = "cudaMalloc" if kind == "malloc" else "cuModuleLoadData"
            p.busy(thread, call(name, now, now + run, tid=thread), now + run)
        elif kind == "batch":
            name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
            p.busy(thread, annotation(name, now, now + 40 * run, tid=thread), now + 40 * run)
        elif kind == "python":
            p.busy(thread, frame("train.py(1): f", now, now + 9 * run, tid=thread), now + 9 * run)
        elif kind == "think":
            p.host[thread] = now + 30 * run
        elif kind == "optimizer":
            for _ in range(33):
                p.give(thread, NAMES["mul"], run // 20 + 1, place, shapes=shapes)
            name = "Optimizer.step#SGD.step"
            p.events.append(annotation(name, now, p.host[thread], tid=thread))
        else:
            p.give(thread, "Memcpy DtoD (Device -> Device)", run, place, category="gpu_memcpy",
                   kind="aten::clone", bytes=run)  # fmt: skip
            p.events.append(op("aten::masked_fill", now, p.host[thread], tid=thread))
    marks = sorted(p.host.values())
    return [*p.events, complete("overhead", "Activity Buffer Request", marks[-1], marks[-1] + 10)]


def turns(most: int = 25) -> st.SearchStrategy[list[Turn]]:
    """Programs as lists of turns; a loop of the same turns now and then."""
    turn = st.tuples(
        st.sampled_from(KINDS),
        st.sampled_from([1, 1, 1, 2]),
        st.sampled_from([7, 7, 8, 9]),
        st.sampled_from([0, 100, 2_000, 15_000]),
        st.sampled_from([0, 300, 3_000, 9_000, 60_000]),
    )
    some = st.lists(turn, min_size=1, max_size=most)
    loop = st.tuples(st.lists(turn, min_size=1, max_size=4), st.integers(3, 12))
    return st.one_of(some, loop.map(lambda parts: parts[0] * parts[1]))


def programs(devices: int = 1) -> st.SearchStrategy[list[Event]]:
    """The events of random programs on one or two devices."""
    return turns().map(lambda found: play(found, devices))
