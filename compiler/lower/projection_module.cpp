#include "compiler/lower/projection_module.h"

#include "dialects/alg/alg.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace compiler {

namespace {

/// Writes the functions of one layer.
class ProjectionBuilder {
public:
  ProjectionBuilder(ModuleOp module, const algebras::Layer &layer, alg::AlgebraAttr algebra)
      : builder(module.getContext()), location(builder.getUnknownLoc()), module(module), layer(layer),
        algebra(algebra), rows_lift(layer.lift.kind() == algebras::Lift::Kind::Rows),
        explicit_types(rows_lift && layer.row_types.kind() == algebras::RowTypes::Kind::Explicit),
        element(layer.dtype == algebras::DataType::F32 ? Type(builder.getF32Type())
                                                       : Type(builder.getBF16Type())) {}

  /// `operand` times the bank, with the mode's index left open.
  void function(StringRef name, alg::OutputMode mode) {
    const bool product = mode == alg::OutputMode::Product;
    const StringRef operand = product ? "x" : "dy", result = product ? "y" : "dx";
    alg::SlotsType operand_slots = activations(product ? layer.in : layer.out), bank_slots = bank();
    RankedTensorType result_type = activations(product ? layer.out : layer.in).getTensor();
    SmallVector<Type> inputs = {operand_slots.getTensor(), bank_slots.getTensor()};
    if (explicit_types)
      inputs.push_back(RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type()));
    else if (rows_lift)
      inputs.push_back(builder.getIndexType());

    builder.setInsertionPointToEnd(module.getBody());
    auto function =
        func::FuncOp::create(builder, location, name, builder.getFunctionType(inputs, result_type));
    Block *entry = function.addEntryBlock();
    const StringRef argument_names[] = {operand, "w", explicit_types ? "types" : "p0"};
    for (auto [argument, argument_name] : llvm::zip(entry->getArguments(), argument_names))
      argument.setLoc(named(argument_name));
    builder.setInsertionPointToStart(entry);
    Value third = inputs.size() > 2 ? Value(entry->getArgument(2)) : Value();
    Value a = alg::SlotsOp::create(builder, named(operand.str() + "s"), operand_slots, entry->getArgument(0),
                                   explicit_types ? Value() : third, explicit_types ? third : Value());
    Value w = alg::SlotsOp::create(builder, named("ws"), bank_slots, entry->getArgument(1), Value(), Value());
    Value contracted = alg::ContractOp::create(builder, named(result.str() + "s"), a, w, algebra, mode);
    func::ReturnOp::create(builder, location,
                           ValueRange(alg::GatherOp::create(builder, named(result), contracted).getResult()));
  }

private:
  // Names for readers of the printed program.
  Location named(const Twine &name) { return NameLoc::get(builder.getStringAttr(name), location); }

  alg::SlotsType activations(const algebras::Groups &groups) {
    auto tensor = RankedTensorType::get({ShapedType::kDynamic, groups.total()}, element);
    if (!rows_lift)
      return alg::SlotsType::get(tensor, layer.lift.inputGroups());
    MLIRContext *context = builder.getContext();
    return alg::SlotsType::get(tensor, alg::RowTypesAttr::get(context, layer.row_types),
                               alg::GroupsAttr::get(context, groups));
  }

  alg::SlotsType bank() {
    const std::int64_t k = layer.in.total(), n = layer.out.total(), slots = layer.lift.inputGroups();
    MLIRContext *context = builder.getContext();
    if (!rows_lift)
      return alg::SlotsType::get(RankedTensorType::get({slots, k / slots, n / slots}, element), slots);
    return alg::SlotsType::get(RankedTensorType::get({k, n}, element),
                               alg::GroupsAttr::get(context, layer.in),
                               alg::GroupsAttr::get(context, layer.out));
  }

  OpBuilder builder;
  Location location;
  ModuleOp module;
  const algebras::Layer &layer;
  alg::AlgebraAttr algebra;
  const bool rows_lift, explicit_types;
  Type element;
};

} // namespace

OwningOpRef<ModuleOp> buildProjection(MLIRContext &context, const algebras::Layer &layer,
                                      bool allow_nonassociative, Maps maps) {
  Location location = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  auto algebra = alg::AlgebraAttr::getChecked([&] { return emitError(location); }, &context,
                                              layer.lift.algebra(), allow_nonassociative);
  if (!algebra)
    return {};
  ProjectionBuilder builder(*module, layer, algebra);
  if (maps != Maps::DxAlone)
    builder.function("forward", alg::OutputMode::Product);
  if (maps != Maps::ForwardAlone)
    builder.function("dx", alg::OutputMode::ActivationGradient);
  if (failed(verify(*module)))
    return {};
  return module;
}

} // namespace compiler
