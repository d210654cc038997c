// Products of rows by a block of the weight matrix, which every thread reads its share of straight into
// registers.
#include "compiler/targets/thread_block/row_walk.h"

#include "runtime/gpu_kernel_abi.h"

using namespace mlir;

namespace compiler {

Value RowWalk::locate(Value maps, ArrayRef<Value> coordinates) const {
  auto view = sm::ViewType::get(builder_.getContext(), cast<sm::MapsType>(maps.getType()));
  return sm::LocateOp::create(builder_, location_, view, maps, math_.constant(0), coordinates);
}

/// The block's first row, at `column` of the group.
Value RowWalk::weightBlock(Value weights, Value group, Value weight_row, Value column) const {
  Value zero = math_.constant(0);
  if (expert_)
    weight_row = math_.add(weight_row, math_.multiply(expert_, layout_.getWeights().getCount()));
  // In the slot lift a block has columns of its own.
  return locate(weights, {column, layout_.getWeightColumns() == 1 ? zero : group, zero, weight_row});
}

/// Sums of some rows with the products by all of the thread's share of a block of each weight matrix: of
/// every slices times eight rows of the block eight. Numbers of the rows are read once for all weight
/// matrices.
RowWalk::Values RowWalk::multiplyRows(ValueRange blocks, Depth depth, ArrayRef<Reader> rows,
                                      ArrayRef<Value> coefficients, ValueRange sums) const {
  constexpr int64_t piece_depth = algrt_reduction_depth;
  const int64_t vector = schedule_.getVector();
  Value end = depth.end ? depth.end
                        : math_.constant(static_cast<int64_t>(llvm::divideCeil(inputWidth(), piece_depth)));
  Value begin = depth.first ? math_.add(depth.first, thread_.slice) : thread_.slice;
  return flow_.loop(begin, end, math_.constant(schedule_.getSlices()), sums,
                    [&](Value piece, ValueRange carried) -> Values {
                      Value first = math_.multiply(piece, piece_depth);
                      auto type = sm::PieceType::get(builder_.getContext(), piece_depth, vector,
                                                     builder_.getBF16Type(), vector);
                      Values pieces_of_weights, numbers, next;
                      for (Value block : blocks)
                        pieces_of_weights.push_back(
                            sm::ReadOp::create(builder_, location_, type, block, first, inputWidth()));
                      for (const Reader &row : rows)
                        numbers.push_back(row(first));
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
RowWalk::Values RowWalk::addProducts(ValueRange weights, Value from, ArrayRef<Walker> walkers,
                                     const SharedTerm &term, Depth depth, ReaderOf reader,
                                     Values sums) const {
  const int64_t vector = schedule_.getVector();
  // Columns past the group's end are those of its last vector once more; nobody stores them.
  Value column = math_.least(math_.add(from, math_.multiply(thread_.lane, vector)),
                             math_.constant(outputWidth() - vector));
  Values blocks;
  for (Value matrix : weights)
    blocks.push_back(weightBlock(matrix, term.group, term.weight_row, column));
  SmallVector<Reader> readers;
  for (size_t row = 0; row < walkers.size(); ++row)
    readers.push_back(reader(row, term));
  // Rows of one type take part all or none.
  if (walkers.size() == 1 || rows_.hasOneType())
    return multiplyRows(blocks, depth, readers, term.coefficients, sums);

  Value everyone = term.takes_part.front();
  Value always = arith::ConstantIntOp::create(builder_, location_, builder_.getI1Type(), 1);
  for (auto [walker, takes_part] : llvm::drop_begin(llvm::zip_equal(walkers, term.takes_part))) {
    Value idle = arith::XOrIOp::create(builder_, location_, walker.row.exists, always);
    everyone = math_.both(everyone, math_.either(idle, takes_part));
  }
  return flow_.choose(
      everyone, ValueRange(sums).getTypes(),
      [&] { return multiplyRows(blocks, depth, readers, term.coefficients, sums); },
      [&] {
        Values all(sums.size());
        for (size_t row = 0; row < walkers.size(); ++row) {
          Values own;
          for (size_t place = row; place < sums.size(); place += walkers.size())
            own.push_back(sums[place]);
          const Values added = flow_.choose(
              term.takes_part[row], ValueRange(own).getTypes(),
              [&] { return multiplyRows(blocks, depth, readers[row], term.coefficients[row], own); },
              [&] { return own; });
          for (auto [matrix, sum] : llvm::enumerate(added))
            all[matrix * walkers.size() + row] = sum;
        }
        return all;
      });
}

void RowWalk::prefetchBlock(Value weights, Value weight_row, Value group, Value from, int64_t columns,
                            Value first, Value end) const {
  constexpr int64_t line = 64; // elements of 128 bytes
  for (int64_t before = 0; before < columns; before += line) {
    Value column = math_.least(math_.add(from, before), math_.constant(outputWidth() - 1));
    Value block = weightBlock(weights, group, weight_row, column);
    flow_.loop(math_.add(first, thread_.thread), end, math_.constant(schedule_.getThreads()),
               [&](Value depth) { sm::PrefetchOp::create(builder_, location_, block, depth); });
  }
}

} // namespace compiler
