// Mode j: bring, load, outer, keep and store_weights.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace compiler {

Value KernelEmitter::rowsInHand(Value type, Value row) {
  return least(subtract(rowsOfType(type).count, row), schedule_.getRows());
}

LogicalResult KernelEmitter::emitBring(tile::BringOp bring) {
  const bool features = bring.getAxis() == tile::AxisKind::Features;
  Memory source = memory_.lookup(bring.getSource()), target = memory_.lookup(bring.getTarget());
  Value type = scalars_.lookup(bring.getRowType()), group = scalars_.lookup(bring.getSourceGroup());
  Value row = scalars_.lookup(bring.getRow()), first = scalars_.lookup(bring.getFirst());
  Value scale = bring.getScale() ? scalars_.lookup(bring.getScale()) : Value();
  alg::GroupsAttr groups = features ? layout_.getIn() : layout_.getOut();
  const StringRef name = features ? "in" : "out";
  const int64_t panel = target.panel, rows = schedule_.getRows(), lanes = schedule_.getLanes();
  const int64_t width = bring.getTarget().getType().getColumns();
  Value start = add(groupStart(groups, name, group), first);
  // Features are needed as far as the tile owns some; columns come one panel at a time.
  Value left = subtract(features ? feature_end_ : column_end_, first);

  const int64_t step = bring.getTarget().getType().getInterleave(); // rows that lie side by side
  const bool pairs = step == 2;
  Value count = rowsInHand(type, row), zero = constant(0);
  Value negative;
  if (pairs && scale)
    negative =
        arith::CmpFOp::create(builder_, location_, arith::CmpFPredicate::OLT, scale,
                              arith::ConstantOp::create(builder_, location_, builder_.getF32FloatAttr(0.0f)));

  return loop(zero, count, step, [&](Value r) {
    SmallVector<Value, 2> source_rows = {rowOf(type, add(row, r))};
    Value partner; // whether the second row of a pair exists
    if (pairs) {
      partner = less(add(r, 1), count);
      // In its place the first one is read again, and forgotten: zeros on both sides add nothing, whatever
      // lies in memory.
      source_rows.push_back(rowOf(type, add(row, least(add(r, 1), subtract(count, 1)))));
    }
    // What is stored of one or two rows, loaded in the same way from each.
    auto brought = [&](function_ref<Value(Value)> load) -> Value {
      if (pairs) {
        Value first_row = load(source_rows[0]), second_row = load(source_rows[1]);
        Value none =
            arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(second_row.getType()));
        second_row = select(partner, second_row, none);
        Value both = vector::InterleaveOp::create(builder_, location_, first_row, second_row);
        if (!negative)
          return both;
        auto bits = cast<VectorType>(both.getType());
        Value sign = arith::ConstantOp::create(
            builder_, location_,
            DenseElementsAttr::get(bits, APInt::getSignMask(bits.getElementTypeBitWidth())));
        return select(negative, bitXor(both, sign), both);
      }
      Value wide = convert(load(source_rows[0]), source.element, builder_.getF32Type());
      if (!scale)
        return wide;
      Value by = vector::BroadcastOp::create(builder_, location_, wide.getType(), scale);
      return arith::MulFOp::create(builder_, location_, wide, by);
    };
    auto put = [&](Value values, Value place) {
      vector::StoreOp::create(builder_, location_, values, target.memref, ValueRange{place});
    };
    return loop(zero, least(left, width), panel, [&](Value at) {
      // Panel after panel, in each row after row, or pair after pair.
      Value place = add(multiply(at, rows), multiply(r, panel));
      Value whole = atMost(add(at, panel), left);
      auto branch = scf::IfOp::create(builder_, location_, whole, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder_);
      auto loaded = [&](Value from, Value column, int64_t elements) -> Value {
        auto vector = VectorType::get({elements}, storageOf(source.element));
        return vector::LoadOp::create(builder_, location_, vector, source.memref,
                                      ValueRange{from, add(start, column)});
      };
      builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
      put(brought([&](Value from) { return loaded(from, at, panel); }), place);
      builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
      if (panel % lanes == 0) { // columns, of which a group may have fewer than a panel: every row ends here
        auto part = VectorType::get({lanes}, storageOf(source.element));
        Value none = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(part));
        for (int64_t v = 0; v < panel; v += lanes) {
          Value column = add(at, v), mask = columnMask(subtract(left, column), 0, lanes);
          put(brought([&](Value from) -> Value {
                return vector::MaskedLoadOp::create(builder_, location_, part, source.memref,
                                                    ValueRange{from, add(start, column)}, mask, none);
              }),
              add(place, v * step));
        }
        return success();
      }
      return loop(zero, constant(panel), 1, [&](Value i) {
        Value to = add(place, multiply(i, step));
        auto exists = scf::IfOp::create(builder_, location_, less(add(at, i), left), /*withElseRegion=*/true);
        OpBuilder::InsertionGuard inner(builder_);
        builder_.setInsertionPoint(exists.thenBlock()->getTerminator());
        put(brought([&](Value from) { return loaded(from, add(at, i), 1); }), to);
        builder_.setInsertionPoint(exists.elseBlock()->getTerminator());
        put(arith::ConstantOp::create(
                builder_, location_,
                builder_.getZeroAttr(VectorType::get({step}, storageOf(target.element)))),
            to);
        return success();
      });
    });
  });
}

/// Elements before a row of the tile's sums, at a column that the indices of the kernel name.
Value KernelEmitter::sumsStart(tile::BufferType sums, Value feature, Value column) {
  return add(multiply(subtract(feature, feature_begin_), sums.getColumns()), subtract(column, column_begin_));
}

LogicalResult KernelEmitter::emitLoad(tile::LoadOp load) {
  tile::FragmentType type = load.getResult().getType();
  tile::BufferType sums = load.getSums().getType();
  const int64_t lanes = schedule_.getLanes(), vectors = type.getColumns() / lanes;
  Value start = sumsStart(sums, scalars_.lookup(load.getFeature()), scalars_.lookup(load.getColumn()));
  auto vector = VectorType::get({lanes}, builder_.getF32Type());
  SmallVector<Value> values;
  for (int64_t r = 0; r < type.getRows(); ++r)
    for (int64_t v = 0; v < vectors; ++v)
      values.push_back(vector::LoadOp::create(builder_, location_, vector,
                                              memory_.lookup(load.getSums()).memref,
                                              ValueRange{add(start, r * sums.getColumns() + v * lanes)}));
  fragments_[load.getResult()] = values;
  return success();
}

LogicalResult KernelEmitter::emitKeep(tile::KeepOp keep) {
  tile::FragmentType type = keep.getValue().getType();
  tile::BufferType sums = keep.getSums().getType();
  const int64_t lanes = schedule_.getLanes(), vectors = type.getColumns() / lanes;
  Value start = sumsStart(sums, scalars_.lookup(keep.getFeature()), scalars_.lookup(keep.getColumn()));
  for (auto [i, value] : llvm::enumerate(fragments_.lookup(keep.getValue()))) {
    const int64_t r = static_cast<int64_t>(i) / vectors, v = static_cast<int64_t>(i) % vectors;
    vector::StoreOp::create(builder_, location_, value, memory_.lookup(keep.getSums()).memref,
                            ValueRange{add(start, r * sums.getColumns() + v * lanes)});
  }
  return success();
}

LogicalResult KernelEmitter::emitOuter(tile::OuterOp outer) {
  tile::FragmentType type = outer.getAccumulator().getType();
  const int64_t lanes = schedule_.getLanes(), vectors = type.getColumns() / lanes;
  Memory left = memory_.lookup(outer.getLeft()), right = memory_.lookup(outer.getRight());
  Value feature = subtract(scalars_.lookup(outer.getFeature()), feature_begin_);
  Value rows = rowsInHand(scalars_.lookup(outer.getRowType()), scalars_.lookup(outer.getRow()));
  auto wide = VectorType::get({lanes}, builder_.getF32Type());
  if (pairing_ == 2 && lanes != 16)
    return outer.emitOpError("multiplies bf16 pairs in vectors of 16 lanes only, the schedule has ") << lanes;

  auto walk = scf::ForOp::create(builder_, location_, constant(0), rows, constant(pairing_),
                                 fragments_.lookup(outer.getAccumulator()));
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToStart(walk.getBody());
  Value r = walk.getInductionVar();
  SmallVector<Value> panel, sums(walk.getRegionIterArgs());
  auto near = VectorType::get({lanes * pairing_}, storageOf(right.element));
  for (int64_t v = 0; v < vectors; ++v) {
    Value values = vector::LoadOp::create(builder_, location_, near, right.memref,
                                          ValueRange{add(multiply(r, right.panel), v * lanes * pairing_)});
    if (pairing_ == 2)
      values =
          vector::BitCastOp::create(builder_, location_, VectorType::get({2 * lanes}, right.element), values);
    panel.push_back(values);
  }
  Value start = add(multiply(feature, schedule_.getRows()), multiply(r, left.panel));
  for (int64_t f = 0; f < type.getRows(); ++f) {
    Value at = add(start, f * pairing_), spread;
    if (pairing_ == 2) {
      spread = spreadPair(left, at);
    } else {
      Value one = memref::LoadOp::create(builder_, location_, left.memref, ValueRange{at});
      spread = vector::BroadcastOp::create(builder_, location_, wide, one);
    }
    for (int64_t v = 0; v < vectors; ++v) {
      Value &sum = sums[f * vectors + v];
      sum = pairing_ == 2 ? addPairs(sum, spread, panel[v])
                          : vector::FMAOp::create(builder_, location_, spread, panel[v], sum).getResult();
    }
  }
  scf::YieldOp::create(builder_, location_, sums);
  fragments_[outer.getResult()].assign(walk.getResults().begin(), walk.getResults().end());
  return success();
}

LogicalResult KernelEmitter::emitStoreWeights(tile::StoreWeightOp store) {
  tile::FragmentType type = store.getValue().getType();
  const int64_t lanes = schedule_.getLanes(), vectors = type.getColumns() / lanes;
  Memory target = memory_.lookup(store.getTarget());
  SmallVector<Value> values = fragments_.lookup(store.getValue());
  Value feature = scalars_.lookup(store.getFeature()), column = scalars_.lookup(store.getColumn());
  Value first_row =
      add(groupStart(layout_.getWeights(), "weights", scalars_.lookup(store.getWeightRow())), feature);
  Value first_column = add(weightColumn(scalars_.lookup(store.getGroup())), column);
  Value rows = subtract(feature_end_, feature), columns = subtract(column_end_, column);

  const Type stored = storageOf(target.element);
  auto memory_vector = VectorType::get({lanes}, stored);
  auto wide = VectorType::get({lanes}, builder_.getF32Type());
  Value none = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(memory_vector));
  Value no_beta =
      arith::CmpFOp::create(builder_, location_, arith::CmpFPredicate::OEQ, beta_,
                            arith::ConstantOp::create(builder_, location_, builder_.getF32FloatAttr(0.0f)));
  SmallVector<Value> masks;
  for (int64_t v = 0; v < vectors; ++v)
    masks.push_back(columnMask(columns, v, lanes));

  for (int64_t r = 0; r < type.getRows(); ++r) {
    auto exists = scf::IfOp::create(builder_, location_, less(r, rows), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(exists.thenBlock()->getTerminator());
    for (int64_t v = 0; v < vectors; ++v) {
      const SmallVector<Value, 2> at = {add(first_row, r), add(first_column, v * lanes)};
      Value sum = values[r * vectors + v];
      auto total = scf::IfOp::create(builder_, location_, wide, no_beta, /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard inner(builder_);
        builder_.setInsertionPointToStart(total.thenBlock());
        scf::YieldOp::create(builder_, location_, sum);
        builder_.setInsertionPointToStart(total.elseBlock());
        Value before = vector::MaskedLoadOp::create(builder_, location_, memory_vector, target.memref, at,
                                                    masks[v], none);
        before = convert(before, target.element, builder_.getF32Type());
        Value factor = vector::BroadcastOp::create(builder_, location_, wide, beta_);
        scf::YieldOp::create(builder_, location_,
                             vector::FMAOp::create(builder_, location_, factor, before, sum).getResult());
      }
      Value result = total.getResult(0);
      if (!target.element.isF32()) {
        result =
            arith::TruncFOp::create(builder_, location_, VectorType::get({lanes}, target.element), result);
        result = vector::BitCastOp::create(builder_, location_, memory_vector, result);
      }
      vector::MaskedStoreOp::create(builder_, location_, target.memref, at, masks[v], result);
    }
  }
  return success();
}

} // namespace compiler
