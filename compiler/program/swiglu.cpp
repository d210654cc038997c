#include "compiler/program/swiglu.h"

#include "compiler/program/convert_element.h"
#include "compiler/program/program_views.h"
#include "compiler/program/value_names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace compiler {

namespace {

/// Arithmetic on numbers of f32.
struct Arithmetic {
  OpBuilder &builder;
  Location location;

  Value number(double value) {
    return arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(static_cast<float>(value)));
  }
  Value plus(Value a, Value b) { return arith::AddFOp::create(builder, location, a, b); }
  Value times(Value a, Value b) { return arith::MulFOp::create(builder, location, a, b); }
  Value wide(Value a) { return convertElement(builder, location, a, builder.getF32Type()); }

  /// x (1 + bell) / 2
  Value half(Value x, Value bell) { return times(times(number(0.5), x), plus(number(1), bell)); }

  Value activate(Activation activation, Value x);
};

/// Writes the one function of a module.
class SwigluBuilder {
public:
  SwigluBuilder(ModuleOp module, const Swiglu &program, alg::AlgebraAttr algebra)
      : module_(module), builder_(module.getContext()), program_(program), algebra_(algebra),
        views_(*module.getContext(),
               {program.lift, program.in, program.out, program.dtype, program.row_types}) {}

  void build();

private:
  func::FuncOp addForward();
  Value argument(StringRef name) {
    return function_.getArgument(std::distance(names_.begin(), llvm::find(names_, name)));
  }
  /// The sums of a product in f32.
  Value product(Value activations, StringRef weights, const algebras::Groups &inputs,
                const algebras::Groups &outputs);
  /// A map of sums into the program's element type, whose body is given them, each with its bias added.
  Value map(StringRef name, ArrayRef<Value> sums, ArrayRef<Value> biases,
            function_ref<Value(Arithmetic &, ArrayRef<Value>)> body_of);
  Value hidden(Value xs);

  ModuleOp module_;
  OpBuilder builder_;
  const Swiglu &program_;
  alg::AlgebraAttr algebra_;
  const ProgramViews views_;
  SmallVector<StringRef> names_;
  func::FuncOp function_;
  Value schedule_;
};

} // namespace

Value Arithmetic::activate(Activation activation, Value x) {
  switch (activation) {
  case Activation::Silu: {
    Value power = math::ExpOp::create(builder, location, arith::NegFOp::create(builder, location, x));
    return arith::DivFOp::create(builder, location, x, plus(number(1), power));
  }
  case Activation::Gelu:
    return half(x, math::ErfOp::create(builder, location, times(x, number(std::numbers::sqrt2 / 2))));
  case Activation::GeluTanh: {
    Value cube = times(times(x, x), times(x, number(0.044715)));
    Value scaled = times(number(std::sqrt(2 * std::numbers::inv_pi)), plus(x, cube));
    return half(x, math::TanhOp::create(builder, location, scaled));
  }
  case Activation::Relu:
    return arith::MaximumFOp::create(builder, location, x, number(0));
  case Activation::Relu2: {
    Value positive = activate(Activation::Relu, x);
    return times(positive, positive);
  }
  case Activation::Identity:
    return x;
  }
  llvm_unreachable("an activation without a formula");
}

func::FuncOp SwigluBuilder::addForward() {
  SmallVector<Type> types;
  const auto add = [&](StringRef name, Type type) {
    names_.push_back(name);
    types.push_back(type);
  };
  add("x", views_.activations(program_.in).getTensor());
  if (program_.gate)
    add("gate", views_.weights(program_.in, program_.hidden).getTensor());
  add("up", views_.weights(program_.in, program_.hidden).getTensor());
  add("down", views_.weights(program_.hidden, program_.out).getTensor());
  if (views_.hasSchedule())
    add(views_.scheduleName(), views_.scheduleType());
  if (program_.bias && program_.gate)
    add("gate_bias", views_.columns(program_.hidden));
  if (program_.bias) {
    add("up_bias", views_.columns(program_.hidden));
    add("down_bias", views_.columns(program_.out));
  }
  return addFunction(builder_, module_, "forward", names_, types,
                     views_.activations(program_.out).getTensor());
}

Value SwigluBuilder::product(Value activations, StringRef weights, const algebras::Groups &inputs,
                             const algebras::Groups &outputs) {
  Value weight_matrix = views_.view(builder_, weights + "_slots", views_.weights(inputs, outputs),
                                    argument(weights), schedule_);
  const Type sums = builder_.getF32Type();
  return alg::ContractOp::create(builder_, namedLocation(builder_.getContext(), weights + "_sums"),
                                 activations, weight_matrix, algebra_, alg::OutputMode::Product,
                                 views_.element() == sums ? TypeAttr() : TypeAttr::get(sums));
}

Value SwigluBuilder::map(StringRef name, ArrayRef<Value> sums, ArrayRef<Value> biases,
                         function_ref<Value(Arithmetic &, ArrayRef<Value>)> body_of) {
  const Location location = namedLocation(builder_.getContext(), name);
  auto type = cast<alg::SlotsType>(sums.front().getType()).withElementType(views_.element());
  auto map = alg::MapOp::create(builder_, location, type, sums, biases, ValueRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder_);
  Block &body = map.getBody().front();
  builder_.setInsertionPointToEnd(&body);
  Arithmetic arithmetic{builder_, location};
  SmallVector<Value> values(body.getArguments().take_front(sums.size()));
  for (auto [index, bias] : llvm::enumerate(body.getArguments().drop_front(sums.size())))
    values[index] = arithmetic.plus(values[index], arithmetic.wide(bias));
  Value value = body_of(arithmetic, values);
  alg::YieldOp::create(builder_, location, convertElement(builder_, location, value, views_.element()));
  return map;
}

Value SwigluBuilder::hidden(Value xs) {
  SmallVector<Value> sums, biases;
  for (StringRef weights : {"gate", "up"}) {
    if (weights == "gate" && !program_.gate)
      continue;
    sums.push_back(product(xs, weights, program_.in, program_.hidden));
    if (program_.bias)
      biases.push_back(argument(weights == "gate" ? "gate_bias" : "up_bias"));
  }
  return map("h", sums, biases, [&](Arithmetic &arithmetic, ArrayRef<Value> values) {
    Value activated = arithmetic.activate(program_.activation, values.front());
    return program_.gate ? arithmetic.times(activated, values[1]) : activated;
  });
}

void SwigluBuilder::build() {
  function_ = addForward();
  if (views_.hasSchedule())
    schedule_ = argument(views_.scheduleName());
  Value xs = views_.view(builder_, "xs", views_.activations(program_.in), argument("x"), schedule_);
  Value sums = product(hidden(xs), "down", program_.hidden, program_.out);
  SmallVector<Value> biases;
  if (program_.bias)
    biases.push_back(argument("down_bias"));
  Value ys = sums;
  if (program_.bias || alg::elementTypeOf(sums) != views_.element())
    ys = map("ys", sums, biases, [](Arithmetic &, ArrayRef<Value> values) { return values.front(); });
  Value y = alg::GatherOp::create(builder_, namedLocation(builder_.getContext(), "y"), ys);
  func::ReturnOp::create(builder_, builder_.getUnknownLoc(), y);
}

OwningOpRef<ModuleOp> buildSwiglu(MLIRContext &context, const Swiglu &program) {
  const Location location = UnknownLoc::get(&context);
  auto algebra = alg::AlgebraAttr::getChecked([&] { return emitError(location); }, &context,
                                              program.lift.algebra(), /*allow_nonassociative=*/false);
  if (!algebra)
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  SwigluBuilder(*module, program, algebra).build();
  if (failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> buildActivation(MLIRContext &context, const Swiglu &program) {
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  const Type element =
      program.dtype == algebras::DataType::F32 ? Type(builder.getF32Type()) : Type(builder.getBF16Type());
  auto tensor = RankedTensorType::get({ShapedType::kDynamic, program.hidden.total()}, element);
  auto type = alg::SlotsType::get(tensor, /*plain=*/1);
  SmallVector<StringRef> names = {"up"};
  if (program.gate)
    names.insert(names.begin(), "gate");
  func::FuncOp function =
      addFunction(builder, *module, "forward", names, SmallVector<Type>(names.size(), tensor), tensor);
  SmallVector<Value> views;
  for (BlockArgument argument : function.getArguments())
    views.push_back(alg::SlotsOp::create(builder, argument.getLoc(), type, argument, Value(), Value()));
  const Location location = namedLocation(&context, "hs");
  auto map = alg::MapOp::create(builder, location, type, views, ValueRange(), ValueRange(), ValueRange());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block &body = map.getBody().front();
    builder.setInsertionPointToEnd(&body);
    Arithmetic arithmetic{builder, location};
    Value value = arithmetic.activate(program.activation, arithmetic.wide(body.getArgument(0)));
    if (program.gate)
      value = arithmetic.times(value, arithmetic.wide(body.getArgument(1)));
    alg::YieldOp::create(builder, location, convertElement(builder, location, value, element));
  }
  Value h = alg::GatherOp::create(builder, namedLocation(&context, "h"), map);
  func::ReturnOp::create(builder, builder.getUnknownLoc(), h);
  if (failed(verify(*module)))
    return {};
  return module;
}

} // namespace compiler
