#include "compiler/program/gradient_sweep.h"

#include "compiler/program/body_gradient.h"
#include "compiler/program/convert_element.h"
#include "compiler/program/gradient_parts.h"
#include "compiler/program/value_names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace compiler {

namespace {

/// One sweep over a copy of the function, from its end.
class ProgramSweep {
public:
  ProgramSweep(func::FuncOp copy, ArrayRef<unsigned> wanted)
      : function_(copy), body_(copy.getBody().front()), builder_(copy.getContext()), numbers_(wanted),
        parts_(builder_) {
    for (unsigned index : wanted)
      arguments_.push_back(body_.getArgument(index));
  }

  /// Writes the gradients and returns them. The gradients of results become arguments number `first` and on;
  /// their number is in `upstream`.
  LogicalResult run(unsigned first, unsigned &upstream);

private:
  void findActive();
  LogicalResult differentiate(Operation *op);
  LogicalResult differentiate(alg::ContractOp contract);
  LogicalResult differentiate(alg::MapOp map);
  LogicalResult differentiate(alg::ReduceOp reduce);
  /// Sums, differences, products, quotients and negatives of tensors, element by element.
  LogicalResult differentiateStatistics(Operation *op);
  Value mapGradient(alg::MapOp map, unsigned operand, Value upstream, Type element);
  Value maximumGradient(alg::ReduceOp reduce, Value gradient, Type element);
  Value likeView(Value view, Type element, alg::Extent over, ValueRange statistics,
                 function_ref<Value(ValueRange)> body_of);

  /// A part of the gradient of `value`, if anything asks for that.
  void add(Value value, GradientParts::Part part) {
    if (active_.contains(value))
      parts_.add(value, std::move(part));
  }

  func::FuncOp function_;
  Block &body_;
  OpBuilder builder_;
  ArrayRef<unsigned> numbers_; ///< of the arguments, in the function that is differentiated
  SmallVector<Value> arguments_;
  DenseSet<Value> active_; ///< depend on the arguments
  GradientParts parts_;
};

} // namespace

void ProgramSweep::findActive() {
  active_.insert(arguments_.begin(), arguments_.end());
  for (Operation &op : body_.without_terminator()) {
    // Captured by the body of a map: a number that is no operand has no gradient, and that is found below.
    bool depends = false;
    op.walk([&](Operation *inner) {
      depends |= llvm::any_of(inner->getOperands(), [&](Value operand) { return active_.contains(operand); });
    });
    if (depends)
      active_.insert(op.result_begin(), op.result_end());
  }
}

LogicalResult ProgramSweep::differentiate(alg::ContractOp contract) {
  using alg::OutputMode;
  const Value lhs = contract.getLhs(), rhs = contract.getRhs();
  const Type operands = alg::elementTypeOf(lhs);
  const alg::AlgebraAttr algebra = contract.getAlgebra();
  Value gradient = parts_.sum(contract.getResult(), operands);
  if (!gradient)
    return failure();
  auto part = [=, this](Value of, Value a, Value b, OutputMode open) {
    add(of, [=, this](Type element) -> Value {
      TypeAttr into = element == operands ? TypeAttr() : TypeAttr::get(element);
      return alg::ContractOp::create(builder_, gradientLocation(of), a, b, algebra, open, into);
    });
  };
  switch (contract.getMode()) {
  case OutputMode::Product:
    part(lhs, gradient, rhs, OutputMode::ActivationGradient);
    part(rhs, lhs, gradient, OutputMode::WeightGradient);
    break;
  case OutputMode::ActivationGradient:
    part(lhs, gradient, rhs, OutputMode::Product);
    part(rhs, gradient, lhs, OutputMode::WeightGradient);
    break;
  case OutputMode::WeightGradient:
    part(lhs, rhs, gradient, OutputMode::ActivationGradient);
    part(rhs, lhs, gradient, OutputMode::Product);
    break;
  }
  return success();
}

/// The map from the operands of `map` and the gradient of its result to the gradient of one operand, before
/// it is added up over what the operand was spread over.
Value ProgramSweep::mapGradient(alg::MapOp map, unsigned operand, Value upstream, Type element) {
  SmallVector<Value> views = llvm::to_vector<4>(map.getInputs());
  views.push_back(upstream);
  const Location location = gradientLocation(map->getOperand(operand));
  auto type = map.getResult().getType().withElementType(element);
  auto gradient =
      alg::MapOp::create(builder_, location, type, views, map.getColumns(), map.getRows(), map.getNumbers());
  OpBuilder::InsertionGuard guard(builder_);
  Block &block = gradient.getBody().front();
  builder_.setInsertionPointToEnd(&block);
  SmallVector<Value> values(block.getArguments());
  values.erase(values.begin() + map.getInputs().size());
  FailureOr<Value> computed = differentiateBody(builder_, map.getBody().front(), values,
                                                block.getArgument(map.getInputs().size()), operand);
  if (failed(computed)) {
    gradient.erase();
    return {};
  }
  alg::YieldOp::create(builder_, location, convertElement(builder_, location, *computed, element));
  return gradient;
}

LogicalResult ProgramSweep::differentiate(alg::MapOp map) {
  WalkResult captures = map.getBody().walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (active_.contains(operand) && !map.getBody().isAncestor(operand.getParentRegion()))
        return op->emitError(
                   "uses a number from outside of the map, which has no gradient: make it an operand"),
               WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (captures.wasInterrupted())
    return failure();
  Value upstream = parts_.sum(map.getResult(), alg::elementTypeOf(map.getResult()));
  if (!upstream)
    return failure();
  unsigned index = 0;
  for (Value view : map.getInputs()) {
    add(view,
        [=, this, operand = index](Type element) { return mapGradient(map, operand, upstream, element); });
    ++index;
  }
  const std::pair<OperandRange, alg::Extent> kinds[] = {{map.getColumns(), alg::Extent::Rows},
                                                        {map.getRows(), alg::Extent::Columns},
                                                        {map.getNumbers(), alg::Extent::All}};
  for (auto [operands, over] : kinds)
    for (Value value : operands) {
      add(value, [=, this, operand = index, over = over](Type element) -> Value {
        Value spread = mapGradient(map, operand, upstream, computationType(element));
        if (!spread)
          return {};
        return alg::ReduceOp::create(builder_, gradientLocation(value), alg::Reduction::Sum, spread, over,
                                     element);
      });
      ++index;
    }
  return success();
}

/// A map over `view` and statistics of it over `over`, whose body is given the element and those.
Value ProgramSweep::likeView(Value view, Type element, alg::Extent over, ValueRange statistics,
                             function_ref<Value(ValueRange)> body_of) {
  const Location location = gradientLocation(view);
  auto of = [&](alg::Extent extent) { return over == extent ? statistics : ValueRange(); };
  auto type = cast<alg::SlotsType>(view.getType()).withElementType(element);
  auto map = alg::MapOp::create(builder_, location, type, view, of(alg::Extent::Rows),
                                of(alg::Extent::Columns), of(alg::Extent::All));
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(&map.getBody().front());
  Value value = body_of(map.getBody().getArguments());
  alg::YieldOp::create(builder_, location, convertElement(builder_, location, value, element));
  return map;
}

/// Elements that are equal to the maximum share its gradient.
Value ProgramSweep::maximumGradient(alg::ReduceOp reduce, Value gradient, Type element) {
  Value view = reduce.getView(), maximum = reduce.getResult();
  const Location location = gradientLocation(view);
  const Type computation = computationType(alg::elementTypeOf(maximum));
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(builder_, location, builder_.getFloatAttr(computation, value));
  };
  auto wide = [&](Value value) { return convertElement(builder_, location, value, computation); };
  auto select_largest = [&](ValueRange values, Value taken) -> Value {
    Value largest = arith::CmpFOp::create(builder_, location, arith::CmpFPredicate::OEQ, wide(values[0]),
                                          wide(values[1]));
    return arith::SelectOp::create(builder_, location, largest, taken, number(0));
  };
  Value indicator = likeView(view, computation, reduce.getOver(), maximum,
                             [&](ValueRange values) { return select_largest(values, number(1)); });
  Value count = alg::ReduceOp::create(builder_, location, alg::Reduction::Sum, indicator, reduce.getOver(),
                                      computation);
  return likeView(view, element, reduce.getOver(), {maximum, count, gradient}, [&](ValueRange values) {
    Value share = arith::DivFOp::create(builder_, location, wide(values[3]), values[2]);
    return select_largest(values, share);
  });
}

LogicalResult ProgramSweep::differentiate(alg::ReduceOp reduce) {
  add(reduce.getView(), [=, this](Type element) mutable -> Value {
    Value result = reduce.getResult(), gradient = parts_.sum(result, alg::elementTypeOf(result));
    if (!gradient)
      return {};
    if (reduce.getReduction() == alg::Reduction::Maximum)
      return maximumGradient(reduce, gradient, element);
    return likeView(reduce.getView(), element, reduce.getOver(), gradient,
                    [](ValueRange values) { return values[1]; });
  });
  return success();
}

LogicalResult ProgramSweep::differentiateStatistics(Operation *op) {
  const Value result = op->getResult(0);
  const Type computation = computationType(alg::elementTypeOf(result));
  Value gradient = parts_.sum(result, computation);
  if (!gradient)
    return failure();
  const Location location = gradientLocation(result);
  const auto wide = [=, this](Value value) { return withElements(builder_, location, value, computation); };
  /// The part of an operand, of type `computation`.
  const auto part = [&](unsigned number, std::function<Value()> value) {
    Value operand = op->getOperand(number);
    add(operand, [=, this](Type element) {
      return withElements(builder_, gradientLocation(operand), value(), element);
    });
  };
  const auto negated = [=, this](Value value) { return arith::NegFOp::create(builder_, location, value); };
  const auto times = [=, this](Value a, Value b) { return arith::MulFOp::create(builder_, location, a, b); };
  const auto over = [=, this](Value a, Value b) { return arith::DivFOp::create(builder_, location, a, b); };
  const Value a = op->getOperand(0), b = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  if (isa<arith::NegFOp>(op)) {
    part(0, [=]() -> Value { return negated(gradient); });
  } else if (isa<arith::MulFOp>(op)) {
    part(0, [=]() -> Value { return times(gradient, wide(b)); });
    part(1, [=]() -> Value { return times(gradient, wide(a)); });
  } else if (isa<arith::DivFOp>(op)) {
    part(0, [=]() -> Value { return over(gradient, wide(b)); });
    part(1, [=]() -> Value { return negated(times(over(gradient, wide(b)), wide(result))); });
  } else {
    part(0, [=]() -> Value { return gradient; });
    part(1, [=]() -> Value { return isa<arith::SubFOp>(op) ? Value(negated(gradient)) : gradient; });
  }
  return success();
}

LogicalResult ProgramSweep::differentiate(Operation *op) {
  Value result = op->getResult(0);
  // Of an operation that passes its operand on, changed in how it is seen.
  auto pass = [&](unsigned operand, std::function<Value(Type)> part) {
    return add(op->getOperand(operand), std::move(part)), success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<alg::ContractOp, alg::MapOp, alg::ReduceOp>([&](auto same) { return differentiate(same); })
      .Case([&](alg::GatherOp gather) {
        return pass(0, [=, this](Type element) mutable -> Value {
          Value view = gather.getView(), tensor = parts_.sum(result, alg::elementTypeOf(result));
          Value seen = tensor ? viewLike(builder_, gradientLocation(view), tensor, view) : Value();
          return seen ? withElements(builder_, gradientLocation(view), seen, element) : Value();
        });
      })
      .Case([&](alg::SlotsOp slots) {
        return pass(0, [=, this](Type element) mutable -> Value {
          Value view = parts_.sum(result, element);
          return view ? alg::GatherOp::create(builder_, gradientLocation(slots.getTensor()), view) : Value();
        });
      })
      .Case([&](alg::RegroupOp regroup) {
        return pass(0, [=, this](Type element) mutable -> Value {
          Value view = parts_.sum(result, element);
          auto type = regroup.getSource().getType().withElementType(element);
          return view ? alg::RegroupOp::create(builder_, gradientLocation(regroup.getSource()), type, view)
                      : Value();
        });
      })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [&](auto) { return pass(0, [=, this](Type element) { return parts_.sum(result, element); }); })
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp>(
          [&](auto) { return differentiateStatistics(op); })
      .Default([](Operation *unknown) { return unknown->emitOpError("has no rule of differentiation"); });
}

LogicalResult ProgramSweep::run(unsigned first, unsigned &upstream) {
  findActive();
  SmallVector<Operation *> program;
  for (Operation &op : body_.without_terminator())
    program.push_back(&op);
  auto end = cast<func::ReturnOp>(body_.getTerminator());
  builder_.setInsertionPoint(end);
  upstream = 0;
  for (Value result : end.getOperands()) {
    if (!active_.contains(result) || parts_.has(result))
      continue;
    const unsigned index = first + upstream++;
    if (failed(function_.insertArgument(index, result.getType(), {}, gradientLocation(result))))
      return failure();
    Value gradient = body_.getArgument(index);
    parts_.add(result, [=, this](Type element) {
      return withElements(builder_, gradient.getLoc(), gradient, element);
    });
  }
  for (Operation *op : llvm::reverse(program)) {
    if (llvm::none_of(op->getResults(), [&](Value result) { return parts_.has(result); }))
      continue;
    if (op->getNumResults() != 1)
      return op->emitOpError("has no rule of differentiation");
    if (failed(differentiate(op)))
      return failure();
  }
  SmallVector<Value> gradients;
  for (auto [number, argument] : llvm::zip_equal(numbers_, arguments_)) {
    if (!parts_.has(argument)) {
      const std::string name =
          nameOf(argument).empty() ? std::to_string(number) : "'" + nameOf(argument).str() + "'";
      return emitError(argument.getLoc()) << "no result depends on argument " << name;
    }
    if (!gradients.emplace_back(parts_.sum(argument, alg::elementTypeOf(argument))))
      return failure();
  }
  end.getOperandsMutable().assign(gradients);
  function_.setType(builder_.getFunctionType(body_.getArgumentTypes(), ValueRange(gradients).getTypes()));
  return success();
}

LogicalResult sweepGradients(func::FuncOp copy, ArrayRef<unsigned> wanted, unsigned first,
                             unsigned &upstream) {
  return ProgramSweep(copy, wanted).run(first, upstream);
}

} // namespace compiler
