// The function around a kernel: parameters, launch attributes, shared memory, partitions as branches.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace compiler {

/// Name of the block's dynamic shared memory, and of the attribute with a kernel's launch numbers.
constexpr llvm::StringLiteral shared_memory_name = "shared";
constexpr llvm::StringLiteral kernel_attribute_name = "sm.kernel";

/// On products and stores of a partition: the number of its first warpgroup in the block, and of how many
/// it has.
constexpr llvm::StringLiteral first_warpgroup_name = "first_warpgroup";
constexpr llvm::StringLiteral partition_warpgroups_name = "partition_warpgroups";

/// Threads of a block of a function that lowerKernelStructure wrote.
int64_t threadsOf(mlir::LLVM::LLVMFuncOp function);

/// Declares the block's dynamic shared memory, where the module does not have it yet.
void declareSharedMemory(mlir::ModuleOp module, mlir::Location location);

/// Replaces a kernel by an llvm.func. The ops of `sm` that stand for instructions, scf and arith stay in its
/// body; partitions become branches on the warpgroup, sm.elect and everything that one thread does an scf.if.
/// Without partitions, all threads run the body.
mlir::FailureOr<mlir::LLVM::LLVMFuncOp> lowerKernelStructure(mlir::ModuleOp module, sm::KernelOp kernel);

} // namespace compiler
