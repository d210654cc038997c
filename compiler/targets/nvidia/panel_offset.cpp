#include "compiler/targets/nvidia/panel_offset.h"

using namespace mlir;

namespace compiler {

PanelRow::PanelRow(Instructions &write, sm::BufferType type, Value row)
    : write_(write), type_(type), row_start_(write.multiply(row, type.getSwizzle())) {
  // The number of a piece is XORed with address bits 7 and up: with the row, where rows have 128 bytes, with
  // every second or fourth row where they are shorter.
  constexpr int64_t period_bytes = 128;
  Value period = write.divide(row, period_bytes / type.getSwizzle());
  permutation_ = write.multiply(write.bitAnd(period, type.getSwizzle() / piece_bytes - 1), piece_bytes);
}

Value PanelRow::at(Value column_bytes) const {
  Value panel = write_.divide(column_bytes, type_.getSwizzle());
  Value within = write_.bitXor(write_.remainder(column_bytes, type_.getSwizzle()), permutation_);
  return write_.add(write_.add(row_start_, within), write_.multiply(panel, type_.getPanelBytes()));
}

} // namespace compiler
