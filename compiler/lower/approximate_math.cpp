// approximate-math: functions of maps as instructions of NVIDIA GPUs that approximate them, where results are
// bf16.
#include "compiler/lower/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <numbers>

namespace compiler {
#define GEN_PASS_DEF_APPROXIMATEMATH
#include "compiler/lower/passes.h.inc"
} // namespace compiler

using namespace mlir;
using namespace compiler;

namespace {

struct ApproximateMath : compiler::impl::ApproximateMathBase<ApproximateMath> {
  void runOnOperation() override;
};

} // namespace

/// Whether everything that the kernel writes is of bf16. The statistics of an element-wise kernel are f32.
static bool writesBf16(Operation *kernel) {
  if (auto elementwise = dyn_cast<tile::ElementwiseOp>(kernel))
    return llvm::all_of(elementwise.getResultOps(), [](Operation *op) {
      auto put = dyn_cast<tile::PutOp>(op);
      return put && put.getValue().getType().isBF16();
    });
  return !kernel
              ->walk([](Operation *op) {
                if (!isa<tile::StoreOp, tile::StoreHeldOp, tile::StoreRowsOp, tile::StoreWeightOp>(op))
                  return WalkResult::advance();
                auto target = cast<tile::MatrixType>(op->getOperand(1).getType());
                return target.getElementType().isBF16() ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Whether nothing but products, quotients and signs stand between a number and its rounding to bf16: they
/// keep its relative error, which sums need not.
static bool keepsRelativeError(Value number) {
  return llvm::all_of(number.getUsers(), [](Operation *user) {
    if (isa<arith::TruncFOp>(user))
      return user->getResult(0).getType().isBF16();
    return isa<arith::MulFOp, arith::DivFOp, arith::NegFOp>(user) && keepsRelativeError(user->getResult(0));
  });
}

static arith::FastMathFlagsAttr approximateFlag(MLIRContext *context) {
  return arith::FastMathFlagsAttr::get(context, arith::FastMathFlags::afn);
}

static Value number(OpBuilder &builder, Location location, double value) {
  return arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(static_cast<float>(value)));
}

/// e to the power of factor times x.
static Value exponential(OpBuilder &builder, Location location, Value x, double factor) {
  Value power =
      arith::MulFOp::create(builder, location, x, number(builder, location, factor * std::numbers::log2e));
  return math::Exp2Op::create(builder, location, power, approximateFlag(builder.getContext()));
}

static bool addsOne(arith::AddFOp sum) {
  return matchPattern(sum.getLhs(), m_OneFloat()) || matchPattern(sum.getRhs(), m_OneFloat());
}

/// 1 + tanh(u) as 2 / (1 + exp(-2u)), in which nothing cancels.
static void replaceOneMore(math::TanhOp tanh, arith::AddFOp sum) {
  OpBuilder builder(sum);
  const Location location = tanh.getLoc();
  Value power = exponential(builder, location, tanh.getOperand(), -2);
  Value below = arith::AddFOp::create(builder, location, number(builder, location, 1), power);
  sum.replaceAllUsesWith(arith::DivFOp::create(builder, location, number(builder, location, 2), below,
                                               approximateFlag(builder.getContext()))
                             .getResult());
  sum.erase();
}

/// 1 - tanh(u)^2 as 4 p / (1 + p)^2 with p = exp(-2 |u|): the slope of tanh, which is next to zero where its
/// own error would stay, and what a gradient multiplies it by may be large there.
static void replaceSlope(math::TanhOp tanh, arith::SubFOp slope) {
  OpBuilder builder(slope);
  const Location location = tanh.getLoc();
  Value magnitude = math::AbsFOp::create(builder, location, tanh.getOperand());
  Value power = exponential(builder, location, magnitude, -2);
  Value sum = arith::AddFOp::create(builder, location, number(builder, location, 1), power);
  Value above = arith::MulFOp::create(builder, location, number(builder, location, 4), power);
  Value below = arith::MulFOp::create(builder, location, sum, sum);
  slope.replaceAllUsesWith(
      arith::DivFOp::create(builder, location, above, below, approximateFlag(builder.getContext()))
          .getResult());
  slope.erase();
}

static void approximateTanh(math::TanhOp tanh) {
  for (Operation *user : llvm::to_vector(tanh->getUsers()))
    if (auto sum = dyn_cast<arith::AddFOp>(user); sum && addsOne(sum))
      replaceOneMore(tanh, sum);
  llvm::SmallSetVector<Operation *, 2> squares;
  for (Operation *user : tanh->getUsers())
    if (auto square = dyn_cast<arith::MulFOp>(user); square && square.getLhs() == square.getRhs())
      squares.insert(square);
  for (Operation *square : squares) {
    for (Operation *user : llvm::to_vector(square->getUsers()))
      if (auto slope = dyn_cast<arith::SubFOp>(user); slope && matchPattern(slope.getLhs(), m_OneFloat()))
        replaceSlope(tanh, slope);
    if (square->use_empty())
      square->erase();
  }
  if (tanh.use_empty())
    tanh.erase();
  else if (keepsRelativeError(tanh.getResult()))
    tanh.setFastmath(arith::FastMathFlags::afn);
}

/// 1 + erf(u) = erfc(-u), in which nothing cancels where u is negative: erfc(a) of a = |u| is t Q(t)
/// exp(-a^2) with t = 1 / (1 + p a), and 1 + erf(a) is 2 less that. Q and p have the least greatest relative
/// error for a up to 9.5, beyond which erfc is below 2^-126: 5.2e-6.
static void replaceOneMore(math::ErfOp erf, arith::AddFOp sum) {
  constexpr double p = 0.43, q[] = {0.24325763019497817, 0.2325095862672492,  0.2813679718798618,
                                    -0.010793467798666,  0.40705257990874916, -0.1533891599860183};
  OpBuilder builder(sum);
  const Location location = erf.getLoc();
  Value u = erf.getOperand(), one = number(builder, location, 1);
  auto add_product = [&](Value a, Value b, Value c) -> Value {
    return math::FmaOp::create(builder, location, a, b, c);
  };
  auto product = [&](Value a, Value b) -> Value { return arith::MulFOp::create(builder, location, a, b); };
  Value below = add_product(math::AbsFOp::create(builder, location, u), number(builder, location, p), one);
  Value t = arith::DivFOp::create(builder, location, one, below, approximateFlag(builder.getContext()));
  Value polynomial = number(builder, location, q[std::size(q) - 1]);
  for (size_t degree = std::size(q) - 1; degree-- > 0;)
    polynomial = add_product(polynomial, t, number(builder, location, q[degree]));
  Value power = exponential(builder, location, product(u, u), -1);
  Value complement = product(product(polynomial, t), power);
  Value other = arith::SubFOp::create(builder, location, number(builder, location, 2), complement);
  Value is_negative =
      arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT, u, number(builder, location, 0));
  sum.replaceAllUsesWith(
      arith::SelectOp::create(builder, location, is_negative, complement, other).getResult());
  sum.erase();
}

static void approximateErf(math::ErfOp erf) {
  for (Operation *user : llvm::to_vector(erf->getUsers()))
    if (auto sum = dyn_cast<arith::AddFOp>(user); sum && addsOne(sum))
      replaceOneMore(erf, sum);
  if (erf.use_empty())
    erf.erase();
}

/// The numbers of a map are f32 where functions of math take them.
static void approximate(Block &body) {
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    if (isa<math::ExpOp, math::Exp2Op, math::TanhOp, math::ErfOp, arith::DivFOp>(op) &&
        op.getResult(0).getType().isF32())
      ops.push_back(&op);
  for (Operation *op : ops) {
    if (auto exp = dyn_cast<math::ExpOp>(op)) {
      OpBuilder builder(exp);
      exp.replaceAllUsesWith(exponential(builder, exp.getLoc(), exp.getOperand(), 1));
      exp.erase();
    } else if (auto exp2 = dyn_cast<math::Exp2Op>(op)) {
      exp2.setFastmath(arith::FastMathFlags::afn);
    } else if (auto tanh = dyn_cast<math::TanhOp>(op)) {
      approximateTanh(tanh);
    } else if (auto erf = dyn_cast<math::ErfOp>(op)) {
      approximateErf(erf);
    } else if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
      quotient.setFastmath(arith::FastMathFlags::afn);
    }
  }
}

void ApproximateMath::runOnOperation() {
  getOperation().walk([](Operation *kernel) {
    if (!isa<tile::KernelOp, tile::ElementwiseOp>(kernel))
      return WalkResult::advance();
    const bool writes_bf16 = writesBf16(kernel);
    kernel->walk([&](Operation *map) {
      // What a layer leaves for the next one is bf16, whatever the kernel writes.
      if (isa<tile::MapOp, tile::ElementwiseOp>(map) &&
          (writes_bf16 || map->getParentOfType<tile::LayerOp>()))
        approximate(map->getRegion(0).front());
    });
    return WalkResult::skip();
  });
}
