// What `algctl simulate --map dw` does about dbias: the element-wise function that sums the rows of dY.
#pragma once

#include "compiler/bundle/kernel_source.h"
#include "compiler/simulator/elementwise.h"
#include "compiler/tools/output_file.h"
#include "compiler/tools/target_options.h"

#include <span>
#include <string>
#include <vector>

namespace compiler {

/// Runs the function's kernel, seed after seed, and compares what comes out with sums in double precision.
class SimulatedSums {
public:
  /// `source` is of a layer with a bias. `output`: where the first seed's dbias is written as float32 .npy;
  /// null: nowhere.
  SimulatedSums(const KernelSource &source, Target target, algrt::ElementType type, OutputFile *output);

  /// What a run takes of memory at most. Throws algrt::Error where that leaves 64 bits.
  static int64_t bytes(int64_t n, int64_t m);

  /// What is wrong for a seed, or nothing. What dbias holds before is zeros, as in algctl run. Every seed has
  /// padding of its own between the rows of dY.
  std::string check(const std::vector<float> &dy, int64_t m, int64_t n, float beta, uint64_t seed);

  /// Of the seed that was checked last.
  const std::vector<simulator::Fault> &faults() const { return made_.report.faults; }
  const HostKernel &host() const { return kernel_.host(); }
  /// Of all of them: absolute, and in words.
  double largestError() const { return largest_error_; }
  std::string summary() const;

private:
  algrt::ElementType type_;
  SimulatedElementwiseKernel kernel_;
  OutputFile *output_;
  SimulatedElementwise made_;
  int64_t runs_ = 0;
  double largest_error_ = 0, worst_ = 0;
};

} // namespace compiler
