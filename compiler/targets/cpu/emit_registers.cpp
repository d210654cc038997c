// zero, mma and store: what happens in vector registers.
#include "compiler/targets/cpu/kernel_emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace compiler {

static constexpr std::int64_t cache_line = 64; // bytes

LogicalResult KernelEmitter::emitZero(tile::ZeroOp zero) {
  tile::FragmentType type = zero.getResult().getType();
  auto vector = VectorType::get({schedule.getLanes()}, type.getElementType());
  Value zeros = arith::ConstantOp::create(builder, location, builder.getZeroAttr(vector));
  fragments[zero.getResult()].assign(type.getRows() * (type.getColumns() / schedule.getLanes()), zeros);
  return success();
}

Value KernelEmitter::spreadPair(const Memory &held, Value at) {
  const std::int64_t lanes = schedule.getLanes();
  auto pair = VectorType::get({2}, storageOf(held.element));
  Value two = vector::LoadOp::create(builder, location, pair, held.memref, ValueRange{at});
  Value bits = vector::BitCastOp::create(builder, location, VectorType::get({1}, builder.getI32Type()), two);
  Value word = vector::ExtractOp::create(builder, location, bits, 0);
  Value words =
      vector::BroadcastOp::create(builder, location, VectorType::get({lanes}, builder.getI32Type()), word);
  return vector::BitCastOp::create(builder, location, VectorType::get({2 * lanes}, held.element), words);
}

Value KernelEmitter::addPairs(Value sum, Value a, Value b) {
  return LLVM::CallIntrinsicOp::create(builder, location, sum.getType(),
                                       builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
                                       ValueRange{sum, a, b})
      .getResult(0);
}

LogicalResult KernelEmitter::emitMma(ArrayRef<tile::MmaOp> products) {
  tile::MmaOp mma = products.front(); // the others differ in their banks and sums alone
  tile::FragmentType type = mma.getAccumulator().getType();
  const std::int64_t lanes = schedule.getLanes(), rows = type.getRows(), vectors = type.getColumns() / lanes;
  if (!isa<tile::BufferType>(mma.getRows().getType()))
    return mma.emitOpError("multiplies held rows on a CPU: bring them with tile.hold");
  Memory held = memory.lookup(mma.getRows()), bank = memory.lookup(mma.getBank());
  SmallVector<Value> banks;
  for (tile::MmaOp product : products)
    banks.push_back(memory.lookup(product.getBank()).memref);
  if (pairing == 2 && lanes != 16)
    return mma.emitOpError("multiplies bf16 pairs in vectors of 16 lanes only, the schedule has ") << lanes;
  if (pairing == 1 && !held.element.isF32())
    return mma.emitOpError("multiplies held rows of f32 unless the bank comes in bf16 pairs");

  Value row_type = scalars.lookup(mma.getRowType()), input_group = scalars.lookup(mma.getInputGroup());
  Value ordinal = scalars.lookup(mma.getRow()), bank_row = scalars.lookup(mma.getBankRow());
  Value group = scalars.lookup(mma.getGroup()), column = scalars.lookup(mma.getColumn());
  Value scale = mma.getScale() ? scalars.lookup(mma.getScale()) : Value();
  auto wide = VectorType::get({lanes}, builder.getF32Type());

  // Those of one product behind those of the other.
  SmallVector<Value> sums;
  for (tile::MmaOp product : products)
    sums.append(fragments.lookup(product.getAccumulator()));
  // A sign is free to apply around the loop: -(-a + x w) is a - x w to the last bit.
  auto applySign = [&] {
    Value sign = vector::BroadcastOp::create(builder, location, wide, scale);
    for (Value &sum : sums)
      sum = arith::MulFOp::create(builder, location, sum, sign);
  };
  const bool signs = scale && mma.getSigns();
  if (signs)
    applySign();

  Value width = groupWidth(layout.getIn(), "in", input_group, pairing);
  Value rows_start = heldStart(row_type, input_group, ordinal);
  const bool in_place = !bank.buffer && bank.panel == 0;
  if (in_place && layout.isTransposed())
    return mma.emitOpError("cannot multiply by a transposed bank in place: copy its blocks first");
  Value bank_start, first_column, left;
  if (in_place) {
    bank_start = groupStart(layout.getBank(), "bank", bank_row);
    first_column = add(bankColumn(group), column);
    left = subtract(groupWidth(layout.getOut(), "out", group), column);
  } else {
    bank_start = panelStart(bank, bank_row, group, column);
  }
  SmallVector<Value> row_starts(rows);
  for (std::int64_t r = 0; r < rows; ++r)
    row_starts[r] = r == 0 ? rows_start : add(rows_start, multiply(width, r));
  SmallVector<Value> column_masks(vectors);
  if (in_place && !columnsAlwaysFill())
    for (std::int64_t v = 0; v < vectors; ++v)
      column_masks[v] = columnMask(left, v, lanes);

  auto depth = scf::ForOp::create(builder, location, index(0), width, index(pairing), sums);
  builder.setInsertionPointToStart(depth.getBody());
  Value p = depth.getInductionVar();

  auto loadBank = [&](Value matrix, std::int64_t v) -> Value {
    auto narrow = VectorType::get({lanes * pairing}, storageOf(bank.element));
    Value values;
    if (in_place) {
      Value at[] = {add(bank_start, p), add(first_column, index(v * lanes))};
      if (column_masks[v]) {
        Value zeros = arith::ConstantOp::create(builder, location, builder.getZeroAttr(narrow));
        values = vector::MaskedLoadOp::create(builder, location, narrow, matrix, at, column_masks[v], zeros);
      } else {
        values = vector::LoadOp::create(builder, location, narrow, matrix, at);
      }
    } else {
      SmallVector<Value> at = {add(bank_start, add(multiply(p, bank.panel), index(v * lanes * pairing)))};
      if (!bank.buffer)
        at.insert(at.begin(), index(0));
      values = vector::LoadOp::create(builder, location, narrow, matrix, at);
    }
    if (pairing == 2)
      return vector::BitCastOp::create(builder, location, VectorType::get({2 * lanes}, bank.element), values);
    return convert(values, bank.element, builder.getF32Type());
  };
  SmallVector<Value> panel;
  for (Value matrix : banks)
    for (std::int64_t v = 0; v < vectors; ++v)
      panel.push_back(loadBank(matrix, v));
  // The bank comes from memory, panel after panel: ask for the next one while this one is multiplied. Into
  // the second level only, the first is full of this panel and its rows.
  if (!bank.buffer) {
    const std::int64_t line = cache_line * 8 / bank.element.getIntOrFloatBitWidth();
    const std::int64_t elements = in_place ? type.getColumns() : bank.panel * pairing;
    for (std::int64_t e = 0; e < elements; e += line) {
      Value at[] = {index(0), index(0)};
      if (in_place) { // the same row goes on there
        at[0] = add(bank_start, p);
        at[1] = add(first_column, index(type.getColumns() + e));
      } else {
        at[1] = add(bank_start, add(multiply(p, bank.panel), add(multiply(width, bank.panel), index(e))));
      }
      for (Value matrix : banks)
        memref::PrefetchOp::create(builder, location, matrix, at, /*isWrite=*/false, /*localityHint=*/2,
                                   /*isDataCache=*/true);
    }
  }

  sums.assign(depth.getRegionIterArgs().begin(), depth.getRegionIterArgs().end());
  for (std::int64_t r = 0; r < rows; ++r) {
    Value at = add(row_starts[r], p);
    Value spread;
    if (pairing == 2) {
      spread = spreadPair(held, at);
    } else {
      Value one = memref::LoadOp::create(builder, location, held.memref, ValueRange{at});
      if (scale && !signs)
        one = arith::MulFOp::create(builder, location, one, scale);
      spread = vector::BroadcastOp::create(builder, location, wide, one);
    }
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(panel.size()); ++i) {
      const std::int64_t product = i / vectors, v = i % vectors;
      Value &sum = sums[(product * rows + r) * vectors + v];
      if (pairing == 2)
        sum = addPairs(sum, spread, panel[i]);
      else
        sum = vector::FMAOp::create(builder, location, spread, panel[i], sum);
    }
  }
  scf::YieldOp::create(builder, location, sums);
  builder.setInsertionPointAfter(depth);
  sums.assign(depth.getResults().begin(), depth.getResults().end());
  if (signs)
    applySign();
  ArrayRef<Value> rest = sums;
  for (tile::MmaOp product : products) {
    fragments[product.getResult()] = llvm::to_vector(rest.take_front(rows * vectors));
    rest = rest.drop_front(rows * vectors);
  }
  return success();
}

Value KernelEmitter::streamsPastCache(const Memory &target) {
  // Below this size the result is worth more in the cache, where its reader finds it.
  constexpr std::int64_t least_bytes = 16 << 20;
  const std::int64_t bytes = target.element.getIntOrFloatBitWidth() / 8;
  // Only whole lines: a line written in pieces costs more than reading it first.
  const std::int64_t group_bytes = layout.getOut().isEqual() ? layout.getOut().getWidth(0) * bytes : 1;
  if (!columnsAlwaysFill() || group_bytes % cache_line != 0 ||
      schedule.getRegisterColumns() * bytes % cache_line != 0 || schedule.getLanes() * bytes < cache_line / 2)
    return {};
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, location, target.memref);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, location, target.memref);
  Value row_bytes = multiply(metadata.getStrides()[0], bytes);
  Value misaligned = remainder(arith::OrIOp::create(builder, location, address, row_bytes), cache_line);
  Value aligned = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, misaligned, index(0));
  Value size = multiply(batch_rows, layout.getOut().getTotal() * bytes);
  Value large = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sge, size, index(least_bytes));
  return arith::AndIOp::create(builder, location, aligned, large);
}

LogicalResult KernelEmitter::emitStore(tile::StoreOp store) {
  tile::FragmentType type = store.getValue().getType();
  const std::int64_t lanes = schedule.getLanes(), vectors = type.getColumns() / lanes;
  Memory target = memory.lookup(store.getTarget());
  Mask mask = masks.lookup(store.getMask());
  SmallVector<Value> values = fragments.lookup(store.getValue());
  Value row_type = scalars.lookup(store.getRowType()), ordinal = scalars.lookup(store.getRow());
  Value group = scalars.lookup(store.getGroup()), column = scalars.lookup(store.getColumn());
  Value first_column = add(groupStart(layout.getOut(), "out", group), column);

  if (type.getElementType() != storageOf(type.getElementType()))
    for (Value &value : values)
      value = vector::BitCastOp::create(builder, location,
                                        VectorType::get({lanes}, storageOf(type.getElementType())), value);
  auto place = [&](Value row, std::int64_t v) {
    return SmallVector<Value, 2>{row, add(first_column, index(v * lanes))};
  };
  auto storeRow = [&](std::int64_t r) {
    Value row = rowOf(row_type, add(ordinal, index(r)));
    auto whole = [&] {
      for (std::int64_t v = 0; v < vectors; ++v)
        vector::StoreOp::create(builder, location, values[r * vectors + v], target.memref, place(row, v));
    };
    if (Value stream = streams.lookup(store.getTarget())) {
      auto branch = scf::IfOp::create(builder, location, stream, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(branch.elseBlock()->getTerminator());
      whole();
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
      // Half lines are joined: one store writes one line.
      const std::int64_t vector_bytes = lanes * (target.element.getIntOrFloatBitWidth() / 8);
      const bool halves = vector_bytes == cache_line / 2;
      for (std::int64_t v = 0; v < vectors; v += halves ? 2 : 1) {
        Value line = values[r * vectors + v];
        if (halves) {
          SmallVector<std::int64_t> order = llvm::to_vector(llvm::seq<std::int64_t>(0, 2 * lanes));
          line = vector::ShuffleOp::create(builder, location, line, values[r * vectors + v + 1], order);
        }
        vector::StoreOp::create(builder, location, line, target.memref, place(row, v), /*nontemporal=*/true,
                                llvm::MaybeAlign(cache_line));
      }
      return;
    }
    if (columnsAlwaysFill())
      return whole();
    // Masked stores are slow where the mask is not a register of its own, so only the last panel of a group
    // uses them.
    Value fills = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sge, mask.columns,
                                        index(type.getColumns()));
    auto branch = scf::IfOp::create(builder, location, fills, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    whole();
    builder.setInsertionPoint(branch.elseBlock()->getTerminator());
    for (std::int64_t v = 0; v < vectors; ++v)
      vector::MaskedStoreOp::create(builder, location, target.memref, place(row, v),
                                    columnMask(mask.columns, v, lanes), values[r * vectors + v]);
  };
  for (std::int64_t r = 0; r < type.getRows(); ++r) {
    if (r == 0) { // a tile has at least one row
      storeRow(0);
      continue;
    }
    auto exists = scf::IfOp::create(builder, location, less(index(r), mask.rows), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(exists.thenBlock()->getTerminator());
    storeRow(r);
  }
  return success();
}

} // namespace compiler
