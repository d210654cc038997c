// Verifiers of the ops of mode j.
#include "dialects/tile/verify.h"

using namespace mlir;
using namespace tile;

/// Ops of the weight matrix's gradient in a kernel that computes something else.
static LogicalResult verifyMode(Operation *op) {
  if (LayoutAttr layout = layoutAround(op); layout && !layout.isWeightGradient())
    return op->emitOpError("belongs to kernels of mode j, the layout's mode is ")
           << alg::stringifyOutputMode(layout.getMode());
  return success();
}

/// Sums of a whole tile of a kernel whose operands come in stages.
static LogicalResult verifyStagedTile(Operation *op, FragmentType fragment) {
  auto kernel = op->getParentOfType<KernelOp>();
  StagedAttr schedule = kernel ? kernel.getStagedSchedule() : StagedAttr();
  if (kernel && !schedule)
    return op->emitOpError("multiplies whole tiles, but the kernel is scheduled for threads");
  if (schedule &&
      (schedule.getRows() != fragment.getRows() || schedule.getColumns() != fragment.getColumns()))
    return op->emitOpError("has a fragment of ")
           << fragment.getRows() << "x" << fragment.getColumns() << ", the schedule's tile is "
           << schedule.getRows() << "x" << schedule.getColumns();
  return success();
}

static LogicalResult verifyRegisterTile(Operation *op, FragmentType fragment) {
  auto kernel = op->getParentOfType<KernelOp>();
  ScheduleAttr schedule = kernel ? kernel.getThreadSchedule() : ScheduleAttr();
  if (kernel && !schedule)
    return op->emitOpError("sums up for a thread, but the kernel's operands come in stages");
  if (schedule && (schedule.getRegisterRows() != fragment.getRows() ||
                   schedule.getRegisterColumns() != fragment.getColumns()))
    return op->emitOpError("has a fragment of ")
           << fragment.getRows() << "x" << fragment.getColumns() << ", the schedule's register tile is "
           << schedule.getRegisterRows() << "x" << schedule.getRegisterColumns();
  return success();
}

LogicalResult WeightTermsOp::verify() {
  if (getBody().front().getNumArguments() != 4 + getInits().size())
    return emitOpError("body takes a type, an input group, an output group, a coefficient and ")
           << getInits().size() << " carried fragments, has " << getBody().getNumArguments() << " arguments";
  if (failed(verifyTerms(*this, getBody().front(), 3, getInits(), getSums())))
    return failure();
  return verifyMode(*this);
}

LogicalResult MmaRowsOp::verify() {
  FragmentType sums = getAccumulator().getType();
  MatrixType left = getLeft().getType(), right = getRight().getType();
  if (!sums.getElementType().isF32())
    return emitOpError("accumulates in f32, got ") << sums.getElementType();
  if (left.isPanels() || right.isPanels())
    return emitOpError("multiplies plain rows, not panels");
  if (getSigns() && !getScale())
    return emitOpError("says that its scale is a sign, but has none");
  if (getRowType() != getRightType())
    return emitOpError("multiplies rows of one type by rows of another");
  if (failed(verifyMode(*this)))
    return failure();
  LayoutAttr layout = layoutAround(*this);
  if (!layout)
    return success();
  if (layout.getIn().getTotal() != left.getColumns() || layout.getOut().getTotal() != right.getColumns())
    return emitOpError("multiplies rows of ")
           << left.getColumns() << " and " << right.getColumns() << " columns; the layout's groups cover "
           << layout.getIn().getTotal() << " of X and " << layout.getOut().getTotal() << " of dY";
  return verifyStagedTile(*this, sums);
}

LogicalResult BringOp::verify() {
  const bool features = getAxis() == AxisKind::Features;
  if (!features && getAxis() != AxisKind::Columns)
    return emitOpError("brings rows along features or columns, not along ") << stringifyAxisKind(getAxis());
  if (getSource().getType().isPanels())
    return emitOpError("brings plain rows, the source is in panels");
  BufferType target = getTarget().getType();
  if (!target.isPanels() || target.getColumns() % target.getPanel() != 0)
    return emitOpError("brings whole panels, got a buffer of type ") << target;
  if (target.getInterleave() == 1 && !target.getElementType().isF32())
    return emitOpError("widens to f32, got a buffer of ") << target.getElementType();
  if (getSigns() && !getScale())
    return emitOpError("says that its scale is a sign, but has none");
  if (const int64_t interleave = target.getInterleave(); interleave != 1) {
    const char *together = interleave == 2 ? "pairs" : "blocks";
    if (!getSource().getType().getElementType().isBF16())
      return emitOpError("brings ") << together << " of bf16, but the source has "
                                    << getSource().getType().getElementType();
    if (target.getRows() % interleave != 0)
      return emitOpError("brings ") << together << " of " << interleave << " rows, got a buffer of "
                                    << target.getRows();
    if (getScale() && !getSigns())
      return emitOpError("cannot scale ")
             << together << " of bf16 without rounding; only coefficients +1 and "
             << "-1 go with them";
  }
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  if (failed(verifyMode(*this)))
    return failure();
  LayoutAttr layout = kernel.getLayout();
  const int64_t covered = (features ? layout.getIn() : layout.getOut()).getTotal();
  if (covered != getSource().getType().getColumns())
    return emitOpError("source has ") << getSource().getType().getColumns() << " columns, the layout's "
                                      << (features ? "input" : "output") << " groups cover " << covered;
  ScheduleAttr schedule = kernel.getThreadSchedule();
  if (!schedule)
    return success();
  if (schedule.getRows() != target.getRows())
    return emitOpError("buffer has ")
           << target.getRows() << " rows, the schedule goes through " << schedule.getRows() << " at a time";
  const bool for_unit = schedule.getUnit() == MultiplyUnit::Amx && features;
  if ((target.getInterleave() == 32) != for_unit)
    return emitOpError("brings ")
           << (features ? "features" : "columns") << " into " << target
           << "; panels with 32 rows side by side are for features that AMX multiplies";
  return success();
}

LogicalResult OuterOp::verify() {
  FragmentType sums = getAccumulator().getType();
  BufferType left = getLeft().getType(), right = getRight().getType();
  if (!sums.getElementType().isF32())
    return emitOpError("accumulates in f32, got ") << sums.getElementType();
  if (left.getPanel() != sums.getRows() || right.getPanel() != sums.getColumns())
    return emitOpError("multiplies panels of ")
           << left.getPanel() << " features and " << right.getPanel() << " columns into a fragment of "
           << sums.getRows() << "x" << sums.getColumns();
  if (left.getRows() != right.getRows())
    return emitOpError("has panels of ") << left.getRows() << " and " << right.getRows() << " rows";
  const bool by_blocks = left.getInterleave() == 32 && right.getInterleave() == 2;
  if (left.getInterleave() != right.getInterleave() && !by_blocks)
    return emitOpError("multiplies pairs of rows by pairs of rows, got ") << left << " and " << right;
  if (failed(verifyMode(*this)))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  ScheduleAttr schedule = kernel ? kernel.getThreadSchedule() : ScheduleAttr();
  if (schedule && (schedule.getUnit() == MultiplyUnit::Amx) != by_blocks)
    return emitOpError("multiplies ")
           << left << " by " << right << ", the schedule's unit is "
           << stringifyMultiplyUnit(schedule.getUnit())
           << "; AMX takes 32 rows of a feature side by side, and pairs of rows of dY";
  return verifyRegisterTile(*this, sums);
}

static LogicalResult verifySums(Operation *op, BufferType sums, FragmentType fragment) {
  if (sums.isPanels() || !sums.getElementType().isF32() || !fragment.getElementType().isF32())
    return op->emitOpError("keeps sums of f32 in a plain buffer, got ") << fragment << " and " << sums;
  if (sums.getRows() % fragment.getRows() != 0 || sums.getColumns() % fragment.getColumns() != 0)
    return op->emitOpError("has a fragment of ")
           << fragment.getRows() << "x" << fragment.getColumns() << ", which does not divide the buffer's "
           << sums.getRows() << "x" << sums.getColumns();
  if (failed(verifyMode(op)))
    return failure();
  return verifyRegisterTile(op, fragment);
}

LogicalResult LoadOp::verify() { return verifySums(*this, getSums().getType(), getResult().getType()); }

LogicalResult KeepOp::verify() { return verifySums(*this, getSums().getType(), getValue().getType()); }

LogicalResult StoreWeightOp::verify() {
  MatrixType target = getTarget().getType();
  if (target.isPanels())
    return emitOpError("writes rows, not panels");
  if (!getValue().getType().getElementType().isF32())
    return emitOpError("rounds sums of f32, got ") << getValue().getType().getElementType();
  if (failed(verifyMode(*this)))
    return failure();
  if (LayoutAttr layout = layoutAround(*this)) {
    const auto [rows, columns] = layout.getWeightShape();
    if (target.getRows() != rows || target.getColumns() != columns)
      return emitOpError("target is ") << target.getRows() << "x" << target.getColumns()
                                       << ", the layout's weight matrix is " << rows << "x" << columns;
  }
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && kernel.getStagedSchedule())
    return verifyStagedTile(*this, getValue().getType());
  return verifyRegisterTile(*this, getValue().getType());
}
