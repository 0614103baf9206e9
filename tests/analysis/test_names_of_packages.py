"""Kernel names of packages beside PyTorch: what runs, in whose library, on which data type."""
# ruff: noqa: E501

from __future__ import annotations

import pytest
from fuzz.checks import limited

from attntui.analysis.kernel_names import decode
from attntui.analysis.names.words import OperationKind

Case = tuple[str, str, str, tuple[str, ...]]

CASES: list[Case] = [
    # SGLang
    ("_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_S5_EEEEvPS3_PS4_i", "SGLang", "activation", ("bf16",)),
    ("void sgl_hip::activation::act_and_mul_kernel<__half, silu>(__half*, __half const*, int)", "SGLang", "activation", ("fp16",)),
    ("void rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long, long, long, int, int, int)", "SGLang", "rotary_embedding", ("bf16",)),
    ("void (anonymous namespace)::store_kvcache<2048l, 4, false, long>((anonymous namespace)::StoreKVCacheParams)", "SGLang", "kv cache write", ()),
    ("void (anonymous namespace)::resolve_future_token_ids_kernel<long>(long*, long const*, unsigned long)", "SGLang", "token ids", ("int64",)),
    ("create_flashinfer_kv_indices_triton", "SGLang", "kv indices", ()),
    ("compute_position_kernel", "SGLang", "positions", ()),
    # AITER and Composable Kernel: quantising is told by the type of the output.
    ("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb1ELb0ELb1ELi1EEEvPT0_PT_PfS4_S4_S4_diiiiiiib", "AITER", "rms_norm", ("bf16",)),
    ("_ZN5aiter24add_rmsnorm_quant_kernelIDF16_DF16_Li64ELi8ELb0EEEvPT0_PT_", "AITER", "rms_norm", ("fp16",)),
    ("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bN7ck_tile5fp8_tELi256EEEvPT0_PT_", "AITER", "rms_norm quantize", ("bf16", "fp8_e4m3")),
    ("void aiter::add_rmsnorm_quant_kernel<__hip_bfloat16, __hip_bfloat16, 64, 8, false, false>(__hip_bfloat16*)", "AITER", "rms_norm", ("bf16",)),
    ("void (anonymous namespace)::groupnorm_kernel_dispatch_down<__hip_bfloat16, 1024u>(unsigned int, unsigned int, long, float, bool, __hip_bfloat16 const*)", "AITER", "group_norm", ("bf16",)),
    ("_ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelINS_40BlockFmhaBatchPrefillPipelineQRKSVSAsyncINS_36BlockFmhaBatchPrefillPipelineProblemIDF16bDF16bDF16bffDF16bhfDF16bfDF16bNS_13TileFmhaShapeINS_8sequenceIJLi128EL", "CK", "attention forward", ("bf16",)),
    # cuDNN, without its namespace
    ("void foldedNhwcToNhwcKernel<float, float, float, true, (cudnnKernelDataType_t)0>(int, int, float const*, float*)", "cuDNN", "layout", ("fp32",)),
    ("void nhwcToFoldedNhwcKernel<__half, __half, float, true, (cudnnKernelDataType_t)2>(int, int)", "cuDNN", "layout", ("fp16",)),
    ("void nchwToNhwcKernel<float, float, float, true, false, (cudnnKernelDataType_t)0>(int, int, int, int, float const*, float*, float, float)", "cuDNN", "layout", ("fp32",)),
    ("void nhwcAddPaddingKernel<float, float, float, true, (cudnnKernelDataType_t)0>(int, float const*)", "cuDNN", "layout", ("fp32",)),
    ("void tensorTransformGeneric<__nv_bfloat16, __nv_bfloat16, float, true, false, false, (cudnnKernelDataType_t)0>(cudnnTensorTransformStruct)", "cuDNN", "layout", ("bf16",)),
    ("void cudnn::ops::convertTensor_kernel<float, float, float, (cudnnKernelDataType_t)2>(float, float const*, float, float*, unsigned long)", "cuDNN", "layout", ("fp32",)),
    ("void cudnn::cnn::im2col4d_kernel<float, long>(cudnn::cnn::im2col4d_params)", "cuDNN", "layout", ("fp32", "int64")),
    ("void cudnn::cnn::kern_precompute_indices<false>(int*, int, int, int, int, int)", "cuDNN", "conv offsets", ()),
    ("void precomputed_convolve_sgemm<__nv_bfloat16, 512, 6, 7, 4, 3, 5, 1, false>(int, int, int, __nv_bfloat16 const*)", "cuDNN", "conv", ("bf16",)),
    ("void cudnn::fusion::fmha_reduce_head<true>(void const*, void*, unsigned int)", "cuDNN", "attention reduce", ()),
    # MIOpen
    ("Im2d2Col_v2", "MIOpen", "layout", ()),
    ("Im3d2Col", "MIOpen", "layout", ()),
    ("transpose_CNHW2NCHW_V1_1D_WG_float", "MIOpen", "transpose", ()),
    ("transpose_NCHW2CNHW_opt", "MIOpen", "transpose", ()),
    ("naive_conv_ab_nonpacked_fwd_nchw_half_double_half", "MIOpen", "conv", ()),
    # cuBLAS's of MAGMA's making
    ("void magma_sgemmEx_kernel<float, __nv_bfloat16, __nv_bfloat16, true, false, 6, 4, 6, 3, 4>(int, int, int, Tensor, int, cublasLtEpilogue_t, int, void const*, long)", "cuBLASLt", "gemm", ("bf16",)),
    ("void magma_sgemmEx_kernel<float, float, float, false, true, 6, 4, 6, 3, 4>(int, int, int, Tensor, int)", "cuBLAS", "gemm", ("fp32",)),
    ("sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_cgasize1x1x1_stage3_warpgroupsize1x1x1_tensor64x128x8_execute_kernel__5x_cublas", "cuBLAS", "gemm", ("tf32",)),
    ("sm80_xmma_fprop_implicit_gemm_indexed_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x32x16_stage1_warpsize4x1x1_g1_tensor16x8x8", "cuDNN", "conv forward", ("tf32",)),
    # Optimisers of others, by PyTorch's name for the kernel
    ("void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float, float, float, float, float, float, adamMode_t, float>(int, int volatile*, TensorListMetadata<4>, AdamFunctor<float>)", "Apex/DeepSpeed", "adam", ("fp32",)),
    ("void multi_tensor_apply_kernel<TensorListMetadata<5, false>, transformer_engine::multi_tensor_adam::AdamFunctor<float, float, int, long>, float>(long)", "Transformer Engine", "adam", ("fp32", "int32", "int64")),
    # FBGEMM, torchvision, rocPRIM
    ("void recat_copy_async_kernel<float>(long const*, long const*, float const*, float*, long, long, long)", "FBGEMM", "copy", ("fp32",)),
    ("void vision::ops::(anonymous namespace)::nms_kernel_impl<float>(int, double, float const*, unsigned long long*)", "torchvision", "nms", ("fp32",)),
    ("void vision::ops::(anonymous namespace)::roi_align_forward_kernel_impl<c10::Half>(int, c10::Half const*)", "torchvision", "roi_align", ("fp16",)),
    ("void rocprim::ROCPRIM_400200_NS::detail::trampoline_kernel<rocprim::ROCPRIM_400200_NS::detail::wrapped_scan_config<rocprim::ROCPRIM_400200_NS::default_config, long>, (rocprim::ROCPRIM_400200_NS::detail::target_arch)942>()", "rocPRIM", "scan", ()),
    # PyTorch's own outside at::, or in an older spelling
    ("void (anonymous namespace)::indexing_backward_kernel<float, 4>(long*, long*, float*, float*, long, long, long, long)", "ATen", "index backward", ("fp32",)),
    ("void cunn_ClassNLLCriterion_updateGradInput_kernel<float>(float*, float*, long*, float*, float*, int, int, int, int, long)", "ATen", "nll_loss backward", ("fp32",)),
    ("void at::native::vectorized_elementwise_kernel<4, at::native::BUnaryFunctor<at::native::AddFunctor<long> >, at::detail::Array<char*, 2> >(int, at::native::BUnaryFunctor<at::native::AddFunctor<long> >, at::detail::Array<char*, 2>)", "ATen", "add", ("int64",)),
    ("void at::native::(anonymous namespace)::ComputeFusedParamsCUDAKernel<c10::BFloat16>(long, long, long)", "ATen", "group_norm", ("bf16",)),
    ("void at::native::(anonymous namespace)::GammaBetaBackwardSimpleCUDAKernel<float, float, false>(long, long)", "ATen", "layer_norm backward", ("fp32",)),
    ("reduction_prod_kernel", "ATen", "reduce prod", ()),
    # SageAttention on CUDA, in AITER's Triton, and what quantises for it
    ("sage_fwd", "SageAttention", "attention forward", ()),
    ("sage_quant_kernel", "SageAttention", "attention quantize", ()),
    ("sage_quant_v_kernel", "SageAttention", "attention quantize", ()),
    ("void qk_int_sv_f8_attn_kernel<128u, 64u, 32u, 64u, 128u, (DataType)1>(signed char*)", "SageAttention", "attention forward", ()),
    ("void qk_int8_sv_f16_attn_kernel<128u, 64u>(signed char*)", "SageAttention", "attention forward", ()),
    ("void QuantInt8Kernel<128u, 32u, 1u, false, false, __nv_bfloat16>(__nv_bfloat16*)", "SageAttention", "attention quantize", ()),
    # TensorRT-LLM, as SGLang, vLLM and FlashInfer run it
    ("fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvCausalP64MultiCtasKvVarSeqQ8Kv128StaticSwapsAbForGen", "TensorRT-LLM", "attention forward", ("bf16",)),
    ("fmhaSm100fKernel_QkvBfloat16OBfloat16HQk576HV512HVPerCta256PagedKvDenseP64MultiCtasKvVarSeqQ16Kv128StaticSwapsAbForGen", "TensorRT-LLM", "attention forward", ("bf16",)),
    ("fmhaSm100aKernel_QE4m3KvE2m1OE4m3H128PagedKvCausalP32VarSeqQ128Kv128PersistentContext", "TensorRT-LLM", "attention forward", ("fp8_e4m3",)),
    # FlashInfer
    ("void flashinfer::BatchPrefillWithRaggedKVCacheKernel<flashinfer::KernelTraits<0>, flashinfer::Params>(flashinfer::Params)", "FlashInfer", "attention forward", ()),
    ("void flashinfer::PrefillWithKVCacheKernel<flashinfer::CollectiveMainloop<1>, true>(int)", "FlashInfer", "attention forward", ()),
    ("void flashinfer::BatchDecodeWithPagedKVCacheKernelMLA<2u, 8u>(flashinfer::Params)", "FlashInfer", "attention forward", ()),
    ("void flashinfer::mla::BatchMLAPagedAttentionKernel<flashinfer::mla::KernelTraits<true>>(int)", "FlashInfer", "attention forward", ()),
    ("void flashinfer::PersistentVariableLengthMergeStatesKernel<8u, 16u, 8u, 4u, __nv_bfloat16, __nv_bfloat16, int>(__nv_bfloat16*, float*, int*)", "FlashInfer", "attention combine", ()),
    ("void flashinfer::MergeStatesKernel<8u, __half, __half>(__half*, float*)", "FlashInfer", "attention combine", ()),
    # Inductor's, where it wrote no ops into the name (PyTorch 2.0 and 2.1's default), or no sort
    ("triton__0d1d2d3de", "Triton", "fused", ()),
    ("triton_", "Triton", "fused", ()),
    ("triton_3", "Triton", "fused", ()),
    ("triton_fused_add_relu_0", "Triton", "fused", ()),
    ("void fmhaReductionKernel<64, 512, 128, false, __nv_bfloat16, __nv_bfloat16>(KernelParams)", "TensorRT-LLM", "attention combine", ()),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0][:60])
def test_a_name_tells_library_operation_and_type(case: Case) -> None:
    found = decode(case[0])
    assert (found.library, found.operation, found.dtypes) == case[1:]
    text = case[0].replace("(anonymous namespace)::", "")
    for field in ("library", "operation", *(("dtypes",) if found.dtypes else ())):
        assert found.because(field), field
    assert all(token in text for _, token in found.evidence)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0][:60])
def test_any_truncation_decodes(case: Case) -> None:
    for end in range(0, len(case[0]), max(1, len(case[0]) // 40)):
        assert decode(case[0][:end]).library in (None, case[1], *_WIDER.get(case[1], ()))


# A name cut short may not tell the narrower owner yet.
_WIDER = {"cuBLASLt": ("cuBLAS",), "cuDNN": ("cuBLAS",), "Transformer Engine": ("Apex/DeepSpeed",)}


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("triton_poi_fused_add_mul_0d1d2d3de", "triton_poi_fused_add_mul"),
        ("_topk_forward_0d1d2de", "_topk_forward"),
        ("_attn_fwd_0d1d2d34d5de6c", "_attn_fwd"),
        ("sage_fwd_0d1d2c3de", "sage_fwd"),
    ],
)
def test_what_triton_appended_of_the_arguments_hides_nothing(name: str, bare: str) -> None:
    told = decode(name)
    assert (told.library, told.operation, told.fused_ops) == (
        decode(bare).library,
        decode(bare).operation,
        decode(bare).fused_ops,
    )
    assert told.operation is not None


def test_the_suffix_tells_triton_where_the_name_tells_nothing() -> None:
    assert decode("my_kernel_0d1d2de").library == "Triton"
    assert decode("my_kernel_0d1d2de").operation is None
    assert decode("my_kernel_0").library is None


@pytest.mark.parametrize(
    "name",
    [
        "void multi_tensor_apply_kernel<MyLists, AdamFunctor<float>>(int)",
        "void my::nms_kernel_impl<float>(int)",
        "reduction_prod_kernel(float*)",
        "void quant_kernel<float>(float*)",
        "sagefwd",
        "message_passing_kernel",
    ],
)
def test_like_names_of_others_stay_unknown(name: str) -> None:
    assert (decode(name).library, decode(name).operation) == (None, None)


@pytest.mark.parametrize(
    ("name", "ops"),
    [("triton__0d1d2d3de", ()), ("triton_fused_add_relu_0_0d1d2de", ("add", "relu"))],
)
def test_a_fused_kernel_without_its_sort_may_be_of_any_kind(
    name: str, ops: tuple[str, ...]
) -> None:
    found = decode(name)
    assert (found.kind, found.fused_ops) == (None, ops)
    # Kernels whose names tell no ops are told apart by what Triton appended.
    assert ops or found.short == name


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("void vllm::paged_attention_v1_kernel<__half, __half, 128, 16, 128>(__half*)", "paged"),
        ("void vllm::paged_attention_v2_reduce_kernel<__half, 128, 128, 512>(__half*)", "paged"),
        ("void paged_attention_ll4mi_QKV_mfma16_kernel<__hip_bfloat16, 64>(int)", "paged"),
        ("void flashinfer::BatchPrefillWithPagedKVCacheKernel<1>(int)", "flashinfer"),
        ("void flashinfer::BatchDecodeWithPagedKVCacheKernel<1>(int)", "flashinfer"),
        ("void flashinfer::MergeStatesKernel<8u, __half, __half>(__half*)", "flashinfer"),
        # What FlashInfer hands on to others is theirs, and its other kernels are no attention.
        ("fmhaSm100fKernel_QkvBfloat16OBfloat16H128", "trtllm"),
        ("void flashinfer::norm::RMSNormKernel<8u, __half>(__half*)", None),
        ("kernel_paged_attention_2d", "triton"),
    ],
)
def test_paged_attention_and_flashinfer_are_backends(name: str, backend: str | None) -> None:
    assert decode(name).backend == backend


def test_what_quantises_for_an_attention_is_of_its_kind() -> None:
    assert decode("sage_quant_kernel").kind is OperationKind.ATTENTION
    assert decode("sage_quant_kernel").backend == "sage"
    assert decode("fmhaSm100fKernel_QkvBfloat16OBfloat16H128").backend == "trtllm"


@pytest.mark.parametrize("repeated", ["x", "a_", "1x", "a<", "attention_", "at::", "("])
def test_what_a_long_name_costs_does_not_grow_by_its_square(repeated: str) -> None:
    with limited():
        for number in range(60):
            decode(f"void k{number}{repeated * (8000 // len(repeated))}")
