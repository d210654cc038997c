// Functions of the alg dialect that become kernels of products: one contraction or several of the same
// activations with the same terms, maps of their sums, and what is stored of these.
#pragma once

#include "algebras/layer.h"
#include "dialects/alg/alg.h"
#include "runtime/bundle/layer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace compiler {

/// What such a function computes, as kernels and bundles describe it.
struct ProductFunction {
  alg::OutputMode mode;
  /// One of its contractions.
  algebras::Layer layer;
  /// How many contractions, what their maps read, what is stored. The results are the function's.
  algrt::Fusion fusion;
  /// Of the maps of `layer`, as algebras::Fused has it.
  int64_t map_operations = 0, map_cycles = 0;
  /// Whether there are maps: where there are none, one contraction without operands is a plain projection.
  bool maps = false;
  /// Of a kernel of two layers the one whose products read what those of `layer` leave.
  std::optional<algebras::Layer> next = {};
  /// How many rows the kernel goes through where they are those of a weight matrix, and not of a batch.
  std::optional<int64_t> rows = {};
  /// What each argument of the function is to its kernels: "x", "w", "w2", the name of one of the fusion's
  /// operands. An argument is several operands where it is read in several ways, as x is that is also added
  /// to the product, and none where it is p0 or the types of rows, or is not read.
  std::vector<std::vector<std::string>> arguments;
};

/// Whether a function has a contraction at all: others are no kernels of products.
bool hasContraction(mlir::func::FuncOp function);

/// Failure after an error at the operation that no kernel of products can have.
mlir::FailureOr<ProductFunction> matchProductFunction(mlir::func::FuncOp function);

} // namespace compiler
