// own and walk: the loops of a kernel.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace compiler {

LogicalResult KernelEmitter::loop(Value from, Value to, std::int64_t step,
                                  function_ref<LogicalResult(Value)> body) {
  auto loop = scf::ForOp::create(builder, location, from, to, index(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  return body(loop.getInductionVar());
}

LogicalResult KernelEmitter::emitOwn(tile::OwnOp own) {
  if (own.getAxis(tile::AxisKind::Features))
    return emitBankTile(own);
  return loop(begin, end, 1, [&](Value task) -> LogicalResult {
    if (Value bank_row = own.getIndex(tile::AxisKind::BankRows)) {
      scalars.map(bank_row, task);
      group_begin = index(0);
      group_end = index(layout.getOut().getCount());
      return emitBlock(own.getBody().front());
    }

    // Slices vary fastest, so that neighbouring tasks hold the same rows.
    Value slice = arith::RemUIOp::create(builder, location, task, slices);
    Value rest = arith::DivUIOp::create(builder, location, task, slices);
    Value block = arith::RemUIOp::create(builder, location, rest, row_blocks);
    Value types = arith::DivUIOp::create(builder, location, rest, row_blocks);
    owned_type = multiply(types, own.getAxis(tile::AxisKind::Types).getStep());
    owned_row = multiply(block, own.getAxis(tile::AxisKind::Rows).getStep());
    scalars.map(own.getIndex(tile::AxisKind::Types), owned_type);
    scalars.map(own.getIndex(tile::AxisKind::Rows), owned_row);
    const std::int64_t groups = layout.getOut().getCount();
    group_begin = index(0);
    group_end = index(groups);
    if (Value first = own.getIndex(tile::AxisKind::Groups)) {
      auto bound = [&](Value i) -> Value {
        return arith::DivUIOp::create(builder, location, multiply(i, groups), slices);
      };
      group_begin = bound(slice);
      group_end = bound(add(slice, index(1)));
      scalars.map(first, group_begin);
    }

    // A task without rows is not run.
    Value any;
    const std::int64_t types_of_layer = layout.getRowTypes().getCount();
    for (std::int64_t t = 0; t < own.getAxis(tile::AxisKind::Types).getStep(); ++t) {
      Value type = add(owned_type, index(t));
      // The last owner may own types that do not exist: look at the last one that does.
      Value existing = least(type, index(types_of_layer - 1));
      Value has_rows = less(owned_row, rowsOfType(existing).count);
      any = any ? arith::OrIOp::create(builder, location, any, has_rows).getResult() : has_rows;
    }
    auto guarded = scf::IfOp::create(builder, location, any, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(guarded.thenBlock()->getTerminator());
    return emitBlock(own.getBody().front());
  });
}

LogicalResult KernelEmitter::emitWalk(tile::WalkOp walk, unsigned axis) {
  if (axis == walk.getAxes().size())
    return emitBlock(walk.getBody().front());
  auto attribute = cast<tile::AxisAttr>(walk.getAxes()[axis]);
  BlockArgument argument = walk.getBody().getArgument(axis);
  auto inner = [&](Value i) {
    scalars.map(argument, i);
    return emitWalk(walk, axis + 1);
  };
  // The index of an axis that the same op or one around it fixed.
  auto fixed = [&](tile::AxisKind kind) -> Value {
    for (unsigned before = axis; before-- > 0;)
      if (cast<tile::AxisAttr>(walk.getAxes()[before]).getKind() == kind)
        return scalars.lookup(walk.getBody().getArgument(before));
    for (Operation *around = walk->getParentOp(); around; around = around->getParentOp())
      if (auto outer = dyn_cast<tile::WalkOp>(around))
        for (auto [i, other] : llvm::enumerate(outer.getAxes().getAsRange<tile::AxisAttr>()))
          if (other.getKind() == kind)
            return scalars.lookup(outer.getBody().getArgument(i));
    return {};
  };

  switch (attribute.getKind()) {
  case tile::AxisKind::Types: {
    const std::int64_t owned = walk->getParentOfType<tile::OwnOp>().getAxis(tile::AxisKind::Types).getStep();
    Value last = least(add(owned_type, index(owned)), index(layout.getRowTypes().getCount()));
    return loop(owned_type, last, attribute.getStep(), [&](Value type) {
      type_rows[type] = rowsOfType(type);
      return inner(type);
    });
  }
  case tile::AxisKind::Rows: {
    if (auto terms = walk->getParentOfType<tile::BankTermsOp>()) { // all rows of the term's type
      Value type = scalars.lookup(terms.getBody().getArgument(0));
      return loop(index(0), rowsOfType(type).count, attribute.getStep(), inner);
    }
    const std::int64_t owned = walk->getParentOfType<tile::OwnOp>().getAxis(tile::AxisKind::Rows).getStep();
    Value count = rowsOfType(fixed(tile::AxisKind::Types)).count;
    return loop(owned_row, least(add(owned_row, index(owned)), count), attribute.getStep(), inner);
  }
  case tile::AxisKind::Groups:
    return loop(group_begin, group_end, attribute.getStep(), inner);
  case tile::AxisKind::Features:
    return loop(feature_begin, feature_end, attribute.getStep(), inner);
  case tile::AxisKind::Columns:
    if (layout.isBankGradient())
      return loop(column_begin, column_end, attribute.getStep(), inner);
    return loop(index(0), groupWidth(layout.getOut(), "out", fixed(tile::AxisKind::Groups)),
                attribute.getStep(), inner);
  case tile::AxisKind::BankRows:
    return loop(index(0), index(layout.getBank().getCount()), attribute.getStep(), inner);
  case tile::AxisKind::Batch: // which is owned; the verifier of tile.walk refuses it
    break;
  }
  llvm_unreachable("no walk has another axis");
}

} // namespace compiler
