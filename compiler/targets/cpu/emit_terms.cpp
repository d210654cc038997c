// terms: the loops over what one slot of the output sums up.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "algebras/term_levels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace compiler {
namespace {

/// The terms of a lift as flat tables: offsets of (type, output group), then one entry for each term.
struct TermTables {
  SmallVector<int64_t> offsets, input_groups, weight_rows;
  SmallVector<double> coefficients;
};

} // namespace

static TermTables tabulate(const algebras::Lift &lift) {
  TermTables tables;
  for (int64_t type = 0; type < lift.types(); ++type)
    for (int64_t group = 0; group < lift.outputGroups(); ++group) {
      tables.offsets.push_back(static_cast<int64_t>(tables.input_groups.size()));
      for (const algebras::BlockTerm &term : lift.terms(type, group)) {
        tables.input_groups.push_back(term.input_group);
        tables.weight_rows.push_back(term.weight_row);
        tables.coefficients.push_back(term.coefficient.toDouble());
      }
    }
  tables.offsets.push_back(static_cast<int64_t>(tables.input_groups.size()));
  return tables;
}

/// One loop of the nest: the terms of a lift of which the layer's is a product.
struct KernelEmitter::TermLevel {
  TermLevel(const algebras::Lift &lift, Value type, Value group) : lift(lift), type(type), group(group) {
    if (!lift.formula())
      tables = tabulate(lift);
  }

  const algebras::Lift &lift;
  Value type, group, from, to;
  Value diagonal; ///< whether type and group are one, where that matters
  TermTables tables;
};

/// The range of a level's loop.
void KernelEmitter::boundTerms(TermLevel &level) {
  using algebras::TermFormula;
  const int64_t groups = level.lift.inputGroups();
  const bool transposed = level.lift.isTransposed();
  if (!level.lift.formula()) {
    Value slot = add(multiply(level.type, level.lift.outputGroups()), level.group);
    level.from = tableEntry("term_offsets", level.tables.offsets, slot);
    level.to = tableEntry("term_offsets", level.tables.offsets, add(slot, 1));
    return;
  }
  switch (*level.lift.formula()) {
  case TermFormula::Complete:
    // B(i, j) = {i, j}: one term on the diagonal, two elsewhere. Transposed: all groups on the diagonal, one
    // elsewhere.
    level.from = constant(0);
    level.diagonal = equal(level.type, level.group);
    level.to = select(level.diagonal, transposed ? groups : 1, transposed ? 1 : 2);
    return;
  case TermFormula::Triangular: // a loop that ends before it begins does not run
    level.from = transposed ? select(atMost(level.type, level.group), level.group, groups) : level.type;
    level.to = transposed ? constant(groups) : add(level.group, 1);
    return;
  case TermFormula::Diagonal:
    level.from = level.group;
    level.to = select(equal(level.type, level.group), add(level.group, 1), level.group);
    return;
  case TermFormula::Full:
    level.from = constant(0);
    level.to = constant(groups);
    return;
  }
  llvm_unreachable("all formulas are above");
}

/// The input group and the weight row of a term of a level.
std::pair<Value, Value> KernelEmitter::groupsOfTerm(const TermLevel &level, Value term) {
  if (level.lift.formula() == algebras::TermFormula::Complete) {
    Value group;
    if (level.lift.isTransposed()) {
      group = select(level.diagonal, term, level.group);
    } else {
      group = select(equal(term, 0), least(level.type, level.group), greatest(level.type, level.group));
    }
    return {group, group};
  }
  if (level.lift.formula())
    return {term, term};
  const TermTables &tables = level.tables;
  if (tables.input_groups.empty()) // all products vanish: the loop never runs
    return {constant(0), constant(0)};
  Value input_group = tableEntry("term_input_groups", tables.input_groups, term);
  // In the row lift the block's row group is the input group.
  const bool same = tables.weight_rows == tables.input_groups;
  return {input_group, same ? input_group : tableEntry("term_weight_rows", tables.weight_rows, term)};
}

/// Whether an operation multiplies the same rows as a product by the same block of another weight matrix of
/// its kind, into sums of its own.
static bool areSideBySide(tile::MmaOp product, Operation *op) {
  auto other = dyn_cast<tile::MmaOp>(op);
  if (!other || product.getAccumulator().getType() != other.getAccumulator().getType() ||
      product.getWeights().getType() != other.getWeights().getType() ||
      product.getSigns() != other.getSigns())
    return false;
  auto without_weights = [](tile::MmaOp one) {
    return llvm::to_vector(llvm::make_filter_range(one->getOperands(), [&](Value operand) {
      return operand != one.getWeights() && operand != one.getAccumulator();
    }));
  };
  return isa<BlockArgument>(other.getAccumulator()) && without_weights(product) == without_weights(other);
}

void KernelEmitter::forgetMemory() {
  LLVM::InlineAsmOp::create(builder_, location_, /*res=*/TypeRange(), /*operands=*/ValueRange(),
                            /*asm_string=*/"", /*constraints=*/"~{memory}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
}

/// Left in registers, the sums of one product would drive those of the next one out of theirs, in the middle
/// of its loop: then each step of the loop waits for a sum that it has just stored.
SmallVector<std::pair<Value, Value>> KernelEmitter::parkSums(tile::TermsOp terms) {
  SmallVector<std::pair<Value, Value>> parked;
  if (terms.getInits().empty())
    return parked;
  for (Operation &before : *terms->getBlock()) {
    if (&before == terms)
      break;
    auto other = dyn_cast<tile::TermsOp>(before);
    if (!other)
      continue;
    for (Value sum : other.getSums()) {
      const auto is_behind = [&](Operation *user) {
        Operation *here = terms->getBlock()->findAncestorOpInBlock(*user);
        return here && terms->isBeforeInBlock(here);
      };
      if (sums_in_scratch_.contains(sum) || llvm::none_of(sum.getUsers(), is_behind))
        continue;
      const SmallVector<Value> &values = fragments_.lookup(sum);
      const int64_t lanes = schedule_.getLanes();
      Value memory = scratchBuffer(static_cast<int64_t>(values.size()) * lanes, builder_.getF32Type());
      for (auto [i, value] : llvm::enumerate(values))
        vector::StoreOp::create(builder_, location_, value, memory,
                                constant(static_cast<int64_t>(i) * lanes));
      parked.emplace_back(sum, memory);
    }
  }
  if (!parked.empty())
    forgetMemory();
  return parked;
}

void KernelEmitter::fetchSums(ArrayRef<std::pair<Value, Value>> parked) {
  for (auto [sum, memory] : parked) {
    const int64_t lanes = schedule_.getLanes();
    for (auto [i, value] : llvm::enumerate(fragments_[sum]))
      value = vector::LoadOp::create(builder_, location_, value.getType(), memory,
                                     constant(static_cast<int64_t>(i) * lanes));
  }
}

/// Whether some group's last columns fill at most half a vector.
static bool endsInHalfAVector(alg::GroupsAttr groups, int64_t lanes) {
  const auto ends = [&](int64_t width) {
    const int64_t left = width % lanes;
    return left > 0 && left <= lanes / 2;
  };
  return groups.isEqual() ? ends(groups.getWidth(0)) : llvm::any_of(groups.getWidths(), ends);
}

Value KernelEmitter::fitsHalves(tile::TermsOp terms) {
  if (usesAmx())
    return {};
  const int64_t lanes = schedule_.getLanes();
  Block &body = terms.getBody().front();
  if (llvm::range_size(body) != 3)
    return {};
  auto first = dyn_cast<tile::MmaOp>(body.front()), second = dyn_cast<tile::MmaOp>(*std::next(body.begin()));
  if (!first || !second || !areSideBySide(first, second) ||
      first.getAccumulator().getType().getColumns() != lanes ||
      !llvm::equal(body.getTerminator()->getOperands(), ValueRange{first.getResult(), second.getResult()}) ||
      !endsInHalfAVector(layout_.getOut(), lanes))
    return {};
  if (const Memory weights = memory_.lookup(first.getWeights()); !weights.buffer && weights.panel == 0)
    return {};
  Value group = scalars_.lookup(first.getGroup()), column = scalars_.lookup(first.getColumn());
  return atMost(subtract(groupWidth(layout_.getOut(), "out", group), column), lanes / 2);
}

FailureOr<SmallVector<Value>>
KernelEmitter::joinHalves(Value fits, ArrayRef<Value> sums,
                          function_ref<FailureOr<SmallVector<Value>>(ValueRange)> loops) {
  const int64_t lanes = schedule_.getLanes(), half = lanes / 2;
  // Lanes of two vectors: so many from `first` on, then so many from `second` on.
  const auto halves = [&](Value a, Value b, int64_t first, int64_t second) -> Value {
    SmallVector<int64_t> order;
    for (const int64_t from : {first, second})
      llvm::append_range(order, llvm::seq<int64_t>(from, from + half));
    return vector::ShuffleOp::create(builder_, location_, a, b, order);
  };
  auto branch = scf::IfOp::create(builder_, location_, ValueRange(sums).getTypes(), fits,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  const size_t rows = sums.size() / 2;
  builder_.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> joined;
  for (size_t row = 0; row < rows; ++row)
    joined.push_back(halves(sums[row], sums[rows + row], 0, lanes));
  joins_halves_ = true;
  FailureOr<SmallVector<Value>> together = loops(joined);
  joins_halves_ = false;
  if (failed(together))
    return failure();
  SmallVector<Value> apart;
  for (const int64_t from : {int64_t{0}, half}) // twice: the other half is of no column
    for (Value sum : *together)
      apart.push_back(halves(sum, sum, from, from));
  scf::YieldOp::create(builder_, location_, apart);
  builder_.setInsertionPointToStart(branch.elseBlock());
  FailureOr<SmallVector<Value>> whole = loops(sums);
  if (failed(whole))
    return failure();
  scf::YieldOp::create(builder_, location_, *whole);
  return llvm::to_vector_of<Value>(branch.getResults());
}

LogicalResult KernelEmitter::emitTerms(tile::TermsOp terms) {
  prefetchOperands(terms);
  const algebras::Lift &lift = layout_.getTerms();
  const std::vector<algebras::Lift> lifts = algebras::termLevels(lift);
  Value type = scalars_.lookup(terms.getRowType()), group = scalars_.lookup(terms.getGroup());
  Block &body = terms.getBody().front();

  if (usesAmx() && failed(zeroSquares(terms)))
    return failure();
  SmallVector<Value> inits;
  for (Value init : terms.getInits())
    llvm::append_range(inits, fragments_.lookup(init));

  // The digits of type and group, those of the last level the lowest.
  SmallVector<std::pair<Value, Value>> digits(lifts.size());
  for (size_t i = lifts.size(); --i > 0;) {
    digits[i] = {remainder(type, lifts[i].types()), remainder(group, lifts[i].outputGroups())};
    type = divide(type, lifts[i].types());
    group = divide(group, lifts[i].outputGroups());
  }
  digits.front() = {type, group};
  std::vector<TermLevel> levels;
  for (auto [one, digit] : llvm::zip_equal(lifts, digits))
    levels.emplace_back(one, digit.first, digit.second);
  for (TermLevel &level : levels)
    boundTerms(level);

  // Products of coefficients are rounded once, to f32: on the way they stay in f64.
  const FloatType f32 = builder_.getF32Type(),
                  element = levels.size() == 1 ? f32 : FloatType(builder_.getF64Type());
  struct Sum {
    Value input_group, weight_row, coefficient;
  };
  auto innermost = [&](const Sum &term, ValueRange carried) -> FailureOr<SmallVector<Value>> {
    Value coefficient = term.coefficient;
    if (!coefficient)
      coefficient = arith::ConstantOp::create(builder_, location_, builder_.getF32FloatAttr(1.0f));
    else if (element != f32)
      coefficient = arith::TruncFOp::create(builder_, location_, f32, coefficient);
    scalars_.map(body.getArgument(0), term.input_group);
    scalars_.map(body.getArgument(1), term.weight_row);
    scalars_.map(body.getArgument(2), coefficient);
    for (auto [argument, init] : llvm::zip_equal(body.getArguments().drop_front(3), terms.getInits())) {
      // Vectors that two products share are the first one's.
      const size_t count = joins_halves_ ? carried.size() : fragments_.lookup(init).size();
      fragments_[argument] = llvm::to_vector(carried.take_front(count));
      carried = carried.drop_front(count);
    }
    for (auto op = body.begin(), terminator = std::prev(body.end()); op != terminator;) {
      // Products of the same rows that follow one another are computed side by side.
      SmallVector<tile::MmaOp> products;
      for (; op != terminator && (products.empty() || areSideBySide(products.front(), &*op)); ++op) {
        auto mma = dyn_cast<tile::MmaOp>(*op);
        if (!mma)
          break;
        products.push_back(mma);
      }
      if (products.empty() ? failed(emitOp(&*op++)) : failed(emitMma(products)))
        return failure();
    }
    SmallVector<Value> sums;
    for (Value value : body.getTerminator()->getOperands())
      llvm::append_range(sums, fragments_.lookup(value));
    return sums;
  };
  // The loops from this level on; what they carry out.
  auto nest = [&](auto &self, size_t depth, const Sum &outer,
                  ValueRange carried) -> FailureOr<SmallVector<Value>> {
    if (depth == levels.size())
      return innermost(outer, carried);
    const TermLevel &level = levels[depth];
    auto loop = scf::ForOp::create(builder_, location_, level.from, level.to, constant(1), carried);
    OpBuilder::InsertionGuard guard(builder_);
    if (carried.empty())
      builder_.setInsertionPoint(loop.getBody()->getTerminator());
    else
      builder_.setInsertionPointToStart(loop.getBody());
    Value term = loop.getInductionVar();
    auto [input_group, weight_row] = groupsOfTerm(level, term);
    Sum sum{input_group, weight_row, {}};
    // Those of a row lift are all 1.
    const bool ones =
        level.lift.formula() || (levels.size() > 1 && lift.kind() == algebras::Lift::Kind::Rows);
    if (!ones && !level.tables.coefficients.empty())
      sum.coefficient = tableEntry("term_coefficients", level.tables.coefficients, element, term);
    if (depth > 0) {
      const int64_t groups = level.lift.inputGroups();
      const bool same = input_group == weight_row && outer.input_group == outer.weight_row;
      sum.input_group = add(multiply(outer.input_group, groups), input_group);
      sum.weight_row = same ? sum.input_group : add(multiply(outer.weight_row, groups), weight_row);
      if (!sum.coefficient)
        sum.coefficient = outer.coefficient;
      else if (outer.coefficient)
        sum.coefficient = arith::MulFOp::create(builder_, location_, outer.coefficient, sum.coefficient);
    }
    FailureOr<SmallVector<Value>> sums = self(self, depth + 1, sum, loop.getRegionIterArgs());
    if (succeeded(sums) && !carried.empty())
      scf::YieldOp::create(builder_, location_, *sums);
    if (failed(sums))
      return failure();
    return llvm::to_vector_of<Value>(loop.getResults());
  };
  const SmallVector<std::pair<Value, Value>> parked = parkSums(terms);
  const auto loops = [&](ValueRange carried) { return nest(nest, 0, {}, carried); };
  const Value fits = fitsHalves(terms);
  FailureOr<SmallVector<Value>> sums = fits ? joinHalves(fits, inits, loops) : loops(inits);
  if (failed(sums))
    return failure();
  fetchSums(parked);
  ValueRange results = *sums;
  for (auto [sum, init] : llvm::zip_equal(terms.getSums(), terms.getInits())) {
    const size_t count = fragments_.lookup(init).size();
    fragments_[sum] = llvm::to_vector(results.take_front(count));
    results = results.drop_front(count);
  }
  if (usesAmx())
    storeSquares(terms);
  return success();
}

} // namespace compiler
