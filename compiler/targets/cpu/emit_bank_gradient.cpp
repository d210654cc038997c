// Mode j: bring, load, outer, keep and store_bank.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace compiler {

Value KernelEmitter::rowsInHand(Value type, Value row) {
  return least(subtract(rowsOfType(type).count, row), index(schedule.getRows()));
}

LogicalResult KernelEmitter::emitBring(tile::BringOp bring) {
  const bool features = bring.getAxis() == tile::AxisKind::Features;
  Memory source = memory.lookup(bring.getSource()), target = memory.lookup(bring.getTarget());
  Value type = scalars.lookup(bring.getRowType()), group = scalars.lookup(bring.getSourceGroup());
  Value row = scalars.lookup(bring.getRow()), first = scalars.lookup(bring.getFirst());
  Value scale = bring.getScale() ? scalars.lookup(bring.getScale()) : Value();
  alg::GroupsAttr groups = features ? layout.getIn() : layout.getOut();
  const StringRef name = features ? "in" : "out";
  const std::int64_t panel = target.panel, rows = schedule.getRows(), lanes = schedule.getLanes();
  const std::int64_t width = bring.getTarget().getType().getColumns();
  Value start = add(groupStart(groups, name, group), first);
  // Features are needed as far as the tile owns some; columns come one panel at a time.
  Value left = subtract(features ? feature_end : column_end, first);

  const std::int64_t step = bring.getTarget().getType().getInterleave(); // rows that lie side by side
  const bool pairs = step == 2;
  Value count = rowsInHand(type, row), zero = index(0);
  Value negative;
  if (pairs && scale)
    negative =
        arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT, scale,
                              arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(0.0f)));

  return loop(zero, count, step, [&](Value r) {
    SmallVector<Value, 2> source_rows = {rowOf(type, add(row, r))};
    Value partner; // whether the second row of a pair exists
    if (pairs) {
      partner = less(add(r, index(1)), count);
      // In its place the first one is read again, and forgotten: zeros on both sides add nothing, whatever
      // lies in memory.
      source_rows.push_back(rowOf(type, add(row, least(add(r, index(1)), subtract(count, index(1))))));
    }
    // What is stored of one or two rows, loaded in the same way from each.
    auto brought = [&](function_ref<Value(Value)> load) -> Value {
      if (pairs) {
        Value first_row = load(source_rows[0]), second_row = load(source_rows[1]);
        Value none = arith::ConstantOp::create(builder, location, builder.getZeroAttr(second_row.getType()));
        second_row = arith::SelectOp::create(builder, location, partner, second_row, none);
        Value both = vector::InterleaveOp::create(builder, location, first_row, second_row);
        if (!negative)
          return both;
        auto bits = cast<VectorType>(both.getType());
        Value sign = arith::ConstantOp::create(
            builder, location,
            DenseElementsAttr::get(bits, APInt::getSignMask(bits.getElementTypeBitWidth())));
        Value negated = arith::XOrIOp::create(builder, location, both, sign);
        return arith::SelectOp::create(builder, location, negative, negated, both);
      }
      Value wide = convert(load(source_rows[0]), source.element, builder.getF32Type());
      if (!scale)
        return wide;
      Value by = vector::BroadcastOp::create(builder, location, wide.getType(), scale);
      return arith::MulFOp::create(builder, location, wide, by);
    };
    auto put = [&](Value values, Value place) {
      vector::StoreOp::create(builder, location, values, target.memref, ValueRange{place});
    };
    return loop(zero, least(left, index(width)), panel, [&](Value at) {
      // Panel after panel, in each row after row, or pair after pair.
      Value place = add(multiply(at, rows), multiply(r, panel));
      Value whole =
          arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sle, add(at, index(panel)), left);
      auto branch = scf::IfOp::create(builder, location, whole, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      auto loaded = [&](Value from, Value column, std::int64_t elements) -> Value {
        auto vector = VectorType::get({elements}, storageOf(source.element));
        return vector::LoadOp::create(builder, location, vector, source.memref,
                                      ValueRange{from, add(start, column)});
      };
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
      put(brought([&](Value from) { return loaded(from, at, panel); }), place);
      builder.setInsertionPoint(branch.elseBlock()->getTerminator());
      if (panel % lanes == 0) { // columns, of which a group may have fewer than a panel: every row ends here
        auto part = VectorType::get({lanes}, storageOf(source.element));
        Value none = arith::ConstantOp::create(builder, location, builder.getZeroAttr(part));
        for (std::int64_t v = 0; v < panel; v += lanes) {
          Value column = add(at, index(v)), mask = columnMask(subtract(left, column), 0, lanes);
          put(brought([&](Value from) -> Value {
                return vector::MaskedLoadOp::create(builder, location, part, source.memref,
                                                    ValueRange{from, add(start, column)}, mask, none);
              }),
              add(place, index(v * step)));
        }
        return success();
      }
      return loop(zero, index(panel), 1, [&](Value i) {
        Value to = add(place, multiply(i, step));
        auto exists = scf::IfOp::create(builder, location, less(add(at, i), left), /*withElseRegion=*/true);
        OpBuilder::InsertionGuard inner(builder);
        builder.setInsertionPoint(exists.thenBlock()->getTerminator());
        put(brought([&](Value from) { return loaded(from, add(at, i), 1); }), to);
        builder.setInsertionPoint(exists.elseBlock()->getTerminator());
        put(arith::ConstantOp::create(
                builder, location, builder.getZeroAttr(VectorType::get({step}, storageOf(target.element)))),
            to);
        return success();
      });
    });
  });
}

/// Elements before a row of the tile's sums, at a column that the indices of the kernel name.
Value KernelEmitter::sumsStart(tile::BufferType sums, Value feature, Value column) {
  return add(multiply(subtract(feature, feature_begin), sums.getColumns()), subtract(column, column_begin));
}

LogicalResult KernelEmitter::emitLoad(tile::LoadOp load) {
  tile::FragmentType type = load.getResult().getType();
  tile::BufferType sums = load.getSums().getType();
  const std::int64_t lanes = schedule.getLanes(), vectors = type.getColumns() / lanes;
  Value start = sumsStart(sums, scalars.lookup(load.getFeature()), scalars.lookup(load.getColumn()));
  auto vector = VectorType::get({lanes}, builder.getF32Type());
  SmallVector<Value> values;
  for (std::int64_t r = 0; r < type.getRows(); ++r)
    for (std::int64_t v = 0; v < vectors; ++v)
      values.push_back(
          vector::LoadOp::create(builder, location, vector, memory.lookup(load.getSums()).memref,
                                 ValueRange{add(start, index(r * sums.getColumns() + v * lanes))}));
  fragments[load.getResult()] = values;
  return success();
}

LogicalResult KernelEmitter::emitKeep(tile::KeepOp keep) {
  tile::FragmentType type = keep.getValue().getType();
  tile::BufferType sums = keep.getSums().getType();
  const std::int64_t lanes = schedule.getLanes(), vectors = type.getColumns() / lanes;
  Value start = sumsStart(sums, scalars.lookup(keep.getFeature()), scalars.lookup(keep.getColumn()));
  for (auto [i, value] : llvm::enumerate(fragments.lookup(keep.getValue()))) {
    const std::int64_t r = static_cast<std::int64_t>(i) / vectors, v = static_cast<std::int64_t>(i) % vectors;
    vector::StoreOp::create(builder, location, value, memory.lookup(keep.getSums()).memref,
                            ValueRange{add(start, index(r * sums.getColumns() + v * lanes))});
  }
  return success();
}

LogicalResult KernelEmitter::emitOuter(tile::OuterOp outer) {
  tile::FragmentType type = outer.getAccumulator().getType();
  const std::int64_t lanes = schedule.getLanes(), vectors = type.getColumns() / lanes;
  Memory left = memory.lookup(outer.getLeft()), right = memory.lookup(outer.getRight());
  Value feature = subtract(scalars.lookup(outer.getFeature()), feature_begin);
  Value rows = rowsInHand(scalars.lookup(outer.getRowType()), scalars.lookup(outer.getRow()));
  auto wide = VectorType::get({lanes}, builder.getF32Type());
  if (pairing == 2 && lanes != 16)
    return outer.emitOpError("multiplies bf16 pairs in vectors of 16 lanes only, the schedule has ") << lanes;

  auto walk = scf::ForOp::create(builder, location, index(0), rows, index(pairing),
                                 fragments.lookup(outer.getAccumulator()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(walk.getBody());
  Value r = walk.getInductionVar();
  SmallVector<Value> panel, sums(walk.getRegionIterArgs());
  auto near = VectorType::get({lanes * pairing}, storageOf(right.element));
  for (std::int64_t v = 0; v < vectors; ++v) {
    Value values =
        vector::LoadOp::create(builder, location, near, right.memref,
                               ValueRange{add(multiply(r, right.panel), index(v * lanes * pairing))});
    if (pairing == 2)
      values =
          vector::BitCastOp::create(builder, location, VectorType::get({2 * lanes}, right.element), values);
    panel.push_back(values);
  }
  Value start = add(multiply(feature, schedule.getRows()), multiply(r, left.panel));
  for (std::int64_t f = 0; f < type.getRows(); ++f) {
    Value at = add(start, index(f * pairing)), spread;
    if (pairing == 2) {
      spread = spreadPair(left, at);
    } else {
      Value one = memref::LoadOp::create(builder, location, left.memref, ValueRange{at});
      spread = vector::BroadcastOp::create(builder, location, wide, one);
    }
    for (std::int64_t v = 0; v < vectors; ++v) {
      Value &sum = sums[f * vectors + v];
      sum = pairing == 2 ? addPairs(sum, spread, panel[v])
                         : vector::FMAOp::create(builder, location, spread, panel[v], sum).getResult();
    }
  }
  scf::YieldOp::create(builder, location, sums);
  fragments[outer.getResult()].assign(walk.getResults().begin(), walk.getResults().end());
  return success();
}

LogicalResult KernelEmitter::emitStoreBank(tile::StoreBankOp store) {
  tile::FragmentType type = store.getValue().getType();
  const std::int64_t lanes = schedule.getLanes(), vectors = type.getColumns() / lanes;
  Memory target = memory.lookup(store.getTarget());
  SmallVector<Value> values = fragments.lookup(store.getValue());
  Value feature = scalars.lookup(store.getFeature()), column = scalars.lookup(store.getColumn());
  Value first_row = add(groupStart(layout.getBank(), "bank", scalars.lookup(store.getBankRow())), feature);
  Value first_column = add(bankColumn(scalars.lookup(store.getGroup())), column);
  Value rows = subtract(feature_end, feature), columns = subtract(column_end, column);

  const Type stored = storageOf(target.element);
  auto memory_vector = VectorType::get({lanes}, stored);
  auto wide = VectorType::get({lanes}, builder.getF32Type());
  Value none = arith::ConstantOp::create(builder, location, builder.getZeroAttr(memory_vector));
  Value no_beta =
      arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OEQ, beta,
                            arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(0.0f)));
  SmallVector<Value> masks;
  for (std::int64_t v = 0; v < vectors; ++v)
    masks.push_back(columnMask(columns, v, lanes));

  for (std::int64_t r = 0; r < type.getRows(); ++r) {
    auto exists = scf::IfOp::create(builder, location, less(index(r), rows), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(exists.thenBlock()->getTerminator());
    for (std::int64_t v = 0; v < vectors; ++v) {
      const SmallVector<Value, 2> at = {add(first_row, index(r)), add(first_column, index(v * lanes))};
      Value sum = values[r * vectors + v];
      auto total = scf::IfOp::create(builder, location, wide, no_beta, /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard inner(builder);
        builder.setInsertionPointToStart(total.thenBlock());
        scf::YieldOp::create(builder, location, sum);
        builder.setInsertionPointToStart(total.elseBlock());
        Value before =
            vector::MaskedLoadOp::create(builder, location, memory_vector, target.memref, at, masks[v], none);
        before = convert(before, target.element, builder.getF32Type());
        Value factor = vector::BroadcastOp::create(builder, location, wide, beta);
        scf::YieldOp::create(builder, location,
                             vector::FMAOp::create(builder, location, factor, before, sum).getResult());
      }
      Value result = total.getResult(0);
      if (!target.element.isF32()) {
        result = arith::TruncFOp::create(builder, location, VectorType::get({lanes}, target.element), result);
        result = vector::BitCastOp::create(builder, location, memory_vector, result);
      }
      vector::MaskedStoreOp::create(builder, location, target.memref, at, masks[v], result);
    }
  }
  return success();
}

} // namespace compiler
