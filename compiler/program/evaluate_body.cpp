#include "compiler/program/evaluate_body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;

namespace compiler {

static bool unordered(double a, double b) { return std::isnan(a) || std::isnan(b); }

static ScalarFunction comparison(arith::CmpFPredicate predicate) {
  using Predicate = arith::CmpFPredicate;
  switch (predicate) {
  case Predicate::AlwaysFalse:
    return [](double, double, double) { return 0.0; };
  case Predicate::OEQ:
    return [](double a, double b, double) -> double { return a == b; };
  case Predicate::OGT:
    return [](double a, double b, double) -> double { return a > b; };
  case Predicate::OGE:
    return [](double a, double b, double) -> double { return a >= b; };
  case Predicate::OLT:
    return [](double a, double b, double) -> double { return a < b; };
  case Predicate::OLE:
    return [](double a, double b, double) -> double { return a <= b; };
  case Predicate::ONE:
    return [](double a, double b, double) -> double { return a < b || a > b; };
  case Predicate::ORD:
    return [](double a, double b, double) -> double { return !unordered(a, b); };
  case Predicate::UEQ:
    return [](double a, double b, double) -> double { return !(a < b || a > b); };
  case Predicate::UGT:
    return [](double a, double b, double) -> double { return !(a <= b); };
  case Predicate::UGE:
    return [](double a, double b, double) -> double { return !(a < b); };
  case Predicate::ULT:
    return [](double a, double b, double) -> double { return !(a >= b); };
  case Predicate::ULE:
    return [](double a, double b, double) -> double { return !(a > b); };
  case Predicate::UNE:
    return [](double a, double b, double) -> double { return a != b; };
  case Predicate::UNO:
    return [](double a, double b, double) -> double { return unordered(a, b); };
  case Predicate::AlwaysTrue:
    return [](double, double, double) { return 1.0; };
  }
  llvm_unreachable("a predicate of floats without a meaning");
}

/// NaN where one of the numbers is.
static double maximum(double a, double b) { return unordered(a, b) ? NAN : std::fmax(a, b); }

ScalarFunction scalarFunction(Operation *op) {
  static const llvm::StringMap<ScalarFunction> functions = {
      {"arith.addf", [](double a, double b, double) { return a + b; }},
      {"arith.subf", [](double a, double b, double) { return a - b; }},
      {"arith.mulf", [](double a, double b, double) { return a * b; }},
      {"arith.divf", [](double a, double b, double) { return a / b; }},
      {"arith.negf", [](double a, double, double) { return -a; }},
      {"arith.extf", [](double a, double, double) { return a; }},
      {"arith.truncf", [](double a, double, double) { return a; }},
      {"arith.maximumf", [](double a, double b, double) { return maximum(a, b); }},
      {"arith.minimumf", [](double a, double b, double) { return -maximum(-a, -b); }},
      {"arith.maxnumf", [](double a, double b, double) { return std::fmax(a, b); }},
      {"arith.minnumf", [](double a, double b, double) { return std::fmin(a, b); }},
      {"arith.select", [](double a, double b, double c) { return a != 0 ? b : c; }},
      {"arith.andi", [](double a, double b, double) -> double { return a != 0 && b != 0; }},
      {"arith.ori", [](double a, double b, double) -> double { return a != 0 || b != 0; }},
      {"math.fma", [](double a, double b, double c) { return a * b + c; }},
      {"math.exp", [](double a, double, double) { return std::exp(a); }},
      {"math.exp2", [](double a, double, double) { return std::exp2(a); }},
      {"math.expm1", [](double a, double, double) { return std::expm1(a); }},
      {"math.log", [](double a, double, double) { return std::log(a); }},
      {"math.log2", [](double a, double, double) { return std::log2(a); }},
      {"math.log1p", [](double a, double, double) { return std::log1p(a); }},
      {"math.sinh", [](double a, double, double) { return std::sinh(a); }},
      {"math.cosh", [](double a, double, double) { return std::cosh(a); }},
      {"math.tanh", [](double a, double, double) { return std::tanh(a); }},
      {"math.asinh", [](double a, double, double) { return std::asinh(a); }},
      {"math.acosh", [](double a, double, double) { return std::acosh(a); }},
      {"math.atanh", [](double a, double, double) { return std::atanh(a); }},
      {"math.erf", [](double a, double, double) { return std::erf(a); }},
      {"math.erfc", [](double a, double, double) { return std::erfc(a); }},
      {"math.sqrt", [](double a, double, double) { return std::sqrt(a); }},
      {"math.rsqrt", [](double a, double, double) { return 1 / std::sqrt(a); }},
      {"math.cbrt", [](double a, double, double) { return std::cbrt(a); }},
      {"math.ceil", [](double a, double, double) { return std::ceil(a); }},
      {"math.floor", [](double a, double, double) { return std::floor(a); }},
      {"math.round", [](double a, double, double) { return std::round(a); }},
      {"math.roundeven", [](double a, double, double) { return std::nearbyint(a); }},
      {"math.trunc", [](double a, double, double) { return std::trunc(a); }},
      {"math.copysign", [](double a, double b, double) { return std::copysign(a, b); }},
      {"math.absf", [](double a, double, double) { return std::fabs(a); }},
      {"math.sin", [](double a, double, double) { return std::sin(a); }},
      {"math.cos", [](double a, double, double) { return std::cos(a); }},
      {"math.tan", [](double a, double, double) { return std::tan(a); }},
      {"math.asin", [](double a, double, double) { return std::asin(a); }},
      {"math.acos", [](double a, double, double) { return std::acos(a); }},
      {"math.atan", [](double a, double, double) { return std::atan(a); }},
      {"math.atan2", [](double a, double b, double) { return std::atan2(a, b); }},
      {"math.powf", [](double a, double b, double) { return std::pow(a, b); }},
  };
  if (auto compared = dyn_cast<arith::CmpFOp>(op))
    return comparison(compared.getPredicate());
  // Of integers, truth values alone are numbers of a body.
  if (isa<arith::AndIOp, arith::OrIOp>(op) && !op->getResult(0).getType().isInteger(1))
    return nullptr;
  return functions.lookup(op->getName().getStringRef());
}

double Rounding::operator()(double number) const {
  if (draw == 0)
    return number;
  constexpr double half_unit = 0x1p-9;
  // The same number is moved the same way wherever a draw meets it.
  const bool up = llvm::hash_combine(llvm::bit_cast<uint64_t>(number), draw) & 1;
  return number * (1 + (up ? half_unit : -half_unit));
}

FailureOr<ScalarProgram> ScalarProgram::compile(Block &body,
                                                llvm::function_ref<std::optional<double>(Value)> outside,
                                                Rounding rounding) {
  ScalarProgram program;
  program.rounding_ = rounding;
  llvm::DenseMap<Value, unsigned> places;
  auto place = [&](Value value, double number) {
    places[value] = program.values_.size();
    program.values_.push_back(number);
  };
  for (BlockArgument argument : body.getArguments())
    place(argument, 0);
  const unsigned zero = program.values_.size();
  program.values_.push_back(0);
  for (Operation &op : body) {
    const bool end = &op == body.getTerminator();
    FloatAttr constant;
    if (!end && matchPattern(&op, m_Constant(&constant))) {
      place(op.getResult(0), constant.getValueAsDouble());
      continue;
    }
    Step step = {end ? nullptr : scalarFunction(&op), {zero, zero, zero}, 0};
    if (!end && (!step.function || op.getNumOperands() > 3 || op.getNumResults() != 1))
      return op.emitError("cannot be computed by the reference");
    for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
      if (!places.contains(operand)) {
        std::optional<double> number = outside(operand);
        if (!number)
          return op.emitError("uses a value that the reference does not know");
        place(operand, *number);
      }
      step.operands[index] = places[operand];
    }
    if (end) {
      program.yielded_ = step.operands[0];
      break;
    }
    place(op.getResult(0), 0);
    step.result = places[op.getResult(0)];
    step.rounds = isa<arith::TruncFOp>(op) && op.getResult(0).getType().isBF16();
    program.steps_.push_back(step);
  }
  return program;
}

double ScalarProgram::run(llvm::ArrayRef<double> arguments) {
  llvm::copy(arguments, values_.begin());
  for (const Step &step : steps_) {
    const double value =
        step.function(values_[step.operands[0]], values_[step.operands[1]], values_[step.operands[2]]);
    values_[step.result] = step.rounds ? rounding_(value) : value;
  }
  return values_[yielded_];
}

} // namespace compiler
