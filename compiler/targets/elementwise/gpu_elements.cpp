// Elements of an element-wise kernel: loaded, computed, stored and accumulated, one by one or in vectors.
#include "compiler/targets/elementwise/gpu_emitter.h"

#include "compiler/targets/nvidia/element_code.h"

#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;

namespace compiler {

// Vectors are the same elements in the same order, whether they can be loaded as such or not.
GpuElementwise::Values GpuElementwise::vectorAt(Value row, Value column, ValueRange accumulators) {
  Value end = add(column, vector_);
  Value whole = both(aligned_, atMost(end, column_end_));
  return choose(
      whole, [&] { return wholeVector(row, column, Values(accumulators)); },
      [&] {
        return loop(column, least(end, column_end_), constant(1), accumulators,
                    [&](Value one, ValueRange so_far) { return elementAt(row, one, so_far); });
      });
}

GpuElementwise::Values GpuElementwise::wholeVector(Value row, Value column, Values accumulators) {
  const auto place = [&](const Operand &operand) {
    Type stored = operand.element.isF32() ? operand.element : Type(builder.getI16Type());
    return std::pair(entry(operand.address, indexOf(operand, row, column), stored),
                     VectorType::get({vector_}, stored));
  };
  constexpr unsigned most_alignment = 16;
  const auto alignment_of = [&](const Operand &operand) {
    return static_cast<unsigned>(std::min<int64_t>(vector_ * operand.bytes(), most_alignment));
  };
  SmallVector<Value> loaded; // a vector, or a number of all elements
  for (const Operand &operand : operands_)
    if (operand.input && operand.isVector()) {
      const auto [address, type] = place(operand);
      loaded.push_back(LLVM::LoadOp::create(builder, type, address, alignment_of(operand)));
    } else if (operand.input) {
      loaded.push_back(operand.per == tile::Per::Call ? operand.number : loadNumber(operand, row));
    }
  SmallVector<Values> results; // of each element
  for (int64_t i = 0; i < vector_; ++i) {
    Values numbers;
    auto value = loaded.begin();
    for (const Operand &operand : operands_) {
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
  auto operand = std::next(operands_.begin(), kernel_.getBody().getNumArguments());
  size_t reduced = 0;
  for (auto [number, op] : llvm::enumerate(result_ops_)) {
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
      made = LLVM::InsertElementOp::create(builder, made, value, constant(static_cast<int64_t>(i)));
    }
    LLVM::StoreOp::create(builder, made, address, alignment_of(result));
  }
  return accumulators;
}

GpuElementwise::Values GpuElementwise::elementAt(Value row, Value column, ValueRange accumulators) {
  Values numbers;
  for (const Operand &operand : operands_)
    if (operand.input)
      numbers.push_back(operand.per == tile::Per::Call ? operand.number
                                                       : loadNumber(operand, indexOf(operand, row, column)));
  const Values results = compute(numbers);
  Values after(accumulators);
  auto operand = std::next(operands_.begin(), kernel_.getBody().getNumArguments());
  size_t reduced = 0;
  for (auto [number, op] : llvm::enumerate(result_ops_)) {
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
  values.map(kernel_.getBody().getArguments(), numbers);
  Values results;
  for (Operation &op : kernel_.getBody().front())
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

Value GpuElementwise::indexOf(const Operand &operand, Value row, Value column) {
  switch (operand.per) {
  case tile::Per::Element:
    return add(multiply(row, operand.stride), column);
  case tile::Per::Row:
    return row;
  case tile::Per::Column:
    return column;
  case tile::Per::Call:
    return constant(0);
  }
  llvm_unreachable("all are above");
}

Value GpuElementwise::loadNumber(const Operand &operand, Value index) {
  return loadElement(
      builder, builder.getLoc(), operand.element,
      entry(operand.address, index, operand.element.isF32() ? operand.element : Type(builder.getI16Type())));
}

void GpuElementwise::storeNumber(const Operand &operand, Value index, Value value) {
  store(operand.element.isF32() ? value : roundedBits(builder, builder.getLoc(), value), operand.address,
        index);
}

} // namespace compiler
