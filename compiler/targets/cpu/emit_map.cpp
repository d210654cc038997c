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

ArrayRef<Value> KernelEmitter::rowsOfTile(Value type, Value ordinal, int64_t rows) {
  Block *block = builder_.getInsertionBlock();
  if (tile_rows_.block == block && tile_rows_.type == type && tile_rows_.ordinal == ordinal &&
      static_cast<int64_t>(tile_rows_.numbers.size()) == rows)
    return tile_rows_.numbers;
  tile_rows_ = {block, type, ordinal, {}};
  // A tile has a first row; what it has no row for is computed on another one and never stored.
  Value last = subtract(rowsOfType(type).count, 1);
  for (int64_t r = 0; r < rows; ++r)
    tile_rows_.numbers.push_back(rowOf(type, r == 0 ? ordinal : least(add(ordinal, r), last)));
  return tile_rows_.numbers;
}

Value KernelEmitter::rowOfTile(Value type, Value ordinal, int64_t rows, int64_t row) {
  // A loop over rows goes through those that there are.
  return row_of_loop_ ? rowOf(type, add(ordinal, row_of_loop_)) : rowsOfTile(type, ordinal, rows)[row];
}

SmallVector<Value> KernelEmitter::rowOfFragment(Value fragment, int64_t row) {
  const int64_t lanes = schedule_.getLanes(),
                columns = cast<tile::FragmentType>(fragment.getType()).getColumns(),
                vectors = columns / lanes;
  if (Value sums = sums_in_scratch_.lookup(fragment)) {
    Value start = multiply(row_of_loop_, columns);
    return llvm::map_to_vector(llvm::seq<int64_t>(0, vectors), [&](int64_t v) -> Value {
      return vector::LoadOp::create(builder_, location_, VectorType::get({lanes}, builder_.getF32Type()),
                                    sums, ValueRange{add(start, v * lanes)});
    });
  }
  return llvm::to_vector(ArrayRef(fragments_.find(fragment)->second).slice(row * vectors, vectors));
}

SmallVector<Value> KernelEmitter::vectorsOf(tile::MapOp map, unsigned input, int64_t row) {
  Value value = map.getInputs()[input];
  const tile::FragmentType tile = map.getResult().getType();
  const int64_t vectors = tile.getColumns() / schedule_.getLanes();
  SmallVector<Value> place;
  for (Value index : map.getIndicesOf(input))
    place.push_back(scalars_.lookup(index));
  switch (map.getInputKind(input)) {
  case tile::MapInputKind::Fragment:
    return rowOfFragment(value, row);
  case tile::MapInputKind::Number:
    return SmallVector<Value>(vectors, spread(scalars_.lookup(value)));
  case tile::MapInputKind::PerColumn:
    return loadColumns(memory_.lookup(value), constant(0), place[0], place[1], vectors);
  case tile::MapInputKind::PerRow: {
    const Memory operand = memory_.lookup(value);
    Value at[] = {rowOfTile(place[0], place[1], tile.getRows(), row), constant(0)};
    Value bits = memref::LoadOp::create(builder_, location_, operand.memref, at);
    // Spread as bits: machines without bf16 convert single elements by a call.
    return SmallVector<Value>(vectors, asElements(builder_, location_, spread(bits), operand.element));
  }
  case tile::MapInputKind::PerElement:
    return loadColumns(memory_.lookup(value), rowOfTile(place[0], place[1], tile.getRows(), row), place[2],
                       place[3], vectors);
  }
  llvm_unreachable("all kinds of inputs are above");
}

void KernelEmitter::prefetchOperands(tile::TermsOp terms) {
  Block &tile = *terms->getBlock();
  // A loop over rows asks for those that it comes to.
  if (usesAmx() || terms.getInits().empty() || *tile.getOps<tile::TermsOp>().begin() != terms)
    return;
  prefetchElements(llvm::to_vector(tile.getOps<tile::MapOp>()),
                   [&](Value type, Value ordinal, int64_t rows) -> SmallVector<Value> {
                     return llvm::to_vector(rowsOfTile(type, ordinal, rows));
                   });
}

void KernelEmitter::prefetchElements(ArrayRef<tile::MapOp> maps,
                                     function_ref<SmallVector<Value>(Value, Value, int64_t)> rows) {
  constexpr int64_t cache_line = 64;
  llvm::SmallPtrSet<Value, 4> asked;
  for (tile::MapOp map : maps)
    for (unsigned input = 0; input < map.getInputs().size(); ++input) {
      Value value = map.getInputs()[input];
      if (map.getInputKind(input) != tile::MapInputKind::PerElement || !asked.insert(value).second)
        continue;
      SmallVector<Value> place;
      for (Value index : map.getIndicesOf(input))
        place.push_back(scalars_.lookup(index));
      const Memory operand = memory_.lookup(value);
      const tile::FragmentType fragment = map.getResult().getType();
      const int64_t step = cache_line / (operand.element.getIntOrFloatBitWidth() / 8);
      Value first = add(groupStart(layout_.getOut(), "out", place[2]), place[3]);
      for (Value row : rows(place[0], place[1], fragment.getRows()))
        for (int64_t column = 0; column < fragment.getColumns(); column += step)
          memref::PrefetchOp::create(builder_, location_, operand.memref, ValueRange{row, add(first, column)},
                                     /*isWrite=*/false,
                                     /*localityHint=*/3, /*isDataCache=*/true);
    }
}

/// The body of a map for one vector of each input; null after an error.
Value KernelEmitter::emitBody(tile::MapOp map, ValueRange inputs) {
  const int64_t lanes = schedule_.getLanes();
  Block &body = map.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), inputs);
  for (Operation &op : body.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto type = VectorType::get({lanes}, constant.getType());
      mapping.map(
          constant.getResult(),
          arith::ConstantOp::create(builder_, location_, DenseElementsAttr::get(type, constant.getValue())));
      continue;
    }
    if (!op.hasTrait<OpTrait::Vectorizable>()) {
      op.emitOpError("has no form on vectors, so the CPU target cannot apply it");
      return {};
    }
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
  return inside ? inside : spread(scalars_.lookupOrDefault(yielded));
}

LogicalResult KernelEmitter::emitMaps(ArrayRef<tile::MapOp> maps, ArrayRef<tile::StoreOp> stores) {
  tile::MapOp first = maps.front();
  const tile::FragmentType tile = first.getResult().getType();
  for (tile::MapOp map : maps)
    fragments_[map.getResult()] = {};
  const auto row_stores = llvm::map_to_vector(stores, [&](tile::StoreOp store) { return beginStore(store); });
  for (int64_t row = 0; row < tile.getRows(); ++row) {
    for (tile::MapOp map : maps) {
      location_ = map.getLoc();
      SmallVector<SmallVector<Value>> inputs;
      for (unsigned input = 0; input < map.getInputs().size(); ++input)
        inputs.push_back(vectorsOf(map, input, row));
      for (int64_t v = 0; v < tile.getColumns() / schedule_.getLanes(); ++v) {
        Value result = emitBody(
            map, llvm::map_to_vector(inputs, [&](const SmallVector<Value> &vectors) { return vectors[v]; }));
        if (!result)
          return failure();
        fragments_[map.getResult()].push_back(result);
      }
    }
    for (const RowStore &store : row_stores)
      storeRow(store, row);
  }
  return success();
}

} // namespace compiler
