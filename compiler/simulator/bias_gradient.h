// The gradient of a bias by the kernel dbias, on the simulator. Plain C++, as simulate.h.
#pragma once

#include "compiler/simulator/agreement.h"
#include "runtime/bundle/layer.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace compiler {

struct BiasGradientOperands {
  int64_t m = 0, n = 0;
  std::span<const float> dy; ///< m x n values of bf16
  algrt::ElementType output = algrt::ElementType::Bf16;
  /// What dbias holds, n values of its type, and how often it counts. Where that is 0 the kernel may not read
  /// it, and nothing need be given.
  std::span<const float> held = {};
  float beta = 0;
};

struct BiasGradientSettings {
  uint64_t seed = 0;  ///< of the interleaving
  int64_t blocks = 0; ///< of every launch; 0: as many as the runtime launches
  /// Between the rows of dY, and from a multiple of 256 bytes to the first element of dY and dbias.
  int64_t padding = 0, shift = 0;
  /// Steps of the scheduler after which a launch counts as endless; 0: the model's own limit.
  int64_t most_steps = 0;
};

struct SimulatedBiasGradient {
  std::vector<float> dbias; ///< n; NaN where nothing was written
  int64_t unwritten = 0;    ///< of its elements
  int64_t calls = 0;        ///< instructions of all launches
  std::vector<simulator::Fault> faults;
};

/// What simulateBiasGradient takes of memory at most. Throws algrt::Error where that leaves 64 bits.
int64_t biasGradientBytes(int64_t n, int64_t m);

/// The kernel that the compiler writes, for blocks of bias_gradient_threads.
HostKernel biasGradientKernel();

/// Launches the kernel as the runtime would, once or twice, over operands in memory of their own that are
/// poisoned around and between their rows. The kernel is that of biasGradientModule, for blocks of `threads`.
SimulatedBiasGradient simulateBiasGradient(const HostKernel &kernel, int64_t threads,
                                           const BiasGradientOperands &operands,
                                           const BiasGradientSettings &settings);

/// Each column's sum in double precision, and for each the error that double sums in any order may have, with
/// the rounding to f32.
ExpectedProduct expectedBiasGradient(const BiasGradientOperands &operands);

} // namespace compiler
