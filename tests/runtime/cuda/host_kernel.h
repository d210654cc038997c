// What a kernel, forward or of dx, does with its parameters, on the host: walks the tiles of
// runtime/gpu_kernel_abi.h and touches X, W and Y through the maps alone, tensor maps or plain ones as the
// shape has it. Written from that header; shares nothing with launch plans or kernels.
#pragma once

#include "tests/runtime/cuda/gpu_bundle.h"
#include "tests/runtime/cuda_stand_in/control.h"

namespace algrt::test {

void runHostKernel(const GpuShape &shape, const cuda_stand_in::Launch &launch);

} // namespace algrt::test
