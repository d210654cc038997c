// Products of small whole numbers, whose sums are exact in any order: a kernel's result has to be the rounded
// sum, bit for bit. Blocks of the operands that no term of the product reads are NaN, beside those that one
// does. The expected values come from dense matrices in double precision, which share nothing
// with the runtime's reference or with the kernels.
#pragma once

#include "compiler/simulator/simulate.h"
#include "compiler/spec/spec.h"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace simulator_test {

// "Q(3)", 192 to 288, bf16, with the row types and lift of a spec.
compiler::Spec projection(const std::string &algebra, int64_t in, int64_t out,
                          const std::string &row_types = "cyclic", const std::string &lift = "rows");

// The same with groups of these widths.
compiler::Spec projection(const std::string &algebra, const std::vector<int64_t> &in_groups,
                          const std::vector<int64_t> &out_groups, const std::string &row_types = "cyclic");

// The kernel's module as the compiler emits it for a target. A schedule as of --schedule; `output` of Y.
std::string emittedKernel(const compiler::Spec &spec, const std::string &schedule, algrt::ElementType output,
                          const std::string &target = "sm_90a", algrt::Map map = algrt::Map::Forward);
// The text without the lines in which `words` stand.
std::string withoutLines(const std::string &text, std::string_view words);

// Where rows are: one after the other from p0 on, or each at a position of its own, for kernels that read
// positions. Those are drawn: of any size, also negative ones, which count back from the period.
enum class RowPlaces { FromP0, Drawn };

class ExactCase {
public:
  // Of dX, X and Y are dY and dX below; of dW, W and Y are dY and dW, to `beta` times what dW holds is added.
  // Explicit row types are drawn: all of them, a few, or one alone.
  ExactCase(const compiler::Spec &spec, int64_t m, int64_t p0, uint64_t seed,
            algrt::Map map = algrt::Map::Forward, float beta = 0, RowPlaces places = RowPlaces::FromP0);

  // What is wrong with one run: kind is the kind of fault, "wrong numbers" or "not written", and empty where
  // nothing is.
  struct Objection {
    std::string kind, text;
  };
  Objection run(const compiler::SimulatedKernel &kernel, const compiler::SimulationSettings &settings) const;
  // Without a look at the numbers: of any kernel.
  static Objection faultsOf(const compiler::SimulatedKernel &kernel, const compiler::Simulation &simulation);

private:
  int64_t typeOf(int64_t row) const;
  int64_t period() const { return layer_.row_type_width * layer_.types; }
  void drawPositions(std::mt19937_64 &random);
  void spoilWhatIsNotRead();
  void spoilRowsThatAreNotRead();

  algrt::Layer layer_;
  algrt::Support support_;
  algrt::Map map_;
  int64_t m_, p0_;
  float beta_;
  std::vector<float> x_, w_, held_;
  std::vector<int32_t> types_;     // explicit ones
  std::vector<int64_t> positions_; // drawn ones
  bool wide_positions_ = false;
  std::vector<double> expected_;
};

// Every seed with blocks, padding and data of its own.
compiler::SimulationSettings settingsOf(uint64_t seed, int32_t blocks);

} // namespace simulator_test
