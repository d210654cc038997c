// What the maps of a kernel keep a GPU's schedulers busy with.
#pragma once

#include "mlir/IR/Block.h"

#include <cstdint>

namespace compiler {

/// Operations of the body of a map as a GPU carries them out, in bf16 (approximate-math): of all of them, and
/// of those that the unit for exponentials and reciprocals computes.
struct MapOperations {
  int64_t all = 0, special = 0;

  /// Cycles of a scheduler for one warp: an operation each, but that unit takes eight for one of its own, and
  /// works beside the others.
  int64_t cycles() const;
};

/// Adds those of another body.
void countOperations(mlir::Block &body, MapOperations &operations);

} // namespace compiler
