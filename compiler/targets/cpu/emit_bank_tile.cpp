// Mode j: tasks, each of which owns a tile of dW, and the terms of its block.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "algebras/bank_terms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;

namespace compiler {

/// Tiles that the largest of some groups is cut into.
static std::int64_t mostTiles(alg::GroupsAttr groups, std::int64_t step) {
  std::int64_t most = 0;
  for (std::int64_t group = 0; group < (groups.isEqual() ? 1 : groups.getCount()); ++group)
    most = std::max(most, (groups.getWidth(group) + step - 1) / step);
  return most;
}

LogicalResult KernelEmitter::emitBankTile(tile::OwnOp own) {
  const std::int64_t features = own.getAxis(tile::AxisKind::Features).getStep();
  const std::int64_t columns = own.getAxis(tile::AxisKind::Columns).getStep();
  // Columns vary fastest, then features: neighbouring tasks read the same rows. A smaller group has fewer
  // tiles than its place in the numbering; tasks beyond them have nothing to do.
  const std::int64_t across = mostTiles(layout.getOut(), columns), down = mostTiles(layout.getIn(), features);
  function->setAttr("tile.tasks", builder.getI64IntegerAttr(layout.getBank().getCount() *
                                                            layout.getBankColumns() * down * across));
  return loop(begin, end, 1, [&](Value task) -> LogicalResult {
    Value block = divide(task, down * across), in_block = remainder(task, down * across);
    Value bank_row = divide(block, layout.getBankColumns());
    Value group = remainder(block, layout.getBankColumns());
    Value first_feature = multiply(divide(in_block, across), features);
    Value first_column = multiply(remainder(in_block, across), columns);
    feature_begin = first_feature;
    column_begin = first_column;
    feature_end = least(add(first_feature, index(features)), groupWidth(layout.getBank(), "bank", bank_row));
    column_end = least(add(first_column, index(columns)), groupWidth(layout.getOut(), "out", group));
    scalars.map(own.getIndex(tile::AxisKind::BankRows), bank_row);
    scalars.map(own.getIndex(tile::AxisKind::Features), first_feature);
    scalars.map(own.getIndex(tile::AxisKind::Groups), group);
    scalars.map(own.getIndex(tile::AxisKind::Columns), first_column);
    Value exists = arith::AndIOp::create(builder, location, less(first_feature, feature_end),
                                         less(first_column, column_end));
    auto guarded = scf::IfOp::create(builder, location, exists, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(guarded.thenBlock()->getTerminator());
    return emitBlock(own.getBody().front());
  });
}

/// The terms of all blocks as flat tables: offsets of (bank row, bank column), then one entry for each term.
namespace {
struct BankTermTables {
  SmallVector<std::int64_t> offsets, types, input_groups, output_groups;
  SmallVector<float> coefficients;
};
} // namespace

static BankTermTables tabulate(const algebras::Lift &lift) {
  const algebras::BankTerms terms(lift);
  BankTermTables tables;
  for (std::int64_t row = 0; row < terms.bankRows(); ++row)
    for (std::int64_t column = 0; column < terms.bankColumns(); ++column) {
      tables.offsets.push_back(static_cast<std::int64_t>(tables.types.size()));
      for (const algebras::BankTerm &term : terms.of(row, column)) {
        tables.types.push_back(term.type);
        tables.input_groups.push_back(term.input_group);
        tables.output_groups.push_back(term.output_group);
        tables.coefficients.push_back(static_cast<float>(term.coefficient.toDouble()));
      }
    }
  tables.offsets.push_back(static_cast<std::int64_t>(tables.types.size()));
  return tables;
}

LogicalResult KernelEmitter::emitBankTerms(tile::BankTermsOp terms) {
  const algebras::Lift &lift = layout.getTerms();
  Value bank_row = scalars.lookup(terms.getBankRow()), group = scalars.lookup(terms.getGroup());
  Block &body = terms.getBody().front();

  // Q(q): rows of every type have a term on the diagonal, elsewhere those whose type is the row group.
  const bool regular = lift.completeGraph().has_value();
  BankTermTables tables;
  Value from, to;
  if (regular) {
    Value diagonal = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, bank_row, group);
    from = arith::SelectOp::create(builder, location, diagonal, index(0), bank_row);
    to = arith::SelectOp::create(builder, location, diagonal, index(lift.types()), add(bank_row, index(1)));
  } else {
    tables = tabulate(lift);
    Value block = add(multiply(bank_row, layout.getBankColumns()), group);
    from = tableEntry("bank_term_offsets", tables.offsets, block);
    to = tableEntry("bank_term_offsets", tables.offsets, add(block, index(1)));
  }
  return loop(from, to, 1, [&](Value term) -> LogicalResult {
    Value type = term, input_group = bank_row, output_group = group, coefficient;
    if (!regular && !tables.types.empty()) {
      type = tableEntry("bank_term_types", tables.types, term);
      input_group = tableEntry("bank_term_input_groups", tables.input_groups, term);
      output_group = tableEntry("bank_term_output_groups", tables.output_groups, term);
      auto shape = RankedTensorType::get({static_cast<std::int64_t>(tables.coefficients.size())},
                                         builder.getF32Type());
      auto values = DenseElementsAttr::get(shape, ArrayRef<float>(tables.coefficients));
      coefficient = memref::LoadOp::create(builder, location, table("bank_term_coefficients", values), term);
    } else { // of Q(q), or of a loop that never runs: all products vanish
      coefficient = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(1.0f));
    }
    type_rows[type] = rowsOfType(type);
    const Value values[] = {type, input_group, output_group, coefficient};
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), values))
      scalars.map(argument, value);
    for (Operation &op : body.without_terminator())
      if (failed(emitOp(&op)))
        return failure();
    return success();
  });
}

} // namespace compiler
