// The gradient of a bias on a device: sums of the columns of dY by the kernel dbias.
#pragma once

#include "runtime/cuda/auxiliary.h"
#include "runtime/cuda/bias_gradient_plan.h"

namespace algrt::cuda {

// The kernel of a bundle for this device, its index in the manifest, as chooseAuxiliary says. Throws
// Error(ALGRT_UNSUPPORTED) where there is none.
size_t chooseBiasGradient(const std::vector<Kernel> &kernels, const DeviceProperties &device);

// Where in the workspace the partial sums of m rows of n columns will be; 0 where there are none. Throws
// Error(ALGRT_WORKSPACE_TOO_SMALL) with the bytes that are needed, and Error(ALGRT_UNSUPPORTED) for more
// columns than the kernel counts.
DevicePointer placeBiasGradientSums(int64_t n, int64_t m, const Workspace &workspace);

// Enqueues the launches of a call.
void sumBiasGradient(const Driver &driver, const ReadyKernel &kernel, const GpuCode &code,
                     const BiasGradientCall &call, Stream stream);

} // namespace algrt::cuda
