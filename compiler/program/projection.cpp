#include "compiler/program/projection.h"

#include "compiler/program/convert_element.h"
#include "compiler/program/differentiate.h"
#include "compiler/program/program_views.h"
#include "compiler/program/value_names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace compiler {

static Type typeOf(MLIRContext &context, algebras::DataType type) {
  return type == algebras::DataType::F32 ? Type(Float32Type::get(&context)) : BFloat16Type::get(&context);
}

/// forward(x, w, p0 or types) -> y, without a bias
static func::FuncOp addForward(ModuleOp module, const algebras::Layer &layer, alg::AlgebraAttr algebra) {
  MLIRContext *context = module.getContext();
  const ProgramViews views(*context, layer);
  const alg::SlotsType x = views.activations(layer.in), w = views.weights(layer.in, layer.out);
  SmallVector<StringRef> names = {"x", "w"};
  SmallVector<Type> types = {x.getTensor(), w.getTensor()};
  if (views.hasSchedule()) {
    names.push_back(views.scheduleName());
    types.push_back(views.scheduleType());
  }
  OpBuilder builder(context);
  func::FuncOp function =
      addFunction(builder, module, "forward", names, types, views.activations(layer.out).getTensor());
  Value schedule = views.hasSchedule() ? Value(function.getArgument(2)) : Value();
  Value xs = views.view(builder, "xs", x, function.getArgument(0), schedule);
  Value ws = views.view(builder, "ws", w, function.getArgument(1), schedule);
  Value ys = alg::ContractOp::create(builder, namedLocation(context, "ys"), xs, ws, algebra,
                                     alg::OutputMode::Product, /*into=*/TypeAttr());
  Value y = alg::GatherOp::create(builder, namedLocation(context, "y"), ys);
  func::ReturnOp::create(builder, builder.getUnknownLoc(), y);
  return function;
}

/// Adds a bias of `bias_element`s to the sums of the function's product, its last argument. They are rounded
/// to `result` then.
static void addBias(func::FuncOp forward, Type bias_element, Type result) {
  MLIRContext *context = forward.getContext();
  auto product = *forward.getOps<alg::ContractOp>().begin();
  auto gather = *forward.getOps<alg::GatherOp>().begin();
  const Type element = product.getResult().getType().getElementType(), f32 = Float32Type::get(context);
  const alg::SlotsType rounded = product.getResult().getType().withElementType(result);
  Block &entry = forward.getBody().front();
  auto columns = RankedTensorType::get({rounded.getFeatures().getTotal()}, bias_element);
  Value bias = entry.addArgument(columns, namedLocation(context, "bias"));
  OpBuilder builder(product);
  Value sums = alg::ContractOp::create(builder, namedLocation(context, "sums"), product.getLhs(),
                                       product.getRhs(), product.getAlgebra(), product.getMode(),
                                       element == f32 ? TypeAttr() : TypeAttr::get(f32));
  const Location location = product.getLoc();
  auto map = alg::MapOp::create(builder, location, rounded, sums, bias, ValueRange(), ValueRange());
  Value y = alg::GatherOp::create(builder, gather.getLoc(), map.getResult());
  gather.replaceAllUsesWith(y);
  gather.erase();
  product.erase();
  forward.setType(FunctionType::get(context, entry.getArgumentTypes(), y.getType()));
  Block &body = map.getBody().front();
  builder.setInsertionPointToEnd(&body);
  Value sum = arith::AddFOp::create(builder, location, body.getArgument(0),
                                    convertElement(builder, location, body.getArgument(1), f32));
  alg::YieldOp::create(builder, location, convertElement(builder, location, sum, result));
}

OwningOpRef<ModuleOp> buildProjection(MLIRContext &context, const algebras::Layer &layer,
                                      bool allow_nonassociative, ArrayRef<alg::OutputMode> modes,
                                      std::optional<algebras::DataType> result) {
  Location location = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  auto algebra = alg::AlgebraAttr::getChecked([&] { return emitError(location); }, &context,
                                              layer.lift.algebra(), allow_nonassociative);
  if (!algebra)
    return {};
  func::FuncOp forward = addForward(*module, layer, algebra);
  // The gradients of x and of w are those of the product, whatever is added to it.
  for (alg::OutputMode mode : modes) {
    GradientOptions options;
    if (mode == alg::OutputMode::ActivationGradient)
      options = {.name = "dx", .arguments = {0}, .keeping = {}};
    else if (mode == alg::OutputMode::WeightGradient)
      options = {.name = "dw", .arguments = {1}, .keeping = {}};
    if (!options.name.empty() && failed(differentiate(forward, options)))
      return {};
  }
  if (!llvm::is_contained(modes, alg::OutputMode::Product))
    forward.erase();
  else if (layer.bias)
    addBias(forward, typeOf(context, layer.dtype), typeOf(context, result.value_or(layer.dtype)));
  if (failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> buildBiasGradient(MLIRContext &context, const algebras::Layer &layer,
                                        bool allow_nonassociative, algebras::DataType result,
                                        StringRef name) {
  algebras::Layer product = layer;
  product.bias = false;
  OwningOpRef<ModuleOp> module =
      buildProjection(context, product, allow_nonassociative, alg::OutputMode::Product);
  if (!module)
    return {};
  auto forward = *module->getOps<func::FuncOp>().begin();
  addBias(forward, typeOf(context, result), typeOf(context, layer.dtype));
  GradientOptions options{.name = name.str(), .arguments = {forward.getNumArguments() - 1}, .keeping = {}};
  if (failed(differentiate(forward, options)))
    return {};
  forward.erase();
  return module;
}

} // namespace compiler
