// Element-wise functions on the simulator. Plain C++, as simulate.h.
#pragma once

#include "compiler/simulator/agreement.h"
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
  /// As simulator::Launch has it; 0: what that says.
  int64_t most_steps = 0;
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
  /// The same of a module that has been compiled.
  SimulatedElementwiseKernel(algrt::Elementwise function, algrt::ElementwiseKernel kernel, HostKernel code);

  /// Launches the kernel as the runtime would, for `rows` rows where the launch knows them, over operands in
  /// memory of their own that are poisoned around and between their rows. `inputs` are the numbers of each
  /// input, in order, and `held` what outputs hold that are added to; where that counts 0 times, no kernel
  /// may read it.
  SimulatedElementwise run(const std::vector<std::vector<float>> &inputs, int64_t rows,
                           const ElementwiseSettings &settings,
                           const std::vector<std::vector<float>> &held = {}) const;

  std::string explain(const simulator::Fault &fault) const;
  const HostKernel &host() const { return code_; }

private:
  algrt::Elementwise function_;
  algrt::ElementwiseKernel kernel_;
  HostKernel code_;
};

/// The sum over the rows of a matrix, plus `factor` times what the result held: one number for each of those,
/// in double precision, and the error that double sums in any order may have, with the rounding to f32.
ExpectedProduct expectedSums(const std::vector<float> &matrix, const std::vector<float> &held, float factor);

} // namespace compiler
