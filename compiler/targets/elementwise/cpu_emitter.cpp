#include "compiler/targets/elementwise/cpu_emitter.h"

#include "compiler/targets/elementwise/element_code.h"
#include "runtime/kernel_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cstddef>
#include <limits>

using namespace mlir;

namespace compiler {

/// Vectors of a row that are added up side by side, so that no addition waits for the one before it.
constexpr int64_t chains = 4;

/// Rows that are added to the sums of columns at a time, one after another: so many are read from memory side
/// by side.
constexpr int64_t rows_together = 8;

// Divisions are signed, as bounds of loops are: where they are not, LLVM makes up to a seventh more code of
// the loops that end at a quotient.
CpuElementwiseEmitter::CpuElementwiseEmitter(ModuleOp module, tile::ElementwiseOp kernel, int64_t lanes)
    : IntegerArithmetic(builder_, kernel.getLoc(), IntegerType::get(kernel.getContext(), 64),
                        Division::Signed),
      module_(module), kernel_(kernel), lanes_(lanes), task_size_(cpuTask(kernel)),
      builder_(kernel.getLoc(), kernel), result_ops_(kernel.getResultOps()) {
  for (auto [number, op] : llvm::enumerate(result_ops_))
    if (!isa<tile::PutOp>(op))
      reductions_.push_back({isa<tile::SumOp>(op), static_cast<unsigned>(number)});
}

LogicalResult CpuElementwiseEmitter::emit() {
  builder_.setInsertionPointAfter(kernel_);
  Type i64 = builder_.getI64Type(), pointer = LLVM::LLVMPointerType::get(builder_.getContext());
  auto function = func::FuncOp::create(builder_, kernel_.getSymName(),
                                       builder_.getFunctionType({pointer, i64, i64, i64, i64}, {}));
  function->setAttr("tile.task", builder_.getDenseI64ArrayAttr({task_size_.rows, task_size_.columns}));
  Block *body = function.addEntryBlock();
  builder_.setInsertionPointToStart(body);
  descriptors_ = body->getArgument(0);
  rows_ = body->getArgument(1);
  columns_ = body->getArgument(2);
  readOperands();
  if (kernel_.getReducedExtent() == tile::Per::Column)
    for (const Reduction &reduction : reductions_)
      column_sums_.push_back(LLVM::AllocaOp::create(builder_, pointer, accumulatorType(reduction, 1),
                                                    constant(task_size_.columns), /*alignment=*/64));
  loop(body->getArgument(3), body->getArgument(4), 1, {}, [&](Value task, ValueRange) {
    emitTask(task);
    return Values();
  });
  func::ReturnOp::create(builder_);
  return failure(failed_body_);
}

void CpuElementwiseEmitter::readOperands() {
  Type i64 = builder_.getI64Type(), i8 = builder_.getI8Type(), pointer = descriptors_.getType();
  const auto field = [&](size_t number, size_t offset, Type type) -> Value {
    Value place = LLVM::GEPOp::create(
        builder_, pointer, i8, descriptors_,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number * sizeof(algrt_memref2) + offset)});
    return LLVM::LoadOp::create(builder_, type, place);
  };
  const auto read = [&](tile::Per per, Type element) {
    const size_t number = operands_.size();
    Type stored = element.isF32() ? element : Type(builder_.getI16Type());
    Value base = LLVM::GEPOp::create(
        builder_, pointer, stored, field(number, offsetof(algrt_memref2, aligned), pointer),
        ArrayRef<LLVM::GEPArg>{field(number, offsetof(algrt_memref2, offset), i64)});
    operands_.push_back({per, element, base, field(number, offsetof(algrt_memref2, strides), i64)});
  };
  for (BlockArgument argument : kernel_.getBody().getArguments())
    read(kernel_.getPer(argument.getArgNumber()), argument.getType());
  for (Operation *op : result_ops_)
    if (auto put = dyn_cast<tile::PutOp>(op))
      read(tile::Per::Element, put.getValue().getType());
    else
      read(kernel_.getReducedExtent(), op->getAttrOfType<TypeAttr>("element").getValue());
}

scf::ForOp CpuElementwiseEmitter::loop(Value from, Value to, int64_t step, ValueRange initial,
                                       llvm::function_ref<Values(Value, ValueRange)> body) {
  return scf::ForOp::create(builder_, from, to, constant(step), initial,
                            [&](OpBuilder &, Location, Value index, ValueRange carried) {
                              scf::YieldOp::create(builder_, body(index, carried));
                            });
}

void CpuElementwiseEmitter::emitTask(Value task) {
  const auto range = [&](Value block, int64_t size, Value all) -> std::pair<Value, Value> {
    if (size == 0)
      return {constant(0), all};
    Value begin = multiply(block, size);
    return {begin, least(add(begin, size), all)};
  };
  Value row_block = task, column_block = constant(0);
  if (task_size_.columns != 0) {
    Value blocks = ceilDivide(columns_, task_size_.columns);
    row_block = divide(task, blocks);
    column_block = remainder(task, blocks);
  }
  std::tie(row_begin_, row_end_) = range(row_block, task_size_.rows, rows_);
  std::tie(column_begin_, column_end_) = range(column_block, task_size_.columns, columns_);
  if (kernel_.getReducedExtent() == tile::Per::Column)
    emitColumnSums();
  else
    emitRows();
}

void CpuElementwiseEmitter::emitRows() {
  // Of all rows together, where there is one number for the call.
  if (kernel_.getReducedExtent() == tile::Per::Call) {
    auto all = loop(row_begin_, row_end_, 1, initialAccumulators(),
                    [&](Value row, ValueRange accumulators) { return emitColumns(row, accumulators); });
    finish(constant(0), all.getResults());
    return;
  }
  loop(row_begin_, row_end_, 1, {}, [&](Value row, ValueRange) {
    finish(row, emitColumns(row, initialAccumulators()));
    return Values();
  });
}

// For each reduction `chains` vectors, and a number of its own for what is behind the last whole vector.
CpuElementwiseEmitter::Values CpuElementwiseEmitter::initialAccumulators() {
  Values accumulators;
  for (const Reduction &reduction : reductions_) {
    accumulators.append(chains, initial(reduction, lanes_));
    accumulators.push_back(initial(reduction, 1));
  }
  return accumulators;
}

CpuElementwiseEmitter::Values CpuElementwiseEmitter::emitColumns(Value row, ValueRange accumulators) {
  const Values row_numbers = rowNumbers(row);
  // The elements from a column on, added to accumulators number `first` and those behind it.
  const auto vectors = [&](Value column, ValueRange before, int64_t count, int64_t width, int64_t first) {
    Values after(before);
    for (int64_t v = 0; v < count; ++v) {
      const Values values = emitElements(row, add(column, v * width), row_numbers, width);
      for (auto [number, reduction] : llvm::enumerate(reductions_)) {
        Value &accumulator = after[number * (chains + 1) + static_cast<size_t>(first + v)];
        accumulator = accumulate(reduction, accumulator, values[number]);
      }
    }
    return after;
  };
  Value count = subtract(column_end_, column_begin_);
  Value from = column_begin_;
  // Elements that are only put do not wait for each other.
  if (!reductions_.empty()) {
    Value to = add(column_begin_, wholes(count, chains * lanes_));
    auto most = loop(from, to, chains * lanes_, accumulators, [&](Value column, ValueRange before) {
      return vectors(column, before, chains, lanes_, 0);
    });
    accumulators = most.getResults();
    from = to;
  }
  Value to = add(column_begin_, wholes(count, lanes_));
  auto further = loop(from, to, lanes_, accumulators,
                      [&](Value column, ValueRange before) { return vectors(column, before, 1, lanes_, 0); });
  auto rest = loop(to, column_end_, 1, further.getResults(),
                   [&](Value column, ValueRange before) { return vectors(column, before, 1, 1, chains); });
  return Values(rest.getResults());
}

void CpuElementwiseEmitter::finish(Value row, ValueRange accumulators) {
  for (auto [number, reduction] : llvm::enumerate(reductions_)) {
    Values parts(accumulators.slice(number * (chains + 1), chains));
    for (; parts.size() > 1; parts.resize(parts.size() / 2))
      for (size_t i = 0; i < parts.size() / 2; ++i)
        parts[i] = combine(reduction, parts[2 * i], parts[2 * i + 1]);
    Value joined = vector::ReductionOp::create(
        builder_, reduction.sum ? vector::CombiningKind::ADD : vector::CombiningKind::MAXIMUMF, parts[0]);
    joined = combine(reduction, joined, accumulators[number * (chains + 1) + chains]);
    storeResult(reduction, joined, row, constant(0));
  }
}

void CpuElementwiseEmitter::emitColumnSums() {
  const auto place = [&](size_t number, Value column) -> Value {
    return LLVM::GEPOp::create(builder_, descriptors_.getType(), accumulatorType(reductions_[number], 1),
                               column_sums_[number], ArrayRef<LLVM::GEPArg>{subtract(column, column_begin_)});
  };
  loop(column_begin_, column_end_, 1, {}, [&](Value column, ValueRange) {
    for (auto [number, reduction] : llvm::enumerate(reductions_))
      LLVM::StoreOp::create(builder_, initial(reduction, 1), place(number, column));
    return Values();
  });
  Value together = add(row_begin_, wholes(subtract(row_end_, row_begin_), rows_together));
  loop(row_begin_, together, rows_together, {}, [&](Value row, ValueRange) {
    Values several;
    for (int64_t r = 0; r < rows_together; ++r)
      several.push_back(add(row, r));
    addRowsToColumnSums(several);
    return Values();
  });
  loop(together, row_end_, 1, {}, [&](Value row, ValueRange) {
    addRowsToColumnSums(row);
    return Values();
  });
  loop(column_begin_, column_end_, 1, {}, [&](Value column, ValueRange) {
    for (auto [number, reduction] : llvm::enumerate(reductions_))
      storeResult(reduction,
                  LLVM::LoadOp::create(builder_, accumulatorType(reduction, 1), place(number, column)),
                  constant(0), column);
    return Values();
  });
}

void CpuElementwiseEmitter::addRowsToColumnSums(ValueRange several) {
  SmallVector<Values> row_numbers;
  for (Value row : several)
    row_numbers.push_back(rowNumbers(row));
  const auto add_from = [&](Value column, int64_t width) {
    Values sums, places;
    for (auto [number, reduction] : llvm::enumerate(reductions_)) {
      Type type = accumulatorType(reduction, 1);
      places.push_back(LLVM::GEPOp::create(builder_, descriptors_.getType(), type, column_sums_[number],
                                           ArrayRef<LLVM::GEPArg>{subtract(column, column_begin_)}));
      sums.push_back(LLVM::LoadOp::create(builder_, accumulatorType(reduction, width), places.back(),
                                          /*alignment=*/type.getIntOrFloatBitWidth() / 8));
    }
    for (auto [row, numbers] : llvm::zip_equal(several, row_numbers)) {
      const Values values = emitElements(row, column, numbers, width);
      for (auto [number, reduction] : llvm::enumerate(reductions_))
        sums[number] = accumulate(reduction, sums[number], values[number]);
    }
    for (auto [number, reduction] : llvm::enumerate(reductions_))
      LLVM::StoreOp::create(builder_, sums[number], places[number],
                            accumulatorType(reduction, 1).getIntOrFloatBitWidth() / 8);
    return Values();
  };
  Value vectors_end = add(column_begin_, wholes(subtract(column_end_, column_begin_), lanes_));
  loop(column_begin_, vectors_end, lanes_, {},
       [&](Value column, ValueRange) { return add_from(column, lanes_); });
  loop(vectors_end, column_end_, 1, {}, [&](Value column, ValueRange) { return add_from(column, 1); });
}

CpuElementwiseEmitter::Values CpuElementwiseEmitter::rowNumbers(Value row) {
  Values numbers;
  for (const Operand &operand : ArrayRef(operands_).drop_back(result_ops_.size()))
    numbers.push_back(operand.per == tile::Per::Row || operand.per == tile::Per::Call
                          ? load(operand, row, constant(0), 1)
                          : Value());
  return numbers;
}

CpuElementwiseEmitter::Values CpuElementwiseEmitter::emitElements(Value row, Value column,
                                                                  const Values &row_numbers, int64_t width) {
  Values inputs;
  for (auto [number, known] : llvm::enumerate(row_numbers))
    inputs.push_back(known ? known : load(operands_[number], row, column, width));
  FailureOr<Values> results = applyElementCode(builder_, kernel_, inputs, width);
  if (failed(results)) { // zeros stand for what is never used
    failed_body_ = true;
    results = Values();
    for (Operation *op : result_ops_) {
      Type type = op->getOperand(0).getType();
      type = width == 1 ? type : VectorType::get({width}, type);
      results->push_back(arith::ConstantOp::create(builder_, builder_.getZeroAttr(type)));
    }
  }
  Values reduced;
  for (auto [number, op] : llvm::enumerate(result_ops_))
    if (isa<tile::PutOp>(op))
      store(operands_[row_numbers.size() + number], row, column, (*results)[number]);
    else
      reduced.push_back((*results)[number]);
  return reduced;
}

Type CpuElementwiseEmitter::accumulatorType(const Reduction &reduction, int64_t width) {
  Type type = reduction.sum ? Type(builder_.getF64Type()) : Type(builder_.getF32Type());
  return width == 1 ? type : VectorType::get({width}, type);
}

Value CpuElementwiseEmitter::initial(const Reduction &reduction, int64_t width) {
  Type type = accumulatorType(reduction, width);
  Type element = getElementTypeOrSelf(type);
  TypedAttr value =
      builder_.getFloatAttr(element, reduction.sum ? 0.0 : -std::numeric_limits<double>::infinity());
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(builder_, value);
}

Value CpuElementwiseEmitter::accumulate(const Reduction &reduction, Value accumulated, Value value) {
  if (reduction.sum)
    value = arith::ExtFOp::create(builder_, accumulated.getType(), value);
  return combine(reduction, accumulated, value);
}

Value CpuElementwiseEmitter::combine(const Reduction &reduction, Value a, Value b) {
  if (reduction.sum)
    return arith::AddFOp::create(builder_, a, b);
  return arith::MaximumFOp::create(builder_, a, b);
}

void CpuElementwiseEmitter::storeResult(const Reduction &reduction, Value accumulated, Value row,
                                        Value column) {
  const Operand &operand = operands_[operands_.size() - result_ops_.size() + reduction.result];
  Value value = accumulated;
  if (auto sum = dyn_cast<tile::SumOp>(result_ops_[reduction.result])) {
    if (sum.getFactor())
      value = addHeld(value, operands_[cast<BlockArgument>(sum.getFactor()).getArgNumber()], operand, row,
                      column);
    value = arith::TruncFOp::create(builder_, builder_.getF32Type(), value);
  }
  if (operand.element.isBF16())
    value = arith::TruncFOp::create(builder_, operand.element, value);
  store(operand, row, column, value);
}

Value CpuElementwiseEmitter::addHeld(Value sum, const Operand &factor, const Operand &result, Value row,
                                     Value column) {
  Value times = load(factor, row, column, 1);
  Value zero = arith::ConstantOp::create(builder_, builder_.getZeroAttr(builder_.getF32Type()));
  Value counts = arith::CmpFOp::create(builder_, arith::CmpFPredicate::UNE, times, zero);
  const auto wide = [&](Value number) {
    return arith::ExtFOp::create(builder_, builder_.getF64Type(), number);
  };
  return scf::IfOp::create(
             builder_, counts,
             [&](OpBuilder &, Location) {
               Value held = arith::MulFOp::create(builder_, wide(times), wide(load(result, row, column, 1)));
               scf::YieldOp::create(builder_, Value(arith::AddFOp::create(builder_, sum, held)));
             },
             [&](OpBuilder &, Location) { scf::YieldOp::create(builder_, sum); })
      .getResult(0);
}

Value CpuElementwiseEmitter::address(const Operand &operand, Value row, Value column) {
  Value place;
  switch (operand.per) {
  case tile::Per::Element:
    place = add(multiply(row, operand.stride), column);
    break;
  case tile::Per::Row:
    place = row;
    break;
  case tile::Per::Column:
    place = column;
    break;
  case tile::Per::Call:
    return operand.base;
  }
  Type stored = operand.element.isF32() ? operand.element : Type(builder_.getI16Type());
  return LLVM::GEPOp::create(builder_, operand.base.getType(), stored, operand.base,
                             ArrayRef<LLVM::GEPArg>{place});
}

Value CpuElementwiseEmitter::load(const Operand &operand, Value row, Value column, int64_t width) {
  const bool wide = operand.element.isF32();
  const auto shaped = [&](Type element) {
    return width == 1 ? element : Type(VectorType::get({width}, element));
  };
  Value loaded = LLVM::LoadOp::create(builder_, shaped(wide ? operand.element : Type(builder_.getI16Type())),
                                      address(operand, row, column), /*alignment=*/wide ? 4 : 2);
  return wide ? loaded : arith::BitcastOp::create(builder_, shaped(operand.element), loaded);
}

void CpuElementwiseEmitter::store(const Operand &operand, Value row, Value column, Value value) {
  const bool wide = operand.element.isF32();
  if (!wide) {
    Type bits = builder_.getI16Type();
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      bits = VectorType::get(vector.getShape(), bits);
    value = arith::BitcastOp::create(builder_, bits, value);
  }
  LLVM::StoreOp::create(builder_, value, address(operand, row, column), /*alignment=*/wide ? 4 : 2);
}

} // namespace compiler
