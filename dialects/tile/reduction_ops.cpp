// Verifiers of the ops of vector reductions.
#include "dialects/tile/verify.h"

using namespace mlir;
using namespace tile;

/// Ops on rows of the batch, in a kernel whose schedule knows of them.
static LogicalResult verifyReduction(Operation *op, FragmentType fragment) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  if (!kernel.getReducedSchedule())
    return op->emitOpError("takes rows of all types, which kernels with a #tile.reduced schedule do");
  auto layer = op->getParentOfType<LayerOp>();
  ReducedAttr schedule = layer ? layer.getReducedSchedule() : kernel.getReducedSchedule();
  if (!schedule)
    return success(); // the layer around it is refused
  if (schedule.getRows() != fragment.getRows() || schedule.getColumns() != fragment.getColumns())
    return op->emitOpError("has a fragment of ")
           << fragment.getRows() << "x" << fragment.getColumns() << ", the schedule's part of the result is "
           << schedule.getRows() << "x" << schedule.getColumns();
  return success();
}

/// The columns of what has rows, a matrix or a buffer; 0 for one in panels.
static int64_t columnsOf(Type rows) {
  if (auto matrix = dyn_cast<MatrixType>(rows))
    return matrix.isPanels() ? 0 : matrix.getColumns();
  auto buffer = cast<BufferType>(rows);
  return buffer.isPanels() ? 0 : buffer.getColumns();
}

/// A buffer has as many rows as the kernel owns.
static LogicalResult verifyBuffer(Operation *op, Type rows) {
  auto buffer = dyn_cast<BufferType>(rows);
  auto kernel = op->getParentOfType<KernelOp>();
  if (buffer && kernel && kernel.getReducedSchedule() &&
      buffer.getRows() != kernel.getReducedSchedule().getRows())
    return op->emitOpError("has a buffer of ")
           << buffer.getRows() << " rows, the schedule owns " << kernel.getReducedSchedule().getRows();
  return success();
}

LogicalResult AddRowTermsOp::verify() {
  FragmentType sums = getSums().getType();
  if (!sums.getElementType().isF32())
    return emitOpError("sums up in f32, got ") << sums.getElementType();
  MatrixType weights = getWeights().getType();
  const int64_t columns = columnsOf(getRows().getType());
  if (!columns || weights.isPanels())
    return emitOpError("reads operands as the user stores them, not in panels");
  if (failed(verifyBuffer(*this, getRows().getType())))
    return failure();
  if (LayoutAttr layout = layoutAround(*this)) {
    if (layout.getMode() != alg::OutputMode::Product)
      return emitOpError("belongs to products, mode k, but the layout's mode is ")
             << alg::stringifyOutputMode(layout.getMode());
    if (layout.getIn().getTotal() != columns)
      return emitOpError("has rows of ")
             << columns << " columns, the layout's input groups cover " << layout.getIn().getTotal();
    const auto [height, width] = layout.getWeightShape();
    if (weights.getRows() != height || weights.getColumns() != width)
      return emitOpError("reads a weight matrix of ") << weights.getRows() << "x" << weights.getColumns()
                                                      << ", the layout's is " << height << "x" << width;
  }
  return verifyReduction(*this, sums);
}

LogicalResult StoreRowsOp::verify() {
  FragmentType value = getValue().getType();
  const int64_t columns = columnsOf(getTarget().getType());
  if (!columns)
    return emitOpError("writes rows, not panels");
  auto buffer = dyn_cast<BufferType>(getTarget().getType());
  const Type element =
      buffer ? buffer.getElementType() : cast<MatrixType>(getTarget().getType()).getElementType();
  if (element != value.getElementType())
    return emitOpError("stores ") << value.getElementType() << " into a " << (buffer ? "buffer" : "matrix")
                                  << " of " << element << "; round with tile.map first";
  if (getOperation()->getParentOfType<KernelOp>() && !buffer != !(*this)->getParentOfType<LayerOp>())
    return emitOpError(buffer ? "is of a layer whose results another one multiplies: put it into a tile.layer"
                              : "writes a matrix, but the results of a tile.layer stay in a buffer");
  if (failed(verifyBuffer(*this, getTarget().getType())))
    return failure();
  if (LayoutAttr layout = layoutAround(*this); layout && layout.getOut().getTotal() != columns)
    return emitOpError("target has ")
           << columns << " columns, the layout's output groups cover " << layout.getOut().getTotal();
  return verifyReduction(*this, value);
}

LogicalResult RowTermsOp::verify() {
  if (getBody().getNumArguments() != 1 || !getBody().getArgument(0).getType().isIndex())
    return emitOpError("hands one index to its body, the input group of every row");
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel || !(*this)->getParentOfType<ForallOp>())
    return emitOpError("is a part of a task, and no tile.forall is around it");
  if (!kernel.getReducedSchedule())
    return emitOpError("takes rows of all types, which kernels with a #tile.reduced schedule do");
  if ((*this)->getParentOfType<LayerOp>())
    return emitOpError(
        "is inside of a tile.layer, but its groups are those that the kernel's own layer reads");
  if ((*this)->getParentOfType<RowTermsOp>())
    return emitOpError("is inside of another tile.row_terms, which goes through the terms already");
  return success();
}
