// Products of rows by a block of the weight matrix, which every thread reads its share of straight into
// registers.
#include "compiler/targets/reduction/reduction_program.h"

#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {

constexpr int64_t weight_element_bytes = 2; // bf16
constexpr int64_t depth = algrt_reduction_depth;

/// The block's first row, at `column` of the group; and the bytes between its rows.
Value ReductionProgram::weightBlock(const Part &part, Value weight_row, Value column, Value &stride) {
  Value zero = instructions_.constant(0);
  // In the slot lift a block has columns of its own.
  Value group = layout_.getWeightColumns() == 1 ? zero : part.group;
  const PlainBlock block(builder_, location_, w_type_, w_maps_, zero,
                         ValueRange{column, group, zero, weight_row});
  stride = block.rowBytes();
  return block.start();
}

/// Vectors of elements, as the 32-bit words, or the one 16-bit number, that they are in memory: vector i at
/// `start` + offset(i), an i64. Where present[i] does not hold, zeros; it is null where that one is there
/// always. What is `lasting` nobody writes while the kernel runs.
ReductionProgram::Values ReductionProgram::loadVectors(Value start, int64_t count,
                                                       function_ref<Value(int64_t)> offset_,
                                                       ArrayRef<Value> present, bool lasting) {
  const int64_t words = vectorWords();
  Type word = words == 0 ? builder_.getI16Type() : builder_.getI32Type();
  Type type = words > 1 ? Type(VectorType::get(words, word)) : word;
  const auto bytes = static_cast<unsigned>(schedule_.getVector() * weight_element_bytes);
  Values vectors;
  for (int64_t i = 0; i < count; ++i)
    vectors.push_back(LLVM::LoadOp::create(builder_, location_, type,
                                           instructions_.advance(start, offset_(i)), bytes,
                                           /*isVolatile=*/false, /*isNonTemporal=*/false,
                                           /*isInvariant=*/lasting));
  for (auto [vector, there] : llvm::zip_equal(vectors, present))
    if (there)
      vector = instructions_.select(there, vector, LLVM::ZeroOp::create(builder_, location_, type));
  return vectors;
}

/// One of a vector's elements as f32: a bf16 is the upper half of one.
Value ReductionProgram::element(Value vector, int64_t index) {
  Value word = vector;
  if (vectorWords() == 0)
    word = LLVM::ZExtOp::create(builder_, location_, builder_.getI32Type(), vector);
  if (vectorWords() > 1)
    word = LLVM::ExtractElementOp::create(builder_, location_, vector, instructions_.constant(index / 2));
  constexpr int64_t upper_half = 0xffff0000;
  word = index % 2 == 0 ? instructions_.shiftLeft(word, 16) : instructions_.bitAnd(word, upper_half);
  return LLVM::BitcastOp::create(builder_, location_, builder_.getF32Type(), word);
}

/// Sums of some rows with the products by all of the thread's share of a block: of every slices times eight
/// rows of the block eight. `sums` are those of the rows, `vector` of each.
ReductionProgram::Values ReductionProgram::multiplyRows(Value weight_start, Value weight_stride,
                                                        ArrayRef<Value> row_starts,
                                                        ArrayRef<Value> row_coefficients, Values sums) {
  const int64_t vector = schedule_.getVector(), width = inputWidth();
  Value pieces = instructions_.constant(static_cast<int64_t>(llvm::divideCeil(width, depth)));
  return loop(
      slice_, pieces, instructions_.constant(schedule_.getSlices()), sums,
      [&](Value piece, ValueRange carried) -> Values {
        Value first = instructions_.multiply(piece, depth);
        // Rows of the block, as they are there: behind the last one it is read again, and counts for nothing.
        Values places, present, vectors_present;
        for (int64_t i = 0; i < depth; ++i) {
          Value place = instructions_.add(first, i);
          // Of the last piece there are so many rows.
          present.push_back(i < (width - 1) % depth + 1 ? Value() : instructions_.below(place, width));
          if (i % vector == 0)
            vectors_present.push_back(present.back());
          if (present.back())
            place = instructions_.select(present.back(), place,
                                         instructions_.constant(width - vector + i % vector));
          places.push_back(place);
        }
        const Values weights = loadVectors(
            weight_start, depth,
            [&](int64_t i) { return multiply(instructions_.wide(places[i]), weight_stride); }, present,
            /*lasting=*/true);
        SmallVector<Values> x;
        for (Value start : row_starts)
          x.push_back(loadVectors(
              start, depth / vector,
              [&](int64_t i) {
                return instructions_.multiply(instructions_.wide(places[i * vector]), weight_element_bytes);
              },
              vectors_present, /*lasting=*/false));
        Values next(carried);
        for (int64_t i = 0; i < depth; ++i) {
          Values columns;
          for (int64_t c = 0; c < vector; ++c)
            columns.push_back(element(weights[i], c));
          for (size_t row = 0; row < row_starts.size(); ++row) {
            Value number = element(x[row][i / vector], i % vector);
            if (row_coefficients[row])
              number = LLVM::FMulOp::create(builder_, location_, number, row_coefficients[row]);
            for (int64_t c = 0; c < vector; ++c) {
              Value &sum = next[row * vector + c];
              sum = LLVM::FMulAddOp::create(builder_, location_, number, columns[c], sum);
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
  const int64_t vector = schedule_.getVector();
  Value zero = instructions_.constant(0);
  // Columns past the group's end are those of its last vector once more; nobody stores them.
  Value column = least(instructions_.add(part.column, instructions_.multiply(lane_, vector)),
                       instructions_.constant(outputWidth() - vector));
  Value stride;
  Value weights = weightBlock(part, term.weight_row, column, stride);
  Values starts;
  // Rows past the last one are that one once more; nobody stores them. A part has a first row.
  Value last = instructions_.subtract(rows_, 1);
  for (const Row &row : owned) {
    Value number = &row == owned.begin() ? row.row : least(row.row, last);
    const PlainBlock block(builder_, location_, x_type_, x_maps_, zero,
                           ValueRange{zero, term.input_group, zero, number});
    starts.push_back(block.start());
  }
  // Rows of one type take part all or none.
  if (owned.size() == 1 || hasOneType())
    return multiplyRows(weights, stride, starts, term.coefficient, sums);

  Value everyone;
  for (auto [row, takes_part] : llvm::zip_equal(owned, term.takes_part)) {
    Value idle = LLVM::XOrOp::create(builder_, location_, row.exists, constant(true));
    everyone = both(everyone, LLVM::OrOp::create(builder_, location_, idle, takes_part));
  }
  const SmallVector<Type> types(ValueRange(sums).getTypes());
  return choose(
      everyone, types, [&] { return multiplyRows(weights, stride, starts, term.coefficient, sums); },
      [&] {
        Values all;
        for (size_t row = 0; row < owned.size(); ++row) {
          const Values mine(ArrayRef<Value>(sums).slice(row * vector, vector));
          all.append(choose(
              term.takes_part[row], ValueRange(mine).getTypes(),
              [&] { return multiplyRows(weights, stride, starts[row], term.coefficient[row], mine); },
              [&] { return mine; }));
        }
        return all;
      });
}

} // namespace compiler
