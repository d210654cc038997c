#include "compiler/targets/nvidia/panel_offset.h"

using namespace mlir;

namespace compiler {

PanelRow::PanelRow(Instructions &write, sm::BufferType type, Value row)
    : write(write), type(type), row_start(write.multiply(row, type.getSwizzle())) {
  // The number of a piece is XORed with address bits 7 and up: with the row, where rows have 128 bytes, with
  // every second or fourth row where they are shorter.
  constexpr std::int64_t period_bytes = 128;
  Value period = write.divide(row, period_bytes / type.getSwizzle());
  permutation = write.multiply(write.bitAnd(period, type.getSwizzle() / piece_bytes - 1), piece_bytes);
}

Value PanelRow::at(Value column_bytes) const {
  Value panel = write.divide(column_bytes, type.getSwizzle());
  Value within = write.bitXor(write.remainder(column_bytes, type.getSwizzle()), permutation);
  return write.add(write.add(row_start, within), write.multiply(panel, type.getPanelBytes()));
}

} // namespace compiler
