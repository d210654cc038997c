// The passes of kernels without a product: from functions of the alg dialect to loops of a CPU, and to instructions of a GPU.
#ifndef ALGCTL_COMPILER_TARGETS_ELEMENTWISE_PASSES
#define ALGCTL_COMPILER_TARGETS_ELEMENTWISE_PASSES

include "mlir/Pass/PassBase.td"

def ConvertElementwiseToTile : Pass<"convert-elementwise-to-tile", "mlir::ModuleOp"> {
  let summary = "Write functions without a contraction as element-wise kernels";
  let description = [{
    Replaces each function of `alg.map`s, `alg.reduce`s of their results or of arguments, and arithmetic of `arith` on tensors, without a
    contraction, by the `tile.elementwise` of its name. Views, gathers and regroupings move nothing. Functions that
    have a contraction or call others stay.

    With `adds` results are added to what they held before, as often as one more number of the call says, the last operand:
    what a call does with its results' memory is no matter of the functions, which have values alone. Such functions return
    sums over rows.
  }];
  let options = [Option<"adds", "adds", "bool", "false", "add sums over rows to what their results held">];
  let dependentDialects = ["tile::TileDialect", "mlir::arith::ArithDialect"];
}

def ConvertElementwiseToCpu : Pass<"convert-elementwise-to-cpu", "mlir::ModuleOp"> {
  let summary = "Lower element-wise kernels to loops and vectors";
  let description = [{
    Each `tile.elementwise` becomes a function as `runtime/kernel_abi.h` has it (`algrt_elementwise_kernel`): a loop over a
    range of tasks. A task is a block of rows, of columns, or both, as the kernel's sums and maxima allow; in it elements are
    computed a vector at a time, and those behind the last whole vector of a row one by one, with the same operations.

    The function carries `tile.task`, the rows and columns of a task, 0 where that is all of them.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "8", "elements of f32 in a vector register">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect", "mlir::LLVM::LLVMDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect"];
}

#endif
