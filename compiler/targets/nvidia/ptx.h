// From a module in the nvvm and llvm dialects to PTX, with LLVM's NVPTX backend in this process.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <string>

namespace compiler {

/// How often each instruction that must be neither lost nor duplicated occurs in an LLVM module: the names
/// of intrinsics ("llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta") and the first word of inline
/// assembly ("wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16").
using InstructionCounts = std::map<std::string, int64_t>;

struct PtxModule {
  std::string llvm_ir; ///< after optimisation
  std::string ptx;
  /// Convergent instructions as they were translated, and as the optimiser left them.
  InstructionCounts translated, optimized;
  /// Calls of inline assembly without the convergent attribute; none, unless the translation has a fault.
  int64_t unmarked_assembly = 0;
};

/// The optimised LLVM IR of a module that convert-sm-to-nvvm wrote. Throws Failure where it cannot be
/// translated, AbsentError where this LLVM has no NVPTX backend.
std::string nvptxLlvmIr(mlir::ModuleOp module, const std::string &architecture);

/// PTX for `architecture`, "sm_90a" or "sm_80". Throws as above.
PtxModule generatePtx(mlir::ModuleOp module, const std::string &architecture);

} // namespace compiler
