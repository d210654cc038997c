// algctl bench on programs: each beside the same in steps, one for each layer, beside the same operations as
// kernels of their own, and beside dense products.
#pragma once

#include "compiler/tools/program_tools.h"
#include "runtime/bench/bench.h"
#include "runtime/bench/dense.h"
#include "runtime/bench/machine.h"
#include "runtime/bench/table.h"

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

// A program on this machine's CPU, with packed weights where steps take them.
struct ProgramBenchCase {
  std::string name, program, algebra, dense_library; // the last: empty, or why there are no dense products
  int64_t m = 0, experts = 0;                        // 0: one network has all rows
  size_t steps = 0, steps_in_layers = 0, steps_apart = 0;
  algrt::WarmAndFlushed algebra_us;
  std::optional<algrt::WarmAndFlushed> steps_us; // where there is a bundle of other steps, one for each layer
  std::optional<algrt::WarmAndFlushed> apart_us; // where there is a bundle of the operations apart
  std::optional<algrt::WarmAndFlushed> each_us;  // of experts: a call for each
  std::optional<algrt::WarmAndFlushed> dense_us; // of a feed-forward network without biases
  // The longer of what the multiplications of its products take at the rate of the dense products, and its
  // operands, each once, at the rate of a copy; the rate is that of large products or of these very ones, if
  // they are faster. Without a rate, of the bytes alone.
  double floor_us = 0;
  /// What the floor is of: copies by all threads, and the dense rate of the machine, or of the dense network
  /// where that is above it; 0 without dense products.
  double copy_bytes_per_us = 0, dense_macs_per_us = 0;
  int64_t active_macs = 0, bytes = 0;
  double relative_l2 = 0; // the worst output of the rows that were compared with the definition
  algrt::PublishedFigures published;
};

// A program that is left out.
struct SkippedProgram {
  std::string name, program;
  int64_t m = 0;
  std::string why;
};

// What a program is measured from.
struct ProgramBenchSource {
  std::string name, bundle;
  bool of_bundle = false;        // which has no spec that the others could be compiled from
  std::string steps;             // the bundle of the same programs with a step for each layer, or empty
  std::string apart;             // the bundle of the same programs whose operations are kernels of their own
  std::string each;              // the bundle of the same programs for the rows of one expert
  std::optional<Swiglu> network; // where the programs are of one
  std::string activation;        // the bundle of its activation
  algrt::PublishedFigures published = {};
};

class ProgramBench {
public:
  struct Options {
    int trials = 15, threads = 0; // 0: all threads
    bool against_dense = true;
    int64_t flush_bytes = 0; // 0: as runtime/bench/bench.h has it
    std::function<void(double fraction, const std::string &what)> progress = {};
  };
  ProgramBench(const Options &options, const ProgramTools &tools);

  // Every program of the bundle, with m rows, which may be divided evenly among experts; programs whose rows
  // cannot are skipped. Throws Failure for results that are wrong: the first rows are compared with the
  // program's definition, all with those of the other bundles, and the dense network with its own definition.
  std::vector<ProgramBenchCase> measure(const ProgramBenchSource &source, int64_t m, int64_t experts);
  // Of all measurements.
  const std::vector<SkippedProgram> &skipped() const { return skipped_; }

private:
  // Multiplications in a microsecond of large dense products; 0 where no library does the type.
  double denseRate(algrt::ElementType type);
  double copyBytesPerMicrosecond();
  // Of a case with its times, and of dense products of the type, where it has any.
  void findFloor(ProgramBenchCase &made, int64_t dense_macs, algrt::ElementType type);

  const Options options_;
  const ProgramTools &tools_;
  const int threads_;
  algrt::DenseLibraries libraries_;
  std::map<algrt::ElementType, double> rates_; // measured when a case of the type asks
  algrt::CacheFlush flush_;
  std::optional<double> copy_bytes_per_us_; // measured when the first case asks
  std::vector<SkippedProgram> skipped_;
};

std::string programBenchText(const std::vector<ProgramBenchCase> &cases,
                             const std::vector<SkippedProgram> &skipped);
nlohmann::ordered_json programBenchJson(const std::vector<ProgramBenchCase> &cases,
                                        const std::vector<SkippedProgram> &skipped);

} // namespace compiler
