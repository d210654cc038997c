// What a forward kernel does, on the host: reads its parameters as runtime/gpu_kernel_abi.h describes them
// and computes the product through the tensor maps, element by element. With faults, where a test asks for
// them.
#pragma once

#include "runtime/bundle/bundle.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <cstdint>
#include <functional>

namespace algrt::test {

struct HostKernel {
  const Bundle &bundle;
  ElementType output = ElementType::Bf16;
  // The result at a place instead of the right one; may be empty.
  std::function<float(int64_t row, int64_t column, float right)> fault;
  // Whether an element is not written; may be empty.
  std::function<bool(int64_t row, int64_t column)> forgets;

  void run(const cuda_stand_in::Launch &launch) const;
};

} // namespace algrt::test
