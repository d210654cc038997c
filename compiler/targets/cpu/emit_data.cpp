// hold and copy: bringing operands near.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace compiler {

void KernelEmitter::copyRow(const Memory &from, Value row, Value from_start, const Memory &to, Value to_start,
                            Value count) {
  const std::int64_t lanes = schedule.getLanes();
  auto vector = VectorType::get({lanes}, storageOf(from.element));
  Value whole = subtract(count, remainder(count, lanes));
  (void)loop(index(0), whole, lanes, [&](Value i) {
    Value values =
        vector::LoadOp::create(builder, location, vector, from.memref, ValueRange{row, add(from_start, i)});
    vector::StoreOp::create(builder, location, convert(values, from.element, to.element), to.memref,
                            ValueRange{add(to_start, i)});
    return success();
  });
  (void)loop(whole, count, 1, [&](Value i) {
    Value value = memref::LoadOp::create(builder, location, from.memref, ValueRange{row, add(from_start, i)});
    memref::StoreOp::create(builder, location, convert(value, from.element, to.element), to.memref,
                            ValueRange{add(to_start, i)});
    return success();
  });
}

LogicalResult KernelEmitter::emitHold(tile::HoldOp hold) {
  alg::GroupsAttr in = layout.getIn();
  Type element = hold.getBuffer().getType().getElementType();
  const std::int64_t depth = paddedTotal(in, pairing);
  const std::int64_t types = layout.getRowTypes().getCount();
  const std::int64_t tile_rows = schedule.getRegisterRows();
  const bool pads = depth != in.getTotal();

  Memory source = memory.lookup(hold.getSource());
  Memory buffer = {scratchBuffer(schedule.getTypes() * schedule.getRows() * depth, element), element, 0,
                   /*buffer=*/true};
  memory[hold.getBuffer()] = buffer;
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(storageOf(element)));

  Value last_type = least(add(owned_type, index(schedule.getTypes())), index(types));
  return loop(owned_type, last_type, 1, [&](Value type) {
    type_rows[type] = rowsOfType(type);
    Value count =
        least(greatest(subtract(rowsOfType(type).count, owned_row), index(0)), index(schedule.getRows()));
    auto copied = loop(index(0), count, 1, [&](Value i) {
      Value ordinal = add(owned_row, i), row = rowOf(type, ordinal);
      return loop(index(0), index(in.getCount()), 1, [&](Value group) {
        Value start = heldStart(type, group, ordinal);
        if (pads) { // an odd depth is filled up with zero, which the copy overwrites where the depth is even
          Value last = subtract(add(start, groupWidth(in, "in", group, pairing)), index(1));
          memref::StoreOp::create(builder, location, zero, buffer.memref, ValueRange{last});
        }
        copyRow(source, row, groupStart(in, "in", group), buffer, start, groupWidth(in, "in", group));
        return success();
      });
    });
    // The last register tile multiplies whole: what it has no row for is zero, so that no stale value costs
    // time.
    Value tiles = multiply(divide(add(count, index(tile_rows - 1)), tile_rows), tile_rows);
    auto filled = loop(count, tiles, 1, [&](Value i) {
      return loop(index(0), index(in.getCount()), 1, [&](Value group) {
        Value start = heldStart(type, group, add(owned_row, i));
        return loop(index(0), groupWidth(in, "in", group, pairing), 1, [&](Value p) {
          memref::StoreOp::create(builder, location, zero, buffer.memref, ValueRange{add(start, p)});
          return success();
        });
      });
    });
    return success(succeeded(copied) && succeeded(filled));
  });
}

LogicalResult KernelEmitter::emitCopy(tile::CopyOp copy) {
  Memory bank = memory.lookup(copy.getSource()), target = memory.lookup(copy.getTarget());
  Value bank_row = scalars.lookup(copy.getBankRow()), group = scalars.lookup(copy.getGroup());
  Value column = scalars.lookup(copy.getColumn());
  if (bank.element != target.element)
    return copy.emitOpError("cannot convert elements on the way");

  // The diagonal block is the same for every type that a task owns: the first one brings it.
  auto terms = copy->getParentOfType<tile::TermsOp>();
  OpBuilder::InsertionGuard guard(builder);
  if (copy.getOnce() && terms && layout.getTerms().completeGraph() && schedule.getTypes() > 1) {
    Value shared = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, bank_row, group);
    Value first = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq,
                                        scalars.lookup(terms.getRowType()), owned_type);
    Value yes = arith::ConstantOp::create(builder, location, builder.getBoolAttr(true));
    Value other = arith::XOrIOp::create(builder, location, shared, yes);
    Value needed = arith::OrIOp::create(builder, location, other, first);
    auto guarded = scf::IfOp::create(builder, location, needed, /*withElseRegion=*/false);
    builder.setInsertionPoint(guarded.thenBlock()->getTerminator());
  }
  if (layout.isTransposed())
    return emitTransposedCopy(copy);

  const std::int64_t lanes = schedule.getLanes(), vectors = target.panel / lanes;
  auto vector = VectorType::get({lanes}, storageOf(bank.element));
  Value zeros = arith::ConstantOp::create(builder, location, builder.getZeroAttr(vector));
  Value bank_start = groupStart(layout.getBank(), "bank", bank_row);
  Value depth = groupWidth(layout.getBank(), "bank", bank_row);
  Value padded = groupWidth(layout.getBank(), "bank", bank_row, pairing);
  Value start = panelStart(target, bank_row, group, column);
  Value first_column = add(bankColumn(group), column);
  Value left = subtract(groupWidth(layout.getOut(), "out", group), column);
  const bool odd_depths = paddedTotal(layout.getBank(), pairing) != layout.getBank().getTotal();

  auto loadRow = [&](Value p, std::int64_t v, bool may_be_missing) -> Value {
    Value row = p, columns = left;
    if (may_be_missing) {
      // The partner of an odd last depth: nothing is read, zeros stand in.
      row = least(p, subtract(depth, index(1)));
      columns = arith::SelectOp::create(builder, location, less(p, depth), left, index(0));
    }
    Value at[] = {add(bank_start, row), add(first_column, index(v * lanes))};
    if (columnsAlwaysFill() && !may_be_missing)
      return vector::LoadOp::create(builder, location, vector, bank.memref, at);
    return vector::MaskedLoadOp::create(builder, location, vector, bank.memref, at,
                                        columnMask(columns, v, lanes), zeros);
  };
  return loop(index(0), padded, pairing, [&](Value p) {
    Value row_start = add(start, multiply(p, target.panel));
    // The next panel's piece of the same row lies just behind this one's, in the same page.
    if (target.buffer) {
      const std::int64_t line = 512 / bank.element.getIntOrFloatBitWidth();
      for (std::int64_t row = 0; row < pairing; ++row)
        for (std::int64_t e = 0; e < target.panel; e += line)
          memref::PrefetchOp::create(
              builder, location, bank.memref,
              ValueRange{add(add(bank_start, p), index(row)), add(first_column, index(target.panel + e))},
              /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
    }
    for (std::int64_t v = 0; v < vectors; ++v) {
      Value values = loadRow(p, v, /*may_be_missing=*/false);
      if (pairing == 2) {
        Value partner = loadRow(add(p, index(1)), v, odd_depths);
        values = vector::InterleaveOp::create(builder, location, values, partner);
      }
      SmallVector<Value> at = {add(row_start, index(v * lanes * pairing))};
      if (!target.buffer) // a packed bank comes as a matrix of one row
        at.insert(at.begin(), index(0));
      vector::StoreOp::create(builder, location, values, target.memref, at);
    }
    return success();
  });
}

} // namespace compiler
