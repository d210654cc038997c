#include "compiler/program/projection.h"

#include "compiler/program/differentiate.h"
#include "compiler/program/program_views.h"
#include "compiler/program/value_names.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace compiler {

/// forward(x, w, p0 or types, bias) -> y
static func::FuncOp addForward(ModuleOp module, const algebras::Layer &layer, alg::AlgebraAttr algebra) {
  MLIRContext *context = module.getContext();
  const ProgramViews views(*context, layer);
  const alg::SlotsType x = views.activations(layer.in), w = views.bank(layer.in, layer.out);
  SmallVector<StringRef> names = {"x", "w"};
  SmallVector<Type> types = {x.getTensor(), w.getTensor()};
  if (views.hasSchedule()) {
    names.push_back(views.scheduleName());
    types.push_back(views.scheduleType());
  }
  if (layer.bias) {
    names.push_back("bias");
    types.push_back(views.columns(layer.out));
  }
  OpBuilder builder(context);
  func::FuncOp function =
      addFunction(builder, module, "forward", names, types, views.activations(layer.out).getTensor());
  Value schedule = views.hasSchedule() ? Value(function.getArgument(2)) : Value();
  Value bias = layer.bias ? Value(function.getArguments().back()) : Value();
  Value xs = views.view(builder, "xs", x, function.getArgument(0), schedule);
  Value ws = views.view(builder, "ws", w, function.getArgument(1), schedule);
  Value ys = alg::ContractOp::create(builder, namedLocation(context, "ys"), xs, ws, bias, algebra,
                                     alg::OutputMode::Product, /*into=*/TypeAttr());
  Value y = alg::GatherOp::create(builder, namedLocation(context, "y"), ys);
  func::ReturnOp::create(builder, builder.getUnknownLoc(), y);
  return function;
}

OwningOpRef<ModuleOp> buildProjection(MLIRContext &context, const algebras::Layer &layer,
                                      bool allow_nonassociative, ArrayRef<alg::OutputMode> modes) {
  Location location = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  auto algebra = alg::AlgebraAttr::getChecked([&] { return emitError(location); }, &context,
                                              layer.lift.algebra(), allow_nonassociative);
  if (!algebra)
    return {};
  func::FuncOp forward = addForward(*module, layer, algebra);
  // The gradients are those of the product, of x and of w.
  for (alg::OutputMode mode : modes) {
    GradientOptions options;
    if (mode == alg::OutputMode::ActivationGradient)
      options = {.name = "dx", .arguments = {0}, .keeping = {}};
    else if (mode == alg::OutputMode::BankGradient)
      options = {.name = "dw", .arguments = {1}, .keeping = {}};
    if (!options.name.empty() && failed(differentiate(forward, options)))
      return {};
  }
  if (!llvm::is_contained(modes, alg::OutputMode::Product))
    forward.erase();
  if (failed(verify(*module)))
    return {};
  return module;
}

} // namespace compiler
