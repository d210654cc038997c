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
constexpr std::int64_t chains = 4;

/// Rows that are added to the sums of columns at a time, one after another: so many are read from memory side
/// by side.
constexpr std::int64_t rows_together = 8;

CpuElementwiseEmitter::CpuElementwiseEmitter(ModuleOp module, tile::ElementwiseOp kernel, std::int64_t lanes)
    : module(module), kernel(kernel), lanes(lanes), task_size(cpuTask(kernel)),
      builder(kernel.getLoc(), kernel), result_ops(kernel.getResultOps()) {
  for (auto [number, op] : llvm::enumerate(result_ops))
    if (!isa<tile::PutOp>(op))
      reductions.push_back({isa<tile::SumOp>(op), static_cast<unsigned>(number)});
}

LogicalResult CpuElementwiseEmitter::emit() {
  builder.setInsertionPointAfter(kernel);
  Type i64 = builder.getI64Type(), pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto function = func::FuncOp::create(builder, kernel.getSymName(),
                                       builder.getFunctionType({pointer, i64, i64, i64, i64}, {}));
  function->setAttr("tile.task", builder.getDenseI64ArrayAttr({task_size.rows, task_size.columns}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  descriptors = body->getArgument(0);
  rows = body->getArgument(1);
  columns = body->getArgument(2);
  readOperands();
  if (kernel.getReducedExtent() == tile::Per::Column)
    for (const Reduction &reduction : reductions)
      column_sums.push_back(LLVM::AllocaOp::create(builder, pointer, accumulatorType(reduction, 1),
                                                   constant(task_size.columns), /*alignment=*/64));
  loop(body->getArgument(3), body->getArgument(4), 1, {}, [&](Value task, ValueRange) {
    emitTask(task);
    return Values();
  });
  func::ReturnOp::create(builder);
  return failure(failed_body);
}

void CpuElementwiseEmitter::readOperands() {
  Type i64 = builder.getI64Type(), i8 = builder.getI8Type(), pointer = descriptors.getType();
  const auto field = [&](std::size_t number, std::size_t offset, Type type) -> Value {
    Value place = LLVM::GEPOp::create(
        builder, pointer, i8, descriptors,
        ArrayRef<LLVM::GEPArg>{static_cast<std::int32_t>(number * sizeof(algrt_memref2) + offset)});
    return LLVM::LoadOp::create(builder, type, place);
  };
  const auto read = [&](tile::Per per, Type element) {
    const std::size_t number = operands.size();
    Type stored = element.isF32() ? element : Type(builder.getI16Type());
    Value base = LLVM::GEPOp::create(
        builder, pointer, stored, field(number, offsetof(algrt_memref2, aligned), pointer),
        ArrayRef<LLVM::GEPArg>{field(number, offsetof(algrt_memref2, offset), i64)});
    operands.push_back({per, element, base, field(number, offsetof(algrt_memref2, strides), i64)});
  };
  for (BlockArgument argument : kernel.getBody().getArguments())
    read(kernel.getPer(argument.getArgNumber()), argument.getType());
  for (Operation *op : result_ops)
    if (auto put = dyn_cast<tile::PutOp>(op))
      read(tile::Per::Element, put.getValue().getType());
    else
      read(kernel.getReducedExtent(), op->getAttrOfType<TypeAttr>("element").getValue());
}

scf::ForOp CpuElementwiseEmitter::loop(Value from, Value to, std::int64_t step, ValueRange initial,
                                       llvm::function_ref<Values(Value, ValueRange)> body) {
  return scf::ForOp::create(builder, from, to, constant(step), initial,
                            [&](OpBuilder &, Location, Value index, ValueRange carried) {
                              scf::YieldOp::create(builder, body(index, carried));
                            });
}

Value CpuElementwiseEmitter::wholes(Value count, std::int64_t unit) {
  return multiply(arith::DivSIOp::create(builder, count, constant(unit)), constant(unit));
}

void CpuElementwiseEmitter::emitTask(Value task) {
  const auto range = [&](Value block, std::int64_t size, Value all) -> std::pair<Value, Value> {
    if (size == 0)
      return {constant(0), all};
    Value begin = multiply(block, constant(size));
    return {begin, least(add(begin, constant(size)), all)};
  };
  Value row_block = task, column_block = constant(0);
  if (task_size.columns != 0) {
    Value blocks = arith::CeilDivSIOp::create(builder, columns, constant(task_size.columns));
    row_block = arith::DivSIOp::create(builder, task, blocks);
    column_block = arith::RemSIOp::create(builder, task, blocks);
  }
  std::tie(row_begin, row_end) = range(row_block, task_size.rows, rows);
  std::tie(column_begin, column_end) = range(column_block, task_size.columns, columns);
  if (kernel.getReducedExtent() == tile::Per::Column)
    emitColumnSums();
  else
    emitRows();
}

void CpuElementwiseEmitter::emitRows() {
  // Of all rows together, where there is one number for the call.
  if (kernel.getReducedExtent() == tile::Per::Call) {
    auto all = loop(row_begin, row_end, 1, initialAccumulators(),
                    [&](Value row, ValueRange accumulators) { return emitColumns(row, accumulators); });
    finish(constant(0), all.getResults());
    return;
  }
  loop(row_begin, row_end, 1, {}, [&](Value row, ValueRange) {
    finish(row, emitColumns(row, initialAccumulators()));
    return Values();
  });
}

// For each reduction `chains` vectors, and a number of its own for what is behind the last whole vector.
CpuElementwiseEmitter::Values CpuElementwiseEmitter::initialAccumulators() {
  Values accumulators;
  for (const Reduction &reduction : reductions) {
    accumulators.append(chains, initial(reduction, lanes));
    accumulators.push_back(initial(reduction, 1));
  }
  return accumulators;
}

CpuElementwiseEmitter::Values CpuElementwiseEmitter::emitColumns(Value row, ValueRange accumulators) {
  const Values row_numbers = rowNumbers(row);
  // The elements from a column on, added to accumulators number `first` and those behind it.
  const auto vectors = [&](Value column, ValueRange before, std::int64_t count, std::int64_t width,
                           std::int64_t first) {
    Values after(before);
    for (std::int64_t v = 0; v < count; ++v) {
      const Values values = emitElements(row, add(column, constant(v * width)), row_numbers, width);
      for (auto [number, reduction] : llvm::enumerate(reductions)) {
        Value &accumulator = after[number * (chains + 1) + static_cast<std::size_t>(first + v)];
        accumulator = accumulate(reduction, accumulator, values[number]);
      }
    }
    return after;
  };
  Value count = subtract(column_end, column_begin);
  Value from = column_begin;
  // Elements that are only put do not wait for each other.
  if (!reductions.empty()) {
    Value to = add(column_begin, wholes(count, chains * lanes));
    auto most = loop(from, to, chains * lanes, accumulators, [&](Value column, ValueRange before) {
      return vectors(column, before, chains, lanes, 0);
    });
    accumulators = most.getResults();
    from = to;
  }
  Value to = add(column_begin, wholes(count, lanes));
  auto further = loop(from, to, lanes, accumulators,
                      [&](Value column, ValueRange before) { return vectors(column, before, 1, lanes, 0); });
  auto rest = loop(to, column_end, 1, further.getResults(),
                   [&](Value column, ValueRange before) { return vectors(column, before, 1, 1, chains); });
  return Values(rest.getResults());
}

void CpuElementwiseEmitter::finish(Value row, ValueRange accumulators) {
  for (auto [number, reduction] : llvm::enumerate(reductions)) {
    Values parts(accumulators.slice(number * (chains + 1), chains));
    for (; parts.size() > 1; parts.resize(parts.size() / 2))
      for (std::size_t i = 0; i < parts.size() / 2; ++i)
        parts[i] = combine(reduction, parts[2 * i], parts[2 * i + 1]);
    Value joined = vector::ReductionOp::create(
        builder, reduction.sum ? vector::CombiningKind::ADD : vector::CombiningKind::MAXIMUMF, parts[0]);
    joined = combine(reduction, joined, accumulators[number * (chains + 1) + chains]);
    storeResult(reduction, joined, row, constant(0));
  }
}

void CpuElementwiseEmitter::emitColumnSums() {
  const auto place = [&](std::size_t number, Value column) -> Value {
    return LLVM::GEPOp::create(builder, descriptors.getType(), accumulatorType(reductions[number], 1),
                               column_sums[number], ArrayRef<LLVM::GEPArg>{subtract(column, column_begin)});
  };
  loop(column_begin, column_end, 1, {}, [&](Value column, ValueRange) {
    for (auto [number, reduction] : llvm::enumerate(reductions))
      LLVM::StoreOp::create(builder, initial(reduction, 1), place(number, column));
    return Values();
  });
  Value together = add(row_begin, wholes(subtract(row_end, row_begin), rows_together));
  loop(row_begin, together, rows_together, {}, [&](Value row, ValueRange) {
    Values several;
    for (std::int64_t r = 0; r < rows_together; ++r)
      several.push_back(add(row, constant(r)));
    addRowsToColumnSums(several);
    return Values();
  });
  loop(together, row_end, 1, {}, [&](Value row, ValueRange) {
    addRowsToColumnSums(row);
    return Values();
  });
  loop(column_begin, column_end, 1, {}, [&](Value column, ValueRange) {
    for (auto [number, reduction] : llvm::enumerate(reductions))
      storeResult(reduction,
                  LLVM::LoadOp::create(builder, accumulatorType(reduction, 1), place(number, column)),
                  constant(0), column);
    return Values();
  });
}

void CpuElementwiseEmitter::addRowsToColumnSums(ValueRange several) {
  SmallVector<Values> row_numbers;
  for (Value row : several)
    row_numbers.push_back(rowNumbers(row));
  const auto addFrom = [&](Value column, std::int64_t width) {
    Values sums, places;
    for (auto [number, reduction] : llvm::enumerate(reductions)) {
      Type type = accumulatorType(reduction, 1);
      places.push_back(LLVM::GEPOp::create(builder, descriptors.getType(), type, column_sums[number],
                                           ArrayRef<LLVM::GEPArg>{subtract(column, column_begin)}));
      sums.push_back(LLVM::LoadOp::create(builder, accumulatorType(reduction, width), places.back(),
                                          /*alignment=*/type.getIntOrFloatBitWidth() / 8));
    }
    for (auto [row, numbers] : llvm::zip_equal(several, row_numbers)) {
      const Values values = emitElements(row, column, numbers, width);
      for (auto [number, reduction] : llvm::enumerate(reductions))
        sums[number] = accumulate(reduction, sums[number], values[number]);
    }
    for (auto [number, reduction] : llvm::enumerate(reductions))
      LLVM::StoreOp::create(builder, sums[number], places[number],
                            accumulatorType(reduction, 1).getIntOrFloatBitWidth() / 8);
    return Values();
  };
  Value vectors_end = add(column_begin, wholes(subtract(column_end, column_begin), lanes));
  loop(column_begin, vectors_end, lanes, {},
       [&](Value column, ValueRange) { return addFrom(column, lanes); });
  loop(vectors_end, column_end, 1, {}, [&](Value column, ValueRange) { return addFrom(column, 1); });
}

CpuElementwiseEmitter::Values CpuElementwiseEmitter::rowNumbers(Value row) {
  Values numbers;
  for (const Operand &operand : ArrayRef(operands).drop_back(result_ops.size()))
    numbers.push_back(operand.per == tile::Per::Row || operand.per == tile::Per::Call
                          ? load(operand, row, constant(0), 1)
                          : Value());
  return numbers;
}

CpuElementwiseEmitter::Values
CpuElementwiseEmitter::emitElements(Value row, Value column, const Values &row_numbers, std::int64_t width) {
  Values inputs;
  for (auto [number, known] : llvm::enumerate(row_numbers))
    inputs.push_back(known ? known : load(operands[number], row, column, width));
  FailureOr<Values> results = applyElementCode(builder, kernel, inputs, width);
  if (failed(results)) { // zeros stand for what is never used
    failed_body = true;
    results = Values();
    for (Operation *op : result_ops) {
      Type type = op->getOperand(0).getType();
      type = width == 1 ? type : VectorType::get({width}, type);
      results->push_back(arith::ConstantOp::create(builder, builder.getZeroAttr(type)));
    }
  }
  Values reduced;
  for (auto [number, op] : llvm::enumerate(result_ops))
    if (isa<tile::PutOp>(op))
      store(operands[row_numbers.size() + number], row, column, (*results)[number]);
    else
      reduced.push_back((*results)[number]);
  return reduced;
}

Type CpuElementwiseEmitter::accumulatorType(const Reduction &reduction, std::int64_t width) {
  Type type = reduction.sum ? Type(builder.getF64Type()) : Type(builder.getF32Type());
  return width == 1 ? type : VectorType::get({width}, type);
}

Value CpuElementwiseEmitter::initial(const Reduction &reduction, std::int64_t width) {
  Type type = accumulatorType(reduction, width);
  Type element = getElementTypeOrSelf(type);
  TypedAttr value =
      builder.getFloatAttr(element, reduction.sum ? 0.0 : -std::numeric_limits<double>::infinity());
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(builder, value);
}

Value CpuElementwiseEmitter::accumulate(const Reduction &reduction, Value accumulated, Value value) {
  if (reduction.sum)
    value = arith::ExtFOp::create(builder, accumulated.getType(), value);
  return combine(reduction, accumulated, value);
}

Value CpuElementwiseEmitter::combine(const Reduction &reduction, Value a, Value b) {
  if (reduction.sum)
    return arith::AddFOp::create(builder, a, b);
  return arith::MaximumFOp::create(builder, a, b);
}

void CpuElementwiseEmitter::storeResult(const Reduction &reduction, Value accumulated, Value row,
                                        Value column) {
  const Operand &operand = operands[operands.size() - result_ops.size() + reduction.result];
  Value value = accumulated;
  if (reduction.sum)
    value = arith::TruncFOp::create(builder, builder.getF32Type(), value);
  if (operand.element.isBF16())
    value = arith::TruncFOp::create(builder, operand.element, value);
  store(operand, row, column, value);
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
  Type stored = operand.element.isF32() ? operand.element : Type(builder.getI16Type());
  return LLVM::GEPOp::create(builder, operand.base.getType(), stored, operand.base,
                             ArrayRef<LLVM::GEPArg>{place});
}

Value CpuElementwiseEmitter::load(const Operand &operand, Value row, Value column, std::int64_t width) {
  const bool wide = operand.element.isF32();
  const auto shaped = [&](Type element) {
    return width == 1 ? element : Type(VectorType::get({width}, element));
  };
  Value loaded = LLVM::LoadOp::create(builder, shaped(wide ? operand.element : Type(builder.getI16Type())),
                                      address(operand, row, column), /*alignment=*/wide ? 4 : 2);
  return wide ? loaded : arith::BitcastOp::create(builder, shaped(operand.element), loaded);
}

void CpuElementwiseEmitter::store(const Operand &operand, Value row, Value column, Value value) {
  const bool wide = operand.element.isF32();
  if (!wide) {
    Type bits = builder.getI16Type();
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      bits = VectorType::get(vector.getShape(), bits);
    value = arith::BitcastOp::create(builder, bits, value);
  }
  LLVM::StoreOp::create(builder, value, address(operand, row, column), /*alignment=*/wide ? 4 : 2);
}

} // namespace compiler
