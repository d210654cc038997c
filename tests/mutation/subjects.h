// The kernels that faults are planted in, and the calls that find them out.
#pragma once

#include "tests/simulator/kernels/chained_case.h"
#include "tests/simulator/kernels/exact_case.h"
#include "tests/simulator/kernels/fused_case.h"
#include "tests/simulator/kernels/written_kernel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mutation_test {

struct Batch {
  int64_t m, p0;
  int32_t blocks;
  float beta = 0; // of the map dw
  simulator_test::RowPlaces places = simulator_test::RowPlaces::FromP0;
};

// A kernel and the calls that together go through all of it.
struct Subject {
  std::string name, algebra;
  int64_t in, out;
  std::string row_types, schedule;
  algrt::ElementType output;
  std::vector<Batch> batches;
  std::string lift = "rows", target = "sm_90a";
  algrt::Map map = algrt::Map::Forward;
  std::vector<int64_t> in_groups = {}, out_groups = {}; // of unequal widths
  // Above 0: that many products of the same rows, with operands of every kind and two results of their maps.
  int64_t fused_weights = 0;
  // Not empty: the file of a kernel of the sm dialect, written by hand.
  std::string written = {};
  // Two layers in one kernel: then what is above is empty, but for the name and the batches.
  std::optional<simulator_test::ChainedKernel> chained = {};

  compiler::Spec spec() const {
    using simulator_test::projection;
    return in_groups.empty() ? projection(algebra, in, out, row_types, lift)
                             : projection(algebra, in_groups, out_groups, row_types);
  }
  simulator_test::FusedKernel fused() const { return {spec(), schedule, target, fused_weights}; }
  // The kernel's module as the compiler emits it.
  std::string kernel() const {
    if (chained)
      return simulator_test::emittedKernel(*chained);
    if (!written.empty())
      return simulator_test::instructionsOf(
          simulator_test::withBarriers(simulator_test::writtenKernel(written)));
    return fused_weights > 0 ? simulator_test::emittedKernel(fused())
                             : simulator_test::emittedKernel(spec(), schedule, output, target, map);
  }
};

const std::vector<Subject> &subjects();

} // namespace mutation_test
