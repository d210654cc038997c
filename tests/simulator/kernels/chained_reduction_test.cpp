// Kernels of two layers for few rows on the model: rows of any types side by side, beside dense products in
// double precision.
#include "tests/simulator/kernels/chained_case.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace simulator_test;

namespace {

struct Case {
  const char *name;
  ChainedKernel kernel;
  int64_t m, p0;
  int32_t blocks;
};

void PrintTo(const Case &which, std::ostream *stream) { *stream << which.name; }

compiler::SimulationSettings settingsFor(const Case &which, uint64_t seed) {
  compiler::SimulationSettings settings;
  settings.seed = seed;
  settings.blocks = which.blocks;
  settings.x_padding = static_cast<int64_t>(seed % 2) * 8;
  settings.w_padding = static_cast<int64_t>(seed / 2 % 2) * 8;
  settings.further_padding = static_cast<int64_t>(seed % 3);
  return settings;
}

/// One position for each row: near ones, ones that only 64 bits hold, and ones below 0.
std::vector<int64_t> drawnPositions(int64_t m, uint64_t seed) {
  std::mt19937_64 random(seed);
  const int64_t far = seed % 2 == 0 ? int64_t{1} << 50 : int64_t{1} << 30;
  std::vector<int64_t> positions;
  for (int64_t row = 0; row < m; ++row)
    positions.push_back((random() % 3 == 0 ? far : 0) + static_cast<int64_t>(random() % 2000) - 1000);
  return positions;
}

using ChainedReductionTest = testing::TestWithParam<Case>;

TEST_P(ChainedReductionTest, IsExact) {
  const Case &which = GetParam();
  const compiler::SimulatedKernel kernel =
      compiler::SimulatedKernel::parse(emittedKernel(which.kernel), which.name);
  ASSERT_TRUE(kernel.description().isReduction());
  for (uint64_t seed = 1; seed <= 4; ++seed)
    for (const bool placed : {false, true}) {
      const ChainedCase rows(which.kernel, which.m, placed ? 0 : which.p0, seed,
                             placed ? drawnPositions(which.m, seed) : std::vector<int64_t>());
      const ExactCase::Objection objection = rows.run(kernel, settingsFor(which, seed));
      EXPECT_EQ(objection.kind, "") << "seed " << seed << (placed ? ", rows at positions: " : ": ")
                                    << objection.text;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, ChainedReductionTest,
    testing::Values(
        // One block for each part, and clusters whose blocks share the hidden groups: evenly, with a shorter
        // last share, with a last block that has none, in several turns.
        Case{"Alone",
             {.algebra = "Q(3)",
              .in = 48,
              .hidden = 96,
              .out = 24,
              .schedule = "reduce=16,rows=2,hidden=16,columns=8,vector=8"},
             5,
             1,
             4},
        Case{"Pairs",
             {.algebra = "Q(3)",
              .in = 48,
              .hidden = 96,
              .out = 24,
              .schedule = "reduce=16,rows=2,hidden=16,columns=8,vector=8,cluster=2"},
             5,
             1,
             4},
        Case{"ShorterShare",
             {.algebra = "Q(4)",
              .in = 64,
              .hidden = 160,
              .out = 96,
              .schedule = "reduce=16,rows=4,hidden=8,columns=16,vector=4,cluster=3",
              .columns_read = false},
             7,
             2,
             6},
        Case{"EmptyShare",
             {.algebra = "Q(2)",
              .in = 32,
              .hidden = 48,
              .out = 32,
              .schedule = "reduce=32,rows=2,hidden=8,columns=16,vector=8,cluster=8",
              .columns_read = false},
             3,
             0,
             8},
        Case{"Turns",
             {.algebra = "Q(2)",
              .in = 80,
              .hidden = 192,
              .out = 144,
              .schedule = "reduce=32,rows=2,hidden=16,columns=32,vector=8,cluster=2",
              .columns_read = false},
             5,
             1,
             6},
        // A tile of hidden columns that reaches into the next block's share; hidden groups that end within a
        // piece of the depth; single elements.
        Case{"WideTiles",
             {.algebra = "Q(3)",
              .in = 24,
              .hidden = 120,
              .out = 48,
              .schedule = "reduce=16,rows=1,hidden=32,columns=16,vector=8,cluster=2"},
             4,
             2,
             4},
        Case{"Narrow",
             {.algebra = "Q(5)",
              .in = 60,
              .hidden = 100,
              .out = 20,
              .schedule = "reduce=16,rows=4,hidden=8,columns=4,vector=4,cluster=2",
              .columns_read = false},
             9,
             3,
             6},
        Case{"SingleElements",
             {.algebra = "Q(3)",
              .in = 15,
              .hidden = 39,
              .out = 21,
              .schedule = "reduce=16,rows=2,hidden=8,columns=8,vector=1,cluster=2"},
             5,
             1,
             4},
        // Rows that read numbers of rows and elements, one layer of one product, runs of rows.
        Case{"RowsRead",
             {.algebra = "Q(3)",
              .in = 48,
              .hidden = 96,
              .out = 48,
              .schedule = "reduce=16,rows=4,hidden=16,columns=16,vector=8,cluster=2",
              .rows_read = true},
             6,
             2,
             4},
        Case{"RowsReadTogether",
             {.algebra = "Q(3)",
              .in = 48,
              .hidden = 96,
              .out = 48,
              .schedule = "reduce=16,rows=4,hidden=16,columns=16,vector=8,cluster=2",
              .weights = 1,
              .rows_read = true,
              .columns_read = false},
             6,
             2,
             4},
        Case{"Runs",
             {.algebra = "Q(3)",
              .in = 48,
              .hidden = 48,
              .out = 48,
              .schedule = "reduce=16,rows=4,hidden=16,columns=16,vector=8,cluster=2",
              .row_types = "interval(3)",
              .columns_read = false},
             11,
             5,
             4},
        // Other algebras, whose terms come from the table: with fewer terms and more, and with signs.
        Case{"Triangular",
             {.algebra = "T(4)",
              .in = 64,
              .hidden = 128,
              .out = 64,
              .schedule = "reduce=16,rows=4,hidden=16,columns=16,vector=8,cluster=2",
              .columns_read = false},
             6,
             1,
             4},
        Case{"Power",
             {.algebra = "Q(2)^2",
              .in = 64,
              .hidden = 96,
              .out = 32,
              .schedule = "reduce=32,rows=2,hidden=8,columns=8,vector=8,cluster=3"},
             5,
             3,
             6},
        Case{"OneType",
             {.algebra = "Q(1)",
              .in = 24,
              .hidden = 48,
              .out = 24,
              .schedule = "reduce=16,rows=2,hidden=16,columns=8,vector=8,cluster=2"},
             5,
             0,
             4},
        // Without clusters, and chosen by cost.
        Case{"Ampere",
             {.algebra = "Q(3)",
              .in = 48,
              .hidden = 96,
              .out = 24,
              .schedule = "reduce=16,rows=2,hidden=16,columns=8,vector=8",
              .target = "sm_80",
              .columns_read = false},
             5,
             1,
             4},
        Case{"Chosen",
             {.algebra = "T(4)", .in = 256, .hidden = 768, .out = 256, .schedule = "", .rows = 1},
             2,
             1,
             32}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

// A row's result depends on nothing but the row: the same bits alone and among others.
TEST(ChainedReductions, GiveARowTheSameBitsWhateverStandsBesideIt) {
  const ChainedKernel network{.algebra = "Q(3)",
                              .in = 48,
                              .hidden = 96,
                              .out = 48,
                              .schedule = "reduce=16,rows=4,hidden=16,columns=16,vector=8,cluster=2",
                              .columns_read = false};
  const compiler::SimulatedKernel kernel = compiler::SimulatedKernel::parse(emittedKernel(network), "rows");
  const int64_t m = 6;
  ChainedCase all(network, m, 0, 3, drawnPositions(m, 3));
  all.takeRoughNumbers(5);
  compiler::SimulationSettings settings;
  settings.blocks = 4;
  const std::vector<float> together = all.results(kernel, settings);
  for (size_t row = 0; row < static_cast<size_t>(m); ++row) {
    settings.blocks = 2;
    settings.seed = 7 + row;
    const std::vector<float> alone = all.rowAlone(row).results(kernel, settings);
    ASSERT_EQ(alone.size() * m, together.size());
    EXPECT_TRUE(
        std::equal(alone.begin(), alone.end(), together.begin() + static_cast<ptrdiff_t>(row * alone.size())))
        << "row " << row;
  }
}

// What is hidden may be infinite. Twelve columns of a hidden group are a piece of the depth and a half: what
// stands in the other half is multiplied by zeros, and must not be another infinity.
TEST(ChainedReductions, LeaveInfinitiesInfinite) {
  const ChainedKernel network{.algebra = "Q(2)",
                              .in = 16,
                              .hidden = 24,
                              .out = 16,
                              .schedule = "reduce=16,rows=2,hidden=8,columns=8,vector=4,cluster=2",
                              .columns_read = false};
  const compiler::SimulatedKernel kernel = compiler::SimulatedKernel::parse(emittedKernel(network), "rows");
  ChainedCase rows(network, 3, 1, 1);
  rows.takeEqualNumbers(1, 1e30F, 1);
  compiler::SimulationSettings settings;
  settings.blocks = 4;
  for (const float number : rows.results(kernel, settings))
    ASSERT_EQ(number, std::numeric_limits<float>::infinity());
}

} // namespace
