// Measuring a bundle against a dense library: interleaved trials, medians and quartiles, warm and flushed.
#pragma once

#include "runtime/bundle/manifest.h"

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace algrt {

class DenseLibraries;

struct BenchOptions {
  int trials = 15;
  int threads = 0; // 0 = all; both sides get the same number
  bool against_dense = true;
  int64_t flush_bytes = 0; // 0 = a quarter more than the last-level cache, at least 64 MiB
  uint64_t seed = 1;
  std::function<void(double fraction, const std::string &what)> progress; // may be empty
};

// Microseconds.
struct Timing {
  double median = 0, lower_quartile = 0, upper_quartile = 0;
};

struct WarmAndFlushed {
  Timing warm, flushed;
};

struct BenchCase {
  std::string name; // of the bundle or of the table's row
  std::string algebra;
  int64_t m = 0, k = 0, n = 0, q = 0;
  std::string map = "forward"; // of workload.h
  std::string target;
  std::string dtype;
  int threads = 0;
  int64_t active_macs = 0, dense_macs = 0; // of all maps
  // Absent where no packed kernel runs on this machine, and for gradients, whose weight matrix changes with
  // every step.
  std::optional<WarmAndFlushed> packed;
  std::optional<WarmAndFlushed> on_the_fly;
  std::optional<WarmAndFlushed> dense;
  std::string dense_library; // "oneDNN 2.6.3 sgemm", or why there is none
  // max(active MACs / dense MAC rate, bytes / copy bandwidth), summed over maps; without a rate of bytes
  // alone
  double floor_us = 0;
  std::optional<double> predicted_us;           // by the compiler's cost model, where the caller has one
  double floor_macs_us = 0, floor_bytes_us = 0; // 0 where there is no rate
  double relative_l2 = 0, max_relative_error = 0;
  int64_t checked_rows = 0;
  std::string verdict; // "faster", "slower", "same" (inside the noise), "not compared"
};

struct Machine {
  std::string cpu, level;
  int threads = 0;
  double copy_bytes_per_second = 0;     // read plus written; 0 where no case asked for it
  double dense_macs_per_second_f32 = 0; // 0 = not measured, or no library multiplies that type
  double dense_macs_per_second_bf16 = 0;
  int64_t flush_bytes = 0;
  std::vector<std::string> dense_libraries; // found, or why not
};

// Throws Error(ALGRT_OUT_OF_MEMORY), with the bytes that are needed and those that there are, where measuring
// a case would take more memory than the process may still have. For all cases before the first one is
// measured, which takes time.
void requireRoom(const std::string &bundle_path, int64_t m, const std::string &workload, int threads);

// Holds the dense libraries and the machine's measured rates: make one and measure many cases with it.
class Bench {
public:
  explicit Bench(const BenchOptions &options);
  // Against others than the machine's libraries.
  Bench(const BenchOptions &options, DenseLibraries dense);
  ~Bench();
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  // Checks the bundle's results against the reference (sampled rows where the shape is large), then measures.
  // `workload` is a name of workload.h. Throws Error; a wrong result is Error(ALGRT_INTERNAL) with the
  // measured error.
  BenchCase measure(const std::string &bundle_path, int64_t m, const std::string &workload = "forward");
  const Machine &machine() const;

private:
  struct State;
  State *state_;
};

nlohmann::ordered_json toJson(const BenchCase &result);
nlohmann::ordered_json toJson(const Machine &machine);
// One line per case under a header; times in microseconds, in the given state of the caches.
std::string textTable(const std::vector<BenchCase> &cases);

} // namespace algrt
