"""Kernel names decoded: a table of real names, hostile names, every name of the corpus."""
# ruff: noqa: E501

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from builders import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from attntui.analysis.kernel_names import KernelName, decode
from attntui.analysis.names.cpp import leading, signature
from attntui.analysis.names.model import SHORT_LIMIT
from attntui.analysis.names.triton import fused_ops
from attntui.analysis.names.words import Library, Operation, OperationKind, kind_of

Case = tuple[
    str,  # name
    str,  # library
    str | None,  # operation
    bool | None,  # tensor cores
    tuple[str, ...],  # data types
    str | None,  # tile
    int | None,  # stages
    str | None,  # layout
    str | None,  # architecture
]

# Recorded in the corpus, one or two of a kind.
RECORDED: list[Case] = [
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3>)",
        "ATen",
        "add",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar const&, c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() const::{lambda(long)#1}>(int, at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar const&, c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() const::{lambda(long)#1}, function_traits<at::native::arange_cuda_out(c10::Scalar const&, c10::Scalar const&, c10::Scalar const&, at::Tensor&)::{lambda()#1}::operator()() const::{lambda()#4}::operator()() const::{lambda(long)#1}>::result_type*)",
        "ATen",
        "arange",
        False,
        ("int64",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::(anonymous namespace)::CatArrayBatchedCopy<int, unsigned int, 1, 128, 1>(int*, at::native::(anonymous namespace)::CatArrInputTensorMetadata<int, unsigned int, 128, 1>, at::native::(anonymous namespace)::TensorSizeStride<unsigned int, 4u>, int, unsigned int)",
        "ATen",
        "cat",
        False,
        ("int32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<long, long, bool, at::native::(anonymous namespace)::CompareEqFunctor<long> >, std::array<char*, 2ul> >(int, at::native::AUnaryFunctor<long, long, bool, at::native::(anonymous namespace)::CompareEqFunctor<long> >, std::array<char*, 2ul>)",
        "ATen",
        "compare",
        False,
        ("int64", "bool"),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::vectorized_elementwise_kernel<8, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul>)",
        "ATen",
        "copy",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<bool>, std::array<char*, 1ul> >(int, at::native::FillFunctor<bool>, std::array<char*, 1ul>)",
        "ATen",
        "fill",
        False,
        ("bool",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>, float>(at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>, float)",
        "ATen",
        "foreach_mul",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::vectorized_elementwise_kernel<8, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, 2ul>)",
        "ATen",
        "gelu",
        False,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::(anonymous namespace)::indexSelectLargeIndex<long, long, unsigned int, 1, 1, -2, true>(at::cuda::detail::TensorInfo<long, unsigned int>, at::cuda::detail::TensorInfo<long, unsigned int>, at::cuda::detail::TensorInfo<long, unsigned int>, int, int, unsigned int, unsigned int, long)",
        "ATen",
        "index_select",
        False,
        ("int64",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::isneginf_kernel_impl(at::TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::(anonymous namespace)::isneginf_kernel_impl(at::TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>)",
        "ATen",
        "isneginf",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float, float>(long, float, float const*, float*, float*)",
        "ATen",
        "layer_norm",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>(float*, float const*, int, int, int, bool const*, int, bool)",
        "ATen",
        "log_softmax",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::masked_fill_kernel(at::TensorIterator&, c10::Scalar const&)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::{lambda(float, bool)#1}, at::detail::Array<char*, 3> >(int, at::native::(anonymous namespace)::masked_fill_kernel(at::TensorIterator&, c10::Scalar const&)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::{lambda(float, bool)#1}, at::detail::Array<char*, 3>)",
        "ATen",
        "masked_fill",
        False,
        ("fp32", "bool"),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul> >(int, at::native::AUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul>)",
        "ATen",
        "mul",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, at::native::func_wrapper_t<bool, at::native::and_kernel_cuda(at::TensorIterator&)::{lambda()#1}::operator()() const::{lambda()#12}::operator()() const::{lambda(bool, bool)#1}>, unsigned int, bool, 4> >(at::native::ReduceOp<bool, at::native::func_wrapper_t<bool, at::native::and_kernel_cuda(at::TensorIterator&)::{lambda()#1}::operator()() const::{lambda()#12}::operator()() const::{lambda(bool, bool)#1}>, unsigned int, bool, 4>)",
        "ATen",
        "reduce all",
        False,
        ("bool",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4>)",
        "ATen",
        "reduce mean",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<long, at::native::func_wrapper_t<long, at::native::sum_functor<long, long, long>::operator()(at::TensorIterator&)::{lambda(long, long)#1}>, unsigned int, long, 4> >(at::native::ReduceOp<long, at::native::func_wrapper_t<long, at::native::sum_functor<long, long, long>::operator()(at::TensorIterator&)::{lambda(long, long)#1}>, unsigned int, long, 4>)",
        "ATen",
        "reduce sum",
        False,
        ("int64",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::_scatter_gather_elementwise_kernel<128, 4, at::native::_cuda_scatter_gather_internal_kernel<true, float>::operator()<at::native::ReduceAdd>(at::TensorIterator&, long, long, long, at::native::ReduceAdd const&)::{lambda(int)#1}>(int, at::native::_cuda_scatter_gather_internal_kernel<true, float>::operator()<at::native::ReduceAdd>(at::TensorIterator&, long, long, long, at::native::ReduceAdd const&)::{lambda(int)#1})",
        "ATen",
        "scatter_gather",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void (anonymous namespace)::softmax_warp_forward<float, float, float, 1, false, false>(float*, float const*, int, int, int, bool const*, int, bool)",
        "ATen",
        "softmax",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void (anonymous namespace)::softmax_warp_backward<float, float, float, 1, false, false>(float*, float const*, float const*, int, int, int, bool const*)",
        "ATen",
        "softmax backward",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, float, at::native::(anonymous namespace)::threshold_kernel_impl<float>(at::TensorIteratorBase&, float, float)::{lambda(float, float)#1}>, at::detail::Array<char*, 3> >(int, at::native::BinaryFunctor<float, float, float, at::native::(anonymous namespace)::threshold_kernel_impl<float>(at::TensorIteratorBase&, float, float)::{lambda(float, float)#1}>, at::detail::Array<char*, 3>)",
        "ATen",
        "threshold",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::triu_tril_kernel<bool, int, true, 8, false>(at::cuda::detail::TensorInfo<bool, int>, at::cuda::detail::TensorInfo<bool const, int>, long, long, int)",
        "ATen",
        "triu/tril",
        False,
        ("bool",),
        None,
        None,
        None,
        None,
    ),
    (
        "_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassINS_27Rmsnorm2dFwdPipelineProblemIDF16bDF16bfDF16bDF16bDF16bffNS_19Generic2dBlockShapeINS_8sequenceIJLi1ELi3072EEEENS5_IJLi1ELi128EEEENS5_IJLi1ELi8EEEEEENS_18Rmsnorm2dFwdTraitsILb1ELb0ELb0ELb0ELNS_21Rmsnorm2dFusedAddEnumE0ELNS_23Rmsnorm2dFusedQuantEnumE0ELNS_22Rmsnorm2dSensitiveEnumE0EEEEENS_33Rmsnorm2dFwdPipelineDefaultPolicyEEENS_17Default2DEpilogueINS_24Default2DEpilogueProblemIfDF16bLb0ELb1ELb0EEEvEEEEJNSM_5KargsEEEEvDpT1_",
        "CK",
        "rms_norm",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*, long*, cub::ConstantInputIterator<int, int>, int*, int*, cub::Equality, cub::Sum, int>::PtxReduceByKeyPolicy, long*, long*, cub::ConstantInputIterator<int, int>, int*, int*, cub::ReduceByKeyScanTileState<int, int, true>, cub::Equality, cub::Sum, int>(long*, long*, cub::ConstantInputIterator<int, int>, int*, int*, cub::ReduceByKeyScanTileState<int, int, true>, int, cub::Equality, cub::Sum, int)",
        "CUB/Thrust",
        "reduce by key",
        None,
        ("int64",),
        None,
        None,
        None,
        None,
    ),
    (
        "void cub::DeviceScanInitKernel<cub::ScanTileState<int, true> >(cub::ScanTileState<int, true>, int)",
        "CUB/Thrust",
        "scan",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "void cub::DeviceRadixSortExclusiveSumKernel<cub::DeviceRadixSortPolicy<long, int, int>::Policy800, int>(int*)",
        "CUB/Thrust",
        "sort",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm_128x32_8x5_nn_align1::Params)",
        "CUTLASS",
        "gemm",
        False,
        ("fp32",),
        "128x32x8",
        5,
        "nn",
        "sm80",
    ),
    (
        "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_16x6_nt_align4>(cutlass_80_tensorop_s1688gemm_64x64_16x6_nt_align4::Params)",
        "CUTLASS",
        "gemm",
        True,
        ("tf32",),
        "64x64x16",
        6,
        "nt",
        "sm80",
    ),
    (
        "void fbgemm_gpu::(anonymous namespace)::_FP8rowwise_to_float_cuda_kernel<float>(unsigned char const*, int, int, float*, bool)",
        "FBGEMM",
        "quantize",
        None,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, false, false, false, false, true, false, false>(pytorch_flash::Flash_fwd_params)",
        "FlashAttention",
        "attention forward",
        True,
        ("bf16",),
        "128x128",
        None,
        None,
        None,
    ),
    (
        "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, true, false, false, true, true, false, false>(pytorch_flash::Flash_fwd_params)",
        "FlashAttention",
        "attention forward",
        True,
        ("bf16",),
        "128x128",
        None,
        None,
        None,
    ),
    (
        "igemm_bwd_gtcx2_nhwc_bf16_bx0_ex1_bt64x64x64_wt16x16x16_ws1x1_wr2x2_ta1x8x2x1_1x8x1x32_tb1x8x1x2_1x8x1x32_mh",
        "MIOpen",
        "conv backward data",
        True,
        ("bf16",),
        "64x64x64",
        None,
        "nhwc",
        "gfx90a",
    ),
    (
        "igemm_wrw_gtcx2_nhwc_bf16_bx0_ex1_bt128x64x32_wt32x32x8_ws1x1_wr1x2_ta1x4x1x4_1x8x1x32_tb1x4x1x2_1x8x1x32_gkgs",
        "MIOpen",
        "conv backward weight",
        True,
        ("bf16",),
        "128x64x32",
        None,
        "nhwc",
        "gfx90a",
    ),
    (
        "igemm_fwd_gtcx2_nhwc_bf16_bx0_ex1_bt64x64x64_wt16x16x16_ws1x1_wr2x2_ta1x8x2x1_1x8x1x32_tb1x8x2x1_1x8x1x32",
        "MIOpen",
        "conv forward",
        True,
        ("bf16",),
        "64x64x64",
        None,
        "nhwc",
        "gfx90a",
    ),
    ("SubTensorOpWithScalar1d", "MIOpen", "tensor op", None, (), None, None, None, None),
    ("batched_transpose_64x4_half", "MIOpen", "transpose", None, (), None, None, None, None),
    (
        "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "NCCL",
        "all_gather",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
        "NCCL",
        "all_reduce",
        None,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
        "NCCL",
        "broadcast",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
        "NCCL",
        "send_recv",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
        "TensorRT-LLM",
        "attention forward",
        None,
        ("fp8_e4m3",),
        "128x128",
        None,
        None,
        "sm100a",
    ),
    (
        "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1_16dp256b_rM_TN_transOut_schedP2x1x2x3_biasM_bN_tmaOpt_clmp_dynBatch_sm100f",
        "TensorRT-LLM",
        "gemm",
        True,
        ("fp4", "fp8_e4m3"),
        "128x16x256",
        3,
        None,
        "sm100f",
    ),
    (
        "void moe::dev::finalize::finalizeKernelVecLoad<moe::dev::finalize::KernelParams<cutlass::bfloat16_t, cutlass::bfloat16_t, 4, true> >(moe::dev::finalize::KernelParams<cutlass::bfloat16_t, cutlass::bfloat16_t, 4, true>)",
        "TensorRT-LLM",
        "moe finalize",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "void moe::dev::routing::routingIndicesOffsetsKernel<moe::dev::routing::routingRenormalize::KernelParams<__nv_bfloat16, __nv_bfloat16, 128, false, true, true> >(moe::dev::routing::routingRenormalize::KernelParams<__nv_bfloat16, __nv_bfloat16, 128, false, true, true>)",
        "TensorRT-LLM",
        "moe routing",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "void tensorrt_llm::kernels::quantize_with_block_size<(tensorrt_llm::BlockScaleQuantizationType)2, __nv_bfloat16, 32, true>(int, int, int, int, __nv_bfloat16 const*, float const*, unsigned int*, unsigned int*, flashinfer::QuantizationSFLayout)",
        "TensorRT-LLM",
        "quantize",
        None,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    ("attn_fwd", "Triton", "attention forward", None, (), None, None, None, None),
    (
        "triton_tem_fused_flex_attention_0",
        "Triton",
        "attention forward",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    ("triton_poi_fused_0", "Triton", "fused pointwise", None, (), None, None, None, None),
    ("triton_poi_fused__to_copy_1", "Triton", "fused pointwise", None, (), None, None, None, None),
    (
        "triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1",
        "Triton",
        "fused reduction",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "triton_red_fused_add_mean_mul_pow_rsqrt_0",
        "Triton",
        "fused reduction",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1",
        "Triton",
        "gemm",
        None,
        ("bf16", "fp4"),
        "16x128x256",
        None,
        "NNT",
        None,
    ),
    (
        "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu",
        "Triton",
        "gemm",
        None,
        ("bf16", "fp4"),
        "16x128x256",
        None,
        "NNT",
        None,
    ),
    ("_finalize_matmul_scatter_bf16", "Triton", "moe finalize", None, (), None, None, None, None),
    ("_combined_routing_memset", "Triton", "moe routing", None, (), None, None, None, None),
    ("_sum_bitmatrix_rows", "Triton", "moe routing", None, (), None, None, None, None),
    ("_topk_forward", "Triton", "topk", None, (), None, None, None, None),
    (
        "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, unsigned long, unsigned int**, unsigned long, unsigned long)",
        "c10d",
        "all_reduce",
        None,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    (
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
        "cuBLAS",
        "gemm",
        True,
        ("bf16",),
        "128x128x64",
        None,
        "tn",
        "sm90",
    ),
    (
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
        "cuBLAS",
        "gemm",
        True,
        ("bf16",),
        "64x64x64",
        None,
        "tn",
        "sm90",
    ),
    ("volta_sgemm_64x64_nn", "cuBLAS", "gemm", False, ("fp32",), "64x64", None, "nn", "sm70"),
    ("volta_sgemm_64x64_nt", "cuBLAS", "gemm", False, ("fp32",), "64x64", None, "nt", "sm70"),
    (
        "void gemvNSP_kernel<float, float, float, float, 1, 32, 4, 1024, cublasGemvParams<cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float>, float> >(cublasGemvParams<cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float>, float>)",
        "cuBLAS",
        "gemv",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void scal_kernel<float, float, 1, false, 6, 5, 5, 3>(cublasTransposeParams<float>, float const*, float*, float const*)",
        "cuBLAS",
        "scale",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void splitKreduce_kernel<float, float, float, float, true, false, false>(cublasSplitKParams<float>, float const*, float const*, float*, float const*, float const*, float const*, float const*, float*, void*, long, float*, int*)",
        "cuBLAS",
        "split-K reduce",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void epilogue::impl::globalKernel<float, float, float, true, true>(int, int, long, float*, cublasLtEpilogue_t, int, float*, long, void*, long, long, long, float*, long, int*)",
        "cuBLASLt",
        "epilogue",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "nvjet_sm90_tst_64x128_64x8_1x2_h_bz_NNN",
        "cuBLASLt",
        "gemm",
        True,
        ("bf16",),
        "64x128x64",
        8,
        "NNN",
        "sm90",
    ),
    (
        "nvjet_tst_192x8_64x8_4x1_v_bz_TNT",
        "cuBLASLt",
        "gemm",
        True,
        ("bf16",),
        "192x8x64",
        8,
        "TNT",
        None,
    ),
    (
        "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true, false, false>(cublasLt::cublasSplitKParams<float>, float const*, float const*, float*, float const*, float const*, float const*, float const*, float*, void*, long, float*, int*)",
        "cuBLASLt",
        "split-K reduce",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true, true, false>(cublasLt::cublasSplitKParams<float>, float const*, float const*, float*, float const*, float const*, float const*, float const*, float*, void*, long, float*, int*)",
        "cuBLASLt",
        "split-K reduce",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x64_1x4x1_cga1x1x1_kernel0_0",
        "cuDNN",
        "attention backward",
        True,
        (),
        "64x64x64",
        None,
        None,
        "sm90",
    ),
    (
        "void cudnn::fusion::convert_dq_to_16bits<true>(void const*, void*, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, float const*, float const*, float const*, float*, void const*, void*, void*, bool, bool)",
        "cuDNN",
        "attention convert",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_kernel0_0",
        "cuDNN",
        "attention forward",
        True,
        (),
        "64x128x64",
        None,
        None,
        "sm90",
    ),
    (
        "void cudnn::fusion::compute_dot_do_o_specialized<true, 64>(void const*, void const*, void*, void*, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, float, void const*, void const*, void const*, void const*, void const*, bool, void const*, void*, void const*, int, int, int, int, int, int, int, int, int)",
        "cuDNN",
        "attention preprocess",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "cudnn_infer_volta_scudnn_128x64_relu_small_nn_v1",
        "cuDNN",
        "conv",
        False,
        ("fp32",),
        "128x64",
        None,
        "nn",
        "sm70",
    ),
    (
        "void cudnn::winograd::generateWinogradTilesKernel<0, float, float>(cudnn::winograd::GenerateWinogradTilesParams<float, float>)",
        "cuDNN",
        "conv",
        None,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x128x32_stage5_warpsize2x2x1_g1_tensor16x8x8_execute_kernel_cudnn_infer",
        "cuDNN",
        "conv backward data",
        True,
        ("tf32",),
        "64x128x32",
        5,
        "nhwc",
        "sm80",
    ),
    (
        "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int, int, int, float const*, int, float const*, int, float*, kernel_grad_params, unsigned long long, int, unsigned long long, int, float, int, int, int)",
        "cuDNN",
        "conv backward data",
        None,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x64x64_stage4_warpsize2x2x1_g1_tensor16x8x8_execute_kernel_cudnn_train",
        "cuDNN",
        "conv backward weight",
        True,
        ("tf32",),
        "64x64x64",
        4,
        "nhwc",
        "sm80",
    ),
    (
        "void cudnn::cnn::reduce_wgrad_nchw_helper<float, float>(void*, void const*, float, int, int)",
        "cuDNN",
        "conv backward weight",
        None,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x128x32_stage5_warpsize2x2x1_g1_tensor16x8x8_execute_kernel_cudnn_infer",
        "cuDNN",
        "conv forward",
        True,
        ("tf32",),
        "64x128x32",
        5,
        "nhwc",
        "sm80",
    ),
    (
        "cask_cudnn_infer::computeBOffsetsKernel(cask_cudnn_infer::ComputeBOffsetsParams)",
        "cuDNN",
        "conv offsets",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)2>(cudnn::ops::nchw2nhwc_params_t<float>, float const*, float*)",
        "cuDNN",
        "layout",
        None,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "Cijk_Ailk_Bjlk_SB_Bias_AS_SAV_UserArgs_MT64x16x16_MI16x16x1_SN_LDSB0_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_EPS0_GRVWA1_GRVWB1_GSUAMB_ISA90a_IU1_K1_LBSPPA0_LBSPPB0_LBSPPM0_LPA0_LPB0_LPM0_LRVW1_LWPMn1_MIAV0_MIWT1_1_MO40_NTn1_NTA0_NTB0_NTC0_NTD0_NTM0_NEPBS2_NLCA1_NLCB1_ONLL1_PGR2_PLR1_PKA1_SIA3_SS1_SPO1_SRVW0_SSO0_SVW1_TLDS0_USFGROn1_VSn1_VWA1_VWB1_WSGRA0_WSGRB0_WS64_WG64_4_1",
        "hipBLASLt",
        "gemm",
        True,
        ("fp32",),
        "64x16x16",
        None,
        "NT",
        "gfx90a",
    ),
    (
        "Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32_MI16x16x1_SN_LDSB0_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_EPS0_GRVWA2_GRVWB2_GSUAMB_ISA90a_IU1_K1_LBSPPA128_LBSPPB128_LBSPPM0_LPA8_LPB8_LPM0_LRVW4_LWPMn1_MIAV0_MIWT1_1_MO40_NTn1_NTA0_NTB0_NTC0_NTD0_NTM0_NEPBS2_NLCA1_NLCB1_ONLL1_PGR2_PLR1_PKA1_SIA3_SS1_SPO1_SRVW0_SSO0_SVW1_TLDS1_USFGROn1_VSn1_VWA1_VWB1_WSGRA1_WSGRB1_WS64_WG64_4_1",
        "hipBLASLt",
        "gemm",
        True,
        ("fp32",),
        "64x16x32",
        None,
        "TN",
        "gfx90a",
    ),
    ("Memcpy HtoD (Host -> Device)", "memory", "memcpy", None, (), None, None, None, None),
    ("Memset (Device)", "memory", "memset", None, (), None, None, None, None),
    (
        "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::bfloat16_t, cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)",
        "memory-efficient",
        "attention forward",
        True,
        ("bf16",),
        "64x64",
        None,
        None,
        "sm80",
    ),
    ("reduce_segments", "vLLM", "attention combine", None, (), None, None, None, None),
    ("kernel_unified_attention_2d", "vLLM", "attention forward", None, (), None, None, None, None),
    ("_copy_page_indices_kernel", "vLLM", "copy", None, (), None, None, None, None),
    (
        "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char, (vllm::Fp8KVCacheDataType)1>(__nv_bfloat16 const*, __nv_bfloat16 const*, unsigned char*, unsigned char*, long const*, long, long, long, long, long, int, int, int, float const*, float const*)",
        "vLLM",
        "kv cache write",
        None,
        ("bf16", "uint8"),
        None,
        None,
        None,
        None,
    ),
    (
        "void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>(c10::Float8_e4m3fn*, c10::BFloat16 const*, float const*, int, long, long)",
        "vLLM",
        "quantize",
        None,
        ("bf16", "fp8_e4m3"),
        None,
        None,
        None,
        None,
    ),
    (
        "void vllm::rms_norm_kernel<c10::BFloat16, 8, 2>(c10::BFloat16*, c10::BFloat16 const*, long, long, long, long, long, c10::BFloat16 const*, float, int, int)",
        "vLLM",
        "rms_norm",
        None,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    (
        "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long, long, long, int, int, int)",
        "vLLM",
        "rotary_embedding",
        None,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
]

# Recorded elsewhere: families that the corpus has no trace of.
ELSEWHERE: list[Case] = [
    (
        "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn",
        "cuBLAS",
        "gemm",
        True,
        ("bf16",),
        "128x128x32",
        5,
        "nn",
        "sm80",
    ),
    (
        "ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_f2f_stages_64x5_tn",
        "cuBLAS",
        "gemm",
        True,
        ("fp16",),
        "64x64x64",
        5,
        "tn",
        "sm80",
    ),
    (
        "ampere_h16816gemm_128x128_ldg8_stages_32x5_nn",
        "cuBLAS",
        "gemm",
        True,
        ("fp16",),
        "128x128x32",
        5,
        "nn",
        "sm80",
    ),
    (
        "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn",
        "cuBLAS",
        "gemm",
        True,
        ("fp16",),
        "128x128",
        None,
        "nn",
        "sm70",
    ),
    (
        "volta_h884gemm_256x64_ldg8_nn",
        "cuBLAS",
        "gemm",
        True,
        ("fp16",),
        "256x64",
        None,
        "nn",
        "sm70",
    ),
    (
        "turing_fp16_s1688gemm_fp16_256x64_ldg8_f2f_tn",
        "cuBLAS",
        "gemm",
        True,
        ("fp16",),
        "256x64",
        None,
        "tn",
        "sm75",
    ),
    (
        "turing_h1688gemm_128x128_ldg8_stages_32x2_tn",
        "cuBLAS",
        "gemm",
        True,
        ("fp16",),
        "128x128x32",
        2,
        "tn",
        "sm75",
    ),
    (
        "ampere_s1688gemm_128x128_ldg4_stages_32x3_nn",
        "cuBLAS",
        "gemm",
        True,
        ("tf32",),
        "128x128x32",
        3,
        "nn",
        "sm80",
    ),
    ("ampere_dgemm_64x64_nn", "cuBLAS", "gemm", False, ("fp64",), "64x64", None, "nn", "sm80"),
    ("maxwell_sgemm_128x64_nt", "cuBLAS", "gemm", False, ("fp32",), "128x64", None, "nt", "sm50"),
    (
        "volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc_tn_v1",
        "cuDNN",
        "conv",
        True,
        ("fp16",),
        "256x64",
        None,
        "tn",
        "sm70",
    ),
    (
        "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize96x128x32_stage4_warpsize2x2x1_tensor16x8x16_kernel",
        "cuBLAS",
        "gemm",
        True,
        ("fp16",),
        "96x128x32",
        4,
        "tn",
        "sm80",
    ),
    (
        "sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x128x128_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas",
        "cuBLAS",
        "gemm",
        True,
        ("fp8_e4m3",),
        "128x128x128",
        None,
        "tn",
        "sm90",
    ),
    (
        "sm90_xmma_gemm_e4m3e4m3_f32f32_f32_tn_n_tilesize128x128x128_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas",
        "cuBLAS",
        "gemm",
        True,
        ("fp8_e4m3",),
        "128x128x128",
        None,
        "tn",
        "sm90",
    ),
    (
        "nvjet_hsh_128x256_64x4_1x2_h_bz_coopB_TNT",
        "cuBLASLt",
        "gemm",
        True,
        ("fp16",),
        "128x256x64",
        4,
        "TNT",
        None,
    ),
    (
        "nvjet_sm90_qqtst_128x128_128x6_2x1_v_bz_TNN",
        "cuBLASLt",
        "gemm",
        True,
        ("fp8_e4m3",),
        "128x128x128",
        6,
        "TNN",
        "sm90",
    ),
    (
        "cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_2x1x1_0_tnn_align8_warpspecialized_cooperative_epi_tma",
        "CUTLASS",
        "gemm",
        True,
        ("bf16",),
        "128x128x64",
        None,
        None,
        "sm90",
    ),
    (
        "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<4, cute::tuple<cute::C<2>, cute::C<1>, cute::C<1> > > > > >(cutlass::gemm::kernel::GemmUniversal<>::Params)",
        "CUTLASS",
        "gemm",
        True,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1> >, cute::tuple<cute::C<128>, cute::C<176>, cute::C<128> >, 128, cutlass::bfloat16_t, float, cutlass::arch::Sm90, true> > > >(flash::FlashAttnFwdSm90::Params)",
        "FlashAttention",
        "attention forward",
        True,
        ("bf16",),
        None,
        None,
        None,
        "sm90",
    ),
    (
        "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::half_t, Flash_kernel_traits<128, 128, 64, 4, cutlass::half_t> >, false, true, false, false, true, true, false, false>(Flash_fwd_params)",
        "FlashAttention",
        "attention forward",
        True,
        ("fp16",),
        "128x64",
        None,
        None,
        None,
    ),
    (
        "void pytorch_flash::flash_fwd_splitkv_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 64, 256, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 64, 256, 4, cutlass::bfloat16_t> >, false, false, false, false, true, false, true, false>(pytorch_flash::Flash_fwd_params)",
        "FlashAttention",
        "attention forward",
        True,
        ("bf16",),
        "64x256",
        None,
        None,
        None,
    ),
    (
        "void pytorch_flash::flash_fwd_splitkv_combine_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 64, 256, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 64, 256, 4, cutlass::bfloat16_t> >, 8, 3, true>(pytorch_flash::Flash_fwd_params)",
        "FlashAttention",
        "attention combine",
        None,
        ("bf16",),
        "64x256",
        None,
        None,
        None,
    ),
    (
        "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> >, false, true, false, false, true, true, false>(pytorch_flash::Flash_bwd_params)",
        "FlashAttention",
        "attention backward",
        True,
        ("bf16",),
        "128x128",
        None,
        None,
        None,
    ),
    (
        "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> > >(pytorch_flash::Flash_bwd_params)",
        "FlashAttention",
        "attention preprocess",
        None,
        ("bf16",),
        "128x128",
        None,
        None,
        None,
    ),
    (
        "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_bwd_params, int)",
        "FlashAttention",
        "attention convert",
        None,
        ("bf16",),
        "128x128",
        None,
        None,
        None,
    ),
    (
        "fmha_cutlassB_f16_aligned_64x64_k64_dropout_sm80(PyTorchMemEffAttention::AttentionBackwardKernel<cutlass::arch::Sm80, cutlass::half_t, true, true, true, 64, 64, 64, false>::Params)",
        "memory-efficient",
        "attention backward",
        True,
        ("fp16",),
        "64x64",
        None,
        None,
        "sm80",
    ),
    (
        "fmha_cutlassF_f32_notaligned_64x64_rf_sm70(PyTorchMemEffAttention::AttentionKernel<float, cutlass::arch::Sm70, false, 64, 64, 64, true, true>::Params)",
        "memory-efficient",
        "attention forward",
        None,
        ("fp32",),
        "64x64",
        None,
        None,
        "sm70",
    ),
    (
        "cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_f16_knob_6_128x64x64_4x1x1_cga1x1x1_kernel0_0",
        "cuDNN",
        "attention forward",
        True,
        (),
        "128x64x64",
        None,
        None,
        "sm80",
    ),
    (
        "Cijk_Ailk_Bljk_HHS_BH_MT128x128x16_SE_GRVW8_TT8_8_WG16_16_1",
        "rocBLAS",
        "gemm",
        False,
        ("fp16",),
        "128x128x16",
        None,
        "NN",
        None,
    ),
    (
        "Cijk_Ailk_Bljk_SB_MT64x64x16_SE_APM1_TT4_4_WG16_16_1_ISA906",
        "rocBLAS",
        "gemm",
        False,
        ("fp32",),
        "64x64x16",
        None,
        "NN",
        "gfx906",
    ),
    (
        "void ck_tile::kentry<256, 2, ck_tile::FmhaFwdKernel<ck_tile::FmhaFwdTilePartitioner, ck_tile::BlockFmhaPipelineQRKSVSAsync> >(ck_tile::FmhaFwdKernel::Kargs)",
        "CK",
        "attention forward",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "_ZN7ck_tile6kentryILi256ELi2ENS_13FmhaFwdKernelINS_25BlockFmhaPipelineQRKSVSEEEEEvT1_",
        "CK",
        "attention forward",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "aiter::fmha_fwd_hd128_bf16_causal_rtne_group",
        "AITER",
        "attention forward",
        None,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    (
        "fmha_bwd_hd128_bf16_causal_a32_psskddv",
        "AITER",
        "attention backward",
        None,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    (
        "void ck::kernel_gemm_xdlops_v2r3<ck::GridwiseGemm>(ck::GridwiseGemm::Argument)",
        "CK",
        "gemm",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "NCCL",
        "all_reduce",
        None,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    (
        "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "NCCL",
        "reduce_scatter",
        None,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)",
        "NCCL",
        None,
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "triton_per_fused__softmax_masked_fill_mul_0",
        "Triton",
        "fused reduction",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "triton_per_fused_add_native_layer_norm_12",
        "Triton",
        "fused reduction",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    ("triton_tem_fused_addmm_relu_5", "Triton", "gemm", None, (), None, None, None, None),
    (
        "triton_tem_fused_flex_attention_backward_1",
        "Triton",
        "attention backward",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    ("triton_for_fused_0", "Triton", "fused foreach", None, (), None, None, None, None),
    ("triton_mm", "Triton", None, None, (), None, None, None, None),
    (
        "void vllm::paged_attention_v1_kernel<__nv_bfloat16, __nv_bfloat16, 128, 16, 128, (vllm::Fp8KVCacheDataType)0, false>(__nv_bfloat16*, __nv_bfloat16 const*)",
        "vLLM",
        "attention forward",
        None,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    (
        "void vllm::paged_attention_v2_reduce_kernel<__nv_bfloat16, 128, 128, 512>(__nv_bfloat16*)",
        "vLLM",
        "attention combine",
        None,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    (
        "void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<1, 128> >(flashinfer::Params)",
        "FlashInfer",
        "attention forward",
        None,
        (),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, at::native::(anonymous namespace)::SoftMaxForwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, int)",
        "ATen",
        "softmax",
        False,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::(anonymous namespace)::cunn_SoftMaxForwardGmem<4, float, float, float, at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue, long>(float*, float const*, long)",
        "ATen",
        "log_softmax",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*)",
        "ATen",
        "nll_loss",
        False,
        ("fp32",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<c10::BFloat16, float, long>(long const*)",
        "ATen",
        "embedding backward",
        False,
        ("bf16",),
        None,
        None,
        None,
        None,
    ),
    (
        "void at::native::elementwise_kernel<128, 2, void at::gpu_kernel_impl_nocast<at::<unnamed>::where_kernel_impl(at::TensorIterator &)::[lambda() (instance 1)]::operator ()() const::[lambda() (instance 11)]::operator ()() const::[lambda(bool, float, float) (instance 1)]>(at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
        "ATen",
        "where",
        False,
        ("fp32", "bool"),
        None,
        None,
        None,
        None,
    ),
    (
        "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<thrust::cuda_cub::__tabulate::functor<>, long>, long>(long)",
        "CUB/Thrust",
        "elementwise",
        None,
        ("int64",),
        None,
        None,
        None,
        None,
    ),
]

FLASH = (
    "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
    "cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, "
    "{flags}, false, false, true, true, false, false>(pytorch_flash::Flash_fwd_params)"
)
MASKED_FILL = (
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
    "(anonymous namespace)::masked_fill_kernel(at::TensorIterator&, c10::Scalar const&)::"
    "{lambda()#1}::operator()() const::{lambda()#12}::operator()() const::"
    "{lambda(c10::BFloat16, bool)#1}>(at::TensorIteratorBase&, at::native::(anonymous namespace)"
    "::masked_fill_kernel(at::TensorIterator&, c10::Scalar const&)::{lambda()#1}::operator()() "
    "const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16, bool)#1} const&)"
    "::{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast)"
)
SOFTMAX = (
    "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, "
    "false, false>(c10::BFloat16*, c10::BFloat16 const*, int, int, int, bool const*, int, bool)"
)


def test_the_table_is_large_enough() -> None:
    assert len({case[0] for case in RECORDED + ELSEWHERE}) >= 120
    assert len({case[1] for case in RECORDED + ELSEWHERE}) >= 18


@pytest.mark.parametrize("case", RECORDED + ELSEWHERE, ids=lambda case: case[0][:60])
def test_decodes_as_expected(case: Case) -> None:
    found = decode(case[0])
    assert (
        found.library,
        found.operation,
        found.tensor_cores,
        found.dtypes,
        found.tile,
        found.stages,
        found.layout,
        found.arch,
    ) == case[1:]


@pytest.mark.parametrize("case", RECORDED + ELSEWHERE, ids=lambda case: case[0][:60])
def test_every_field_has_its_evidence_in_the_name(case: Case) -> None:
    found = decode(case[0])
    for field in ("library", "operation", "tensor_cores", "tile", "stages", "layout", "arch"):
        if getattr(found, field) is not None:
            assert found.because(field), field
    if found.dtypes:
        assert found.because("dtypes")
    text = case[0].replace("(anonymous namespace)::", "").replace("<unnamed>::", "")
    for field, token in found.evidence:
        assert token in text, (field, token)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (SOFTMAX, "softmax_warp_forward<bf16,bf16,float>"),
        (MASKED_FILL, "masked_fill bf16"),
        (FLASH.format(flags="false, true"), "flash_fwd_kernel<64,128,128>"),
        ("Memcpy DtoD (Device -> Device)", "Memcpy DtoD (Device -> Device)"),
        ("Memset (Device)", "Memset (Device)"),
        ("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT", "nvjet bf16 256x128x64 TNT"),
        ("ampere_sgemm_128x64_nn", "sgemm fp32 128x64 nn"),
        (
            "triton_per_fused__softmax_masked_fill_mul_0",
            "triton_per softmax+masked_fill+mul",
        ),
        ("my_own_kernel", "my_own_kernel"),
        ("x" * 41, "x" * 37 + "..."),
    ],
)
def test_short_names(name: str, short: str) -> None:
    assert decode(name).short == short


@pytest.mark.parametrize(
    ("joined", "ops"),
    [
        ("_softmax_masked_fill_mul", ("_softmax", "masked_fill", "mul")),
        ("add_native_layer_norm", ("add", "native_layer_norm")),
        ("_to_copy__unsafe_view_add", ("_to_copy", "_unsafe_view", "add")),
        ("_softmax__to_copy_add__softmax", ("_softmax", "_to_copy", "add")),
        ("some_new", ("some", "new")),
        ("__unknown_add", ("_", "unknown", "add")),
        ("", ()),
        ("add_", ("add",)),
    ],
)
def test_fused_ops_are_split_by_known_names(joined: str, ops: tuple[str, ...]) -> None:
    assert fused_ops(joined) == ops


@pytest.mark.parametrize(
    ("name", "causal"),
    [
        (FLASH.format(flags="false, true"), True),
        (FLASH.format(flags="true, false"), False),
        (FLASH.format(flags="0, 1"), True),
        (
            "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
            True,
        ),
        ("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvP16VarSeqQ128Kv128PersistentContext", None),
        ("attn_fwd", None),
        (SOFTMAX, None),
    ],
)
def test_causal_where_the_name_tells(name: str, causal: bool | None) -> None:
    assert decode(name).causal is causal


def test_a_copy_names_the_size_of_its_elements() -> None:
    name = "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64>(int)"
    assert decode(name).element_bytes == 2
    assert decode(name).because("element_bytes") == "OpaqueType<2u>"
    assert decode(SOFTMAX).element_bytes is None


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        (
            "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT",
            (
                ("types", "bf16"),
                ("tile", "256x128x64"),
                ("stages", "4"),
                ("layout", "TNT"),
                ("built for", "sm_90"),
                ("told by", "nvjet"),
            ),
        ),
        (
            "Cijk_Ailk_Bljk_BBS_BH_MT128x64x32_MI32x32x1_SN_ISA90a",
            (
                ("types", "bf16"),
                ("tile", "128x64x32"),
                ("layout", "NN"),
                ("built for", "gfx90a"),
                ("told by", "Cijk, MI32x32x1"),
            ),
        ),
        (
            "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 4, 64, 64>(int)",
            (("element", "2 bytes"), ("told by", "at::native, CatArrayBatchedCopy")),
        ),
        ("my_own_kernel", ()),
    ],
)
def test_what_a_name_tells_of_how_a_kernel_was_built(
    name: str, facts: tuple[tuple[str, str], ...]
) -> None:
    assert decode(name).facts() == facts


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        (FLASH.format(flags="false, true"), "flash"),
        ("void cudnn::fusion::compute_dot_do_o_specialized<true, 64>(float*)", "cudnn"),
        ("fmha_cutlassF_bf16_aligned_64x64_rf_sm80(Kernel)", "efficient"),
        ("_fwd_kernel_splitK", "triton"),
        ("merge_attn_states_kernel", "triton"),
        ("triton_tem_fused_flex_attention_0", "flex"),
        (SOFTMAX, None),
    ],
)
def test_an_attention_kernel_tells_its_backend(name: str, backend: str | None) -> None:
    assert decode(name).backend == backend


def test_words_that_code_compares_are_members() -> None:
    softmax = decode(SOFTMAX)
    assert softmax.library is Library.ATEN
    assert softmax.operation is Operation.SOFTMAX
    assert json.dumps([softmax.library, f"{softmax.operation}"]) == '["ATen", "softmax"]'
    # What no code asks for is text for people.
    assert type(decode("vllm::rms_norm_kernel").library) is str


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("attention combine", OperationKind.ATTENTION),
        ("conv backward data", OperationKind.PRODUCT),
        ("reduce sum", OperationKind.REDUCTION),
        ("layer_norm backward", OperationKind.REDUCTION),
        ("masked_fill", OperationKind.POINTWISE),
        ("fill", OperationKind.FILL),
        ("all_reduce", OperationKind.COLLECTIVE),
        (None, None),
    ],
)
def test_kinds_of_operations(operation: str | None, kind: OperationKind | None) -> None:
    assert kind_of(operation) is kind


@pytest.mark.parametrize(
    "name", ["ncclDevKernel_Generic(ncclDevComm*)", "multimem_all_reduce_kernel<c10::BFloat16, 16>"]
)
def test_collectives_are_told_by_library_or_operation(name: str) -> None:
    assert decode(name).kind is OperationKind.COLLECTIVE


def test_evidence_names_the_token() -> None:
    found = decode(
        "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas"
    )
    assert found.tensor_cores is False
    assert found.because("tensor_cores") == "ffma"
    assert found.because("library") == "cublas"
    assert found.because("causal") is None


@pytest.mark.parametrize(
    "name",
    [
        "my_kernel",
        "void my::space::my_kernel<float, 3>(float*)",
        "dot_kernel",
        "void scal_kernel<float>(float*)",
        "attn_fwd_of_mine(int)",
        "void reduce_kernel<MyOp>(float*)",
        "upsample_mine(float*)",
        "_fwd_kernel",
        "flashy",
        "",
        " ",
        "()",
        "triton",
        "ampere",
        "Cijk",
    ],
)
def test_unknown_names_stay_unknown(name: str) -> None:
    found = decode(name)
    assert (found.library, found.operation, found.tensor_cores, found.dtypes) == (
        None,
        None,
        None,
        (),
    )


@pytest.mark.parametrize("case", RECORDED + ELSEWHERE, ids=lambda case: case[0][:60])
def test_any_truncation_decodes_and_claims_no_other_library(case: Case) -> None:
    name = case[0]
    for end in range(0, len(name), max(1, len(name) // 60)):
        found = decode(name[:end])
        if found.tensor_cores is not None and case[3] is not None:
            assert found.tensor_cores == case[3], name[:end]


@pytest.mark.parametrize(
    "name",
    [
        "<" * 100_000,
        ">" * 100_000,
        "(" * 50_000 + ")" * 50_000,
        "a<" * 50_000,
        "void " * 20_000,
        "at::native::" * 8_000,
        "at::native::elementwise_kernel<1, "
        + "at::native::BinaryFunctor<float, float, float, " * 2_000,
        "at::native::reduce_kernel<" * 4_000,
        "triton_per_fused_" + "_" * 100_000,
        "triton_poi_fused_" + "add_" * 25_000,
        "nvjet_" + "64x64_" * 16_000,
        "Cijk_" + "A_" * 50_000,
        "sm80_xmma_gemm_" + "f32f32_" * 14_000,
        "FmhaFwd" * 14_000 + "ck_tile",
        "FlashAttnFwd" * 8_000,
        "cutlass" * 14_000,
        "_ZN7ck_tile" + "9" * 100_000,
        "fmha_fwd_hd128_bf16_" * 5_000,
        "\x1b]0;owned\x07" + "\x00" * 100_000,
        "{lambda(" * 12_000,
        "nccl" + "Kernel_" * 14_000,
    ],
    ids=lambda name: repr(name[:30]),
)
def test_hostile_names_return(name: str) -> None:
    found = decode(name)
    assert isinstance(found, KernelName)
    assert len(found.short) <= SHORT_LIMIT


_PIECES = st.sampled_from(
    [
        "void ",
        "at::native::",
        "elementwise_kernel",
        "reduce_kernel",
        "gpu_kernel_impl",
        "ReduceOp",
        "softmax_warp_forward",
        "flash_fwd_kernel",
        "Flash_fwd_kernel_traits<",
        "cutlass::",
        "Kernel2<",
        "cutlass_80_tensorop_",
        "s16816gemm",
        "ampere_",
        "sm90_",
        "xmma_gemm_",
        "nvjet_",
        "triton_per_fused_",
        "Cijk_",
        "_MT",
        "igemm_fwd_gtcx2_nhwc_bf16_",
        "ncclDevKernel_",
        "cudnn_generated_sdpa_",
        "fmha_cutlassF_bf16_aligned_",
        "bmm_Bfloat16_",
        "64x64",
        "_",
        "<",
        ">",
        "(",
        ")",
        "{",
        "}",
        "::",
        ", ",
        "float",
        "c10::BFloat16",
        "->",
        "1",
    ]
)


@given(st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=40).map("".join)))
def test_nothing_raises(name: str) -> None:
    found = decode(name)
    assert len(found.short) <= SHORT_LIMIT
    assert found.stages is None or found.stages >= 0


def test_signatures_of_demangled_names() -> None:
    assert signature("void a::b<int, c<d, e>>(int*)").args == ("int", "c<d, e>")
    assert signature("std::enable_if<!(false), void>::type x::y<int>(int)").path == "x::y"
    assert (
        signature("std::enable_if<(((8)>(0)))&&z::w<q>::e, void>::type v::k<int, 8>(int)").base
        == "k"
    )
    assert signature("plain_name").base == "plain_name"
    assert leading("f(int)::{lambda(float)#1}").base == "f"


NAMES = Path(__file__).parent / "names.txt"
"""A library and a kernel name a line: of public traces, those that no sample has."""


def recorded_names(file: Path) -> set[str]:
    """The names of the GPU operations of a trace file, read plainly."""
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        trace = json.load(stream)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    kinds = {"kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"}
    return {e["name"] for e in events if str(e.get("cat", "")).lower() in kinds}


def check_short(names: Iterable[str]) -> None:
    for name in names:
        assert len(name) <= SHORT_LIMIT or len(decode(name).short) <= SHORT_LIMIT, name


def test_every_name_of_public_traces_is_of_its_library() -> None:
    lines = [line.split("\t") for line in NAMES.read_text("utf-8").splitlines()]
    assert len(lines) >= 440
    for library, name in lines:
        assert decode(name).library == library, name
    check_short(name for _, name in lines)


def test_every_name_of_the_samples_decodes() -> None:
    names = set().union(*map(recorded_names, SAMPLES.glob("*.json.gz")))
    assert len(names) >= 60
    assert [name for name in sorted(names) if decode(name).library is None] == []
    check_short(names)


def test_every_name_of_the_corpus_is_listed_or_in_a_sample(corpus: Path) -> None:
    listed = {line.split("\t")[1] for line in NAMES.read_text("utf-8").splitlines()}
    known = listed.union(*map(recorded_names, SAMPLES.glob("*.json.gz")))
    assert set().union(*map(recorded_names, corpus.rglob("*.json.gz"))) <= known


@pytest.mark.parametrize("name", ["[bold red]PWN[/]", "[with T = float]", "copy [8 x 4]"])
def test_a_name_with_words_in_brackets_is_no_signature(name: str) -> None:
    assert decode(name).short == name
