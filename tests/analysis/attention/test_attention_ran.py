"""Which attention ran: not what a graph captured, not an op that only filled its output."""

from __future__ import annotations

import pytest
from builders import CORPUS
from recorder import FLASH, Recorder, naive, sdpa

from attntui.analysis.attention import AttentionCall, find_attention
from attntui.trace import Trace, load

FILL = (
    "void at::native::vectorized_elementwise_kernel<8, at::native::FillFunctor<c10::BFloat16>, "
    "std::array<char*, 1ul> >(int, at::native::FillFunctor<c10::BFloat16>)"
)
COUNTER = FILL.replace("c10::BFloat16", "int")
PUBLIC, PLANTED = CORPUS.parent / "public", CORPUS.parent / "planted"
beside = pytest.mark.skipif(not PUBLIC.is_dir(), reason="public traces do not lie beside")


def _ops(call: AttentionCall) -> dict[str, int]:
    return {share.role: share.gpu_ops for share in call.roles}


def _mark(rec: Recorder, name: str) -> None:
    """A runtime call that launches nothing."""
    rec.events.append(
        {
            "ph": "X",
            "cat": "cuda_runtime",
            "name": name,
            "pid": 1,
            "tid": 1,
            "ts": rec.now,
            "dur": 1,
        }
    )
    rec.now += 2


def _captured_and_replayed(begin: str, end: str) -> Trace:
    rec = Recorder()
    _mark(rec, begin)
    with rec.op("aten::scaled_dot_product_attention", *[[2, 4, 16, 8]] * 3, *[[]] * 5):
        rec.leaf("aten::_scaled_dot_product_flash_attention", *[[2, 4, 16, 8]] * 3)
    _mark(rec, end)
    rec.kernel(FLASH)
    return rec.trace()


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("cudaStreamBeginCapture", "cudaStreamEndCapture"),
        ("hipStreamBeginCapture", "hipStreamEndCapture"),
    ],
)
def test_of_a_capture_and_its_replay_the_replay_counts(begin: str, end: str) -> None:
    (call,) = find_attention(_captured_and_replayed(begin, end))
    assert (call.backend, call.op, call.gpu_ops) == ("flash", None, 1)


def test_an_op_outside_a_capture_that_launched_nothing_stays() -> None:
    trace = _captured_and_replayed("cudaStreamIsCapturing", "cudaStreamGetCaptureInfo")
    assert [call.gpu_ops for call in find_attention(trace)] == [0, 1]


def test_an_eager_call_after_a_capture_counts() -> None:
    rec = Recorder()
    _mark(rec, "cudaStreamBeginCapture")
    rec.leaf("aten::scaled_dot_product_attention", *[[2, 4, 16, 8]] * 3)
    _mark(rec, "cudaStreamEndCapture")
    sdpa(rec)
    naive(rec)
    assert [call.backend for call in find_attention(rec.trace())] == ["flash", "naive"]


@pytest.mark.parametrize("op", ["vllm::unified_attention_with_output", "sglang::unified_attention"])
def test_a_zero_fill_is_no_attention_call(op: str) -> None:
    rec = Recorder()
    with rec.op(op, [40, 8, 64], [40, 2, 64], [40, 2, 64], [40, 8, 64]):
        rec.leaf("aten::fill_", [40, 8, 64], [], kernel=FILL)
    assert find_attention(rec.trace()) == ()


def test_a_kernel_that_no_name_tells_may_do_the_attention_of_its_op() -> None:
    rec = Recorder()
    with rec.op("vllm::unified_attention", [40, 8, 64], [40, 2, 64], [40, 2, 64]):
        rec.leaf("aten::fill_", [40, 8, 64], [], kernel=FILL)
        rec.kernel("somebodys_kernel")
    (call,) = find_attention(rec.trace())
    assert _ops(call) == {"mask": 1, "fused": 1}


def test_a_counter_of_one_element_is_no_mask() -> None:
    rec = Recorder()
    with rec.op("aten::_flash_attention_forward", *[[2, 16, 4, 8]] * 3):
        with rec.op("aten::zeros", [], []):
            rec.leaf("aten::fill_", [1], [], types=["int"], kernel=COUNTER)
        rec.kernel("attn_fwd")
    (call,) = find_attention(rec.trace())
    assert _ops(call) == {"fused": 1, "other": 1}


def test_what_quantises_for_an_attention_belongs_to_its_call() -> None:
    rec = Recorder()
    for name in ("sage_quant_kernel", "sage_quant_v_kernel", "sage_fwd") * 2:
        rec.kernel(name, launched=False)
    calls = find_attention(rec.trace())
    assert [call.backend for call in calls] == ["sage", "sage"]
    assert [_ops(call) for call in calls] == [{"fused": 1, "other": 2}] * 2
    assert [call.casts_ns for call in calls] == [6000, 6000]


def test_a_custom_op_with_a_kernel_that_says_only_forward() -> None:
    rec = Recorder()
    shape = [1, 16, 4096, 128]
    with rec.op("customflash::custom_flash_aligned", *[shape] * 4, []):
        rec.kernel("_fwd_kernel_aligned_0d1d2d3d45d6de7de8c9de", grid=[32, 16, 1])
    (call,) = find_attention(rec.trace())
    assert (call.backend, call.dtype) == ("triton", "bf16")
    assert (call.batch, call.heads, call.q_len, call.head_dim) == (1, 16, 4096, 128)


def test_the_same_kernel_outside_what_says_attention_is_none() -> None:
    rec = Recorder()
    rec.leaf("mine::norm", [4, 8], kernel="_fwd_kernel_aligned_0d1d2d3d45d6de7de8c9de")
    assert find_attention(rec.trace()) == ()


def test_paged_prefill_of_aiter() -> None:
    rec = Recorder()
    kernel = "_ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelINS_40Block"
    dims = [[60, 32, 128], [900, 8, 128], [900, 8, 128], [3], [3], [70], *[[]] * 7]
    rec.leaf("aiter::mha_batch_prefill", *dims, concrete=[*[""] * 12, "True"], kernel=kernel)
    (call,) = find_attention(rec.trace())
    assert (call.backend, call.causal, call.q_len, call.heads) == ("flash", True, 60, 32)
    assert (call.kv_heads, call.head_dim, call.kv_len, call.flops) == (8, 128, None, None)


@pytest.mark.parametrize(
    "name", ["fmhaSm100aKernel_QkvE4m3OBfloat16H128PagedKvCausalP64VarSeqQ128"]
)
def test_trtllm_alone_with_its_reduction_is_one_call(name: str) -> None:
    rec = Recorder()
    for _ in range(2):
        rec.kernel(name, launched=False)
        rec.kernel("void fmhaReductionKernel<64, 512>(KernelParams)", launched=False)
    calls = find_attention(rec.trace())
    assert [(call.backend, call.gpu_ops, call.causal) for call in calls] == [
        ("trtllm", 2, True)
    ] * 2


@beside
@pytest.mark.parametrize(
    ("name", "backend", "calls", "roles", "shape"),
    [
        ("tl_sglang_prefilldecode", "flash", 36, {"fused": 1}, (32, 8, 15360, 128)),
        ("tl_xdit_flux_sage", "sage", 228, {"fused": 1, "other": 1}, (None,) * 4),
        ("saf_true", "triton", 4, {"copy": 3, "fused": 1}, (16, 16, 4096, 128)),
        ("tl_mi300_qwen", "flash", 24, {"fused": 1, "other": 1}, (16, 16, 559, 64)),
    ],
)
def test_calls_of_public_traces(
    name: str, backend: str, calls: int, roles: dict[str, int], shape: tuple[int | None, ...]
) -> None:
    found = find_attention(load(PUBLIC / f"{name}.json.gz"))
    own = [call for call in found if call.backend == backend and _ops(call) == roles]
    assert len(own) == calls
    assert {(c.heads, c.kv_heads, c.q_len, c.head_dim) for c in own} == {shape}


@beside
def test_captures_hold_no_calls_and_replays_four_each() -> None:
    assert find_attention(load(PUBLIC / "tl_vllm_piecewise_capture.json.gz")) == ()
    assert find_attention(load(PLANTED / "graph_capture.json.gz")) == ()
    assert len(find_attention(load(PLANTED / "graph_replay.json.gz"))) == 4 * 4
