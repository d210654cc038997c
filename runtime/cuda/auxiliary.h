// What calls have in common that launch kernels beside the product: which kernel, and where in the caller's
// workspace.
#pragma once

#include "runtime/cuda/module.h"

#include <optional>

namespace algrt::cuda {

// Device memory of the caller's.
struct Workspace {
  void *address = nullptr;
  size_t bytes = 0;
};

// Of the kernels of a bundle that have such code the one for this device, its index in the manifest: one for
// the device's architecture alone before others.
std::optional<size_t> chooseAuxiliary(const std::vector<Kernel> &kernels,
                                      std::optional<GpuCode> Kernel::*code, const DeviceProperties &device);

// The first multiple of `alignment` in the workspace, of which a call needs `bytes` wherever it begins.
// Throws Error(ALGRT_WORKSPACE_TOO_SMALL) with the bytes; `what` says who needs them.
DevicePointer placeInWorkspace(const Workspace &workspace, int64_t bytes, int64_t alignment,
                               const std::string &what);

} // namespace algrt::cuda
