// Element-wise functions on the simulator. Plain C++, as simulate.h.
#pragma once

#include "compiler/simulator/host/host_kernel.h"
#include "compiler/simulator/model/machine.h"
#include "runtime/bundle/elementwise.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

struct ElementwiseSettings {
  uint64_t seed = 0;  ///< of the interleaving
  int64_t blocks = 3; ///< at most, of the launch
  /// Between the rows of operands per element, and from a multiple of 256 bytes to the first number of each.
  int64_t padding = 0, shift = 0;
  /// Numbers per call go with the launch; else the kernel reads them from the device.
  bool numbers_with_launch = true;
};

struct SimulatedElementwise {
  /// Of each output, in order; NaN where nothing was written.
  std::vector<std::vector<float>> outputs;
  int64_t unwritten = 0; ///< of their numbers
  simulator::Report report;
};

/// A kernel of a function, for any number of calls.
class SimulatedElementwiseKernel {
public:
  /// Of a module in the llvm and nvvm dialects, as text, for which the kernel describes threads and tasks.
  /// Throws Failure naming what is wrong with it.
  SimulatedElementwiseKernel(algrt::Elementwise function, algrt::ElementwiseKernel kernel,
                             const std::string &nvvm);

  /// Launches the kernel as the runtime would, for `rows` rows where the launch knows them, over operands in
  /// memory of their own that are poisoned around and between their rows. `inputs` are the numbers of each
  /// input, in order.
  SimulatedElementwise run(const std::vector<std::vector<float>> &inputs, int64_t rows,
                           const ElementwiseSettings &settings) const;

  std::string explain(const simulator::Fault &fault) const;

private:
  algrt::Elementwise function_;
  algrt::ElementwiseKernel kernel_;
  HostKernel code_;
};

} // namespace compiler
