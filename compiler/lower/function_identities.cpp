#include "compiler/lower/function_identities.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace compiler {

namespace {

/// Arithmetic of f32 in front of an operation.
class Arithmetic {
public:
  explicit Arithmetic(Operation *op) : builder_(op), location_(op->getLoc()) {}

  Value number(double value) {
    return arith::ConstantOp::create(builder_, location_,
                                     builder_.getF32FloatAttr(static_cast<float>(value)));
  }
  Value plus(Value a, Value b) { return arith::AddFOp::create(builder_, location_, a, b); }
  Value minus(Value a, Value b) { return arith::SubFOp::create(builder_, location_, a, b); }
  Value times(Value a, Value b) { return arith::MulFOp::create(builder_, location_, a, b); }
  Value over(Value a, Value b) { return arith::DivFOp::create(builder_, location_, a, b); }
  Value negative(Value a) { return arith::NegFOp::create(builder_, location_, a); }
  Value timesPlus(Value a, Value b, Value c) { return math::FmaOp::create(builder_, location_, a, b, c); }
  template <typename Function> Value of(Value a) { return Function::create(builder_, location_, a); }
  Value withSignOf(Value magnitude, Value sign) {
    return math::CopySignOp::create(builder_, location_, magnitude, sign);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder_, location_, predicate, a, b);
  }
  Value both(Value a, Value b) { return arith::AndIOp::create(builder_, location_, a, b); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder_, location_, condition, a, b);
  }
  /// The nearest number between -bound and bound.
  Value within(Value x, double bound) {
    Value low = arith::MaximumFOp::create(builder_, location_, x, number(-bound));
    return arith::MinimumFOp::create(builder_, location_, low, number(bound));
  }
  /// c[0] + x (c[1] + x (c[2] + ...))
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.back());
    for (const double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = timesPlus(sum, x, number(coefficient));
    return sum;
  }

private:
  OpBuilder builder_;
  Location location_;
};

constexpr auto equal = arith::CmpFPredicate::OEQ, unequal = arith::CmpFPredicate::UNE,
               below = arith::CmpFPredicate::OLT, above = arith::CmpFPredicate::OGT;

} // namespace

/// base to a whole power, by squaring.
static Value wholePower(Arithmetic &make, Value base, int64_t exponent) {
  Value result, square = base;
  for (int64_t left = std::abs(exponent); left > 0; left /= 2) {
    if (left % 2 == 1)
      result = result ? make.times(result, square) : square;
    if (left > 1)
      square = make.times(square, square);
  }
  if (!result)
    return make.number(1);
  return exponent < 0 ? make.over(make.number(1), result) : result;
}

static Value power(Arithmetic &make, math::PowFOp op) {
  constexpr double most = 64; // squares and products that round
  FloatAttr constant;
  if (matchPattern(op.getRhs(), m_Constant(&constant)))
    if (const double exponent = constant.getValueAsDouble();
        exponent == std::floor(exponent) && std::fabs(exponent) <= most)
      return wholePower(make, op.getLhs(), static_cast<int64_t>(exponent));
  Value base = op.getLhs(), exponent = op.getRhs(), zero = make.number(0), one = make.number(1);
  Value magnitude = make.of<math::AbsFOp>(base);
  // Zero times infinity is the exponent of 1 to the power of infinity.
  Value result = make.select(make.compare(equal, magnitude, one), one,
                             make.of<math::ExpOp>(make.times(exponent, make.of<math::LogOp>(magnitude))));
  Value half = make.times(exponent, make.number(0.5));
  Value whole = make.compare(equal, exponent, make.of<math::FloorOp>(exponent)),
        odd = make.both(whole, make.compare(unequal, half, make.of<math::FloorOp>(half)));
  // Also of a zero with a sign.
  result = make.select(odd, make.withSignOf(result, base), result);
  Value no_number = make.both(make.compare(below, base, zero),
                              make.compare(unequal, exponent, make.of<math::FloorOp>(exponent)));
  // Of minus infinity every power is a number.
  no_number = make.both(no_number, make.compare(unequal, magnitude, make.number(HUGE_VAL)));
  result = make.select(no_number, make.number(std::nan("")), result);
  // Whatever the exponent, which may be no number.
  result = make.select(make.compare(equal, base, one), one, result);
  return make.select(make.compare(equal, exponent, zero), one, result);
}

namespace {

/// What is left of an angle less the nearest multiple of pi/2: of that its sine and cosine.
struct Angle {
  Angle(Arithmetic &make, Value x) {
    // pi/2 in two parts, each a number of f32: a million times what they leave of it is below 1e-8.
    constexpr double parts[] = {0x1.921fb6p0, -0x1.777a5cp-25};
    quarters = make.of<math::RoundEvenOp>(make.times(x, make.number(2 / std::numbers::pi)));
    Value minus = make.negative(quarters), left = x;
    for (const double part : parts)
      left = make.timesPlus(minus, make.number(part), left);
    // Where the quarters cannot be counted any more, results are somewhere between -1 and 1.
    left = make.within(left, 1);
    Value square = make.times(left, left);
    sine = make.timesPlus(make.times(square, left),
                          make.polynomial(square, {-1. / 6, 1. / 120, -1. / 5040, 1. / 362880}), left);
    cosine = make.polynomial(square, {1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800});
  }

  Value quarters, sine, cosine;
};

} // namespace

static Value isOdd(Arithmetic &make, Value whole) {
  Value half = make.times(whole, make.number(0.5));
  return make.compare(unequal, half, make.of<math::FloorOp>(half));
}

/// The sine, or the cosine, which is a quarter ahead.
static Value wave(Arithmetic &make, Value x, bool cosine) {
  const Angle angle(make, x);
  // Of four quarters the second and the fourth have the other function, and the last two another sign.
  Value ahead = cosine ? make.plus(angle.quarters, make.number(1)) : angle.quarters;
  Value value = make.select(isOdd(make, ahead), angle.cosine, angle.sine);
  Value pairs = make.of<math::FloorOp>(make.times(ahead, make.number(0.5)));
  return make.select(isOdd(make, pairs), make.negative(value), value);
}

static Value tangent(Arithmetic &make, Value x) {
  const Angle angle(make, x);
  Value odd = isOdd(make, angle.quarters);
  return make.over(make.select(odd, make.negative(angle.cosine), angle.sine),
                   make.select(odd, angle.sine, angle.cosine));
}

/// exp(|x|) / 2, which is a number where exp(|x|) is none.
static Value halfExponential(Arithmetic &make, Value magnitude) {
  Value root = make.of<math::ExpOp>(make.times(magnitude, make.number(0.5)));
  return make.times(make.times(root, make.number(0.5)), root);
}

static Value hyperbolicCosine(Arithmetic &make, Value x) {
  Value large = halfExponential(make, make.of<math::AbsFOp>(x));
  return make.plus(large, make.over(make.number(0.25), large));
}

static Value hyperbolicSine(Arithmetic &make, Value x) {
  constexpr double alike = 10; // beyond, exp(-|x|) is below half a unit of exp(|x|)
  Value magnitude = make.of<math::AbsFOp>(x), less = make.of<math::ExpM1Op>(magnitude);
  Value small =
      make.times(make.number(0.5), make.plus(less, make.over(less, make.plus(less, make.number(1)))));
  Value sine = make.select(make.compare(above, magnitude, make.number(alike)),
                           halfExponential(make, magnitude), small);
  return make.withSignOf(sine, x);
}

static Value inverseHyperbolicSine(Arithmetic &make, Value x) {
  constexpr double alike = 1e4; // beyond, the root is |x|
  Value magnitude = make.of<math::AbsFOp>(x), square = make.times(magnitude, magnitude);
  Value root = make.of<math::SqrtOp>(make.plus(square, make.number(1)));
  Value small =
      make.of<math::Log1pOp>(make.plus(magnitude, make.over(square, make.plus(root, make.number(1)))));
  Value large = make.plus(make.of<math::LogOp>(magnitude), make.number(std::numbers::ln2));
  Value inverse = make.select(make.compare(above, magnitude, make.number(alike)), large, small);
  return make.withSignOf(inverse, x);
}

static Value inverseHyperbolicCosine(Arithmetic &make, Value x) {
  constexpr double alike = 1e4; // beyond, the root is x
  Value less = make.minus(x, make.number(1));
  Value root = make.of<math::SqrtOp>(make.times(less, make.plus(x, make.number(1))));
  Value small = make.of<math::Log1pOp>(make.plus(less, root));
  Value large = make.plus(make.of<math::LogOp>(x), make.number(std::numbers::ln2));
  return make.select(make.compare(above, x, make.number(alike)), large, small);
}

static Value inverseHyperbolicTangent(Arithmetic &make, Value x) {
  Value magnitude = make.of<math::AbsFOp>(x);
  Value quotient = make.over(make.times(make.number(2), magnitude), make.minus(make.number(1), magnitude));
  return make.withSignOf(make.times(make.number(0.5), make.of<math::Log1pOp>(quotient)), x);
}

void replaceByIdentities(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (op.getNumResults() != 1 || !op.getResult(0).getType().isF32())
      continue;
    Arithmetic make(&op);
    const Value replacement =
        llvm::TypeSwitch<Operation *, Value>(&op)
            .Case([&](math::PowFOp one) { return power(make, one); })
            .Case([&](math::SinOp one) { return wave(make, one.getOperand(), /*cosine=*/false); })
            .Case([&](math::CosOp one) { return wave(make, one.getOperand(), /*cosine=*/true); })
            .Case([&](math::TanOp one) { return tangent(make, one.getOperand()); })
            .Case([&](math::CoshOp one) { return hyperbolicCosine(make, one.getOperand()); })
            .Case([&](math::SinhOp one) { return hyperbolicSine(make, one.getOperand()); })
            .Case([&](math::AsinhOp one) { return inverseHyperbolicSine(make, one.getOperand()); })
            .Case([&](math::AcoshOp one) { return inverseHyperbolicCosine(make, one.getOperand()); })
            .Case([&](math::AtanhOp one) { return inverseHyperbolicTangent(make, one.getOperand()); })
            .Default([](Operation *) { return Value(); });
    if (!replacement)
      continue;
    op.getResult(0).replaceAllUsesWith(replacement);
    op.erase();
  }
}

} // namespace compiler
