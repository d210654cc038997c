// What a kernel of dw does with its parameters, on the host: walks the tiles of dW as
// runtime/gpu_kernel_abi.h describes them and touches X, dY and dW through the plain maps alone. Written from
// that header; shares nothing with launch plans or kernels.
#pragma once

#include "tests/runtime/cuda/gpu_bundle.h"
#include "tests/runtime/cuda_stand_in/control.h"

namespace algrt::test {

void runHostWeightKernel(const GpuShape &shape, const cuda_stand_in::Launch &launch);

} // namespace algrt::test
