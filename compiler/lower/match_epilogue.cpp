#include "compiler/lower/match_epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include <map>

using namespace mlir;

namespace compiler {
namespace {

class EpilogueMatch {
public:
  explicit EpilogueMatch(alg::ContractOp product) : product(product) {}

  FailureOr<Epilogue> match();

private:
  LogicalResult addMap(alg::MapOp map, Value sums);
  /// The number of a function's argument among the operands; failure has been reported.
  FailureOr<std::size_t> operandOf(Operation *user, Value argument, Epilogue::Shape shape, Type element);
  std::string unusedName(const std::string &wanted) const;

  alg::ContractOp product;
  Epilogue epilogue;
  /// The operands that arguments are: one argument is two operands where it is read in two shapes.
  std::map<std::pair<const void *, Epilogue::Shape>, std::size_t> numbers;
};

} // namespace

static LogicalResult checkElement(Operation *user, Type element) {
  if (element.isF32() || element.isBF16())
    return success();
  return user->emitError("kernels compute on f32 or bf16, not on ") << element;
}

/// Names of operands are those of a kernel's parameters, which each have their own.
std::string EpilogueMatch::unusedName(const std::string &wanted) const {
  auto isTaken = [&](const std::string &name) {
    return llvm::any_of(epilogue.operands, [&](const Epilogue::Operand &other) { return other.name == name; });
  };
  std::string name = wanted;
  for (unsigned number = 2; isTaken(name); ++number)
    name = wanted + std::to_string(number);
  return name;
}

FailureOr<std::size_t> EpilogueMatch::operandOf(Operation *user, Value argument, Epilogue::Shape shape,
                                                Type element) {
  if (!isa<BlockArgument>(argument))
    return user->emitError("what a product is mapped with must be an argument of the function");
  if (failed(checkElement(user, element)))
    return failure();
  auto [place, is_new] = numbers.insert({{argument.getAsOpaquePointer(), shape}, epilogue.operands.size()});
  if (is_new) {
    auto name = dyn_cast<NameLoc>(argument.getLoc());
    epilogue.operands.push_back(
        {shape, element, unusedName(name ? name.getName().str() : std::string("operand"))});
  }
  return place->second;
}

LogicalResult EpilogueMatch::addMap(alg::MapOp map, Value sums) {
  Epilogue::Step step;
  step.result = cast<alg::SlotsType>(map.getResult().getType()).getElementType();
  if (failed(checkElement(map, step.result)))
    return failure();
  // Operands in the order of the body's arguments.
  SmallVector<Value> inside(map.getBody().getArguments());
  for (Value input : map.getInputs()) {
    if (input == sums) {
      step.inputs.push_back(Epilogue::sums);
      continue;
    }
    auto view = input.getDefiningOp<alg::SlotsOp>();
    if (!view)
      return map.emitError("what a product is mapped with must be an argument of the function");
    FailureOr<std::size_t> number =
        operandOf(map, view.getTensor(), Epilogue::Shape::PerElement,
                  cast<alg::SlotsType>(view.getView().getType()).getElementType());
    if (failed(number))
      return failure();
    step.inputs.push_back(*number);
  }
  const std::pair<OperandRange, Epilogue::Shape> vectors[] = {{map.getColumns(), Epilogue::Shape::PerColumn},
                                                              {map.getRows(), Epilogue::Shape::PerRow},
                                                              {map.getNumbers(), Epilogue::Shape::Number}};
  for (auto [values, shape] : vectors)
    for (Value value : values) {
      FailureOr<std::size_t> number = operandOf(map, value, shape, alg::elementTypeOf(value));
      if (failed(number))
        return failure();
      step.inputs.push_back(*number);
    }
  // Numbers from outside, which the body uses as they are; constants are copied.
  SmallVector<arith::ConstantOp> constants;
  Block &body = map.getBody().front();
  for (Operation &op : body) {
    if (op.getNumRegions() != 0)
      return op.emitError("is no scalar code of arith or math, which is what kernels run on their sums");
    for (Value operand : op.getOperands()) {
      if (operand.getParentBlock() == &body || llvm::is_contained(inside, operand))
        continue;
      if (auto constant = operand.getDefiningOp<arith::ConstantOp>()) {
        constants.push_back(constant);
        continue;
      }
      if (!operand.getType().isF32())
        return op.emitError("numbers from outside of a map are f32 in kernels, not ") << operand.getType();
      FailureOr<std::size_t> number = operandOf(&op, operand, Epilogue::Shape::Number, operand.getType());
      if (failed(number))
        return failure();
      step.inputs.push_back(*number);
      inside.push_back(operand);
    }
  }
  step.body = [&body, inside, constants](OpBuilder &builder, Location, ValueRange elements) {
    IRMapping copies;
    copies.map(ValueRange(inside), elements);
    for (arith::ConstantOp constant : constants)
      if (!copies.contains(constant.getResult()))
        builder.clone(*constant, copies);
    for (Operation &op : body.without_terminator())
      builder.clone(op, copies);
    return copies.lookup(body.getTerminator()->getOperand(0));
  };
  epilogue.steps.push_back(std::move(step));
  return success();
}

FailureOr<Epilogue> EpilogueMatch::match() {
  if (Value bias = product.getBias()) {
    if (!isa<BlockArgument>(bias))
      return product.emitError("the bias must be an argument of the function");
    epilogue.addBias(cast<RankedTensorType>(bias.getType()).getElementType());
    numbers[{bias.getAsOpaquePointer(), Epilogue::Shape::PerColumn}] = 0;
  }
  Value sums = product.getResult();
  if (failed(checkElement(product, cast<alg::SlotsType>(sums.getType()).getElementType())))
    return failure();
  bool mapped = false;
  while (sums.hasOneUse()) {
    auto map = dyn_cast<alg::MapOp>(*sums.user_begin());
    if (!map)
      break;
    if (product.getMode() == alg::OutputMode::BankGradient)
      return map.emitError("a gradient of the bank cannot be mapped in its kernel");
    if (!mapped) // what the first map sees is of the product's type
      epilogue.round(cast<alg::SlotsType>(sums.getType()).getElementType());
    mapped = true;
    if (failed(addMap(map, sums)))
      return failure();
    sums = map.getResult();
  }
  auto gather = sums.hasOneUse() ? dyn_cast<alg::GatherOp>(*sums.user_begin()) : alg::GatherOp();
  if (!gather || !gather->hasOneUse() || !isa<func::ReturnOp>(*gather->user_begin()) ||
      gather->user_begin()->getNumOperands() != 1)
    return product.emitError("the product must be mapped, gathered and returned, and nothing else");
  const Type element = cast<alg::SlotsType>(product.getLhs().getType()).getElementType();
  const Type stored = cast<alg::SlotsType>(sums.getType()).getElementType();
  if (stored != element)
    return gather.emitError("kernels store results in the operands' element type, ")
           << element << ", not in " << stored;
  return std::move(epilogue);
}

FailureOr<Epilogue> matchEpilogue(alg::ContractOp product) { return EpilogueMatch(product).match(); }

} // namespace compiler
