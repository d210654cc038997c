// The runs of algctl simulate: a kernel on the simulator under one seed after another, each compared with a
// reference.
#pragma once

#include "compiler/schedule/targets.h"
#include "compiler/simulator/simulate.h"
#include "compiler/spec/spec_options.h"
#include "compiler/tools/array_outputs.h"
#include "compiler/tools/program_options.h"
#include "compiler/tools/run_arrays.h"
#include "compiler/tools/simulated_sums.h"
#include "runtime/bench/progress.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

struct SimulateCommand {
  SpecOptions spec;
  ArraySources sources;
  std::optional<int64_t> m;
  std::string target = usualGpuTarget().name, map = "forward", y_dtype = "bf16", schedule, kernel, output,
              dbias_output;
  int64_t offset = 0, seeds = 1, blocks = 3;
  float beta = 0;
  bool row_lists = false, json = false;
  double scale = 1;       ///< of a program's inputs
  ProgramOptions program; ///< in place of map
};

/// Every seed has padding of its own between the rows of the matrices.
SimulationSettings settingsOf(uint64_t seed, int64_t blocks);

/// What all seeds together showed.
struct Findings {
  int64_t runs = 0, calls = 0, steps = 0;
  int64_t tiles = 0;
  uint32_t grid = 0;
  double seconds = 0, largest_error = 0, worst = 0;
  std::string failure; ///< of the first seed that failed; empty when all went well
  uint64_t failed_seed = 0;
  std::vector<nlohmann::ordered_json> faults; ///< of that seed
};

class SimulatedRuns {
public:
  /// Throws Failure where the command asks for something that the kernel does not do. All have to outlive
  /// this object.
  SimulatedRuns(const SimulateCommand &command, const Spec &spec, const ArrayOutputs &outputs);

  /// Seed by seed, until one fails.
  Findings all();

  const SimulatedKernel &simulated() const { return kernel_; }
  const algrt::Layer &describedLayer() const { return layer_; }
  int64_t rows() const { return arrays_.m; }
  algrt::Map map() const { return kernel_.description().map; }
  /// Null where there is none.
  const SimulatedSums *dbias() const { return dbias_ ? &*dbias_ : nullptr; }

private:
  void one(uint64_t seed, Findings &findings);
  int64_t furtherBytes(int64_t m) const;
  void prepareHeld();
  std::vector<int32_t> typesByPosition() const;

  const SimulateCommand &command_;
  const ArrayOutputs &outputs_;
  algrt::Layer given_; ///< the spec's
  algrt::Layer layer_; ///< as the kernel sees it: of listed rows the types are explicit
  algrt::Support support_;
  SimulatedKernel kernel_;
  std::optional<SimulatedSums> dbias_; ///< where it comes with the gradient of the weight matrix
  RunArrays arrays_;
  std::optional<algrt::ProgressBar> bar_; ///< while seeds run
};

} // namespace compiler
