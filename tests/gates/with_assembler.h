// Tests of machine code, which are skipped where NVIDIA's assembler or disassembler is missing.
#pragma once

#include "compiler/targets/nvidia/assembler.h"

#include <gtest/gtest.h>

namespace gates {

template <class Test> class WithAssembler : public Test {
protected:
  void SetUp() override {
    for (const compiler::AssemblerTool &tool : {compiler::findPtxas(), compiler::findDisassembler()})
      if (!tool.found())
        GTEST_SKIP() << "NOT TESTED: " << tool.reason;
  }
};

} // namespace gates
