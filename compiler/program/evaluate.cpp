#include "compiler/program/evaluate.h"

#include "compiler/program/evaluate_contract.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace compiler {

int64_t elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

namespace {

/// The values of one function so far. A view has the array of its tensor.
class Evaluation {
public:
  explicit Evaluation(Rounding rounding) : rounding_(rounding) {}

  LogicalResult bind(func::FuncOp function, const std::vector<DenseArray> &arguments);
  FailureOr<std::vector<DenseArray>> run(func::FuncOp function);

private:
  LogicalResult compute(Operation *op);
  LogicalResult compute(alg::ContractOp contract);
  LogicalResult compute(alg::MapOp map);
  LogicalResult compute(alg::ReduceOp reduce);
  LogicalResult compute(func::CallOp call);
  LogicalResult computeElements(Operation *op);
  LogicalResult pass(Operation *op) {
    DenseArray array = values_[op->getOperand(0)]; // a new entry may move the others
    values_[op->getResult(0)] = std::move(array);
    return success();
  }
  int64_t rowType(alg::SlotsOp schedule, int64_t row);
  /// Moves the numbers of what is bf16.
  void round(DenseArray &array, Value value) const;

  const Rounding rounding_;
  llvm::DenseMap<Value, DenseArray> values_;
};

/// The rows and columns of a view's array.
struct Extents {
  explicit Extents(const DenseArray &array)
      : columns(array.shape.back()), rows(columns ? static_cast<int64_t>(array.values.size()) / columns : 0) {
  }
  int64_t columns, rows;
};

} // namespace

static bool fits(Type type, const DenseArray &array) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor && type.isIndex() && array.shape.size() == 1)
    return elementCount(array.shape) == static_cast<int64_t>(array.values.size());
  if (!tensor)
    return array.shape.empty() && array.values.size() == 1;
  if (tensor.getRank() != static_cast<int64_t>(array.shape.size()) ||
      elementCount(array.shape) != static_cast<int64_t>(array.values.size()))
    return false;
  for (auto [size, given] : llvm::zip_equal(tensor.getShape(), array.shape))
    if (!ShapedType::isDynamic(size) && size != given)
      return false;
  return true;
}

LogicalResult Evaluation::bind(func::FuncOp function, const std::vector<DenseArray> &arguments) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitError("only a function of one block can be computed");
  if (arguments.size() != function.getNumArguments())
    return function.emitError("takes ")
           << function.getNumArguments() << " arguments, not " << arguments.size();
  for (auto [argument, array] : llvm::zip_equal(function.getArguments(), arguments)) {
    if (!fits(argument.getType(), array))
      return function.emitError("argument ") << argument.getArgNumber() << " is " << argument.getType()
                                             << ", and the array has another shape";
    values_[argument] = array;
  }
  return success();
}

int64_t Evaluation::rowType(alg::SlotsOp schedule, int64_t row) {
  if (Value types = schedule.getTypes())
    return static_cast<int64_t>(values_[types].values[row]);
  const Value offset = schedule.getOffset();
  const alg::RowTypesAttr types = cast<alg::SlotsType>(schedule.getView().getType()).getRowTypes();
  if (!offset)
    return types.getRowTypes().typeAt(row);
  const DenseArray &positions = values_[offset];
  const int64_t behind_base = positions.shape.empty() ? static_cast<int64_t>(positions.values.front()) + row
                                                      : static_cast<int64_t>(positions.values[row]);
  return types.getRowTypes().typeAt(positions.base + behind_base);
}

void Evaluation::round(DenseArray &array, Value value) const {
  Type type = value.getType();
  auto view = dyn_cast<alg::SlotsType>(type);
  if (!(view ? view.getElementType() : getElementTypeOrSelf(type)).isBF16())
    return;
  for (double &number : array.values)
    number = rounding_(number);
}

LogicalResult Evaluation::compute(alg::ContractOp contract) {
  const DenseArray &lhs = values_[contract.getLhs()], &rhs = values_[contract.getRhs()];
  alg::SlotsOp schedule = alg::findRowSchedule(contract.getLhs());
  if (contract.getLhs().getType().getRowTypes() && !schedule)
    return contract.emitError("the types of the rows are not known here");
  if (const Value offset = schedule ? schedule.getOffset() : Value()) {
    const DenseArray &positions = values_[offset];
    if (!positions.shape.empty() && positions.shape.front() != lhs.shape.front())
      return contract.emitError("has ")
             << lhs.shape.front() << " rows, and there are positions of " << positions.shape.front();
  }
  DenseArray result = contractArrays(contract, lhs, rhs, [&](int64_t row) { return rowType(schedule, row); });
  round(result, contract.getResult());
  values_[contract.getResult()] = std::move(result);
  return success();
}

LogicalResult Evaluation::compute(alg::MapOp map) {
  FailureOr<ScalarProgram> body = ScalarProgram::compile(
      map.getBody().front(),
      [&](Value outside) -> std::optional<double> {
        auto found = values_.find(outside);
        return found == values_.end() ? std::nullopt : std::optional(found->second.values.front());
      },
      rounding_);
  if (failed(body))
    return failure();
  DenseArray result = values_[map.getInputs().front()];
  const Extents extents(result);
  SmallVector<const double *> arrays;
  for (Value operand : map->getOperands())
    arrays.push_back(values_[operand].values.data());
  const size_t views = map.getInputs().size(), columns = views + map.getColumns().size(),
               rows = columns + map.getRows().size();
  SmallVector<double> arguments(arrays.size());
  for (int64_t i = 0; i < static_cast<int64_t>(result.values.size()); ++i) {
    for (size_t operand = 0; operand < arrays.size(); ++operand) {
      const int64_t at = operand < views     ? i
                         : operand < columns ? i % extents.columns
                         : operand < rows    ? i / extents.columns
                                             : 0;
      arguments[operand] = arrays[operand][at];
    }
    result.values[i] = body->run(arguments);
  }
  values_[map.getResult()] = std::move(result);
  return success();
}

LogicalResult Evaluation::compute(alg::ReduceOp reduce) {
  const DenseArray &view = values_[reduce.getView()];
  const Extents extents(view);
  const bool sum = reduce.getReduction() == alg::Reduction::Sum;
  DenseArray result;
  if (reduce.getOver() != alg::Extent::All)
    result.shape = {reduce.getOver() == alg::Extent::Rows ? extents.columns : extents.rows};
  result.values.assign(elementCount(result.shape), sum ? 0 : -std::numeric_limits<double>::infinity());
  for (int64_t i = 0; i < static_cast<int64_t>(view.values.size()); ++i) {
    const int64_t at = reduce.getOver() == alg::Extent::Rows      ? i % extents.columns
                       : reduce.getOver() == alg::Extent::Columns ? i / extents.columns
                                                                  : 0;
    double &reduced = result.values[at];
    const double value = view.values[i];
    if (sum)
      reduced += value;
    else if (std::isnan(value) || value > reduced)
      reduced = value;
  }
  round(result, reduce.getResult());
  values_[reduce.getResult()] = std::move(result);
  return success();
}

LogicalResult Evaluation::compute(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  std::vector<DenseArray> arguments;
  for (Value operand : call.getOperands())
    arguments.push_back(values_[operand]);
  FailureOr<std::vector<DenseArray>> results = evaluate(callee, arguments, rounding_);
  if (failed(results))
    return failure();
  for (auto [result, array] : llvm::zip_equal(call.getResults(), *results))
    values_[result] = std::move(array);
  return success();
}

/// A scalar operation on numbers or on every element of tensors.
LogicalResult Evaluation::computeElements(Operation *op) {
  ScalarFunction function = op->getNumResults() == 1 ? scalarFunction(op) : nullptr;
  if (!function || op->getNumOperands() == 0 || op->getNumOperands() > 3)
    return op->emitError("cannot be computed by the reference");
  // The condition of a select may be one number where what it chooses between are tensors.
  DenseArray result = values_[op->getOperands().back()];
  for (size_t i = 0; i < result.values.size(); ++i) {
    double operands[3] = {};
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      const std::vector<double> &elements = values_[operand].values;
      operands[index] = elements[elements.size() == 1 ? 0 : i];
    }
    result.values[i] = function(operands[0], operands[1], operands[2]);
  }
  if (isa<arith::TruncFOp>(op))
    round(result, op->getResult(0));
  values_[op->getResult(0)] = std::move(result);
  return success();
}

LogicalResult Evaluation::compute(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<alg::ContractOp, alg::MapOp, alg::ReduceOp, func::CallOp>(
          [&](auto same) { return compute(same); })
      .Case<alg::SlotsOp, alg::GatherOp, alg::RegroupOp>([&](auto) { return pass(op); })
      .Case([&](arith::ConstantOp constant) -> LogicalResult {
        auto elements = dyn_cast<ElementsAttr>(constant.getValue());
        const Attribute one =
            elements && elements.isSplat() ? elements.getSplatValue<Attribute>() : constant.getValue();
        double number = 0;
        if (auto value = dyn_cast<FloatAttr>(one))
          number = value.getValueAsDouble();
        else if (auto integer = dyn_cast<IntegerAttr>(one))
          number = static_cast<double>(integer.getInt());
        else
          return constant.emitError("cannot be computed by the reference");
        DenseArray array{{}, {number}};
        if (elements) { // of a size that is known
          array.shape = elements.getShapedType().getShape().vec();
          array.values.assign(static_cast<size_t>(elementCount(array.shape)), number);
        }
        return values_[constant] = std::move(array), success();
      })
      .Default([&](Operation *other) { return computeElements(other); });
}

FailureOr<std::vector<DenseArray>> Evaluation::run(func::FuncOp function) {
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator())
    if (failed(compute(&op)))
      return failure();
  std::vector<DenseArray> results;
  for (Value result : body.getTerminator()->getOperands())
    results.push_back(values_[result]);
  return results;
}

FailureOr<std::vector<DenseArray>> evaluate(func::FuncOp function, const std::vector<DenseArray> &arguments,
                                            Rounding rounding) {
  Evaluation evaluation(rounding);
  if (failed(evaluation.bind(function, arguments)))
    return failure();
  return evaluation.run(function);
}

} // namespace compiler
