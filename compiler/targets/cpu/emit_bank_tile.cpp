// Mode j: tasks, each of which owns a tile of dW, and the terms of its block.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "algebras/bank_terms.h"
#include "algebras/term_levels.h"

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
  SmallVector<double> coefficients;
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
        tables.coefficients.push_back(term.coefficient.toDouble());
      }
    }
  tables.offsets.push_back(static_cast<std::int64_t>(tables.types.size()));
  return tables;
}

/// One loop of the nest: the terms of a block of a lift of which the layer's is a product.
struct KernelEmitter::BankTermLevel {
  BankTermLevel(const algebras::Lift &lift, Value bank_row, Value column)
      : lift(lift), bank_row(bank_row), column(column) {
    if (!lift.formula())
      tables = tabulate(lift);
  }
  /// Columns of blocks that the bank has.
  std::int64_t columns() const { return columnsOf(lift); }
  static std::int64_t columnsOf(const algebras::Lift &lift) {
    return lift.kind() == algebras::Lift::Kind::Rows ? lift.outputGroups() : 1;
  }

  const algebras::Lift &lift;
  Value bank_row, column, from, to;
  BankTermTables tables;
};

/// The range of a level's loop: places in the tables, or the types whose rows block (b, j) sums up.
void KernelEmitter::boundBankTerms(BankTermLevel &level) {
  using algebras::TermFormula;
  auto select = [&](arith::CmpIPredicate predicate, Value yes, Value no) -> Value {
    Value holds = arith::CmpIOp::create(builder, location, predicate, level.bank_row, level.column);
    return arith::SelectOp::create(builder, location, holds, yes, no);
  };
  if (!level.lift.formula()) {
    Value block = add(multiply(level.bank_row, level.columns()), level.column);
    level.from = tableEntry("bank_term_offsets", level.tables.offsets, block);
    level.to = tableEntry("bank_term_offsets", level.tables.offsets, add(block, index(1)));
    return;
  }
  auto behind = [&] { return add(level.bank_row, index(1)); };
  switch (*level.lift.formula()) {
  case TermFormula::Complete: // all on the diagonal, elsewhere that of the row group
    level.from = select(arith::CmpIPredicate::eq, index(0), level.bank_row);
    level.to = select(arith::CmpIPredicate::eq, index(level.lift.types()), behind());
    return;
  case TermFormula::Triangular: // those up to the row group
    level.from = index(0);
    level.to = select(arith::CmpIPredicate::ule, behind(), index(0));
    return;
  case TermFormula::Diagonal:
    level.from = level.bank_row;
    level.to = select(arith::CmpIPredicate::eq, behind(), level.bank_row);
    return;
  case TermFormula::Full:
    level.from = index(0);
    level.to = index(1);
    return;
  }
  llvm_unreachable("all formulas are above");
}

LogicalResult KernelEmitter::emitBankTerms(tile::BankTermsOp terms) {
  const std::vector<algebras::Lift> lifts = algebras::termLevels(layout.getTerms());
  Value bank_row = scalars.lookup(terms.getBankRow()), column = scalars.lookup(terms.getGroup());
  Block &body = terms.getBody().front();

  // The digits of the block, those of the last level the lowest.
  SmallVector<std::pair<Value, Value>> digits(lifts.size());
  for (std::size_t i = lifts.size(); --i > 0;) {
    const std::int64_t columns = BankTermLevel::columnsOf(lifts[i]);
    digits[i] = {remainder(bank_row, lifts[i].bankRows()), remainder(column, columns)};
    bank_row = divide(bank_row, lifts[i].bankRows());
    column = divide(column, columns);
  }
  digits.front() = {bank_row, column};
  std::vector<BankTermLevel> levels;
  for (auto [lift, digit] : llvm::zip_equal(lifts, digits))
    levels.emplace_back(lift, digit.first, digit.second);
  for (BankTermLevel &level : levels)
    boundBankTerms(level);

  // Products of coefficients are rounded once, to f32: on the way they stay in f64.
  const FloatType f32 = builder.getF32Type(),
                  element = levels.size() == 1 ? f32 : FloatType(builder.getF64Type());
  struct Sum {
    Value type, input_group, output_group, coefficient;
  };
  auto innermost = [&](const Sum &term) -> LogicalResult {
    Value coefficient = term.coefficient;
    if (!coefficient)
      coefficient = arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(1.0f));
    else if (element != f32)
      coefficient = arith::TruncFOp::create(builder, location, f32, coefficient);
    type_rows[term.type] = rowsOfType(term.type);
    const Value values[] = {term.type, term.input_group, term.output_group, coefficient};
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), values))
      scalars.map(argument, value);
    for (Operation &op : body.without_terminator())
      if (failed(emitOp(&op)))
        return failure();
    return success();
  };
  auto nest = [&](auto &self, std::size_t depth, const Sum &outer) -> LogicalResult {
    if (depth == levels.size())
      return innermost(outer);
    const BankTermLevel &level = levels[depth];
    return loop(level.from, level.to, 1, [&](Value term) -> LogicalResult {
      Sum sum{term, level.bank_row, level.column, {}};
      const BankTermTables &tables = level.tables;
      if (level.lift.formula() == algebras::TermFormula::Full)
        sum.type = index(0);
      if (!tables.types.empty()) // else a formula, or a loop that never runs: all products vanish
        sum = {tableEntry("bank_term_types", tables.types, term),
               tableEntry("bank_term_input_groups", tables.input_groups, term),
               tableEntry("bank_term_output_groups", tables.output_groups, term),
               tableEntry("bank_term_coefficients", tables.coefficients, element, term)};
      if (depth > 0) {
        sum.type = add(multiply(outer.type, level.lift.types()), sum.type);
        sum.input_group = add(multiply(outer.input_group, level.lift.inputGroups()), sum.input_group);
        sum.output_group = add(multiply(outer.output_group, level.lift.outputGroups()), sum.output_group);
        if (!sum.coefficient)
          sum.coefficient = outer.coefficient;
        else if (outer.coefficient)
          sum.coefficient = arith::MulFOp::create(builder, location, outer.coefficient, sum.coefficient);
      }
      return self(self, depth + 1, sum);
    });
  };
  return nest(nest, 0, {});
}

} // namespace compiler
