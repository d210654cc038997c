// Functions of the alg dialect as kernels of products.
#pragma once

#include "compiler/lower/product_function.h"
#include "compiler/lower/product_operands.h"

namespace compiler {

struct MatchedLayer {
  ProductsOfKernel kernel;
  /// What schedules are chosen by: the layer as the kernel goes through it, transposed where its mode is i.
  algebras::Layer scheduled;
};

struct MatchedProduct {
  ProductFunction description;
  /// One, or two: products of what the first has left, its only result, with other weight matrices.
  std::vector<MatchedLayer> layers;
};

/// One contraction or several of the same view of an argument with views of others, cut alike; maps whose
/// inputs are their results, results of other maps and arguments, in any order; and gathers of either, which
/// are returned. A gradient of a weight matrix (mode j) is one contraction without maps. Values are rounded
/// where their types in the alg program say so.
///
/// Contractions of mode k may read one of these values in place of an argument, by the same algebra: all of
/// them the same one, which nothing else reads. They and their maps are a second layer. Failure has been
/// reported where the function does something else.
mlir::FailureOr<MatchedProduct> matchProduct(mlir::func::FuncOp function);

} // namespace compiler
