// Products of rows by a block of the weight matrix, which every thread reads its share of straight into
// registers, and what of such blocks is known before the grid before this one has ended.
#include "compiler/targets/thread_block/row_program.h"

#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {

Value RowProgram::locate(Value maps, ArrayRef<Value> coordinates) {
  auto view = sm::ViewType::get(builder_.getContext(), cast<sm::MapsType>(maps.getType()));
  return sm::LocateOp::create(builder_, location_, view, maps, math_.constant(0), coordinates);
}

/// The block's first row, at `column` of the group.
Value RowProgram::weightBlock(Value weights, const Part &part, Value weight_row, Value column) {
  Value zero = math_.constant(0);
  // In the slot lift a block has columns of its own.
  return locate(weights, {column, layout_.getWeightColumns() == 1 ? zero : part.group, zero, weight_row});
}

/// Sums of some rows with the products by all of the thread's share of a block of each weight matrix: of
/// every slices times eight rows of the block eight. Numbers of X are read once for all weight matrices.
RowProgram::Values RowProgram::multiplyRows(ValueRange blocks, ArrayRef<Value> rows,
                                            ArrayRef<Value> coefficients, ValueRange sums) {
  constexpr int64_t depth = algrt_reduction_depth;
  const int64_t vector = schedule_.getVector();
  Value pieces = math_.constant(static_cast<int64_t>(llvm::divideCeil(inputWidth(), depth)));
  return loop(slice_, pieces, math_.constant(schedule_.getSlices()), sums,
              [&](Value piece, ValueRange carried) -> Values {
                Value first = math_.multiply(piece, depth);
                auto read = [&](Value view, int64_t piece_rows, int64_t piece_columns) -> Value {
                  auto type = sm::PieceType::get(builder_.getContext(), piece_rows, piece_columns,
                                                 builder_.getBF16Type(), vector);
                  return sm::ReadOp::create(builder_, location_, type, view, first, inputWidth());
                };
                Values pieces_of_weights, numbers, next;
                for (Value block : blocks)
                  pieces_of_weights.push_back(read(block, depth, vector));
                for (Value row : rows)
                  numbers.push_back(read(row, 1, depth));
                for (auto [place, weights] : llvm::enumerate(pieces_of_weights))
                  for (auto [number, coefficient, sum] : llvm::zip_equal(
                           numbers, coefficients, carried.slice(place * rows.size(), rows.size())))
                    next.push_back(sm::AddProductsOp::create(builder_, location_, sum.getType(), number,
                                                             weights, sum, coefficient));
                return next;
              });
}

/// Where all rows that exist take part, as they do in a diagonal block, the block is read once for all of
/// them. Otherwise each row that takes part has a loop of its own, so that no loop asks who does.
RowProgram::Values RowProgram::addProducts(ValueRange weights, const Part &part, ArrayRef<Row> rows,
                                           const SharedTerm &term, Values sums) {
  const int64_t vector = schedule_.getVector();
  Value zero = math_.constant(0);
  // Columns past the group's end are those of its last vector once more; nobody stores them.
  Value column = math_.least(math_.add(part.column, math_.multiply(lane_, vector)),
                             math_.constant(outputWidth() - vector));
  Values blocks, views;
  for (Value matrix : weights)
    blocks.push_back(weightBlock(matrix, part, term.weight_row, column));
  // Rows past the last one are that one once more; nobody stores them. A part has a first row.
  Value last = math_.subtract(rows_, math_.constant(1));
  for (const Row &row : rows) {
    Value number = &row == rows.begin() ? row.row : math_.least(row.row, last);
    views.push_back(locate(x_, {zero, term.input_group, zero, number}));
  }
  // Rows of one type take part all or none.
  if (rows.size() == 1 || hasOneType())
    return multiplyRows(blocks, views, term.coefficients, sums);

  Value everyone = term.takes_part.front();
  Value always = arith::ConstantIntOp::create(builder_, location_, builder_.getI1Type(), 1);
  for (auto [row, takes_part] : llvm::drop_begin(llvm::zip_equal(rows, term.takes_part))) {
    Value idle = arith::XOrIOp::create(builder_, location_, row.exists, always);
    everyone = math_.both(everyone, math_.either(idle, takes_part));
  }
  return choose(
      everyone, ValueRange(sums).getTypes(),
      [&] { return multiplyRows(blocks, views, term.coefficients, sums); },
      [&] {
        Values all(sums.size());
        for (size_t row = 0; row < rows.size(); ++row) {
          Values own;
          for (size_t place = row; place < sums.size(); place += rows.size())
            own.push_back(sums[place]);
          const Values added = choose(
              term.takes_part[row], ValueRange(own).getTypes(),
              [&] { return multiplyRows(blocks, views[row], term.coefficients[row], own); },
              [&] { return own; });
          for (auto [matrix, sum] : llvm::enumerate(added))
            all[matrix * rows.size() + row] = sum;
        }
        return all;
      });
}

/// The part's columns of a block, line by line, into the second-level cache: thread t takes rows t, t +
/// threads, and so on.
void RowProgram::prefetchBlock(Value weights, const Part &part, Value weight_row) {
  constexpr int64_t line = 64; // elements of 128 bytes
  for (int64_t before = 0; before < schedule_.getColumns(); before += line) {
    Value column = math_.least(math_.add(part.column, before), math_.constant(outputWidth() - 1));
    Value block = weightBlock(weights, part, weight_row, column);
    loop(thread_, math_.constant(inputWidth()), math_.constant(schedule_.getThreads()), {},
         [&](Value depth, ValueRange) -> Values {
           sm::PrefetchOp::create(builder_, location_, block, depth);
           return {};
         });
  }
}

/// The diagonal block, which all rows share, and where positions are not read the blocks of the rows' types.
void RowProgram::prefetchTerms(Value weights, const Part &part) {
  const bool complete = layout_.getTerms().completeGraph().has_value();
  if (complete)
    prefetchBlock(weights, part, part.group);
  Value given = sm::HasPositionsOp::create(builder_, location_, builder_.getI1Type(), positions_);
  Value always = arith::ConstantIntOp::create(builder_, location_, builder_.getI1Type(), 1);
  when(arith::XOrIOp::create(builder_, location_, given, always), [&] {
    for (int64_t number = 0; number < schedule_.getRows(); ++number) {
      Value row = math_.add(part.row, number);
      when(math_.less(row, rows_), [&] {
        Value type = typeAt([&] { return countedPosition(row); });
        if (complete) {
          when(compare(arith::CmpIPredicate::ne, type, part.group),
               [&] { prefetchBlock(weights, part, type); });
          return;
        }
        const StepTerms terms = termsOf(type, part.group);
        loop(math_.constant(0), terms.count(), math_.constant(1), {},
             [&](Value ordinal, ValueRange) -> Values {
               prefetchBlock(weights, part, terms.at(ordinal).weight_row);
               return {};
             });
      });
    }
  });
}

} // namespace compiler
