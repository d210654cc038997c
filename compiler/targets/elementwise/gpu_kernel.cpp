#include "compiler/targets/elementwise/gpu_kernel.h"

#include "compiler/auxiliary/instruction_writer.h"
#include "compiler/failure.h"
#include "compiler/lower/elementwise_function.h"
#include "compiler/targets/elementwise/task.h"
#include "compiler/targets/nvidia/element_code.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <limits>
#include <list>

using namespace mlir;

namespace compiler {
namespace {

/// Rows of a column that a thread has on their way at a time.
constexpr std::int64_t rows_in_flight = 4;

/// Writes one kernel. Numbers of bf16 are f32 of the same value between loads and stores; places are i64.
class GpuElementwise : InstructionWriter {
public:
  explicit GpuElementwise(tile::ElementwiseOp kernel)
      : InstructionWriter(*kernel.getContext(), gpuThreads(kernel)), kernel(kernel),
        result_ops(kernel.getResultOps()), extent(kernel.getReducedExtent()), vector(gpuVector(kernel)),
        task_size(gpuTask(kernel)) {}

  OwningOpRef<ModuleOp> write();

private:
  struct Operand {
    tile::Per per;
    Type element;
    std::string name;
    bool input;
    Value address, stride, number; ///< parameters
    bool isVector() const { return per == tile::Per::Element || per == tile::Per::Column; }
    std::int64_t bytes() const { return element.isF32() ? 4 : 2; }
  };

  OwningOpRef<ModuleOp> declareWithOperands();
  void readNumbers();
  void writeTask(Value task);
  /// Tasks of rows, one result for each of them, or none.
  void writeElements();
  void writeRows(Value task);
  void writeColumns();
  void writeAll();

  /// `vector` elements from the column on, or as many as there are; what is accumulated is added to.
  Values vectorAt(Value row, Value column, ValueRange accumulators);
  Values wholeVector(Value row, Value column, Values accumulators);
  /// One element, added to the accumulators.
  Values elementAt(Value row, Value column, ValueRange accumulators);
  /// What results take of an element, of the numbers of its operands; f32.
  Values compute(ValueRange numbers);

  /// Adds up what `count` neighbouring threads have, a power of two; the first of them has it all.
  Values addNeighbours(ValueRange accumulators, std::int64_t count, Value place);
  void storeResults(ValueRange accumulators, Value place);

  Value loadNumber(const Operand &operand, Value index);
  void storeNumber(const Operand &operand, Value index, Value value);
  Value indexOf(const Operand &operand, Value row, Value column);
  Type accumulatorType(Operation *op) {
    return isa<tile::SumOp>(op) ? Type(builder.getF64Type()) : Type(builder.getF32Type());
  }
  Values initial();
  Value combine(Operation *op, Value a, Value b);
  Value accumulate(Operation *op, Value accumulator, Value value);
  SmallVector<Operation *> reductions() {
    return SmallVector<Operation *>(
        llvm::make_filter_range(result_ops, [](Operation *op) { return !isa<tile::PutOp>(op); }));
  }
  Values eitherOf(Value condition, llvm::function_ref<Values()> then,
                  llvm::function_ref<Values()> otherwise);
  Value divide(Value a, Value b) { return arith::DivUIOp::create(builder, a, b); }
  Value remainder(Value a, Value b) { return arith::RemUIOp::create(builder, a, b); }
  /// Vectors of the task's columns.
  Value vectorsOfRow();

  tile::ElementwiseOp kernel;
  SmallVector<Operation *> result_ops;
  const tile::Per extent;
  const std::int64_t vector;
  const ElementwiseTask task_size;
  std::list<Operand> operands; ///< inputs, then results
  Value rows_parameter, columns_parameter;
  Value thread, rows, columns; ///< i64
  Value aligned;               ///< whether all that is read and written by vectors can be
  Value row_begin, row_end, column_begin, column_end;
};

OwningOpRef<ModuleOp> GpuElementwise::declareWithOperands() {
  const algrt::Elementwise description = descriptionOf(kernel);
  Block &body = kernel.getBody().front();
  for (auto [number, operand] : llvm::enumerate(description.operands)) {
    Operand &made = operands.emplace_back();
    made.name = operand.name;
    made.input = number < body.getNumArguments();
    if (made.input) {
      made.per = kernel.getPer(number);
      made.element = body.getArgument(number).getType();
    } else {
      Operation *op = result_ops[number - body.getNumArguments()];
      made.per = isa<tile::PutOp>(op) ? tile::Per::Element : extent;
      made.element = operand.type == algrt::ElementType::f32 ? Type(builder.getF32Type())
                                                            : Type(builder.getBF16Type());
    }
  }
  SmallVector<Parameter> parameters;
  for (const algrt::KernelParameter &parameter : algrt::elementwiseParameters(description)) {
    Value *argument = nullptr;
    for (Operand &operand : operands)
      if (operand.name == parameter.operand)
        argument = parameter.value == algrt::ParameterValue::operand          ? &operand.address
                   : parameter.value == algrt::ParameterValue::operand_stride ? &operand.stride
                                                                              : &operand.number;
    if (parameter.value == algrt::ParameterValue::rows)
      argument = &rows_parameter;
    if (parameter.value == algrt::ParameterValue::columns)
      argument = &columns_parameter;
    parameters.push_back({parameter.value, argument, parameter.operand});
  }
  return declare(kernel.getSymName(), parameters);
}

OwningOpRef<ModuleOp> GpuElementwise::write() {
  OwningOpRef<ModuleOp> module = declareWithOperands();
  thread = wide(NVVM::ThreadIdXOp::create(builder, i32()));
  rows = wide(rows_parameter);
  columns = ShapedType::isDynamic(kernel.getColumns()) ? wide(columns_parameter) : wide(kernel.getColumns());
  readNumbers();
  const auto blocks = [&](Value size, std::int64_t of_task) {
    return of_task == 0 ? wide(1) : divide(add(size, wide(of_task - 1)), wide(of_task));
  };
  Value tasks = multiply(blocks(rows, task_size.rows), blocks(columns, task_size.columns));
  Value block = wide(NVVM::BlockIdXOp::create(builder, i32())),
        all_blocks = wide(NVVM::GridDimXOp::create(builder, i32()));
  loop(block, tasks, all_blocks, {}, [&](Value task, ValueRange) {
    writeTask(task);
    return Values();
  });
  LLVM::ReturnOp::create(builder, ValueRange());
  return module;
}

void GpuElementwise::readNumbers() {
  Value together = wide(0);
  for (Operand &operand : operands) {
    Value address = LLVM::PtrToIntOp::create(builder, i64(), operand.address);
    if (operand.isVector()) {
      together = arith::OrIOp::create(builder, together, arith::OrIOp::create(
          builder, address, operand.stride ? multiply(operand.stride, wide(operand.bytes())) : wide(0)));
    } else if (operand.per == tile::Per::Call && operand.input) {
      Value number = operand.number;
      operand.number = either(
          equal(address, wide(0)), [&] { return number; },
          [&] { return loadNumber(operand, wide(0)); });
    }
  }
  // The widest access is of four f32, or of eight bf16.
  constexpr std::int64_t vector_bytes = 16;
  aligned = equal(arith::AndIOp::create(builder, together, wide(vector_bytes - 1)), wide(0));
}

void GpuElementwise::writeTask(Value task) {
  const auto range = [&](Value block, std::int64_t size, Value all) -> std::pair<Value, Value> {
    if (size == 0)
      return {wide(0), all};
    Value begin = multiply(block, wide(size));
    return {begin, least(add(begin, wide(size)), all)};
  };
  Value row_block = task, column_block = wide(0);
  if (task_size.columns != 0) {
    Value blocks = divide(add(columns, wide(task_size.columns - 1)), wide(task_size.columns));
    row_block = divide(task, blocks);
    column_block = remainder(task, blocks);
  }
  std::tie(row_begin, row_end) = range(row_block, task_size.rows, rows);
  std::tie(column_begin, column_end) = range(column_block, task_size.columns, columns);
  switch (extent) {
  case tile::Per::Element:
    return writeElements();
  case tile::Per::Row:
    return writeRows(task);
  case tile::Per::Column:
    return writeColumns();
  case tile::Per::Call:
    return writeAll();
  }
}

Value GpuElementwise::vectorsOfRow() {
  if (task_size.columns == 0 && !ShapedType::isDynamic(kernel.getColumns()))
    return wide((kernel.getColumns() + vector - 1) / vector);
  return divide(add(subtract(column_end, column_begin), wide(vector - 1)), wide(vector));
}

void GpuElementwise::writeElements() {
  Value vectors = vectorsOfRow();
  loop(thread, multiply(subtract(row_end, row_begin), vectors), wide(threads), {},
       [&](Value number, ValueRange) {
         Value row = task_size.rows == 1 ? row_begin : add(row_begin, divide(number, vectors));
         Value in_row = task_size.rows == 1 ? number : remainder(number, vectors);
         vectorAt(row, add(column_begin, multiply(in_row, wide(vector))), {});
         return Values();
       });
}

void GpuElementwise::writeRows(Value) {
  const std::int64_t together = gpuThreadsOfRow(kernel);
  Value row = add(row_begin, divide(thread, wide(together))), place = remainder(thread, wide(together));
  Value inside = below(row, row_end);
  // A thread without a row goes along: others wait for it.
  Value vectors = choose(inside, vectorsOfRow(), wide(0));
  const Values own = loop(place, vectors, wide(together), initial(), [&](Value number, ValueRange so_far) {
    return vectorAt(row, multiply(number, wide(vector)), so_far);
  });
  const Values all = addNeighbours(own, together, place);
  when(arith::AndIOp::create(builder, inside, equal(place, wide(0))), [&] { storeResults(all, row); });
  barrier(); // the next task's sums overwrite those that others still read
}

void GpuElementwise::writeColumns() {
  const std::int64_t slices = threads / task_size.columns;
  Value column = add(column_begin, remainder(thread, wide(task_size.columns))),
        slice = divide(thread, wide(task_size.columns));
  Value inside = below(column, column_end);
  Value last = choose(inside, row_end, row_begin), step = wide(slices);
  Values carried = initial();
  carried.push_back(slice);
  Values most = loop(slice, subtract(last, wide((rows_in_flight - 1) * slices)), wide(rows_in_flight * slices),
                     carried, [&](Value row, ValueRange so_far) {
                       Values sums(so_far.drop_back());
                       for (std::int64_t i = 0; i < rows_in_flight; ++i)
                         sums = elementAt(add(row, wide(i * slices)), column, sums);
                       sums.push_back(add(row, wide(rows_in_flight * slices)));
                       return sums;
                     });
  Value next = most.pop_back_val();
  const Values own = loop(next, last, step, most, [&](Value row, ValueRange so_far) {
    return elementAt(row, column, so_far);
  });
  // The slices of each column, in ascending order.
  for (auto [number, op] : llvm::enumerate(reductions())) {
    store(own[number], shared, thread);
    barrier();
    when(arith::AndIOp::create(builder, inside, equal(slice, wide(0))), [&] {
      Value sum;
      for (std::int64_t i = 0; i < slices; ++i) {
        Value of_slice = load(accumulatorType(op), shared, add(thread, wide(i * task_size.columns)));
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
  const Values own = loop(thread, multiply(rows, vectors), wide(threads), initial(),
                          [&](Value number, ValueRange so_far) {
                            return vectorAt(divide(number, vectors),
                                            multiply(remainder(number, vectors), wide(vector)), so_far);
                          });
  const Values all = addNeighbours(own, threads, thread);
  when(equal(thread, wide(0)), [&] { storeResults(all, wide(0)); });
  barrier();
}

GpuElementwise::Values GpuElementwise::eitherOf(Value condition, llvm::function_ref<Values()> then,
                                                llvm::function_ref<Values()> otherwise) {
  auto branch = [&](llvm::function_ref<Values()> values) {
    return [this, values](OpBuilder &, Location) { scf::YieldOp::create(builder, values()); };
  };
  return Values(scf::IfOp::create(builder, condition, branch(then), branch(otherwise)).getResults());
}

// Vectors are the same elements in the same order, whether they can be loaded as such or not.
GpuElementwise::Values GpuElementwise::vectorAt(Value row, Value column, ValueRange accumulators) {
  Value end = add(column, wide(vector));
  Value whole = arith::AndIOp::create(
      builder, aligned, compare(arith::CmpIPredicate::sle, end, column_end));
  return eitherOf(
      whole, [&] { return wholeVector(row, column, Values(accumulators)); },
      [&] {
        return loop(column, least(end, column_end), wide(1), accumulators,
                    [&](Value one, ValueRange so_far) { return elementAt(row, one, so_far); });
      });
}

GpuElementwise::Values GpuElementwise::wholeVector(Value row, Value column, Values accumulators) {
  const auto place = [&](const Operand &operand) {
    Type stored = operand.element.isF32() ? operand.element : Type(builder.getI16Type());
    return std::pair(entry(operand.address, indexOf(operand, row, column), stored),
                     VectorType::get({vector}, stored));
  };
  constexpr unsigned most_alignment = 16;
  const auto alignmentOf = [&](const Operand &operand) {
    return static_cast<unsigned>(std::min<std::int64_t>(vector * operand.bytes(), most_alignment));
  };
  SmallVector<Value> loaded; // a vector, or a number of all elements
  for (const Operand &operand : operands)
    if (operand.input && operand.isVector()) {
      const auto [address, type] = place(operand);
      loaded.push_back(LLVM::LoadOp::create(builder, type, address, alignmentOf(operand)));
    } else if (operand.input) {
      loaded.push_back(operand.per == tile::Per::Call ? operand.number : loadNumber(operand, row));
    }
  SmallVector<Values> results; // of each element
  for (std::int64_t i = 0; i < vector; ++i) {
    Values numbers;
    auto value = loaded.begin();
    for (const Operand &operand : operands) {
      if (!operand.input)
        continue;
      Value number = *value++;
      if (operand.isVector()) {
        number = LLVM::ExtractElementOp::create(builder, number, constant(i));
        if (!operand.element.isF32())
          number = widenedNumber(builder, builder.getLoc(), number);
      }
      numbers.push_back(number);
    }
    results.push_back(compute(numbers));
  }
  auto operand = std::next(operands.begin(), kernel.getBody().getNumArguments());
  std::size_t reduced = 0;
  for (auto [number, op] : llvm::enumerate(result_ops)) {
    const Operand &result = *operand++;
    if (!isa<tile::PutOp>(op)) {
      for (const Values &of_element : results)
        accumulators[reduced] = accumulate(op, accumulators[reduced], of_element[number]);
      ++reduced;
      continue;
    }
    const auto [address, type] = place(result);
    Value made = LLVM::PoisonOp::create(builder, type);
    for (auto [i, of_element] : llvm::enumerate(results)) {
      Value value = result.element.isF32() ? of_element[number]
                                           : roundedBits(builder, builder.getLoc(), of_element[number]);
      made = LLVM::InsertElementOp::create(builder, made, value, constant(static_cast<std::int64_t>(i)));
    }
    LLVM::StoreOp::create(builder, made, address, alignmentOf(result));
  }
  return accumulators;
}

GpuElementwise::Values GpuElementwise::elementAt(Value row, Value column, ValueRange accumulators) {
  Values numbers;
  for (const Operand &operand : operands)
    if (operand.input)
      numbers.push_back(operand.per == tile::Per::Call ? operand.number
                                                       : loadNumber(operand, indexOf(operand, row, column)));
  const Values results = compute(numbers);
  Values after(accumulators);
  auto operand = std::next(operands.begin(), kernel.getBody().getNumArguments());
  std::size_t reduced = 0;
  for (auto [number, op] : llvm::enumerate(result_ops)) {
    const Operand &result = *operand++;
    if (isa<tile::PutOp>(op)) {
      storeNumber(result, indexOf(result, row, column), results[number]);
    } else {
      after[reduced] = accumulate(op, after[reduced], results[number]);
      ++reduced;
    }
  }
  return after;
}

GpuElementwise::Values GpuElementwise::compute(ValueRange numbers) {
  IRMapping values;
  values.map(kernel.getBody().getArguments(), numbers);
  Values results;
  for (Operation &op : kernel.getBody().front())
    if (isa<tile::PutOp, tile::SumOp, tile::MaximumOp>(op))
      results.push_back(values.lookup(op.getOperand(0)));
    else
      writeElementOp(builder, op, values);
  return results;
}

GpuElementwise::Values GpuElementwise::initial() {
  Values values;
  for (Operation *op : reductions()) {
    const double value = isa<tile::SumOp>(op) ? 0.0 : -std::numeric_limits<double>::infinity();
    values.push_back(arith::ConstantOp::create(builder, builder.getFloatAttr(accumulatorType(op), value)));
  }
  return values;
}

Value GpuElementwise::combine(Operation *op, Value a, Value b) {
  if (isa<tile::SumOp>(op))
    return arith::AddFOp::create(builder, a, b);
  return arith::MaximumFOp::create(builder, a, b);
}

Value GpuElementwise::accumulate(Operation *op, Value accumulator, Value value) {
  if (isa<tile::SumOp>(op))
    value = arith::ExtFOp::create(builder, accumulator.getType(), value);
  return combine(op, accumulator, value);
}

GpuElementwise::Values GpuElementwise::addNeighbours(ValueRange accumulators, std::int64_t count,
                                                     Value place) {
  Values all(accumulators);
  for (auto [number, op] : llvm::enumerate(reductions())) {
    Type type = accumulatorType(op);
    if (number > 0)
      barrier(); // the memory is that of the reduction before
    store(all[number], shared, thread);
    barrier();
    for (std::int64_t distance = count / 2; distance > 0; distance /= 2) {
      when(below(place, wide(distance)), [&] {
        Value own = load(type, shared, thread), other = load(type, shared, add(thread, wide(distance)));
        store(combine(op, own, other), shared, thread);
      });
      barrier();
    }
    all[number] = load(type, shared, thread);
  }
  return all;
}

void GpuElementwise::storeResults(ValueRange accumulators, Value place) {
  auto operand = std::next(operands.begin(), kernel.getBody().getNumArguments());
  std::size_t reduced = 0;
  for (Operation *op : result_ops) {
    const Operand &result = *operand++;
    if (isa<tile::PutOp>(op))
      continue;
    Value value = accumulators[reduced++];
    if (!value)
      continue;
    if (isa<tile::SumOp>(op))
      value = arith::TruncFOp::create(builder, builder.getF32Type(), value);
    storeNumber(result, place, value);
  }
}

Value GpuElementwise::indexOf(const Operand &operand, Value row, Value column) {
  switch (operand.per) {
  case tile::Per::Element:
    return add(multiply(row, operand.stride), column);
  case tile::Per::Row:
    return row;
  case tile::Per::Column:
    return column;
  case tile::Per::Call:
    return wide(0);
  }
  llvm_unreachable("all are above");
}

Value GpuElementwise::loadNumber(const Operand &operand, Value index) {
  return loadElement(builder, builder.getLoc(), operand.element,
                     entry(operand.address, index,
                           operand.element.isF32() ? operand.element : Type(builder.getI16Type())));
}

void GpuElementwise::storeNumber(const Operand &operand, Value index, Value value) {
  store(operand.element.isF32() ? value : roundedBits(builder, builder.getLoc(), value), operand.address,
        index);
}

} // namespace

OwningOpRef<ModuleOp> gpuElementwiseModule(tile::ElementwiseOp kernel) {
  OwningOpRef<ModuleOp> module = GpuElementwise(kernel).write();
  PassManager passes(module->getContext());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (failed(passes.run(*module)))
    throw Failure("the kernel " + kernel.getSymName().str() + " could not be written as instructions");
  return module;
}

} // namespace compiler
