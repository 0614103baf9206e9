"""Times without the profiler, and the ceilings of a device."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch

TORCH_DTYPES: dict[str, torch.dtype] = {
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "fp32": torch.float32,
}


@dataclass(frozen=True, slots=True)
class Timing:
    """Medians over `repeats` calls, in ns: on the GPU between two events, and on the host.

    The host time runs from the call to its return and does not wait for the GPU, unless the
    work itself does. gpu_ns is None on the CPU.
    """

    gpu_ns: int | None
    host_ns: int
    repeats: int

    def facts(self) -> dict[str, Any]:
        """The timing as JSON facts."""
        return asdict(self)


def time_call(
    call: Callable[[], object], device: torch.device, *, repeats: int, warmup: int = 3
) -> Timing:
    """Time `call`: CUDA events round each of `repeats` calls, the queue never drained between."""
    for _ in range(warmup):
        call()
    if device.type != "cuda":
        spans = [_host_ns(call) for _ in range(repeats)]
        return Timing(None, round(statistics.median(spans)), repeats)
    starts = [torch.cuda.Event(enable_timing=True) for _ in range(repeats)]
    ends = [torch.cuda.Event(enable_timing=True) for _ in range(repeats)]
    torch.cuda.synchronize(device)
    spans = []
    for start, end in zip(starts, ends, strict=True):
        start.record()
        spans.append(_host_ns(call))
        end.record()
    torch.cuda.synchronize(device)
    gpu_ms = [start.elapsed_time(end) for start, end in zip(starts, ends, strict=True)]
    return Timing(round(statistics.median(gpu_ms) * 1e6), round(statistics.median(spans)), repeats)


def _host_ns(call: Callable[[], object]) -> int:
    begin = time.perf_counter_ns()
    call()
    return time.perf_counter_ns() - begin


@dataclass(frozen=True, slots=True)
class Ceilings:
    """Measured roofs: copy in GB/s (bytes read plus bytes written), products in TFLOP/s."""

    copy_gbps: float
    copy_bytes: int
    matmul_size: int
    bf16_tflops: float
    fp16_tflops: float
    fp32_tflops: float

    def facts(self) -> dict[str, Any]:
        """The ceilings as JSON facts."""
        return asdict(self)


def measure_ceilings(device: torch.device, seed: int = 0) -> Ceilings:
    """Measure a large copy and square matrix products on random data, medians of events.

    The copy moves 2 GiB on a GPU, many times its cache; fp32 products run without tf32, torch's
    default. On the CPU the sizes are small, so that the figures come in seconds.
    """
    on_gpu = device.type == "cuda"
    elements, size, repeats = (1 << 29, 8192, 20) if on_gpu else (1 << 24, 512, 5)
    generator = torch.Generator(device).manual_seed(seed)
    copy_bytes, copy_ns = _time_copy(elements, device, generator, repeats)
    rates: dict[str, float] = {}
    for name, dtype in TORCH_DTYPES.items():
        left = torch.randn(size, size, device=device, generator=generator).to(dtype)
        right = torch.randn(size, size, device=device, generator=generator).to(dtype)
        out = torch.empty_like(left)

        def product(left: Any = left, right: Any = right, out: Any = out) -> None:
            torch.mm(left, right, out=out)

        spent = _best_clock(time_call(product, device, repeats=repeats))
        rates[name] = 2 * size**3 / spent / 1e3
    return Ceilings(
        copy_gbps=round(copy_bytes / copy_ns, 1),
        copy_bytes=copy_bytes,
        matmul_size=size,
        bf16_tflops=round(rates["bf16"], 2),
        fp16_tflops=round(rates["fp16"], 2),
        fp32_tflops=round(rates["fp32"], 2),
    )


def _time_copy(
    elements: int, device: torch.device, generator: torch.Generator, repeats: int
) -> tuple[int, int]:
    """Bytes read plus bytes written by a copy of `elements` floats, and its time in ns."""
    source = torch.randn(elements, device=device, generator=generator)
    sink = torch.empty_like(source)
    spent = _best_clock(time_call(lambda: sink.copy_(source), device, repeats=repeats))
    return 2 * source.numel() * source.element_size(), spent


def _best_clock(timing: Timing) -> int:
    return timing.host_ns if timing.gpu_ns is None else timing.gpu_ns
