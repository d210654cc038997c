// The kernels of sm_80, whose threads copy, on the model: blocks that are multiples of nothing, operands at
// any address, any coefficients. Each product is exact, under an interleaving of its own.
#include "tests/simulator/kernels/exact_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ostream>

using namespace simulator_test;

namespace {

struct Kernel {
  std::string name, algebra;
  int64_t in, out;
  std::string schedule; // chosen by cost where it is empty
  algrt::ElementType output;
  int64_t vector; // that the kernel must have
  std::string row_types = "cyclic", lift = "rows";
  int repeats = 3; // of each batch, fewer where a product has many tiles
};

void PrintTo(const Kernel &kernel, std::ostream *stream) {
  *stream << fmt::format("{}, {} to {}, {}", kernel.algebra, kernel.in, kernel.out,
                         kernel.schedule.empty() ? "chosen schedule" : kernel.schedule);
}

constexpr auto bf16 = algrt::ElementType::Bf16, f32 = algrt::ElementType::F32;

std::string table(const char *name) {
  return fmt::format("{}/tests/simulator/kernels/Inputs/{}.json", ALGCTL_SOURCE_DIR, name);
}

const std::vector<Kernel> &kernels() {
  static const std::vector<Kernel> all = {
      // Blocks of 20, 40, 80, 5, 7 rows of the weight matrix and 48, 100, 304, odd numbers of columns.
      {"Q2By20", "Q(2)", 40, 96, "rows=32,columns=48,depth=16,stages=3,warps=2x1", bf16, 4},
      {"Q3By80", "Q(3)", 240, 300, "rows=64,columns=64,depth=32,stages=3,warps=2x2", bf16, 4},
      {"Q5By40", "Q(5)", 200, 240, "", bf16, 8},
      {"Q7By5", "Q(7)", 35, 49, "rows=32,columns=16,depth=16,stages=2,warps=1x2", f32, 1},
      {"Q2By7", "Q(2)", 14, 608, "rows=32,columns=80,depth=16,stages=2,warps=1x2", bf16, 1},
      {"Q12By20", "Q(12)", 240, 120, "rows=16,columns=16,depth=16,stages=4,warps=1x1", bf16, 2},
      {"Q96By5", "Q(96)", 480, 288, "rows=16,columns=16,depth=16,stages=2,warps=1x1", bf16, 1, "cyclic",
       "rows", 1},
      {"Q3Odd", "Q(3)", 24, 27, "", f32, 1},
      // Rows, columns and warps in other numbers: 16 to 4 warps, 3 of them, tiles of 48 rows and 24 columns.
      {"SixteenWarps", "Q(2)", 64, 128, "rows=128,columns=64,depth=32,stages=2,warps=8x2", bf16, 8},
      {"ThreeWarps", "Q(2)", 48, 96, "rows=48,columns=48,depth=32,stages=3,warps=3x1", bf16, 8},
      {"NarrowWarps", "Q(2)", 64, 96, "rows=32,columns=48,depth=64,stages=2,warps=1x2", f32, 8},
      // Lanes that exchange words of four tiles, of two and of none: warps have four tiles or seven, and
      // fewer where a group ends.
      {"FourTiles", "Q(2)", 48, 144, "rows=32,columns=64,depth=16,stages=2,warps=1x2", bf16, 8},
      {"FourTilesFloat", "Q(2)", 48, 144, "rows=32,columns=64,depth=16,stages=2,warps=1x2", f32, 8},
      {"SevenTiles", "Q(2)", 48, 240, "rows=16,columns=112,depth=16,stages=2,warps=1x2", bf16, 8},
      {"SevenTilesFloat", "Q(2)", 48, 240, "rows=16,columns=112,depth=16,stages=2,warps=1x2", f32, 8},
      {"SevenTilesOfFours", "Q(2)", 40, 200, "rows=16,columns=112,depth=16,stages=2,warps=1x2", bf16, 4},
      // Aligned widths, operands at any address.
      {"Unaligned", "Q(3)", 96, 96, "rows=32,columns=32,depth=32,stages=3,warps=2x2,vector=1", bf16, 1},
      {"UnalignedFloat", "Q(3)", 96, 96, "rows=32,columns=32,depth=32,stages=3,warps=2x2,vector=1", f32, 1},
      {"ByTwo", "Q(2)", 64, 64, "rows=32,columns=32,depth=64,stages=2,warps=1x2,vector=2", f32, 2},
      // Runs of rows, with offsets inside them.
      {"Interval", "Q(3)", 60, 60, "rows=16,columns=32,depth=16,stages=3,warps=1x2", bf16, 4, "interval(20)"},
      {"LongInterval", "Q(2)", 26, 34, "rows=32,columns=32,depth=32,stages=2,warps=2x1", f32, 1,
       "interval(50)"},
      {"PowerInterval", "Q(2)^2", 80, 80, "rows=32,columns=32,depth=16,stages=3,warps=1x1", bf16, 4,
       "interval(24)"},
      // Terms from a table.
      {"Power", "Q(2)^2", 80, 48, "rows=32,columns=16,depth=16,stages=3,warps=2x1", f32, 4},
      {"Cube", "Q(2)^3", 56, 72, "", bf16, 1},
      {"Path", "path(3)", 60, 36, "rows=32,columns=16,depth=16,stages=2,warps=2x1", bf16, 4},
      {"Triangular", "T(4)", 80, 80, "rows=16,columns=32,depth=16,stages=4,warps=1x2", f32, 4},
      {"WithMatrices", "Q(3)*M(2)", 120, 72, "rows=32,columns=32,depth=16,stages=3,warps=2x1", bf16, 8},
      // Slots: signs, and coefficients that are no signs.
      {"Matrices", "M(2)", 40, 56, "rows=32,columns=16,depth=16,stages=3,warps=1x1", bf16, 2, "cyclic",
       "slots"},
      {"Quaternions", table("quaternions"), 80, 64, "rows=32,columns=16,depth=16,stages=3,warps=2x1", f32, 4,
       "cyclic", "slots"},
      {"Clifford", table("clifford"), 40, 72, "rows=16,columns=16,depth=16,stages=3,warps=1x1", bf16, 1,
       "cyclic", "slots"},
      {"DividedPowers", table("divided_powers"), 100, 60, "rows=32,columns=16,depth=16,stages=3,warps=2x1",
       f32, 4, "cyclic", "slots"},
      {"OtherQuaternions", table("quaternions_m2_3"), 28, 44, "", bf16, 1, "cyclic", "slots"},
  };
  return all;
}

// No more than one row, fewer than most types, more rows than a tile has and no multiple of it.
struct Batch {
  int64_t m, p0;
  int32_t blocks;
};
constexpr Batch batches[] = {{1, 3, 1}, {4, 0, 3}, {61, 5, 2}, {130, 95, 4}};

class ThreadKernel : public testing::TestWithParam<Kernel> {};

TEST_P(ThreadKernel, IsExactForEverySeed) {
  const Kernel &which = GetParam();
  const compiler::Spec spec = projection(which.algebra, which.in, which.out, which.row_types, which.lift);
  const auto kernel = compiler::SimulatedKernel::parse(
      emittedKernel(spec, which.schedule, which.output, "sm_80"), which.name);
  ASSERT_EQ(kernel.description().output, which.output);
  ASSERT_EQ(kernel.description().copies, algrt::GpuCopies::Threads);
  ASSERT_EQ(kernel.description().vector, which.vector);
  uint64_t seed = 0;
  for (const Batch &batch : batches)
    for (int repeat = 0; repeat < which.repeats; ++repeat, ++seed) {
      const ExactCase product(spec, batch.m, batch.p0, seed);
      const auto objection = product.run(kernel, settingsOf(seed, batch.blocks));
      EXPECT_EQ(objection.text, "") << fmt::format("M = {} from {} on {} blocks, seed {}", batch.m, batch.p0,
                                                   batch.blocks, seed);
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, ThreadKernel, testing::ValuesIn(kernels()),
                         [](const auto &info) { return info.param.name; });

} // namespace
