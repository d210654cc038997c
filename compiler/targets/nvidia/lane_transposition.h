// Words of neighbouring lanes that change places, so that each lane has what lies side by side in memory.
#pragma once

#include "mlir/IR/Builders.h"

#include <cstdint>

namespace compiler {

/// Transposes squares of words: of so many neighbouring lanes each has as many words, and word i of lane l
/// becomes word l of lane i. All lanes of a warp take part.
class LaneTransposition {
public:
  /// Lanes of a power of two; the first of them is a multiple of it.
  LaneTransposition(mlir::OpBuilder &builder, mlir::Location location, int64_t lanes);

  /// `words` are i32 or f32, one for each of the lanes.
  void transpose(llvm::MutableArrayRef<mlir::Value> words);

private:
  mlir::OpBuilder &builder_;
  mlir::Location location_;
  /// For lanes 1, 2, ... apart: whether this one is the first of both, i1.
  llvm::SmallVector<mlir::Value, 2> is_first_;
};

} // namespace compiler
