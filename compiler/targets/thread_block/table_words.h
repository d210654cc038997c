// Words that kernels read of lists in memory.
#pragma once

#include "compiler/lower/integer_arithmetic.h"
#include "dialects/sm/sm.h"

namespace compiler {

/// A word of the terms table, i32.
inline mlir::Value wordOfTerms(const IntegerArithmetic &math, mlir::Value table, mlir::Value position) {
  return math.make<sm::ReadTermsOp>(mlir::IntegerType::get(table.getContext(), 32), table, position);
}
/// The same as an index.
inline mlir::Value readTerms(const IntegerArithmetic &math, mlir::Value table, mlir::Value position) {
  return math.asIndex(wordOfTerms(math, table, position));
}
/// A word of the row list that some maps have, as an index.
inline mlir::Value readRowList(const IntegerArithmetic &math, mlir::Value maps, mlir::Value position) {
  return math.asIndex(
      math.make<sm::ReadRowListOp>(mlir::IntegerType::get(maps.getContext(), 32), maps, position));
}

} // namespace compiler
