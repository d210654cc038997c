// A program of a bundle that is called on the tensors of a network, on the device.
#pragma once

#include "runtime/bench/api_call.h"
#include "runtime/bench/gpu/network_operands.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace algrt {

class GpuNetworkProgram {
public:
  // Loads the bundle's code onto the device. `each`: a call for the rows of each expert instead of one for
  // all. The operands have to outlive this object. Throws Error, also where the bundle's program is no
  // network of these widths.
  GpuNetworkProgram(const GpuDevice &device, const std::string &path, const std::string &program,
                    const GpuNetworkOperands &operands, bool each);

  const Bundle &bundle() const { return bundle_; }
  size_t steps() const { return description().steps.size(); }
  // Of a program of one step: the kernels of its projection, and their numbers in a call. Empty for others.
  struct Choice {
    int32_t number; // of algrt_run_options.kernel
    const Kernel *kernel;
  };
  std::vector<Choice> kernels() const;
  // Valid as long as this object. Kernel 0: the runtime's choice.
  GpuCall call(int32_t kernel = 0);

private:
  const Program &description() const { return *bundle_.manifest().findProgram(program_); }

  const Bundle bundle_;
  const std::string program_;
  const GpuNetworkOperands &operands_;
  const bool each_;
  OpenBundle handle_;
  std::vector<std::vector<algrt_named_tensor>> tensors_; // of each call
  std::unique_ptr<GpuMemory> workspace_;
};

} // namespace algrt
