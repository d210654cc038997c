// What kernels of a fused layer take beside X, W and Y, in the simulated device's memory.
#pragma once

#include "compiler/simulator/device_matrix.h"
#include "compiler/simulator/simulate.h"
#include "runtime/cuda/operand_view.h"

#include <cstdint>
#include <span>
#include <vector>

namespace compiler {

/// Weights, operands of maps, and results behind the first; none where the layer is not fused.
class FurtherMatrices {
public:
  /// Weights are laid out as `w` is. Throws Failure naming what the product lacks, or has of another size.
  FurtherMatrices(const algrt::Layer &layer, const algrt::GpuKernel &kernel, const ProductOperands &product,
                  const SimulationSettings &settings, const DeviceMatrix &w);

  /// What they take for m rows at most, what collect() hands out included.
  static int64_t bytes(const algrt::Layer &layer, const algrt::GpuKernel &kernel, int64_t m);

  /// As a launch takes them; numbers of the call have an address that nothing may be read at.
  std::span<const algrt::cuda::Operand> operands() const { return all_; }
  std::span<const float> numbers() const { return of_call_; }

  void registerWith(simulator::GlobalMemory &memory, bool has_rows, bool weights_are_independent) const;
  /// The results, and how many of their elements nothing wrote.
  void collect(Simulation &simulation, const simulator::GlobalMemory &memory) const;

private:
  struct Matrix {
    algrt::cuda::FurtherOperand which;
    std::string name;
    DeviceMatrix matrix;
  };
  std::vector<Matrix> matrices_; ///< all but numbers of the call
  std::vector<algrt::cuda::Operand> all_;
  std::vector<float> of_call_; ///< one for each operand; 0 for those that are none
};

} // namespace compiler
