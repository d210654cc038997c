// copy from a transposed weight matrix: squares of a block are transposed in registers on their way into a
// panel.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace compiler {

/// Each round interleaves row i with row i + half: the highest bit of a row's number becomes the lowest one
/// of its column's, so that after as many rounds as there are bits rows and columns have changed places.
SmallVector<Value> KernelEmitter::transposed(SmallVector<Value> rows) {
  const int64_t size = static_cast<int64_t>(rows.size()), half = size / 2;
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < half; ++i) {
    low.append({i, size + i});
    high.append({half + i, size + half + i});
  }
  for (int64_t round = 1; round < size; round *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < half; ++i) {
      next.push_back(vector::ShuffleOp::create(builder_, location_, rows[i], rows[i + half], low));
      next.push_back(vector::ShuffleOp::create(builder_, location_, rows[i], rows[i + half], high));
    }
    rows = std::move(next);
  }
  return rows;
}

LogicalResult KernelEmitter::emitTransposedCopy(tile::CopyOp copy) {
  const Memory weights = memory_.lookup(copy.getSource()), target = memory_.lookup(copy.getTarget());
  Value weight_row = scalars_.lookup(copy.getWeightRow()), group = scalars_.lookup(copy.getGroup());
  Value column = scalars_.lookup(copy.getColumn());
  const int64_t lanes = schedule_.getLanes();
  if (!target.buffer)
    return copy.emitOpError(
        "packs no transposed weight matrix: kernels of mode i copy its blocks when they need them");
  if (!llvm::isPowerOf2_64(lanes))
    return copy.emitOpError("transposes squares of a power of two, the schedule has ") << lanes << " lanes";

  // In memory a panel's columns are rows of the block, and its depth is along them.
  const bool slots = layout_.getLift() == tile::LiftKind::Slots;
  Value block_row =
      slots ? multiply(weight_row, layout_.getOut().getWidth(0)) : groupStart(layout_.getOut(), "out", group);
  Value block_column = slots ? constant(0) : groupStart(layout_.getWeights(), "weights", weight_row);
  Value first_row = add(block_row, column);
  Value depth = groupWidth(layout_.getWeights(), "weights", weight_row);
  Value padded = groupWidth(layout_.getWeights(), "weights", weight_row, depth_);
  Value left = subtract(groupWidth(layout_.getOut(), "out", group), column);
  Value start = panelStart(target, weight_row, group, column);

  // Pairs of depths, which a panel keeps side by side, lie side by side in the weight matrix already: they
  // are transposed as one element.
  Type unit = pairing_ == 2 ? Type(builder_.getI32Type()) : storageOf(weights.element);
  auto units = VectorType::get({lanes}, unit);
  auto elements = VectorType::get({lanes * pairing_}, storageOf(weights.element));
  auto cast = [&](Value value, VectorType type) -> Value {
    return value.getType() == type ? value : vector::BitCastOp::create(builder_, location_, type, value);
  };
  Value zeros = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(elements));

  return loop(constant(0), constant(target.panel), lanes, [&](Value square_row) {
    return loop(constant(0), padded, lanes * pairing_, [&](Value p) {
      Value row_end = add(square_row, lanes), depth_end = add(p, lanes * pairing_);
      Value whole = both(atMost(row_end, left), atMost(depth_end, depth));
      auto place = [&](int64_t i) {
        return add(start, add(multiply(add(p, i * pairing_), target.panel), multiply(square_row, pairing_)));
      };
      auto store = [&](Value column_of_square, int64_t i) {
        vector::StoreOp::create(builder_, location_, cast(column_of_square, elements), target.memref,
                                ValueRange{place(i)});
      };
      auto branch = scf::IfOp::create(builder_, location_, whole, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder_);

      builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
      SmallVector<Value> rows;
      for (int64_t r = 0; r < lanes; ++r) {
        Value at[] = {add(first_row, add(square_row, r)), add(block_column, p)};
        rows.push_back(
            cast(vector::LoadOp::create(builder_, location_, elements, weights.memref, at), units));
      }
      for (auto [i, values] : llvm::enumerate(transposed(rows)))
        store(values, static_cast<int64_t>(i));

      // At the block's edges nothing beyond is read: a row past the end stands for its last one, of which no
      // element is wanted.
      builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
      rows.clear();
      for (int64_t r = 0; r < lanes; ++r) {
        Value row = add(square_row, r);
        Value wanted = select(less(row, left), subtract(depth, p), 0);
        Value mask = vector::CreateMaskOp::create(builder_, location_,
                                                  VectorType::get({lanes * pairing_}, builder_.getI1Type()),
                                                  least(greatest(wanted, 0), lanes * pairing_));
        Value at[] = {add(first_row, least(row, subtract(left, 1))), add(block_column, p)};
        rows.push_back(
            cast(vector::MaskedLoadOp::create(builder_, location_, elements, weights.memref, at, mask, zeros),
                 units));
      }
      for (auto [i, values] : llvm::enumerate(transposed(rows))) {
        Value inside = less(add(p, static_cast<int64_t>(i) * pairing_), padded);
        auto exists = scf::IfOp::create(builder_, location_, inside, /*withElseRegion=*/false);
        OpBuilder::InsertionGuard inner(builder_);
        builder_.setInsertionPoint(exists.thenBlock()->getTerminator());
        store(values, static_cast<int64_t>(i));
      }
      return success();
    });
  });
}

} // namespace compiler
