// The passes of NVIDIA's targets after a target's own front has written `sm` programs.
#ifndef ALGCTL_COMPILER_TARGETS_NVIDIA_PASSES
#define ALGCTL_COMPILER_TARGETS_NVIDIA_PASSES

include "mlir/Pass/PassBase.td"

def ConvertSmToNvvm : Pass<"convert-sm-to-nvvm", "mlir::ModuleOp"> {
  let summary = "Lower the programs of thread blocks to instructions";
  let description = [{
    Each `sm.kernel` becomes an `llvm.func` with the parameters that `runtime/gpu_kernel_abi.h` documents, and with an
    attribute `sm.kernel` that holds what a launch needs to know (threads, shared memory, tile, boxes). Its buffers and barriers get
    fixed places in the block's dynamic shared memory, `@shared`; its partitions become branches on the number of the warpgroup; waiting
    becomes a loop of blocks around `nvvm.mbarrier.try_wait`; accumulators become structs of f32. `index` is 32 bits wide.

    A kernel with plain maps has no partitions: all threads run its body. Its copies become `nvvm.cp.async` of the maps' vector, with
    a source size of 0 for what the operand does not have, or for vectors of one element loads and stores; its products
    `nvvm.ldmatrix` and `nvvm.mma.sync`; its results masked stores. It may take as much shared memory as every GPU has.

    One op of `sm` is left: `sm.settle`, on structs. It is translated together with the rest.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::cf::ControlFlowDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::NVVM::NVVMDialect", "mlir::scf::SCFDialect"];
}

#endif
