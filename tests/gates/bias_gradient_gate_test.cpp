// The kernel of the bias's gradient before NVIDIA's assembler: registers for the blocks that hide each
// other's latency, and loads that are on their way together.
#include "compiler/auxiliary/bias_gradient.h"
#include "compiler/auxiliary/images.h"
#include "tests/gates/gate.h"

#include <gtest/gtest.h>
#include <iostream>

namespace {

TEST(BiasGradientGate, LeavesRegistersForThreeBlocks) {
  for (const compiler::AssemblerTool &tool : {compiler::findPtxas(), compiler::findDisassembler()})
    if (!tool.found())
      GTEST_SKIP() << "NOT TESTED: " << tool.reason;
  for (const compiler::Target target : {compiler::Target::Sm80, compiler::Target::Sm90a}) {
    const gates::Evidence evidence = gates::collectEvidence(
        compiler::emitAuxiliary("dbias", target, compiler::Stage::Nvvm, {}), compiler::toString(target));
    ASSERT_EQ(evidence.assembly.report.kernels.size(), 1u);
    const compiler::KernelResources &kernel = evidence.assembly.report.kernels.front();
    EXPECT_EQ(kernel.name, compiler::bias_gradient_name.str());
    EXPECT_LE(3 * kernel.registers * compiler::bias_gradient_threads, 65536);
    EXPECT_EQ(kernel.spill_store_bytes + kernel.spill_load_bytes, 0);
    // The compiler has neither lost nor copied what threads do together.
    EXPECT_EQ(evidence.ptx.translated, evidence.ptx.optimized);
    EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "bar"), 2);
    // Rows of bf16: those that are on their way together, and what is left over one by one; and what dbias
    // held. The assembler may take several of what is left over at a time.
    EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "ld.global.b16"), 16 + 1 + 1);
    EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "ld.global.b64"), 16 + 1);
    EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "atom"), 0);
    std::cout << compiler::toString(target) << ": " << kernel.registers << " registers\n";
  }
}

} // namespace
