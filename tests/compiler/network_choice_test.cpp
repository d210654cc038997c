// Whether a network is one kernel or steps on a GPU, and what its program is predicted to take.
#include "compiler/pipeline/program_cost.h"
#include "compiler/pipeline/program_plan.h"
#include "compiler/schedule/ranking.h"
#include "compiler/schedule/targets.h"
#include "compiler/spec/spec.h"
#include "tests/schedule/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace compiler;

Spec network(int64_t features, int64_t hidden, Activation activation = Activation::Silu) {
  constexpr int64_t types = 32;
  Spec spec;
  spec.source_name = "network";
  spec.program = Swiglu{.lift = projection("Q(32)", features, hidden).lift,
                        .in = algebras::Groups::equal(types, features / types),
                        .hidden = algebras::Groups::equal(types, hidden / types),
                        .out = algebras::Groups::equal(types, features / types),
                        .row_types = algebras::RowTypes::cyclic(types),
                        .activation = activation};
  return spec;
}

CompileOptions forRows(std::vector<int64_t> rows) {
  CompileOptions options;
  options.targets = {targetNamed("sm_90a")};
  options.rows = rows.front();
  options.further_rows.assign(rows.begin() + 1, rows.end());
  return options;
}

// Few rows alone take less in steps, and many in one kernel; of a call of each, whichever comes first.
TEST(NetworkChoice, IsMadeForAllNumbersOfRows) {
  const auto kernels = [](const std::vector<int64_t> &rows) {
    return planProgram(network(2048, 6144), forRows(rows)).kernels.size();
  };
  EXPECT_EQ(kernels({1}), 2U);
  EXPECT_EQ(kernels({2048}), 1U);
  EXPECT_EQ(kernels({1, 2048}), 1U);
  EXPECT_EQ(kernels({2048, 1}), 1U);
  EXPECT_EQ(kernels({1, 2}), 2U);
  EXPECT_THAT(planProgram(network(2048, 6144), forRows({1, 2})).remarks,
              testing::Contains(
                  testing::HasSubstr("times as long as a kernel for each layer, for M = 1, 2 on sm_90a")));
}

double predicted(const Spec &spec, int64_t m, Fusing fusing) {
  CompileOptions options = forRows({m});
  options.fusing = fusing;
  return costOfPrograms(planProgram(spec, options), "sm_90a", m, 0, CpuMachine{}).front().predicted();
}

// Maps take turns with the products of a tile: a longer one takes longer.
TEST(NetworkChoice, CountsWhatAnActivationTakes) {
  const auto of = [](Activation activation) {
    return predicted(network(4096, 12288, activation), 2048, Fusing::Layers);
  };
  EXPECT_LT(of(Activation::Identity), of(Activation::Silu));
  EXPECT_LT(of(Activation::Relu), of(Activation::Silu));
  EXPECT_LT(of(Activation::Silu), of(Activation::Gelu));
}

// The second step begins while the first one ends, as the runtime launches it.
TEST(NetworkChoice, CountsThatStepsBeginEarly) {
  const Spec spec = network(2048, 6144);
  CompileOptions options = forRows({2048});
  options.fusing = Fusing::Products;
  const ProgramPlan plan = planProgram(spec, options);
  const ProgramCost cost = costOfPrograms(plan, "sm_90a", 2048, 0, CpuMachine{}).front();
  ASSERT_EQ(cost.steps.size(), 2U);
  for (const size_t step : {0, 1}) {
    const KernelSource &kernel = plan.kernels[step];
    const double alone = bestOf(rankMap(kernel.layer, algrt::Map::Forward, "sm_90a", 2048,
                                        kernel.results.front(), CpuMachine{}),
                                kernel.layer)
                             .predicted();
    EXPECT_NEAR(alone - cost.steps[step].predicted_us, step == 0 ? 0 : h200_machine.early_begin_us.value,
                1e-9);
  }
  // sm_80 has no such launches.
  const ProgramCost on_ampere = costOfPrograms(plan, "sm_80", 2048, 0, CpuMachine{}).front();
  EXPECT_NEAR(on_ampere.steps[1].predicted_us,
              bestOf(rankMap(plan.kernels[1].layer, algrt::Map::Forward, "sm_80", 2048,
                             plan.kernels[1].results.front(), CpuMachine{}),
                     plan.kernels[1].layer)
                  .predicted(),
              1e-9);
}

} // namespace
