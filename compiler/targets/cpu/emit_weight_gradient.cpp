// Mode j: load, outer, keep and store_weights.
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

/// Elements before a row of the tile's sums, at a column that the indices of the kernel name.
Value KernelEmitter::sumsStart(tile::BufferType sums, Value feature, Value column) {
  return add(multiply(subtract(feature, feature_begin_), sums.getColumns()), subtract(column, column_begin_));
}

LogicalResult KernelEmitter::emitLoad(tile::LoadOp load) {
  if (usesAmx())
    return loadSquares(load);
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
  if (usesAmx())
    return keepSquares(keep);
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
  if (usesAmx())
    return emitSquareOuter(outer);
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

  const auto store_row = [&](ValueRange sums, Value row) {
    for (int64_t v = 0; v < vectors; ++v) {
      const SmallVector<Value, 2> at = {row, add(first_column, v * lanes)};
      Value sum = sums[v];
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
  };
  if (usesAmx()) { // which left the sums in the buffer
    auto load = store.getValue().getDefiningOp<tile::LoadOp>();
    if (!load)
      return store.emitOpError("stores sums of AMX that are not loaded from a buffer");
    const tile::BufferType sums = load.getSums().getType();
    Value start = sumsStart(sums, scalars_.lookup(load.getFeature()), scalars_.lookup(load.getColumn()));
    return loop(constant(0), least(rows, type.getRows()), 1, [&](Value r) {
      SmallVector<Value> of_row;
      for (int64_t v = 0; v < vectors; ++v)
        of_row.push_back(
            vector::LoadOp::create(builder_, location_, wide, memory_.lookup(load.getSums()).memref,
                                   ValueRange{add(start, add(multiply(r, sums.getColumns()), v * lanes))}));
      store_row(of_row, add(first_row, r));
      return success();
    });
  }
  SmallVector<Value> values = fragments_.lookup(store.getValue());
  for (int64_t r = 0; r < type.getRows(); ++r) {
    auto exists = scf::IfOp::create(builder_, location_, less(r, rows), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(exists.thenBlock()->getTerminator());
    store_row(ArrayRef(values).slice(r * vectors, vectors), add(first_row, r));
  }
  return success();
}

} // namespace compiler
