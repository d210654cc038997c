#include "compiler/targets/nvidia/vector_distribution.h"

#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/panel_offset.h"

using namespace mlir;

namespace compiler {
namespace {

class Distribution {
public:
  Distribution(OpBuilder &builder, Location location, sm::MapsType maps, sm::BufferType buffer,
               const PlainBlock &block, Value stage_start, int64_t threads)
      : write_(builder, location), buffer_(buffer), block_(block), stage_start_(stage_start),
        threads_(threads), vector_(maps.getVector()),
        element_bytes_(maps.getElementType().getIntOrFloatBitWidth() / 8),
        row_vectors_(buffer.getPanelColumns() / vector_) {}

  SmallVector<VectorCopy> vectors() {
    const bool whole_rows = threads_ % row_vectors_ == 0;
    const int64_t rows_at_a_time = whole_rows ? threads_ / row_vectors_ : 0;
    if (whole_rows && buffer_.getRows() % rows_at_a_time == 0 && rows_at_a_time % swizzle_period_rows == 0)
      return inSteps(rows_at_a_time);
    return anyhow();
  }

private:
  /// The threads cover `step` whole rows of a panel at a time: a thread stays in its column, and goes down by
  /// the same bytes each time, on both sides.
  SmallVector<VectorCopy> inSteps(int64_t step) {
    Value row = write_.divide(write_.thread(), row_vectors_);
    Value column = write_.multiply(write_.remainder(write_.thread(), row_vectors_), vector_);
    const PanelRow panel_row(write_, buffer_, row);
    Value target = write_.advance(stage_start_, panel_row.at(write_.multiply(column, element_bytes_)));
    Value column_bytes = write_.multiply(column, element_bytes_);
    // Rows at no one distance are looked up once for all panels.
    Value step_bytes = block_.bytesOfRows(step);
    SmallVector<Value> row_starts;
    for (int64_t down = 0; !step_bytes && down < buffer_.getRows(); down += step)
      row_starts.push_back(write_.advance(block_.rowStart(write_.add(row, down)), column_bytes));
    Value source = step_bytes ? elementStart(row, column) : Value();
    SmallVector<VectorCopy> copies;
    for (int64_t panel = 0; panel < buffer_.getPanels(); ++panel) {
      const int64_t first_column = panel * buffer_.getPanelColumns();
      Value has_column = block_.hasColumn(write_.add(column, first_column));
      Value from = step_bytes ? write_.advance(source, first_column * element_bytes_) : Value();
      for (int64_t down = 0; down < buffer_.getRows(); down += step) {
        if (!step_bytes)
          from = write_.advance(row_starts[static_cast<size_t>(down / step)], first_column * element_bytes_);
        else if (down > 0)
          from = write_.advance(from, step_bytes);
        copies.push_back(
            {from, write_.advance(target, panel * buffer_.getPanelBytes() + down * panel_row.rowBytes()),
             write_.both(has_column, block_.hasRow(write_.add(row, down))), Value()});
      }
    }
    return copies;
  }

  /// Vector by vector, row by row, panel by panel.
  SmallVector<VectorCopy> anyhow() {
    const int64_t all = buffer_.getPanels() * buffer_.getRows() * row_vectors_;
    SmallVector<VectorCopy> copies;
    for (int64_t first = 0; first < all; first += threads_) {
      Value number = write_.add(write_.thread(), first);
      Value line = write_.divide(number, row_vectors_);
      Value row = write_.remainder(line, buffer_.getRows());
      Value column =
          write_.add(write_.multiply(write_.remainder(number, row_vectors_), vector_),
                     write_.multiply(write_.divide(line, buffer_.getRows()), buffer_.getPanelColumns()));
      Value target = PanelRow(write_, buffer_, row).at(write_.multiply(column, element_bytes_));
      copies.push_back({elementStart(row, column), write_.advance(stage_start_, target),
                        write_.both(block_.hasColumn(column), block_.hasRow(row)),
                        first + threads_ > all ? write_.below(number, all) : Value()});
    }
    return copies;
  }

  /// Where a row's element is in global memory.
  Value elementStart(Value row, Value column) {
    if (block_.isScattered())
      return write_.advance(block_.rowStart(row), write_.multiply(column, element_bytes_));
    return write_.advance(block_.start(), write_.add(write_.multiply(write_.wide(row), block_.rowBytes()),
                                                     write_.multiply(write_.wide(column), element_bytes_)));
  }

  Instructions write_;
  sm::BufferType buffer_;
  const PlainBlock &block_;
  Value stage_start_;
  int64_t threads_, vector_, element_bytes_;
  int64_t row_vectors_; ///< of a panel's row
};

} // namespace

SmallVector<VectorCopy> distributeVectors(OpBuilder &builder, Location location, sm::MapsType maps,
                                          sm::BufferType buffer, const PlainBlock &block, Value stage_start,
                                          int64_t threads) {
  return Distribution(builder, location, maps, buffer, block, stage_start, threads).vectors();
}

} // namespace compiler
