// A bundle as the compiler writes it, and of each of its kernels what the simulator runs: the module from
// which the very image came.
#pragma once

#include "compiler/pipeline/pipeline.h"
#include "compiler/simulator/host/host_kernel.h"
#include "compiler/spec/spec.h"
#include "runtime/bundle/bundle.h"

#include <map>
#include <string>
#include <vector>

namespace device_test {

// A kernel of a bundle on the simulator.
struct Program {
  std::string name;
  const algrt::GpuCode *code;
  const algrt::Kernel *entry; // of the manifest; null for that of an element-wise function
  compiler::HostKernel kernel;
  int64_t threads; // that the module requires of a block
  int64_t cluster; // that it requires, 1 where it requires none
};

class CompiledBundle {
public:
  CompiledBundle(compiler::Spec spec, compiler::CompileOptions options);

  const std::string &bytes() const { return text_; }
  const algrt::Bundle &parsed() const { return bundle_; }
  const compiler::Spec &spec() const { return layer_spec_; }

  // The kernel that a module image of the bundle holds; compiled for the simulator when it is first asked
  // for. Throws std::runtime_error where no kernel's image begins so, or where the module that the compiler
  // writes for the manifest's entry is not the one that the bundle's PTX came from.
  const Program &programOf(const std::string &image);

private:
  // A kernel of the manifest, or that of a function.
  struct Entry {
    std::string name;
    const algrt::GpuCode *code;
    const algrt::Kernel *kernel;
    std::string target;
  };
  std::string textOf(const Entry &entry, compiler::Stage stage) const;
  Entry entryOf(const std::string &image) const;

  compiler::Spec layer_spec_;
  compiler::CompileOptions options_;
  std::string text_;
  algrt::Bundle bundle_;
  std::map<const algrt::GpuCode *, Program> programs_;
};

} // namespace device_test
