// Verifiers of the ops on few rows, whose operands go straight into registers.
#include "dialects/sm/sm.h"

using namespace mlir;
using namespace sm;

LogicalResult LocateOp::verify() {
  MapsType maps = getSource().getType();
  if (getCoordinates().size() != 4)
    return emitOpError(
               "takes the four coordinates column, group, segment (or depth) and row (or block), got ")
           << getCoordinates().size();
  if (!maps.isPlain() || maps.getListed())
    return emitOpError("needs plain maps of rows at one distance, got ") << maps;
  return success();
}

LogicalResult ReadOp::verify() {
  MapsType maps = getView().getType().getMaps();
  PieceType piece = getPiece().getType();
  if (maps.getElementType() != piece.getElementType() || maps.getVector() != piece.getVector())
    return emitOpError("reads ") << piece << " through " << maps;
  const bool of_weights = maps.getRowDimension() == 2;
  if (of_weights ? piece.getColumns() != piece.getVector() : piece.getRows() != 1)
    return emitOpError("reads one vector of each row of the weight matrix, or a part of one row of X, got ")
           << piece;
  const int64_t whole = getWholeAttr().getInt(), depth = of_weights ? piece.getRows() : piece.getColumns();
  if (whole < 1 || whole % piece.getVector() != 0 || depth % piece.getVector() != 0)
    return emitOpError("reads vectors of ") << piece.getVector() << ", which make up neither a depth of "
                                            << whole << " nor " << depth << " of it";
  return success();
}

LogicalResult AddProductsOp::verify() {
  PieceType numbers = getNumbers().getType(), weights = getWeights().getType();
  if (numbers.getRows() != 1 || numbers.getColumns() != weights.getRows())
    return emitOpError("multiplies one row of as many numbers as the weight matrix has rows, got ")
           << numbers << " and " << weights;
  if (weights.getColumns() != getSums().getType().getVector())
    return emitOpError("has sums of ") << getSums().getType().getVector() << " columns in a thread, and "
                                       << weights.getColumns() << " of the weight matrix";
  return success();
}

LogicalResult ShareSumsOp::verify() {
  SumsBufferType buffer = getBuffer().getType();
  for (Value sums : getSums()) {
    auto type = cast<RowSumsType>(sums.getType());
    if (type.getColumns() != buffer.getColumns() || type.getThreads() != buffer.getWarps() * warp_threads ||
        static_cast<int64_t>(getSums().size()) != buffer.getRows() || type != getSums().front().getType())
      return emitOpError("leaves the sums of ") << getSums().size() << " rows, " << type << ", for which "
                                                << buffer << " has no room of the right shape";
  }
  return success();
}

/// A row that an op names is one of so many.
static LogicalResult verifyRow(Operation *op, std::optional<uint64_t> row, int64_t rows) {
  if (row && *row >= static_cast<uint64_t>(rows))
    return op->emitOpError("names row ") << static_cast<int64_t>(*row) << " of " << rows;
  return success();
}

LogicalResult CollectSumsOp::verify() {
  SumsBufferType buffer = getBuffer().getType();
  AccumulatorType sums = getResult().getType();
  if (failed(verifyRow(*this, getRow(), buffer.getRows())))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  auto schedule = kernel ? dyn_cast<tile::ReducedAttr>(kernel.getSchedule()) : tile::ReducedAttr();
  if (schedule && sums.getBlocks() != 1 && sums.getBlocks() != schedule.getCluster())
    return emitOpError("adds the sums of ")
           << sums.getBlocks() << " blocks, of which the kernel's cluster has " << schedule.getCluster();
  if (sums.getRows() != (getRow() ? 1 : buffer.getRows()) || sums.getColumns() != buffer.getColumns() ||
      sums.getThreads() != buffer.getWarps() * warp_threads)
    return emitOpError("makes ") << sums << " of " << buffer << ", whose threads and sums are others";
  return success();
}

LogicalResult StoreHiddenOp::verify() {
  AccumulatorType sums = getAccumulator().getType();
  HiddenBufferType buffer = getBuffer().getType();
  if (!sums.hasThreads() || sums.getBlocks() != 1)
    return emitOpError("leaves sums that the threads of one block have element by element, got ") << sums;
  if (failed(verifyRow(*this, getRow(), buffer.getRows())))
    return failure();
  if (sums.getRows() != (getRow() ? 1 : buffer.getRows()) || sums.getColumns() > buffer.getColumns())
    return emitOpError("leaves ") << sums << ", for which " << buffer << " has no room of the right shape";
  return success();
}

LogicalResult ReadHiddenOp::verify() {
  HiddenBufferType buffer = getBuffer().getType();
  PieceType piece = getPiece().getType();
  if (piece.getRows() != 1 || buffer.getColumns() % piece.getColumns() != 0)
    return emitOpError("reads a piece of one row, so many of which make up the buffer's ")
           << buffer.getColumns() << " columns, got " << piece;
  return verifyRow(*this, getRow(), buffer.getRows());
}
