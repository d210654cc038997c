// Kernels of any partitions and pipes, written by hand, through the passes and on the model; and what the
// model finds when a barrier counts wrongly or a stage is not released.
#include "tests/simulator/kernels/exact_case.h"
#include "tests/simulator/kernels/written_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex>
#include <utility>

using namespace simulator_test;

namespace {

std::string replaced(const std::string &text, const std::string &part, const std::string &by) {
  const size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << "'" << part << "' is not in\n" << text;
  return at == std::string::npos ? text : std::string(text).replace(at, part.size(), by);
}

compiler::SimulatedKernel compiled(const std::string &barriers) {
  return compiler::SimulatedKernel::parse(instructionsOf(barriers), "kernel");
}

/// The first objection of a few products, empty where there is none. Each block of the grid has many tiles,
/// so that it goes through the stages of every pipe several times.
std::string objection(const compiler::SimulatedKernel &kernel) {
  const compiler::Spec spec = projection("Q(1)", 320, 192);
  constexpr struct {
    int64_t m;
    int32_t blocks;
  } calls[] = {{700, 1}, {1, 1}, {128, 2}, {900, 3}, {257, 3}, {1300, 2}};
  uint64_t seed = 0;
  for (const auto &call : calls)
    for (int repeat = 0; repeat < 2; ++repeat, ++seed) {
      const ExactCase product(spec, call.m, 0, seed);
      compiler::SimulationSettings settings = settingsOf(seed, call.blocks);
      settings.most_steps = 2'000'000;
      const auto found = product.run(kernel, settings);
      if (!found.kind.empty())
        return found.kind + ": " + found.text;
    }
  return "";
}

TEST(Partitions, ThreePartitionsAreExactForAnyStages) {
  const std::string text = writtenKernel("three_partitions.mlir");
  for (const auto &[operands, results] : {std::pair(2, 1), std::pair(3, 2), std::pair(5, 3)}) {
    const std::string staged =
        replaced(replaced(text, "%operands = sm.pipe stages 3",
                          fmt::format("%operands = sm.pipe stages {}", operands)),
                 "%results = sm.pipe stages 2", fmt::format("%results = sm.pipe stages {}", results));
    EXPECT_EQ(objection(compiled(withBarriers(staged))), "") << operands << " and " << results << " stages";
  }
}

TEST(Partitions, APipeWithTwoConsumersIsExact) {
  EXPECT_EQ(objection(compiled(withBarriers(writtenKernel("shared_pipe.mlir")))), "");
}

/// The kernel with barriers, with a match of an expression replaced. Fails the test where there is none.
std::string edited(const std::string &text, const std::string &expression, const std::string &by) {
  const std::regex pattern(expression);
  EXPECT_TRUE(std::regex_search(text, pattern)) << expression << " is not in\n" << text;
  return std::regex_replace(text, pattern, by, std::regex_constants::format_first_only);
}

TEST(Partitions, TheModelFindsWhatIsWrongWithThreePartitions) {
  const std::string good = withBarriers(writtenKernel("three_partitions.mlir"));
  const struct {
    const char *what, *expression, *by, *kind;
  } faults[] = {
      {"operands are released by one warp more than there are", "arrivals 8 : <3>", "arrivals 9 : <3>",
       "deadlock"},
      {"operands are released by one warp less", "arrivals 8 : <3>", "arrivals 7 : <3>", "overwrite"},
      {"results are full one warp too early", "arrivals 8 : <2>", "arrivals 7 : <2>", "race"},
      {"results are full after one warp more than there are", "arrivals 8 : <2>", "arrivals 9 : <2>",
       "deadlock"},
      {"results are released by two threads", "arrivals 1 : <2>", "arrivals 2 : <2>", "deadlock"},
      {"results are stored before the copy engine sees them", "sm\\.fence\n", "\n", "missing proxy fence"},
      {"results are never committed", "sm\\.arrive [^\n]* publish : <2>\n", "\n", "deadlock"},
      {"results are released before they are read", "sm\\.store_wait 0\n", "\n", "overwrite"},
      {"results are never released", "(sm\\.store_wait 0\n *)sm\\.arrive [^\n]*\n", "$1\n", "deadlock"},
  };
  for (const auto &fault : faults) {
    const std::string found = objection(compiled(edited(good, fault.expression, fault.by)));
    EXPECT_EQ(found.substr(0, found.find(':')), fault.kind) << fault.what << ": " << found;
  }
}

TEST(Partitions, TheModelFindsAConsumerThatIsNotCounted) {
  const std::string good = withBarriers(writtenKernel("shared_pipe.mlir"));
  // Rows are free when both have multiplied: four warps of each.
  EXPECT_NE(objection(compiled(edited(good, "arrivals 8 : <3>", "arrivals 4 : <3>"))), "");
}

} // namespace
