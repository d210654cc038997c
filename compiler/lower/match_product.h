// Functions of the alg dialect as kernels of products.
#pragma once

#include "compiler/lower/product_function.h"
#include "compiler/lower/product_operands.h"

namespace compiler {

struct MatchedProduct {
  ProductFunction description;
  ProductsOfKernel kernel;
  /// What schedules are chosen by: the layer as the kernel goes through it, transposed where its mode is i.
  algebras::Layer scheduled;
};

/// One contraction or several of the same view of an argument with views of others, cut alike; maps whose
/// inputs are their results, results of other maps and arguments, in any order; and gathers of either, which
/// are returned. A gradient of a weight matrix (mode j) is one contraction without maps. Values are rounded
/// where their types in the alg program say so. Failure has been reported where the function does something
/// else.
mlir::FailureOr<MatchedProduct> matchProduct(mlir::func::FuncOp function);

} // namespace compiler
