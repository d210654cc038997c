// Steps of tiles of several types, and of stationary rows: loads into parts of a stage, products of some
// warpgroups.
#pragma once

#include "dialects/sm/sm.h"

#include "mlir/IR/Builders.h"

namespace compiler {

/// For each part of a block, i1, whether it is fetched: where all are, or it alone is.
llvm::SmallVector<mlir::Value> fetchedParts(mlir::OpBuilder &builder, sm::FetchPartsOp fetch);

/// Loads the parts whose conditions hold, each into rows of its own of the stage.
void loadParts(mlir::OpBuilder &builder, sm::FetchPartsOp fetch, llvm::ArrayRef<mlir::Value> fetched,
               mlir::Value buffer, mlir::Value stage);

/// Loads rows that stay: each of their pieces into its place in a stage.
void loadPieces(mlir::OpBuilder &builder, sm::HoldOp rows, mlir::Value buffer, mlir::Value stage);

/// The sums after a product of a part: of all warpgroups where all parts multiply, as `product` writes it,
/// else of those that hold the part's sums. Then it is `own` where rows are held. The others keep what they
/// have.
mlir::Value productOfPart(mlir::OpBuilder &builder, sm::MultiplyOp multiply,
                          llvm::function_ref<mlir::Value()> product, llvm::function_ref<mlir::Value()> own);

} // namespace compiler
