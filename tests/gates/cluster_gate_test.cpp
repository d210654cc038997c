// Kernels whose blocks copy for each other, in the sizes that large projections take.
#include "algebras/expression.h"
#include "compiler/pipeline/gpu_pipeline.h"
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using algebras::DataType;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class ClusterGate : public gates::WithAssembler<testing::Test> {
protected:
  static gates::Evidence evidenceOf(const std::string &schedule, DataType output = DataType::BF16) {
    const algebras::Algebra algebra = algebras::parseExpression("Q(32)");
    const compiler::Spec spec{
        algebra, algebras::makeLayer(algebras::Lift::rows(algebra), 8192, 32 * 320, DataType::BF16), false,
        "Q(32)"};
    compiler::CompileOptions options;
    options.targets = {compiler::Target::Sm90a};
    options.schedule = schedule;
    options.output = output;
    return gates::collectEvidence(compiler::gpuProgram(spec, compiler::Target::Sm90a, options).nvvm);
  }
};

TEST_F(ClusterGate, LargeTilesPass) {
  for (const char *columns : {"256", "160"})
    for (const char *cluster : {"2x1", "2x2", "1x2", "4x1"})
      for (const DataType output : {DataType::BF16, DataType::F32}) {
        const std::string schedule = fmt::format("rows=128,columns={},depth=64,cluster={}", columns, cluster);
        const gates::Evidence evidence = evidenceOf(schedule, output);
        EXPECT_THAT(gates::objections(evidence), IsEmpty()) << schedule << " " << toString(output);
        EXPECT_GT(gates::countInPtx(evidence.ptx.ptx, ".reqnctapercluster"), 0);
      }
}

// Parts of one operand where clusters have one row or one column, of both where they have several.
TEST_F(ClusterGate, OnlyWhatIsSharedIsMulticast) {
  auto multicasts = [](const char *cluster) {
    const std::string text =
        evidenceOf(fmt::format("rows=128,columns=256,depth=64,cluster={}", cluster)).ptx.ptx;
    int64_t count = 0;
    for (size_t at = text.find(".multicast::cluster"); at != std::string::npos;
         at = text.find(".multicast::cluster", at + 1))
      ++count;
    return count;
  };
  // 64 columns of X are one panel, 256 of W four.
  EXPECT_EQ(multicasts("1x1"), 0);
  EXPECT_EQ(multicasts("2x1"), 4);
  EXPECT_EQ(multicasts("1x2"), 1);
  EXPECT_EQ(multicasts("2x2"), 5);
}

TEST_F(ClusterGate, ObjectsToFencesOfAllMemory) {
  const gates::Evidence evidence = evidenceOf("rows=128,columns=160,depth=64,cluster=2x1");
  std::string text = evidence.ptx.ptx;
  const std::string wait = "mbarrier.try_wait.parity.shared";
  ASSERT_NE(text.find("mbarrier.arrive.shared::cluster"), std::string::npos);
  ASSERT_NE(text.find(wait), std::string::npos);
  for (size_t at; (at = text.find(wait)) != std::string::npos;)
    text.replace(at, wait.size(), "mbarrier.try_wait.parity.acquire.cluster.shared");
  EXPECT_THAT(gates::objections(gates::withPtx(evidence, text)),
              Contains(HasSubstr("CCTL in the machine code")));
}

} // namespace
