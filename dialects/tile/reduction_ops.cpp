// Verifiers of the ops of vector reductions.
#include "dialects/tile/verify.h"

using namespace mlir;
using namespace tile;

/// Ops on rows of the batch, in a kernel whose schedule knows of them.
static LogicalResult verifyReduction(Operation *op, FragmentType fragment) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  ReducedAttr schedule = kernel.getReducedSchedule();
  if (!schedule)
    return op->emitOpError("takes rows of all types, which kernels with a #tile.reduced schedule do");
  if (schedule.getRows() != fragment.getRows() || schedule.getColumns() != fragment.getColumns())
    return op->emitOpError("has a fragment of ")
           << fragment.getRows() << "x" << fragment.getColumns() << ", the schedule's part of the result is "
           << schedule.getRows() << "x" << schedule.getColumns();
  return success();
}

LogicalResult AddRowTermsOp::verify() {
  FragmentType sums = getSums().getType();
  if (!sums.getElementType().isF32())
    return emitOpError("sums up in f32, got ") << sums.getElementType();
  MatrixType rows = getRows().getType(), weights = getWeights().getType();
  if (rows.isPanels() || weights.isPanels())
    return emitOpError("reads operands as the user stores them, not in panels");
  if (LayoutAttr layout = layoutAround(*this)) {
    if (layout.getMode() != alg::OutputMode::Product)
      return emitOpError("belongs to products, mode k, but the layout's mode is ")
             << alg::stringifyOutputMode(layout.getMode());
    if (layout.getIn().getTotal() != rows.getColumns())
      return emitOpError("has rows of ") << rows.getColumns() << " columns, the layout's input groups cover "
                                         << layout.getIn().getTotal();
    const auto [height, width] = layout.getWeightShape();
    if (weights.getRows() != height || weights.getColumns() != width)
      return emitOpError("reads a weight matrix of ") << weights.getRows() << "x" << weights.getColumns()
                                                      << ", the layout's is " << height << "x" << width;
  }
  return verifyReduction(*this, sums);
}

LogicalResult StoreRowsOp::verify() {
  FragmentType value = getValue().getType();
  MatrixType target = getTarget().getType();
  if (target.isPanels())
    return emitOpError("writes rows, not panels");
  if (target.getElementType() != value.getElementType())
    return emitOpError("stores ") << value.getElementType() << " into a matrix of " << target.getElementType()
                                  << "; round with tile.map first";
  if (LayoutAttr layout = layoutAround(*this); layout && layout.getOut().getTotal() != target.getColumns())
    return emitOpError("target has ") << target.getColumns() << " columns, the layout's output groups cover "
                                      << layout.getOut().getTotal();
  return verifyReduction(*this, value);
}
