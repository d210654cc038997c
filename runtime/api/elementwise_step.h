// A call of an element-wise function with tensors.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bundle/bundle.h"
#include "runtime/cpu/elementwise.h"
#include "runtime/cuda/elementwise.h"

#include <functional>
#include <string>
#include <string_view>

namespace algrt {

// Functions of a bundle as this machine sees them. The bundle must outlive it.
struct LoadedElementwise {
  explicit LoadedElementwise(const Bundle &bundle) : bundle(bundle), cpu(bundle), gpu(bundle) {}
  const Bundle &bundle;
  const CpuElementwise cpu;
  const cuda::GpuElementwise gpu;
  // Why a kernel of a function does not run on this machine, whatever it is for; empty if it does.
  std::string unusable(size_t function, size_t kernel) const {
    const bool is_gpu = bundle.manifest().elementwise[function].kernels[kernel].gpu.has_value();
    return is_gpu ? gpu.unusable(function, kernel) : cpu.unusable(function, kernel);
  }
};

struct ElementwiseStep {
  std::function<const DLTensor *(std::string_view operand)> tensor; // in the place of an operand
  DLDevice device;        // where all are, but numbers per call, which may be in CPU memory in any case
  void *stream = nullptr; // of a CUDA device
  int32_t threads = 0;    // of the CPU; 0: all
};

// Checks a call of function number `function` of the manifest, which needs no workspace, and loads its
// kernel: what is returned runs it, once, while its tensors are there. Throws Error. What it says begins with
// the names of the function's operands.
std::function<void()> prepareElementwise(const LoadedElementwise &loaded, size_t function,
                                         ElementwiseStep step);

} // namespace algrt
