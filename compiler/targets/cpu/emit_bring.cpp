// Mode j: bring, which copies rows of X and of dY into the panels that products over rows read.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "compiler/schedule/schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace compiler {

Value KernelEmitter::isNegative(tile::BringOp bring) {
  if (!bring.getScale() || bring.getTarget().getType().getInterleave() == 1)
    return {};
  return arith::CmpFOp::create(
      builder_, location_, arith::CmpFPredicate::OLT, scalars_.lookup(bring.getScale()),
      arith::ConstantOp::create(builder_, location_, builder_.getF32FloatAttr(0.0f)));
}

Value KernelEmitter::withSign(Value pairs, Value negative) {
  if (!negative)
    return pairs;
  auto bits = cast<VectorType>(pairs.getType());
  Value sign = arith::ConstantOp::create(
      builder_, location_, DenseElementsAttr::get(bits, APInt::getSignMask(bits.getElementTypeBitWidth())));
  return select(negative, bitXor(pairs, sign), pairs);
}

KernelEmitter::RowsToBring KernelEmitter::rowsToBring(tile::BringOp bring, Value count, Value r) {
  Value type = scalars_.lookup(bring.getRowType()), row = scalars_.lookup(bring.getRow());
  RowsToBring rows;
  rows.rows.push_back(rowOf(type, add(row, r)));
  if (bring.getTarget().getType().getInterleave() == 2) {
    rows.partner = less(add(r, 1), count);
    // In its place the first one is read again, and forgotten: zeros on both sides add nothing, whatever
    // lies in memory.
    rows.rows.push_back(rowOf(type, add(row, least(add(r, 1), subtract(count, 1)))));
  }
  return rows;
}

Value KernelEmitter::broughtOf(const RowsToBring &rows, Type element, Value scale, Value negative,
                               function_ref<Value(Value)> load) {
  if (rows.partner) {
    Value first_row = load(rows.rows[0]), second_row = load(rows.rows[1]);
    Value none = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(second_row.getType()));
    second_row = select(rows.partner, second_row, none);
    return withSign(vector::InterleaveOp::create(builder_, location_, first_row, second_row), negative);
  }
  Value wide = convert(load(rows.rows[0]), element, builder_.getF32Type());
  if (!scale)
    return wide;
  Value by = vector::BroadcastOp::create(builder_, location_, wide.getType(), scale);
  return arith::MulFOp::create(builder_, location_, wide, by);
}

LogicalResult KernelEmitter::emitBring(tile::BringOp bring) {
  if (bring.getTarget().getType().getInterleave() > 2)
    return emitTransposedBring(bring);
  const bool features = bring.getAxis() == tile::AxisKind::Features;
  Memory source = memory_.lookup(bring.getSource()), target = memory_.lookup(bring.getTarget());
  Value type = scalars_.lookup(bring.getRowType()), group = scalars_.lookup(bring.getSourceGroup());
  Value row = scalars_.lookup(bring.getRow()), first = scalars_.lookup(bring.getFirst());
  Value scale = bring.getScale() ? scalars_.lookup(bring.getScale()) : Value();
  const int64_t panel = target.panel, width = bring.getTarget().getType().getColumns();
  Value start =
      add(groupStart(features ? layout_.getIn() : layout_.getOut(), features ? "in" : "out", group), first);
  // Features are needed as far as the tile owns some; columns come one panel at a time.
  Value left = subtract(features ? feature_end_ : column_end_, first);

  Value count = rowsInHand(type, row), zero = constant(0);
  Value negative = isNegative(bring);
  if (usesAmx() && failed(zeroBehindRows(bring, count, least(left, width))))
    return failure();

  return loop(zero, count, bring.getTarget().getType().getInterleave(), [&](Value r) {
    const RowsToBring rows = rowsToBring(bring, count, r);
    return loop(zero, least(left, width), panel, [&](Value at) {
      // Panel after panel, in each row after row, or pair after pair.
      Value place = add(multiply(at, schedule_.getRows()), multiply(r, panel));
      Value whole = atMost(add(at, panel), left);
      auto branch = scf::IfOp::create(builder_, location_, whole, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder_);
      const auto bring_elements = [&](Value to, function_ref<Value(Value)> load) {
        vector::StoreOp::create(builder_, location_, broughtOf(rows, source.element, scale, negative, load),
                                target.memref, ValueRange{to});
      };
      const auto load_at = [&](Value column, int64_t elements) {
        return [this, &source, start, column, elements](Value from) -> Value {
          auto vector = VectorType::get({elements}, storageOf(source.element));
          return vector::LoadOp::create(builder_, location_, vector, source.memref,
                                        ValueRange{from, add(start, column)});
        };
      };
      builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
      bring_elements(place, load_at(at, panel));
      // A matrix unit is done before the next panel, or the next block of dW's row, has come: ask for it now.
      // Rows of a type lie far from each other, where no machine looks ahead.
      constexpr int64_t line = 32; // bf16
      if (usesAmx())
        for (Value from : rows.rows)
          for (int64_t e = 0; e < panel; e += line)
            memref::PrefetchOp::create(builder_, location_, source.memref,
                                       ValueRange{from, add(start, add(at, panel + e))}, /*isWrite=*/false,
                                       /*localityHint=*/2, /*isDataCache=*/true);
      builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
      return bringPartOfPanel(source, target, {start, at, left, place},
                              bring.getTarget().getType().getInterleave(), bring_elements);
    });
  });
}

LogicalResult KernelEmitter::bringPartOfPanel(const Memory &source, const Memory &target, PanelPlace place,
                                              int64_t step, BringElements bring_elements) {
  const int64_t panel = target.panel, lanes = schedule_.getLanes();
  if (panel % lanes == 0) { // columns, of which a group may have fewer than a panel: every row ends here
    auto part = VectorType::get({lanes}, storageOf(source.element));
    Value none = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(part));
    for (int64_t v = 0; v < panel; v += lanes) {
      Value column = add(place.at, v), mask = columnMask(subtract(place.left, column), 0, lanes);
      bring_elements(add(place.target, v * step), [&](Value from) -> Value {
        return vector::MaskedLoadOp::create(builder_, location_, part, source.memref,
                                            ValueRange{from, add(place.start, column)}, mask, none);
      });
    }
    return success();
  }
  return loop(constant(0), constant(panel), 1, [&](Value i) {
    Value to = add(place.target, multiply(i, step));
    auto exists =
        scf::IfOp::create(builder_, location_, less(add(place.at, i), place.left), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard inner(builder_);
    builder_.setInsertionPoint(exists.thenBlock()->getTerminator());
    bring_elements(to, [&](Value from) -> Value {
      return vector::LoadOp::create(builder_, location_, VectorType::get({1}, storageOf(source.element)),
                                    source.memref, ValueRange{from, add(place.start, add(place.at, i))});
    });
    builder_.setInsertionPoint(exists.elseBlock()->getTerminator());
    vector::StoreOp::create(
        builder_, location_,
        arith::ConstantOp::create(builder_, location_,
                                  builder_.getZeroAttr(VectorType::get({step}, storageOf(target.element)))),
        target.memref, ValueRange{to});
    return success();
  });
}

LogicalResult KernelEmitter::zeroBehindRows(tile::BringOp bring, Value count, Value width) {
  const Memory target = memory_.lookup(bring.getTarget());
  const tile::BufferType buffer = bring.getTarget().getType();
  auto pair = VectorType::get({target.panel * buffer.getInterleave()}, storageOf(target.element));
  Value zeros = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(pair));
  const int64_t step = buffer.getInterleave();
  const auto round_up = [&](int64_t to) { return multiply(ceilDivide(count, to), to); };
  return loop(round_up(step), round_up(CpuSchedule::amx_depth), step, [&](Value r) {
    return loop(constant(0), width, target.panel, [&](Value at) {
      Value place = add(multiply(at, buffer.getRows()), multiply(r, target.panel));
      vector::StoreOp::create(builder_, location_, zeros, target.memref, ValueRange{place});
      return success();
    });
  });
}

LogicalResult KernelEmitter::emitTransposedBring(tile::BringOp bring) {
  Memory source = memory_.lookup(bring.getSource()), target = memory_.lookup(bring.getTarget());
  const tile::BufferType buffer = bring.getTarget().getType();
  const int64_t together = buffer.getInterleave(), pairs = together / 2, square = pairs;
  Value type = scalars_.lookup(bring.getRowType()), group = scalars_.lookup(bring.getSourceGroup());
  Value row = scalars_.lookup(bring.getRow()), first = scalars_.lookup(bring.getFirst());
  Value start = add(groupStart(layout_.getIn(), "in", group), first), left = subtract(feature_end_, first);
  Value count = rowsInHand(type, row), negative = isNegative(bring);
  auto half = VectorType::get({square}, storageOf(source.element)),
       whole = VectorType::get({together}, storageOf(source.element)),
       words = VectorType::get({square}, builder_.getI32Type());
  Value none = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(half));

  // Squares of as many pairs of rows as features, of which each pair is one element.
  return loop(constant(0), count, together, [&](Value r) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < together; ++i)
      rows.push_back(rowOf(type, add(row, least(add(r, i), subtract(count, 1)))));
    Value all_rows = atMost(add(r, together), count);
    return loop(constant(0), least(left, buffer.getColumns()), square, [&](Value at) {
      Value in_panel = remainder(at, target.panel);
      Value place = add(add(multiply(subtract(at, in_panel), buffer.getRows()), multiply(r, target.panel)),
                        multiply(in_panel, together));
      const auto bring_square = [&](function_ref<Value(int64_t)> load) {
        SmallVector<Value> elements;
        for (int64_t i = 0; i < together; i += 2) {
          Value pair = vector::InterleaveOp::create(builder_, location_, load(i), load(i + 1));
          elements.push_back(vector::BitCastOp::create(builder_, location_, words, withSign(pair, negative)));
        }
        for (auto [i, feature] : llvm::enumerate(transposed(elements)))
          vector::StoreOp::create(builder_, location_,
                                  vector::BitCastOp::create(builder_, location_, whole, feature),
                                  target.memref, ValueRange{add(place, static_cast<int64_t>(i) * together)});
      };
      Value inside = both(all_rows, atMost(add(at, square), left));
      auto branch = scf::IfOp::create(builder_, location_, inside, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder_);
      builder_.setInsertionPoint(branch.thenBlock()->getTerminator());
      bring_square([&](int64_t i) -> Value {
        return vector::LoadOp::create(builder_, location_, half, source.memref,
                                      ValueRange{rows[i], add(start, at)});
      });
      // Past the last row stands the last one, of which no element is wanted: a zero in one operand beside an
      // infinity in the other would give NaN, so that both have zeros there.
      builder_.setInsertionPoint(branch.elseBlock()->getTerminator());
      bring_square([&](int64_t i) -> Value {
        Value wanted = select(less(add(r, i), count), least(subtract(left, at), square), 0);
        Value mask = vector::CreateMaskOp::create(builder_, location_,
                                                  VectorType::get({square}, builder_.getI1Type()), wanted);
        return vector::MaskedLoadOp::create(builder_, location_, half, source.memref,
                                            ValueRange{rows[i], add(start, at)}, mask, none);
      });
      return success();
    });
  });
}

} // namespace compiler
