// The kernel that lists rows by type before NVIDIA's assembler: 1024 threads share a multiprocessor's
// registers.
#include "compiler/pipeline/group_rows_images.h"
#include "compiler/targets/nvidia/group_rows.h"
#include "tests/gates/gate.h"

#include <gtest/gtest.h>
#include <iostream>

namespace {

TEST(GroupRowsGate, FitsAWholeBlock) {
  for (const compiler::AssemblerTool &tool : {compiler::findPtxas(), compiler::findDisassembler()})
    if (!tool.found())
      GTEST_SKIP() << "NOT TESTED: " << tool.reason;
  for (const compiler::Target target : {compiler::Target::Sm80, compiler::Target::Sm90a}) {
    const gates::Evidence evidence = gates::collectEvidence(
        compiler::emitGroupRows(target, compiler::Stage::Nvvm, {}), compiler::toString(target));
    ASSERT_EQ(evidence.assembly.report.kernels.size(), 1u);
    const compiler::KernelResources &kernel = evidence.assembly.report.kernels.front();
    EXPECT_EQ(kernel.name, compiler::group_rows_name.str());
    EXPECT_LE(kernel.registers * compiler::group_rows_threads, 65536);
    EXPECT_EQ(kernel.spill_store_bytes + kernel.spill_load_bytes, 0);
    // The compiler has neither lost nor copied what threads do together.
    EXPECT_EQ(evidence.ptx.translated, evidence.ptx.optimized);
    EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "shfl.sync.up"), 10);
    EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "bar"), 5);
    std::cout << compiler::toString(target) << ": " << kernel.registers << " registers\n";
  }
}

} // namespace
