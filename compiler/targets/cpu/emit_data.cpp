// buffer, hold and copy: bringing operands near.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace compiler {

void KernelEmitter::copyRow(const Memory &from, Value row, Value from_start, const Memory &to, Value to_start,
                            Value count) {
  const int64_t lanes = schedule_.getLanes();
  auto vector = VectorType::get({lanes}, storageOf(from.element));
  Value whole = subtract(count, remainder(count, lanes));
  (void)loop(constant(0), whole, lanes, [&](Value i) {
    Value values =
        vector::LoadOp::create(builder_, location_, vector, from.memref, ValueRange{row, add(from_start, i)});
    vector::StoreOp::create(builder_, location_, convert(values, from.element, to.element), to.memref,
                            ValueRange{add(to_start, i)});
    return success();
  });
  (void)loop(whole, count, 1, [&](Value i) {
    Value value =
        memref::LoadOp::create(builder_, location_, from.memref, ValueRange{row, add(from_start, i)});
    memref::StoreOp::create(builder_, location_, convert(value, from.element, to.element), to.memref,
                            ValueRange{add(to_start, i)});
    return success();
  });
}

LogicalResult KernelEmitter::emitBuffer(tile::BufferOp buffer) {
  tile::BufferType type = buffer.getBuffer().getType();
  int64_t elements = type.getRows() * type.getColumns();
  if (type.isPanels() && !layout_.isWeightGradient()) {
    // One column panel of each row group of the weight matrix.
    elements = paddedTotal(layout_.getWeights(), depth_) * type.getPanel();
  } else if (!layout_.isWeightGradient()) { // rows that another layer leaves
    if (layout_.getIn().getTotal() != type.getColumns())
      return buffer.emitOpError("has rows of ")
             << type.getColumns() << " columns, but those that its layer multiplies have "
             << layout_.getIn().getTotal() << "; rows of a matrix are held by tile.hold";
    elements = type.getRows() * paddedTotal(layout_.getIn(), depth_);
  }
  const Memory memory = {scratchBuffer(elements, type.getElementType()), type.getElementType(),
                         type.getPanel(), /*buffer=*/true};
  memory_[buffer.getBuffer()] = memory;
  if (!type.isPanels() && elements != type.getRows() * type.getColumns())
    zeroBehindGroups(memory, type.getRows() / schedule_.getTypes());
  return success();
}

void KernelEmitter::zeroBehindGroup(const Memory &held, Value start, Value group) {
  alg::GroupsAttr in = layout_.getIn();
  auto vector = VectorType::get({depth_}, storageOf(held.element));
  Value zeros = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(vector));
  Value last = subtract(add(start, groupWidth(in, "in", group, depth_)), depth_);
  vector::StoreOp::create(builder_, location_, zeros, held.memref, ValueRange{last});
}

void KernelEmitter::zeroBehindGroups(const Memory &held, int64_t rows) {
  alg::GroupsAttr in = layout_.getIn();
  (void)loop(constant(0), constant(schedule_.getTypes()), 1, [&](Value type) {
    return loop(constant(0), constant(in.getCount()), 1, [&](Value group) {
      return loop(constant(0), constant(rows), 1, [&](Value row) {
        zeroBehindGroup(held, heldStart(in, "in", add(owned_type_, type), group, add(owned_row_, row)),
                        group);
        return success();
      });
    });
  });
}

LogicalResult KernelEmitter::emitHold(tile::HoldOp hold) {
  alg::GroupsAttr in = layout_.getIn();
  Type element = hold.getBuffer().getType().getElementType();
  const int64_t depth = paddedTotal(in, depth_);
  const int64_t types = layout_.getRowTypes().getCount();
  const int64_t tile_rows = schedule_.getRegisterRows();
  const bool pads = depth != in.getTotal();

  Memory source = memory_.lookup(hold.getSource());
  Memory buffer = {scratchBuffer(schedule_.getTypes() * schedule_.getRows() * depth, element), element, 0,
                   /*buffer=*/true};
  memory_[hold.getBuffer()] = buffer;
  Value zero = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(storageOf(element)));

  Value last_type = least(add(owned_type_, schedule_.getTypes()), types);
  return loop(owned_type_, last_type, 1, [&](Value type) {
    type_rows_[type] = rowsOfType(type);
    Value count = least(greatest(subtract(rowsOfType(type).count, owned_row_), 0), schedule_.getRows());
    auto copied = loop(constant(0), count, 1, [&](Value i) {
      Value ordinal = add(owned_row_, i), row = rowOf(type, ordinal);
      return loop(constant(0), constant(in.getCount()), 1, [&](Value group) {
        Value start = heldStart(in, "in", type, group, ordinal);
        if (pads) // the copy overwrites those that are inside the group
          zeroBehindGroup(buffer, start, group);
        copyRow(source, row, groupStart(in, "in", group), buffer, start, groupWidth(in, "in", group));
        return success();
      });
    });
    // The last register tile multiplies whole: what it has no row for is zero, so that no stale value costs
    // time.
    Value tiles = multiply(ceilDivide(count, tile_rows), tile_rows);
    auto filled = loop(count, tiles, 1, [&](Value i) {
      return loop(constant(0), constant(in.getCount()), 1, [&](Value group) {
        Value start = heldStart(in, "in", type, group, add(owned_row_, i));
        return loop(constant(0), groupWidth(in, "in", group, depth_), 1, [&](Value p) {
          memref::StoreOp::create(builder_, location_, zero, buffer.memref, ValueRange{add(start, p)});
          return success();
        });
      });
    });
    return success(succeeded(copied) && succeeded(filled));
  });
}

LogicalResult KernelEmitter::emitCopy(tile::CopyOp copy) {
  Memory weights = memory_.lookup(copy.getSource()), target = memory_.lookup(copy.getTarget());
  Value weight_row = scalars_.lookup(copy.getWeightRow()), group = scalars_.lookup(copy.getGroup());
  Value column = scalars_.lookup(copy.getColumn());
  if (weights.element != target.element)
    return copy.emitOpError("cannot convert elements on the way");

  // The diagonal block is the same for every type that a task owns: the first one brings it.
  auto terms = copy->getParentOfType<tile::TermsOp>();
  OpBuilder::InsertionGuard guard(builder_);
  if (copy.getOnce() && terms && layout_.getTerms().completeGraph() && schedule_.getTypes() > 1) {
    Value other = differ(weight_row, group);
    Value first = equal(scalars_.lookup(terms.getRowType()), owned_type_);
    Value needed = either(other, first);
    auto guarded = scf::IfOp::create(builder_, location_, needed, /*withElseRegion=*/false);
    builder_.setInsertionPoint(guarded.thenBlock()->getTerminator());
  }
  if (layout_.isTransposed())
    return emitTransposedCopy(copy);

  const int64_t lanes = schedule_.getLanes(), vectors = target.panel / lanes;
  auto vector = VectorType::get({lanes}, storageOf(weights.element));
  Value zeros = arith::ConstantOp::create(builder_, location_, builder_.getZeroAttr(vector));
  Value weight_start = groupStart(layout_.getWeights(), "weights", weight_row);
  Value depth = groupWidth(layout_.getWeights(), "weights", weight_row);
  Value padded = groupWidth(layout_.getWeights(), "weights", weight_row, depth_);
  Value start = panelStart(target, weight_row, group, column);
  Value first_column = add(weightColumn(group), column);
  Value left = subtract(groupWidth(layout_.getOut(), "out", group), column);
  const bool fills_up = paddedTotal(layout_.getWeights(), depth_) != layout_.getWeights().getTotal();

  auto load_row = [&](Value p, int64_t v, bool may_be_missing) -> Value {
    Value row = p, columns = left;
    if (may_be_missing) {
      // What a group is filled up with: nothing is read, zeros stand in.
      row = least(p, subtract(depth, 1));
      columns = select(less(p, depth), left, 0);
    }
    Value at[] = {add(weight_start, row), add(first_column, v * lanes)};
    if (columnsAlwaysFill() && !may_be_missing)
      return vector::LoadOp::create(builder_, location_, vector, weights.memref, at);
    return vector::MaskedLoadOp::create(builder_, location_, vector, weights.memref, at,
                                        columnMask(columns, v, lanes), zeros);
  };
  return loop(constant(0), padded, pairing_, [&](Value p) {
    Value row_start = add(start, multiply(p, target.panel));
    // The next panel's piece of the same row lies just behind this one's, in the same page.
    if (target.buffer) {
      const int64_t line = 512 / weights.element.getIntOrFloatBitWidth();
      for (int64_t row = 0; row < pairing_; ++row)
        for (int64_t e = 0; e < target.panel; e += line)
          memref::PrefetchOp::create(
              builder_, location_, weights.memref,
              ValueRange{add(add(weight_start, p), row), add(first_column, target.panel + e)},
              /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
    }
    for (int64_t v = 0; v < vectors; ++v) {
      Value values = load_row(p, v, fills_up && depth_ > pairing_);
      if (pairing_ == 2) {
        Value partner = load_row(add(p, 1), v, fills_up);
        values = vector::InterleaveOp::create(builder_, location_, values, partner);
      }
      SmallVector<Value> at = {add(row_start, v * lanes * pairing_)};
      if (!target.buffer) // a packed weight matrix comes as a matrix of one row
        at.insert(at.begin(), constant(0));
      vector::StoreOp::create(builder_, location_, values, target.memref, at);
    }
    return success();
  });
}

} // namespace compiler
