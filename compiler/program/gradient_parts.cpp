#include "compiler/program/gradient_parts.h"

#include "compiler/program/convert_element.h"
#include "compiler/program/value_names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace compiler {

Location gradientLocation(Value value) {
  StringRef name = nameOf(value);
  return name.empty() ? value.getLoc() : namedLocation(value.getContext(), "d" + name);
}

Value viewLike(OpBuilder &builder, Location location, Value tensor, Value like) {
  auto type = cast<alg::SlotsType>(like.getType()).withElementType(alg::elementTypeOf(tensor));
  Value offset, types;
  if (type.getRowTypes()) {
    alg::SlotsOp schedule = alg::findRowSchedule(like);
    if (!schedule) {
      emitError(like.getLoc()) << "the types of the rows of this view are not known here";
      return {};
    }
    offset = schedule.getOffset();
    types = schedule.getTypes();
  }
  return builder.createOrFold<alg::SlotsOp>(location, type, tensor, offset, types);
}

Value withElements(OpBuilder &builder, Location location, Value value, Type element) {
  auto view = dyn_cast<alg::SlotsType>(value.getType());
  if (!view)
    return convertElement(builder, location, value, element);
  if (view.getElementType() == element)
    return value;
  auto map = alg::MapOp::create(builder, location, view.withElementType(element), value, ValueRange(),
                                ValueRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&map.getBody().front());
  Value converted = convertElement(builder, location, map.getBody().getArgument(0), element);
  alg::YieldOp::create(builder, location, converted);
  return map;
}

Value GradientParts::sumOfViews(Value value, ValueRange summands, Type element) {
  const Location location = gradientLocation(value);
  auto type = cast<alg::SlotsType>(summands.front().getType()).withElementType(element);
  auto map = alg::MapOp::create(builder_, location, type, summands, ValueRange(), ValueRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(&map.getBody().front());
  Value sum = map.getBody().getArgument(0);
  for (BlockArgument further : map.getBody().getArguments().drop_front())
    sum = arith::AddFOp::create(builder_, location, sum, further);
  alg::YieldOp::create(builder_, location, convertElement(builder_, location, sum, element));
  return map;
}

Value GradientParts::sumOfTensors(Value value, ValueRange summands, Type element) {
  const Location location = gradientLocation(value);
  // Matrices are added as one of the views through which they are used, so that kernels see a map.
  for (Operation *user : value.getUsers()) {
    auto slots = dyn_cast<alg::SlotsOp>(user);
    if (!slots || slots.getTensor() != value)
      continue;
    SmallVector<Value> views;
    for (Value summand : summands)
      views.push_back(viewLike(builder_, gradientLocation(slots), summand, slots));
    return alg::GatherOp::create(builder_, location, sumOfViews(slots, views, element));
  }
  Value sum = summands.front();
  for (Value further : summands.drop_front())
    sum = arith::AddFOp::create(builder_, location, sum, further);
  return convertElement(builder_, location, sum, element);
}

Value GradientParts::sum(Value value, Type element) {
  SmallVector<Part, 1> &of_value = parts_[value];
  if (of_value.size() == 1)
    return of_value.front()(element);
  SmallVector<Value> summands;
  for (Part &part : of_value)
    if (!summands.emplace_back(part(computationType(element))))
      return {};
  return isa<alg::SlotsType>(value.getType()) ? sumOfViews(value, summands, element)
                                              : sumOfTensors(value, summands, element);
}

} // namespace compiler
