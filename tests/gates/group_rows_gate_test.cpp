// The kernel that lists rows by type before NVIDIA's assembler: 1024 threads share a multiprocessor's
// registers.
#include "compiler/pipeline/group_rows_images.h"
#include "compiler/targets/nvidia/group_rows.h"
#include "tests/gates/gate.h"
#include "tests/gates/with_assembler.h"

#include <gtest/gtest.h>
#include <iostream>

namespace {

using GroupRowsGate = gates::WithAssembler<testing::Test>;

TEST_F(GroupRowsGate, FitsAWholeBlock) {
  const auto of_experts = [](int64_t experts) {
    compiler::CompileOptions options;
    options.experts = experts;
    return options;
  };
  for (const auto &[target, experts] : {std::pair<compiler::Target, int64_t>{compiler::Target::Sm80, 0},
                                        {compiler::Target::Sm90a, 0},
                                        {compiler::Target::Sm80, 64},
                                        {compiler::Target::Sm90a, 64}}) {
    SCOPED_TRACE(experts);
    const gates::Evidence evidence =
        gates::collectEvidence(compiler::emitGroupRows(target, compiler::Stage::Nvvm, of_experts(experts)),
                               compiler::toString(target));
    ASSERT_EQ(evidence.assembly.report.kernels.size(), 1u);
    const compiler::KernelResources &kernel = evidence.assembly.report.kernels.front();
    EXPECT_EQ(kernel.name, compiler::group_rows_name.str());
    EXPECT_LE(kernel.registers * compiler::group_rows_threads, 65536);
    EXPECT_EQ(kernel.spill_store_bytes + kernel.spill_load_bytes, 0);
    // The compiler has neither lost nor copied what threads do together.
    EXPECT_EQ(evidence.ptx.translated, evidence.ptx.optimized);
    EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "shfl.sync.up"), 10);
    EXPECT_EQ(gates::countInPtx(evidence.ptx.ptx, "bar"), 5);
    std::cout << compiler::toString(target) << (experts > 0 ? ", experts" : "") << ": " << kernel.registers
              << " registers\n";
  }
}

} // namespace
