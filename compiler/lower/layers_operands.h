// The operands of a kernel of two layers: X, the weight matrices of the first layer and of the second, what
// maps of the first layer's sums read and those of the second's, and the results, in this order.
#pragma once

#include "compiler/lower/product_operands.h"

namespace compiler {

/// The weight matrices of each layer are of its type, as the user stores them or packed.
llvm::SmallVector<mlir::Type> typesOfOperands(const ProductsOfKernel &first, tile::MatrixType first_weights,
                                              const ProductsOfKernel &last, tile::MatrixType last_weights);

/// A kernel's block with such operands, by what they are.
struct LayersOperands {
  /// Gives them their names, "x", "w", "w2", ..., those of maps, "y", ...
  LayersOperands(const ProductsOfKernel &first, const ProductsOfKernel &last, mlir::Block &block);

  mlir::Value rows;
  llvm::SmallVector<mlir::Value> first_weights, last_weights, first_operands, last_operands, results;
};

} // namespace compiler
