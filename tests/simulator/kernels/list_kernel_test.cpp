// Kernels that look up where rows of a type and groups are, on the model: explicit row types, groups of
// unequal widths, and both, of all maps. Each is exact, under an interleaving of its own.
#include "tests/simulator/kernels/exact_case.h"
#include "tests/simulator/kernels/random_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <ostream>

using namespace simulator_test;

namespace {

constexpr auto bf16 = algrt::ElementType::Bf16, f32 = algrt::ElementType::F32;
constexpr auto forward = algrt::Map::Forward, dx = algrt::Map::Dx, dw = algrt::Map::Dw;
using Widths = std::vector<int64_t>;

struct Kernel {
  std::string name, algebra;
  Widths in, out;
  std::string row_types;
  algrt::Map map;
  std::string schedule; // chosen by cost where it is empty
  algrt::ElementType output = bf16;
  std::string target = "sm_80";
};

void PrintTo(const Kernel &kernel, std::ostream *stream) {
  *stream << fmt::format("{}, {} to {}, {}, {}", kernel.algebra, kernel.in, kernel.out, kernel.row_types,
                         algrt::name(kernel.map));
}

const std::vector<Kernel> &kernels() {
  static const Widths equal = {32, 32, 32, 32};
  static const std::vector<Kernel> all = {
      // rows in a list
      {"Rows", "Q(4)", equal, equal, "explicit", forward, "rows=32,columns=32,depth=16,stages=3,warps=2x1"},
      {"RowsFloat", "Q(4)", equal, equal, "explicit", forward, "", f32, "sm_90a"},
      {"RowsUnaligned",
       "Q(3)",
       {5, 5, 5},
       {7, 7, 7},
       "explicit",
       forward,
       "rows=16,columns=16,depth=16,stages=2,warps=1x1"},
      {"RowsOfTable",
       "T(3)",
       {24, 24, 24},
       {16, 16, 16},
       "explicit",
       forward,
       "rows=16,columns=16,depth=32,stages=3,warps=1x2"},
      {"RowsOfDx", "Q(4)", equal, equal, "explicit", dx,
       "rows=32,columns=32,depth=16,stages=3,warps=2x1,longest_first=1"},
      {"RowsOfDw", "Q(4)", equal, equal, "explicit", dw,
       "rows=32,columns=32,depth=16,stages=3,warps=2x1,longest_first=1"},
      {"RowsOfDwTable",
       "path(3)",
       {12, 12, 12},
       {20, 20, 20},
       "explicit",
       dw,
       "rows=16,columns=16,depth=32,stages=3,warps=1x2",
       f32},
      {"RowsOfDwPower", "Q(2)^2", equal, equal, "explicit", dw, "", bf16, "sm_90a"},
      // groups in a list
      {"Groups",
       "Q(3)",
       {24, 40, 8},
       {16, 64, 40},
       "cyclic",
       forward,
       "rows=32,columns=32,depth=16,stages=3,warps=2x1"},
      {"GroupsOfOneSide", "Q(3)", {24, 40, 8}, {32, 32, 32}, "interval(5)", forward, "", f32, "sm_90a"},
      {"GroupsOfOtherSide", "Q(3)", {32, 32, 32}, {24, 8, 40}, "cyclic", forward, "", f32},
      {"GroupsOdd",
       "Q(4)",
       {1, 3, 17, 5},
       {9, 2, 33, 1},
       "cyclic",
       forward,
       "rows=16,columns=16,depth=16,stages=2,warps=1x2"},
      {"GroupsOfTable",
       "path(3)",
       {20, 4, 36},
       {8, 28, 12},
       "interval(7)",
       forward,
       "rows=16,columns=16,depth=16,stages=3,warps=1x1"},
      {"GroupsWithMatrices",
       "Q(2)*M(2)",
       {8, 16, 24, 8},
       {16, 16, 8, 8},
       "cyclic",
       forward,
       "rows=32,columns=16,depth=16,stages=3,warps=2x1"},
      {"GroupsOfDx",
       "Q(3)",
       {24, 40, 8},
       {16, 64, 40},
       "cyclic",
       dx,
       "rows=32,columns=32,depth=16,stages=3,warps=2x1,longest_first=1"},
      {"GroupsOfDxTable",
       "T(3)",
       {20, 4, 36},
       {8, 28, 12},
       "cyclic",
       dx,
       "rows=16,columns=16,depth=64,stages=3,warps=1x1,longest_first=1",
       f32},
      {"GroupsOfDw",
       "Q(3)",
       {24, 40, 8},
       {16, 64, 40},
       "cyclic",
       dw,
       "rows=16,columns=32,depth=16,stages=3,warps=1x2,longest_first=1"},
      {"GroupsOfDwOdd",
       "path(3)",
       {1, 19, 6},
       {13, 2, 34},
       "interval(3)",
       dw,
       "rows=16,columns=16,depth=16,stages=3,warps=1x1,longest_first=1",
       f32},
      // both
      {"Both", "Q(4)", {24, 40, 8, 56}, {16, 64, 40, 8}, "explicit", forward, "", bf16, "sm_90a"},
      {"BothOfDx", "Q(4)", {24, 40, 8, 56}, {16, 64, 40, 8}, "explicit", dx, "", bf16, "sm_90a"},
      {"BothOfDw", "Q(4)", {24, 40, 8, 56}, {16, 64, 40, 8}, "explicit", dw, "", f32, "sm_90a"},
      {"BothOfPower",
       "Q(2)*T(2)",
       {3, 9, 4, 6},
       {5, 1, 8, 2},
       "explicit",
       dx,
       "rows=16,columns=16,depth=16,stages=2,warps=1x1"},
  };
  return all;
}

// Fewer rows than types, one block of rows, several.
struct Batch {
  int64_t m, p0;
  int32_t blocks;
};
constexpr Batch batches[] = {{1, 3, 1}, {3, 0, 3}, {37, 5, 2}, {130, 95, 4}};

class ListKernel : public testing::TestWithParam<Kernel> {};

TEST_P(ListKernel, IsExactForEverySeed) {
  const Kernel &which = GetParam();
  const compiler::Spec spec = projection(which.algebra, which.in, which.out, which.row_types);
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(spec, which.schedule, which.output, which.target, which.map), which.name);
  const bool listed = which.row_types == "explicit";
  ASSERT_EQ(kernel.description().copies, algrt::GpuCopies::Threads);
  ASSERT_EQ(kernel.description().listed, listed);
  uint64_t seed = 0;
  for (const Batch &batch : batches)
    for (int repeat = 0; repeat < 3; ++repeat, ++seed) {
      const int64_t p0 = listed ? 0 : batch.p0;
      const ExactCase product(spec, batch.m, p0, seed, which.map, which.map == dw && repeat > 0 ? 0.5f : 0);
      const auto objection = product.run(kernel, settingsOf(seed, batch.blocks));
      EXPECT_EQ(objection.text, "") << fmt::format("M = {} from {} on {} blocks, seed {}", batch.m, p0,
                                                   batch.blocks, seed);
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ListKernel, testing::ValuesIn(kernels()),
                         [](const auto &info) { return info.param.name; });

// No rows at all: dW is written from an empty list.
TEST(ListKernels, WriteTheWeightsGradientWithoutRows) {
  const compiler::Spec spec = projection("Q(3)", {24, 40, 8}, {16, 64, 40}, "explicit");
  const auto kernel = compiler::SimulatedKernel::parse(emittedKernel(spec, "", bf16, "sm_80", dw), "Q(3)");
  EXPECT_EQ(ExactCase(spec, 0, 0, 1, dw).run(kernel, settingsOf(1, 3)).text, "");
  EXPECT_EQ(ExactCase(spec, 0, 0, 2, dw, 1).run(kernel, settingsOf(2, 2)).text, "");
}

// Widths, types, schedules and batches by chance.
TEST(RandomListKernels, AreExact) {
  Draw draw(29);
  for (int trial = 0; trial < 40; ++trial) {
    const Algebra &algebra = draw.one(algebras_of_all_kinds);
    if (algebra.lift == "slots") // whose groups are equal, and whose rows have one type
      continue;
    const int64_t step = int64_t{1} << draw.below(4);
    auto widths = [&](int64_t count) {
      Widths all;
      for (int64_t group = 0; group < count; ++group)
        all.push_back(step * (1 + draw.below(80 / step)));
      return all;
    };
    const Widths in = widths(algebra.in), out = widths(algebra.out);
    const std::string row_types =
        draw.one(std::vector<std::string>{"explicit", "explicit", "cyclic", "interval(9)"});
    const auto map = draw.one(std::vector<algrt::Map>{forward, dx, dw});
    const compiler::Spec spec = projection(algebra.expression, in, out, row_types);
    const std::string schedule =
        draw.below(3) == 0
            ? ""
            : fmt::format("rows={},columns={},depth={},stages={},warps=1x2", 16 << draw.below(2),
                          16 * (1 + draw.below(2)), 16 << draw.below(3), 3 + draw.below(2));
    const auto kernel = compiler::SimulatedKernel::parse(
        emittedKernel(spec, schedule, draw.below(2) ? bf16 : f32, draw.below(2) ? "sm_80" : "sm_90a", map),
        algebra.expression);
    for (const int64_t m : {int64_t{1}, 2 + draw.below(60), 60 + draw.below(100)}) {
      const int64_t p0 = row_types == "explicit" ? 0 : draw.below(1000);
      const auto seed = static_cast<uint64_t>(trial * 1000 + m);
      const auto blocks = static_cast<int32_t>(1 + draw.below(7));
      EXPECT_EQ(ExactCase(spec, m, p0, seed, map).run(kernel, settingsOf(seed, blocks)).text, "")
          << fmt::format("{} {} to {} {}, {}, {}: M = {} from {} on {} blocks", algebra.expression, in, out,
                         row_types, algrt::name(map), schedule, m, p0, blocks);
    }
    if (HasFailure())
      return;
  }
}

} // namespace
