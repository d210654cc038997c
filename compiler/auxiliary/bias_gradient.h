// The kernel that sums the columns of a matrix on a GPU: the gradient of a bias (runtime/gpu_kernel_abi.h,
// "the gradient of a bias"). It depends on no layer, so that one kernel of a target serves all.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>

namespace compiler {

constexpr llvm::StringLiteral bias_gradient_name = "dbias";

/// Threads of a block where nothing else is said: eight rows of 64 columns side by side, so that a part of
/// 256 rows is two rounds of the loads that a thread has on their way at a time.
constexpr int64_t bias_gradient_threads = 512;

/// A module of the llvm and nvvm dialects that holds the kernel, for blocks of `threads`, a multiple of
/// algrt_dbias_columns up to 1024. loadAuxiliaryDialects has been called for the context.
mlir::OwningOpRef<mlir::ModuleOp> biasGradientModule(mlir::MLIRContext &context,
                                                     int64_t threads = bias_gradient_threads);

} // namespace compiler
