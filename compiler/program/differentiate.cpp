#include "compiler/program/differentiate.h"

#include "compiler/program/gradient_parts.h"
#include "compiler/program/gradient_sweep.h"
#include "compiler/program/value_names.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace compiler {

/// Marks contractions and reductions of the forward program by their number, in the function that is being
/// written.
static constexpr StringLiteral forward_number = "forward_number";

/// Leaves what the results need: operands that maps do not use go, and what is computed for nobody.
static LogicalResult simplify(func::FuncOp function) {
  RewritePatternSet patterns(function.getContext());
  alg::MapOp::getCanonicalizationPatterns(patterns, function.getContext());
  return applyPatternsGreedily(function, std::move(patterns));
}

static LogicalResult eraseUnusedArguments(func::FuncOp function) {
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  return function.eraseArguments(unused);
}

/// Contractions and reductions, numbered as they stand.
static SmallVector<Operation *> findKeepable(func::FuncOp function) {
  SmallVector<Operation *> operations;
  function.walk([&](Operation *op) {
    if (isa<alg::ContractOp, alg::ReduceOp>(op))
      operations.push_back(op);
  });
  return operations;
}

/// The result of a function that has the elements of a value, and a name by which to take it; null where none
/// has.
static Value returnedAs(func::FuncOp function, Value value) {
  for (Value result : function.getBody().front().getTerminator()->getOperands()) {
    auto gather = result.getDefiningOp<alg::GatherOp>();
    if (!nameOf(result).empty() && (result == value || (gather && gather.getView() == value)))
      return result;
  }
  return {};
}

/// What is kept goes by its name in the forward program, that of a result where it is one, or else by its
/// number there.
static Location keptLocation(func::FuncOp function, Value value, unsigned number) {
  if (Value result = returnedAs(function, value))
    value = result;
  return nameOf(value).empty() ? namedLocation(value.getContext(), "kept" + Twine(number)) : value.getLoc();
}

static RankedTensorType keptType(Value value) {
  if (auto view = dyn_cast<alg::SlotsType>(value.getType()))
    return view.getTensor();
  return cast<RankedTensorType>(value.getType());
}

/// Makes arguments, from number `first` on, of what the gradient reads of the forward program, `function`.
/// Their numbers there.
static FailureOr<SmallVector<unsigned>> takeKept(func::FuncOp function, func::FuncOp gradient,
                                                 unsigned first) {
  OpBuilder builder(gradient.getContext());
  const SmallVector<Operation *> forward = findKeepable(function);
  SmallVector<std::pair<unsigned, BlockArgument>> kept;
  for (Operation *op : findKeepable(gradient)) {
    auto number = op->getAttrOfType<IntegerAttr>(forward_number);
    if (!number)
      continue;
    Value value = op->getResult(0);
    const unsigned index = first + kept.size();
    const Location location = keptLocation(function, forward[number.getInt()]->getResult(0), number.getInt());
    if (failed(gradient.insertArgument(index, keptType(value), {}, location)))
      return failure();
    BlockArgument argument = gradient.getArgument(index);
    builder.setInsertionPoint(op);
    Value replacement = argument;
    if (isa<alg::SlotsType>(value.getType()))
      replacement = viewLike(builder, value.getLoc(), argument, value);
    if (!replacement)
      return failure();
    value.replaceAllUsesWith(replacement);
    kept.emplace_back(number.getInt(), argument);
  }
  if (failed(simplify(gradient)))
    return failure();
  SmallVector<unsigned> numbers;
  for (auto [number, argument] : kept)
    if (!argument.use_empty())
      numbers.push_back(number);
  return numbers;
}

/// The forward program with the operations of these numbers among its results: behind them, but for those
/// that it returns anyway.
static func::FuncOp writeKeeping(func::FuncOp function, StringRef name, ArrayRef<unsigned> numbers) {
  func::FuncOp keeping = function.clone();
  keeping.setSymName(name);
  SmallVector<Operation *> operations = findKeepable(keeping);
  auto end = cast<func::ReturnOp>(keeping.getBody().front().getTerminator());
  OpBuilder builder(end);
  SmallVector<Value> results(end.getOperands());
  for (unsigned number : numbers) {
    Operation *op = operations[number];
    Value value = op->getResult(0);
    if (returnedAs(keeping, value))
      continue;
    const Location location = keptLocation(keeping, value, number);
    if (isa<alg::SlotsType>(value.getType()))
      value = alg::GatherOp::create(builder, location, value);
    else
      op->setLoc(location);
    results.push_back(value);
  }
  end.getOperandsMutable().assign(results);
  keeping.setType(builder.getFunctionType(keeping.getArgumentTypes(), ValueRange(results).getTypes()));
  return keeping;
}

static LogicalResult checkRequest(func::FuncOp function, const GradientOptions &options) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitError("only a function of one block has a gradient");
  llvm::SmallDenseSet<unsigned> seen;
  for (unsigned index : options.arguments) {
    if (index >= function.getNumArguments())
      return function.emitError("has no argument ") << index;
    auto tensor = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
    if (!tensor || !isa<FloatType>(tensor.getElementType()))
      return function.emitError("argument ")
             << index << " is " << function.getArgumentTypes()[index] << ": tensors of floats have gradients";
    if (!seen.insert(index).second)
      return function.emitError("argument ") << index << " is asked for twice";
  }
  if (options.arguments.empty())
    return function.emitError("has no argument of floats");
  auto module = function->getParentOfType<ModuleOp>();
  for (const std::string &name : {options.name, options.keeping})
    if (!name.empty() && module.lookupSymbol(name))
      return function.emitError("there is a function '") << name << "' already";
  return success();
}

/// Completes the copy of `function`; what it keeps is appended to `functions`.
static LogicalResult writeGradient(func::FuncOp function, func::FuncOp gradient,
                                   const GradientOptions &options, SmallVectorImpl<func::FuncOp> &functions) {
  OpBuilder builder(function.getContext());
  if (!options.keeping.empty())
    for (auto [number, op] : llvm::enumerate(findKeepable(gradient)))
      op->setAttr(forward_number, builder.getI32IntegerAttr(number));
  const unsigned first = *llvm::min_element(options.arguments);
  unsigned upstream = 0;
  if (failed(sweepGradients(gradient, options.arguments, first, upstream)) || failed(simplify(gradient)))
    return failure();
  if (!options.keeping.empty()) {
    FailureOr<SmallVector<unsigned>> numbers = takeKept(function, gradient, first + upstream);
    if (failed(numbers))
      return failure();
    functions.push_back(writeKeeping(function, options.keeping, *numbers));
  }
  return eraseUnusedArguments(gradient);
}

FailureOr<func::FuncOp> differentiate(func::FuncOp function, const GradientOptions &options) {
  if (failed(checkRequest(function, options)))
    return failure();
  auto module = function->getParentOfType<ModuleOp>();
  func::FuncOp gradient = function.clone();
  gradient.setSymName(options.name);
  module.push_back(gradient);
  SmallVector<func::FuncOp> functions;
  if (failed(writeGradient(function, gradient, options, functions))) {
    gradient.erase();
    return failure();
  }
  for (func::FuncOp keeping : functions)
    module.push_back(keeping);
  return gradient;
}

} // namespace compiler
