// Kernels of several products of the same rows, with maps of their sums and several results, written as tile
// programs. Operands are small whole numbers, so that sums and maps are exact in any order: a result has to
// be the rounded number, bit for bit. The expected values come from dense matrices in double precision.
#pragma once

#include "compiler/simulator/simulate.h"
#include "compiler/spec/spec.h"
#include "tests/simulator/kernels/exact_case.h"

#include <cstdint>
#include <string>
#include <vector>

namespace simulator_test {

// With sums s1, s2, ... of the weights, the kernel computes
//   y  = s1 s2 s3 ... + bias[column] + alpha * scale[row] + residual[row, column], rounded to `first`,
//   y2 = s_last - other[row, column], as `second`, where `two_results` is set,
// where bias and residual are bf16, scale and other f32, and alpha is a number of the call. Without
// `rows_read` scale, residual and other are left out, so that maps read columns and a number alone. With
// `swiglu` it is y = silu(s1) s2 of two weights, and nothing else; then the result has to be near the number.
struct FusedKernel {
  compiler::Spec spec;
  std::string schedule, target;
  int64_t weights = 2;
  bool two_results = true, rows_read = true;
  algrt::ElementType first = algrt::ElementType::Bf16, second = algrt::ElementType::F32;
  algrt::Map map = algrt::Map::Forward;
  bool swiglu = false;
};

// What such a kernel's layer is to the runtime.
algrt::Layer fusedLayer(const FusedKernel &kernel);
// The tile program.
std::string fusedTileProgram(const FusedKernel &kernel);
// A tile program's kernel as the simulator reads it. Throws std::runtime_error where a pass refuses it.
std::string loweredKernel(const std::string &tile_program, bool threads_copy);
std::string emittedKernel(const FusedKernel &kernel);
// The kernel that the compiler makes of a function in the alg dialect for a target and so many rows, by the
// schedule that it chooses, or by one that is given. The rows may be divided among experts.
std::string chosenKernel(const std::string &function, const std::string &target, int64_t rows,
                         const std::string &schedule = "", int64_t experts = 0);

class FusedCase {
public:
  // Explicit row types are drawn.
  FusedCase(const FusedKernel &kernel, int64_t m, int64_t p0, uint64_t seed);

  ExactCase::Objection run(const compiler::SimulatedKernel &kernel,
                           const compiler::SimulationSettings &settings) const;

private:
  algrt::Layer layer_;
  algrt::Support support_;
  int64_t m_, p0_;
  bool near_; // results need not be exact
  std::vector<int32_t> types_;
  std::vector<float> x_;
  std::vector<std::vector<float>> weights_;
  std::vector<float> bias_, scale_, residual_, other_, alpha_;
  std::vector<double> expected_, expected_second_;
};

} // namespace simulator_test
