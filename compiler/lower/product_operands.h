// The operands of a kernel of products: X (or dY), a weight matrix for each product, what maps of the sums
// read, and the results, in this order.
#pragma once

#include "compiler/lower/epilogue.h"

#include <cstdint>

namespace compiler {

/// The products of a kernel and what it makes of their sums.
struct ProductsOfKernel {
  tile::LayoutAttr layout;
  mlir::Type element;  ///< of X and of the weight matrices
  int64_t weights = 1; ///< how many weight matrices, all of the layout's shape
  Epilogue epilogue;
};

/// The weight matrices are of the type `weights`, as the user stores them or packed.
llvm::SmallVector<mlir::Type> typesOfOperands(const ProductsOfKernel &products, tile::MatrixType weights);
/// A weight matrix as the user stores it.
tile::MatrixType typeOfWeights(const ProductsOfKernel &products);

/// A kernel's block with such operands, by what they are.
class ProductOperands {
public:
  ProductOperands(const ProductsOfKernel &products, mlir::Block &block);

  /// Gives them their names: "x", "w", "w2", "bias", "y", or "dy", "w", "dx".
  void setNames() const;

  mlir::Value rows() const { return block_->getArgument(0); }
  mlir::ValueRange weightMatrices() const { return block_->getArguments().slice(1, weights_); }
  mlir::ValueRange furtherOperands() const {
    return block_->getArguments().drop_front(1 + weights_).drop_back(products_->epilogue.results.size());
  }
  mlir::ValueRange results() const {
    return block_->getArguments().take_back(products_->epilogue.results.size());
  }

private:
  const ProductsOfKernel *products_;
  mlir::Block *block_;
  size_t weights_;
};

/// The products of the terms of (type, group), summed up where the builder stands: one fragment for each
/// weight matrix. `multiply` writes one product.
llvm::SmallVector<mlir::Value>
writeTerms(mlir::OpBuilder &builder, mlir::Location location, mlir::Value type, mlir::Value group,
           mlir::ValueRange weight_matrices, tile::FragmentType fragment,
           llvm::function_ref<mlir::Value(mlir::Value weight_matrix, mlir::Value k, mlir::Value b,
                                          mlir::Value c, mlir::Value sum)>
               multiply);

} // namespace compiler
