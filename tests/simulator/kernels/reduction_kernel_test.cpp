// Kernels of vector reductions, as the compiler emits them, on the model of the SM: whole numbers, whose sums
// are exact in any order, rows at positions of their own, and NaN in everything that no term of a row reads.
#include "compiler/bundle/layer_description.h"
#include "runtime/numeric/bfloat16.h"
#include "tests/compiler/dense_product.h"
#include "tests/simulator/kernels/exact_case.h"
#include "tests/simulator/kernels/random_layers.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <ostream>
#include <random>
#include <set>

using namespace simulator_test;

namespace {

constexpr auto bf16 = algrt::ElementType::Bf16, f32 = algrt::ElementType::F32;

struct Kernel {
  std::string name, algebra;
  int64_t in, out;
  std::string schedule;
  algrt::ElementType output;
  std::string row_types = "cyclic", lift = "rows";
  bool bias = false;
};

void PrintTo(const Kernel &kernel, std::ostream *stream) {
  *stream << fmt::format("{}, {} to {}, {}", kernel.algebra, kernel.in, kernel.out, kernel.schedule);
}

std::string table(const std::string &name) {
  return ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/" + name + ".json";
}

const std::vector<Kernel> &kernels() {
  static const std::vector<Kernel> all = {
      // complete graphs: one row and several, parts narrower and wider than groups, one warp and many
      {"Q1", "Q(1)", 96, 80, "reduce=32,rows=4,columns=64", bf16},
      {"Q4OneRow", "Q(4)", 256, 384, "reduce=32,rows=1,columns=64", bf16},
      {"Q4TwoRows", "Q(4)", 256, 384, "reduce=8,rows=2,columns=64", f32},
      {"Q3EightRows", "Q(3)", 192, 288, "reduce=16,rows=8,columns=32", bf16},
      {"Q5WholeWarps", "Q(5)", 160, 1320, "reduce=2,rows=3,columns=256", bf16},
      {"Q2ManyThreads", "Q(2)", 128, 32, "reduce=64,rows=2,columns=64,vector=8", f32},
      // K/q = 20 and 50, N/q = 37 and 28: vectors of 4, 2 and 1, and a depth that eight does not divide
      {"Q3ByFour", "Q(3)", 60, 84, "reduce=32,rows=4,columns=16", bf16},
      {"Q2ByTwo", "Q(2)", 100, 52, "reduce=16,rows=4,columns=16", f32},
      {"Q3ByOne", "Q(3)", 75, 111, "reduce=32,rows=4,columns=8", bf16},
      {"Q2Unaligned", "Q(2)", 64, 64, "reduce=16,rows=2,columns=8,vector=1", bf16},
      {"Q4Single", "Q(4)", 256, 384, "reduce=8,rows=4,columns=32,vector=1", bf16},
      {"Q3Short", "Q(3)", 9, 6, "reduce=32,rows=2,columns=4", f32},
      // runs of rows
      {"Q3Interval", "Q(3)", 192, 96, "reduce=16,rows=4,columns=32", bf16, "interval(5)"},
      {"PowerInterval", "Q(2)^2", 64, 128, "reduce=32,rows=4,columns=16", f32, "interval(3)"},
      // terms from a table
      {"Power", "Q(2)^2", 128, 64, "reduce=16,rows=4,columns=16", bf16},
      {"Path", "path(3)", 96, 48, "reduce=16,rows=8,columns=16", f32},
      {"Triangular", "T(4)", 64, 96, "reduce=32,rows=4,columns=8", bf16},
      {"Tensor", "Q(3)*T(2)", 96, 96, "reduce=32,rows=3,columns=16", bf16},
      {"WithMatrices", "Q(3)*M(2)", 120, 72, "reduce=16,rows=4,columns=16", bf16},
      // slots: signs, and coefficients that are no signs
      {"Matrices", "M(2)", 64, 32, "reduce=32,rows=4,columns=8", bf16, "cyclic", "slots"},
      {"Quaternions", table("quaternions"), 80, 64, "reduce=32,rows=2,columns=16", f32, "cyclic", "slots"},
      {"Clifford", table("clifford"), 40, 72, "reduce=32,rows=2,columns=2", bf16, "cyclic", "slots"},
      {"DividedPowers", table("divided_powers"), 100, 60, "reduce=16,rows=4,columns=8", f32, "cyclic",
       "slots"},
      // a bias
      {"Q4Bias", "Q(4)", 256, 384, "reduce=32,rows=4,columns=64", bf16, "cyclic", "rows", true},
      {"PathBias", "path(3)", 48, 60, "reduce=32,rows=2,columns=8", f32, "cyclic", "rows", true},
  };
  return all;
}

/// A product whose rows are where `positions` says, or from p0 on where it is empty.
class Product {
public:
  Product(const compiler::Spec &spec, int64_t m, int64_t p0, std::vector<int64_t> positions, uint64_t seed)
      : layer_(compiler::runtimeLayer(compiler::requireLayer(spec))),
        support_(compiler::runtimeSupport(compiler::requireLayer(spec))), m_(m), p0_(p0),
        positions_(std::move(positions)), wide_(seed % 2 == 0) {
    std::mt19937_64 random(seed);
    auto numbers = [&](int64_t count) {
      std::vector<float> values(static_cast<size_t>(count));
      for (float &value : values)
        value = static_cast<float>(static_cast<int>(random() % 17) - 8);
      return values;
    };
    x = numbers(m * layer_.k);
    w = numbers(layer_.k * layer_.weightColumns());
    if (layer_.bias)
      bias = numbers(layer_.n);
    // Row by row: of each the dense product of its own position.
    const compiler_test::DenseProduct dense(compiler::requireLayer(spec),
                                            std::vector<double>(w.begin(), w.end()));
    for (int64_t row = 0; row < m; ++row) {
      const auto begin = x.begin() + row * layer_.k;
      compiler_test::Batch one;
      one.m = 1;
      one.p0 = positionOf(row);
      const std::vector<double> y = dense.multiply(one, std::vector<double>(begin, begin + layer_.k));
      expected_.insert(expected_.end(), y.begin(), y.end());
    }
    for (size_t i = 0; i < expected_.size() && layer_.bias; ++i)
      expected_[i] += static_cast<double>(bias[i % bias.size()]);
    spoilWhatIsNotRead();
  }

  /// What is wrong with the kernel's result; nothing if it is right.
  std::string objection(const compiler::SimulatedKernel &kernel,
                        const compiler::SimulationSettings &settings) const {
    const compiler::Simulation run = kernel.run(operands(), settings);
    if (!run.report.faults.empty())
      return kernel.explain(run.report.faults.front());
    if (run.unwritten != 0)
      return "elements that were not written";
    for (size_t i = 0; i < expected_.size(); ++i) {
      const float exact = static_cast<float>(expected_[i]);
      const float wanted = kernel.description().output == bf16 ? algrt::roundToBfloat16(exact) : exact;
      if (run.y[i] != wanted)
        return fmt::format("Y[{}, {}] is {}, not {}", i / static_cast<size_t>(layer_.n),
                           i % static_cast<size_t>(layer_.n), run.y[i], wanted);
    }
    return "";
  }

  compiler::ProductOperands operands() const {
    compiler::ProductOperands product;
    product.layer = &layer_;
    product.support = &support_;
    product.m = m_;
    product.p0 = p0_;
    product.x = x;
    product.w = w;
    product.bias = bias;
    product.positions = positions_;
    product.wide_positions = wide_;
    return product;
  }

  std::vector<float> x, w, bias;

private:
  /// Modulo the period, also where it is negative.
  int64_t positionOf(int64_t row) const {
    const int64_t position = positions_.empty() ? p0_ + row : positions_[static_cast<size_t>(row)];
    const int64_t period = layer_.row_type_width * layer_.types;
    return (position % period + period) % period;
  }

  /// NaN in what no term of a row names of X, and in blocks of the weight matrix that no row of the batch
  /// reads.
  void spoilWhatIsNotRead() {
    auto starts = [](const std::vector<int64_t> &widths) {
      std::vector<int64_t> result(widths.size() + 1, 0);
      std::partial_sum(widths.begin(), widths.end(), result.begin() + 1);
      return result;
    };
    const std::vector<int64_t> in = starts(layer_.in_groups), weights = starts(layer_.weight_rows),
                               out = starts(layer_.out_groups);
    const bool slots = layer_.lift == algrt::Lift::Slots;
    const int64_t columns = layer_.weightColumns(), period = slots ? 1 : layer_.row_type_width * layer_.types;
    std::vector<char> x_read(x.size()), w_read(w.size());
    for (int64_t row = 0; row < m_; ++row) {
      const int64_t type = slots ? 0 : positionOf(row) % period / layer_.row_type_width;
      for (size_t group = 0; group < layer_.out_groups.size(); ++group) {
        algrt::TermStorage storage;
        for (const algrt::Term &term : support_.terms(type, static_cast<int64_t>(group), storage)) {
          const auto k = static_cast<size_t>(term.input_group), b = static_cast<size_t>(term.weight_row);
          std::fill(x_read.begin() + row * layer_.k + in[k], x_read.begin() + row * layer_.k + in[k + 1], 1);
          for (int64_t depth = weights[b]; depth < weights[b + 1]; ++depth)
            std::fill(w_read.begin() + depth * columns + (slots ? 0 : out[group]),
                      w_read.begin() + depth * columns + (slots ? columns : out[group + 1]), 1);
        }
      }
    }
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = x_read[i] ? x[i] : nan;
    for (size_t i = 0; i < w.size(); ++i)
      w[i] = w_read[i] ? w[i] : nan;
  }

  algrt::Layer layer_;
  algrt::Support support_;
  int64_t m_, p0_;
  std::vector<int64_t> positions_;
  bool wide_;
  std::vector<double> expected_;
};

compiler::Spec specOf(const Kernel &which) {
  compiler::Spec spec = projection(which.algebra, which.in, which.out, which.row_types, which.lift);
  spec.layer->bias = which.bias;
  return spec;
}

std::vector<int64_t> randomPositions(int64_t m, int64_t below, uint64_t seed) {
  Draw draw(seed);
  std::vector<int64_t> positions(static_cast<size_t>(m));
  for (int64_t &position : positions)
    position = draw.below(below);
  return positions;
}

class ReductionKernel : public testing::TestWithParam<std::tuple<Kernel, std::string>> {};

TEST_P(ReductionKernel, IsExactForEverySeed) {
  const auto &[which, target] = GetParam();
  const compiler::Spec spec = specOf(which);
  const auto kernel =
      compiler::SimulatedKernel::parse(emittedKernel(spec, which.schedule, which.output, target), which.name);
  ASSERT_EQ(kernel.description().output, which.output);
  ASSERT_TRUE(kernel.description().isReduction());
  ASSERT_EQ(kernel.description().dependent_launch, target == "sm_90a");
  uint64_t seed = 0;
  // One row, fewer than most parts have, and some that are no multiple of it.
  for (const auto &[m, p0, blocks] : {std::tuple{1, 3, 1}, {2, 0, 3}, {7, 5, 2}, {17, 95, 5}}) {
    for (int repeat = 0; repeat < 2; ++repeat, ++seed) {
      EXPECT_EQ(Product(spec, m, p0, {}, seed).objection(kernel, settingsOf(seed, blocks)), "")
          << fmt::format("M = {} from {} on {} blocks, seed {}", m, p0, blocks, seed);
      EXPECT_EQ(Product(spec, m, 0, randomPositions(m, 1000, seed), seed)
                    .objection(kernel, settingsOf(seed, blocks)),
                "")
          << fmt::format("M = {} anywhere on {} blocks, seed {}", m, blocks, seed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ReductionKernel,
                         testing::Combine(testing::ValuesIn(kernels()), testing::Values("sm_90a", "sm_80")),
                         [](const auto &info) {
                           return std::get<0>(info.param).name + "_" + std::get<1>(info.param);
                         });

// Random layers of all kinds of algebras, with random schedules that fit them.
TEST(ReductionKernels, AreExactForRandomLayers) {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    Draw draw(seed);
    const Algebra algebra = draw.one(algebras_of_all_kinds);
    const int64_t in = algebra.in * (1 + draw.below(24)), out = algebra.out * (1 + draw.below(24));
    const bool rows = algebra.lift == "rows";
    const std::string row_types =
        rows && draw.below(2) ? fmt::format("interval({})", 1 + draw.below(9)) : "cyclic";
    const compiler::Spec spec = projection(algebra.expression, in, out, row_types, algebra.lift);
    const int64_t lanes = int64_t{1} << draw.below(4);
    const std::string schedule =
        fmt::format("reduce={},rows={},columns={},vector=1", 32 << draw.below(2), 1 + draw.below(5), lanes);
    const auto output = draw.below(2) ? f32 : bf16;
    const auto kernel = compiler::SimulatedKernel::parse(
        emittedKernel(spec, schedule, output, draw.below(2) ? "sm_80" : "sm_90a"), "random");
    const int64_t m = 1 + draw.below(20);
    EXPECT_EQ(Product(spec, m, 0, randomPositions(m, 100, seed), seed)
                  .objection(kernel, settingsOf(seed, 1 + static_cast<int32_t>(draw.below(5)))),
              "")
        << fmt::format("{}, {} to {}, {}, {}, M = {}, seed {}", algebra.expression, in, out, row_types,
                       schedule, m, seed);
  }
}

// A row's result depends on nothing but the row: the same bits alone and among others, wherever it stands.
TEST(ReductionKernels, GiveARowTheSameBitsWhateverStandsBesideIt) {
  const compiler::Spec spec = projection("Q(3)*T(2)", 96, 96);
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(spec, "reduce=16,rows=4,columns=16", f32, "sm_90a"), "kernel");
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal;
  const std::vector<int64_t> positions = randomPositions(9, 60, 5);
  Product all(spec, 9, 0, positions, 1);
  for (float &value : all.w)
    value = algrt::roundToBfloat16(normal(random));
  for (float &value : all.x)
    value = algrt::roundToBfloat16(normal(random));
  const std::vector<float> together = kernel.run(all.operands(), settingsOf(1, 3)).y;
  for (size_t row = 0; row < positions.size(); ++row) {
    Product one(spec, 1, 0, {positions[row]}, 1);
    one.w = all.w;
    one.x.assign(all.x.begin() + static_cast<ptrdiff_t>(96 * row),
                 all.x.begin() + static_cast<ptrdiff_t>(96 * (row + 1)));
    const std::vector<float> alone = kernel.run(one.operands(), settingsOf(2, 2)).y;
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + static_cast<ptrdiff_t>(96 * row)))
        << "row " << row;
  }
}

// Positions are the device's to read: large ones, and ones that count back from the period.
TEST(ReductionKernels, TakePositionsOfAnySize) {
  const compiler::Spec spec = projection("Q(5)", 40, 40, "interval(3)");
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(spec, "reduce=32,rows=2,columns=8", f32, "sm_80"), "kernel");
  const int64_t large = int64_t{15} << 58; // a multiple of the period
  Product far(spec, 3, 0, {large + 4, large + 14, large}, 2), near(spec, 3, 0, {4, 14, 0}, 2),
      back(spec, 3, 0, {-11, -1, -15}, 2);
  far.x = back.x = near.x;
  far.w = back.w = near.w;
  const std::vector<float> expected = kernel.run(near.operands(), settingsOf(1, 2)).y;
  EXPECT_EQ(kernel.run(far.operands(), settingsOf(1, 2)).y, expected);
  EXPECT_EQ(kernel.run(back.operands(), settingsOf(1, 2)).y, expected);
}

// Mistakes that are planted in the module: the model, or the numbers, object to each.
TEST(ReductionKernels, AreNotRightByLuck) {
  const compiler::Spec spec = projection("Q(3)", 768, 96, "interval(2)");
  const std::string module = emittedKernel(spec, "reduce=32,rows=2,columns=16", f32, "sm_90a");
  const auto objection_to = [&](const std::string &text) {
    std::string found;
    const auto kernel = compiler::SimulatedKernel::parse(text, "kernel");
    for (uint64_t seed = 0; seed < 6 && found.empty(); ++seed)
      found = Product(spec, 9, 0, randomPositions(9, 50, seed), seed).objection(kernel, settingsOf(seed, 1));
    return found;
  };
  ASSERT_EQ(objection_to(module), "");
  // Occurrence `which` of some words, counted from the end where it is negative, becomes others.
  const auto changed = [&](const std::string &from, const std::string &to, int which = 0) {
    std::vector<size_t> places;
    for (size_t at = module.find(from); at != std::string::npos; at = module.find(from, at + 1))
      places.push_back(at);
    const int count = static_cast<int>(places.size());
    EXPECT_GT(count, 0) << from;
    if (count == 0)
      return module;
    std::string text = module;
    return text.replace(places[static_cast<size_t>(which < 0 ? count + which : which)], from.size(), to);
  };
  const struct {
    const char *what, *from, *to;
    int which;
    const char *objection;
  } faults[] = {
      {"sums of other warps are read before they are there", "nvvm.barrier0", "", 0, "never written"},
      {"sums of the part before are overwritten while they are read", "nvvm.barrier0", "", 1, "race"},
      {"X is read before the grid before has ended", "nvvm.griddepcontrol  wait", "", 0, "dependent launch"},
      {"a sum misses what the other slices have", "llvm.fadd", "llvm.fsub", 0, "not"},
      {"the last warp's sums count with the other sign", "llvm.fadd", "llvm.fsub", -1, "not"},
      {"positions are rounded to types by another width", "llvm.srem", "llvm.udiv", -1, ""},
      {"rows past the end are stored", "llvm.icmp \"ult\"", "llvm.icmp \"uge\"", -1, ""},
      {"a thread's columns are those of its neighbour", "nvvm.read.ptx.sreg.tid.x",
       "nvvm.read.ptx.sreg.ctaid.x", 0, ""},
  };
  for (const auto &fault : faults) {
    const std::string found = objection_to(changed(fault.from, fault.to, fault.which));
    EXPECT_NE(found, "") << fault.what;
    EXPECT_NE(found.find(fault.objection), std::string::npos) << fault.what << ": " << found;
  }
}

// Infinity and NaN behave as in any evaluation of the terms: they reach the rows that read them, and no
// other.
TEST(ReductionKernels, KeepNonfiniteNumbersWhereTheyBelong) {
  const compiler::Spec spec = projection("Q(3)", 48, 48);
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(spec, "reduce=32,rows=4,columns=16", f32, "sm_90a"), "kernel");
  Product product(spec, 4, 0, {0, 1, 2, 0}, 3);
  product.x[0] = std::numeric_limits<float>::infinity(); // row 0, group 0
  product.w[16 * 48 + 5] = 0;                            // block (1, 0): type 1 reads it for group 0
  product.w[16 * 48] = std::numeric_limits<float>::quiet_NaN();
  product.w[5] = 0; // block (0, 0), which all rows read for group 0: infinity times zero
  const std::vector<float> y = kernel.run(product.operands(), settingsOf(1, 2)).y;
  for (size_t row = 0; row < 4; ++row)
    for (size_t column = 0; column < 48; ++column) {
      const float value = y[48 * row + column];
      const bool nan = (row == 0 && column == 5) || (row == 1 && column == 0);
      if (nan)
        EXPECT_TRUE(std::isnan(value)) << row << ", " << column;
      else if (row == 0)
        EXPECT_FALSE(column < 16 && std::isfinite(value) && product.w[column] != 0) << column;
      else
        EXPECT_TRUE(std::isfinite(value)) << row << ", " << column;
    }
}

} // namespace
