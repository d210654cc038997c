#include "compiler/lower/elementwise_function.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace compiler {
namespace {

/// A function while it is read and its kernel is written.
class ElementwiseMatch {
public:
  ElementwiseMatch(func::FuncOp function, HeldResults held)
      : function_(function), adds_(held == HeldResults::AddedTo), builder_(function) {}

  /// The kernel, behind the function.
  FailureOr<tile::ElementwiseOp> write();
  ArrayRef<std::string> getArguments() const { return arguments_; }

private:
  /// What the operations read of each argument.
  LogicalResult classify();
  LogicalResult classify(Operation &op);
  LogicalResult read(Operation *user, Value value, tile::Per per);
  /// That a tensor or a view is like the domain, of which it is the first where there is none.
  LogicalResult requireDomain(Operation *user, Type type);
  void createKernel();
  LogicalResult copy(Operation &op);
  LogicalResult copyMap(alg::MapOp map);
  LogicalResult copyArithmetic(Operation &op);
  LogicalResult writeResults(func::ReturnOp op);
  /// The number of a value at an element; null after an error.
  Value numberOf(Operation *user, Value value);

  func::FuncOp function_;
  const bool adds_; ///< to what results held
  OpBuilder builder_;
  tile::ElementwiseOp kernel_;
  std::optional<SmallVector<int64_t>> domain_;
  llvm::DenseMap<Value, tile::Per> per_of_argument_;
  Value factor_;      ///< how often counts what results held, where it does
  IRMapping numbers_; ///< values of the function to what they are at an element
  std::vector<std::string> arguments_;
};

} // namespace

LogicalResult ElementwiseMatch::requireDomain(Operation *user, Type type) {
  auto view = dyn_cast<alg::SlotsType>(type);
  const auto tensor = view ? view.getTensor() : cast<RankedTensorType>(type);
  if (!domain_) {
    domain_ = llvm::to_vector(tensor.getShape());
    return success();
  }
  if (ArrayRef<int64_t>(*domain_) != tensor.getShape())
    return user->emitError("an element-wise kernel goes over tensors of one shape, but of ")
           << RankedTensorType::get(*domain_, tensor.getElementType()) << " and of " << tensor;
  return success();
}

LogicalResult ElementwiseMatch::read(Operation *user, Value value, tile::Per per) {
  if (value.getDefiningOp()) // a constant, or what this kernel computes
    return success();
  Type element = getElementTypeOrSelf(value.getType());
  if (!element.isF32() && !element.isBF16())
    return user->emitError("kernels compute on f32 or bf16, not on ") << element;
  auto [known, is_new] = per_of_argument_.try_emplace(value, per);
  if (known->second != per)
    return user->emitError("an argument is read per ")
           << tile::stringifyPer(per) << " and per " << tile::stringifyPer(known->second)
           << " by one kernel; give it twice";
  return success();
}

LogicalResult ElementwiseMatch::classify(Operation &op) {
  if (auto slots = dyn_cast<alg::SlotsOp>(op)) {
    if (failed(requireDomain(&op, slots.getView().getType())))
      return failure();
    return read(&op, slots.getTensor(), tile::Per::Element);
  }
  if (auto map = dyn_cast<alg::MapOp>(op)) {
    const std::pair<OperandRange, tile::Per> kinds[] = {{map.getColumns(), tile::Per::Column},
                                                        {map.getRows(), tile::Per::Row},
                                                        {map.getNumbers(), tile::Per::Call}};
    for (auto [values, per] : kinds)
      for (Value value : values)
        if (failed(read(&op, value, per)))
          return failure();
    // Scalars from outside, which the body uses as they are.
    for (Operation &inner : map.getBody().front())
      for (Value operand : inner.getOperands())
        if (isa<BlockArgument>(operand) && operand.getParentBlock() == &function_.getBody().front())
          if (failed(read(&inner, operand, tile::Per::Call)))
            return failure();
    return success();
  }
  if (isa<alg::GatherOp, alg::RegroupOp, alg::ReduceOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
    return success();
  if (isa<func::ReturnOp>(op)) {
    for (Value value : op.getOperands())
      if (auto tensor = dyn_cast<RankedTensorType>(value.getType()); tensor && isa<BlockArgument>(value))
        if (failed(requireDomain(&op, tensor)) ||
            failed(read(&op, value, tensor.getRank() == 0 ? tile::Per::Call : tile::Per::Element)))
          return failure();
    return success();
  }
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op.getDialect()) || op.getNumResults() != 1 ||
      !isa<RankedTensorType>(op.getResult(0).getType()))
    return op.emitError("has no place in an element-wise kernel, which maps views, reduces them and computes "
                        "with tensors by arith and math");
  if (failed(requireDomain(&op, op.getResult(0).getType())))
    return failure();
  for (Value operand : op.getOperands())
    if (auto tensor = dyn_cast<RankedTensorType>(operand.getType()))
      if (failed(requireDomain(&op, tensor)) ||
          failed(read(&op, operand, tensor.getRank() == 0 ? tile::Per::Call : tile::Per::Element)))
        return failure();
  return success();
}

LogicalResult ElementwiseMatch::classify() {
  if (!function_.getBody().hasOneBlock())
    return function_.emitError("a kernel's function has one block");
  for (Operation &op : function_.getBody().front())
    if (failed(classify(op)))
      return failure();
  if (!domain_)
    return function_.emitError("computes nothing: no element-wise kernel is made of it");
  return success();
}

void ElementwiseMatch::createKernel() {
  SmallVector<tile::ElementwiseInput> inputs;
  SmallVector<BlockArgument> read;
  for (BlockArgument argument : function_.getArguments()) {
    const auto per = per_of_argument_.find(argument);
    arguments_.push_back(
        per == per_of_argument_.end() ? "" : algrt::numberedName("x", static_cast<int64_t>(inputs.size())));
    if (per == per_of_argument_.end())
      continue;
    inputs.push_back({per->second, getElementTypeOrSelf(argument.getType())});
    read.push_back(argument);
  }
  if (adds_)
    inputs.push_back({tile::Per::Call, builder_.getF32Type()});
  builder_.setInsertionPointAfter(function_);
  kernel_ =
      tile::ElementwiseOp::create(builder_, function_.getLoc(), function_.getSymName(), *domain_, inputs);
  auto numbers = kernel_.getBody().getArguments();
  if (adds_)
    factor_ = numbers.back();
  for (auto [argument, number] : llvm::zip_equal(read, numbers.drop_back(adds_ ? 1 : 0)))
    numbers_.map(argument, number);
  builder_.setInsertionPointToStart(&kernel_.getBody().front());
}

Value ElementwiseMatch::numberOf(Operation *user, Value value) {
  if (Value known = numbers_.lookupOrNull(value))
    return known;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    auto scalar = dyn_cast<TypedAttr>(constant.getValue());
    if (auto elements = dyn_cast<ElementsAttr>(constant.getValue()))
      scalar = elements.isSplat() ? cast<TypedAttr>(elements.getSplatValue<Attribute>()) : TypedAttr();
    if (scalar) {
      Value made = arith::ConstantOp::create(builder_, constant.getLoc(), scalar);
      numbers_.map(value, made);
      return made;
    }
    user->emitError("reads a constant of different elements: make it an argument");
    return {};
  }
  user->emitError("reads the result of a reduction, which is known when all of its rows or columns have been "
                  "read: that is a kernel of its own");
  return {};
}

LogicalResult ElementwiseMatch::copyMap(alg::MapOp map) {
  if (failed(requireDomain(map, map.getResult().getType())))
    return failure();
  Block &body = map.getBody().front();
  IRMapping inside;
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), map.getOperands())) {
    Value number = numberOf(map, operand);
    if (!number)
      return failure();
    inside.map(argument, number);
  }
  for (Operation &op : body) {
    for (Value operand : op.getOperands()) {
      if (inside.contains(operand))
        continue;
      Value number = numberOf(&op, operand);
      if (!number)
        return failure();
      inside.map(operand, number);
    }
    if (!op.hasTrait<OpTrait::IsTerminator>())
      builder_.clone(op, inside);
  }
  numbers_.map(map.getResult(), inside.lookup(body.getTerminator()->getOperand(0)));
  return success();
}

LogicalResult ElementwiseMatch::copyArithmetic(Operation &op) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands()) {
    Value number = numberOf(&op, operand);
    if (!number)
      return failure();
    operands.push_back(number);
  }
  OperationState state(op.getLoc(), op.getName(), operands, {getElementTypeOrSelf(op.getResult(0).getType())},
                       op.getAttrs());
  numbers_.map(op.getResult(0), builder_.create(state)->getResult(0));
  return success();
}

LogicalResult ElementwiseMatch::copy(Operation &op) {
  if (auto map = dyn_cast<alg::MapOp>(op))
    return copyMap(map);
  // A view is the tensor itself, cut.
  if (isa<alg::SlotsOp, alg::GatherOp, alg::RegroupOp>(op)) {
    Value number = numberOf(&op, op.getOperand(0));
    if (!number)
      return failure();
    numbers_.map(op.getResult(0), number);
    return success();
  }
  if (auto results = dyn_cast<func::ReturnOp>(op))
    return writeResults(results);
  if (isa<alg::ReduceOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
    return success(); // where it is returned or read
  return copyArithmetic(op);
}

static tile::Per perOf(alg::Extent over) {
  switch (over) {
  case alg::Extent::Columns:
    return tile::Per::Row;
  case alg::Extent::Rows:
    return tile::Per::Column;
  case alg::Extent::All:
    return tile::Per::Call;
  }
  llvm_unreachable("all extents are above");
}

LogicalResult ElementwiseMatch::writeResults(func::ReturnOp op) {
  for (Value value : op.getOperands()) {
    auto reduce = value.getDefiningOp<alg::ReduceOp>();
    if (adds_ &&
        !(reduce && reduce.getReduction() == alg::Reduction::Sum && reduce.getOver() == alg::Extent::Rows))
      return op.emitError("returns something else than sums over rows, which alone are added to what results "
                          "held");
    Value number = numberOf(op, reduce ? Value(reduce.getView()) : value);
    if (!number)
      return failure();
    if (!reduce) {
      tile::PutOp::create(builder_, value.getLoc(), number);
      continue;
    }
    if (number.getType().isBF16())
      number = arith::ExtFOp::create(builder_, reduce.getLoc(), builder_.getF32Type(), number);
    auto per = tile::PerAttr::get(op.getContext(), perOf(reduce.getOver()));
    auto element = TypeAttr::get(alg::elementTypeOf(reduce.getResult()));
    if (reduce.getReduction() == alg::Reduction::Sum)
      tile::SumOp::create(builder_, reduce.getLoc(), number, per, element, factor_);
    else
      tile::MaximumOp::create(builder_, reduce.getLoc(), number, per, element);
  }
  return success();
}

FailureOr<tile::ElementwiseOp> ElementwiseMatch::write() {
  if (failed(classify()))
    return failure();
  createKernel();
  for (Operation &op : function_.getBody().front())
    if (failed(copy(op))) {
      kernel_.erase();
      return failure();
    }
  // Its verifier reports what no kernel computes: other types, or operations that are no scalar code.
  if (failed(kernel_.verifyInvariants())) {
    kernel_.erase();
    return failure();
  }
  return kernel_;
}

FailureOr<tile::ElementwiseOp> writeElementwise(func::FuncOp function, HeldResults held) {
  return ElementwiseMatch(function, held).write();
}

FailureOr<ElementwiseFunction> describeElementwise(func::FuncOp function, HeldResults held) {
  ElementwiseMatch match(function, held);
  FailureOr<tile::ElementwiseOp> kernel = match.write();
  if (failed(kernel))
    return failure();
  ElementwiseFunction described{descriptionOf(*kernel), match.getArguments(), {}, {}};
  llvm::raw_string_ostream text(described.kernel);
  kernel->print(text, OpPrintingFlags().enableDebugInfo().useLocalScope());
  kernel->erase();
  for (const algrt::ElementwiseOperand &operand : described.description.operands)
    if (operand.role == algrt::OperandRole::Output)
      described.results.push_back(operand.name);
  return described;
}

// Descriptions

static algrt::Extent extentOf(int64_t size) {
  return ShapedType::isDynamic(size) ? algrt::Extent::of("M") : algrt::Extent::number(size);
}

static algrt::FusedOperand::Per runtimePer(tile::Per per) {
  switch (per) {
  case tile::Per::Element:
    return algrt::FusedOperand::Per::Element;
  case tile::Per::Row:
    return algrt::FusedOperand::Per::Row;
  case tile::Per::Column:
    return algrt::FusedOperand::Per::Column;
  case tile::Per::Call:
    return algrt::FusedOperand::Per::Call;
  }
  llvm_unreachable("all are above");
}

static algrt::Shape shapeOf(tile::ElementwiseOp elementwise, tile::Per per) {
  switch (per) {
  case tile::Per::Element: {
    algrt::Shape shape;
    for (int64_t size : elementwise.getShape())
      shape.push_back(extentOf(size));
    return shape;
  }
  case tile::Per::Row:
    return {extentOf(elementwise.getRows())};
  case tile::Per::Column:
    return {extentOf(elementwise.getColumns())};
  case tile::Per::Call:
    return {algrt::Extent::number(1)};
  }
  llvm_unreachable("all are above");
}

/// What a result has one number for, and its type.
static std::pair<tile::Per, Type> resultOf(tile::ElementwiseOp elementwise, Operation *op) {
  if (auto sum = dyn_cast<tile::SumOp>(op))
    return {sum.getPer(), sum.getElement()};
  if (auto maximum = dyn_cast<tile::MaximumOp>(op))
    return {maximum.getPer(), maximum.getElement()};
  return {elementwise.getShape().empty() ? tile::Per::Call : tile::Per::Element,
          cast<tile::PutOp>(op).getValue().getType()};
}

algrt::Elementwise descriptionOf(tile::ElementwiseOp elementwise) {
  algrt::Elementwise description;
  description.name = elementwise.getSymName().str();
  description.rows = extentOf(elementwise.getRows());
  description.columns = extentOf(elementwise.getColumns());
  const auto add = [&](const char *first, int64_t number, algrt::OperandRole role, tile::Per per,
                       Type element) {
    description.operands.push_back({algrt::numberedName(first, number), role, runtimePer(per),
                                    element.isF32() ? algrt::ElementType::F32 : algrt::ElementType::Bf16,
                                    shapeOf(elementwise, per)});
  };
  for (BlockArgument argument : elementwise.getBody().getArguments())
    add("x", argument.getArgNumber(), algrt::OperandRole::Input, elementwise.getPer(argument.getArgNumber()),
        argument.getType());
  for (auto [number, op] : llvm::enumerate(elementwise.getResultOps())) {
    const auto [per, element] = resultOf(elementwise, op);
    add("y", static_cast<int64_t>(number), algrt::OperandRole::Output, per, element);
    if (auto sum = dyn_cast<tile::SumOp>(op); sum && sum.getFactor())
      description.operands.back().held_by =
          description.operands[cast<BlockArgument>(sum.getFactor()).getArgNumber()].name;
  }
  return description;
}

} // namespace compiler
