// The operands of a kernel of products: X (or dY), a bank for each product, what maps of the sums read, and
// the results, in this order.
#ifndef ALGCTL_COMPILER_LOWER_PRODUCT_OPERANDS_H
#define ALGCTL_COMPILER_LOWER_PRODUCT_OPERANDS_H

#include "compiler/lower/epilogue.h"

#include <cstdint>

namespace compiler {

/// The products of a kernel and what it makes of their sums.
struct ProductsOfKernel {
  tile::LayoutAttr layout;
  mlir::Type element;       ///< of X and of the banks
  std::int64_t weights = 1; ///< how many banks, all of the layout's shape
  Epilogue epilogue;
};

/// The banks are of the type `bank`, as the user stores them or packed.
llvm::SmallVector<mlir::Type> typesOfOperands(const ProductsOfKernel &products, tile::MatrixType bank);
/// A bank as the user stores it.
tile::MatrixType typeOfBank(const ProductsOfKernel &products);

/// A kernel's block with such operands, by what they are.
class ProductOperands {
public:
  ProductOperands(const ProductsOfKernel &products, mlir::Block &block);

  /// Gives them their names: "x", "w", "w2", "bias", "y", or "dy", "w", "dx".
  void setNames() const;

  mlir::Value rows() const { return block->getArgument(0); }
  mlir::ValueRange banks() const { return block->getArguments().slice(1, weights); }
  mlir::ValueRange furtherOperands() const {
    return block->getArguments().drop_front(1 + weights).drop_back(products->epilogue.results.size());
  }
  mlir::ValueRange results() const {
    return block->getArguments().take_back(products->epilogue.results.size());
  }

private:
  const ProductsOfKernel *products;
  mlir::Block *block;
  std::size_t weights;
};

/// The products of the terms of (type, group), summed up where the builder stands: one fragment for each
/// bank. `multiply` writes one product.
llvm::SmallVector<mlir::Value>
writeTerms(mlir::OpBuilder &builder, mlir::Location location, mlir::Value type, mlir::Value group,
           mlir::ValueRange banks, tile::FragmentType fragment,
           llvm::function_ref<mlir::Value(mlir::Value bank, mlir::Value k, mlir::Value b, mlir::Value c,
                                          mlir::Value sum)>
               multiply);

} // namespace compiler

#endif
