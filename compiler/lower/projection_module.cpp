#include "compiler/lower/projection_module.h"

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

  /// The two operands that the mode contracts, to the third one.
  void function(alg::OutputMode mode) {
    const bool product = mode == alg::OutputMode::Product,
               bank_gradient = mode == alg::OutputMode::BankGradient;
    const Operand x{"x", activations(layer.in)}, w{"w", bank()};
    const Operand dy{"dy", activations(layer.out)};
    const Operand &first = mode == alg::OutputMode::ActivationGradient ? dy : x;
    const Operand &second = bank_gradient ? dy : w;
    const StringRef result = product ? "y" : bank_gradient ? "dw" : "dx";
    const StringRef name = product ? "forward" : result;
    RankedTensorType result_type = bank_gradient ? w.slots.getTensor()
                                   : product     ? dy.slots.getTensor()
                                                 : x.slots.getTensor();
    SmallVector<Type> inputs = {first.slots.getTensor(), second.slots.getTensor()};
    if (explicit_types)
      inputs.push_back(RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type()));
    else if (rows_lift)
      inputs.push_back(builder.getIndexType());
    const bool biased = product && layer.bias;
    if (biased)
      inputs.push_back(RankedTensorType::get({layer.out.total()}, element));

    builder.setInsertionPointToEnd(module.getBody());
    auto function =
        func::FuncOp::create(builder, location, name, builder.getFunctionType(inputs, result_type));
    Block *entry = function.addEntryBlock();
    SmallVector<StringRef> argument_names = {first.name, second.name};
    if (rows_lift)
      argument_names.push_back(explicit_types ? "types" : "p0");
    if (biased)
      argument_names.push_back("bias");
    for (auto [argument, argument_name] : llvm::zip_equal(entry->getArguments(), argument_names))
      argument.setLoc(named(argument_name));
    builder.setInsertionPointToStart(entry);
    Value third = rows_lift ? Value(entry->getArgument(2)) : Value();
    Value bias = biased ? Value(entry->getArguments().back()) : Value();
    auto view = [&](const Operand &operand, Value tensor) -> Value {
      const bool has_rows = !operand.slots.isBank(); // a bank has neither types nor positions
      return alg::SlotsOp::create(builder, named(operand.name + "s"), operand.slots, tensor,
                                  has_rows && !explicit_types ? third : Value(),
                                  has_rows && explicit_types ? third : Value());
    };
    Value a = view(first, entry->getArgument(0)), b = view(second, entry->getArgument(1));
    Value contracted =
        alg::ContractOp::create(builder, named(result + "s"), a, b, bias, algebra, mode, /*into=*/TypeAttr());
    func::ReturnOp::create(builder, location,
                           ValueRange(alg::GatherOp::create(builder, named(result), contracted).getResult()));
  }

private:
  struct Operand {
    StringRef name;
    alg::SlotsType slots;
  };

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
                                      bool allow_nonassociative, ArrayRef<alg::OutputMode> modes) {
  Location location = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  auto algebra = alg::AlgebraAttr::getChecked([&] { return emitError(location); }, &context,
                                              layer.lift.algebra(), allow_nonassociative);
  if (!algebra)
    return {};
  ProjectionBuilder builder(*module, layer, algebra);
  for (alg::OutputMode mode : modes)
    builder.function(mode);
  if (failed(verify(*module)))
    return {};
  return module;
}

} // namespace compiler
