// The terms table of runtime/gpu_kernel_abi.h.
#pragma once

#include "runtime/bundle/support.h"

#include <cstdint>
#include <vector>

namespace algrt::cuda {

// Ready to be copied to the device: of a kernel of dx the transposed terms, as algebras::Lift::transposed has
// them, of one of dw those of each block of the weight matrix. Throws Error(ALGRT_UNSUPPORTED) where a
// coefficient is neither 1 nor -1 and the kernel does not scale, or is beyond f32 and it does.
std::vector<int32_t> termsTable(const Layer &layer, const GpuKernel &kernel, const Support &support);

} // namespace algrt::cuda
