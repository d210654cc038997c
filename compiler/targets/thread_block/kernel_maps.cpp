// Element-wise code on finished sums.
#include "compiler/targets/thread_block/kernel_program.h"
#include "compiler/targets/thread_block/table_words.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace compiler {

KernelProgram::NamedPlace::NamedPlace(tile::ForallOp own)
    : group(own.getIndex(tile::AxisKind::Groups)), column(own.getIndex(tile::AxisKind::Columns)) {
  for (const tile::AxisKind axis : {tile::AxisKind::Types, tile::AxisKind::Rows, tile::AxisKind::Batch})
    if (own.getAxis(axis))
      rows.push_back(own.getIndex(axis));
}

/// An input of a map as threads read it; null after an error.
Value KernelProgram::inputOf(tile::MapOp map, unsigned input, const NamedPlace &named) {
  Value value = map.getInputs()[input];
  switch (map.getInputKind(input)) {
  case tile::MapInputKind::Fragment:
    if (Value sums = sums_.lookup(value))
      return sums;
    map.emitOpError("maps sums of which terms are still to come");
    return {};
  case tile::MapInputKind::Number:
    if (Value number = operands_.lookup(value))
      return number;
    map.emitOpError("must take numbers that are operands of the kernel");
    return {};
  case tile::MapInputKind::PerColumn: {
    OperandRange place = map.getIndicesOf(input);
    if (operands_.lookup(value) && place[0] == named.group && place[1] == named.column)
      return operands_.lookup(value);
    map.emitOpError("must read the columns that its tile owns");
    return {};
  }
  case tile::MapInputKind::PerRow:
  case tile::MapInputKind::PerElement: {
    OperandRange place = map.getIndicesOf(input);
    const size_t rows = named.rows.size();
    bool owned = operands_.lookup(value) && place.take_front(rows) == ValueRange(named.rows);
    if (place.size() > rows)
      owned = owned && place.drop_front(rows) == ValueRange{named.group, named.column};
    if (owned)
      return operands_.lookup(value);
    map.emitOpError("must read the rows that its tile owns");
    return {};
  }
  }
  llvm_unreachable("all kinds of inputs are above");
}

/// Whether a map only hands on its sums, as one does that rounds them: writing the result does that.
static bool handsOn(sm::MapOp map) {
  auto yield = cast<sm::YieldOp>(map.getBody().front().getTerminator());
  return yield.getOperand(0) == map.getBody().front().getArgument(0) &&
         isa<sm::AccumulatorType>(map.getInputs()[0].getType());
}

/// Sums stay f32 from map to map. A fragment that is rounded for a store alone is rounded where it is
/// stored.
LogicalResult KernelProgram::writeMap(tile::MapOp map, const NamedPlace &named, Value column, Value group,
                                      ArrayRef<Value> rows) {
  SmallVector<Value> inputs;
  for (unsigned input = 0; input < map.getInputs().size(); ++input) {
    inputs.push_back(inputOf(map, input, named));
    if (!inputs.back())
      return failure();
  }
  auto first = llvm::find_if(inputs, [](Value input) { return isa<sm::AccumulatorType>(input.getType()); });
  // Groups of unequal widths are one group to the numbers of columns.
  if (layout_.hasUnequalGroups() &&
      llvm::any_of(inputs, [](Value input) { return isa<sm::ColumnsType>(input.getType()); })) {
    // The table lists where the layer's input groups begin, and behind them its output groups. A transposed
    // product leaves the former.
    const int64_t list = layout_.isTransposed() ? 0 : layout_.getIn().getCount() + 1;
    column = math_.add(column, readTerms(math_, table_, math_.add(group, list)));
    group = math_.constant(0);
  }
  if (llvm::none_of(inputs, [](Value input) { return isa<sm::MapsType>(input.getType()); }))
    rows = {};
  auto mapped = sm::MapOp::create(builder_, location_, first->getType(), inputs, column, group, rows);
  Block &block = mapped.getBody().emplaceBlock();
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(&block);
  Type f32 = builder_.getF32Type();
  IRMapping copies;
  Block &body = map.getBody().front();
  for (auto [argument, input] : llvm::zip_equal(body.getArguments(), inputs)) {
    Type held = f32;
    if (auto columns = dyn_cast<sm::ColumnsType>(input.getType()))
      held = columns.getElementType();
    else if (auto maps = dyn_cast<sm::MapsType>(input.getType()))
      held = maps.getElementType();
    Value element = block.addArgument(held, location_);
    // A rounded sum is one exactly.
    if (element.getType() != argument.getType())
      element = arith::TruncFOp::create(builder_, location_, argument.getType(), element);
    copies.map(argument, element);
  }
  for (Operation &op : body)
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &body && !copies.contains(operand))
        builder_.clone(*operand.getDefiningOp<arith::ConstantOp>(), copies);
  for (Operation &op : body.without_terminator())
    builder_.clone(op, copies);
  Value element = copies.lookup(body.getTerminator()->getOperand(0));
  if (element.getType() != f32) {
    auto rounded = element.getDefiningOp<arith::TruncFOp>();
    if (rounded && rounded.getIn().getType() == f32 &&
        llvm::all_of(map.getResult().getUsers(),
                     llvm::IsaPred<tile::StoreOp, tile::StoreRowsOp, tile::StoreHeldOp>)) {
      element = rounded.getIn();
      if (rounded->use_empty())
        rounded->erase();
    } else {
      element = arith::ExtFOp::create(builder_, location_, f32, element);
    }
  }
  sm::YieldOp::create(builder_, location_, element);
  if (handsOn(mapped)) {
    sums_[map.getResult()] = mapped.getInputs()[0];
    mapped.erase();
  } else {
    sums_[map.getResult()] = mapped;
  }
  return success();
}

} // namespace compiler
