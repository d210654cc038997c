#include "compiler/program/program_views.h"

#include "compiler/program/value_names.h"

using namespace mlir;

namespace compiler {

ProgramViews::ProgramViews(MLIRContext &context, const algebras::Layer &layer)
    : context_(&context), row_types_(layer.row_types), slots_(layer.lift.inputGroups()),
      rows_lift_(layer.lift.kind() == algebras::Lift::Kind::Rows),
      explicit_types_(rows_lift_ && layer.row_types.kind() == algebras::RowTypes::Kind::Explicit),
      element_type_(layer.dtype == algebras::DataType::F32 ? Type(Float32Type::get(&context))
                                                           : Type(BFloat16Type::get(&context))) {}

alg::SlotsType ProgramViews::activations(const algebras::Groups &features) const {
  auto tensor = RankedTensorType::get({ShapedType::kDynamic, features.total()}, element_type_);
  if (!rows_lift_)
    return alg::SlotsType::get(tensor, slots_);
  return alg::SlotsType::get(tensor, alg::RowTypesAttr::get(context_, row_types_),
                             alg::GroupsAttr::get(context_, features));
}

alg::SlotsType ProgramViews::weights(const algebras::Groups &inputs, const algebras::Groups &outputs) const {
  const int64_t k = inputs.total(), n = outputs.total();
  if (!rows_lift_)
    return alg::SlotsType::get(RankedTensorType::get({slots_, k / slots_, n / slots_}, element_type_),
                               slots_);
  return alg::SlotsType::get(RankedTensorType::get({k, n}, element_type_),
                             alg::GroupsAttr::get(context_, inputs), alg::GroupsAttr::get(context_, outputs));
}

RankedTensorType ProgramViews::columns(const algebras::Groups &features) const {
  return RankedTensorType::get({features.total()}, element_type_);
}

Type ProgramViews::scheduleType() const {
  if (explicit_types_)
    return RankedTensorType::get({ShapedType::kDynamic}, IntegerType::get(context_, 32));
  return IndexType::get(context_);
}

Value ProgramViews::view(OpBuilder &builder, const Twine &name, alg::SlotsType type, Value tensor,
                         Value schedule) const {
  const bool has_rows = !type.isWeights(); // a weight matrix has neither types nor positions
  return alg::SlotsOp::create(builder, namedLocation(context_, name), type, tensor,
                              has_rows && !explicit_types_ ? schedule : Value(),
                              has_rows && explicit_types_ ? schedule : Value());
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
