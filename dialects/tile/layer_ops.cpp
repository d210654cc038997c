// Kernels of two layers: what their ops have to agree on.
#include "dialects/tile/verify.h"

using namespace mlir;
using namespace tile;

/// Both layers own the same rows.
static LogicalResult verifyThreads(LayerOp layer, ScheduleAttr hidden, ScheduleAttr own) {
  if (!hidden)
    return layer.emitOpError("has a schedule of another kind than its kernel, whose workers are threads");
  if (hidden.getTypes() != own.getTypes() || hidden.getRows() != own.getRows() ||
      hidden.getLanes() != own.getLanes())
    return layer.emitOpError("owns ")
           << hidden.getTypes() << " types of " << hidden.getRows() << " rows in vectors of "
           << hidden.getLanes() << ", the kernel " << own.getTypes() << " of " << own.getRows()
           << " in vectors of " << own.getLanes();
  if (hidden.getUnit() != own.getUnit())
    return layer.emitOpError("is multiplied by ")
           << stringifyMultiplyUnit(hidden.getUnit()) << ", the kernel by "
           << stringifyMultiplyUnit(own.getUnit())
           << ": rows in the cache are filled up to the depths of one";
  return verifyRowsOfProduct(layer, hidden);
}

/// The same where operands come in stages; and what is made at a time is multiplied at a time.
static LogicalResult verifyStaged(LayerOp layer, StagedAttr hidden, StagedAttr own) {
  if (!hidden)
    return layer.emitOpError("has a schedule of another kind than its kernel, whose operands come in stages");
  if (hidden.getTypes() != own.getTypes() || hidden.getRows() != own.getRows())
    return layer.emitOpError("owns ") << hidden.getTypes() << " types of " << hidden.getRows()
                                      << " rows, the kernel " << own.getTypes() << " of " << own.getRows();
  if (hidden.getClusterTypes() != own.getClusterTypes())
    return layer.emitOpError("runs in clusters of ")
           << hidden.getClusterTypes() << " workers along the types, the kernel in clusters of "
           << own.getClusterTypes();
  if (hidden.getEvictFirst() != own.getEvictFirst())
    return layer.emitOpError("has evict_first = ")
           << hidden.getEvictFirst() << ", the kernel " << own.getEvictFirst();
  if (hidden.getOverlap() != own.getOverlap())
    return layer.emitOpError("has overlap = ") << hidden.getOverlap() << ", the kernel " << own.getOverlap();
  if (hidden.getPingPong() != own.getPingPong())
    return layer.emitOpError("has ping_pong = ")
           << hidden.getPingPong() << ", the kernel " << own.getPingPong();
  if (hidden.getColumns() != own.getDepth())
    return layer.emitOpError("makes ") << hidden.getColumns() << " columns at a time, but the kernel's own "
                                       << "layer multiplies " << own.getDepth();
  return success();
}

/// The same of vector reductions, whose threads and clusters are those of both layers.
static LogicalResult verifyReduced(LayerOp layer, ReducedAttr hidden, ReducedAttr own) {
  if (!hidden)
    return layer.emitOpError("has a schedule of another kind than its kernel, one of vector reductions");
  if (hidden.getRows() != own.getRows() || hidden.getThreads() != own.getThreads() ||
      hidden.getVector() != own.getVector() || hidden.getCluster() != own.getCluster())
    return layer.emitOpError("owns ")
           << hidden.getRows() << " rows for a cluster of " << hidden.getCluster() << " blocks of "
           << hidden.getThreads() << " threads with vectors of " << hidden.getVector() << ", the kernel "
           << own.getRows() << " for " << own.getCluster() << " of " << own.getThreads() << " with "
           << own.getVector();
  return success();
}

static LogicalResult verifySchedules(LayerOp layer, KernelOp kernel) {
  if (kernel.getThreadSchedule())
    return verifyThreads(layer, layer.getThreadSchedule(), kernel.getThreadSchedule());
  if (kernel.getStagedSchedule())
    return verifyStaged(layer, layer.getStagedSchedule(), kernel.getStagedSchedule());
  return verifyReduced(layer, layer.getReducedSchedule(), kernel.getReducedSchedule());
}

LogicalResult LayerOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel)
    return emitOpError("is a layer of a tile.kernel, and none is around it");
  if ((*this)->getParentOfType<LayerOp>())
    return emitOpError("is inside of another layer; layers of a kernel stand beside each other");
  if (getLayout().getRowTypes() != kernel.getLayout().getRowTypes())
    return emitOpError("has rows of other types than the kernel: ")
           << getLayout().getRowTypes() << ", not " << kernel.getLayout().getRowTypes();
  if (getLayout().getOut() != kernel.getLayout().getIn())
    return emitOpError("leaves ") << getLayout().getOut() << ", but the kernel's own layer multiplies "
                                  << kernel.getLayout().getIn();
  if (failed(verifySchedules(*this, kernel)))
    return failure();
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError("yields (") << yield.getOperandTypes() << ") but has results of (" << getResultTypes()
                                   << ")";
  return success();
}

LogicalResult OnceOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel || !(*this)->getParentOfType<ForallOp>())
    return emitOpError("is a part of a task, and no tile.forall is around it");
  if (kernel.getReducedSchedule())
    return emitOpError("belongs to kernels whose workers are threads or whose operands come in stages, not "
                       "to those of vector reductions");
  if ((*this)->getParentOfType<LayerOp>())
    return emitOpError(
        "is inside of a tile.layer, but its groups are those that the kernel's own layer reads");
  if ((*this)->getParentOfType<OnceOp>())
    return emitOpError("is inside of another tile.once, which has made up its mind for both");
  return success();
}

LogicalResult StoreHeldOp::verify() {
  FragmentType value = getValue().getType();
  MaskType mask = getMask().getType();
  BufferType target = getTarget().getType();
  if (mask.getRows() != value.getRows() || mask.getColumns() != value.getColumns())
    return emitOpError("mask is ") << mask.getRows() << "x" << mask.getColumns() << ", the fragment "
                                   << value.getRows() << "x" << value.getColumns();
  if (target.isPanels())
    return emitOpError("writes rows, not panels");
  if (target.getElementType() != value.getElementType() && !target.getElementType().isF32())
    return emitOpError("stores ") << value.getElementType() << " into a buffer of " << target.getElementType()
                                  << "; round with tile.map first";
  if (!(*this)->getParentOfType<LayerOp>() && (*this)->getParentOfType<KernelOp>())
    return emitOpError("is of a layer whose results another one multiplies: put it into a tile.layer");
  const auto check_rows = [&](auto schedule) -> LogicalResult {
    if (schedule && target.getRows() != schedule.getTypes() * schedule.getRows())
      return emitOpError("target has ")
             << target.getRows() << " rows, the schedule owns " << schedule.getTypes() << " types of "
             << schedule.getRows() << " rows";
    return success();
  };
  if (failed(check_rows(threadScheduleAround(*this))) || failed(check_rows(stagedScheduleAround(*this))))
    return failure();
  if (LayoutAttr layout = layoutAround(*this); layout && layout.getOut().getTotal() != target.getColumns())
    return emitOpError("target has ") << target.getColumns() << " columns, the layout's output groups cover "
                                      << layout.getOut().getTotal();
  return success();
}
