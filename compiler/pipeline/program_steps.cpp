#include "compiler/pipeline/program_steps.h"

#include "compiler/program/value_names.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>
#include <map>

using namespace mlir;

namespace compiler {
namespace {

using algrt::Extent;
using algrt::OperandRole;
using algrt::OperandType;

/// Operands that give rows their positions one by one.
struct PositionOperand {
  const char *name;
  Extent extent;
};
const PositionOperand position_operands[] = {{"positions", Extent::of("M")},
                                             {"sequence_starts", Extent::of("S", 1)},
                                             {"sequence_positions", Extent::of("S")}};

OperandType elementOf(Type type) {
  const Type element = getElementTypeOrSelf(type);
  return element.isBF16() ? OperandType::Bf16 : element.isF32() ? OperandType::F32 : OperandType::I32;
}

/// A number is a tensor of one element.
algrt::Shape shapeOf(Type type) {
  algrt::Shape shape;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (const int64_t size : tensor.getShape())
      shape.push_back(ShapedType::isDynamic(size) ? Extent::of("M") : Extent::number(size));
  return shape.empty() ? algrt::Shape{Extent::number(1)} : shape;
}

/// What does not depend on the batch, but for single numbers, is a parameter of the model.
OperandRole roleOf(const algrt::Shape &shape) {
  const bool varies = std::ranges::any_of(shape, [](const Extent &extent) { return !extent.symbol.empty(); });
  return varies || shape == algrt::Shape{Extent::number(1)} ? OperandRole::Input : OperandRole::Weight;
}

class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp function, ArrayRef<std::string> results,
                 llvm::function_ref<const StepFunction &(StringRef)> called)
      : function_(function), results_(results), called_(called) {
    program_.name = function.getSymName().str();
  }
  FailureOr<algrt::Program> build();

private:
  void addArguments();
  LogicalResult nameResults();
  LogicalResult addStep(func::CallOp call);
  /// A call would have to pass what nothing reads.
  LogicalResult checkThatAllAreRead();
  void addPositions();
  std::string unusedName(const std::string &wanted) const;
  bool isTaken(const std::string &name) const {
    return program_.findOperand(name) || program_.findBuffer(name);
  }

  func::FuncOp function_;
  ArrayRef<std::string> results_;
  llvm::function_ref<const StepFunction &(StringRef)> called_;
  algrt::Program program_;
  llvm::DenseMap<Value, std::string> names_;
  std::vector<size_t> with_positions_; ///< steps
  bool has_position_ = false;
};

void ProgramBuilder::addArguments() {
  for (BlockArgument argument : function_.getArguments()) {
    if (argument.getType().isIndex()) { // an option of the call
      has_position_ = true;
      continue;
    }
    const algrt::Shape shape = shapeOf(argument.getType());
    const std::string name = nameOf(argument).str();
    program_.operands.push_back({name, roleOf(shape), false, {elementOf(argument.getType())}, shape});
    names_[argument] = name;
  }
}

LogicalResult ProgramBuilder::nameResults() {
  Operation *end = function_.getBody().front().getTerminator();
  for (auto [value, name] : llvm::zip_equal(end->getOperands(), results_)) {
    if (!value.getDefiningOp<func::CallOp>() || names_.contains(value))
      return end->emitError("result '") << name << "' is not computed by a kernel of its own";
    program_.operands.push_back(
        {name, OperandRole::Output, false, {elementOf(value.getType())}, shapeOf(value.getType())});
    names_[value] = name;
  }
  return success();
}

std::string ProgramBuilder::unusedName(const std::string &wanted) const {
  std::string name = wanted;
  for (unsigned number = 2; isTaken(name); ++number)
    name = wanted + "_" + std::to_string(number);
  return name;
}

LogicalResult ProgramBuilder::addStep(func::CallOp call) {
  const StepFunction &step_function = called_(call.getCallee());
  algrt::ProgramStep step = step_function.step;
  for (auto [value, roles] : llvm::zip_equal(call.getOperands(), step_function.arguments))
    for (const std::string &role : roles) {
      if (!names_.contains(value))
        return call.emitError("operand '") << role << "' is no tensor of the program";
      step.operands[role] = names_.at(value);
    }
  for (auto [number, value] : llvm::enumerate(call.getResults())) {
    if (!names_.contains(value)) {
      const std::string known = step_function.names[number];
      const std::string name = unusedName(known.empty() ? "buffer" : known);
      const OperandType type = elementOf(value.getType());
      program_.buffers.push_back(
          {name, type == OperandType::Bf16 ? algrt::ElementType::Bf16 : algrt::ElementType::F32,
           shapeOf(value.getType())});
      names_[value] = name;
    }
    step.operands[step_function.results[number]] = names_[value];
  }
  if (step_function.takes_positions)
    with_positions_.push_back(program_.steps.size());
  program_.steps.push_back(std::move(step));
  return success();
}

LogicalResult ProgramBuilder::checkThatAllAreRead() {
  for (BlockArgument argument : function_.getArguments()) {
    const auto is_read = [&](const algrt::ProgramStep &step) {
      return std::ranges::any_of(step.operands,
                                 [&](const auto &operand) { return operand.second == nameOf(argument); });
    };
    if (argument.getType().isIndex() || std::ranges::any_of(program_.steps, is_read))
      continue;
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType());
        tensor && isa<IntegerType>(tensor.getElementType()))
      return emitError(argument.getLoc())
             << "types of rows are for products, of which '" << function_.getSymName()
             << "' has none that reads '" << nameOf(argument) << "': see its rows without types, as plain(1)";
    return emitError(argument.getLoc())
           << "no result of '" << function_.getSymName() << "' depends on its argument '" << nameOf(argument)
           << "': leave it out";
  }
  return success();
}

/// A call may say of each row where it is, in place of the first one's position, unless the program has a use
/// of its own for these names.
void ProgramBuilder::addPositions() {
  const bool free =
      std::ranges::none_of(position_operands, [&](const auto &one) { return isTaken(one.name); });
  if (!has_position_ || with_positions_.empty() || !free)
    return;
  for (const auto &[name, extent] : position_operands) {
    program_.operands.push_back(
        {name, OperandRole::Input, true, {OperandType::I32, OperandType::I64}, {extent}});
    for (const size_t step : with_positions_)
      program_.steps[step].operands[name] = name;
  }
}

FailureOr<algrt::Program> ProgramBuilder::build() {
  addArguments();
  if (failed(nameResults()))
    return failure();
  for (Operation &op : function_.getBody().front().without_terminator()) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call)
      return op.emitError("numbers are computed in the body of a map: this is outside of all");
    if (failed(addStep(call)))
      return failure();
  }
  if (failed(checkThatAllAreRead()))
    return failure();
  addPositions();
  return std::move(program_);
}

} // namespace

FailureOr<algrt::Program> programOf(func::FuncOp function, ArrayRef<std::string> results,
                                    llvm::function_ref<const StepFunction &(StringRef)> called) {
  return ProgramBuilder(function, results, called).build();
}

} // namespace compiler
