// Kernels of three and five partitions, written by hand: what NVIDIA's assembler says of them.
#include "tests/gates/gate.h"
#include "tests/simulator/kernels/written_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace simulator_test;

namespace {

class PartitionGate : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    for (const compiler::AssemblerTool &tool : {compiler::findPtxas(), compiler::findDisassembler()})
      if (!tool.found())
        GTEST_SKIP() << "NOT TESTED: " << tool.reason;
  }
};

TEST_P(PartitionGate, Passes) {
  const std::string instructions = instructionsOf(withBarriers(writtenKernel(GetParam() + ".mlir")));
  EXPECT_THAT(gates::objections(gates::collectEvidence(instructions)), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Written, PartitionGate, testing::Values("three_partitions", "shared_pipe"),
                         [](const auto &info) { return info.param; });

} // namespace
