// Functions of the alg dialect without a contraction: maps of views, at most reductions of their results, and
// arithmetic on statistics. Each becomes one element-wise kernel for each target.
#pragma once

#include "dialects/tile/tile.h"
#include "runtime/bundle/elementwise.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace compiler {

/// What such a function takes and gives, as bundles describe it.
struct ElementwiseFunction {
  /// Named like the function, without kernels.
  algrt::Elementwise description;
  /// The operand that each argument of the function is: "x", "x2", ...; empty for what the kernel does not
  /// read, p0 or the types of rows.
  std::vector<std::string> arguments;
  /// The operand that each result is: "y", "y2", ...
  std::vector<std::string> results;
  /// A module with its kernel, `tile.elementwise`, as text: what compiler/pipeline/elementwise_pipeline.h
  /// compiles.
  std::string kernel;
};

/// Whether the kernel of a function writes its results alone, or adds to what they held: as often as one more
/// number per call says, its last input. Only sums over rows are added to.
enum class HeldResults { Overwritten, AddedTo };

/// Failure after an error at the operation that no element-wise kernel can compute. The function has no
/// contraction (hasContraction in product_function.h).
mlir::FailureOr<ElementwiseFunction> describeElementwise(mlir::func::FuncOp function,
                                                         HeldResults held = HeldResults::Overwritten);

/// The same function as a `tile.elementwise` of its name, written behind it; convert-elementwise-to-tile does
/// that for all functions of a module that are such.
mlir::FailureOr<tile::ElementwiseOp> writeElementwise(mlir::func::FuncOp function,
                                                      HeldResults held = HeldResults::Overwritten);

/// What the operation says of itself: operands, shapes and types, without kernels.
algrt::Elementwise descriptionOf(tile::ElementwiseOp elementwise);

} // namespace compiler
