// The kernels that the compiler emits, on the model: a few hundred products, each exact, under interleavings
// of its own.
#include "tests/simulator/kernels/exact_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ostream>

using namespace simulator_test;

namespace {

struct Kernel {
  std::string name, algebra;
  int64_t in, out;
  std::string schedule;
  algrt::ElementType output;
  std::string row_types = "cyclic", lift = "rows";
};

void PrintTo(const Kernel &kernel, std::ostream *stream) {
  *stream << fmt::format("{}, {} to {}, {}", kernel.algebra, kernel.in, kernel.out,
                         kernel.schedule.empty() ? "chosen schedule" : kernel.schedule);
}

constexpr auto bf16 = algrt::ElementType::Bf16, f32 = algrt::ElementType::F32;
const std::string quaternions = ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/quaternions.json";

const std::vector<Kernel> &kernels() {
  static const std::vector<Kernel> all = {
      // complete graphs: tiles narrower and wider than groups, rings from 2 to as many as fit
      {"Q1", "Q(1)", 128, 96, "rows=64,columns=32,depth=64,stages=2", bf16},
      {"Q2Wide", "Q(2)", 256, 512, "rows=128,columns=256,depth=32,stages=2", bf16},
      {"Q3", "Q(3)", 192, 288, "rows=128,columns=96,depth=32,stages=3", bf16},
      {"Q3Float", "Q(3)", 384, 576, "rows=128,columns=192,depth=64,stages=2", f32},
      {"Q4", "Q(4)", 256, 384, "rows=64,columns=32,depth=32,stages=4", bf16},
      {"Q4Chosen", "Q(4)", 512, 512, "", bf16},
      {"Q5Narrow", "Q(5)", 160, 80, "rows=64,columns=16,depth=16,stages=5", f32},
      {"Q6Partial", "Q(6)", 240, 336, "rows=64,columns=32,depth=32,stages=3",
       bf16}, // K/q = 40, N/q = 56: partial blocks
      {"Q2Shallow", "Q(2)", 320, 320, "rows=128,columns=160,depth=64,stages=2", bf16}, // 160 = 64 + 64 + 32
      {"Q8", "Q(8)", 512, 256, "rows=128,columns=32,depth=64,stages=3", f32},
      // tiles of several types: a number of them that divides that of all and one that does not, as many as
      // there are, and several warpgroups for each
      {"Q5Types2", "Q(5)", 320, 480, "rows=64,columns=96,depth=32,stages=3,types=2", bf16},
      {"Q4Types4", "Q(4)", 256, 384, "rows=64,columns=64,depth=64,stages=2,types=4", f32},
      {"Q7Types3Partial", "Q(7)", 280, 392, "rows=64,columns=48,depth=32,stages=4,types=3", bf16},
      {"Q2Types2", "Q(2)", 128, 64, "rows=64,columns=16,depth=16,stages=7,types=2", f32},
      {"Q3Types2Tall", "Q(3)", 192, 192, "rows=128,columns=64,depth=64,stages=2,types=2", bf16},
      {"Q6Types4", "Q(6)", 96, 288, "rows=64,columns=32,depth=16,stages=5,types=4", bf16},
      {"Q5Types3Interval", "Q(5)", 160, 240, "rows=64,columns=48,depth=32,stages=3,types=3", bf16,
       "interval(40)"},
      {"Q3Types2LongInterval", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3,types=2", f32,
       "interval(150)"},
      // stationary rows: for as many groups as there are, for a number that does not divide them, of one type
      // and of several, with columns in one block and in three
      {"Q4Held", "Q(4)", 256, 384, "rows=64,columns=32,depth=32,stages=3,stationary=4", bf16},
      {"Q5Held2Partial", "Q(5)", 200, 280, "rows=128,columns=64,depth=32,stages=2,stationary=2", f32},
      {"Q7HeldTypes2", "Q(7)", 560, 392, "rows=64,columns=48,depth=64,stages=2,types=2,stationary=3", bf16},
      {"Q4HeldTypes4", "Q(4)", 128, 256, "rows=64,columns=64,depth=16,stages=4,types=4,stationary=3", f32},
      {"Q3HeldTall", "Q(3)", 192, 192, "rows=128,columns=64,depth=64,stages=2,types=2,stationary=1", bf16},
      {"Q5HeldInterval", "Q(5)", 160, 240, "rows=64,columns=48,depth=32,stages=3,types=3,stationary=2", bf16,
       "interval(40)"},
      // runs of rows
      {"Q3Interval", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3", bf16, "interval(40)"},
      {"Q4LongInterval", "Q(4)", 256, 256, "rows=128,columns=64,depth=32,stages=4", f32, "interval(150)"},
      {"Q3ManyWarpgroups", "Q(3)", 96, 192, "rows=256,columns=64,depth=32,stages=3", bf16},
      // rows on the instructions' second side: from 8 on, in one to four warpgroups, with two matrices or one
      // to store
      {"Q4FewRows", "Q(4)", 256, 256, "rows=8,columns=64,depth=64,stages=4,rows_on=n", bf16},
      {"Q5FewRowsFloat", "Q(5)", 400, 520, "rows=24,columns=128,depth=32,stages=3,rows_on=n", f32},
      {"Q3ManyColumns", "Q(3)", 192, 768, "rows=40,columns=256,depth=64,stages=2,rows_on=n", bf16},
      {"PathRowsOnN", "path(3)", 216, 600, "rows=64,columns=192,depth=16,stages=3,rows_on=n,outer=groups",
       bf16},
      {"IntervalRowsOnN", "Q(3)", 192, 192, "rows=16,columns=64,depth=64,stages=3,rows_on=n", f32,
       "interval(40)"},
      // warpgroups that take turns, on tiles of one and of two, with one step and with many, in clusters and
      // on side N
      {"Q1Turns", "Q(1)", 64, 96, "rows=64,columns=32,depth=64,stages=2,ping_pong=2", bf16},
      {"Q4Turns", "Q(4)", 256, 384, "rows=64,columns=96,depth=32,stages=3,ping_pong=2", bf16},
      {"Q3TurnsOfTwo", "Q(3)", 216, 192, "rows=128,columns=64,depth=64,stages=2,ping_pong=2", f32},
      {"Q3FourTurns", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3,ping_pong=4", bf16},
      {"PowerTurns", "Q(2)^2", 160, 256, "rows=64,columns=64,depth=32,stages=2,ping_pong=3", f32},
      {"IntervalTurns", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3,ping_pong=2", bf16,
       "interval(40)"},
      {"TurnsRowsOnN", "Q(4)", 256, 768, "rows=24,columns=128,depth=64,stages=2,rows_on=n,ping_pong=2", bf16},
      {"ClusterTurns", "Q(2)", 192, 256, "rows=64,columns=64,depth=32,stages=3,cluster=2x2,ping_pong=2",
       bf16},
      {"QuaternionTurns", quaternions, 320, 192, "rows=64,columns=48,depth=64,stages=3,ping_pong=2", bf16,
       "cyclic", "slots"},
      // tiles whose steps blocks divide: fewer than there are blocks, as many, and more; partial in every
      // direction, on both sides, for signs and for runs
      {"Q4Split2", "Q(4)", 256, 384, "rows=64,columns=96,depth=32,stages=3,split_k=2", bf16},
      {"Q3Split4Float", "Q(3)", 216, 192, "rows=128,columns=64,depth=64,stages=2,split_k=4", f32},
      {"Q2Split8", "Q(2)", 320, 272, "rows=64,columns=128,depth=16,stages=3,split_k=8", bf16},
      {"Q5Split2FewRows", "Q(5)", 400, 520, "rows=16,columns=128,depth=32,stages=3,rows_on=n,split_k=2", f32},
      {"Q3Split4RowsOnN", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=2,rows_on=n,split_k=4", bf16},
      {"TSplit4", "T(4)", 288, 288, "rows=64,columns=64,depth=32,stages=3,split_k=4", bf16},
      {"IntervalSplit2", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3,split_k=2", bf16,
       "interval(40)"},
      {"SplitGroups", "Q(2)^2", 160, 256, "rows=64,columns=64,depth=32,stages=2,split_k=2,outer=groups", f32},
      {"QuaternionSplit4", quaternions, 320, 192, "rows=64,columns=64,depth=32,stages=3,split_k=4", bf16,
       "cyclic", "slots"},
      // groups outside
      {"Q4Groups", "Q(4)", 256, 384, "rows=64,columns=64,depth=32,stages=4,outer=groups", bf16},
      {"IntervalGroups", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3,outer=groups", bf16,
       "interval(40)"},
      {"PathGroups", "path(3)", 216, 192, "rows=128,columns=32,depth=64,stages=2,outer=groups", f32},
      {"PowerInterval", "Q(2)^2", 256, 256, "rows=64,columns=64,depth=64,stages=3", bf16, "interval(48)"},
      // runs that are joined: several in a box, one, and half of one; copied in parts, and with threads that
      // take turns
      {"JoinedRuns2", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3", bf16, "interval(2)"},
      {"JoinedRuns4Split", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3,split_k=2", bf16,
       "interval(4)"},
      {"JoinedRuns8Turns", "Q(3)", 192, 192, "rows=64,columns=64,depth=64,stages=3,ping_pong=2", f32,
       "interval(8)"},
      {"JoinedRuns16Held", "Q(5)", 160, 240, "rows=64,columns=48,depth=32,stages=3,types=3,stationary=2",
       bf16, "interval(16)"},
      {"JoinedRuns32Types3", "Q(5)", 160, 240, "rows=64,columns=48,depth=32,stages=3,types=3", bf16,
       "interval(32)"},
      {"JoinedHalfRuns", "Q(3)", 192, 192, "rows=16,columns=64,depth=64,stages=3,rows_on=n", f32,
       "interval(32)"},
      {"JoinedCluster", "Q(2)", 128, 512, "rows=64,columns=64,depth=32,stages=3,cluster=1x4", bf16,
       "interval(32)"},
      {"JoinedPower", "Q(2)^2", 256, 256, "rows=64,columns=64,depth=64,stages=3", bf16, "interval(4)"},
      // terms from a table
      {"Power", "Q(2)^2", 128, 256, "rows=64,columns=64,depth=32,stages=2", f32},
      {"Cube", "Q(2)^3", 256, 256, "rows=64,columns=32,depth=32,stages=6", bf16},
      {"Path", "path(3)", 192, 192, "rows=64,columns=64,depth=64,stages=2", bf16},
      {"Triangular", "T(4)", 256, 256, "rows=128,columns=64,depth=16,stages=3", f32},
      {"Tensor", "Q(3)*T(2)", 384, 384, "rows=64,columns=64,depth=64,stages=3", bf16},
      // slots, with signs
      {"Matrices", "M(2)", 256, 256, "rows=64,columns=64,depth=64,stages=3", bf16, "cyclic", "slots"},
      {"Quaternions", quaternions, 256, 256, "rows=64,columns=64,depth=32,stages=3", f32, "cyclic", "slots"},
      {"QuaternionsRowsOnN", quaternions, 320, 256, "rows=48,columns=64,depth=64,stages=2,rows_on=n", f32,
       "cyclic", "slots"},
      {"QuaternionsShallow", quaternions, 320, 192, "rows=64,columns=48,depth=64,stages=2", bf16, "cyclic",
       "slots"}, // 80 = 64 + 16, with either sign
      {"QuaternionsWide", quaternions, 256, 768, "rows=128,columns=192,depth=64,stages=2", bf16, "cyclic",
       "slots"},
  };
  return all;
}

// Fewer rows than types, segments that differ by one row, whole tiles, and a bit more than that.
struct Batch {
  int64_t m, p0;
  int32_t blocks;
};
constexpr Batch batches[] = {{1, 0, 1}, {2, 5, 3}, {100, 1, 2}, {257, 2, 3}, {390, 7, 5}};

class EmittedKernel : public testing::TestWithParam<Kernel> {};

TEST_P(EmittedKernel, IsExactForEverySeed) {
  const Kernel &which = GetParam();
  const compiler::Spec spec = projection(which.algebra, which.in, which.out, which.row_types, which.lift);
  const auto kernel =
      compiler::SimulatedKernel::parse(emittedKernel(spec, which.schedule, which.output), which.name);
  ASSERT_EQ(kernel.description().output, which.output);
  uint64_t seed = 0;
  for (const Batch &batch : batches)
    for (int repeat = 0; repeat < 4; ++repeat, ++seed) {
      const ExactCase product(spec, batch.m, batch.p0, seed);
      const auto objection = product.run(kernel, settingsOf(seed, batch.blocks));
      EXPECT_EQ(objection.text, "") << fmt::format("M = {} from {} on {} blocks, seed {}", batch.m, batch.p0,
                                                   batch.blocks, seed);
    }
}

// A part that finds a tile without rows passes its turn on at once, and it may come back at once. Lanes of a
// warp that do not meet before one of them passes it may miss the turn that they wait for, and the next one.
TEST(EmittedKernels, LanesThatDoNotMeetMissATurn) {
  const compiler::Spec spec = projection("Q(2)", 128, 80, "interval(32)");
  const std::string whole = emittedKernel(spec, "rows=64,columns=16,depth=64,stages=16,ping_pong=2", bf16);
  const std::string apart = withoutLines(whole, "nvvm.bar.warp.sync");
  ASSERT_NE(apart.size(), whole.size());
  const auto objection = [&](const std::string &text, uint64_t seed) {
    const auto kernel = compiler::SimulatedKernel::parse(text, "turns");
    return ExactCase(spec, 174, 220, seed).run(kernel, settingsOf(seed, 2)).kind;
  };
  std::string found;
  uint64_t seed = 0;
  while (found.empty() && ++seed <= 200)
    found = objection(apart, seed);
  EXPECT_EQ(found, "mbarrier");
  EXPECT_EQ(objection(whole, seed), "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, EmittedKernel, testing::ValuesIn(kernels()),
                         [](const auto &info) { return info.param.name; });

} // namespace
