// The pass of the simulator.

#ifndef ALGCTL_COMPILER_SIMULATOR_PASSES
#define ALGCTL_COMPILER_SIMULATOR_PASSES

include "mlir/Pass/PassBase.td"

def ConvertNvvmToSimulator : Pass<"convert-nvvm-to-simulator", "mlir::ModuleOp"> {
  let summary = "Replace the instructions of a GPU by calls into the simulator's model";
  let description = [{
    Takes the module of a kernel as it is translated for the GPU, in the `llvm` and `nvvm` dialects with `sm.settle`, and
    leaves one that compiles for the host:

    - each `nvvm` op and each `sm.settle` becomes a call of the model (`compiler/simulator/model/calls.h`); the list of ops
      and calls is `compiler/simulator/conversion/conversion_list.h`, and the files beside it hold it,
    - before each load, store, copy and atomic operation on memory that other threads can see comes a call that checks it,
    - the address of the shared memory becomes a call, and byval parameters become plain pointers,
    - rounding to bf16 becomes integer arithmetic, for hosts without an instruction for it,
    - beside each kernel there is `NAME.call`, which takes a pointer to an array of pointers to the arguments, as
      `cuLaunchKernel` does.

    Every call passes the number of its *site*. `sm.sites`, an attribute of the module, holds for each site the op as it was
    printed, so that the model's objections can name it.

    What the model does not know is an error: ops of other dialects, inline assembly, intrinsics of the GPU, functions without
    a body, memory operations without a check. Nothing is dropped silently.
  }];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

#endif
