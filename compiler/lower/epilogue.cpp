#include "compiler/lower/epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace compiler {

/// A number as one of another type.
static Value asType(OpBuilder &builder, Location location, Value number, Type type) {
  if (number.getType() == type)
    return number;
  if (type.isF32())
    return arith::ExtFOp::create(builder, location, type, number);
  return arith::TruncFOp::create(builder, location, type, number);
}

Epilogue::Source Epilogue::addStep(Step step) {
  steps.push_back(std::move(step));
  return {Source::Kind::Step, steps.size() - 1};
}

Epilogue::Source Epilogue::round(Source sums, Type element) {
  if (element.isF32())
    return sums;
  return addStep({{sums}, element, [element](OpBuilder &builder, Location location, ValueRange sum) {
                    return asType(builder, location, sum[0], element);
                  }});
}

/// Where the tile is in an operand.
static SmallVector<Value, 4> placeIn(Epilogue::Shape shape, const TilePlace &place) {
  SmallVector<Value, 4> row = {place.row};
  if (place.type)
    row.insert(row.begin(), place.type);
  switch (shape) {
  case Epilogue::Shape::PerColumn:
    return {place.group, place.column};
  case Epilogue::Shape::PerRow:
    return row;
  case Epilogue::Shape::PerElement:
    row.append({place.group, place.column});
    return row;
  case Epilogue::Shape::Number:
    return {};
  }
  llvm_unreachable("all shapes are above");
}

/// A map of fragments of one shape to one of elements `result`.
static Value writeMap(OpBuilder &builder, Location location, StringRef name, Type result,
                      ArrayRef<tile::MapInput> inputs, function_ref<Value(ValueRange)> body) {
  tile::FragmentType shape;
  for (const tile::MapInput &input : inputs)
    if (auto fragment = dyn_cast<tile::FragmentType>(input.value.getType()))
      shape = fragment;
  auto type = tile::FragmentType::get(builder.getContext(), shape.getRows(), shape.getColumns(), result);
  auto map = tile::MapOp::create(builder, NameLoc::get(builder.getStringAttr(name), location), type, inputs);
  Block &block = map.getBody().emplaceBlock();
  for (const tile::MapInput &input : inputs) {
    Type element = input.value.getType();
    if (auto fragment = dyn_cast<tile::FragmentType>(element))
      element = fragment.getElementType();
    else if (auto matrix = dyn_cast<tile::MatrixType>(element))
      element = matrix.getElementType();
    block.addArgument(element, location);
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  tile::YieldOp::create(builder, location, body(block.getArguments()));
  return map.getResult();
}

SmallVector<Value> writeEpilogue(OpBuilder &builder, Location location, const Epilogue &epilogue,
                                 ValueRange operands, const TilePlace &place, ValueRange sums) {
  SmallVector<Value> mapped;
  auto value_of = [&](const Epilogue::Source &source) -> tile::MapInput {
    switch (source.kind) {
    case Epilogue::Source::Kind::Sums:
      return {sums[source.number], {}};
    case Epilogue::Source::Kind::Step:
      return {mapped[source.number], {}};
    case Epilogue::Source::Kind::Operand:
      return {operands[source.number], placeIn(epilogue.operands[source.number].shape, place)};
    }
    llvm_unreachable("all kinds of sources are above");
  };
  for (const Epilogue::Step &step : epilogue.steps) {
    SmallVector<tile::MapInput> inputs = llvm::map_to_vector(step.inputs, value_of);
    // A map of operands alone is of the tile's shape all the same: it takes sums that it does not use.
    const bool shapeless = llvm::none_of(step.inputs, [](const Epilogue::Source &source) {
      return source.kind != Epilogue::Source::Kind::Operand;
    });
    if (shapeless)
      inputs.push_back({sums.front(), {}});
    mapped.push_back(writeMap(
        builder, location, step.result.isF32() ? "mapped" : "rounded", step.result, inputs,
        [&](ValueRange elements) { return step.body(builder, location, elements.drop_back(shapeless)); }));
  }
  SmallVector<Value> stored;
  for (const Epilogue::Result &result : epilogue.results) {
    Value value = value_of(result.value).value;
    if (cast<tile::FragmentType>(value.getType()).getElementType() != result.element)
      value = writeMap(
          builder, location, "rounded", result.element, {tile::MapInput{value, {}}},
          [&](ValueRange element) { return asType(builder, location, element.front(), result.element); });
    stored.push_back(value);
  }
  return stored;
}

} // namespace compiler
