// own, walk and terms: the loops of a kernel.
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
  }
  llvm_unreachable("all axes are above");
}

/// The terms of a lift as flat tables: offsets of (type, output group), then one entry for each term.
namespace {
struct TermTables {
  SmallVector<std::int64_t> offsets, input_groups, bank_rows;
  SmallVector<float> coefficients;
};
} // namespace

static TermTables tabulate(const algebras::Lift &lift) {
  TermTables tables;
  for (std::int64_t type = 0; type < lift.types(); ++type)
    for (std::int64_t group = 0; group < lift.outputGroups(); ++group) {
      tables.offsets.push_back(static_cast<std::int64_t>(tables.input_groups.size()));
      for (const algebras::BlockTerm &term : lift.terms(type, group)) {
        tables.input_groups.push_back(term.input_group);
        tables.bank_rows.push_back(term.bank_row);
        tables.coefficients.push_back(static_cast<float>(term.coefficient.toDouble()));
      }
    }
  tables.offsets.push_back(static_cast<std::int64_t>(tables.input_groups.size()));
  return tables;
}

LogicalResult KernelEmitter::emitTerms(tile::TermsOp terms) {
  const algebras::Lift &lift = layout.getTerms();
  Value type = scalars.lookup(terms.getRowType()), group = scalars.lookup(terms.getGroup());
  Block &body = terms.getBody().front();

  SmallVector<Value> inits;
  for (Value init : terms.getInits())
    llvm::append_range(inits, fragments.lookup(init));

  const bool regular = lift.completeGraph().has_value();
  TermTables tables;
  Value from, to;
  Value diagonal;
  if (regular) {
    // B(i, j) = {i, j}: one term on the diagonal, two elsewhere. Transposed: all groups on the diagonal, one
    // elsewhere.
    from = index(0);
    diagonal = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, type, group);
    to = arith::SelectOp::create(builder, location, diagonal,
                                 index(lift.isTransposed() ? lift.inputGroups() : 1),
                                 index(lift.isTransposed() ? 1 : 2));
  } else {
    tables = tabulate(lift);
    Value slot = add(multiply(type, lift.outputGroups()), group);
    from = tableEntry("term_offsets", tables.offsets, slot);
    to = tableEntry("term_offsets", tables.offsets, add(slot, index(1)));
  }

  auto loop = scf::ForOp::create(builder, location, from, to, index(1), inits);
  OpBuilder::InsertionGuard guard(builder);
  if (inits.empty())
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  else
    builder.setInsertionPointToStart(loop.getBody());
  Value term = loop.getInductionVar();

  Value input_group, bank_row, coefficient;
  if (regular && lift.isTransposed()) {
    input_group = bank_row = arith::SelectOp::create(builder, location, diagonal, term, group);
    coefficient = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(1.0f));
  } else if (regular) {
    Value first = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, term, index(0));
    input_group = bank_row =
        arith::SelectOp::create(builder, location, first, least(type, group), greatest(type, group));
    coefficient = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(1.0f));
  } else if (tables.input_groups.empty()) {
    // An algebra all of whose products vanish: the loop never runs.
    input_group = bank_row = index(0);
    coefficient = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(0.0f));
  } else {
    input_group = tableEntry("term_input_groups", tables.input_groups, term);
    // In the row lift the block's row group is the input group.
    const bool same = tables.bank_rows == tables.input_groups;
    bank_row = same ? input_group : tableEntry("term_bank_rows", tables.bank_rows, term);
    auto type =
        RankedTensorType::get({static_cast<std::int64_t>(tables.coefficients.size())}, builder.getF32Type());
    auto values = DenseElementsAttr::get(type, ArrayRef<float>(tables.coefficients));
    coefficient = memref::LoadOp::create(builder, location, table("term_coefficients", values), term);
  }
  scalars.map(body.getArgument(0), input_group);
  scalars.map(body.getArgument(1), bank_row);
  scalars.map(body.getArgument(2), coefficient);

  ValueRange carried = loop.getRegionIterArgs();
  for (auto [argument, init] : llvm::zip_equal(body.getArguments().drop_front(3), terms.getInits())) {
    const std::size_t count = fragments.lookup(init).size();
    fragments[argument] = llvm::to_vector(carried.take_front(count));
    carried = carried.drop_front(count);
  }
  for (Operation &op : body.without_terminator())
    if (failed(emitOp(&op)))
      return failure();
  if (inits.empty())
    return success();

  SmallVector<Value> sums;
  for (Value value : body.getTerminator()->getOperands())
    llvm::append_range(sums, fragments.lookup(value));
  scf::YieldOp::create(builder, location, sums);
  ValueRange results = loop.getResults();
  for (auto [sum, init] : llvm::zip_equal(terms.getSums(), terms.getInits())) {
    const std::size_t count = fragments.lookup(init).size();
    fragments[sum] = llvm::to_vector(results.take_front(count));
    results = results.drop_front(count);
  }
  return success();
}

} // namespace compiler
