// The sums of all slices, added in one order, and their way to the result.
#include "compiler/targets/nvidia/element_code.h"
#include "compiler/targets/reduction/reduction_program.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace compiler {

constexpr int64_t sum_bytes = 4; // f32

/// Slices of one warp meet in shuffles, warps in shared memory, where there is room for the sums of every
/// warp: rows times columns of each.
void ReductionProgram::store_sums(const Part &part, ArrayRef<Row> owned, ArrayRef<Value> sums) {
  const int64_t vector = schedule_.getVector(), columns = schedule_.getColumns(),
                all = schedule_.getRows() * columns, threads = schedule_.getThreads();
  Type f32 = builder_.getF32Type();
  Values of_warp(sums);
  for (int64_t apart = schedule_.getLanes(); apart < sm::warp_threads; apart *= 2)
    for (Value &sum : of_warp) {
      Value other = NVVM::ShflOp::create(
          builder_, location_, f32, instructions_.constant(-1), sum, instructions_.constant(apart),
          instructions_.constant(sm::warp_threads - 1), NVVM::ShflKind::bfly, UnitAttr());
      sum = LLVM::FAddOp::create(builder_, location_, sum, other);
    }

  // One slice of the warp writes for all.
  constexpr int64_t most_together = 4;
  const int64_t together = std::min(vector, most_together);
  scf::IfOp writes = when(instructions_.below(instructions_.lane(), schedule_.getLanes()));
  {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(writes.thenBlock()->getTerminator());
    Value place = instructions_.add(instructions_.multiply(instructions_.warp(), all),
                                    instructions_.multiply(lane_, vector));
    Value start = instructions_.advance(shared_, instructions_.multiply(place, sum_bytes));
    for (int64_t row = 0; row < schedule_.getRows(); ++row)
      for (int64_t c = 0; c < vector; c += together) {
        Value together_sums = of_warp[row * vector + c];
        if (together > 1) {
          together_sums = LLVM::PoisonOp::create(builder_, location_, VectorType::get(together, f32));
          for (int64_t i = 0; i < together; ++i)
            together_sums = LLVM::InsertElementOp::create(
                builder_, location_, together_sums, of_warp[row * vector + c + i], instructions_.constant(i));
        }
        LLVM::StoreOp::create(builder_, location_, together_sums,
                              instructions_.advance(start, (row * columns + c) * sum_bytes),
                              static_cast<unsigned>(together * sum_bytes));
      }
  }
  NVVM::Barrier0Op::create(builder_, location_);

  for (int64_t before = 0; before < all; before += threads) {
    Value number = instructions_.add(instructions_.thread(), before);
    Value row = instructions_.divide(number, columns), column = instructions_.remainder(number, columns);
    Value exists = instructions_.below(instructions_.add(part.column, column), outputWidth());
    if (schedule_.getRows() > 1) // a part has a first row
      exists = both(compare(LLVM::ICmpPredicate::ult, instructions_.add(part.row, row), rows_), exists);
    if (before + threads > all)
      exists = both(instructions_.below(number, all), exists);
    scf::IfOp there = when(exists);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(there.thenBlock()->getTerminator());
    writeEpilogue(addWarps(number), part, row, column);
  }
  // Before the next part's sums come.
  NVVM::Barrier0Op::create(builder_, location_);
}

/// The sum of one element of the part over all warps, the first one first.
Value ReductionProgram::addWarps(Value element) {
  const int64_t of_warp = schedule_.getRows() * schedule_.getColumns() * sum_bytes;
  Value start = instructions_.advance(shared_, instructions_.multiply(element, sum_bytes));
  Value sum;
  for (int64_t warp = 0; warp < schedule_.getThreads() / sm::warp_threads; ++warp) {
    Value of_this = LLVM::LoadOp::create(builder_, location_, builder_.getF32Type(),
                                         instructions_.advance(start, warp * of_warp), sum_bytes);
    sum = sum ? LLVM::FAddOp::create(builder_, location_, sum, of_this).getResult() : of_this;
  }
  return sum;
}

/// An operand of a map for one element, as f32; `column` is of the result.
Value ReductionProgram::inputOf(tile::MapOp map, unsigned input, Value column) {
  Value operand = map_operands_.lookup(map.getInputs()[input]);
  auto matrix = dyn_cast<tile::MatrixType>(map.getInputs()[input].getType());
  if (!matrix)
    return operand;
  const Type element = matrix.getElementType();
  Value offset = instructions_.multiply(column, element.getIntOrFloatBitWidth() / 8);
  return loadElement(builder_, location_, element, instructions_.advance(operand, offset));
}

/// What is made of one sum, op by op. `row` and `column` are counted within the part.
void ReductionProgram::writeEpilogue(Value sum, const Part &part, Value row, Value column) {
  llvm::DenseMap<Value, Value> values;
  values[total_] = sum;
  Value number = instructions_.add(instructions_.multiply(part.group, outputWidth()),
                                   instructions_.add(part.column, column));
  for (Operation *op : epilogue_) {
    if (auto zero = dyn_cast<tile::ZeroOp>(op)) {
      if (llvm::any_of(zero->getUsers(), [](Operation *user) { return !isa<tile::AddRowTermsOp>(user); }))
        values[zero.getResult()] =
            LLVM::ConstantOp::create(builder_, location_, builder_.getF32Type(), builder_.getF32FloatAttr(0));
    } else if (auto map = dyn_cast<tile::MapOp>(op)) {
      SmallVector<Value> elements;
      for (unsigned input = 0; input < map.getInputs().size(); ++input)
        elements.push_back(map.getInputKind(input) == tile::MapInputKind::Fragment
                               ? values.lookup(map.getInputs()[input])
                               : inputOf(map, input, number));
      values[map.getResult()] = writeElement(builder_, location_, map.getBody().front(), elements);
    } else {
      store(values.lookup(cast<tile::StoreRowsOp>(op).getValue()), part, row, column);
    }
  }
}

/// `row` and `column` are counted within the part.
void ReductionProgram::store(Value sum, const Part &part, Value row, Value column) {
  Value zero = instructions_.constant(0);
  const PlainBlock block(
      builder_, location_, y_type_, y_maps_, zero,
      ValueRange{instructions_.add(part.column, column), part.group, zero, instructions_.add(part.row, row)});
  if (element_type_.isBF16())
    LLVM::StoreOp::create(builder_, location_, roundedBits(builder_, location_, sum), block.start(),
                          /*alignment=*/2);
  else
    LLVM::StoreOp::create(builder_, location_, sum, block.start(), sum_bytes);
}

} // namespace compiler
