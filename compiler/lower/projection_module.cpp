#include "compiler/lower/projection_module.h"

#include "dialects/alg/alg.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace compiler {

OwningOpRef<ModuleOp> buildProjection(MLIRContext &context, const algebras::Layer &layer,
                                      bool allow_nonassociative) {
  OpBuilder builder(&context);
  Location location = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location);
  auto algebra = alg::AlgebraAttr::getChecked([&] { return emitError(location); }, &context,
                                              layer.lift.algebra(), allow_nonassociative);
  if (!algebra)
    return {};

  const bool rows_lift = layer.lift.kind() == algebras::Lift::Kind::Rows;
  const bool explicit_types = rows_lift && layer.row_types.kind() == algebras::RowTypes::Kind::Explicit;
  const std::int64_t k = layer.in.total(), n = layer.out.total(), slots = layer.lift.inputGroups();
  Type element =
      layer.dtype == algebras::DataType::F32 ? Type(builder.getF32Type()) : Type(builder.getBF16Type());
  auto x_type = RankedTensorType::get({ShapedType::kDynamic, k}, element);
  auto w_type = rows_lift ? RankedTensorType::get({k, n}, element)
                          : RankedTensorType::get({slots, k / slots, n / slots}, element);
  auto y_type = RankedTensorType::get({ShapedType::kDynamic, n}, element);
  SmallVector<Type> inputs = {x_type, w_type};
  if (explicit_types)
    inputs.push_back(RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type()));
  else if (rows_lift)
    inputs.push_back(builder.getIndexType());

  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, location, "forward", builder.getFunctionType(inputs, y_type));
  Block *entry = function.addEntryBlock();
  // Names for readers of the printed program.
  auto named = [&](StringRef name) -> Location {
    return NameLoc::get(builder.getStringAttr(name), location);
  };
  const StringRef argument_names[] = {"x", "w", explicit_types ? "types" : "p0"};
  for (auto [argument, name] : llvm::zip(entry->getArguments(), argument_names))
    argument.setLoc(named(name));
  builder.setInsertionPointToStart(entry);

  alg::SlotsType x_slots, w_slots;
  if (rows_lift) {
    x_slots = alg::SlotsType::get(x_type, alg::RowTypesAttr::get(&context, layer.row_types),
                                  alg::GroupsAttr::get(&context, layer.in));
    w_slots = alg::SlotsType::get(w_type, alg::GroupsAttr::get(&context, layer.in),
                                  alg::GroupsAttr::get(&context, layer.out));
  } else {
    x_slots = alg::SlotsType::get(x_type, slots);
    w_slots = alg::SlotsType::get(w_type, slots);
  }
  Value third = inputs.size() > 2 ? Value(entry->getArgument(2)) : Value();
  Value x = alg::SlotsOp::create(builder, named("xs"), x_slots, entry->getArgument(0),
                                 explicit_types ? Value() : third, explicit_types ? third : Value());
  Value w = alg::SlotsOp::create(builder, named("ws"), w_slots, entry->getArgument(1), Value(), Value());
  Value product = alg::ContractOp::create(builder, named("ys"), x, w, algebra, alg::OutputMode::Product);
  Value y = alg::GatherOp::create(builder, named("y"), product);
  func::ReturnOp::create(builder, location, y);
  if (failed(verify(*module)))
    return {};
  return module;
}

} // namespace compiler
