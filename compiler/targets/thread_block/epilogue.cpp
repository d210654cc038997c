// What a thread block does with finished sums before they are stored.
#include "compiler/targets/thread_block/table_words.h"
#include "compiler/targets/thread_block/thread_block_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace compiler {

/// The ops behind a tile's products, on the sums that this block stores: all, or its part where blocks divide
/// them.
LogicalResult ThreadBlockProgram::writeEpilogue(ArrayRef<Operation *> ops, tile::ForallOp own,
                                                const Tile &tile) {
  auto write = [&](const Tile &stored) -> LogicalResult {
    for (Operation *op : ops)
      if (failed(writeOp(op, own, stored)))
        return failure();
    return success();
  };
  auto write_part = [&]() -> LogicalResult {
    Tile part = tile;
    llvm::SmallDenseSet<Value> divided;
    for (Operation *op : ops)
      for (Value fragment : op->getOperands())
        if (auto whole = sums_.find(fragment); whole != sums_.end() && !divided.contains(fragment)) {
          const bool transposed = cast<sm::AccumulatorType>(whole->second.getType()).getTransposed();
          auto type = sm::AccumulatorType::get(builder_.getContext(), storedRows(), storedColumns(), 0, 0,
                                               transposed);
          Value sum = sm::ReduceScatterOp::create(builder_, location_, type, whole->second);
          whole->second = sum;
          divided.insert(fragment);
          Value &begins = transposed ? part.row : part.column;
          begins = math_.add(transposed ? tile.row : tile.column,
                             math_.multiply(rank_, type.getInstructionWidth()));
        }
    return write(part);
  };
  if (!splits())
    return write(tile);
  if (!splitsSome())
    return write_part();
  auto branch = scf::IfOp::create(builder_, location_, tile.is_long, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder_);
  const llvm::DenseMap<Value, Value> whole = sums_;
  builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(write_part()))
    return failure();
  sums_ = whole;
  builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
  return write(tile);
}

/// An input of a map as threads read it; null after an error.
Value ThreadBlockProgram::inputOf(tile::MapOp map, unsigned input, tile::ForallOp own) {
  Value value = map.getInputs()[input];
  switch (map.getInputKind(input)) {
  case tile::MapInputKind::Fragment:
    return sums_.lookup(value);
  case tile::MapInputKind::Number:
    if (Value number = operands_.lookup(value))
      return number;
    map.emitOpError("must take numbers that are operands of the kernel");
    return {};
  case tile::MapInputKind::PerColumn: {
    OperandRange place = map.getIndicesOf(input);
    if (operands_.lookup(value) && place[0] == own.getIndex(tile::AxisKind::Groups) &&
        place[1] == own.getIndex(tile::AxisKind::Columns))
      return operands_.lookup(value);
    map.emitOpError("must read the columns that its tile owns");
    return {};
  }
  case tile::MapInputKind::PerRow:
  case tile::MapInputKind::PerElement: {
    OperandRange place = map.getIndicesOf(input);
    bool owned = operands_.lookup(value) && place[0] == own.getIndex(tile::AxisKind::Types) &&
                 place[1] == own.getIndex(tile::AxisKind::Rows);
    if (place.size() > 2)
      owned = owned && place[2] == own.getIndex(tile::AxisKind::Groups) &&
              place[3] == own.getIndex(tile::AxisKind::Columns);
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
LogicalResult ThreadBlockProgram::writeMap(tile::MapOp map, tile::ForallOp own, const Tile &tile) {
  SmallVector<Value> inputs;
  for (unsigned input = 0; input < map.getInputs().size(); ++input) {
    inputs.push_back(inputOf(map, input, own));
    if (!inputs.back())
      return failure();
  }
  auto first = llvm::find_if(inputs, [](Value input) { return isa<sm::AccumulatorType>(input.getType()); });
  // Groups of unequal widths are one group to the numbers of columns.
  Value column = tile.column, group = tile.group;
  if (layout_.hasUnequalGroups() &&
      llvm::any_of(inputs, [](Value input) { return isa<sm::ColumnsType>(input.getType()); })) {
    column = math_.add(column, readTerms(math_, table_, math_.add(group, layout_.getIn().getCount() + 1)));
    group = math_.constant(0);
  }
  SmallVector<Value> rows;
  if (llvm::any_of(inputs, [](Value input) { return isa<sm::MapsType>(input.getType()); }))
    rows = {tile.segment.map, tile.column, tile.group, tile.segment.segment, tile.row};
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
        llvm::all_of(map.getResult().getUsers(), llvm::IsaPred<tile::StoreOp>)) {
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
