// algctl bench on programs: each beside the same operations as kernels of their own.
#pragma once

#include "compiler/tools/program_tools.h"
#include "runtime/bench/bench.h"

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

struct ProgramBenchOptions {
  int64_t m = 2048;
  int trials = 15, threads = 0; // 0: all threads
  std::function<void(double fraction, const std::string &what)> progress = {};
};

// A program on this machine's CPU, with warm caches and packed weights where steps take them.
struct ProgramBenchCase {
  std::string name, program, algebra;
  int64_t m = 0;
  size_t steps = 0, steps_apart = 0;
  algrt::Timing fused;
  std::optional<algrt::Timing> apart; // where there is a bundle of the operations apart
  double relative_l2 = 0;             // the worst output of the rows that were compared with the definition
};

// Every program of a bundle. `apart` is the bundle of the same programs whose operations are kernels of their
// own; empty: none. Trials of the two take turns. Throws Failure for results that are wrong: the first rows
// are compared with the program's definition, and all with those of the other bundle.
std::vector<ProgramBenchCase> benchPrograms(const std::string &name, const std::string &bundle,
                                            const std::string &apart, const ProgramBenchOptions &options,
                                            const ProgramTools &tools);

std::string programBenchText(const std::vector<ProgramBenchCase> &cases);
nlohmann::ordered_json programBenchJson(const std::vector<ProgramBenchCase> &cases);

} // namespace compiler
