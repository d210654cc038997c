// Mode j: tasks, each of which owns a tile of dW, and the terms of its block.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "algebras/term_levels.h"
#include "algebras/weight_terms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;

namespace compiler {

/// Tiles that the largest of some groups is cut into.
static int64_t mostTiles(alg::GroupsAttr groups, int64_t step) {
  int64_t most = 0;
  for (int64_t group = 0; group < (groups.isEqual() ? 1 : groups.getCount()); ++group)
    most = std::max(most, (groups.getWidth(group) + step - 1) / step);
  return most;
}

LogicalResult KernelEmitter::emitWeightTile(tile::ForallOp own) {
  const int64_t features = own.getAxis(tile::AxisKind::Features).getStep();
  const int64_t columns = own.getAxis(tile::AxisKind::Columns).getStep();
  // Columns vary fastest, then features: neighbouring tasks read the same rows. A smaller group has fewer
  // tiles than its place in the numbering; tasks beyond them have nothing to do.
  const int64_t across = mostTiles(layout_.getOut(), columns), down = mostTiles(layout_.getIn(), features);
  function_->setAttr("tile.tasks", builder_.getI64IntegerAttr(layout_.getWeights().getCount() *
                                                              layout_.getWeightColumns() * down * across));
  return loop(begin_, end_, 1, [&](Value task) -> LogicalResult {
    Value block = divide(task, down * across), in_block = remainder(task, down * across);
    Value weight_row = divide(block, layout_.getWeightColumns());
    Value group = remainder(block, layout_.getWeightColumns());
    Value first_feature = multiply(divide(in_block, across), features);
    Value first_column = multiply(remainder(in_block, across), columns);
    feature_begin_ = first_feature;
    column_begin_ = first_column;
    feature_end_ =
        least(add(first_feature, features), groupWidth(layout_.getWeights(), "weights", weight_row));
    column_end_ = least(add(first_column, columns), groupWidth(layout_.getOut(), "out", group));
    scalars_.map(own.getIndex(tile::AxisKind::WeightRows), weight_row);
    scalars_.map(own.getIndex(tile::AxisKind::Features), first_feature);
    scalars_.map(own.getIndex(tile::AxisKind::Groups), group);
    scalars_.map(own.getIndex(tile::AxisKind::Columns), first_column);
    Value exists = both(less(first_feature, feature_end_), less(first_column, column_end_));
    auto guarded = scf::IfOp::create(builder_, location_, exists, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(guarded.thenBlock()->getTerminator());
    return emitBlock(own.getBody().front());
  });
}

/// The terms of all blocks as flat tables: offsets of (weight row, weight column), then one entry for each
/// term.
namespace {
struct WeightTermTables {
  SmallVector<int64_t> offsets, types, input_groups, output_groups;
  SmallVector<double> coefficients;
};
} // namespace

static WeightTermTables tabulateWeightTerms(const algebras::Lift &lift) {
  const algebras::WeightTerms terms(lift);
  WeightTermTables tables;
  for (int64_t row = 0; row < terms.weightRows(); ++row)
    for (int64_t column = 0; column < terms.weightColumns(); ++column) {
      tables.offsets.push_back(static_cast<int64_t>(tables.types.size()));
      for (const algebras::WeightTerm &term : terms.of(row, column)) {
        tables.types.push_back(term.type);
        tables.input_groups.push_back(term.input_group);
        tables.output_groups.push_back(term.output_group);
        tables.coefficients.push_back(term.coefficient.toDouble());
      }
    }
  tables.offsets.push_back(static_cast<int64_t>(tables.types.size()));
  return tables;
}

/// One loop of the nest: the terms of a block of a lift of which the layer's is a product.
struct KernelEmitter::WeightTermLevel {
  WeightTermLevel(const algebras::Lift &lift, Value weight_row, Value column)
      : lift(lift), weight_row(weight_row), column(column) {
    if (!lift.formula())
      tables = tabulateWeightTerms(lift);
  }
  /// Columns of blocks that the weight matrix has.
  int64_t columns() const { return columnsOf(lift); }
  static int64_t columnsOf(const algebras::Lift &lift) {
    return lift.kind() == algebras::Lift::Kind::Rows ? lift.outputGroups() : 1;
  }

  const algebras::Lift &lift;
  Value weight_row, column, from, to;
  WeightTermTables tables;
};

/// The range of a level's loop: places in the tables, or the types whose rows block (b, j) sums up.
void KernelEmitter::boundWeightTerms(WeightTermLevel &level) {
  using algebras::TermFormula;
  if (!level.lift.formula()) {
    Value block = add(multiply(level.weight_row, level.columns()), level.column);
    level.from = tableEntry("weight_term_offsets", level.tables.offsets, block);
    level.to = tableEntry("weight_term_offsets", level.tables.offsets, add(block, 1));
    return;
  }
  auto on_diagonal = [&] { return equal(level.weight_row, level.column); };
  auto behind = [&] { return add(level.weight_row, 1); };
  switch (*level.lift.formula()) {
  case TermFormula::Complete: // all on the diagonal, elsewhere that of the row group
    level.from = select(on_diagonal(), 0, level.weight_row);
    level.to = select(on_diagonal(), level.lift.types(), behind());
    return;
  case TermFormula::Triangular: // those up to the row group
    level.from = constant(0);
    level.to = select(atMost(level.weight_row, level.column), behind(), 0);
    return;
  case TermFormula::Diagonal:
    level.from = level.weight_row;
    level.to = select(on_diagonal(), behind(), level.weight_row);
    return;
  case TermFormula::Full:
    level.from = constant(0);
    level.to = constant(1);
    return;
  }
  llvm_unreachable("all formulas are above");
}

LogicalResult KernelEmitter::emitWeightTerms(tile::WeightTermsOp terms) {
  const std::vector<algebras::Lift> lifts = algebras::termLevels(layout_.getTerms());
  Value weight_row = scalars_.lookup(terms.getWeightRow()), column = scalars_.lookup(terms.getGroup());
  Block &body = terms.getBody().front();

  // The digits of the block, those of the last level the lowest.
  SmallVector<std::pair<Value, Value>> digits(lifts.size());
  for (size_t i = lifts.size(); --i > 0;) {
    const int64_t columns = WeightTermLevel::columnsOf(lifts[i]);
    digits[i] = {remainder(weight_row, lifts[i].weightRows()), remainder(column, columns)};
    weight_row = divide(weight_row, lifts[i].weightRows());
    column = divide(column, columns);
  }
  digits.front() = {weight_row, column};
  std::vector<WeightTermLevel> levels;
  for (auto [lift, digit] : llvm::zip_equal(lifts, digits))
    levels.emplace_back(lift, digit.first, digit.second);
  for (WeightTermLevel &level : levels)
    boundWeightTerms(level);

  // Products of coefficients are rounded once, to f32: on the way they stay in f64.
  const FloatType f32 = builder_.getF32Type(),
                  element = levels.size() == 1 ? f32 : FloatType(builder_.getF64Type());
  struct Sum {
    Value type, input_group, output_group, coefficient;
  };
  auto innermost = [&](const Sum &term) -> LogicalResult {
    Value coefficient = term.coefficient;
    if (!coefficient)
      coefficient = arith::ConstantOp::create(builder_, location_, builder_.getF32FloatAttr(1.0f));
    else if (element != f32)
      coefficient = arith::TruncFOp::create(builder_, location_, f32, coefficient);
    type_rows_[term.type] = rowsOfType(term.type);
    const Value values[] = {term.type, term.input_group, term.output_group, coefficient};
    for (auto [argument, value] : llvm::zip_equal(body.getArguments(), values))
      scalars_.map(argument, value);
    for (Operation &op : body.without_terminator())
      if (failed(emitOp(&op)))
        return failure();
    return success();
  };
  auto nest = [&](auto &self, size_t depth, const Sum &outer) -> LogicalResult {
    if (depth == levels.size())
      return innermost(outer);
    const WeightTermLevel &level = levels[depth];
    return loop(level.from, level.to, 1, [&](Value term) -> LogicalResult {
      Sum sum{term, level.weight_row, level.column, {}};
      const WeightTermTables &tables = level.tables;
      if (level.lift.formula() == algebras::TermFormula::Full)
        sum.type = constant(0);
      if (!tables.types.empty()) // else a formula, or a loop that never runs: all products vanish
        sum = {tableEntry("weight_term_types", tables.types, term),
               tableEntry("weight_term_input_groups", tables.input_groups, term),
               tableEntry("weight_term_output_groups", tables.output_groups, term),
               tableEntry("weight_term_coefficients", tables.coefficients, element, term)};
      if (depth > 0) {
        sum.type = add(multiply(outer.type, level.lift.types()), sum.type);
        sum.input_group = add(multiply(outer.input_group, level.lift.inputGroups()), sum.input_group);
        sum.output_group = add(multiply(outer.output_group, level.lift.outputGroups()), sum.output_group);
        if (!sum.coefficient)
          sum.coefficient = outer.coefficient;
        else if (outer.coefficient)
          sum.coefficient = arith::MulFOp::create(builder_, location_, outer.coefficient, sum.coefficient);
      }
      return self(self, depth + 1, sum);
    });
  };
  return nest(nest, 0, {});
}

} // namespace compiler
