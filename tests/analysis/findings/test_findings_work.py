"""Findings about the GPU's work, on traces made for them. Times in ns."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Event
from findings_made import H200, LONG, found, launched, quiet
from made import annotation, call, copy, kernel, op

from attntui.analysis.findings import Finding, Severity, thresholds
from attntui.view.words.findings import advice_text, title_text

END = 1_000_000 + 20 * LONG
ADD = (
    "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::BFloat16>>"
)
MUL = "void at::native::vectorized_elementwise_kernel<8, at::native::MulFunctor<c10::BFloat16>>"
TANH = "void at::native::vectorized_elementwise_kernel<8, at::native::tanh_kernel_cuda<bf16>>"
COPY = "void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda>"


def tensors(*shapes: list[int], kind: str = "c10::BFloat16", **more: Any) -> dict[str, Any]:
    return {"Input Dims": list(shapes), "Input type": [kind] * len(shapes)} | more


def work(
    name: str, kernels: list[tuple[str, str, dict[str, Any]]], each: int = LONG, first: int = 100
) -> list[Event]:
    """Kernels (name, op, its inputs) launched ahead, one right after the other, in a step."""
    events = [annotation(f"ProfilerStep#{first}", 0, 900_000)] if name == "step" else []
    for i, (text, kind, inputs) in enumerate(kernels):
        at, begin = 20_000 * i, 1_000_000 + each * i
        events += [
            op(kind, at, at + 10_000, **inputs),
            call("cudaLaunchKernel", at + 1_000, at + 3_000, first + i),
            kernel(text, begin, begin + each, first + i),
        ]
    return events


X = tensors([1 << 20])


def chain(*names: str) -> list[tuple[str, str, dict[str, Any]]]:
    of = {ADD: "aten::add", MUL: "aten::mul", TANH: "aten::tanh"}
    return [(name, of[name], X) for name in names]


def test_a_chain_of_pointwise_kernels_could_be_one() -> None:
    finding = found(work("chain", chain(MUL, ADD, TANH, MUL)))["unfused-pointwise"]
    assert finding.cost_ns == 4 * LONG
    # One input and one output each: of eight passes over the tensor two stay.
    tensor = 2 * (1 << 20)
    assert finding.figures["moved_bytes"] == 8 * tensor
    assert finding.figures["fused_bytes"] == 2 * tensor
    assert (finding.figures["kernels"], finding.figures["chains"]) == (4, 1)
    assert finding.gain_ns == 4 * LONG * 6 // 8


def test_a_long_chain_keeps_the_time_of_its_arithmetic() -> None:
    names = chain(*[MUL, ADD, TANH, ADD, MUL, MUL, TANH, TANH, ADD, ADD, TANH, MUL])
    finding = found(work("long", names))["unfused-pointwise"]
    assert finding.figures["fused_bytes"] * 12 == finding.figures["moved_bytes"]
    assert finding.gain_ns == round(12 * LONG * (1 - thresholds.POINTWISE_KEPT))


def test_what_repeats_acts_on_other_tensors_as_far_as_the_trace_tells() -> None:
    assert "unfused-pointwise" not in found(work("loop", chain(*[MUL] * 8)))
    assert "unfused-pointwise" not in found(work("pairs", chain(*[MUL, ADD] * 4)))
    finding = found(work("rounds", chain(*[MUL, ADD, TANH] * 3)))["unfused-pointwise"]
    assert (finding.figures["chains"], finding.figures["kernels"]) == (3, 9)


def test_kernels_on_tensors_of_other_sizes_are_no_chain() -> None:
    other = chain(MUL, ADD, TANH)
    other[1] = (ADD, "aten::add", tensors([1 << 10]))
    assert "unfused-pointwise" not in found(work("sizes", other))


def attention(expanded: int, heads: int, kind: str = "c10::BFloat16") -> list[Event]:
    """k written out over `heads` heads of which each reads one of `expanded`, then SDPA."""
    group, k = [2, expanded, heads // expanded, 512, 64], [2, heads, 512, 64]
    strides = [expanded * 512 * 64, 512 * 64, 0, 64, 1]
    dense = [heads * 512 * 64, heads // expanded * 512 * 64, 512 * 64, 64, 1]
    copied = tensors(group, group, kind=kind) | {"Input Strides": [dense, strides]}
    q = tensors(k, k, k, kind=kind)
    events = work(
        "gqa",
        [
            (COPY, "aten::copy_", copied),
            ("flash_fwd_kernel", "aten::_flash_attention_forward", q),
        ],
    )
    return [*quiet(2), *[event | {"ts": event["ts"] + 400} for event in events]]


def test_heads_that_are_written_out_for_attention() -> None:
    finding = found(attention(2, 8))["expanded-heads"]
    assert finding.cost_ns == finding.gain_ns == LONG
    assert finding.figures["copies"] == 1
    assert "enable_gqa" in advice_text(finding)
    assert "expanded-heads" not in found(attention(8, 8))


def products(name: str, m: int, k: int, n: int, kind: str, **top: Any) -> dict[str, Any]:
    shapes = tensors([m, k], [k, n], kind=kind)
    return found(work("mm", [(name, "aten::mm", shapes)] * 4), **top)


ALIGNED = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"
NARROW = (
    "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_nn_align1>"
)


def test_products_of_lengths_that_force_narrow_loads() -> None:
    finding = products(ALIGNED, 1024, 1025, 1024, "c10::BFloat16")["unaligned-shapes"]
    assert finding.figures["kernels"] == 4
    assert "1024x1025" in title_text(finding)
    # 2 x 1024 x 1025 x 1024 FLOPs are far below the roof in 100 us.
    flops = 2 * 1024 * 1025 * 1024
    takes = flops / 989e12 / thresholds.PRODUCT_SHARE * 1e9
    assert finding.figures["aligned_ns"] == pytest.approx(4 * takes, rel=0.01)
    assert finding.gain_ns == pytest.approx(4 * (LONG - takes), rel=0.01)
    # By the kernel's name alone.
    assert "unaligned-shapes" in products(NARROW, 1024, 1024, 1024, "c10::BFloat16")
    assert "unaligned-shapes" not in products(ALIGNED, 1024, 1024, 1024, "c10::BFloat16")


Matrix = tuple[list[int], list[int]]


@pytest.mark.parametrize(
    ("name", "a", "b", "odd"),
    [
        ("aten::mm", ([1024, 1024], [1024, 1]), ([1024, 1024], [1024, 1]), False),
        # Rows of b, then its columns where these lie in a row, of 1025 elements.
        ("aten::mm", ([1024, 1024], [1024, 1]), ([1024, 1025], [1025, 1]), True),
        ("aten::mm", ([1024, 1025], [1, 1024]), ([1025, 1024], [1, 1025]), True),
        # A transposed weight of an odd vocabulary: its columns are aligned, the result's rows not.
        ("aten::mm", ([1024, 1024], [1024, 1]), ([1024, 1025], [1, 1024]), True),
        ("aten::linear", ([4, 512, 1024], [1 << 19, 1024, 1]), ([1025, 1024], [1024, 1]), True),
        ("aten::linear", ([4, 512, 1024], [1 << 19, 1024, 1]), ([1024, 1024], [1024, 1]), False),
        # An odd number of rows moves no row.
        ("aten::mm", ([1023, 1024], [1024, 1]), ([1024, 1024], [1, 1024]), False),
        ("aten::linear", ([3, 511, 1024], [523_264, 1024, 1]), ([1024, 1024], [1024, 1]), False),
        # Part of each row of a wider matrix: the rows begin where that one's do.
        ("aten::mm", ([1024, 1024], [1025, 1]), ([1024, 1024], [1024, 1]), True),
        ("aten::mm", ([1024, 1024], [2048, 1]), ([1024, 1024], [1024, 1]), False),
        # One row or column is a vector.
        ("aten::mm", ([1, 1025], [1025, 1]), ([1025, 1024], [1024, 1]), False),
        # No product: a width of the picture is no length of a row.
        ("aten::convolution", ([2, 64, 7, 7], [3136, 49, 7, 1]), ([64, 64], [64, 1]), False),
    ],
)
def test_what_counts_is_where_the_rows_of_the_matrices_begin(
    name: str, a: Matrix, b: Matrix, odd: bool
) -> None:
    told = tensors(a[0], b[0], kind="c10::BFloat16") | {"Input Strides": [a[1], b[1]]}
    seen = found(work("mm", [(ALIGNED, name, told)] * 4))
    assert ("unaligned-shapes" in seen) is odd


def test_a_bias_that_is_added_is_no_matrix_of_the_product() -> None:
    shapes = tensors([1025], [1024, 1024], [1024, 1025], kind="c10::BFloat16")
    assert "unaligned-shapes" in found(work("mm", [(ALIGNED, "aten::addmm", shapes)] * 4))
    shapes = tensors([1024, 1024], [1024, 1024], [1024, 1024], kind="c10::BFloat16")
    shapes["Input Strides"] = [[1025, 1], [1024, 1], [1024, 1]]
    assert "unaligned-shapes" not in found(work("mm", [(ALIGNED, "aten::addmm", shapes)] * 4))


SGEMM = "volta_sgemm_128x64_nn"


@pytest.mark.parametrize(
    ("major", "told", "untold"),
    [(7, "fp16", "TF32"), (9, "TF32", "gradient scaler")],
)
def test_fp32_products_are_told_what_the_device_can_follow(
    major: int, told: str, untold: str
) -> None:
    device = H200 | {"computeMajor": major}
    finding = products(SGEMM, 4096, 4096, 4096, "float", deviceProperties=[device])["fp32-products"]
    assert told in advice_text(finding)
    assert untold not in advice_text(finding)


@pytest.mark.parametrize("major", [7, 9])
def test_what_products_use_already_is_not_advised(major: int) -> None:
    """Autocast, and TF32 by another product of matrices."""
    shapes = tensors([4096, 4096], [4096, 4096], kind="float")
    slow = work("mm", [(SGEMM, "aten::mm", shapes)] * 6)
    name = "sm80_xmma_gemm_f32f32_tf32f32_f32_tn"
    tf32 = launched(99, 200_000, END, END + LONG, name, "aten::mm")
    auto = [annotation("torch.autocast", 0, 1_000)]
    device = {"deviceProperties": [H200 | {"computeMajor": major}]}
    told = {
        key: found([*slow, *more], **device)["fp32-products"]
        for key, more in {"none": [], "auto": auto, "tf32": tf32, "both": [*auto, *tf32]}.items()
    }
    advice = {key: advice_text(finding) for key, finding in told.items()}
    assert ["(torch.autocast" in advice[key] for key in advice] == [True, False, True, False]
    assert ["TF32" in advice[key] for key in advice] == [major > 7] * 2 + [False] * 2
    assert [len(told[key].in_use) for key in told] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("iterator", "workers"), [("_SingleProcess", False), ("_MultiProcessing", True)]
)
def test_workers_that_the_data_loader_has_are_not_advised(iterator: str, workers: bool) -> None:
    loads = annotation(f"enumerate(DataLoader)#{iterator}DataLoaderIter.__next__", END, END + LONG)
    events = [*quiet(), loads, *launched(99, END + LONG, END + 2 * LONG, END + 3 * LONG)]
    finding = found(events)["idle-data-loading"]
    assert ("num_workers" in advice_text(finding)) != workers
    assert finding.in_use == (("the data loader has workers",) if workers else ())


@pytest.mark.parametrize("runtime", ["cuda", "hip"])
def test_a_setting_of_cuda_is_not_advised_to_hip(runtime: str) -> None:
    events = quiet()
    late = launched(99, END, END + LONG * 10, END + LONG * 11, "loaded late")
    late[1] = call("cudaLaunchKernel", END + 1_000, END + LONG * 10, 99)
    events += late
    for event in events:
        event["name"] = event["name"].replace("cudaLaunch", f"{runtime}Launch")
    advice = advice_text(found(events)["first-use-load"])
    assert ("CUDA_MODULE_LOADING" in advice) == (runtime == "cuda")
    assert "warm up" in advice


@pytest.mark.parametrize(("stream", "own"), [(7, False), (9, True)])
def test_a_stream_that_copies_have_is_not_advised(stream: int, own: bool) -> None:
    copied = copy("Memcpy HtoD (Pinned -> Device)", END, END + 5 * LONG, 99)
    copied["args"] |= {"stream": stream, "bytes": 8_000_000}
    events = quiet()
    for event in events:
        if event["cat"] == "kernel":
            event["args"]["stream"] = 7
    events += [call("cudaMemcpyAsync", 300_000, 302_000, 99), copied]
    finding = found(events)["exposed-copies"]
    assert ("a stream of its own" in advice_text(finding)) != own
    assert ("copies have a stream of their own" in finding.in_use) == own


@pytest.mark.parametrize("used", ["", "aten::_foreach_add_", "CompiledFxGraph", "cudaGraphLaunch"])
def test_short_kernels_are_not_told_to_use_what_is_used(used: str) -> None:
    events = []
    for i in range(400):
        begin = 2_000_000 + 3_000 * i
        events += launched(i + 1, 4_500 * i, begin, begin + 2_900)
    more = [op(used, 1_900_000, 1_901_000)] if used else []
    advice = advice_text(found([*events, *more])["tiny-kernels"])
    means = {
        "aten::_foreach_add_": "foreach",
        "CompiledFxGraph": "torch.compile",
        "cudaGraphLaunch": "CUDA graph",
    }
    untold = {means[used]} if used else set()
    assert {word for word in means.values() if word not in advice} == untold


def test_a_gain_of_products_is_bounded_by_the_host() -> None:
    """Each product is launched as the one before ends: they gain nothing by being shorter."""
    events = []
    for i in range(12):
        at = i * LONG
        events += [
            op(
                "aten::mm",
                at,
                at + LONG - 1_000,
                **tensors([1024, 1024], [1024, 1024], kind="float"),
            ),
            call("cudaLaunchKernel", at + 1_000, at + 2_000, i + 1),
            kernel(SGEMM, at + 3_000, at + LONG, i + 1),
        ]
    finding = found(events)["fp32-products"]
    assert finding.cost_ns == 12 * 97_000
    assert finding.gain_ns is not None
    # Only the last one is shorter.
    assert finding.gain_ns <= 97_000
    assert "next bottleneck" in finding.assumes


@pytest.mark.parametrize(
    ("idle_ms", "severity"), [(0, Severity.HIGH), (5, Severity.MEDIUM), (60, Severity.LOW)]
)
def test_work_counts_by_its_share_of_the_busy_time_too(idle_ms: int, severity: Severity) -> None:
    """The more the GPU stands idle, the less of the span its work is; it is all of the work."""
    shapes = tensors([1024, 1024], [1024, 1024], kind="float")
    events = work("mm", [(SGEMM, "aten::mm", shapes)] * 6)
    early = -1_000_000 * idle_ms
    events += [annotation("enumerate(DataLoader)#Iter.__next__", early + 5_000, 900_000)]
    events += launched(99, early, 990_000 + early, 1_000_000 + early)
    finding = found(events)["fp32-products"]
    assert finding.gain_share is not None
    assert (finding.gain_share >= thresholds.LOW_SHARE) == (idle_ms < 60)
    assert (finding.gain_share >= thresholds.MEDIUM_SHARE) == (idle_ms == 0)
    assert finding.severity is severity


def gridded(blocks: int, ahead: bool) -> list[Event]:
    events = []
    for i in range(10):
        at = 10_000 * i if ahead else 60_000 * i
        begin = 1_000_000 + 20_000 * i if ahead else at + 3_000
        events += launched(i + 1, at, begin, begin + 20_000, "reduce")
        events[-1]["args"] |= {"grid": [blocks, 1, 1], "block": [128, 1, 1]}
    return events


SMS = {"deviceProperties": [H200 | {"numSms": 132}]}


def test_kernels_with_few_blocks() -> None:
    finding = found(gridded(33, ahead=True), **SMS)["small-grid"]
    assert finding.cost_ns == 200_000
    assert (finding.figures["blocks"], finding.figures["multiprocessors"]) == (33, 132)
    # A quarter of the multiprocessors: of what is over the floor three quarters go.
    spared = 0.75 * (20_000 - thresholds.KERNEL_FLOOR_NS)
    assert finding.gain_ns == pytest.approx(10 * spared, abs=10)
    assert "small-grid" not in found(gridded(66, ahead=True), **SMS)


def test_few_blocks_that_the_floor_of_a_kernel_bounds_are_not_put_down_to_the_host() -> None:
    """Launched well ahead, of 20 us each; then of little more than the floor."""
    events = gridded(33, ahead=True)
    for event in events:
        if event["cat"] == "kernel":
            event["dur"] = (thresholds.KERNEL_FLOOR_NS + 100) / 1000
    finding = found(events, **SMS)["small-grid"]
    assert finding.severity is Severity.LOW
    assert "next bottleneck" not in finding.assumes
    assert "that floor" in finding.assumes
    assert "that floor" not in found(gridded(33, ahead=True), **SMS)["small-grid"].assumes


def test_few_blocks_that_wait_for_the_host_are_held_back_by_it() -> None:
    finding = found(gridded(33, ahead=False), **SMS)["small-grid"]
    assert "next bottleneck" in finding.assumes
    assert "that floor" not in finding.assumes
    # However much shorter the busy time would be: nothing is gained as things are.
    assert (finding.gain_share, finding.severity) == (pytest.approx(0, abs=0.03), Severity.LOW)


def test_few_blocks_under_a_host_that_is_behind_are_a_symptom() -> None:
    seen = found(gridded(33, ahead=False), **SMS)
    assert next(iter(seen)) == "launch-bound"
    grid = seen["small-grid"]
    assert grid.under == "launch-bound"
    # Each names the other's share, in the same words.
    bound = seen["launch-bound"]
    assert grid.figures["before_small_grids_ns"] == bound.cost_ns == 9 * 40_000
    shared = ("small_grids", "small_grids_running_ns", "before_small_grids_ns")
    assert [bound.figures[key] for key in shared] == [10, 200_000, 360_000]
    assert [grid.figures[key] for key in shared] == [10, 200_000, 360_000]
    words = title_text(grid).split(";")[0]
    assert "fewer blocks" in words
    assert "launch-bound for" in words
    assert words in title_text(bound)


def test_idle_time_with_another_cause_makes_few_blocks_no_symptom_of_launches() -> None:
    """A batch is loaded before each of the kernels."""
    events = gridded(33, ahead=False)
    for i in range(1, 10):
        name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
        events.append(annotation(name, 60_000 * i - 37_000, 60_000 * i))
    seen = found(events, **SMS)
    assert "idle-data-loading" in seen
    assert seen["small-grid"].under is None
    assert seen["small-grid"].figures["before_small_grids_ns"] == 9 * 3_000


def optimizer(
    kernels: int, name: str = "void at::native::vectorized_elementwise_kernel<lerp>"
) -> list[Event]:
    """An optimiser step of kernels 5 us long, each launched 20 us after the one before."""
    events = [*quiet(5), op("aten::zeros", 0, 1)]
    since = 1_000_000 + 5 * LONG
    events.append(annotation("Optimizer.step#AdamW.step", since, since + 20_000 * kernels))
    for i in range(kernels):
        at = since + 20_000 * i
        events += launched(500 + i, at, at + 3_000, at + 8_000, name, "aten::lerp_")
    return events


def test_an_optimiser_that_goes_tensor_by_tensor() -> None:
    seen = found(optimizer(64))
    assert next(iter(seen)) == "optimizer-loop"
    finding = seen["optimizer-loop"]
    assert finding.figures["kernels"] == 64
    assert finding.figures["gpu_time_ns"] == 64 * 5_000
    # 15 us before each, what they take to begin among it, and 3 before the first.
    assert finding.figures["idle_ns"] == 63 * 15_000 + 3_000
    assert "optimizer-loop" not in found(optimizer(thresholds.LOOP_LEAST - 1))
    together = "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>"
    assert "optimizer-loop" not in found(optimizer(64, together))


def test_what_one_line_mends_stands_before_the_rest_that_is_launched_too_slowly() -> None:
    def seen(others: int) -> dict[str, Finding]:
        events = optimizer(256)
        for i in range(others):
            at = 1_000_000 + 5 * LONG + 20_000 * 256 + 40_000 * i
            events += launched(900 + i, at, at + 3_000, at + 8_000, "relu", "aten::relu")
        return found(events)

    told = seen(60)
    loop, rest = told["optimizer-loop"], told["launch-bound"]
    assert list(told)[:2] == [loop.id, rest.id]
    assert rest.under == loop.id
    assert (rest.gain_ns or 0) > (loop.gain_ns or 0)
    # Where it matters little beside the rest, the rest comes first.
    told = seen(500)
    assert told["optimizer-loop"].severity is Severity.LOW
    assert next(iter(told)) == "launch-bound"
    assert told["launch-bound"].under is None


def test_work_that_stood_ready_while_nothing_is_shown() -> None:
    gap = thresholds.QUEUED_NS
    ready = launched(99, 120_000, END + gap, END + gap + LONG)
    finding = found([*quiet(), *ready])["idle-unexplained"]
    assert finding.cost_ns == gap
    assert not any(word in advice_text(finding).lower() for word in ("fuse", "graph", "batch"))
    shorter = launched(99, 120_000, END + gap - 1, END + gap + LONG)
    assert "idle-unexplained" not in found([*quiet(), *shorter])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cudaGraphLaunch", "a CUDA graph is replayed"),
        ("hipStreamBeginCapture", "a CUDA graph is captured"),
    ],
)
def test_a_graph_that_is_in_use_is_not_advised(name: str, words: str) -> None:
    events = []
    for i in range(40):
        events += [
            call(
                name if i < 2 else "cudaLaunchKernel",
                20_000 * i,
                20_000 * i + 2_000,
                i + 1,
            ),
            kernel("k", 20_000 * i + 3_000, 20_000 * i + 6_000, i + 1),
        ]
    finding = found(events)["launch-bound"]
    assert finding.in_use == (words,)
    assert "Replay a CUDA graph" not in advice_text(finding)
