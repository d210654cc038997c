// The element-wise function that sums rows, as the gradient of a bias is, before NVIDIA's assembler:
// registers for blocks that hide each other's latency, and loads that are on their way together.
#include "algebras/expression.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/spec/spec.h"
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"

#include <gtest/gtest.h>
#include <iostream>

namespace {

using algebras::DataType;

compiler::Spec layerWithBias() {
  compiler::Spec spec;
  spec.algebra = algebras::parseExpression("Q(32)");
  spec.layer = algebras::makeLayer(algebras::Lift::rows(*spec.algebra), 2048, 6144, DataType::BF16);
  spec.layer->bias = true;
  return spec;
}

using ColumnSumsGate = gates::WithAssembler<testing::Test>;

TEST_F(ColumnSumsGate, LeavesRegistersForSeveralBlocks) {
  constexpr int64_t threads = 512, slices = 16, rows_on_their_way = 16;
  for (const compiler::Target target : {compiler::Target::Sm80, compiler::Target::Sm90a})
    for (const DataType type : {DataType::BF16, DataType::F32}) {
      SCOPED_TRACE(compiler::toString(target) + ", " + algebras::toString(type));
      compiler::CompileOptions options;
      options.targets = {target};
      options.output = type;
      const gates::Evidence evidence = gates::collectEvidence(
          compiler::emitDbias(layerWithBias(), compiler::Stage::Nvvm, options), compiler::toString(target));
      ASSERT_EQ(evidence.assembly.report.kernels.size(), 1u);
      const compiler::KernelResources &kernel = evidence.assembly.report.kernels.front();
      EXPECT_EQ(kernel.name, std::string("dbias_") + algebras::toString(type));
      EXPECT_LE(2 * kernel.registers * threads, 65536);
      EXPECT_EQ(kernel.spill_store_bytes + kernel.spill_load_bytes, 0);
      // The compiler has neither lost nor copied what threads do together.
      EXPECT_EQ(evidence.ptx.translated, evidence.ptx.optimized);
      EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "bar"), 2);
      // Rows that are on their way together, and what is left over one by one; and what dbias held, in its
      // type.
      const int64_t held = type == DataType::BF16 ? 1 : 0;
      EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "ld.global.b16"), rows_on_their_way + 1 + held);
      EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "ld.shared"), slices);
      EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "atom"), 0);
      std::cout << compiler::toString(target) << ": " << kernel.registers << " registers\n";
    }
}

} // namespace
