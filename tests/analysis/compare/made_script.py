"""Made-up scripts of ops that launch kernels, one after another, as loaded traces."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from builders import Event, complete, cpu_op, kernel, launch, memset, write_trace

from attntui.trace import Trace, load

BF16 = "c10::BFloat16"
GEMM = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT"
SOFTMAX = "void softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, false, false>(int)"
FLASH = "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4> >(int)"
ADD = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float> >(int)"


class Script:
    """Writes events down; host and device time advance with each. Times in us."""

    def __init__(self, tid: int = 100) -> None:
        self.events: list[Event] = []
        self.now = 0.0
        self.gpu_now = 1000.0
        self.number = 0
        self.tid = tid

    def leaked(self, dur: float = 50) -> None:
        """A kernel of the warm-up, launched before the trace began."""
        self.events.append(kernel("warmup", self.gpu_now, dur, 10**6))
        self.gpu_now += dur

    @contextmanager
    def inside(self, name: str, category: str = "user_annotation") -> Iterator[None]:
        """An annotation, or another span, round what is written inside."""
        event = complete(category, name, self.now, 0, tid=self.tid)
        self.events.append(event)
        self.now += 1
        yield
        self.now += 1
        event["dur"] = self.now - event["ts"]
        self.now += 1

    def op(self, name: str, *launched: tuple[str, float], dims: Any = (), outer: str = "") -> None:
        """An op that launches GPU operations (name, us); the name `memset` makes a memset."""
        if outer:
            with self.inside(outer, "cpu_op"):
                self.op(name, *launched, dims=dims)
            return
        args = inputs(dims) if dims else {}
        begun = self.now
        for what, dur in launched:
            self.now += 1
            self.number += 1
            self.events.append(launch(self.number, self.now, 1, tid=self.tid))
            make = memset if what == "memset" else _named(what)
            self.events.append(make(self.gpu_now, dur, self.number))
            self.gpu_now += dur + 1
            self.now += 1
        self.now += 1
        self.events.append(cpu_op(name, begun, self.now - begun, args=args, tid=self.tid))
        self.now += 1

    def naive(self, scale: float = 1, shape: Sequence[int] = (2, 4, 128, 64)) -> None:
        """Naive attention in bf16: product, scale, softmax, product."""
        batch, heads, length, width = shape
        q, k = [batch * heads, length, width], [batch * heads, width, length]
        scores, out = [batch, heads, length, length], [batch * heads, length, length]
        self.op("aten::bmm", ("memset", 1), (GEMM, 10 * scale), dims=(q, k))
        self.op("aten::mul", (ADD, 20 * scale), dims=(scores, []))
        self.op("aten::_softmax", (SOFTMAX, 30 * scale), dims=(scores, []), outer="aten::softmax")
        self.op("aten::bmm", (GEMM, 11 * scale), dims=(out, q))

    def sdpa(
        self, scale: float = 1, shape: Sequence[int] = (2, 4, 128, 64), *, causal: bool = False
    ) -> None:
        """Attention in bf16 by the flash backend."""
        told = cpu_op("aten::scaled_dot_product_attention", self.now, 0, tid=self.tid)
        concrete = ("", "", "", "", "0.", str(causal))
        told["args"] = inputs((shape, shape, shape, [], [], []), concrete)
        self.events.append(told)
        self.now += 1
        self.op(
            "aten::_flash_attention_forward",
            (FLASH, 9 * scale),
            outer="aten::_scaled_dot_product_flash_attention",
        )
        told["dur"] = self.now - told["ts"]
        self.now += 1

    def layer(self, fused: bool, scale: float = 1) -> None:
        """One block of a transformer."""
        wide = ([64], [256, 64], [64, 64])
        self.op("aten::native_layer_norm", (ADD, 3), dims=([2, 128, 64], [64], [64]))
        self.op("aten::addmm", (GEMM, 12 * scale), dims=wide, outer="aten::linear")
        if fused:
            self.sdpa()
        else:
            self.naive()
        self.op("aten::addmm", ("memset", 1), (GEMM, 6 * scale), dims=wide, outer="aten::linear")
        self.op("aten::add", (ADD, 2), dims=([2, 128, 64], [2, 128, 64]))

    def trace(self, **top: Any) -> Trace:
        """What was written, as a loaded trace."""
        with tempfile.TemporaryDirectory() as folder:
            return load(write_trace(Path(folder), self.events, **top))


def _named(name: str) -> Any:
    return lambda ts, dur, correlation: kernel(name, ts, dur, correlation)


def inputs(dims: Sequence[Sequence[int]], concrete: Sequence[str] = ()) -> dict[str, Any]:
    """Args of an op with bf16 tensors of these shapes; an empty shape is a scalar."""
    return {
        "Input Dims": [list(shape) for shape in dims],
        "Input type": [BF16 if shape else "Scalar" for shape in dims],
        "Input Strides": [strides(shape) for shape in dims],
        "Concrete Inputs": list(concrete) or [""] * len(dims),
    }


def strides(shape: Sequence[int]) -> list[int]:
    """Strides of a contiguous tensor."""
    found: list[int] = []
    step = 1
    for size in reversed(shape):
        found.insert(0, step)
        step *= size
    return found


def stack(fused: bool, layers: int = 3, steps: int = 2, scale: float = 1) -> Trace:
    """Some profiler steps of some layers, with an annotation round each forward."""
    script = Script()
    script.leaked()
    for step in range(steps):
        with script.inside(f"ProfilerStep#{step}"), script.inside("forward"):
            for _ in range(layers):
                script.layer(fused, scale)
    return script.trace()
