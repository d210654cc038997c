// Element-wise functions of a bundle on the CPU: which kernels run here, their code, and calls.
#pragma once

#include "runtime/bundle/bundle.h"
#include "runtime/cpu/shared_object.h"
#include "runtime/kernel_abi.h"

#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace algrt {

struct ElementwiseCall {
  int64_t rows, columns; // of the domain
  // In the order of the function's operands, as runtime/kernel_abi.h has them.
  std::span<const algrt_memref2> operands;
  int threads; // 0: all
};

class CpuElementwise {
public:
  // The bundle must outlive this object. Nothing is loaded yet.
  explicit CpuElementwise(const Bundle &bundle) : bundle_(bundle) {}

  // Why a kernel of a function is not run here: its fault, what the machine lacks, or both; empty if it is.
  std::string unusable(size_t function, size_t kernel) const;

  // Loads the kernel that `run` would run, and throws what that would.
  void prepare(size_t function) const { load(choose(function)); }
  // Runs the first kernel of the function that the machine can run; results do not depend on the number of
  // threads. May be called by many threads at once. Throws Error: ALGRT_UNSUPPORTED where there is none,
  // ALGRT_BAD_BUNDLE where its code has a fault.
  void run(size_t function, const ElementwiseCall &call) const;

private:
  std::string lacking(const ElementwiseKernel &kernel) const;
  const ElementwiseKernel &choose(size_t function) const;
  algrt_elementwise_kernel load(const ElementwiseKernel &kernel) const;

  const Bundle &bundle_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<SharedObject>> loaded_; // by section
};

} // namespace algrt
