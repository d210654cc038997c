// What a program has to be for a bundle to hold it.
#include "compiler/program/evaluate_body.h"
#include "compiler/program/parse_program.h"
#include "compiler/program/value_names.h"
#include "dialects/alg/alg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace compiler {
namespace {

/// The names of one function's arguments and results, which are the operands of a program.
class FunctionCheck {
public:
  explicit FunctionCheck(func::FuncOp function) : function_(function) {}

  LogicalResult run();

private:
  LogicalResult checkName(Location location, StringRef name, const Twine &what);
  LogicalResult checkArgument(BlockArgument argument);
  LogicalResult checkResult(OpOperand &operand);
  LogicalResult checkOperation(Operation *op);

  func::FuncOp function_;
  llvm::StringSet<> names_;
  llvm::DenseSet<Value> results_;
  BlockArgument position_;
};

bool isIdentifier(StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult checkTensor(Location location, RankedTensorType tensor) {
  const Type element = tensor.getElementType();
  if (!element.isF32() && !element.isBF16())
    return emitError(location) << "kernels compute on f32 or bf16, not on " << element;
  constexpr int64_t most_dimensions = 8;
  if (tensor.getRank() > most_dimensions)
    return emitError(location) << "a tensor has " << tensor.getRank() << " dimensions, more than "
                               << most_dimensions;
  for (int64_t dimension = 0; dimension < tensor.getRank(); ++dimension) {
    if (tensor.isDynamicDim(dimension) && dimension > 0)
      return emitError(location) << "only the first size of a tensor may be unknown, which is the number of "
                                    "rows of the batch";
    if (tensor.getDimSize(dimension) == 0)
      return emitError(location) << "a tensor without elements is nothing to compute with";
  }
  return success();
}

} // namespace

LogicalResult FunctionCheck::checkName(Location location, StringRef name, const Twine &what) {
  if (name.empty()) {
    InFlightDiagnostic diagnostic = emitError(location) << what << " has a number for a name";
    diagnostic.attachNote() << "operands of a program go by their names: write %x, say";
    return diagnostic;
  }
  if (!isIdentifier(name))
    return emitError(location) << "the name of " << what << " is made of letters, digits and _, not '" << name
                               << "'";
  if (!names_.insert(name).second)
    return emitError(location) << what << " is called like another operand of the program, '" << name << "'";
  return success();
}

LogicalResult FunctionCheck::checkArgument(BlockArgument argument) {
  const Location location = argument.getLoc();
  const Type type = argument.getType();
  if (failed(
          checkName(location, nameOf(argument),
                    "argument " + Twine(argument.getArgNumber()) + " of '" + function_.getSymName() + "'")))
    return failure();
  if (type.isIndex()) {
    if (position_)
      return emitError(location) << "a program has one position, that of the first row of the batch";
    position_ = argument;
    return success();
  }
  if (type.isF32())
    return success();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError(location)
           << "an argument of a program is a tensor, a number of f32, or the position of the "
              "first row, an index, not "
           << type;
  if (tensor.getElementType().isInteger(32) && tensor.getRank() == 1 && tensor.isDynamicDim(0))
    return success();
  return checkTensor(location, tensor);
}

LogicalResult FunctionCheck::checkResult(OpOperand &operand) {
  const Value value = operand.get();
  const std::string what =
      "result " + std::to_string(operand.getOperandNumber()) + " of '" + function_.getSymName().str() + "'";
  if (isa<BlockArgument>(value))
    return operand.getOwner()->emitError(what) << " is an argument as it is: a program computes its results";
  if (!results_.insert(value).second)
    return operand.getOwner()->emitError(what) << " is the same value as another one";
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return emitError(value.getLoc()) << what << " is no tensor but " << value.getType();
  if (failed(checkTensor(value.getLoc(), tensor)))
    return failure();
  return checkName(value.getLoc(), nameOf(value), what);
}

LogicalResult FunctionCheck::checkOperation(Operation *op) {
  if (isa<func::CallOp>(op)) {
    InFlightDiagnostic diagnostic = op->emitError("a program calls no other function");
    diagnostic.attachNote() << "write what it computes where it is called";
    return diagnostic;
  }
  Dialect *dialect = op->getDialect();
  if (!isa<func::ReturnOp>(op) &&
      !isa_and_nonnull<alg::AlgDialect, arith::ArithDialect, math::MathDialect>(dialect)) {
    InFlightDiagnostic diagnostic = op->emitError("'") << op->getName() << "' is not of a program";
    diagnostic.attachNote() << "programs are made of operations of alg, arith and math";
    return diagnostic;
  }
  // What the reference knows is what kernels compute, too.
  if (isa<arith::RemFOp>(op) || (isa<math::MathDialect>(dialect) && !scalarFunction(op)))
    return op->emitOpError("is a function that kernels have no arithmetic for");
  auto slots = dyn_cast<alg::SlotsOp>(op);
  auto type = slots ? cast<alg::SlotsType>(slots.getView().getType()) : alg::SlotsType();
  if (!type || !type.getRowTypes() || slots.getTypes() ||
      (slots.getOffset() && slots.getOffset() == position_))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitError("the types of the rows must follow from the position that the call gives");
  diagnostic.attachNote() << "name it, an argument of type index, in the view: rows(cyclic 2, %p0)";
  return diagnostic;
}

LogicalResult FunctionCheck::run() {
  if (!isIdentifier(function_.getSymName()))
    return function_.emitError("the name of a program is made of letters, digits and _, not '")
           << function_.getSymName() << "'";
  if (!function_.isPublic())
    return function_.emitError("is private: every function of the module is a program");
  if (function_.isExternal() || !llvm::hasSingleElement(function_.getBody()))
    return function_.emitError("only a function of one block is a program");
  for (BlockArgument argument : function_.getArguments())
    if (failed(checkArgument(argument)))
      return failure();
  Operation *end = function_.getBody().front().getTerminator();
  const WalkResult walked = function_.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    return failed(checkOperation(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  if (end->getNumOperands() == 0)
    return function_.emitError("returns nothing");
  for (OpOperand &operand : end->getOpOperands())
    if (failed(checkResult(operand)))
      return failure();
  return success();
}

LogicalResult checkPrograms(ModuleOp module) {
  if (module.getBody()->empty())
    return module.emitError("there is no function in it");
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function) {
      InFlightDiagnostic diagnostic = op.emitError("'") << op.getName() << "' is not of a program";
      diagnostic.attachNote() << "a module of programs has functions alone";
      return diagnostic;
    }
    if (failed(FunctionCheck(function).run()))
      return failure();
  }
  return success();
}

} // namespace compiler
