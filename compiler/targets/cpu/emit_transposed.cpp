// copy from a transposed bank: squares of a block are transposed in registers on their way into a panel.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace compiler {

/// The transpose of a square whose rows are vectors of as many elements. Each round interleaves row i with
/// row i + half: the highest bit of a row's number becomes the lowest one of its column's, so that after as
/// many rounds as there are bits rows and columns have changed places.
static SmallVector<Value> transposed(OpBuilder &builder, Location location, SmallVector<Value> rows) {
  const std::int64_t size = static_cast<std::int64_t>(rows.size()), half = size / 2;
  SmallVector<std::int64_t> low, high;
  for (std::int64_t i = 0; i < half; ++i) {
    low.append({i, size + i});
    high.append({half + i, size + half + i});
  }
  for (std::int64_t round = 1; round < size; round *= 2) {
    SmallVector<Value> next;
    for (std::int64_t i = 0; i < half; ++i) {
      next.push_back(vector::ShuffleOp::create(builder, location, rows[i], rows[i + half], low));
      next.push_back(vector::ShuffleOp::create(builder, location, rows[i], rows[i + half], high));
    }
    rows = std::move(next);
  }
  return rows;
}

LogicalResult KernelEmitter::emitTransposedCopy(tile::CopyOp copy) {
  const Memory bank = memory.lookup(copy.getSource()), target = memory.lookup(copy.getTarget());
  Value bank_row = scalars.lookup(copy.getBankRow()), group = scalars.lookup(copy.getGroup());
  Value column = scalars.lookup(copy.getColumn());
  const std::int64_t lanes = schedule.getLanes();
  if (!target.buffer)
    return copy.emitOpError(
        "packs no transposed bank: kernels of mode i copy its blocks when they need them");
  if (!llvm::isPowerOf2_64(lanes))
    return copy.emitOpError("transposes squares of a power of two, the schedule has ") << lanes << " lanes";

  // In memory a panel's columns are rows of the block, and its depth is along them.
  const bool slots = layout.getLift() == tile::LiftKind::Slots;
  Value block_row =
      slots ? multiply(bank_row, layout.getOut().getWidth(0)) : groupStart(layout.getOut(), "out", group);
  Value block_column = slots ? index(0) : groupStart(layout.getBank(), "bank", bank_row);
  Value first_row = add(block_row, column);
  Value depth = groupWidth(layout.getBank(), "bank", bank_row);
  Value padded = groupWidth(layout.getBank(), "bank", bank_row, pairing);
  Value left = subtract(groupWidth(layout.getOut(), "out", group), column);
  Value start = panelStart(target, bank_row, group, column);

  // Pairs of depths, which a panel keeps side by side, lie side by side in the bank already: they are
  // transposed as one element.
  Type unit = pairing == 2 ? Type(builder.getI32Type()) : storageOf(bank.element);
  auto units = VectorType::get({lanes}, unit);
  auto elements = VectorType::get({lanes * pairing}, storageOf(bank.element));
  auto cast = [&](Value value, VectorType type) -> Value {
    return value.getType() == type ? value : vector::BitCastOp::create(builder, location, type, value);
  };
  Value zeros = arith::ConstantOp::create(builder, location, builder.getZeroAttr(elements));

  return loop(index(0), index(target.panel), lanes, [&](Value square_row) {
    return loop(index(0), padded, lanes * pairing, [&](Value p) {
      Value row_end = add(square_row, index(lanes)), depth_end = add(p, index(lanes * pairing));
      auto within = [&](Value end, Value size) -> Value {
        return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sle, end, size);
      };
      Value whole = arith::AndIOp::create(builder, location, within(row_end, left), within(depth_end, depth));
      auto place = [&](std::int64_t i) {
        return add(start,
                   add(multiply(add(p, index(i * pairing)), target.panel), multiply(square_row, pairing)));
      };
      auto store = [&](Value column_of_square, std::int64_t i) {
        vector::StoreOp::create(builder, location, cast(column_of_square, elements), target.memref,
                                ValueRange{place(i)});
      };
      auto branch = scf::IfOp::create(builder, location, whole, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);

      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
      SmallVector<Value> rows;
      for (std::int64_t r = 0; r < lanes; ++r) {
        Value at[] = {add(first_row, add(square_row, index(r))), add(block_column, p)};
        rows.push_back(cast(vector::LoadOp::create(builder, location, elements, bank.memref, at), units));
      }
      for (auto [i, values] : llvm::enumerate(transposed(builder, location, rows)))
        store(values, static_cast<std::int64_t>(i));

      // At the block's edges nothing beyond is read: a row past the end stands for its last one, of which no
      // element is wanted.
      builder.setInsertionPoint(branch.elseBlock()->getTerminator());
      rows.clear();
      for (std::int64_t r = 0; r < lanes; ++r) {
        Value row = add(square_row, index(r));
        Value wanted =
            arith::SelectOp::create(builder, location, less(row, left), subtract(depth, p), index(0));
        Value mask = vector::CreateMaskOp::create(builder, location,
                                                  VectorType::get({lanes * pairing}, builder.getI1Type()),
                                                  least(greatest(wanted, index(0)), index(lanes * pairing)));
        Value at[] = {add(first_row, least(row, subtract(left, index(1)))), add(block_column, p)};
        rows.push_back(cast(
            vector::MaskedLoadOp::create(builder, location, elements, bank.memref, at, mask, zeros), units));
      }
      for (auto [i, values] : llvm::enumerate(transposed(builder, location, rows))) {
        Value inside = less(add(p, index(static_cast<std::int64_t>(i) * pairing)), padded);
        auto exists = scf::IfOp::create(builder, location, inside, /*withElseRegion=*/false);
        OpBuilder::InsertionGuard inner(builder);
        builder.setInsertionPoint(exists.thenBlock()->getTerminator());
        store(values, static_cast<std::int64_t>(i));
      }
      return success();
    });
  });
}

} // namespace compiler
