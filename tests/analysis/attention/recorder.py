"""Made-up recordings of ops that launch kernels, laid out in time as they are written down."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from builders import write_trace

from attntui.trace import load
from attntui.trace.model import Trace

BF16 = "c10::BFloat16"
GEMM = "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT"
MUL = (
    "void at::native::vectorized_elementwise_kernel<8, at::native::AUnaryFunctor<c10::BFloat16, "
    "c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, "
    "std::array<char*, 2ul> >(int, std::array<char*, 2ul>)"
)
SOFTMAX = "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false, false>"
FLASH = (
    "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
    "cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, "
    "true, false, false, true, true, false, false>(pytorch_flash::Flash_fwd_params)"
)


class Recorder:
    """Writes events one after another; the time advances with each. Times in us."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.tid = 1
        self.now = 0
        self.gpu_now = 0
        self.correlation = 0

    @contextmanager
    def op(
        self,
        name: str,
        *dims: Any,
        category: str = "cpu_op",
        types: Sequence[str] = (),
        concrete: Sequence[str] = (),
        seq: int | None = None,
        forward: int = 0,
        shapes: bool = True,
    ) -> Iterator[None]:
        """An op round what is recorded inside; `dims` of its inputs, bf16 unless told."""
        args: dict[str, Any] = {}
        if dims and shapes:
            args["Input Dims"] = [list(shape) for shape in dims]
            args["Input type"] = [*types, *(BF16 if s else "Scalar" for s in dims[len(types) :])]
            args["Input Strides"] = [_strides(shape) for shape in dims]
            args["Concrete Inputs"] = [*concrete, *[""] * (len(dims) - len(concrete))]
        if seq is not None:
            args |= {"Sequence number": seq, "Fwd thread id": forward}
        event = {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": self.tid, "args": args}
        self.events.append(event)
        event["ts"] = self.now
        self.now += 1
        yield
        self.now += 1
        event["dur"] = self.now - event["ts"]
        self.now += 1

    def leaf(self, name: str, *dims: Any, kernel: str | None = None, **more: Any) -> None:
        """An op that launches one kernel, or none."""
        with self.op(name, *dims, **more):
            if kernel:
                self.kernel(kernel)

    def kernel(
        self,
        name: str,
        *,
        category: str = "kernel",
        launched: bool = True,
        dur: int = 3,
        **args: Any,
    ) -> None:
        """A GPU operation on stream 7, with its launch unless that lies before the trace."""
        self.correlation += 1
        place = {"device": 0, "stream": 7, "correlation": self.correlation, **args}
        if launched:
            self.events.append(
                {
                    "ph": "X",
                    "cat": "cuda_runtime",
                    "name": "cudaLaunchKernel",
                    "pid": 1,
                    "tid": self.tid,
                    "ts": self.now,
                    "dur": 1,
                    "args": {"correlation": self.correlation},
                }
            )
            self.now += 2
        self.gpu_now = max(self.gpu_now, self.now) + 1
        self.events.append(
            {
                "ph": "X",
                "cat": category,
                "name": name,
                "pid": 0,
                "tid": 7,
                "ts": self.gpu_now,
                "dur": dur,
                "args": place,
            }
        )
        self.gpu_now += dur

    def trace(self) -> Trace:
        with tempfile.TemporaryDirectory() as folder:
            return load(write_trace(Path(folder), self.events))


def _strides(shape: Sequence[int]) -> list[int]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return strides[::-1]


def matmul(
    rec: Recorder,
    a: Sequence[int],
    b: Sequence[int],
    *,
    seq: int | None = None,
    copies: int = 0,
    shapes: bool = True,
) -> None:
    """`aten::matmul` as PyTorch runs it: a `bmm` of flattened tensors inside."""
    rows, inner, columns = a[-2], a[-1], b[-1]
    batch = 1
    for size in a[:-2]:
        batch *= size
    with rec.op("aten::matmul", a, b, seq=seq, shapes=shapes):
        for _ in range(copies):
            with rec.op("aten::clone", a, [], shapes=shapes):
                rec.leaf("aten::copy_", a, a, [], kernel="copy", shapes=shapes)
        rec.leaf(
            "aten::bmm",
            [batch, rows, inner],
            [batch, inner, columns],
            kernel=GEMM,
            seq=seq,
            shapes=shapes,
        )


def naive(
    rec: Recorder,
    batch: int = 2,
    heads: int = 4,
    q: int = 16,
    k: int = 16,
    d: int = 8,
    *,
    seq: int | None = None,
    mask: bool = True,
    shapes: bool = True,
) -> None:
    """matmul, mul, masked_fill (out of place), softmax, matmul."""
    scores = [batch, heads, q, k]

    def at(step: int) -> int | None:
        return None if seq is None else seq + step

    matmul(rec, [batch, heads, q, d], [batch, heads, d, k], seq=at(0), shapes=shapes)
    rec.leaf("aten::mul", scores, [], kernel=MUL, seq=at(1), shapes=shapes)
    if mask:
        with rec.op("aten::masked_fill", scores, [q, k], [], seq=at(2), shapes=shapes):
            with (
                rec.op("aten::clone", scores, [], shapes=shapes),
                rec.op("aten::copy_", scores, scores, [], shapes=shapes),
            ):
                rec.kernel("Memcpy DtoD (Device -> Device)", category="gpu_memcpy", bytes=64)
            rec.leaf("aten::masked_fill_", scores, [q, k], [], kernel="fill", shapes=shapes)
    with rec.op("aten::softmax", scores, [], [], concrete=["", "-1"], seq=at(3), shapes=shapes):
        rec.leaf(
            "aten::_softmax", scores, [], [], concrete=["", "-1"], kernel=SOFTMAX, shapes=shapes
        )
    matmul(rec, scores, [batch, heads, k, d], seq=at(4), shapes=shapes)


def sdpa(
    rec: Recorder,
    shape: Sequence[int] = (2, 4, 16, 8),
    *,
    causal: str = "True",
    mask: Sequence[int] = (),
    seq: int | None = None,
    outer: bool = True,
) -> None:
    """SDPA on its flash backend; without `outer` as compiled code calls it."""
    flags = ["", "", "", "", "0.", causal, "", "False"]
    dims = [shape, shape, shape, mask, [], [], [], []]
    inner = ["", "", "", "0.", causal, "False", ""]

    def flash() -> None:
        with rec.op(
            "aten::_scaled_dot_product_flash_attention",
            *dims[:3],
            *[[]] * 4,
            concrete=inner,
            seq=seq,
        ):
            rec.kernel(FLASH)

    if outer:
        with rec.op("aten::scaled_dot_product_attention", *dims, concrete=flags, seq=seq):
            flash()
    else:
        flash()


@contextmanager
def node(rec: Recorder, name: str, seq: int, forward: int = 1) -> Iterator[None]:
    """An autograd node being evaluated."""
    outer = f"autograd::engine::evaluate_function: {name}"
    with rec.op(outer, seq=seq, forward=forward), rec.op(name, seq=seq, forward=forward):
        yield


def accumulate(rec: Recorder) -> None:
    """The gradient of a leaf added up."""
    name = "torch::autograd::AccumulateGrad"
    with rec.op(f"autograd::engine::evaluate_function: {name}"), rec.op(name):
        rec.leaf("aten::add_", [2, 4, 16, 8], [2, 4, 16, 8], [], kernel=MUL)
