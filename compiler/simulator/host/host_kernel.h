// A kernel of a GPU, compiled for this machine against the model of the SM. Plain C++, so that callers need
// no MLIR.
#pragma once

#include "runtime/bundle/kernel_parameters.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace compiler {

/// Keeps the machine code alive. Copies share it; calls from several threads are allowed.
class HostKernel {
public:
  /// Converts a copy of the module (convert-nvvm-to-simulator) and compiles it. The module holds one kernel.
  /// Throws Failure with the diagnostics of what the simulator does not know, or of what could not be
  /// compiled.
  explicit HostKernel(mlir::ModuleOp module);

  /// Executes one thread of the kernel: for simulator::Launch::kernel. `arguments` points to one pointer for
  /// each parameter, to its value, as for cuLaunchKernel.
  void call(void *const *arguments) const { entry_(arguments); }

  /// The op that a site stands for, as it was printed; "" for a number that is none.
  const std::string &site(int32_t number) const;
  const std::vector<std::string> &sites() const { return texts_; }

  /// The name of the kernel.
  const std::string &name() const { return kernel_name_; }

  /// What it takes; empty for a kernel by hand that does not say it.
  const algrt::KernelParameters &parameters() const { return list_; }

private:
  struct Code;
  std::shared_ptr<const Code> code_;
  void (*entry_)(void *const *) = nullptr;
  std::vector<std::string> texts_;
  std::string kernel_name_;
  algrt::KernelParameters list_;
};

} // namespace compiler
