// own and walk: the loops of a kernel, and its layers.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

LogicalResult KernelEmitter::loop(Value from, Value to, int64_t step,
                                  function_ref<LogicalResult(Value)> body) {
  auto loop = scf::ForOp::create(builder_, location_, from, to, constant(step));
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(loop.getBody()->getTerminator());
  return body(loop.getInductionVar());
}

LogicalResult KernelEmitter::emitForall(tile::ForallOp own) {
  if (own.getAxis(tile::AxisKind::Features))
    return emitWeightTile(own);
  return loop(begin_, end_, 1, [&](Value task) -> LogicalResult {
    if (Value weight_row = own.getIndex(tile::AxisKind::WeightRows)) {
      scalars_.map(weight_row, task);
      group_begin_ = constant(0);
      group_end_ = constant(layout_.getOut().getCount());
      return emitBlock(own.getBody().front());
    }

    // Slices vary fastest, so that neighbouring tasks hold the same rows.
    Value slice = remainder(task, slices_);
    Value rest = divide(task, slices_);
    Value block = remainder(rest, row_blocks_);
    Value types = divide(rest, row_blocks_);
    owned_type_ = multiply(types, own.getAxis(tile::AxisKind::Types).getStep());
    owned_row_ = multiply(block, own.getAxis(tile::AxisKind::Rows).getStep());
    scalars_.map(own.getIndex(tile::AxisKind::Types), owned_type_);
    scalars_.map(own.getIndex(tile::AxisKind::Rows), owned_row_);
    const int64_t groups = layout_.getOut().getCount();
    group_begin_ = constant(0);
    group_end_ = constant(groups);
    if (Value first = own.getIndex(tile::AxisKind::Groups)) {
      auto bound = [&](Value i) -> Value { return divide(multiply(i, groups), slices_); };
      group_begin_ = bound(slice);
      group_end_ = bound(add(slice, 1));
      scalars_.map(first, group_begin_);
    }

    // A task without rows is not run.
    Value any;
    const int64_t types_of_layer = layout_.getRowTypes().getCount();
    for (int64_t t = 0; t < own.getAxis(tile::AxisKind::Types).getStep(); ++t) {
      Value type = add(owned_type_, t);
      // The last owner may own types that do not exist: look at the last one that does.
      Value existing = least(type, types_of_layer - 1);
      Value has_rows = less(owned_row_, rowsOfType(existing).count);
      any = any ? either(any, has_rows) : has_rows;
    }
    auto guarded = scf::IfOp::create(builder_, location_, any, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(guarded.thenBlock()->getTerminator());
    clearMarks(own);
    return emitBlock(own.getBody().front());
  });
}

LogicalResult KernelEmitter::emitLayer(tile::LayerOp layer) {
  tile::LayoutAttr outer_layout = std::exchange(layout_, layer.getLayout());
  tile::ScheduleAttr outer_schedule = std::exchange(schedule_, layer.getThreadSchedule());
  Block &body = layer.getBody().front();
  LogicalResult lowered = success();
  for (Operation &op : body.without_terminator())
    if (failed(lowered = emitOp(&op)))
      break;
  layout_ = outer_layout;
  schedule_ = outer_schedule;
  if (failed(lowered))
    return failure();
  for (auto [result, yielded] : llvm::zip_equal(layer.getValues(), body.getTerminator()->getOperands())) {
    if (!memory_.contains(yielded))
      return layer.emitOpError("yields ") << yielded.getType() << "; only buffers leave a layer on a CPU";
    const Memory memory = memory_.lookup(yielded);
    memory_[result] = memory;
  }
  return success();
}

void KernelEmitter::clearMarks(tile::ForallOp own) {
  const int64_t count = schedule_.getTypes() * layout_.getIn().getCount();
  Value unmarked = arith::ConstantOp::create(builder_, location_, builder_.getI8IntegerAttr(0));
  own.walk([&](tile::OnceOp once) {
    Value marks = scratchBuffer(count, builder_.getI8Type());
    marks_[once] = marks;
    (void)loop(constant(0), constant(count), 1, [&](Value i) {
      memref::StoreOp::create(builder_, location_, unmarked, marks, ValueRange{i});
      return success();
    });
  });
}

LogicalResult KernelEmitter::emitOnce(tile::OnceOp once) {
  Value type = scalars_.lookup(once.getRowType()), group = scalars_.lookup(once.getGroup());
  Value marks = marks_.lookup(once);
  Value at = add(multiply(subtract(type, owned_type_), layout_.getIn().getCount()), group);
  Value mark = memref::LoadOp::create(builder_, location_, marks, ValueRange{at});
  Value unmarked = arith::ConstantOp::create(builder_, location_, builder_.getI8IntegerAttr(0));
  Value first = arith::CmpIOp::create(builder_, location_, arith::CmpIPredicate::eq, mark, unmarked);
  auto branch = scf::IfOp::create(builder_, location_, first, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
  Value marked = arith::ConstantOp::create(builder_, location_, builder_.getI8IntegerAttr(1));
  memref::StoreOp::create(builder_, location_, marked, marks, ValueRange{at});
  return emitBlock(once.getBody().front());
}

LogicalResult KernelEmitter::emitFor(tile::ForOp walk, unsigned axis) {
  if (axis == walk.getAxes().size())
    return emitBlock(walk.getBody().front());
  auto attribute = cast<tile::AxisAttr>(walk.getAxes()[axis]);
  BlockArgument argument = walk.getBody().getArgument(axis);
  auto inner = [&](Value i) {
    scalars_.map(argument, i);
    return emitFor(walk, axis + 1);
  };
  // The index of an axis that the same op or one around it fixed.
  auto fixed = [&](tile::AxisKind kind) -> Value {
    for (unsigned before = axis; before-- > 0;)
      if (cast<tile::AxisAttr>(walk.getAxes()[before]).getKind() == kind)
        return scalars_.lookup(walk.getBody().getArgument(before));
    for (Operation *around = walk->getParentOp(); around; around = around->getParentOp()) {
      if (auto once = dyn_cast<tile::OnceOp>(around)) {
        if (kind == tile::AxisKind::Types)
          return scalars_.lookup(once.getRowType());
        if (kind == tile::AxisKind::Groups)
          return scalars_.lookup(once.getGroup());
      }
      if (auto outer = dyn_cast<tile::ForOp>(around))
        for (auto [i, other] : llvm::enumerate(outer.getAxes().getAsRange<tile::AxisAttr>()))
          if (other.getKind() == kind)
            return scalars_.lookup(outer.getBody().getArgument(i));
    }
    return {};
  };

  switch (attribute.getKind()) {
  case tile::AxisKind::Types: {
    const int64_t owned = walk->getParentOfType<tile::ForallOp>().getAxis(tile::AxisKind::Types).getStep();
    Value last = least(add(owned_type_, owned), layout_.getRowTypes().getCount());
    return loop(owned_type_, last, attribute.getStep(), [&](Value type) {
      type_rows_[type] = rowsOfType(type);
      return inner(type);
    });
  }
  case tile::AxisKind::Rows: {
    if (auto terms = walk->getParentOfType<tile::WeightTermsOp>()) { // all rows of the term's type
      Value type = scalars_.lookup(terms.getBody().getArgument(0));
      return loop(constant(0), rowsOfType(type).count, attribute.getStep(), inner);
    }
    const int64_t owned = walk->getParentOfType<tile::ForallOp>().getAxis(tile::AxisKind::Rows).getStep();
    Value count = rowsOfType(fixed(tile::AxisKind::Types)).count;
    return loop(owned_row_, least(add(owned_row_, owned), count), attribute.getStep(), inner);
  }
  case tile::AxisKind::Groups:
    return loop(group_begin_, group_end_, attribute.getStep(), inner);
  case tile::AxisKind::Features:
    return loop(feature_begin_, feature_end_, attribute.getStep(), inner);
  case tile::AxisKind::Columns:
    if (layout_.isWeightGradient())
      return loop(column_begin_, column_end_, attribute.getStep(), inner);
    return loop(constant(0), groupWidth(layout_.getOut(), "out", fixed(tile::AxisKind::Groups)),
                attribute.getStep(), inner);
  case tile::AxisKind::WeightRows:
    return loop(constant(0), constant(layout_.getWeights().getCount()), attribute.getStep(), inner);
  case tile::AxisKind::Batch: // which is owned; the verifier of tile.for refuses it
    break;
  }
  llvm_unreachable("no walk has another axis");
}

} // namespace compiler
