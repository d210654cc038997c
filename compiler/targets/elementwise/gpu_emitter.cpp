// Tasks of an element-wise kernel, and who adds up what.
#include "compiler/targets/elementwise/gpu_emitter.h"

#include "compiler/lower/elementwise_function.h"

#include <algorithm>

using namespace mlir;

namespace compiler {

/// Numbers that a thread which sums columns has on their way at a time: with 192 blocks of 512 threads, those
/// of 6144 columns of bf16, they are 3 MB, which is what memory stores while one of them is on its way.
constexpr int64_t numbers_in_flight = 16;

/// Rows of which a thread loads its numbers at a time. Results for each element are stored between the loads
/// of one row and the next, so that more rows would only make the code longer.
static int64_t rowsInFlight(tile::ElementwiseOp kernel) {
  int64_t loads = 0;
  for (BlockArgument argument : kernel.getBody().getArguments())
    loads += kernel.getPer(argument.getArgNumber()) == tile::Per::Element;
  const bool puts = llvm::any_of(kernel.getResultOps(), [](Operation *op) { return isa<tile::PutOp>(op); });
  constexpr int64_t least = 4;
  return puts ? least : std::max(numbers_in_flight / std::max<int64_t>(loads, 1), least);
}

OwningOpRef<ModuleOp> GpuElementwise::declareWithOperands() {
  const algrt::Elementwise description = descriptionOf(kernel_);
  Block &body = kernel_.getBody().front();
  for (auto [number, operand] : llvm::enumerate(description.operands)) {
    Operand &made = operands_.emplace_back();
    made.name = operand.name;
    made.input = number < body.getNumArguments();
    if (made.input) {
      made.per = kernel_.getPer(number);
      made.element = body.getArgument(number).getType();
    } else {
      Operation *op = result_ops_[number - body.getNumArguments()];
      made.per = !isa<tile::PutOp>(op)        ? extent_
                 : kernel_.getShape().empty() ? tile::Per::Call
                                              : tile::Per::Element;
      made.element =
          operand.type == algrt::ElementType::F32 ? Type(builder.getF32Type()) : Type(builder.getBF16Type());
    }
  }
  SmallVector<Parameter> parameters;
  for (const algrt::KernelParameter &parameter : algrt::elementwiseParameters(description)) {
    Value *argument = nullptr;
    for (Operand &operand : operands_)
      if (operand.name == parameter.operand)
        argument = parameter.value == algrt::ParameterValue::Operand         ? &operand.address
                   : parameter.value == algrt::ParameterValue::OperandStride ? &operand.stride
                                                                             : &operand.number;
    if (parameter.value == algrt::ParameterValue::Rows)
      argument = &rows_parameter_;
    if (parameter.value == algrt::ParameterValue::Columns)
      argument = &columns_parameter_;
    parameters.push_back({parameter.value, argument, parameter.operand});
  }
  return declare(kernel_.getSymName(), parameters);
}

OwningOpRef<ModuleOp> GpuElementwise::write() {
  OwningOpRef<ModuleOp> module = declareWithOperands();
  thread_ = wideSigned(NVVM::ThreadIdXOp::create(builder, i32()));
  rows_ = wideSigned(rows_parameter_);
  columns_ = ShapedType::isDynamic(kernel_.getColumns()) ? wideSigned(columns_parameter_)
                                                         : constant(kernel_.getColumns());
  readNumbers();
  const auto blocks = [&](Value size, int64_t of_task) {
    return of_task == 0 ? constant(1) : ceilDivide(size, of_task);
  };
  Value tasks = multiply(blocks(rows_, task_size_.rows), blocks(columns_, task_size_.columns));
  Value block = wideSigned(NVVM::BlockIdXOp::create(builder, i32())),
        all_blocks = wideSigned(NVVM::GridDimXOp::create(builder, i32()));
  loop(block, tasks, all_blocks, {}, [&](Value task, ValueRange) {
    writeTask(task);
    return Values();
  });
  LLVM::ReturnOp::create(builder, ValueRange());
  return module;
}

void GpuElementwise::readNumbers() {
  Value together = constant(0);
  for (Operand &operand : operands_) {
    Value address = LLVM::PtrToIntOp::create(builder, i64(), operand.address);
    if (operand.isVector()) {
      together = bitOr(
          together, bitOr(address, operand.stride ? multiply(operand.stride, operand.bytes()) : constant(0)));
    } else if (operand.per == tile::Per::Call && operand.input) {
      Value number = operand.number;
      operand.number =
          choose(equal(address, 0), [&] { return number; }, [&] { return loadNumber(operand, constant(0)); });
    }
  }
  // The widest access is of four f32, or of eight bf16.
  constexpr int64_t vector_bytes = 16;
  aligned_ = equal(bitAnd(together, vector_bytes - 1), 0);
}

void GpuElementwise::writeTask(Value task) {
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
  switch (extent_) {
  case tile::Per::Element:
    return writeElements();
  case tile::Per::Row:
    return writeRows();
  case tile::Per::Column:
    return writeColumns();
  case tile::Per::Call:
    return writeAll();
  }
}

Value GpuElementwise::vectorsOfRow() {
  if (task_size_.columns == 0 && !ShapedType::isDynamic(kernel_.getColumns()))
    return constant((kernel_.getColumns() + vector_ - 1) / vector_);
  return ceilDivide(subtract(column_end_, column_begin_), vector_);
}

void GpuElementwise::writeElements() {
  Value vectors = vectorsOfRow();
  loop(thread_, multiply(subtract(row_end_, row_begin_), vectors), constant(threads), {},
       [&](Value number, ValueRange) {
         Value row = task_size_.rows == 1 ? row_begin_ : add(row_begin_, divide(number, vectors));
         Value in_row = task_size_.rows == 1 ? number : remainder(number, vectors);
         vectorAt(row, add(column_begin_, multiply(in_row, vector_)), {});
         return Values();
       });
}

void GpuElementwise::writeRows() {
  const int64_t together = gpuThreadsOfRow(kernel_);
  Value row = add(row_begin_, divide(thread_, together)), place = remainder(thread_, together);
  Value inside = less(row, row_end_);
  // A thread without a row goes along: others wait for it.
  Value vectors = select(inside, vectorsOfRow(), 0);
  const Values own =
      loop(place, vectors, constant(together), initial(),
           [&](Value number, ValueRange so_far) { return vectorAt(row, multiply(number, vector_), so_far); });
  const Values all = addNeighbours(own, together, place);
  when(both(inside, equal(place, 0)), [&] { storeResults(all, row); });
  barrier(); // the next task's sums overwrite those that others still read
}

void GpuElementwise::writeColumns() {
  const int64_t slices = threads / task_size_.columns, rows_in_flight = rowsInFlight(kernel_);
  Value column = add(column_begin_, remainder(thread_, task_size_.columns)),
        slice = divide(thread_, task_size_.columns);
  Value inside = less(column, column_end_);
  Value last = select(inside, row_end_, row_begin_), step = constant(slices);
  Values carried = initial();
  carried.push_back(slice);
  Values most = loop(slice, subtract(last, (rows_in_flight - 1) * slices), constant(rows_in_flight * slices),
                     carried, [&](Value row, ValueRange so_far) {
                       Values sums(so_far.drop_back());
                       for (int64_t i = 0; i < rows_in_flight; ++i)
                         sums = elementAt(add(row, i * slices), column, sums);
                       sums.push_back(add(row, rows_in_flight * slices));
                       return sums;
                     });
  Value next = most.pop_back_val();
  const Values own = loop(next, last, step, most,
                          [&](Value row, ValueRange so_far) { return elementAt(row, column, so_far); });
  // The slices of each column, in ascending order.
  for (auto [number, op] : llvm::enumerate(reductions())) {
    store(own[number], shared, thread_);
    barrier();
    when(both(inside, equal(slice, 0)), [&] {
      Value sum;
      for (int64_t i = 0; i < slices; ++i) {
        Value of_slice = load(accumulatorType(op), shared, add(thread_, i * task_size_.columns));
        sum = sum ? combine(op, sum, of_slice) : of_slice;
      }
      Values all(reductions().size());
      all[number] = sum;
      storeResults(all, column);
    });
    barrier();
  }
}

void GpuElementwise::writeAll() {
  Value vectors = vectorsOfRow();
  const Values own = loop(
      thread_, multiply(rows_, vectors), constant(threads), initial(), [&](Value number, ValueRange so_far) {
        return vectorAt(divide(number, vectors), multiply(remainder(number, vectors), vector_), so_far);
      });
  const Values all = addNeighbours(own, threads, thread_);
  when(equal(thread_, 0), [&] { storeResults(all, constant(0)); });
  barrier();
}

GpuElementwise::Values GpuElementwise::addNeighbours(ValueRange accumulators, int64_t count, Value place) {
  Values all(accumulators);
  for (auto [number, op] : llvm::enumerate(reductions())) {
    Type type = accumulatorType(op);
    if (number > 0)
      barrier(); // the memory is that of the reduction before
    store(all[number], shared, thread_);
    barrier();
    for (int64_t distance = count / 2; distance > 0; distance /= 2) {
      when(less(place, distance), [&] {
        Value own = load(type, shared, thread_), other = load(type, shared, add(thread_, distance));
        store(combine(op, own, other), shared, thread_);
      });
      // Whoever wrote the last sum reads it.
      if (distance > 1)
        barrier();
    }
    all[number] = load(type, shared, thread_);
  }
  return all;
}

Value GpuElementwise::addHeld(Value sum, unsigned factor, const Operand &result, Value place) {
  Value times = std::next(operands_.begin(), factor)->number;
  Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(builder.getF32Type()));
  const auto in_double = [&](Value number) {
    return arith::ExtFOp::create(builder, builder.getF64Type(), number);
  };
  return choose(
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, times, zero),
      [&]() -> Value {
        Value held = arith::MulFOp::create(builder, in_double(times), in_double(loadNumber(result, place)));
        return arith::AddFOp::create(builder, sum, held);
      },
      [&] { return sum; });
}

void GpuElementwise::storeResults(ValueRange accumulators, Value place) {
  auto operand = std::next(operands_.begin(), kernel_.getBody().getNumArguments());
  size_t reduced = 0;
  for (Operation *op : result_ops_) {
    const Operand &result = *operand++;
    if (isa<tile::PutOp>(op))
      continue;
    Value value = accumulators[reduced++];
    if (!value)
      continue;
    if (auto sum = dyn_cast<tile::SumOp>(op)) {
      if (sum.getFactor())
        value = addHeld(value, cast<BlockArgument>(sum.getFactor()).getArgNumber(), result, place);
      value = arith::TruncFOp::create(builder, builder.getF32Type(), value);
    }
    storeNumber(result, place, value);
  }
}

} // namespace compiler
