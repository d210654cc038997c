// A gated projection of 2048 -> 6144 over Q(32) in one kernel, before the gate: the sums of both weights stay
// in registers, on either family of GPU kernels.
#include "tests/gates/gate.h"
#include "tests/simulator/kernels/exact_case.h"
#include "tests/simulator/kernels/fused_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace simulator_test;

namespace {

struct Case {
  const char *name, *schedule, *target;
  bool swiglu = true; // else two results and operands of all kinds
};

void PrintTo(const Case &which, std::ostream *stream) { *stream << which.name; }

class FusedGate : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    for (const compiler::AssemblerTool &tool : {compiler::findPtxas(), compiler::findDisassembler()})
      if (!tool.found())
        GTEST_SKIP() << "NOT TESTED: " << tool.reason;
  }
};

TEST_P(FusedGate, Passes) {
  FusedKernel fused = {projection("Q(32)", 2048, 6144), GetParam().schedule, GetParam().target};
  fused.swiglu = GetParam().swiglu;
  EXPECT_THAT(gates::objections(gates::collectEvidence(emittedKernel(fused), fused.target)),
              testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, FusedGate,
    testing::Values(Case{"EngineNarrow", "rows=64,columns=96,depth=64,stages=4", "sm_90a"},
                    Case{"EngineTall", "rows=128,columns=96,depth=64,stages=4", "sm_90a"},
                    Case{"EngineTransposed", "rows=64,columns=192,depth=64,stages=3,rows_on=n", "sm_90a"},
                    Case{"EngineOperands", "rows=64,columns=96,depth=64,stages=3", "sm_90a", false},
                    Case{"Threads", "rows=64,columns=64,depth=32,stages=3,warps=2x2,vector=8", "sm_80"},
                    Case{"ThreadsOperands", "rows=64,columns=64,depth=32,stages=3,warps=2x2,vector=8",
                         "sm_80", false}),
    [](const auto &info) { return info.param.name; });

} // namespace
