// map: element-wise code, one vector at a time.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace compiler {

Value KernelEmitter::spread(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder_, location_,
                                     VectorType::get({schedule_.getLanes()}, value.getType()), value);
}

/// What was loaded as bits, as numbers of the matrix.
static Value asElements(OpBuilder &builder, Location location, Value loaded, Type element) {
  if (getElementTypeOrSelf(loaded.getType()) == element)
    return loaded;
  auto vector = dyn_cast<VectorType>(loaded.getType());
  Type type = vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  return arith::BitcastOp::create(builder, location, type, loaded);
}

SmallVector<Value> KernelEmitter::loadColumns(const Memory &operand, Value row, Value group, Value column,
                                              int64_t vectors) {
  const int64_t lanes = schedule_.getLanes();
  Value first = add(groupStart(layout_.getOut(), "out", group), column);
  Value left = subtract(groupWidth(layout_.getOut(), "out", group), column);
  auto stored = VectorType::get({lanes}, storageOf(operand.element));
  SmallVector<Value> loaded;
  for (int64_t v = 0; v < vectors; ++v) {
    Value at[] = {row, add(first, v * lanes)};
    Value values;
    if (columnsAlwaysFill()) {
      values = vector::LoadOp::create(builder_, location_, stored, operand.memref, at);
    } else {
      Value zeros = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(stored));
      values = vector::MaskedLoadOp::create(builder_, location_, stored, operand.memref, at,
                                            columnMask(left, v, lanes), zeros);
    }
    loaded.push_back(asElements(builder_, location_, values, operand.element));
  }
  return loaded;
}

SmallVector<Value> KernelEmitter::rowsOfTile(Value type, Value ordinal, int64_t rows) {
  // A tile has a first row; what it has no row for is computed on another one and never stored.
  Value last = subtract(rowsOfType(type).count, 1);
  SmallVector<Value> numbers;
  for (int64_t r = 0; r < rows; ++r)
    numbers.push_back(rowOf(type, r == 0 ? ordinal : least(add(ordinal, r), last)));
  return numbers;
}

SmallVector<Value> KernelEmitter::perColumn(tile::FragmentType tile, const Memory &operand,
                                            ValueRange place) {
  const int64_t vectors = tile.getColumns() / schedule_.getLanes();
  const SmallVector<Value> of_a_row = loadColumns(operand, constant(0), place[0], place[1], vectors);
  SmallVector<Value> values;
  for (int64_t r = 0; r < tile.getRows(); ++r)
    values.append(of_a_row);
  return values;
}

SmallVector<Value> KernelEmitter::perRow(tile::FragmentType tile, const Memory &operand, ValueRange place) {
  SmallVector<Value> values;
  for (Value row : rowsOfTile(place[0], place[1], tile.getRows())) {
    Value bits = memref::LoadOp::create(builder_, location_, operand.memref, ValueRange{row, constant(0)});
    // Spread as bits: machines without bf16 convert single elements by a call.
    values.append(tile.getColumns() / schedule_.getLanes(),
                  asElements(builder_, location_, spread(bits), operand.element));
  }
  return values;
}

SmallVector<Value> KernelEmitter::perElement(tile::FragmentType tile, const Memory &operand,
                                             ValueRange place) {
  SmallVector<Value> values;
  for (Value row : rowsOfTile(place[0], place[1], tile.getRows()))
    values.append(loadColumns(operand, row, place[2], place[3], tile.getColumns() / schedule_.getLanes()));
  return values;
}

SmallVector<Value> KernelEmitter::mapInput(tile::MapOp map, unsigned input) {
  Value value = map.getInputs()[input];
  tile::FragmentType tile = map.getResult().getType();
  SmallVector<Value> place;
  for (Value index : map.getIndicesOf(input))
    place.push_back(scalars_.lookup(index));
  switch (map.getInputKind(input)) {
  case tile::MapInputKind::Fragment:
    return fragments_.lookup(value);
  case tile::MapInputKind::Number:
    return SmallVector<Value>(tile.getRows() * (tile.getColumns() / schedule_.getLanes()),
                              spread(scalars_.lookup(value)));
  case tile::MapInputKind::PerColumn:
    return perColumn(tile, memory_.lookup(value), place);
  case tile::MapInputKind::PerRow:
    return perRow(tile, memory_.lookup(value), place);
  case tile::MapInputKind::PerElement:
    return perElement(tile, memory_.lookup(value), place);
  }
  llvm_unreachable("all kinds of inputs are above");
}

LogicalResult KernelEmitter::emitMap(tile::MapOp map) {
  Block &body = map.getBody().front();
  const int64_t lanes = schedule_.getLanes();
  SmallVector<SmallVector<Value>> inputs;
  for (unsigned input = 0; input < map.getInputs().size(); ++input)
    inputs.push_back(mapInput(map, input));
  SmallVector<Value> results;
  for (size_t i = 0; i < inputs.front().size(); ++i) {
    IRMapping mapping;
    for (auto [argument, input] : llvm::zip_equal(body.getArguments(), inputs))
      mapping.map(argument, input[i]);
    for (Operation &op : body.without_terminator()) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        auto type = VectorType::get({lanes}, constant.getType());
        mapping.map(constant.getResult(),
                    arith::ConstantOp::create(builder_, location_,
                                              DenseElementsAttr::get(type, constant.getValue())));
        continue;
      }
      if (!op.hasTrait<OpTrait::Vectorizable>())
        return op.emitOpError("has no form on vectors, so the CPU target cannot apply it");
      // The same op on vectors: operands from outside the body are spread.
      SmallVector<Value> operands;
      for (Value operand : op.getOperands()) {
        Value inside = mapping.lookupOrNull(operand);
        operands.push_back(inside ? inside : spread(scalars_.lookupOrDefault(operand)));
      }
      OperationState state(location_, op.getName(), operands, {}, op.getAttrs());
      for (Type result : op.getResultTypes())
        state.addTypes(VectorType::get({lanes}, result));
      Operation *vectorized = builder_.create(state);
      mapping.map(op.getResults(), vectorized->getResults());
    }
    Value yielded = body.getTerminator()->getOperand(0);
    Value inside = mapping.lookupOrNull(yielded);
    results.push_back(inside ? inside : spread(scalars_.lookupOrDefault(yielded)));
  }
  fragments_[map.getResult()] = std::move(results);
  return success();
}

} // namespace compiler
