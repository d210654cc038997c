#include "runtime/cpu/elementwise.h"

#include "runtime/cpu/features.h"
#include "runtime/support/error.h"
#include "runtime/support/parallel.h"

namespace algrt {

std::string CpuElementwise::lacking(const ElementwiseKernel &kernel) const {
  if (kernel.gpu)
    return "it is for " + kernel.target + ", and needs tensors on a CUDA device";
  if (!kernel.known)
    return "this runtime has no backend for " + kernel.target;
#if !ALGRT_HAS_CPU
  return "this runtime was built without the CPU backend (ALGRT_CPU=OFF)";
#else
  const std::vector<std::string> missing = missingCpuFeatures(kernel.features);
  std::string reason = missing.empty() ? "" : "this CPU lacks";
  for (const std::string &name : missing)
    reason += " " + name;
  return reason;
#endif
}

std::string CpuElementwise::unusable(size_t function, size_t kernel) const {
  const std::string &fault = bundle_.elementwiseFault(function, kernel);
  const std::string reason = lacking(bundle_.manifest().elementwise[function].kernels[kernel]);
  return fault + (fault.empty() || reason.empty() ? "" : "; and ") + reason;
}

const ElementwiseKernel &CpuElementwise::choose(size_t function) const {
  const Elementwise &description = bundle_.manifest().elementwise[function];
  std::string reasons;
  for (size_t i = 0; i < description.kernels.size(); ++i) {
    const ElementwiseKernel &kernel = description.kernels[i];
    const std::string reason = lacking(kernel);
    if (reason.empty()) {
      if (const std::string &fault = bundle_.elementwiseFault(function, i); !fault.empty())
        throw Error(ALGRT_BAD_BUNDLE, "function " + description.name + ": " + fault);
      return kernel;
    }
    reasons += (reasons.empty() ? ": " : "; ") + (kernel.level.empty() ? kernel.target : kernel.level) +
               ": " + reason;
  }
  throw Error(ALGRT_UNSUPPORTED, "the bundle has no kernel of the function " + description.name +
                                     " that runs on this CPU" + reasons +
                                     ". Compile the bundle for this machine");
}

algrt_elementwise_kernel CpuElementwise::load(const ElementwiseKernel &kernel) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<SharedObject> &object = loaded_[kernel.section];
  if (!object)
    object = std::make_unique<SharedObject>(bundle_.section(*bundle_.manifest().findSection(kernel.section)),
                                            kernel.section);
  return reinterpret_cast<algrt_elementwise_kernel>(object->symbol(kernel.symbol));
}

void CpuElementwise::run(size_t function, const ElementwiseCall &call) const {
  const ElementwiseKernel &kernel = choose(function);
  const algrt_elementwise_kernel code = load(kernel);
  runTasks(resolveThreads(call.threads), elementwiseTasks(kernel, call.rows, call.columns),
           [&](int, int64_t begin, int64_t end) {
             code(call.operands.data(), call.rows, call.columns, begin, end);
           });
}

} // namespace algrt
