// The one product of a thread block's program, and the blocks that it multiplies: what targets stage.
#ifndef ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_BLOCK_PRODUCT_H
#define ALGCTL_COMPILER_TARGETS_THREAD_BLOCK_BLOCK_PRODUCT_H

#include "dialects/sm/sm.h"

namespace compiler {

struct BlockProduct {
  sm::MultiplyOp multiply;
  sm::FetchOp a, b; ///< a: null where rows of several types are fetched, by `parts`
  sm::FetchPartsOp parts;
  sm::HoldOp held; ///< null where no rows are held
};

/// Fails with a message where the kernel multiplies in several places, or blocks that have other uses.
mlir::FailureOr<BlockProduct> findProduct(sm::KernelOp kernel);

/// Sums that are those of `then` where `condition` holds and those of `otherwise` elsewhere. Without a
/// condition they are those of `otherwise`. Both are written where `builder` stands, or into branches there.
mlir::Value chooseProduct(mlir::OpBuilder &builder, mlir::Location location, mlir::Value condition,
                          llvm::function_ref<mlir::Value()> then,
                          llvm::function_ref<mlir::Value()> otherwise);

} // namespace compiler

#endif
