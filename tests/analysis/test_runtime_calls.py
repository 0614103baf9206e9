"""What a runtime or driver call's name says about it."""

from __future__ import annotations

import pytest
from made import call, copy, kernel, row, trace_of

from attntui.analysis.runtime_calls import CallKind, call_kinds, kind_of_name

NAMES = {
    CallKind.SYNC: "cudaDeviceSynchronize cudaStreamSynchronize cudaEventSynchronize "
    "hipDeviceSynchronize hipEventSynchronize hipStreamSynchronize cuCtxSynchronize "
    "cuStreamSynchronize_ptsz cuEventSynchronize urQueueFinish zeEventHostSynchronize",
    CallKind.COPY: "cudaMemcpy cudaMemcpyPeer cudaMemcpy2D hipMemcpyWithStream cuMemcpyDtoH_v2 "
    "cudaMemcpy_ptds hipMemcpyDtoH",
    CallKind.MEMORY: "cudaMalloc cudaFree cudaMallocHost cudaFreeHost cudaHostAlloc "
    "cudaHostRegister cudaMallocAsync cudaFreeAsync cudaMallocManaged cuMemAlloc_v2 cuMemFree_v2 "
    "cuMemHostAlloc cuMemCreate cuMemMap cuMemUnmap cuMemSetAccess cuMemAddressReserve "
    "hipMalloc hipFree hipHostMalloc hipHostFree hipExtMallocWithFlags hipMemCreate",
    CallKind.MODULE_LOAD: "cuModuleLoadDataEx cuModuleLoadData cuModuleUnload cuLibraryLoadData "
    "cuModuleGetFunction hipModuleLoad hipModuleLoadData cuLinkCreate_v2 nvrtcCompileProgram",
    CallKind.LAUNCH: "cudaLaunchKernel cudaLaunchKernelExC cuLaunchKernel cuLaunchKernelEx "
    "cudaLaunchCooperativeKernel cudaGraphLaunch cuGraphLaunch hipLaunchKernel hipGraphLaunch "
    "hipExtLaunchKernel hipModuleLaunchKernel hipExtModuleLaunchKernel cudaMemcpyAsync "
    "cudaMemsetAsync cudaMemset hipMemcpyAsync cuMemcpyDtoHAsync_v2 urEnqueueKernelLaunch",
    CallKind.STREAM_WAIT: "cudaStreamWaitEvent cuStreamWaitEvent hipStreamWaitEvent",
    CallKind.OTHER: "cudaEventQuery cudaEventRecord cudaStreamIsCapturing cudaGetDeviceCount "
    "cudaFuncSetAttribute cudaMemGetInfo cuMemGetInfo_v2 cudaHostGetDevicePointer "
    "hipGetDevicePropertiesR0600 cudaGraphInstantiate hipPointerGetAttribute unheardOf",
}


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for kind, names in NAMES.items() for name in names.split()]
)
def test_kind_of_name(name: str, kind: CallKind) -> None:
    assert kind_of_name(name) is kind


def test_a_copy_blocks_by_its_memory_and_a_stranger_that_launches_is_a_launch() -> None:
    trace = trace_of(
        [
            call("cudaMemcpyAsync", 100, 200, 1),
            call("hipMemcpyWithStream", 300, 400, 2),
            call("brandNewLaunch", 500, 600, 3),
            call("cudaEventQuery", 700, 800, 4),
            copy("Memcpy DtoH (Device -> Pageable)", 150, 190, 1),
            copy("Memcpy DtoD (Device -> Device)", 350, 390, 2),
            kernel("k", 650, 690, 3),
            call("cudaGraphLaunch", 900, 910, 5),
            copy("Memcpy HtoD (Pageable -> Device)", 950, 960, 5),
        ]
    )
    kinds = call_kinds(trace)
    assert kinds[row(trace, "cudaMemcpyAsync")] == CallKind.COPY
    assert kinds[row(trace, "hipMemcpyWithStream")] == CallKind.LAUNCH
    assert kinds[row(trace, "brandNewLaunch")] == CallKind.LAUNCH
    assert kinds[row(trace, "cudaEventQuery")] == CallKind.OTHER
    assert kinds[row(trace, "cudaGraphLaunch")] == CallKind.LAUNCH
    assert kinds[row(trace, "k")] == -1
