// Verifiers of kernels of two layers.
#include "dialects/sm/block_checks.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sm;

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> error, int64_t rows, int64_t columns) {
  if (rows < warpgroup_rows || rows % warpgroup_rows != 0)
    return error() << "each warpgroup holds " << warpgroup_rows << " rows, got " << rows;
  if (columns < mma_depth || columns % mma_depth != 0)
    return error() << "instructions multiply " << mma_depth << " columns of A at a time, got " << columns;
  return success();
}

LogicalResult KeptRowsOp::verify() {
  BlockType rows = getRows().getType();
  const int64_t pieces = getPiecesAttr().getInt();
  if (pieces < 1 || rows.getColumns() % pieces != 0)
    return emitOpError("has ") << pieces << " pieces, which do not make up " << rows.getColumns()
                               << " columns";
  if (!rows.getElementType().isBF16())
    return emitOpError("has rows of bf16, which products take, got ") << rows.getElementType();
  if (rows.getRows() % warpgroup_rows != 0)
    return emitOpError("is written by warpgroups, which have ")
           << warpgroup_rows << " rows each, got " << rows.getRows();
  return success();
}

/// Sums of warpgroups that hold rows of them.
static LogicalResult verifyHoldRows(Operation *op, AccumulatorType sums) {
  if (!sums.hasWarpgroups() || sums.getTransposed())
    return op->emitOpError("is for sums of warpgroups that hold rows, got ") << sums;
  return success();
}

LogicalResult KeepOp::verify() {
  AccumulatorType sums = getAccumulator().getType();
  if (failed(verifyHoldRows(*this, sums)))
    return failure();
  auto kept = getRows().getDefiningOp<KeptRowsOp>();
  if (!kept)
    return emitOpError("writes rows that are kept, got others");
  BlockType rows = getRows().getType();
  const int64_t columns = rows.getColumns() / kept.getPiecesAttr().getInt();
  if (rows.getRows() != sums.getRows() || columns != sums.getColumns())
    return emitOpError("writes ") << sums.getRows() << " x " << sums.getColumns() << " sums into pieces of "
                                  << rows.getRows() << " x " << columns;
  return success();
}

LogicalResult ClipColumnsOp::verify() {
  AccumulatorType sums = getAccumulator().getType();
  if (failed(verifyHoldRows(*this, sums)))
    return failure();
  return verifyNarrow(*this, getNarrow(), getNarrowColumns(), sums.getColumns());
}

LogicalResult FragmentOp::verify() {
  AccumulatorType sums = getAccumulator().getType();
  FragmentType fragment = getFragment().getType();
  if (failed(verifyHoldRows(*this, sums)))
    return failure();
  if (fragment.getRows() != sums.getRows() || fragment.getColumns() != sums.getColumns())
    return emitOpError("rounds ") << sums.getRows() << " x " << sums.getColumns() << " sums, not "
                                  << fragment.getRows() << " x " << fragment.getColumns();
  return success();
}

/// Rows that have `depth` columns times depth x columns.
static LogicalResult verifyProductOfRows(Operation *op, int64_t rows, int64_t depth, Type element,
                                         int64_t b_depth, int64_t b_columns, AccumulatorType sums) {
  if (failed(verifyHoldRows(op, sums)))
    return failure();
  if (!element.isBF16())
    return op->emitOpError("multiplies bf16, got ") << element;
  if (b_depth % mma_depth != 0)
    return op->emitOpError("the depth must be a multiple of ") << mma_depth << ", got " << b_depth;
  if (depth != b_depth)
    return op->emitOpError("the depth of the rows is ") << depth << ", that of B " << b_depth;
  if (rows != sums.getRows() || b_columns != sums.getColumns())
    return op->emitOpError("the product is ")
           << rows << " x " << b_columns << ", the sums are " << sums.getRows() << " x " << sums.getColumns();
  return success();
}

/// Parts of the sums that have something of their own, each of whole warpgroups.
static LogicalResult verifyOfParts(Operation *op, int64_t parts, AccumulatorType sums) {
  if (parts < 1 || sums.getRows() % (parts * warpgroup_rows) != 0)
    return op->emitOpError("has something for each of ")
           << parts << " parts, which do not cut up " << sums.getRows() << " rows into whole warpgroups of "
           << warpgroup_rows;
  return success();
}

LogicalResult TakeColumnsOp::verify() {
  AccumulatorType all = getAccumulator().getType(), taken = getColumns().getType();
  if (failed(verifyHoldRows(*this, all)) || failed(verifyHoldRows(*this, taken)))
    return failure();
  const int64_t from = getFromAttr().getInt();
  if (taken.getRows() != all.getRows() || from < 0 || from % mma_columns != 0 ||
      from + taken.getColumns() > all.getColumns())
    return emitOpError("takes the columns from ")
           << from << " on of " << all.getRows() << " x " << all.getColumns() << " sums as "
           << taken.getRows() << " x " << taken.getColumns() << ": instructions have multiples of "
           << mma_columns;
  return success();
}

int64_t MultiplyHeldOp::getBeside() {
  const int64_t columns = cast<BlockType>(getBlocks().front().getType()).getColumns();
  return getAccumulator().getType().getColumns() == 2 * columns && getBlocks().size() % 2 == 0 ? 2 : 1;
}

LogicalResult MultiplyHeldOp::verify() {
  if (!getShallow() != !getShallowDepth())
    return emitOpError("says where blocks are shallow together with their depth there");
  int64_t rows = 0, columns = 0;
  Type element;
  llvm::TypeSwitch<Type>(getRows().getType()).Case<BlockType, BufferType>([&](auto held) {
    rows = held.getRows();
    columns = held.getColumns();
    element = held.getElementType();
  });
  if (!llvm::all_equal(getBlocks().getTypes()))
    return emitOpError("has blocks of different types for the parts of its sums");
  AccumulatorType sums = getAccumulator().getType();
  if (failed(verifyOfParts(*this, getBlocks().empty() ? 0 : getParts(), sums)))
    return failure();
  auto b = cast<BlockType>(getBlocks().front().getType());
  if (columns % b.getRows() != 0)
    return emitOpError("has rows of ")
           << columns << " columns, which are no pieces of the depth of B, " << b.getRows();
  if (failed(verifyDepth(*this, getShallowDepth(), b.getRows())))
    return failure();
  if (!element.isBF16())
    return emitOpError("multiplies rows of bf16, got ") << element;
  return verifyProductOfRows(*this, rows, b.getRows(), b.getElementType(), b.getRows(),
                             getBeside() * b.getColumns(), sums);
}

LogicalResult MultiplyFragmentOp::verify() {
  if (!getShallow() != !getShallowDepth())
    return emitOpError("says where blocks are shallow together with their depth there");
  FragmentType rows = getRows().getType();
  BlockType b = getB().getType();
  AccumulatorType sums = getAccumulator().getType();
  if (!getConditions().empty() &&
      failed(verifyOfParts(*this, static_cast<int64_t>(getConditions().size()), sums)))
    return failure();
  if (failed(verifyDepth(*this, getShallowDepth(), rows.getColumns())))
    return failure();
  return verifyProductOfRows(*this, rows.getRows(), rows.getColumns(), b.getElementType(), b.getRows(),
                             b.getColumns(), sums);
}

LogicalResult MmaFragmentOp::verify() {
  FragmentType rows = getRows().getType();
  BufferType b = getB().getType();
  if (failed(verifyDepth(*this, getDepth(), rows.getColumns())))
    return failure();
  return verifyProductOfRows(*this, rows.getRows(), rows.getColumns(), b.getElementType(), b.getRows(),
                             b.getColumns(), getAccumulator().getType());
}
