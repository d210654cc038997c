#include "compiler/program/outline_kernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace compiler {

namespace {

/// The function of one group while it is written.
class Kernel {
public:
  Kernel(OpBuilder &outside, Location location, const Twine &name, const KernelGroup &group)
      : group_(group),
        function_(func::FuncOp::create(outside, location, name.str(), outside.getFunctionType({}, {}))),
        body_(*function_.addEntryBlock()), builder_(OpBuilder::atBlockEnd(&body_)) {
    function_.setPrivate();
  }

  LogicalResult write();

  func::FuncOp getFunction() const { return function_; }
  /// What the arguments are in the program: its arguments, numbers, and results of other groups.
  ArrayRef<Value> getInputs() const { return inputs_; }
  ArrayRef<Value> getResults() const { return results_; }

private:
  /// The value of the program inside of the kernel; null after an error.
  Value inside(Value value);
  Value argument(Value value, Type type);
  Value viewOfArgument(Value view);
  Operation *copy(Operation *op);
  void sortArguments();

  const KernelGroup &group_;
  func::FuncOp function_;
  Block &body_;
  OpBuilder builder_;
  IRMapping copies_;
  SmallVector<Value> inputs_, results_;
};

} // namespace

Value Kernel::argument(Value value, Type type) {
  if (auto *known = llvm::find(inputs_, value); known != inputs_.end())
    return body_.getArgument(std::distance(inputs_.begin(), known));
  inputs_.push_back(value);
  return body_.addArgument(type, value.getLoc());
}

/// The result of another group as it is seen here.
Value Kernel::viewOfArgument(Value view) {
  auto type = cast<alg::SlotsType>(view.getType());
  Value offset, types;
  if (type.getRowTypes()) {
    alg::SlotsOp schedule = alg::findRowSchedule(view);
    if (!schedule) {
      emitError(view.getLoc()) << "the types of the rows of this view are not known here";
      return {};
    }
    if (schedule.getOffset() && !(offset = inside(schedule.getOffset())))
      return {};
    if (schedule.getTypes() && !(types = inside(schedule.getTypes())))
      return {};
  }
  Value tensor = argument(view, type.getTensor());
  return alg::SlotsOp::create(builder_, view.getLoc(), type, tensor, offset, types);
}

Operation *Kernel::copy(Operation *op) {
  // The body of a map may use numbers from outside.
  SmallVector<Value> used(op->getOperands());
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          used.push_back(operand);
    });
  for (Value value : used)
    if (!inside(value))
      return nullptr;
  return builder_.clone(*op, copies_);
}

Value Kernel::inside(Value value) {
  if (Value known = copies_.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  Value made;
  if (op && !isStep(op)) {
    // Views and constants are made where they are read; the gather of another group's view is its result.
    auto gather = dyn_cast<alg::GatherOp>(op);
    Operation *producer = gather ? gather.getView().getDefiningOp() : nullptr;
    if (producer && isStep(producer) && !group_.contains(producer))
      made = argument(gather.getView(), gather.getTensor().getType());
    else if (gather || isa<alg::SlotsOp, alg::RegroupOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
      return copy(op) ? copies_.lookup(value) : Value();
  }
  if (!made)
    made = isa<alg::SlotsType>(value.getType()) ? viewOfArgument(value) : argument(value, value.getType());
  if (made)
    copies_.map(value, made);
  return made;
}

/// Matrices, what gives rows their types, then what has one element for each column or row: the order of a
/// projection's operands.
void Kernel::sortArguments() {
  const auto rank = [](Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor || isa<IntegerType>(tensor.getElementType()))
      return 1;
    return tensor.getRank() > 1 ? 0 : 2;
  };
  const unsigned count = inputs_.size();
  const SmallVector<Value> unsorted = std::exchange(inputs_, {});
  for (int place = 0; place < 3; ++place)
    for (unsigned index = 0; index < count; ++index) {
      BlockArgument argument = body_.getArgument(index);
      if (rank(argument) != place)
        continue;
      argument.replaceAllUsesWith(body_.addArgument(argument.getType(), argument.getLoc()));
      inputs_.push_back(unsorted[index]);
    }
  body_.eraseArguments(0, count);
}

LogicalResult Kernel::write() {
  for (Operation *op : group_)
    if (!copy(op))
      return failure();
  SmallVector<Value> returned;
  for (Value result : resultsOf(group_)) {
    results_.push_back(result);
    Value value = copies_.lookup(result);
    if (isa<alg::SlotsType>(value.getType()))
      value = alg::GatherOp::create(builder_, result.getLoc(), value);
    returned.push_back(value);
  }
  func::ReturnOp::create(builder_, function_.getLoc(), returned);
  sortArguments();
  function_.setType(builder_.getFunctionType(body_.getArgumentTypes(), ValueRange(returned).getTypes()));
  return success();
}

namespace {

/// The program between its calls: tensors and numbers alone.
class Calls {
public:
  explicit Calls(func::FuncOp function) : builder_(function.getBody().front().getTerminator()) {}

  void call(const Kernel &kernel) {
    SmallVector<Value> operands;
    for (Value input : kernel.getInputs())
      operands.push_back(tensorOf(input));
    // What the kernel computes keeps its name in the program.
    ArrayRef<Value> results = kernel.getResults();
    const Location place = results.size() == 1 ? results.front().getLoc() : kernel.getFunction().getLoc();
    auto call = func::CallOp::create(builder_, place, kernel.getFunction(), operands);
    for (auto [value, tensor] : llvm::zip_equal(kernel.getResults(), call.getResults()))
      tensors_[value] = tensor;
  }

  /// A view's tensor, computed by the calls so far; a number or a tensor of the program itself.
  Value tensorOf(Value value) {
    if (Value known = tensors_.lookup(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<alg::GatherOp, alg::SlotsOp, alg::RegroupOp>(op))
      return tensorOf(op->getOperand(0));
    if (!op)
      return value;
    for (OpOperand &operand : op->getOpOperands())
      operand.set(tensorOf(operand.get()));
    op->moveBefore(&*builder_.getInsertionPoint());
    tensors_[value] = value;
    return value;
  }

private:
  OpBuilder builder_;
  llvm::DenseMap<Value, Value> tensors_;
};

} // namespace

LogicalResult outlineKernels(func::FuncOp function, ArrayRef<KernelGroup> groups) {
  OpBuilder outside(function);
  Block &body = function.getBody().front();
  SmallVector<Kernel> kernels;
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  unsigned number = 0;
  kernels.reserve(groups.size());
  for (const KernelGroup &group : groups) {
    std::string name;
    do
      name = (function.getSymName() + "_" + Twine(number++)).str();
    while (symbols.lookup(name));
    // The first operation that is not a view gives the kernel its place in the source.
    // But not the name of what it computes, which would be that of every value that the kernel adds.
    Location place = group.front()->getLoc();
    if (auto named = dyn_cast<NameLoc>(place))
      place = named.getChildLoc();
    kernels.emplace_back(outside, place, name, group);
    if (failed(kernels.back().write()))
      return failure();
  }
  Calls calls(function);
  for (const Kernel &kernel : kernels)
    calls.call(kernel);
  for (OpOperand &operand : body.getTerminator()->getOpOperands())
    operand.set(calls.tensorOf(operand.get()));
  // What the kernels compute now, and the views of it, have no readers left.
  SmallVector<Operation *> operations;
  for (Operation &op : body.without_terminator())
    operations.push_back(&op);
  for (Operation *op : llvm::reverse(operations))
    if (op->use_empty() && isMemoryEffectFree(op))
      op->erase();
  return success();
}

} // namespace compiler
