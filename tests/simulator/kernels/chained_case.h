// Kernels of two layers. Operands are small whole numbers: sums of both layers are exact in any order, and
// what lies between them is rounded once, so that a result has to be the rounded number, bit for bit. The
// expected values come from dense matrices in double precision.
#pragma once

#include "compiler/simulator/simulate.h"
#include "compiler/spec/spec.h"
#include "tests/simulator/kernels/exact_case.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace simulator_test {

// y = h D + residual, where h = (x G) (x U) scale[row] + bias[column]; of one weight matrix h = x G and so
// on. Without `rows_read` scale and residual are left out, without `columns_read` the bias. Where it
// `divides`, zero times 1 / (x G) is added to h: nothing, as X and G are positive numbers then, but no number
// beyond the last column of a group.
struct ChainedKernel {
  std::string algebra;
  int64_t in, hidden, out;
  std::string schedule; // empty: chosen by cost, for so many rows
  std::string row_types = "cyclic";
  int64_t weights = 2;
  bool rows_read = false;
  int64_t rows = 2048;
  std::string target = "sm_90a";
  bool columns_read = true;
  bool divides = false;
  int64_t experts = 0; // among which the rows are divided, all of them, or a list of as many rows

  compiler::Spec first() const { return projection(algebra, in, hidden, row_types); }
  compiler::Spec last() const { return projection(algebra, hidden, out, row_types); }
};

// The function in the alg dialect.
std::string chainedFunction(const ChainedKernel &kernel);
// Its kernel as the compiler emits it for the target. Throws std::runtime_error where a pass refuses it.
std::string emittedKernel(const ChainedKernel &kernel);

class ChainedCase {
public:
  // Rows from position p0 on, or each at a position of its own.
  ChainedCase(const ChainedKernel &kernel, int64_t m, int64_t p0, uint64_t seed,
              std::vector<int64_t> positions = {});

  ExactCase::Objection run(const compiler::SimulatedKernel &kernel,
                           const compiler::SimulationSettings &settings) const;

  // Of numbers that round in every sum, of which nothing is expected: what the kernel makes of them, with all
  // rows and with one of them alone, which has to be at a position of its own.
  void takeRoughNumbers(uint64_t seed);
  // The same numbers everywhere: of x, of the first layer's weights, and of the second's.
  void takeEqualNumbers(float x, float first, float last);
  ChainedCase rowAlone(size_t row) const;
  std::vector<float> results(const compiler::SimulatedKernel &kernel,
                             const compiler::SimulationSettings &settings) const;

private:
  void divideRows(const ChainedKernel &kernel, std::mt19937_64 &random, bool listed);
  compiler::ProductOperands operands() const;

  algrt::Layer layer_;
  algrt::Support support_;
  int64_t m_, p0_;
  std::vector<int64_t> positions_;
  bool wide_positions_;
  std::vector<float> x_;
  std::vector<std::vector<float>> weights_; // those of the first layer, then that of the second
  std::vector<float> bias_, scale_, residual_;
  std::vector<int32_t> starts_, list_; // of experts
  std::vector<double> expected_;
};

} // namespace simulator_test
