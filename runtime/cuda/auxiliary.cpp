#include "runtime/cuda/auxiliary.h"

#include "runtime/support/error.h"

namespace algrt::cuda {

std::optional<size_t> chooseAuxiliary(const std::vector<Kernel> &kernels,
                                      std::optional<GpuCode> Kernel::*code, const DeviceProperties &device) {
  std::optional<size_t> found;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const std::optional<GpuCode> &of_this = kernels[i].*code;
    if (!of_this || !reasonNotToRun(*of_this, device).empty())
      continue;
    if (!found || (of_this->exact_architecture && !(kernels[*found].*code)->exact_architecture))
      found = i;
  }
  return found;
}

DevicePointer placeInWorkspace(const Workspace &workspace, int64_t bytes, int64_t alignment,
                               const std::string &what) {
  if (workspace.address == nullptr || workspace.bytes < size_t(bytes))
    throw Error(
        ALGRT_WORKSPACE_TOO_SMALL,
        std::string("workspace ") +
            (workspace.address == nullptr ? "is null" : "has " + std::to_string(workspace.bytes) + " bytes") +
            ": " + what + " " + std::to_string(bytes) + " bytes of device memory: ask algrt_workspace_size");
  return (reinterpret_cast<uintptr_t>(workspace.address) + uintptr_t(alignment - 1)) / uintptr_t(alignment) *
         uintptr_t(alignment);
}

} // namespace algrt::cuda
