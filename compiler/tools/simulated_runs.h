// The runs of algctl simulate: a kernel on the simulator under one seed after another, each compared with a
// reference.
#ifndef ALGCTL_COMPILER_TOOLS_SIMULATED_RUNS_H
#define ALGCTL_COMPILER_TOOLS_SIMULATED_RUNS_H

#include "compiler/schedule/targets.h"
#include "compiler/simulator/simulate.h"
#include "compiler/spec/spec_options.h"
#include "compiler/tools/array_outputs.h"
#include "compiler/tools/run_arrays.h"
#include "compiler/tools/simulated_bias_gradient.h"
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
  std::optional<std::int64_t> m;
  std::string target = usualGpuTarget().name, map = "forward", y_dtype = "bf16", schedule, kernel, output,
              dbias_output;
  std::int64_t offset = 0, seeds = 1, blocks = 3;
  float beta = 0;
  bool row_lists = false, json = false;
  std::string program_maps; ///< of programs, in place of map
};

/// Every seed has padding of its own between the rows of the matrices.
SimulationSettings settingsOf(std::uint64_t seed, std::int64_t blocks);

/// What all seeds together showed.
struct Findings {
  std::int64_t runs = 0, calls = 0, steps = 0;
  std::int64_t tiles = 0;
  std::uint32_t grid = 0;
  double seconds = 0, largest_error = 0, worst = 0;
  std::string failure; ///< of the first seed that failed; empty when all went well
  std::uint64_t failed_seed = 0;
  std::vector<nlohmann::ordered_json> faults; ///< of that seed
};

class SimulatedRuns {
public:
  /// Throws Failure where the command asks for something that the kernel does not do. All have to outlive
  /// this object.
  SimulatedRuns(const SimulateCommand &command, const Spec &spec, const ArrayOutputs &outputs);

  /// Seed by seed, until one fails.
  Findings all();

  const SimulatedKernel &simulated() const { return kernel; }
  const algrt::Layer &describedLayer() const { return layer; }
  std::int64_t rows() const { return arrays.m; }
  algrt::Map map() const { return kernel.description().map; }
  /// Null where there is none.
  const BiasGradientCheck *biasGradient() const { return bias_gradient ? &*bias_gradient : nullptr; }

private:
  void one(std::uint64_t seed, Findings &findings);
  std::int64_t furtherBytes(std::int64_t m) const;
  void prepareHeld();
  std::vector<std::int32_t> typesByPosition() const;

  const SimulateCommand &command;
  const ArrayOutputs &outputs;
  algrt::Layer given; ///< the spec's
  algrt::Layer layer; ///< as the kernel sees it: of listed rows the types are explicit
  algrt::Support support;
  SimulatedKernel kernel;
  std::optional<BiasGradientCheck> bias_gradient; ///< where that of a bias comes with the bank's
  RunArrays arrays;
  std::optional<algrt::ProgressBar> bar; ///< while seeds run
};

} // namespace compiler

#endif
