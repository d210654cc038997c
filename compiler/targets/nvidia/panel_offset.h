// Where the elements of one row lie in a stage of a buffer: swizzled panels, as the sm dialect lays them out.
#pragma once

#include "compiler/targets/nvidia/instructions.h"
#include "dialects/sm/sm.h"

namespace compiler {

/// Pieces of this many bytes are permuted inside each row of a panel.
constexpr int64_t piece_bytes = 16;
/// The permutation repeats after this many rows, whatever the swizzle.
constexpr int64_t swizzle_period_rows = 8;

/// Offsets in bytes from the start of a stage, for one row that depends on the thread. What the row alone
/// decides is computed once; rows that lie a multiple of swizzle_period_rows further down have the same
/// offsets and `rowBytes` for each row more.
class PanelRow {
public:
  PanelRow(Instructions &write, sm::BufferType type, mlir::Value row);

  /// Of the byte `column_bytes` of the row, i32.
  mlir::Value at(mlir::Value column_bytes) const;
  int64_t rowBytes() const { return type_.getSwizzle(); }

private:
  Instructions &write_;
  sm::BufferType type_;
  mlir::Value row_start_, permutation_;
};

} // namespace compiler
