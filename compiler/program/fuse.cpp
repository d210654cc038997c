// alg-fuse: programs as calls of kernels.
#include "compiler/program/kernel_groups.h"
#include "compiler/program/outline_kernel.h"
#include "compiler/program/passes.h"

namespace compiler {
#define GEN_PASS_DEF_ALGFUSE
#include "compiler/program/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct AlgFuse : compiler::impl::AlgFuseBase<AlgFuse> {
  using AlgFuseBase::AlgFuseBase;

  void runOnOperation() override {
    if (results < 1) {
      getOperation().emitError("a kernel has at least one result, got ") << results.getValue();
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> programs;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic())
        programs.push_back(function);
    for (func::FuncOp program : programs)
      if (failed(fuse(program)))
        return signalPassFailure();
  }

private:
  LogicalResult fuse(func::FuncOp program) {
    if (!llvm::hasSingleElement(program.getBody()))
      return program.emitError("only a function of one block is a program");
    const bool may_have_layers = layers && !llvm::is_contained(*one_layer, program.getSymName());
    const KernelGroups groups(
        program, {.results = static_cast<unsigned>(results), .layers = may_have_layers, .apart = apart});
    if (remarks && !apart)
      groups.emitRemarks();
    return outlineKernels(program, groups.inOrder());
  }
};

} // namespace
