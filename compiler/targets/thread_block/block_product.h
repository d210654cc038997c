// The products of one step of a thread block's program, and the blocks that they multiply: what targets
// stage.
#pragma once

#include "dialects/sm/sm.h"

namespace compiler {

/// Products of the same rows with a block of a weight matrix of its own each.
struct BlockProducts {
  llvm::SmallVector<sm::MultiplyOp, 2> multiplies; ///< at least one, in the order of the program
  sm::FetchOp a; ///< null where rows of several types are fetched, by `parts`
  llvm::SmallVector<sm::FetchOp, 2> weight_matrices; ///< B of each
  sm::FetchPartsOp parts;
  sm::HoldOp held; ///< null where no rows are held

  sm::MultiplyOp first() const { return multiplies.front(); }
  /// A, and B of each product.
  llvm::SmallVector<mlir::Value> blocks() const;
};

/// Fails with a message where the kernel multiplies in several places, or blocks that have other uses.
mlir::FailureOr<BlockProducts> findProducts(sm::KernelOp kernel);

/// The same of blocks that a partition consumes, wherever they come from: products that stand beside each
/// other, of one A. Empty where they are no such products.
llvm::SmallVector<sm::MultiplyOp, 2> productsOf(mlir::ValueRange blocks);

/// Sums that are those of `then` where `condition` holds and those of `otherwise` elsewhere. Without a
/// condition they are those of `otherwise`. Both are written where `builder` stands, or into branches there.
using WriteSums = llvm::function_ref<llvm::SmallVector<mlir::Value>()>;
llvm::SmallVector<mlir::Value> chooseProducts(mlir::OpBuilder &builder, mlir::Location location,
                                              mlir::Value condition, WriteSums then, WriteSums otherwise);

} // namespace compiler
