// One call of a kernel on the simulator: its operands in the memory of a device, and its launch.
#pragma once

#include "compiler/simulator/device_matrix.h"
#include "compiler/simulator/expert_lists.h"
#include "compiler/simulator/further_matrices.h"
#include "compiler/simulator/simulate.h"
#include "runtime/cuda/launch_parameters.h"

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

class SimulatedCall {
public:
  /// All are kept by reference. Throws Failure naming what the product and the kernel do not agree about.
  SimulatedCall(const HostKernel &code, const algrt::GpuKernel &kernel, const ProductOperands &product,
                const SimulationSettings &settings);

  /// Once. Throws algrt::Error where the runtime would refuse the launch, and Failure where the tensor maps
  /// are such that the driver would.
  Simulation run();

private:
  DeviceMatrix matrix(int64_t rows, int64_t columns, int64_t padding, int64_t shift,
                      algrt::ElementType element) const;
  DeviceMatrix matrixOfX() const;
  DeviceMatrix matrixOfW() const;
  DeviceMatrix matrixOfY() const;
  int64_t biasSize() const { return product_.networks() * layer_.n; }
  void requireSuits() const;
  bool findsRowsOfExperts() const { return kernel_.listed && product_.experts() > 0; }
  bool hasListOfX() const { return product_.hasList() && product_.x_by_list; }

  /// Memory that the kernel reads; what is independent is not written between two calls, so that it may be
  /// read before the grid before has ended.
  uint64_t readOnly(const char *name, const void *data, size_t bytes, bool independent = false);
  /// The terms table and the lists of rows, as the runtime makes them.
  void makeLists();
  algrt::cuda::LaunchPlan plan() const;
  void registerMatrices();
  /// Positions of rows, and where those of experts begin.
  void registerPlaces();
  void setParameters(const algrt::cuda::LaunchPlan &plan);
  simulator::Launch launchOf(const algrt::cuda::LaunchPlan &plan, double result_bytes);

  const HostKernel &code_;
  const algrt::GpuKernel &kernel_;
  const ProductOperands &product_;
  const SimulationSettings &settings_;
  const algrt::Layer &layer_;
  const algrt::cuda::KernelShape shape_;
  const bool takes_bias_;
  const bool adds_; ///< to what dW holds
  /// Kernels of vector reductions read what nobody writes between two calls before the grid before has ended.
  const bool reads_early_;
  DeviceMatrix x_, w_, y_, bias_;
  FurtherMatrices further_;

  simulator::GlobalMemory memory_;
  std::vector<int32_t> terms_, row_list_, narrow_positions_;
  ExpertLists lists_of_experts_;
  algrt::cuda::DeviceLists lists_;
  const void *positions_ = nullptr;
  algrt::cuda::ParameterBlock block_;
};

} // namespace compiler
