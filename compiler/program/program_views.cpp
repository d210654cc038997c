#include "compiler/program/program_views.h"

#include "compiler/program/value_names.h"

using namespace mlir;

namespace compiler {

ProgramViews::ProgramViews(MLIRContext &context, const algebras::Layer &layer)
    : context(&context), row_types(layer.row_types), slots(layer.lift.inputGroups()),
      rows_lift(layer.lift.kind() == algebras::Lift::Kind::Rows),
      explicit_types(rows_lift && layer.row_types.kind() == algebras::RowTypes::Kind::Explicit),
      element_type(layer.dtype == algebras::DataType::F32 ? Type(Float32Type::get(&context))
                                                          : Type(BFloat16Type::get(&context))) {}

alg::SlotsType ProgramViews::activations(const algebras::Groups &features) const {
  auto tensor = RankedTensorType::get({ShapedType::kDynamic, features.total()}, element_type);
  if (!rows_lift)
    return alg::SlotsType::get(tensor, slots);
  return alg::SlotsType::get(tensor, alg::RowTypesAttr::get(context, row_types),
                             alg::GroupsAttr::get(context, features));
}

alg::SlotsType ProgramViews::bank(const algebras::Groups &inputs, const algebras::Groups &outputs) const {
  const std::int64_t k = inputs.total(), n = outputs.total();
  if (!rows_lift)
    return alg::SlotsType::get(RankedTensorType::get({slots, k / slots, n / slots}, element_type), slots);
  return alg::SlotsType::get(RankedTensorType::get({k, n}, element_type),
                             alg::GroupsAttr::get(context, inputs), alg::GroupsAttr::get(context, outputs));
}

RankedTensorType ProgramViews::columns(const algebras::Groups &features) const {
  return RankedTensorType::get({features.total()}, element_type);
}

Type ProgramViews::scheduleType() const {
  if (explicit_types)
    return RankedTensorType::get({ShapedType::kDynamic}, IntegerType::get(context, 32));
  return IndexType::get(context);
}

Value ProgramViews::view(OpBuilder &builder, const Twine &name, alg::SlotsType type, Value tensor,
                         Value schedule) const {
  const bool has_rows = !type.isBank(); // a bank has neither types nor positions
  return alg::SlotsOp::create(builder, namedLocation(context, name), type, tensor,
                              has_rows && !explicit_types ? schedule : Value(),
                              has_rows && explicit_types ? schedule : Value());
}

func::FuncOp addFunction(OpBuilder &builder, ModuleOp module, StringRef name, ArrayRef<StringRef> names,
                         TypeRange arguments, TypeRange results) {
  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(builder, builder.getUnknownLoc(), name,
                                       builder.getFunctionType(arguments, results));
  Block *entry = function.addEntryBlock();
  for (auto [argument, argument_name] : llvm::zip_equal(entry->getArguments(), names))
    argument.setLoc(namedLocation(builder.getContext(), argument_name));
  builder.setInsertionPointToStart(entry);
  return function;
}

} // namespace compiler
