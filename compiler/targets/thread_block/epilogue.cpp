// What a thread block does with finished sums before they are delivered.
#include "compiler/targets/thread_block/thread_block_program.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace compiler {

/// The ops behind a tile's products, on the sums that this block stores: all, or its part where blocks divide
/// them.
LogicalResult ThreadBlockProgram::writeEpilogue(ArrayRef<Operation *> ops, tile::OwnOp own,
                                                const Tile &tile) {
  auto write = [&](const Tile &stored) -> LogicalResult {
    for (Operation *op : ops)
      if (failed(writeOp(op, own, stored)))
        return failure();
    return success();
  };
  auto writePart = [&]() -> LogicalResult {
    Tile part = tile;
    llvm::SmallDenseSet<Value> divided;
    for (Operation *op : ops)
      for (Value fragment : op->getOperands())
        if (auto whole = sums.find(fragment); whole != sums.end() && !divided.contains(fragment)) {
          const bool transposed = cast<sm::AccumulatorType>(whole->second.getType()).getTransposed();
          auto type =
              sm::AccumulatorType::get(builder.getContext(), storedRows(), storedColumns(), 0, 0, transposed);
          Value sum = sm::ReduceScatterOp::create(builder, location, type, whole->second);
          whole->second = sum;
          divided.insert(fragment);
          Value &begins = transposed ? part.row : part.column;
          begins =
              math.add(transposed ? tile.row : tile.column, math.multiply(rank, type.getInstructionWidth()));
        }
    return write(part);
  };
  if (!splits())
    return write(tile);
  if (!splitsSome())
    return writePart();
  auto branch = scf::IfOp::create(builder, location, tile.is_long, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  const llvm::DenseMap<Value, Value> whole = sums;
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(writePart()))
    return failure();
  sums = whole;
  builder.setInsertionPoint(branch.elseBlock()->getTerminator());
  return write(tile);
}

/// An input of a map as threads read it; null after an error.
Value ThreadBlockProgram::inputOf(tile::MapOp map, unsigned input, tile::OwnOp own) {
  Value value = map.getInputs()[input];
  switch (map.getInputKind(input)) {
  case tile::MapInputKind::Fragment:
    return sums.lookup(value);
  case tile::MapInputKind::Number:
    if (Value number = operands.lookup(value))
      return number;
    map.emitOpError("must take numbers that are operands of the kernel");
    return {};
  case tile::MapInputKind::PerColumn: {
    OperandRange place = map.getIndicesOf(input);
    if (operands.lookup(value) && place[0] == own.getIndex(tile::AxisKind::Groups) &&
        place[1] == own.getIndex(tile::AxisKind::Columns))
      return operands.lookup(value);
    map.emitOpError("must read the columns that its tile owns");
    return {};
  }
  case tile::MapInputKind::PerRow:
  case tile::MapInputKind::PerElement: {
    OperandRange place = map.getIndicesOf(input);
    bool owned = operands.lookup(value) && place[0] == own.getIndex(tile::AxisKind::Types) &&
                 place[1] == own.getIndex(tile::AxisKind::Rows);
    if (place.size() > 2)
      owned = owned && place[2] == own.getIndex(tile::AxisKind::Groups) &&
              place[3] == own.getIndex(tile::AxisKind::Columns);
    if (owned)
      return operands.lookup(value);
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
/// delivered.
LogicalResult ThreadBlockProgram::writeMap(tile::MapOp map, tile::OwnOp own, const Tile &tile) {
  SmallVector<Value> inputs;
  for (unsigned input = 0; input < map.getInputs().size(); ++input) {
    inputs.push_back(inputOf(map, input, own));
    if (!inputs.back())
      return failure();
  }
  auto first = llvm::find_if(inputs, [](Value input) { return isa<sm::AccumulatorType>(input.getType()); });
  // Groups of unequal widths are one group to the numbers of columns.
  Value column = tile.column, group = tile.group;
  if (layout.hasUnequalGroups() &&
      llvm::any_of(inputs, [](Value input) { return isa<sm::ColumnsType>(input.getType()); })) {
    column = math.add(column, math.readTerms(table, math.add(group, layout.getIn().getCount() + 1)));
    group = math.constant(0);
  }
  SmallVector<Value> rows;
  if (llvm::any_of(inputs, [](Value input) { return isa<sm::MapsType>(input.getType()); }))
    rows = {tile.line.map, tile.column, tile.group, tile.line.line, tile.row};
  auto mapped = sm::MapOp::create(builder, location, first->getType(), inputs, column, group, rows);
  Block &block = mapped.getBody().emplaceBlock();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  Type f32 = builder.getF32Type();
  IRMapping copies;
  Block &body = map.getBody().front();
  for (auto [argument, input] : llvm::zip_equal(body.getArguments(), inputs)) {
    Type held = f32;
    if (auto columns = dyn_cast<sm::ColumnsType>(input.getType()))
      held = columns.getElementType();
    else if (auto maps = dyn_cast<sm::MapsType>(input.getType()))
      held = maps.getElementType();
    Value element = block.addArgument(held, location);
    // A rounded sum is one exactly.
    if (element.getType() != argument.getType())
      element = arith::TruncFOp::create(builder, location, argument.getType(), element);
    copies.map(argument, element);
  }
  for (Operation &op : body)
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &body && !copies.contains(operand))
        builder.clone(*operand.getDefiningOp<arith::ConstantOp>(), copies);
  for (Operation &op : body.without_terminator())
    builder.clone(op, copies);
  Value element = copies.lookup(body.getTerminator()->getOperand(0));
  if (element.getType() != f32) {
    auto rounded = element.getDefiningOp<arith::TruncFOp>();
    if (rounded && rounded.getIn().getType() == f32 &&
        llvm::all_of(map.getResult().getUsers(), llvm::IsaPred<tile::StoreOp>)) {
      element = rounded.getIn();
      if (rounded->use_empty())
        rounded->erase();
    } else {
      element = arith::ExtFOp::create(builder, location, f32, element);
    }
  }
  sm::YieldOp::create(builder, location, element);
  if (handsOn(mapped)) {
    sums[map.getResult()] = mapped.getInputs()[0];
    mapped.erase();
  } else {
    sums[map.getResult()] = mapped;
  }
  return success();
}

} // namespace compiler
