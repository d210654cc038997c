// The kernel that lists the rows of a batch by type, on a GPU (runtime/gpu_kernel_abi.h, "row lists"). It is
// no product and depends on no layer, so that it is written as instructions at once, and one kernel of a
// target serves all.
#pragma once

#include "compiler/schedule/listed_rows.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>

namespace compiler {

constexpr llvm::StringLiteral group_rows_name = "group_rows";

/// Whose rows are listed: those of one network, whatever says of which types they are; or of each of several
/// experts those of each type, at positions.
enum class ListedNetworks { One, Experts };

/// A module of the llvm and nvvm dialects that holds the kernel, for blocks of `threads`, a multiple of 32 up
/// to 1024. The dialects arith, cf, llvm, nvvm and scf are loaded into the context.
mlir::OwningOpRef<mlir::ModuleOp> groupRowsModule(mlir::MLIRContext &context,
                                                  int64_t threads = group_rows_threads,
                                                  ListedNetworks networks = ListedNetworks::One);

} // namespace compiler
