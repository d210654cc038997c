// Synchronous programs on blocks.
#include "dialects/sm/block_checks.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sm;

LogicalResult FetchOp::verify() {
  if (failed(verifyNarrow(*this, getNarrow(), getNarrowColumns(), getBlock().getType().getColumns())))
    return failure();
  if (getNarrow() && getSource().getType().isPlain())
    return emitOpError("is narrow where panels are copied, by tensor maps; threads copy what the map has");
  const BlockType block = getBlock().getType();
  const MapsType maps = getSource().getType();
  if (getPart() || getParts() || getMask() || maps.isPlain() || maps.getRows() >= block.getRows())
    return verifyCopyInParts(*this, maps, block);
  // Boxes begin where the swizzle does anew.
  if (block.getRows() % maps.getRows() != 0 || maps.getRows() % swizzle_rows != 0)
    return emitOpError("fetches ") << block.getRows() << " rows, which boxes of " << maps.getRows()
                                   << " do not make up: they are multiples of " << swizzle_rows
                                   << " rows, one below the other";
  return verifyCopy(*this, maps, getCoordinates().size(), block, maps.getRows());
}

/// Parts of a block or of sums, each of which has a map and four coordinates.
static LogicalResult verifyParts(Operation *op, size_t parts, size_t coordinates, int64_t part_rows,
                                 int64_t rows) {
  if (parts < 1)
    return op->emitOpError("is for at least one part");
  if (coordinates != 4 * parts)
    return op->emitOpError("takes the four coordinates column, group, segment and row of each of ")
           << parts << " parts, got " << coordinates;
  if (part_rows * static_cast<int64_t>(parts) != rows)
    return op->emitOpError("has ") << parts << " parts of " << part_rows << " rows, which do not make up "
                                   << rows;
  return success();
}

LogicalResult FetchPartsOp::verify() {
  BlockType block = getBlock().getType();
  MapsType maps = getSource().getType();
  if (maps.isPlain())
    return emitOpError("needs tensor maps, got plain ones");
  if (failed(verifyParts(*this, getMaps().size(), getCoordinates().size(), maps.getRows(), block.getRows())))
    return failure();
  return verifyCopy(*this, maps, 4, block, maps.getRows());
}

LogicalResult HoldOp::verify() {
  BlockType block = getBlock().getType();
  MapsType maps = getSource().getType();
  if (maps.isPlain())
    return emitOpError("needs tensor maps, got plain ones");
  if (getStages() && getStagesAttr().getInt() < 1)
    return emitOpError("passes through a pipe of at least one stage, got ") << getStagesAttr().getInt();
  if (block.getColumns() % maps.getColumns() != 0)
    return emitOpError("holds ") << block.getColumns() << " columns, which boxes of " << maps.getColumns()
                                 << " do not make up";
  if (failed(verifyParts(*this, getMaps().size(), getCoordinates().size(), maps.getRows(), block.getRows())))
    return failure();
  BlockType piece = BlockType::get(getContext(), maps.getRows(), maps.getColumns(), block.getElementType(),
                                   block.getSwizzle());
  return verifyCopy(*this, maps, 4, piece, maps.getRows());
}

/// What a product multiplies of rows that are held: pieces like A.
static LogicalResult verifyHeld(MultiplyOp op) {
  if (static_cast<bool>(op.getHeld()) != static_cast<bool>(op.getPiece()))
    return op.emitOpError("takes a piece of rows that are held, or has none");
  if (!op.getHeld())
    return success();
  if (!op.getPart())
    return op.emitOpError("has stationary rows for parts, and no part");
  BlockType a = op.getA().getType();
  int64_t rows = 0, columns = 0;
  llvm::TypeSwitch<Type>(op.getHeld().getType()).Case<BlockType, BufferType>([&](auto held) {
    rows = held.getRows();
    columns = held.getColumns();
  });
  if (rows != a.getRows() || columns % a.getColumns() != 0)
    return op.emitOpError("has stationary rows of ")
           << rows << " x " << columns << ", which are no pieces of " << a.getRows() << " x "
           << a.getColumns();
  return success();
}

LogicalResult MultiplyOp::verify() {
  if (!getShallow() != !getShallowDepth())
    return emitOpError("says where blocks are shallow together with their depth there");
  const int64_t depth = getATransposed() ? getA().getType().getRows() : getA().getType().getColumns();
  if (failed(verifyDepth(*this, getShallowDepth(), depth)))
    return failure();
  if (getPart() && getATransposed())
    return emitOpError(
        "has parts of the rows of A, which is transposed: its stage has none of them together");
  if (static_cast<bool>(getPart()) != getParts().has_value())
    return emitOpError("names a part and the number of parts, or neither");
  AccumulatorType sum = getAccumulator().getType();
  if (getPart()) {
    if (!sum.hasWarpgroups() || sum.getTransposed())
      return emitOpError("has parts where warpgroups hold rows of the sums; here ")
             << (sum.hasWarps() ? "single warps hold them" : "they hold columns");
    const int64_t parts = getPartsAttr().getInt();
    if (parts < 1 || sum.getRows() % (parts * warpgroup_rows) != 0)
      return emitOpError("has parts of whole warpgroups, of ")
             << warpgroup_rows << " rows each; " << parts << " parts do not cut up " << sum.getRows();
    if (getNegate())
      return emitOpError("adds to parts; it cannot subtract from them");
  }
  if (failed(verifyHeld(*this)))
    return failure();
  return verifyProduct(*this, getA().getType(), getATransposed(), getB().getType(), getBTransposed(), sum);
}

LogicalResult StoreSumsOp::verify() {
  AccumulatorType sum = getAccumulator().getType();
  MapsType maps = getTarget().getType();
  if (getCoordinates().size() != 4)
    return emitOpError("takes the four coordinates column, group, segment and row, got ")
           << getCoordinates().size();
  // Where blocks divide some tiles, the maps are for their parts: those that one block has alone are several.
  // Sums may be the first columns of a tile.
  const bool narrow = sum.hasWarpgroups() && !sum.getTransposed() && sum.getColumns() < maps.getColumns();
  const bool whole = maps.getRows() == sum.getRows() && (maps.getColumns() == sum.getColumns() || narrow);
  const bool parts =
      sum.hasWarpgroups() && sum.getRows() % maps.getRows() == 0 &&
      sum.getColumns() % maps.getColumns() == 0 &&
      (sum.getTransposed() ? maps.getColumns() == sum.getColumns() : maps.getRows() == sum.getRows());
  if (!whole && !parts)
    return emitOpError("stores ") << sum.getRows() << " x " << sum.getColumns() << " sums through maps for "
                                  << maps.getRows() << " x " << maps.getColumns();
  if (!sum.hasWarpgroups() && !maps.isPlain())
    return emitOpError("stores sums of single ")
           << (sum.hasWarps() ? "warps" : "threads") << ", which go through plain maps: give them a vector";
  if (sum.getTransposed() && maps.isPlain())
    return emitOpError("stores sums of warpgroups that hold columns, which go through tensor maps: take away "
                       "their vector");
  auto partition = (*this)->getParentOfType<PartitionOp>();
  if (getByOnePart() && !(partition && partition.getTurns()))
    return emitOpError("is by one part of a partition, whose parts take turns");
  if (getRowsBefore() && !sum.hasThreads())
    return emitOpError("stores the rows before one alone, which single threads do");
  if (getBeta() && sum.hasThreads())
    return emitOpError(
        "adds to what the result holds, which warps and warpgroups do; here single threads hold "
        "the sums");
  if (getBeta() && !maps.isPlain())
    return emitOpError("adds to what the result holds, which only threads with plain maps can read");
  if (getAdded() && (maps.isPlain() || !maps.getElementType().isF32()))
    return emitOpError("lets the copy engine add, which it does to f32, through tensor maps; got ") << maps;
  return success();
}

LogicalResult StoreSumsInPartsOp::verify() {
  AccumulatorType sum = getAccumulator().getType();
  MapsType maps = getTarget().getType();
  if (!sum.hasWarpgroups() || maps.isPlain())
    return emitOpError("stores sums of warpgroups through tensor maps");
  if (maps.getColumns() != sum.getColumns())
    return emitOpError("stores ") << sum.getColumns() << " columns through maps for " << maps.getColumns();
  return verifyParts(*this, getMaps().size(), getCoordinates().size(), maps.getRows(), sum.getRows());
}

LogicalResult RoundOp::verify() {
  AccumulatorType sums = getAccumulator().getType();
  BlockType block = getBlock().getType();
  if (!sums.hasWarpgroups())
    return emitOpError("makes a block of sums of warpgroups, got ") << sums;
  if (sums.getRows() != block.getRows() || sums.getColumns() != block.getColumns())
    return emitOpError("makes a block of ") << sums.getRows() << " x " << sums.getColumns() << ", got "
                                            << block.getRows() << " x " << block.getColumns();
  return success();
}

LogicalResult StoreBlockOp::verify() {
  BlockType block = getBlock().getType();
  MapsType maps = getTarget().getType();
  if (maps.isPlain())
    return emitOpError("needs tensor maps, got plain ones");
  if (block.getRows() % maps.getRows() != 0 || block.getColumns() % maps.getColumns() != 0)
    return emitOpError("stores ") << block.getRows() << " x " << block.getColumns() << " by maps for "
                                  << maps.getRows() << " x " << maps.getColumns()
                                  << ", which do not make it up";
  auto box = BlockType::get(getContext(), maps.getRows(), maps.getColumns(), block.getElementType(),
                            block.getSwizzle());
  return verifyCopy(*this, maps, getCoordinates().size(), box, maps.getRows());
}
