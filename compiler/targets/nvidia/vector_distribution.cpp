#include "compiler/targets/nvidia/vector_distribution.h"

#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/panel_offset.h"

using namespace mlir;

namespace compiler {
namespace {

class Distribution {
public:
  Distribution(OpBuilder &builder, Location location, sm::MapsType maps, sm::BufferType buffer,
               const PlainBlock &block, Value slot_start, std::int64_t threads)
      : write(builder, location), buffer(buffer), block(block), slot_start(slot_start), threads(threads),
        vector(maps.getVector()), element_bytes(maps.getElementType().getIntOrFloatBitWidth() / 8),
        row_vectors(buffer.getPanelColumns() / vector) {}

  SmallVector<VectorCopy> vectors() {
    const bool whole_rows = threads % row_vectors == 0;
    const std::int64_t rows_at_a_time = whole_rows ? threads / row_vectors : 0;
    if (whole_rows && buffer.getRows() % rows_at_a_time == 0 && rows_at_a_time % swizzle_period_rows == 0)
      return inSteps(rows_at_a_time);
    return anyhow();
  }

private:
  /// The threads cover `step` whole rows of a panel at a time: a thread stays in its column, and goes down by
  /// the same bytes each time, on both sides.
  SmallVector<VectorCopy> inSteps(std::int64_t step) {
    Value row = write.divide(write.thread(), row_vectors);
    Value column = write.multiply(write.remainder(write.thread(), row_vectors), vector);
    const PanelRow panel_row(write, buffer, row);
    Value target = write.advance(slot_start, panel_row.at(write.multiply(column, element_bytes)));
    // Rows of a list are looked up once for all panels.
    SmallVector<Value> listed_rows;
    for (std::int64_t down = 0; block.isListed() && down < buffer.getRows(); down += step)
      listed_rows.push_back(
          write.advance(block.rowStart(write.add(row, down)), write.multiply(column, element_bytes)));
    Value source, step_bytes;
    if (!block.isListed()) {
      source = write.advance(block.start(), elementOffset(row, column));
      step_bytes = write.multiplyWide(block.rowBytes(), step);
    }
    SmallVector<VectorCopy> copies;
    for (std::int64_t panel = 0; panel < buffer.getPanels(); ++panel) {
      const std::int64_t first_column = panel * buffer.getPanelColumns();
      Value has_column = block.hasColumn(write.add(column, first_column));
      Value from = block.isListed() ? Value() : write.advance(source, first_column * element_bytes);
      for (std::int64_t down = 0; down < buffer.getRows(); down += step) {
        if (block.isListed())
          from =
              write.advance(listed_rows[static_cast<std::size_t>(down / step)], first_column * element_bytes);
        else if (down > 0)
          from = write.advance(from, step_bytes);
        copies.push_back({from,
                          write.advance(target, panel * buffer.getPanelBytes() + down * panel_row.rowBytes()),
                          write.both(has_column, block.hasRow(write.add(row, down))), Value()});
      }
    }
    return copies;
  }

  /// Vector by vector, row by row, panel by panel.
  SmallVector<VectorCopy> anyhow() {
    const std::int64_t all = buffer.getPanels() * buffer.getRows() * row_vectors;
    SmallVector<VectorCopy> copies;
    for (std::int64_t first = 0; first < all; first += threads) {
      Value number = write.add(write.thread(), first);
      Value line = write.divide(number, row_vectors);
      Value row = write.remainder(line, buffer.getRows());
      Value column =
          write.add(write.multiply(write.remainder(number, row_vectors), vector),
                    write.multiply(write.divide(line, buffer.getRows()), buffer.getPanelColumns()));
      Value target = PanelRow(write, buffer, row).at(write.multiply(column, element_bytes));
      Value source = block.isListed()
                         ? write.advance(block.rowStart(row), write.multiply(column, element_bytes))
                         : write.advance(block.start(), elementOffset(row, column));
      copies.push_back({source, write.advance(slot_start, target),
                        write.both(block.hasColumn(column), block.hasRow(row)),
                        first + threads > all ? write.below(number, all) : Value()});
    }
    return copies;
  }

  /// Bytes from the start of the block in global memory.
  Value elementOffset(Value row, Value column) {
    return write.addWide(write.multiplyWide(write.wide(row), block.rowBytes()),
                         write.multiplyWide(write.wide(column), element_bytes));
  }

  Instructions write;
  sm::BufferType buffer;
  const PlainBlock &block;
  Value slot_start;
  std::int64_t threads, vector, element_bytes;
  std::int64_t row_vectors; ///< of a panel's row
};

} // namespace

SmallVector<VectorCopy> distributeVectors(OpBuilder &builder, Location location, sm::MapsType maps,
                                          sm::BufferType buffer, const PlainBlock &block, Value slot_start,
                                          std::int64_t threads) {
  return Distribution(builder, location, maps, buffer, block, slot_start, threads).vectors();
}

} // namespace compiler
