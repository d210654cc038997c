// A driver whose calls of a launch do nothing: what is left is the runtime's own work on the host.
#pragma once

#include "runtime/cuda/driver.h"

namespace algrt::test {

// Of a driver that nobody else uses meanwhile.
inline void makeIdle(const cuda::Driver &driver) {
  // The object is none that was declared const: it is opened, and handed on as such.
  auto &changed = const_cast<cuda::Driver &>(driver);
  changed.ctxPushCurrent = [](cuda::Context) { return cuda::Result::Success; };
  changed.ctxPopCurrent = [](cuda::Context *) { return cuda::Result::Success; };
  changed.tensorMapEncodeTiled = [](cuda::TensorMapObject *, cuda::TensorMapDataType, uint32_t, void *,
                                    const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *,
                                    cuda::TensorMapInterleave, cuda::TensorMapSwizzle,
                                    cuda::TensorMapL2Promotion,
                                    cuda::TensorMapFloatOobFill) { return cuda::Result::Success; };
  changed.launchKernelEx = [](const cuda::LaunchConfig *, cuda::Function, void **, void **) {
    return cuda::Result::Success;
  };
}

} // namespace algrt::test
