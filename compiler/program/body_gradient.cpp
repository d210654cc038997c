#include "compiler/program/body_gradient.h"

#include "compiler/program/convert_element.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace compiler {

namespace {

/// One sweep over a body from its end, with the gradients of its values so far.
class BodySweep {
public:
  BodySweep(OpBuilder &builder, Block &body, ValueRange arguments) : builder_(builder), body_(body) {
    copies_.map(body.getArguments(), arguments);
    for (Operation &op : body.without_terminator())
      builder.clone(op, copies_);
  }

  FailureOr<Value> run(Value upstream, BlockArgument wanted);

private:
  LogicalResult differentiate(Operation *op);
  LogicalResult differentiatePower(math::PowFOp power);
  LogicalResult differentiateQuotient(arith::DivFOp quotient);
  LogicalResult differentiateProduct(arith::MulFOp product);

  // Of the operation at hand: the gradient of its result, its operands and its result as the copy computes
  // them.
  Value gradient() { return gradients_.lookup(current_->getResult(0)); }
  Value operand(unsigned index) { return widened(current_->getOperand(index)); }
  Value result() { return widened(current_->getResult(0)); }

  Value widened(Value value) {
    return convertElement(builder_, location(), copies_.lookupOrDefault(value),
                          computationType(value.getType()));
  }

  /// Adds to the gradient of an operand, if anything depends on that.
  void add(unsigned index, function_ref<Value()> contribution) {
    add(current_->getOperand(index), contribution);
  }
  void add(Value value, function_ref<Value()> contribution) {
    if (!active_.contains(value))
      return;
    Value added = convertElement(builder_, location(), contribution(), computationType(value.getType()));
    Value &sum = gradients_[value];
    sum = sum ? plus(sum, added) : added;
  }

  Location location() { return current_->getLoc(); }
  Value number(double value) {
    Type type = computationType(current_->getResult(0).getType());
    return arith::ConstantOp::create(builder_, location(), builder_.getFloatAttr(type, value));
  }
  Value plus(Value a, Value b) { return arith::AddFOp::create(builder_, location(), a, b); }
  Value minus(Value a, Value b) { return arith::SubFOp::create(builder_, location(), a, b); }
  Value times(Value a, Value b) { return arith::MulFOp::create(builder_, location(), a, b); }
  Value quotient(Value a, Value b) { return arith::DivFOp::create(builder_, location(), a, b); }
  Value negative(Value a) { return arith::NegFOp::create(builder_, location(), a); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder_, location(), condition, a, b);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder_, location(), predicate, a, b);
  }
  /// The gradient times a slope that may be infinite where nothing depends on it: in a branch that was not
  /// taken, or behind a quotient by it.
  Value timesSteep(function_ref<Value()> slope) {
    Value g = gradient();
    return select(compare(arith::CmpFPredicate::OEQ, g, number(0)), number(0), times(g, slope()));
  }
  /// The gradient times a slope. Of what saturates the gradient is zero where the slope may be infinite.
  Value timesSlope(function_ref<Value()> slope) {
    return saturating_.contains(current_) ? timesSteep(slope) : times(gradient(), slope());
  }
  /// The gradient times an operand, which is finite where it is a constant.
  Value timesFactor(unsigned index) {
    auto factor = [&] { return operand(index); };
    return matchPattern(current_->getOperand(index), m_Constant()) ? times(gradient(), factor())
                                                                   : timesSlope(factor);
  }
  /// The gradient over the square root of `constant` + `sign` x^2, and over 1 + `sign` x^2.
  Value overRoot(double constant, double sign) {
    Value square = times(operand(0), operand(0));
    return times(gradient(), apply<math::RsqrtOp>(plus(number(constant), times(number(sign), square))));
  }
  Value overSquare(double sign) {
    Value square = times(operand(0), operand(0));
    return quotient(gradient(), plus(number(1), times(number(sign), square)));
  }
  template <typename Function> Value apply(Value a) { return Function::create(builder_, location(), a); }

  /// Of a maximum or a minimum: the first operand was taken where `predicate` holds between them.
  void differentiateChoice(arith::CmpFPredicate predicate) {
    auto first = [&] { return compare(predicate, operand(0), operand(1)); };
    add(0, [&] { return select(first(), gradient(), number(0)); });
    add(1, [&] { return select(first(), number(0), gradient()); });
  }

  OpBuilder &builder_;
  Block &body_;
  IRMapping copies_;
  DenseSet<Value> active_;           ///< depend on the wanted argument
  DenseSet<Operation *> saturating_; ///< make what a hyperbolic tangent is taken of, or what is divided by
  DenseMap<Value, Value> gradients_;
  Operation *current_ = nullptr;
};

} // namespace

LogicalResult BodySweep::differentiatePower(math::PowFOp power) {
  if (active_.contains(power.getRhs()))
    return power.emitOpError("has a gradient for constant exponents alone");
  // Any number to the power of 0 is 1; by the rule the slope at 0 would be 0 times infinity.
  if (matchPattern(power.getRhs(), m_AnyZeroFloat()))
    return success();
  add(0, [&]() -> Value {
    Value less = minus(operand(1), number(1));
    Value slope = math::PowFOp::create(builder_, location(), operand(0), less);
    return timesSlope([&] { return times(operand(1), slope); });
  });
  return success();
}

/// What is behind changes of type.
static Operation *sourceOf(Value value) {
  Operation *source = value.getDefiningOp();
  while (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(source))
    source = source->getOperand(0).getDefiningOp();
  return source;
}

namespace {

/// A divisor c + k exp(u) or c + k 2^u, as SiLU and the sigmoid have it.
struct Saturating {
  Operation *exponential = nullptr;                  ///< null where there is none
  Value constant, factor;                            ///< c; k, null where that is 1
  bool minus_constant = false, minus_factor = false; ///< -c, -k

  Value exponent() const { return exponential->getOperand(0); }
  /// The slope of exp(u) to u, over exp(u).
  double rate() const { return isa<math::Exp2Op>(exponential) ? std::numbers::ln2 : 1; }
};

} // namespace

/// None where c or k depend on the wanted argument, too.
static Saturating saturating(Value divisor, const DenseSet<Value> &active) {
  Operation *sum = divisor.getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp>(sum))
    return {};
  const auto exponential = [](Value value) -> Operation * {
    Operation *source = sourceOf(value);
    return isa_and_nonnull<math::ExpOp, math::Exp2Op>(source) ? source : nullptr;
  };
  for (unsigned number : {0u, 1u}) {
    const bool minus = isa<arith::SubFOp>(sum);
    Saturating found;
    found.constant = sum->getOperand(1 - number);
    found.minus_factor = minus && number == 1;
    found.minus_constant = minus && number == 0;
    const Value summand = sum->getOperand(number);
    found.exponential = exponential(summand);
    if (auto product = dyn_cast_or_null<arith::MulFOp>(sourceOf(summand)))
      for (unsigned factor : {0u, 1u})
        if (Operation *other = exponential(product->getOperand(1 - factor)); other && !found.exponential) {
          found.exponential = other;
          found.factor = product->getOperand(factor);
        }
    if (found.exponential && !active.contains(found.constant) &&
        !(found.factor && active.contains(found.factor)))
      return found;
  }
  return {};
}

LogicalResult BodySweep::differentiateQuotient(arith::DivFOp quotient) {
  const Saturating divisor = saturating(quotient.getRhs(), active_);
  if (!divisor.exponential) {
    auto share = [&] { return this->quotient(gradient(), operand(1)); };
    add(0, share);
    add(1, [&] { return negative(times(share(), result())); });
    return success();
  }
  // Straight to u: the gradient of exp(u) would be zero where exp(u) is infinite, and their product not a
  // number. Behind the largest number exp(u) only grows, and the quotient by which it is multiplied is zero.
  auto inverse = [&] { return this->quotient(number(1), operand(1)); };
  add(0, [&] { return times(gradient(), inverse()); });
  add(divisor.exponent(), [&] {
    Value power = widened(divisor.exponential->getResult(0));
    const auto &numbers = cast<FloatType>(power.getType()).getFloatSemantics();
    Value largest = arith::ConstantOp::create(
        builder_, location(), builder_.getFloatAttr(power.getType(), llvm::APFloat::getLargest(numbers)));
    Value finite = arith::MinimumFOp::create(builder_, location(), power, largest);
    Value slope = times(times(gradient(), result()), times(finite, inverse()));
    if (divisor.factor)
      slope = times(slope, widened(divisor.factor));
    if (divisor.rate() != 1)
      slope = times(slope, number(divisor.rate()));
    return divisor.minus_factor ? slope : negative(slope);
  });
  return success();
}

/// The divisor c + k exp(u) of a product of exp(u), not above the largest number, and of 1 / (c + k exp(u)):
/// the slope of a quotient has it.
static Saturating saturatingShare(arith::MulFOp product, const DenseSet<Value> &active) {
  auto finite = product.getLhs().getDefiningOp<arith::MinimumFOp>();
  auto inverse = product.getRhs().getDefiningOp<arith::DivFOp>();
  if (!finite || !inverse || !matchPattern(inverse.getLhs(), m_OneFloat()))
    return {};
  const Saturating divisor = saturating(inverse.getRhs(), active);
  FloatAttr bound;
  const bool same = divisor.exponential && sourceOf(finite.getLhs()) == divisor.exponential &&
                    matchPattern(finite.getRhs(), m_Constant(&bound)) && bound.getValue().isLargest();
  return same ? divisor : Saturating{};
}

LogicalResult BodySweep::differentiateProduct(arith::MulFOp product) {
  const Saturating divisor = saturatingShare(product, active_);
  if (!divisor.exponential) {
    add(0, [&] { return timesFactor(1); });
    add(1, [&] { return timesFactor(0); });
    return success();
  }
  // The slope of exp(u) / (c + k exp(u)) to u is that quotient times c / (c + k exp(u)). The rule for
  // products would take the largest number times the slope of the inverse, which is zero there only in the
  // limit.
  add(divisor.exponent(), [&] {
    Value rest =
        quotient(widened(divisor.constant), widened(product.getRhs().getDefiningOp()->getOperand(1)));
    Value slope = times(times(gradient(), result()), rest);
    if (divisor.rate() != 1)
      slope = times(slope, number(divisor.rate()));
    return divisor.minus_constant ? negative(slope) : slope;
  });
  return success();
}

LogicalResult BodySweep::differentiate(Operation *op) {
  using Predicate = arith::CmpFPredicate;
  current_ = op;
  auto g = [&] { return gradient(); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return add(0, g), success(); })
      .Case([&](arith::AddFOp) { return add(0, g), add(1, g), success(); })
      .Case([&](arith::SubFOp) { return add(0, g), add(1, [&] { return negative(gradient()); }), success(); })
      .Case([&](arith::MulFOp product) { return differentiateProduct(product); })
      .Case([&](arith::DivFOp quotient) { return differentiateQuotient(quotient); })
      .Case([&](arith::NegFOp) { return add(0, [&] { return negative(gradient()); }), success(); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [&](auto) { return differentiateChoice(Predicate::OGT), success(); })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [&](auto) { return differentiateChoice(Predicate::OLT), success(); })
      .Case([&](arith::SelectOp choice) {
        Value condition = copies_.lookupOrDefault(choice.getCondition());
        add(1, [&] { return select(condition, gradient(), number(0)); });
        add(2, [&] { return select(condition, number(0), gradient()); });
        return success();
      })
      .Case([&](math::FmaOp) {
        add(0, [&] { return timesFactor(1); });
        add(1, [&] { return timesFactor(0); });
        add(2, g);
        return success();
      })
      .Case([&](math::ExpOp) {
        return add(0, [&] { return timesSteep([&] { return result(); }); }), success();
      })
      .Case([&](math::Log2Op) {
        add(0, [&] { return quotient(gradient(), times(operand(0), number(std::numbers::ln2))); });
        return success();
      })
      .Case([&](math::Exp2Op) {
        add(0, [&] { return timesSteep([&] { return times(result(), number(std::numbers::ln2)); }); });
        return success();
      })
      .Case([&](math::ExpM1Op) {
        return add(0, [&] { return timesSteep([&] { return plus(result(), number(1)); }); }), success();
      })
      .Case([&](math::LogOp) { return add(0, [&] { return quotient(gradient(), operand(0)); }), success(); })
      .Case([&](math::Log1pOp) {
        return add(0, [&] { return quotient(gradient(), plus(operand(0), number(1))); }), success();
      })
      .Case([&](math::TanhOp) {
        add(0, [&] { return times(gradient(), minus(number(1), times(result(), result()))); });
        return success();
      })
      .Case<math::ErfOp, math::ErfcOp>([&](auto) {
        add(0, [&] {
          const double factor = (isa<math::ErfOp>(op) ? 2 : -2) * std::numbers::inv_sqrtpi;
          Value bell = apply<math::ExpOp>(negative(times(operand(0), operand(0))));
          return times(gradient(), times(number(factor), bell));
        });
        return success();
      })
      .Case([&](math::SqrtOp) {
        return add(0, [&] { return quotient(gradient(), times(number(2), result())); }), success();
      })
      .Case([&](math::RsqrtOp) {
        add(0, [&] {
          Value cube = times(result(), times(result(), result()));
          return times(gradient(), times(number(-0.5), cube));
        });
        return success();
      })
      .Case([&](math::AbsFOp) {
        add(0, [&] {
          Value above = select(compare(Predicate::OGT, operand(0), number(0)), gradient(), number(0));
          return select(compare(Predicate::OLT, operand(0), number(0)), negative(gradient()), above);
        });
        return success();
      })
      .Case([&](math::SinOp) {
        return add(0, [&] { return times(gradient(), apply<math::CosOp>(operand(0))); }), success();
      })
      .Case([&](math::CosOp) {
        add(0, [&] { return negative(times(gradient(), apply<math::SinOp>(operand(0)))); });
        return success();
      })
      .Case([&](math::TanOp) {
        add(0, [&] { return times(gradient(), plus(number(1), times(result(), result()))); });
        return success();
      })
      .Case([&](math::AsinOp) { return add(0, [&] { return overRoot(1, -1); }), success(); })
      .Case([&](math::AcosOp) { return add(0, [&] { return negative(overRoot(1, -1)); }), success(); })
      .Case([&](math::AtanOp) { return add(0, [&] { return overSquare(1); }), success(); })
      .Case([&](math::SinhOp) {
        return add(0, [&] { return timesSteep([&] { return apply<math::CoshOp>(operand(0)); }); }), success();
      })
      .Case([&](math::CoshOp) {
        return add(0, [&] { return timesSteep([&] { return apply<math::SinhOp>(operand(0)); }); }), success();
      })
      .Case([&](math::AsinhOp) { return add(0, [&] { return overRoot(1, 1); }), success(); })
      .Case([&](math::AcoshOp) { return add(0, [&] { return overRoot(-1, 1); }), success(); })
      .Case([&](math::AtanhOp) { return add(0, [&] { return overSquare(-1); }), success(); })
      .Case([&](math::CbrtOp) {
        add(0, [&] { return quotient(gradient(), times(number(3), times(result(), result()))); });
        return success();
      })
      // Steps are constant where they do not jump.
      .Case<math::CeilOp, math::FloorOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
          [](auto) { return success(); })
      .Case([&](math::PowFOp power) { return differentiatePower(power); })
      .Default([](Operation *unknown) { return unknown->emitOpError("has no rule of differentiation"); });
}

FailureOr<Value> BodySweep::run(Value upstream, BlockArgument wanted) {
  active_.insert(wanted);
  for (Operation &op : body_.without_terminator())
    if (llvm::any_of(op.getOperands(), [&](Value operand) { return active_.contains(operand); }))
      // The result of a comparison is no number: it is constant where it does not jump.
      for (Value result : op.getResults())
        if (isa<FloatType>(result.getType()))
          active_.insert(result);
  for (Operation &op : llvm::reverse(body_.without_terminator())) // readers ahead of what they read
    if (isa<math::TanhOp>(op) || saturating_.contains(&op))
      for (Value operand : op.getOperands())
        saturating_.insert(operand.getDefiningOp());
    else if (auto quotient = dyn_cast<arith::DivFOp>(op))
      saturating_.insert(quotient.getRhs().getDefiningOp());
  Operation *yield = body_.getTerminator();
  Value yielded = yield->getOperand(0);
  if (active_.contains(yielded))
    gradients_[yielded] =
        convertElement(builder_, yield->getLoc(), upstream, computationType(yielded.getType()));
  for (Operation &op : llvm::reverse(body_.without_terminator())) {
    if (op.getNumResults() != 1 || !gradients_.contains(op.getResult(0))) {
      if (llvm::any_of(op.getResults(), [&](Value result) { return gradients_.contains(result); }))
        return op.emitOpError("has no rule of differentiation"), failure();
      continue;
    }
    if (failed(differentiate(&op)))
      return failure();
  }
  if (Value gradient = gradients_.lookup(wanted))
    return gradient;
  Type type = computationType(wanted.getType());
  return arith::ConstantOp::create(builder_, yield->getLoc(), builder_.getFloatAttr(type, 0.0)).getResult();
}

FailureOr<Value> differentiateBody(OpBuilder &builder, Block &body, ValueRange arguments, Value upstream,
                                   unsigned wanted) {
  return BodySweep(builder, body, arguments).run(upstream, body.getArgument(wanted));
}

} // namespace compiler
