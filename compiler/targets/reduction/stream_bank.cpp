// Products of rows by a block of the bank, which every thread reads its share of straight into registers.
#include "compiler/targets/reduction/reduction_program.h"

#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {

constexpr std::int64_t element_bytes = 2; // bf16
constexpr std::int64_t depth = algrt_reduction_depth;

/// The block's first row, at `column` of the group; and the bytes between its rows.
Value ReductionProgram::bankBlock(const Part &part, Value bank_row, Value column, Value &stride) {
  Value zero = instructions.constant(0);
  // In the slot lift a block has columns of its own.
  Value group = layout.getBankColumns() == 1 ? zero : part.group;
  const PlainBlock block(builder, location, w_type, w_maps, zero, ValueRange{column, group, zero, bank_row});
  stride = block.rowBytes();
  return block.start();
}

/// Vectors of elements, as the 32-bit words, or the one 16-bit number, that they are in memory: vector i at
/// `start` + offset(i), an i64. Where present[i] does not hold, zeros; it is null where that one is there
/// always. What is `lasting` nobody writes while the kernel runs.
ReductionProgram::Values ReductionProgram::loadVectors(Value start, std::int64_t count,
                                                       function_ref<Value(std::int64_t)> offset,
                                                       ArrayRef<Value> present, bool lasting) {
  const std::int64_t words = vectorWords();
  Type word = words == 0 ? builder.getI16Type() : builder.getI32Type();
  Type type = words > 1 ? Type(VectorType::get(words, word)) : word;
  const auto bytes = static_cast<unsigned>(schedule.getVector() * element_bytes);
  Values vectors;
  for (std::int64_t i = 0; i < count; ++i)
    vectors.push_back(LLVM::LoadOp::create(builder, location, type, instructions.advance(start, offset(i)),
                                           bytes, /*isVolatile=*/false, /*isNonTemporal=*/false,
                                           /*isInvariant=*/lasting));
  for (auto [vector, there] : llvm::zip_equal(vectors, present))
    if (there)
      vector = instructions.choose(there, vector, LLVM::ZeroOp::create(builder, location, type));
  return vectors;
}

/// One of a vector's elements as f32: a bf16 is the upper half of one.
Value ReductionProgram::element(Value vector, std::int64_t index) {
  Value word = vector;
  if (vectorWords() == 0)
    word = LLVM::ZExtOp::create(builder, location, builder.getI32Type(), vector);
  if (vectorWords() > 1)
    word = LLVM::ExtractElementOp::create(builder, location, vector, instructions.constant(index / 2));
  constexpr std::int64_t upper_half = 0xffff0000;
  word = index % 2 == 0 ? instructions.shiftLeft(word, 16) : instructions.bitAnd(word, upper_half);
  return LLVM::BitcastOp::create(builder, location, builder.getF32Type(), word);
}

/// Sums of some rows with the products by all of the thread's share of a block: of every slices times eight
/// rows of the block eight. `sums` are those of the rows, `vector` of each.
ReductionProgram::Values ReductionProgram::multiplyRows(Value bank_start, Value bank_stride,
                                                        ArrayRef<Value> row_starts,
                                                        ArrayRef<Value> row_coefficients, Values sums) {
  const std::int64_t vector = schedule.getVector(), width = inputWidth();
  Value pieces = instructions.constant(static_cast<std::int64_t>(llvm::divideCeil(width, depth)));
  return loop(
      slice, pieces, instructions.constant(schedule.getSlices()), sums,
      [&](Value piece, ValueRange carried) -> Values {
        Value first = instructions.multiply(piece, depth);
        // Rows of the block, as they are there: behind the last one it is read again, and counts for nothing.
        Values places, present, vectors_present;
        for (std::int64_t i = 0; i < depth; ++i) {
          Value place = instructions.add(first, i);
          // Of the last piece there are so many rows.
          present.push_back(i < (width - 1) % depth + 1 ? Value() : instructions.below(place, width));
          if (i % vector == 0)
            vectors_present.push_back(present.back());
          if (present.back())
            place = instructions.choose(present.back(), place,
                                        instructions.constant(width - vector + i % vector));
          places.push_back(place);
        }
        const Values bank = loadVectors(
            bank_start, depth,
            [&](std::int64_t i) { return multiply(instructions.wide(places[i]), bank_stride); }, present,
            /*lasting=*/true);
        SmallVector<Values> x;
        for (Value start : row_starts)
          x.push_back(loadVectors(
              start, depth / vector,
              [&](std::int64_t i) {
                return instructions.multiplyWide(instructions.wide(places[i * vector]), element_bytes);
              },
              vectors_present, /*lasting=*/false));
        Values next(carried);
        for (std::int64_t i = 0; i < depth; ++i) {
          Values columns;
          for (std::int64_t c = 0; c < vector; ++c)
            columns.push_back(element(bank[i], c));
          for (std::size_t row = 0; row < row_starts.size(); ++row) {
            Value number = element(x[row][i / vector], i % vector);
            if (row_coefficients[row])
              number = LLVM::FMulOp::create(builder, location, number, row_coefficients[row]);
            for (std::int64_t c = 0; c < vector; ++c) {
              Value &sum = next[row * vector + c];
              sum = LLVM::FMulAddOp::create(builder, location, number, columns[c], sum);
            }
          }
        }
        return next;
      });
}

/// Where all rows that exist take part, as they do in a diagonal block, the block is read once for all of
/// them. Otherwise each row that takes part has a loop of its own, so that no loop asks who does.
ReductionProgram::Values ReductionProgram::addProducts(const Part &part, ArrayRef<Row> owned,
                                                       const SharedTerm &term, Values sums) {
  const std::int64_t vector = schedule.getVector();
  Value zero = instructions.constant(0);
  // Columns past the group's end are those of its last vector once more; nobody stores them.
  Value column = least(instructions.add(part.column, instructions.multiply(lane, vector)),
                       instructions.constant(outputWidth() - vector));
  Value stride;
  Value bank = bankBlock(part, term.bank_row, column, stride);
  Values starts;
  // Rows past the last one are that one once more; nobody stores them. A part has a first row.
  Value last = instructions.subtract(rows, 1);
  for (const Row &row : owned) {
    Value number = &row == owned.begin() ? row.row : least(row.row, last);
    const PlainBlock block(builder, location, x_type, x_maps, zero,
                           ValueRange{zero, term.input_group, zero, number});
    starts.push_back(block.start());
  }
  // Rows of one type take part all or none.
  if (owned.size() == 1 || hasOneType())
    return multiplyRows(bank, stride, starts, term.coefficient, sums);

  Value everyone;
  for (auto [row, takes_part] : llvm::zip_equal(owned, term.takes_part)) {
    Value idle = LLVM::XOrOp::create(builder, location, row.exists, constant(true));
    everyone = both(everyone, LLVM::OrOp::create(builder, location, idle, takes_part));
  }
  const SmallVector<Type> types(ValueRange(sums).getTypes());
  return choose(
      everyone, types, [&] { return multiplyRows(bank, stride, starts, term.coefficient, sums); },
      [&] {
        Values all;
        for (std::size_t row = 0; row < owned.size(); ++row) {
          const Values mine(ArrayRef<Value>(sums).slice(row * vector, vector));
          all.append(choose(
              term.takes_part[row], ValueRange(mine).getTypes(),
              [&] { return multiplyRows(bank, stride, starts[row], term.coefficient[row], mine); },
              [&] { return mine; }));
        }
        return all;
      });
}

} // namespace compiler
