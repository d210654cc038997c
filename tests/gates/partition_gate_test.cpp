// Kernels of three and five partitions, written by hand: what NVIDIA's assembler says of them.
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"
#include "tests/simulator/kernels/written_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace simulator_test;

namespace {

using PartitionGate = gates::WithAssembler<testing::TestWithParam<std::string>>;

TEST_P(PartitionGate, Passes) {
  const std::string instructions = instructionsOf(withBarriers(writtenKernel(GetParam() + ".mlir")));
  EXPECT_THAT(gates::objections(gates::collectEvidence(instructions)), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Written, PartitionGate, testing::Values("three_partitions", "shared_pipe"),
                         [](const auto &info) { return info.param; });

} // namespace
