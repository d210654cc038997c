// A device on which the runtime's launches are carried out: the stand-in for the driver says what was
// launched, and the simulator runs it, on the grid, the clusters and the bytes of the parameters that were
// recorded.
#pragma once

#include "compiler/simulator/model/global_memory.h"
#include "tests/device/compiled_bundle.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <cstdint>
#include <string>
#include <vector>

namespace device_test {

// Memory of a call as its kernels may touch it: rows of `columns` elements.
struct Region {
  std::string name;
  uint64_t address = 0;
  int64_t rows = 0, columns = 0, stride = 0, element_bytes = 0;
  bool holds(uint64_t at) const;
};

class SimulatedDevice {
public:
  // The bundle must outlive this object. Takes the stand-in's launches from now on.
  explicit SimulatedDevice(CompiledBundle &bundle);
  ~SimulatedDevice();
  SimulatedDevice(const SimulatedDevice &) = delete;

  // What the next calls may touch: operands that kernels read, the results of the product and of the sums
  // behind it, and the workspace.
  std::vector<Region> operands;
  Region result, bias_result, workspace;
  uint64_t seed = 0; // of the interleaving of the next launch

  // The kernels that ran, by their names in the manifest, in order.
  std::vector<std::string> ran;

private:
  void run(const algrt::cuda_stand_in::Launch &launch);
  void runKernel(const algrt::cuda_stand_in::Launch &launch);

  CompiledBundle &bundle_;
};

} // namespace device_test
