// The sums of all slices, added in one order, and their way to the result.
#include "compiler/targets/nvidia/element_code.h"
#include "compiler/targets/reduction/reduction_program.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {

constexpr std::int64_t sum_bytes = 4; // f32

/// Slices of one warp meet in shuffles, warps in shared memory, where there is room for the sums of every
/// warp: rows times columns of each.
void ReductionProgram::deliver(const Part &part, ArrayRef<Row> owned, ArrayRef<Value> sums) {
  const std::int64_t vector = schedule.getVector(), columns = schedule.getColumns(),
                     all = schedule.getRows() * columns, threads = schedule.getThreads();
  Type f32 = builder.getF32Type();
  Values of_warp(sums);
  for (std::int64_t apart = schedule.getLanes(); apart < sm::warp_threads; apart *= 2)
    for (Value &sum : of_warp) {
      Value other = NVVM::ShflOp::create(
          builder, location, f32, instructions.constant(-1), sum, instructions.constant(apart),
          instructions.constant(sm::warp_threads - 1), NVVM::ShflKind::bfly, UnitAttr());
      sum = LLVM::FAddOp::create(builder, location, sum, other);
    }

  // One slice of the warp writes for all.
  constexpr std::int64_t most_together = 4;
  const std::int64_t together = std::min(vector, most_together);
  scf::IfOp writes = when(instructions.below(instructions.lane(), schedule.getLanes()));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(writes.thenBlock()->getTerminator());
    Value place = instructions.add(instructions.multiply(instructions.warp(), all),
                                   instructions.multiply(lane, vector));
    Value start = instructions.advance(shared, instructions.multiply(place, sum_bytes));
    for (std::int64_t row = 0; row < schedule.getRows(); ++row)
      for (std::int64_t c = 0; c < vector; c += together) {
        Value together_sums = of_warp[row * vector + c];
        if (together > 1) {
          together_sums = LLVM::PoisonOp::create(builder, location, VectorType::get(together, f32));
          for (std::int64_t i = 0; i < together; ++i)
            together_sums = LLVM::InsertElementOp::create(
                builder, location, together_sums, of_warp[row * vector + c + i], instructions.constant(i));
        }
        LLVM::StoreOp::create(builder, location, together_sums,
                              instructions.advance(start, (row * columns + c) * sum_bytes),
                              static_cast<unsigned>(together * sum_bytes));
      }
  }
  NVVM::Barrier0Op::create(builder, location);

  for (std::int64_t before = 0; before < all; before += threads) {
    Value number = instructions.add(instructions.thread(), before);
    Value row = instructions.divide(number, columns), column = instructions.remainder(number, columns);
    Value exists = instructions.below(instructions.add(part.column, column), outputWidth());
    if (schedule.getRows() > 1) // a part has a first row
      exists = both(compare(LLVM::ICmpPredicate::ult, instructions.add(part.row, row), rows), exists);
    if (before + threads > all)
      exists = both(instructions.below(number, all), exists);
    scf::IfOp there = when(exists);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(there.thenBlock()->getTerminator());
    writeEpilogue(addWarps(number), part, row, column);
  }
  // Before the next part's sums come.
  NVVM::Barrier0Op::create(builder, location);
}

/// The sum of one element of the part over all warps, the first one first.
Value ReductionProgram::addWarps(Value element) {
  const std::int64_t of_warp = schedule.getRows() * schedule.getColumns() * sum_bytes;
  Value start = instructions.advance(shared, instructions.multiply(element, sum_bytes));
  Value sum;
  for (std::int64_t warp = 0; warp < schedule.getThreads() / sm::warp_threads; ++warp) {
    Value of_this = LLVM::LoadOp::create(builder, location, builder.getF32Type(),
                                         instructions.advance(start, warp * of_warp), sum_bytes);
    sum = sum ? LLVM::FAddOp::create(builder, location, sum, of_this).getResult() : of_this;
  }
  return sum;
}

/// An operand of a map for one element, as f32; `column` is of the result.
Value ReductionProgram::inputOf(tile::MapOp map, unsigned input, Value column) {
  Value operand = map_operands.lookup(map.getInputs()[input]);
  auto matrix = dyn_cast<tile::MatrixType>(map.getInputs()[input].getType());
  if (!matrix)
    return operand;
  const Type element = matrix.getElementType();
  Value offset = instructions.multiply(column, element.getIntOrFloatBitWidth() / 8);
  return loadElement(builder, location, element, instructions.advance(operand, offset));
}

/// What is made of one sum, op by op. `row` and `column` are counted within the part.
void ReductionProgram::writeEpilogue(Value sum, const Part &part, Value row, Value column) {
  llvm::DenseMap<Value, Value> values;
  values[total] = sum;
  Value number = instructions.add(instructions.multiply(part.group, outputWidth()),
                                  instructions.add(part.column, column));
  for (Operation *op : epilogue) {
    if (auto zero = dyn_cast<tile::ZeroOp>(op)) {
      if (llvm::any_of(zero->getUsers(), [](Operation *user) { return !isa<tile::AddRowTermsOp>(user); }))
        values[zero.getResult()] =
            LLVM::ConstantOp::create(builder, location, builder.getF32Type(), builder.getF32FloatAttr(0));
    } else if (auto map = dyn_cast<tile::MapOp>(op)) {
      SmallVector<Value> elements;
      for (unsigned input = 0; input < map.getInputs().size(); ++input)
        elements.push_back(map.getInputKind(input) == tile::MapInputKind::Fragment
                               ? values.lookup(map.getInputs()[input])
                               : inputOf(map, input, number));
      values[map.getResult()] = writeElement(builder, location, map.getBody().front(), elements);
    } else {
      store(values.lookup(cast<tile::StoreRowsOp>(op).getValue()), part, row, column);
    }
  }
}

/// `row` and `column` are counted within the part.
void ReductionProgram::store(Value sum, const Part &part, Value row, Value column) {
  Value zero = instructions.constant(0);
  const PlainBlock block(
      builder, location, y_type, y_maps, zero,
      ValueRange{instructions.add(part.column, column), part.group, zero, instructions.add(part.row, row)});
  if (element_type.isBF16())
    LLVM::StoreOp::create(builder, location, roundedBits(builder, location, sum), block.start(),
                          /*alignment=*/2);
  else
    LLVM::StoreOp::create(builder, location, sum, block.start(), sum_bytes);
}

} // namespace compiler
