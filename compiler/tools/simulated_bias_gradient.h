// What `algctl simulate --map dw` does about the gradient of a bias.
#pragma once

#include "compiler/simulator/bias_gradient.h"
#include "compiler/tools/output_file.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace compiler {

/// A fault of a kernel with its ops, as --json prints it.
nlohmann::ordered_json faultJson(const simulator::Fault &fault, const HostKernel &kernel);

/// Runs the kernel that the compiler writes, seed after seed, and compares what comes out with sums in double
/// precision.
class BiasGradientCheck {
public:
  /// `output`: where the first seed's dbias is written as float32 .npy; null: nowhere.
  explicit BiasGradientCheck(OutputFile *output) : kernel_(biasGradientKernel()), output_(output) {}

  /// What is wrong for a seed, or nothing. What dbias holds before is zeros, as in algctl run. Every
  /// seed has padding of its own between the rows of dY.
  std::string check(BiasGradientOperands operands, uint64_t seed);

  /// Of the seed that was checked last.
  std::vector<nlohmann::ordered_json> faults() const;
  /// Of all of them: absolute, and in words.
  double largestError() const { return largest_error_; }
  std::string summary() const;

private:
  HostKernel kernel_;
  OutputFile *output_;
  SimulatedBiasGradient made_;
  int64_t runs_ = 0;
  double largest_error_ = 0, worst_ = 0;
};

} // namespace compiler
