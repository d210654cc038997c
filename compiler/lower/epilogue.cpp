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

void Epilogue::addBias(Type element) {
  operands.push_back({Shape::PerColumn, element, "bias"});
  auto body = [](OpBuilder &builder, Location location, ValueRange elements) -> Value {
    Value number = asType(builder, location, elements[1], builder.getF32Type());
    return arith::AddFOp::create(builder, location, elements[0], number);
  };
  steps.push_back({{sums, operands.size() - 1}, Float32Type::get(element.getContext()), body});
}

void Epilogue::round(Type element) {
  if (!element.isF32())
    steps.push_back({{sums}, element, [element](OpBuilder &builder, Location location, ValueRange sum) {
                       return asType(builder, location, sum[0], element);
                     }});
}

Type Epilogue::typeOf(const Operand &operand, tile::LayoutAttr layout) const {
  MLIRContext *context = layout.getContext();
  const std::int64_t columns = layout.getOut().getTotal();
  switch (operand.shape) {
  case Shape::PerColumn:
    return tile::MatrixType::get(context, 1, columns, operand.element);
  case Shape::PerRow:
    return tile::MatrixType::get(context, ShapedType::kDynamic, 1, operand.element);
  case Shape::PerElement:
    return tile::MatrixType::get(context, ShapedType::kDynamic, columns, operand.element);
  case Shape::Number:
    return operand.element;
  }
  llvm_unreachable("all shapes are above");
}

void nameOperands(const Epilogue &epilogue, Block &operands) {
  for (auto [operand, argument] :
       llvm::zip_equal(epilogue.operands, operands.getArguments().drop_front(2).drop_back()))
    argument.setLoc(NameLoc::get(StringAttr::get(argument.getContext(), operand.name), argument.getLoc()));
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

Value writeEpilogue(OpBuilder &builder, Location location, const Epilogue &epilogue, ValueRange operands,
                    const TilePlace &place, Value sums, Type result) {
  for (const Epilogue::Step &step : epilogue.steps) {
    SmallVector<tile::MapInput> inputs;
    for (std::size_t input : step.inputs)
      inputs.push_back(input == Epilogue::sums
                           ? tile::MapInput{sums, {}}
                           : tile::MapInput{operands[input], placeIn(epilogue.operands[input].shape, place)});
    sums = writeMap(builder, location, step.result.isF32() ? "mapped" : "rounded", step.result, inputs,
                    [&](ValueRange elements) { return step.body(builder, location, elements); });
  }
  if (cast<tile::FragmentType>(sums.getType()).getElementType() == result)
    return sums;
  return writeMap(builder, location, "rounded", result, {tile::MapInput{sums, {}}},
                  [&](ValueRange element) { return asType(builder, location, element.front(), result); });
}

} // namespace compiler
