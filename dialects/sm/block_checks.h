// What copies and products have to agree on, wherever their blocks are.
#pragma once

#include "dialects/sm/sm.h"

#include <cstdint>
#include <optional>
#include <type_traits>

namespace sm {

/// A copy between maps and a block, wherever the block is.
template <class Memory>
mlir::LogicalResult verifyCopy(mlir::Operation *op, MapsType maps, size_t coordinates, Memory memory,
                               int64_t memory_rows) {
  if (coordinates != 4)
    return op->emitOpError(
               "takes the four coordinates column, group, segment (or depth) and row (or block), got ")
           << coordinates;
  if (maps.getSwizzle() != memory.getSwizzle())
    return op->emitOpError("copies boxes with a swizzle of ")
           << maps.getSwizzle() << " bytes to or from blocks with " << memory.getSwizzle();
  if (maps.getElementType() != memory.getElementType() || maps.getColumns() != memory.getColumns() ||
      maps.getRows() != memory_rows)
    return op->emitOpError("the maps are for blocks of ")
           << maps.getRows() << " x " << maps.getColumns() << " x " << maps.getElementType()
           << ", the other side has " << memory_rows << " x " << memory.getColumns() << " x "
           << memory.getElementType();
  return mlir::success();
}

/// A copy of a whole block, or of one of the parts that blocks of a cluster copy for each other.
template <class Memory, class Op> mlir::LogicalResult verifyCopyInParts(Op op, MapsType maps, Memory memory) {
  const int64_t parts = op.getParts().value_or(1);
  const bool shared = op.getPart() != nullptr;
  if (shared != op.getParts().has_value() || shared != (op.getMask() != nullptr))
    return op.emitOpError("copies a part of several for a mask of blocks, or the whole for its own block");
  if (shared && (parts < 2 || parts > most_parts))
    return op.emitOpError("copies a part of 2 to ") << most_parts << ", got " << parts;
  if (shared && memory.getRows() % (parts * swizzle_rows) != 0)
    return op.emitOpError("cannot copy ")
           << memory.getRows() << " rows in " << parts << " parts that are multiples of " << swizzle_rows;
  return verifyCopy(op, maps, op.getCoordinates().size(), memory, memory.getRows() / parts);
}

/// Sums of rows x columns from operands of rows x depth and depth x columns, or where B is transposed columns
/// x depth.
template <class Operand>
mlir::LogicalResult verifyProduct(mlir::Operation *op, Operand a, bool a_transposed, Operand b,
                                  bool b_transposed, AccumulatorType sum) {
  if (sum.hasThreads())
    return op->emitOpError("adds to sums of warps or warpgroups; here single threads hold them: ") << sum;
  const int64_t a_depth = a_transposed ? a.getRows() : a.getColumns(),
                a_rows = a_transposed ? a.getColumns() : a.getRows();
  const int64_t b_depth = b_transposed ? b.getColumns() : b.getRows(),
                b_columns = b_transposed ? b.getRows() : b.getColumns();
  if (!a.getElementType().isBF16() || !b.getElementType().isBF16())
    return op->emitOpError("multiplies bf16, got ") << a.getElementType() << " and " << b.getElementType();
  if (a_depth != b_depth)
    return op->emitOpError("the depth of A is ") << a_depth << ", that of B " << b_depth;
  if (a_depth % mma_depth != 0)
    return op->emitOpError("the depth must be a multiple of ") << mma_depth << ", got " << a_depth;
  // An instruction may read the first columns of a stage alone.
  const bool narrow = std::is_same_v<Operand, BufferType> && sum.hasWarpgroups() && !sum.getTransposed() &&
                      sum.getColumns() < b_columns;
  if (a_rows != sum.getRows() || (b_columns != sum.getColumns() && !narrow))
    return op->emitOpError("the product is ")
           << a_rows << " x " << b_columns << ", the sums are " << sum.getRows() << " x " << sum.getColumns();
  return mlir::success();
}

/// Whether instructions, which come in multiples of `step`, can have so much of `whole`, and not all of it.
inline bool isPart(int64_t part, int64_t whole, int64_t step) {
  return part >= step && part < whole && part % step == 0;
}

/// Where only the first columns of sums or of a block are needed, if anywhere: a condition together with
/// their number, which instructions have.
inline mlir::LogicalResult verifyNarrow(mlir::Operation *op, mlir::Value narrow,
                                        std::optional<uint64_t> columns, int64_t all) {
  if (static_cast<bool>(narrow) != columns.has_value())
    return op->emitOpError("says where it is narrow together with its columns there");
  if (columns && !isPart(static_cast<int64_t>(*columns), all, mma_columns))
    return op->emitOpError("is narrowed from ") << all << " columns to a multiple of " << mma_columns
                                                << " below them, got " << static_cast<int64_t>(*columns);
  return mlir::success();
}

/// Part of an operand's depth, where not all of it is multiplied.
inline mlir::LogicalResult verifyDepth(mlir::Operation *op, std::optional<uint64_t> part, int64_t depth) {
  if (part && !isPart(static_cast<int64_t>(*part), depth, mma_depth))
    return op->emitOpError("multiplies a part of the depth of ")
           << depth << ", which is a multiple of " << mma_depth << " below it, got "
           << static_cast<int64_t>(*part);
  return mlir::success();
}

} // namespace sm
